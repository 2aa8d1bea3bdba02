package draws

import (
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// The target of a random draw: small, and wider than high so that exchanged axes show.
const (
	width  = 32
	height = 24
)

// A draw is executed some dozen times. One that takes more than 1/affordable of the work that may be spent
// is made smaller, down to 1/smallest of the width and the height: a few pixels of a program that is
// as long as that show more than a draw that nothing is left to execute.
const (
	affordable = 32
	smallest   = 4
)

// Patience bounds the search for a good draw: so many are tried. Little will do where a draw is to confirm
// what is proved, and shows something.
type Patience int

// How patient one may be. The search is given up where the first hopeless tries, each style twice, put
// nowhere four corners on the screen: they lie on a line or behind the viewer, whatever the
// constants. Programs that draw something show one among the first six.
const (
	Much     Patience = 64
	Little   Patience = 8
	hopeless          = 2 * len(styles)
)

// scale is by how much the target of the first draw is smaller: what is proved already is
// confirmed by fewer pixels.
func (p Patience) scale() int {
	if p <= Little {
		return 2
	}
	return 1
}

// enough is the score that is settled for after so many tries: less and less, down to nothing after half of
// them, since what is missing then is mostly what no draw of these programs has, a second colour or
// tame values everywhere.
func (p Patience) enough(tried int) float64 { return 1 - float64(tried)/float64(p/2) }

// Random makes a draw for a pair from a seed, and tells what the interpreter shows
// for it. It stops at the first draw that is good in every respect, settles for less of a
// Meaningful one as it goes on, and otherwise returns the best it met. The error is for
// pairs that cannot be drawn at all.
func Random(vs, ps *d3d9.Program, seed uint64) (*interp.Case, Picture, error) {
	return RandomWithin(vs, ps, seed, Much, nil)
}

// RandomWithin is Random with so much patience, at the expense of a budget: the search ends
// with it, and what it finds can be drawn many times with what is left.
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
	return d.Case, d.Picture, err
}

// Drawn is a draw and what the interpreter shows for it.
type Drawn struct {
	Case    *interp.Case
	Image   *interp.Image
	Picture Picture
}

// Compiled is RandomWithin for programs that are compiled: v is vs and p is ps; h may be nil.
func Compiled(v, p *interp.Shader, vs, ps *d3d9.Program, h *Host, seed uint64, tries Patience, b *budget.Budget) (Drawn, error) {
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
	most := b.Left() / affordable
	for i := 0; i < int(tries) || i < int(Much) && best.drawn && best.picture.Covered == 0; i++ {
		left := b.Left()
		// A try may spend half of what is left.
		s.budget = b.Part(left/2, budget.Unlimited)
		c := s.try(i, &best)
		// Too expensive: begin again, smaller. The try counts.
		if left-b.Left() > most && s.scale < smallest {
			s.scale *= 2
			best = candidate{}
			continue
		}
		// Equal is better: newer values move the search on.
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
	return Drawn{}, asm.Errorf(asm.Pos{}, "no-draw", "of %d random draws none put triangles on the screen", tries)
}

// search is what the tries of one Random share.
type search struct {
	source
	vs, ps              *interp.Shader
	host                *Host // or nil
	forVertex, forPixel *profile
	rows                [4]int // registers of the matrix that frame works on, if framed
	framed              bool
	plain               bool           // the pixel program reads no inputs
	scale               int            // by which the target is smaller
	budget              *budget.Budget // of the next try
}

// candidate is the outcome of a try. Its score is below 0.1 where nothing could be drawn, and grows
// with the area that was spanned; those that draw score more.
type candidate struct {
	*interp.Case
	score   float64
	drawn   bool // the draw was executed; image and picture are of it
	image   *interp.Image
	picture Picture
	err     error
}

// try makes candidate i. The first ones, and each fourth, are new throughout; the others change some values
// of the best so far, a tenth to three tenths of them.
func (s *search) try(i int, best *candidate) candidate {
	s.style = styles[i%len(styles)]
	c := candidate{Case: &interp.Case{Width: width / s.scale, Height: height / s.scale, Clear: [4]float32{0.125, 0.25, 0.5, 1}}}
	s.change = 1
	if best.Case != nil && i >= len(styles) && i%4 != 0 {
		*c.Case = clone(best.Case)
		s.change = 0.3 / float64(1+i%3)
	}
	s.constants(&c.Vertex, s.forVertex)
	s.constants(&c.Pixel, s.forPixel)
	s.textures(&c.VertexTex, s.forVertex)
	s.textures(&c.PixelTex, s.forPixel)
	if c.err = s.host.set(c.Case); c.err != nil {
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
	c.Prim, c.Attrs = s.mesh(&s.cloud, corner)
	if c.image, c.err = interp.DrawWithin(s.vs, s.ps, c.Case, interp.Numerics{}, s.budget); c.err != nil {
		return c
	}
	c.drawn, c.picture = true, Judge(c.image)
	c.score = 0.1 + 0.9*c.picture.score(s.plain)
	return c
}
