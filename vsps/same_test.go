package vsps_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// points is the number of invocations in a comparison.
const points = 2 * interp.Lanes

// component is the location of an input or output value.
type component struct {
	reg  d3d9.Reg
	comp int
}

// environment holds the inputs of a program, which are the same for all programs with one seed.
type environment struct {
	seed uint64
	tame bool // no special values
	env  interp.Env
}

func (e *environment) number(r *rand.Rand) float32 {
	if r.IntN(4) == 0 && !e.tame {
		return math.Float32frombits(interp.SpecialWords[r.IntN(len(interp.SpecialWords))])
	}
	return float32(r.NormFloat64() * 2)
}

func newEnvironment(seed uint64) *environment { return (&environment{seed: seed}).fill() }

// tameEnvironment returns an environment with values that do not amplify rounding.
func tameEnvironment(seed uint64) *environment {
	return (&environment{seed: seed, tame: true}).fill()
}

func (e *environment) fill() *environment {
	seed := e.seed
	r := rand.New(rand.NewPCG(seed, 77))
	c := &interp.Constants{}
	for i := range 40 {
		var v [4]float32
		for k := range v {
			v[k] = e.number(r)
		}
		c.SetFloat(i, v)
	}
	for i := range c.Int {
		c.Int[i] = [4]int32{int32(r.IntN(4)), int32(r.IntN(3)), int32(r.IntN(3))}
		c.Bool[i] = r.IntN(2) == 0
	}
	e.env.Constants = c
	return e
}

// run executes p. The inputs depend only on the seed and the register.
func (e *environment) run(p *d3d9.Program) (out map[component][]float32, killed []bool, err error) {
	s, err := interp.Compile(p)
	if err != nil {
		return nil, nil, err
	}
	in := make([]interp.Words, len(s.Inputs()))
	for i, port := range s.Inputs() {
		for c := range 4 {
			r := rand.New(rand.NewPCG(e.seed, uint64(port.Reg.File)<<32|uint64(port.Reg.Index)<<8|uint64(c)))
			w := make([]float32, points)
			for k := range w {
				w[k] = e.number(r)
			}
			in[i][c] = w
		}
	}
	return e.runWith(p, s, in)
}

// runWith executes p, compiled to s, on given inputs.
func (e *environment) runWith(p *d3d9.Program, s *interp.Shader, in []interp.Words) (out map[component][]float32,
	killed []bool, err error) {
	env := e.env
	set := &interp.TextureSet{}
	for i := range set {
		if typ, used := s.Sampler(i); used {
			d := 1
			if typ == d3d9.TexVolume {
				d = 4
			}
			set[i] = interp.NewTexture(typ, 4, 4, d, interp.Trilinear, false, nil, i)
		}
	}
	env.Textures = set
	res, err := s.Run(&env, points, in)
	if err != nil {
		return nil, nil, err
	}
	out = map[component][]float32{}
	for i, port := range s.Outputs() {
		for c := range 4 {
			if !port.Mask.Has(c) || c > 0 && oneComponent(port.Reg) {
				continue
			}
			out[component{port.Reg, c}] = res.Out[i][c]
		}
	}
	return out, res.Killed, nil
}

// oneComponent reports whether only x of the register counts, whatever the masks.
func oneComponent(r d3d9.Reg) bool {
	return r.File == d3d9.DepthOut || r.File == d3d9.RastOut && r.Index != d3d9.PosIndex
}

// sameNumber reports bitwise equality, with all NaNs equal.
func sameNumber(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// same compares the results of two programs and returns the first difference. q need not have
// outputs of p in drop.
func (e *environment) same(p, q *d3d9.Program, equal func(a, b float32) bool, drop func(d3d9.Reg) bool) error {
	want, killed, err := e.run(p)
	if err != nil {
		return err
	}
	got, killed2, err := e.run(q)
	if err != nil {
		return err
	}
	for k := range killed {
		if killed[k] != killed2[k] {
			return fmt.Errorf("fragment %d: killed is %v, not %v", k, killed2[k], killed[k])
		}
	}
	for at, w := range want {
		g, ok := got[at]
		if !ok {
			if drop != nil && drop(at.reg) {
				continue
			}
			return fmt.Errorf("%v.%c is not written", at.reg, "xyzw"[at.comp])
		}
		for k := range w {
			if !equal(w[k], g[k]) {
				return fmt.Errorf("%v.%c of invocation %d: %v, not %v", at.reg, "xyzw"[at.comp], k, g[k], w[k])
			}
		}
	}
	return nil
}
