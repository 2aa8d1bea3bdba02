// Package trial executes versions. A [Trial] is an input of Direct3D 9 programs: a [Draw] of a pair, or a
// [Batch] of invocations of one program. Launches of kernels are edited: [AssignLaunch] sets the leaves that
// package explore solves for, and [PerturbLaunch] changes numbers by a few roundings.
//
// A [Sample] has the results of an execution: a picture, a batch of invocations, or the memories of a launch.
// [Compare] finds differences, and [Unexplained] those that roundings of the inputs do not explain.
//
// [Unshown] and [Survivor] find gaps in the executions of two versions: effects that no execution shows, and
// mutants that survive all executions. Mutants are small changes of a statement that executions have to detect.
package trial

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Trial is one input on which both versions can be executed: a draw, or a batch of invocations of one
// program. Executing it twice with the same arguments gives the same sample.
type Trial interface {
	// Execute runs a version. A jitter other than 0 perturbs the input by a few roundings, or by many (see
	// MoreRoundings). Each value of jitter perturbs differently.
	Execute(s *Version, n interp.Numerics, jitter uint64) (*Sample, error)
	// Describe returns the place of point i and the inputs of a version there.
	Describe(s *Version, i int) (where, text string)
	// CaseFile returns a case in which point i gives both versions the same inputs, or nil if none exists.
	CaseFile(s *[2]*Version, i int) *interp.Case
	// Traced returns a trial with the same input that fills in a trace.
	Traced(to *interp.Trace) Trial
}

// Version is one version compiled for the interpreter, with the constants that its host sets.
type Version struct {
	programs      draws.Pair
	Vertex, Pixel *interp.Shader
	uploads       []draws.Upload // the application's, for this version
	Banks         []Bank
	Hosts         iface.Hosts // set constants, if any
	Work          *budget.Budget
	Seen          *interp.Seen // nil unless wanted
	Reals         bool         // points with infinities or NaNs are skipped, if seen records them
}

// begin clears the record of the last execution.
func (s *Version) begin() {
	if s.Seen != nil {
		s.Seen.Forget()
	}
}

// sober marks the points of sample p with an infinite or NaN value on the way, if they are recorded and must
// not be compared.
func (s *Version) sober(p *Sample) *Sample {
	if s.Seen != nil && s.Reals {
		p.Wild, p.Unfit = s.Seen.Wild, s.Seen.WildVertex
	}
	return p
}

// Compile compiles the programs of a version. It reuses those that other has too.
func Compile(p draws.Pair, uploads []draws.Upload, other *Version) (*Version, error) {
	s := &Version{programs: p, uploads: uploads}
	compile := func(p, known *d3d9.Program, done *interp.Shader) (*interp.Shader, error) {
		switch {
		case p == nil:
			return nil, nil
		case done != nil && iface.Identical(p, known):
			return done, nil
		}
		return interp.Compile(p)
	}
	var err error
	if s.Vertex, err = compile(p.Vertex, other.programs.Vertex, other.Vertex); err != nil {
		return nil, err
	}
	if s.Pixel, err = compile(p.Pixel, other.programs.Pixel, other.Pixel); err != nil {
		return nil, err
	}
	return s, nil
}

// Draw draws a pair.
type Draw struct {
	Case  *interp.Case
	Known draws.KnownConstants
	trace *interp.Trace // nil unless wanted
	// Image is the picture of c by the programs of drew, or nil if it is not known.
	Image *interp.Image
	Drew  *Version
	// Moving lets perturbations move the triangles, too.
	Moving bool
}

// shows reports whether the picture of an execution is known: it is the picture from when c was generated,
// with nothing changed since.
func (t *Draw) shows(s *Version, n interp.Numerics, jitter uint64) bool {
	return t.Image != nil && s.Vertex == t.Drew.Vertex && s.Pixel == t.Drew.Pixel && n == interp.Numerics{} &&
		jitter == 0 &&
		len(t.Known) == 0 && len(s.uploads) == 0 && len(s.Banks) == 0 && s.Hosts == iface.Hosts{} && s.Seen == nil &&
		t.trace == nil
}

// Execute draws the case. It first sets the constants from parameters, preshaders and their uploads, or else
// from uploads alone. It then fills the copies for confined reads.
func (t Draw) Execute(s *Version, n interp.Numerics, jitter uint64) (*Sample, error) {
	if t.shows(s, n, jitter) {
		return ofImage(t.Image), nil
	}
	c := t.Case
	s.begin()
	if jitter != 0 {
		c = perturbDraw(c, jitter, t.Moving)
	}
	c, err := s.Hosts.InDraw(t.Known.InDraw(c), iface.ClientOf(n))
	if err != nil {
		return nil, err
	}
	if s.Hosts == (iface.Hosts{}) {
		c = draws.WithUploads(c, s.uploads)
	}
	s.copyBanks(&c.Vertex)
	img, err := t.drawRecorded(s, c, n)
	if err != nil {
		return nil, err
	}
	return s.sober(ofImage(img)), nil
}

// drawRecorded uses the slower interpreter to record which statements executions reach, or to trace.
func (t Draw) drawRecorded(s *Version, c *interp.Case, n interp.Numerics) (*interp.Image, error) {
	if s.Seen != nil {
		return interp.DrawSeen(s.Vertex, s.Pixel, c, n, s.Work, s.Seen)
	}
	return interp.DrawTraced(s.Vertex, s.Pixel, c, n, s.Work, t.trace)
}

func (t Draw) Describe(_ *Version, i int) (where, text string) {
	return fmt.Sprintf("pixel (%d, %d)", i%t.Case.Width, i/t.Case.Width), string(t.Known.InDraw(t.Case).Format())
}
