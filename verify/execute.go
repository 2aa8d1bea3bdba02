package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/host"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
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
	hosts         hosts // set constants, if any
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
		len(t.known) == 0 && len(s.uploads) == 0 && len(s.banks) == 0 && s.hosts == hosts{} && s.seen == nil && t.trace == nil
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
		c = jitterCase(c, jitter, t.moving)
	}
	c, err := s.hosts.withConstants(t.known.InDraw(c), client(n))
	if err != nil {
		return nil, err
	}
	if s.hosts == (hosts{}) {
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

// jitterCase returns c with every attribute and constant perturbed by a few roundings, positions only if
// moving.
func jitterCase(c *interp.Case, seed uint64, moving bool) *interp.Case {
	r := symbolic.Stream(seed)
	d := *c
	d.Attrs = slices.Clone(c.Attrs)
	for i := range d.Attrs {
		a := &d.Attrs[i]
		a.Data = slices.Clone(a.Data)
		// Moving the triangles may change coverage; blend indices are whole numbers.
		if a.Usage == d3d9.UsagePosition && !moving || a.Usage == d3d9.UsageBlendIndices {
			continue
		}
		for k := range a.Data {
			a.Data[k] = nudged(&r, a.Data[k], offBy(seed))
		}
	}
	for i, k := range []*interp.Constants{&d.Vertex, &d.Pixel} {
		k.Float = slices.Clone(k.Float)
		shaken(k, r.Next()+uint64(i), offBy(seed))
	}
	return &d
}

// shaken perturbs every float constant in k by up to most roundings, because the host has rounded it. A
// literal that the program defines stays exact.
func shaken(k *interp.Constants, seed uint64, most int) {
	r := symbolic.Stream(seed)
	for i := range k.Float {
		for c := range 4 {
			k.Float[i][c] = nudged(&r, k.Float[i][c], most)
		}
	}
}

// The largest number of roundings in a perturbation. A directed input may lie a few roundings from an edge,
// so that two do not cross it. A correct rewrite may round more often than before. 1024 roundings of 2^-24
// are still within the tolerance.
const (
	fewRoundings  = 2
	manyRoundings = 1024
)

// farther is a bit of a jitter that asks for manyRoundings.
const farther = 1 << 63

func offBy(jitter uint64) int {
	if jitter&farther != 0 {
		return manyRoundings
	}
	return fewRoundings
}

// nudged returns x perturbed by up to most roundings, up or down. Zero has no useful roundings of its own.
// With manyRoundings, it moves by those of a number of size 1, to which it may be added.
func nudged(r *symbolic.Stream, x float32, most int) float32 {
	toward := float32(math.Inf(1))
	if r.Next()&1 == 0 {
		toward = -toward
	}
	n := r.Next() % uint64(most+1)
	if most == manyRoundings {
		by := float32(math.Copysign(float64(n)*0x1p-24, float64(toward)))
		if x == 0 {
			return by
		}
		return x + x*by
	}
	for range n {
		x = math.Nextafter32(x, toward)
	}
	return x
}
