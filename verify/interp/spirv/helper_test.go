package spirv

import (
	"os"
	"testing"
)

// load compiles a module of testdata.
func load(t testing.TB, name string, spec map[uint32]uint32) *Program {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(data, "", spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runs executes a batch that must succeed.
func runs(t testing.TB, p *Program, env *Env, b *Batch) *Result {
	t.Helper()
	r, err := p.Run(env, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// output returns a component of the result by name.
func output(t testing.TB, p *Program, r *Result, name string) Vec {
	t.Helper()
	for i, c := range p.Outputs() {
		if c.String() == name {
			return r.Out[i]
		}
	}
	t.Fatalf("no output %s in %v", name, p.Outputs())
	return Vec{}
}

// batch returns a batch whose inputs are a function of the component and the lane.
func batch(p *Program, n int, f func(c Component, lane int) uint32) *Batch {
	b := &Batch{N: n, In: make([]Vec, len(p.Inputs()))}
	for i, c := range p.Inputs() {
		for l := range n {
			b.In[i][l] = f(c, l)
		}
	}
	return b
}

// random returns pseudo-random floats from -2 to 2, or small integers.
func random(seed uint32, kind Kind) uint32 {
	seed = (seed ^ seed>>16) * 0x7feb352d
	seed = (seed ^ seed>>15) * 0x846ca68b
	seed ^= seed >> 16
	switch kind {
	case Float:
		return word(float32(seed>>8)/(1<<22) - 2)
	case Bool:
		return seed & 1
	}
	return seed % 4
}

func randomBatch(p *Program, seed uint32) *Batch {
	at := seed << 12
	return batch(p, Lanes, func(c Component, lane int) uint32 {
		at++
		return random(at, c.Kind)
	})
}

// testEnv returns an environment with random floats, and small images.
func testEnv() *Env {
	return &Env{
		Word: func(r Resource, offset uint32) uint32 { return random(offset+r.Binding*1000, Float) },
		Image: func(r Resource) *Image {
			return &Image{Width: 4, Height: 4, Depth: 6, Levels: 3, Samples: 4, Texel: func(x, y, z, level, sample int) (t [4]uint32) {
				for k := range t {
					t[k] = random(uint32(x+10*y+100*z+1000*level+10000*sample+100000*k), Float)
				}
				return t
			}}
		},
	}
}
