package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/host"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/params"
	"github.com/shaderlift/shaderlift/verify/internal/perturb"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// trial is one input on which both versions can be executed: a draw, or a batch of invocations of one
// program. Executing it twice with the same arguments gives the same sample.
type trial interface {
	// execute runs a version. A jitter other than 0 perturbs the input by a few roundings, or by many (see
	// farther). Each value of jitter perturbs differently.
	execute(s *shaders, n interp.Numerics, jitter uint64) (*outputs.Sample, error)
	// describe returns the place of point i and the inputs of a version there.
	describe(s *shaders, i int) (where, text string)
	// caseFile returns a case in which point i gives both versions the same inputs, or nil if none exists.
	caseFile(s *[2]*shaders, i int) *interp.Case
	// traced returns a trial with the same input that fills in a trace.
	traced(to *interp.Trace) trial
}

// shaders is one version compiled for the interpreter, with the constants that its host sets.
type shaders struct {
	programs      Pair
	vertex, pixel *interp.Shader
	uploads       []Upload // the application's, for this version
	banks         []bank
	hosts         params.Hosts // set constants, if any
	work          *budget.Budget
	seen          *interp.Seen // nil unless wanted
	reals         bool         // points with infinities or NaNs are skipped, if seen records them
}

// begin clears the record of the last execution.
func (s *shaders) begin() {
	if s.seen != nil {
		s.seen.Forget()
	}
}

// sober marks the points of sample p with an infinite or NaN value on the way, if they are recorded and must
// not be compared.
func (s *shaders) sober(p *outputs.Sample) *outputs.Sample {
	if s.seen != nil && s.reals {
		p.Wild, p.Unfit = s.seen.Wild, s.seen.WildVertex
	}
	return p
}

// compileSide compiles the programs of a version. It reuses those that other has too.
func compileSide(p Pair, uploads []Upload, other *shaders) (*shaders, error) {
	s := &shaders{programs: p, uploads: uploads}
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
	if s.vertex, err = compile(p.Vertex, other.programs.Vertex, other.vertex); err != nil {
		return nil, err
	}
	if s.pixel, err = compile(p.Pixel, other.programs.Pixel, other.pixel); err != nil {
		return nil, err
	}
	return s, nil
}

// drawTrial draws a pair.
type drawTrial struct {
	c     *interp.Case
	known host.Constants
	trace *interp.Trace // nil unless wanted
	// image is the picture of c by the programs of drew, or nil if it is not known.
	image *interp.Image
	drew  *shaders
	// moving lets perturbations move the triangles, too.
	moving bool
}

// shows reports whether the picture of an execution is known: it is the picture from when c was generated,
// with nothing changed since.
func (t *drawTrial) shows(s *shaders, n interp.Numerics, jitter uint64) bool {
	return t.image != nil && s.vertex == t.drew.vertex && s.pixel == t.drew.pixel && n == interp.Numerics{} && jitter == 0 &&
		len(t.known) == 0 && len(s.uploads) == 0 && len(s.banks) == 0 && s.hosts == params.Hosts{} && s.seen == nil && t.trace == nil
}

// execute draws the case. It first sets the constants from parameters, preshaders and their uploads, or else
// from uploads alone. It then fills the copies for confined reads.
func (t drawTrial) execute(s *shaders, n interp.Numerics, jitter uint64) (*outputs.Sample, error) {
	if t.shows(s, n, jitter) {
		return outputs.OfImage(t.image), nil
	}
	c := t.c
	s.begin()
	if jitter != 0 {
		c = perturb.Draw(c, jitter, t.moving)
	}
	c, err := s.hosts.InDraw(t.known.InDraw(c), params.Client(n))
	if err != nil {
		return nil, err
	}
	if s.hosts == (params.Hosts{}) {
		c = draws.WithUploads(c, s.uploads)
	}
	s.copyBanks(&c.Vertex)
	img, err := t.drawRecorded(s, c, n)
	if err != nil {
		return nil, err
	}
	return s.sober(outputs.OfImage(img)), nil
}

// drawRecorded uses the slower interpreter to record which statements executions reach, or to trace.
func (t drawTrial) drawRecorded(s *shaders, c *interp.Case, n interp.Numerics) (*interp.Image, error) {
	if s.seen != nil {
		return interp.DrawSeen(s.vertex, s.pixel, c, n, s.work, s.seen)
	}
	return interp.DrawTraced(s.vertex, s.pixel, c, n, s.work, t.trace)
}

func (t drawTrial) describe(_ *shaders, i int) (where, text string) {
	return fmt.Sprintf("pixel (%d, %d)", i%t.c.Width, i/t.c.Width), string(t.known.InDraw(t.c).Format())
}
