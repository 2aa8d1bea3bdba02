package spvs_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	interp "github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// scatter returns a pseudo-random float from -2 to 2, or a small integer.
func scatter(seed uint32, kind interp.Kind) uint32 {
	seed = (seed ^ seed>>16) * 0x7feb352d
	seed = (seed ^ seed>>15) * 0x846ca68b
	seed ^= seed >> 16
	switch kind {
	case interp.Float:
		return math.Float32bits(float32(seed>>8)/(1<<22) - 2)
	case interp.Bool:
		return seed & 1
	}
	return seed % 4
}

// randomEnv returns buffers and images with random floats.
func randomEnv(fill uint64) *interp.Env {
	return &interp.Env{
		Fill: fill,
		Word: func(r interp.Resource, offset uint32) uint32 { return scatter(offset+r.Binding*1000, interp.Float) },
		Image: func(r interp.Resource) *interp.Image {
			return &interp.Image{Width: 4, Height: 4, Depth: 6, Levels: 3, Samples: 4,
				Texel: func(x, y, z, level, sample int) (t [4]uint32) {
					for k := range t {
						t[k] = scatter(uint32(x+10*y+100*z+1000*level+10000*sample+100000*k)+r.Binding, interp.Float)
					}
					return t
				}}
		},
	}
}

// execute runs a module over random inputs. It returns the outputs by name and lane, and the stores.
func execute(t *testing.T, m *spirv.Module, seed uint32, fill uint64) (out map[string]interp.Vec, r *interp.Result) {
	t.Helper()
	p, err := interp.Compile(m.Encode(), "", nil)
	if err != nil {
		return nil, nil
	}
	b := &interp.Batch{N: interp.Lanes, In: make([]interp.Vec, len(p.Inputs()))}
	for i, c := range p.Inputs() {
		at := seed
		for _, x := range c.String() {
			at = at*31 + uint32(x)
		}
		for lane := range b.N {
			b.In[i][lane] = scatter(at*64+uint32(lane), c.Kind)
		}
	}
	if r, err = p.Run(randomEnv(fill), b); err != nil {
		t.Fatal(err)
	}
	out = map[string]interp.Vec{}
	for i, c := range p.Outputs() {
		out[fmt.Sprint(c, " ", c.Index)] = r.Out[i]
	}
	return out, r
}

// fillings is the number of further executions that find undefined results.
const fillings = 6

// difference runs two modules on the same inputs. It returns a difference that undefined values do not explain, or "".
func difference(t *testing.T, before, after *spirv.Module) string {
	t.Helper()
	for seed := range uint32(3) {
		a, ra := execute(t, before, seed, 0)
		if a == nil || ra.Unfinished != 0 {
			return ""
		}
		b, rb := execute(t, after, seed, 0)
		if b == nil {
			return "the emitted module does not compile"
		}
		// A result that undefined values change is undefined.
		undefined, stores := map[string]uint64{}, true
		lost := ra.Killed | ra.Undefined
		for fill := range uint64(fillings) {
			a2, ra2 := execute(t, before, seed, fill+1)
			for name, v := range a {
				for lane := range interp.Lanes {
					if v[lane] != a2[name][lane] {
						undefined[name] |= 1 << lane
					}
				}
			}
			lost |= ra2.Killed | ra2.Undefined
			stores = stores && slices.Equal(ra.Stores, ra2.Stores)
		}
		if lost == ra.Killed && ra.Killed != rb.Killed {
			return "discarded invocations differ"
		}
		for name, v := range a {
			w, known := b[name]
			for lane := range interp.Lanes {
				if (lost|undefined[name])>>lane&1 != 0 || isNaN(v[lane]) && isNaN(w[lane]) {
					continue
				}
				if !known || v[lane] != w[lane] {
					return fmt.Sprintf("%s of lane %d is %g instead of %g", name, lane, math.Float32frombits(w[lane]),
						math.Float32frombits(v[lane]))
				}
			}
		}
		if stores && !slices.Equal(ra.Stores, rb.Stores) {
			return "stores differ"
		}
	}
	return ""
}

func isNaN(bits uint32) bool { return bits&0x7f800000 == 0x7f800000 && bits&0x7fffff != 0 }
