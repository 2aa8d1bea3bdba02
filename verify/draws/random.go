package draws

import (
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// The target of a random draw: small, and wider than high so that exchanged axes show.
const (
	width  = 32
	height = 24
)

// A draw is executed some dozen times. If it takes more than 1/affordable of the available work, its target
// shrinks, down to 1/smallest of the width and the height. A few pixels of a very long program show more
// than a draw without work left to execute it.
const (
	affordable = 32
	smallest   = 4
)

// Patience bounds the number of tries in the search for a good draw. Little suffices for a draw that shows
// something and only confirms a proof.
type Patience int

// Levels of patience. The search ends if the first hopeless tries, each style twice, place no four corners
// on the screen: then they lie on a line or behind the viewer for all constants. Programs that draw
// something show four corners among the first six tries.
const (
	Much     Patience = 64
	Little   Patience = 8
	hopeless          = 2 * len(styles)
)

// scale returns the divisor of the first target's size. Fewer pixels suffice to confirm a proof.
func (p Patience) scale() int {
	if p <= Little {
		return 2
	}
	return 1
}

// enough returns the score that is acceptable after tried tries. It decreases to 0 at half of all tries: a
// defect that persists, such as a single colour or wild values, is mostly common to all draws of these
// programs.
func (p Patience) enough(tried int) float64 { return 1 - float64(tried)/float64(p/2) }

// Random generates a draw for a pair from a seed, and returns the interpreter's picture of it. It stops at
// the first draw with a full score, accepts less of a Meaningful one as it continues, and otherwise returns
// the best. The error is for pairs that cannot be drawn at all.
func Random(vs, ps *d3d9.Program, seed uint64) (*interp.Case, Picture, error) {
	return RandomWithin(vs, ps, seed, Much, nil)
}

// RandomWithin generates a draw with limited tries and a budget. The search ends with the budget. The rest
// of the budget suffices to execute the result many times.
func RandomWithin(vs, ps *d3d9.Program, seed uint64, tries Patience, b *budget.Budget) (*interp.Case, Picture, error) {
	v, err := interp.Compile(vs)
	if err != nil {
		return nil, Picture{}, err
	}
	p, err := interp.Compile(ps)
	if err != nil {
		return nil, Picture{}, err
	}
	d, err := Compiled(v, p, vs, ps, nil, seed, tries, b)
	return d.Case, d.picture, err
}

// Drawn is a draw and the interpreter's result.
type Drawn struct {
	Case    *interp.Case
	Image   *interp.Image
	picture Picture
}

// Compiled runs RandomWithin for compiled programs: v is vs and p is ps; h may be nil.
func Compiled(v, p *interp.Shader, vs, ps *d3d9.Program, h *Host, seed uint64, tries Patience,
	b *budget.Budget) (Drawn, error) {
	s := search{
		source:    source{Rand: rand.New(rand.NewPCG(seed, 0))},
		vs:        v,
		ps:        p,
		plain:     len(p.Inputs()) == 0,
		scale:     tries.scale(),
		host:      h,
		forVertex: h.profile(d3d9.Vertex, profileOf(vs)),
		forPixel:  h.profile(d3d9.Pixel, profileOf(ps)),
	}
	s.rows, s.framed = positionRows(vs)
	s.framed = s.framed && s.forVertex.settable(s.rows)
	var best candidate
	most := b.StepsLeft() / affordable
	for i := 0; i < int(tries) || i < int(Much) && best.drawn && best.picture.Covered == 0; i++ {
		left := b.StepsLeft()
		// A try may spend half of the remaining budget.
		s.budget = b.SubBudget(left/2, budget.Unlimited)
		c := s.generateCandidate(i, &best)
		// The draw is too expensive: start again with a smaller target. The try counts.
		if left-b.StepsLeft() > most && s.scale < smallest {
			s.scale *= 2
			best = candidate{}
			continue
		}
		// An equal score is accepted: newer values move the search on.
		if c.score >= best.score {
			best = c
		}
		if best.score >= 1 || best.picture.Meaningful() && best.score >= tries.enough(i) || b.Err() != nil {
			break
		}
		if i+1 == hopeless && best.score == 0 {
			break
		}
	}
	switch {
	case best.drawn:
		return Drawn{best.Case, best.image, best.picture}, nil
	case best.err != nil:
		return Drawn{}, best.err
	}
	return Drawn{}, asm.Errorf(asm.Pos{}, "no-draw", "none of %d random draws puts triangles on the screen", tries)
}

// search is the shared state of the tries of one Random.
type search struct {
	source
	vs, ps              *interp.Shader
	host                *Host // or nil
	forVertex, forPixel *profile
	rows                [4]int // registers of the matrix for frame, if framed
	framed              bool
	plain               bool           // the pixel program reads no inputs
	scale               int            // divisor of the target's size
	budget              *budget.Budget // of the next try
}

// candidate is the result of a try. Its score is below 0.1 if nothing could be drawn, and grows with the
// spanned area; candidates that draw score more.
type candidate struct {
	*interp.Case
	score   float64
	drawn   bool // the draw was executed and gave image and picture
	image   *interp.Image
	picture Picture
	err     error
}

// generateCandidate generates candidate i. The first ones, and every fourth, are completely new. The others change a
// tenth to three tenths of the values of the best one so far.
func (s *search) generateCandidate(i int, best *candidate) candidate {
	s.style = styles[i%len(styles)]
	c := candidate{Case: &interp.Case{Width: width / s.scale, Height: height / s.scale,
		Clear: [4]float32{0.125, 0.25, 0.5, 1}}}
	s.change = 1
	if best.Case != nil && i >= len(styles) && i%4 != 0 {
		*c.Case = clone(best.Case)
		s.change = 0.3 / float64(1+i%3)
	}
	s.constants(&c.Vertex, s.forVertex)
	s.constants(&c.Pixel, s.forPixel)
	s.textures(&c.VertexTex, s.forVertex)
	s.textures(&c.PixelTex, s.forPixel)
	if c.err = s.host.computeConstants(c.Case); c.err != nil {
		return c
	}

	var corner [4]int
	var area float64
	if corner, area, c.err = s.corners(&c); c.err != nil {
		return c
	}
	if area < minArea {
		c.score = 0.01 * area
		return c
	}
	c.Prim, c.Attrs = s.buildMesh(&s.cloud, corner)
	if c.image, c.err = interp.DrawWithin(s.vs, s.ps, c.Case, interp.Numerics{}, s.budget); c.err != nil {
		return c
	}
	c.drawn, c.picture = true, Judge(c.image)
	c.score = 0.1 + 0.9*c.picture.score(s.plain)
	return c
}
