package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// trial is one input that both sides can be executed on: a draw, or a batch of invocations of one
// program. Executing it twice with the same arguments gives the same sample.
type trial interface {
	// execute runs a side; jitter, if not 0, perturbs the input by a few roundings,
	// differently for every value of jitter, or by more of them (see farther).
	execute(s *shaders, n interp.Numerics, jitter uint64) (*sample, error)
	// describe says where point i is, and what a side is given there.
	describe(s *shaders, i int) (where, text string)
	// caseFile is a case in which point i shows the same to either side, nil if there is
	// none.
	caseFile(s *[2]*shaders, i int) *interp.Case
	// traced is a trial with the same input that fills in a trace.
	traced(to *interp.Trace) trial
}

// shaders is one side compiled for the interpreter, with what its host sets for it.
type shaders struct {
	programs      Pair
	vertex, pixel *interp.Shader
	uploads       []Upload // that the application makes for this side
	banks         []bank
	hosts         hosts // that set constants, if any
	work          *budget.Budget
	seen          *interp.Seen // nil unless wanted
	reals         bool         // what is infinite or NaN counts for nothing, if it is seen
}

// begin forgets what was seen of the last execution.
func (s *shaders) begin() {
	if s.seen != nil {
		s.seen.Forget()
	}
}

// sober marks in sample p where something infinite or NaN was computed, if that is known and if such
// points are not to be compared.
func (s *shaders) sober(p *sample) *sample {
	if s.seen != nil && s.reals {
		p.wild, p.unfit = s.seen.Wild, s.seen.WildVertex
	}
	return p
}

// compileSide compiles the programs of a side. A program that other has too is taken from there.
func compileSide(p Pair, uploads []Upload, other *shaders) (*shaders, error) {
	s := &shaders{programs: p, uploads: uploads}
	compile := func(p, known *d3d9.Program, done *interp.Shader) (*interp.Shader, error) {
		switch {
		case p == nil:
			return nil, nil
		case done != nil && identical(p, known):
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
	known promise
	trace *interp.Trace // nil unless wanted
	// image is what c shows of the programs of drew, nil if that is not known.
	image *interp.Image
	drew  *shaders
	// moving has perturbations move the triangles, too.
	moving bool
}

// shows reports whether the picture of an execution is known: it is that of c itself, drawn when c was
// made up, with nothing changed since.
func (t *drawTrial) shows(s *shaders, n interp.Numerics, jitter uint64) bool {
	return t.image != nil && s.vertex == t.drew.vertex && s.pixel == t.drew.pixel && n == interp.Numerics{} && jitter == 0 &&
		len(t.known) == 0 && len(s.uploads) == 0 && len(s.banks) == 0 && s.hosts == hosts{} && s.seen == nil && t.trace == nil
}

// execute sets what parameters and preshaders compute, uploads among that, or else uploads, and then
// the copies that confined reads go to; then it draws.
func (t drawTrial) execute(s *shaders, n interp.Numerics, jitter uint64) (*sample, error) {
	if t.shows(s, n, jitter) {
		return picture(t.image), nil
	}
	c := t.c
	s.begin()
	if jitter != 0 {
		c = jitterCase(c, jitter, t.moving)
	}
	c, err := s.hosts.draw(t.known.draw(c), client(n))
	if err != nil {
		return nil, err
	}
	if s.hosts == (hosts{}) {
		c = draws.WithUploads(c, s.uploads)
	}
	s.copyBanks(&c.Vertex)
	img, err := t.draw(s, c, n)
	if err != nil {
		return nil, err
	}
	return s.sober(picture(img)), nil
}

// draw takes the slower interpreter where it is asked what executions reach, or for a trace.
func (t drawTrial) draw(s *shaders, c *interp.Case, n interp.Numerics) (*interp.Image, error) {
	if s.seen != nil {
		return interp.DrawSeen(s.vertex, s.pixel, c, n, s.work, s.seen)
	}
	return interp.DrawTraced(s.vertex, s.pixel, c, n, s.work, t.trace)
}

func (t drawTrial) describe(_ *shaders, i int) (where, text string) {
	return fmt.Sprintf("pixel (%d, %d)", i%t.c.Width, i/t.c.Width), string(t.known.draw(t.c).Format())
}

// jitterCase is c with every attribute and constant off by some roundings, positions only if moving.
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

// shaken puts every float constant in k off by up to so many roundings: those that the host
// sets, which it has rounded. A literal that the program defines is what it says, and stays.
func shaken(k *interp.Constants, seed uint64, most int) {
	r := symbolic.Stream(seed)
	for i := range k.Float {
		for c := range 4 {
			k.Float[i][c] = nudged(&r, k.Float[i][c], most)
		}
	}
}

// By how many roundings inputs are off at most. Where inputs are directed, before may sit beside an
// edge by a few, and two roundings do not get it across, while a rewrite may make more of them than
// before does. 1024 roundings of 2^-24 are still within the tolerance.
const (
	fewRoundings  = 2
	manyRoundings = 1024
)

// farther is set in a jitter that perturbs by many roundings.
const farther = 1 << 63

func offBy(jitter uint64) int {
	if jitter&farther != 0 {
		return manyRoundings
	}
	return fewRoundings
}

// nudged is x off by up to most roundings, up or down. Zero has no roundings of its own to speak of:
// where they are many, it is off by those of a number of size 1 that it may be added to.
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
