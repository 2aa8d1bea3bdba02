package wine

import (
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// expectation holds the interpreter's picture of a draw, and the inputs to draw it again with perturbations.
type expectation struct {
	programs Programs
	draw     *interp.Case // including the offset
	image    *interp.Image
	pixels   []float32 // image in the layout of Result.Pixels
}

// expect executes a draw in the interpreter. Targets that the program does not write are zero in pixels.
func expect(p Programs, c *interp.Case) (*expectation, error) {
	image, err := p.interpret(c)
	if err != nil {
		return nil, err
	}
	e := &expectation{programs: p, draw: c, image: image}
	for _, target := range e.image.Targets[:e.targets()] {
		if target == nil {
			target = make([]float32, 4*c.Width*c.Height)
		}
		e.pixels = append(e.pixels, target...)
	}
	return e, nil
}

// targets returns the number of render targets of the draw.
func (e *expectation) targets() int {
	n := 1
	for t, target := range e.image.Targets {
		if target != nil {
			n = t + 1
		}
	}
	return n
}

// interpret runs a pair through the interpreter.
func (p Programs) interpret(c *interp.Case) (*interp.Image, error) {
	vs, err := interp.Compile(p.Vertex)
	if err != nil {
		return nil, err
	}
	ps, err := interp.Compile(p.Pixel)
	if err != nil {
		return nil, err
	}
	return interp.Draw(vs, ps, c, interp.Numerics{})
}

// perturbed draws the case as another implementation might: with the programs loosened, and the pixel centres
// moved by up to 3e-5 pixels. k seeds the perturbation.
func (e *expectation) perturbed(k int) (*interp.Image, error) {
	r := rand.New(rand.NewPCG(uint64(k), 0))
	loose := Programs{loosen(e.programs.Vertex, r), loosen(e.programs.Pixel, r)}
	c := *e.draw
	for i := range c.Offset {
		c.Offset[i] += (2*r.Float32() - 1) * 3e-5
	}
	return loose.interpret(&c)
}
