package interp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// with runs f with each set of kernels that this processor supports, and then without kernels.
func with(t *testing.T, f func(lanes.Set)) {
	best := kernels
	defer func() { kernels = best }()
	sets := lanes.Sets()
	if len(sets) == 0 {
		t.Skip("this processor has neither AVX2 nor AVX-512, which the kernels in assembly take")
	}
	for _, s := range append(sets, lanes.None) {
		kernels = s
		f(s)
	}
}

// allNumerics returns the numerics that have kernel programs.
func allNumerics() (list []Numerics) {
	for v := range 8 {
		list = append(list, Numerics{MulZero: v&1 != 0, FuseMad: v&2 != 0, FlushDenormals: v&4 != 0})
	}
	return list
}

// bench returns a machine for one operation on a destination and eight sources. The sources in the bit mask
// scalars are constants.
func bench(u uop, scalars int, saturate bool, n Numerics) *machine {
	const sources = scratchSlots
	s := &Shader{slots: sources + 8}
	c := &compiler{Shader: s}
	for k := range u.src[:operands[u.code]] {
		u.src[k] = slot(sources + k)
		if scalars>>k&1 != 0 {
			s.preset = append(s.preset, fill{at: u.src[k]})
		}
	}
	ops := []uop{u}
	if saturate {
		ops = append(ops, uop{code: uSat})
	}
	s.main = []stmt{{kind: sExec, direct: list{ops: ops}}}
	c.arrange()
	m := newMachine(s, &Env{Numerics: n})
	for c := range m.write {
		m.write[c] = 0x9669_f00f_3333_8001 << c
	}
	return m
}

// TestKernels compares every kernel with the loop in Go: first on all combinations of special values, then
// on random ones.
func TestKernels(t *testing.T) {
	results := map[string]Vec{} // of the first set
	with(t, func(set lanes.Set) {
		for code, n := range operands {
			if kernelOf[code] == lanes.Stop {
				continue
			}
			for _, num := range allNumerics() {
				for scalars := range 1 << n {
					if _, ok := lanes.ScalarForm(kernelOf[code], uint8(scalars)); !ok && scalars > 2 {
						continue // as others
					}
					kernelAgrees(t, set, ucode(code), n, scalars, false, num, results)
					if _, ok := lanes.Saturating(kernelOf[code]); ok {
						kernelAgrees(t, set, ucode(code), n, scalars, true, num, results)
					}
				}
			}
		}
	})
}

func kernelAgrees(t *testing.T, set lanes.Set, code ucode, n, scalars int, saturate bool, num Numerics,
	results map[string]Vec) {
	r := rand.New(rand.NewPCG(uint64(code), uint64(scalars)))
	rounds := 24
	if n > 3 {
		rounds = 8
	}
	if !testcorpus.Whole {
		rounds /= 4
	}
	for round := range rounds {
		m := bench(uop{code: code, comp: 1}, scalars, saturate, num)
		for k := range n {
			v := &m.r[scratchSlots+k]
			for i := range v {
				word := SpecialValue(round*Lanes+i, k)
				if round%4 == 3 {
					word = r.Uint32()
				}
				v[i] = math.Float32frombits(word)
			}
			if num.FlushDenormals {
				flushAll(v)
			}
		}
		for i, f := range m.sh.preset {
			m.scalars[i] = m.r[f.at][round%Lanes]
			m.fill(f.at, m.scalars[i])
		}
		for i := range m.r[0] {
			m.r[0][i] = float32(i)
		}
		in := m.r[scratchSlots : scratchSlots+n]
		m.runList(&m.sh.main[0].direct)
		key := fmt.Sprint(code, scalars, saturate, num, round)
		want, ok := results[key]
		if !ok {
			results[key] = m.r[0]
			want = m.r[0]
		}
		for i, got := range m.r[0] {
			if math.Float32bits(got) == math.Float32bits(want[i]) {
				continue
			}
			var at []string
			nans, infinite := 0, false
			for k := range in {
				x := in[k][i]
				at = append(at, fmt.Sprintf("%08x", math.Float32bits(x)))
				infinite = infinite || math.IsInf(float64(x), 0)
				if x != x {
					nans++
				}
			}
			// With two NaN, or one NaN and an invalid operation, the compiler may choose either NaN.
			if either := nans > 1 || nans == 1 && (infinite || n > 3); !either || !same(got, want[i]) {
				t.Errorf("operation %d, scalars %b, %+v of %v in lane %d: %08x by %v, %08x by another",
					code, scalars, num, at, i, math.Float32bits(got), set, math.Float32bits(want[i]))
				return
			}
		}
	}
}

// TestKernelsDraw draws random pairs with each set of kernels and without kernels.
func TestKernelsDraw(t *testing.T) {
	for seed := range uint64(60) {
		p := gen.NewPair(seed, 30)
		c := DefaultCase(p.Vertex.Program, p.Pixel.Program)
		for i, num := range allNumerics() {
			if i > 0 && seed%8 != 0 {
				break
			}
			var first *Image
			with(t, func(set lanes.Set) {
				img, err := Draw(mustCompile(t, p.Vertex.Program), mustCompile(t, p.Pixel.Program), c, num)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if first == nil {
					first = img
				}
				if d := imageDifference(first, img); d != "" {
					t.Errorf("seed %d, %+v, %v: %s", seed, num, set, d)
				}
			})
		}
	}
}

// imageDifference returns the first difference of two pictures; all NaN are equal.
func imageDifference(a, b *Image) string {
	for k := range a.Targets {
		for i, x := range a.Targets[k] {
			if !same(x, b.Targets[k][i]) {
				return fmt.Sprintf("oC%d differs at %d: %g, %g", k, i, x, b.Targets[k][i])
			}
		}
	}
	for i := range a.Covered {
		if a.Covered[i] != b.Covered[i] || !same(a.Depth[i], b.Depth[i]) {
			return fmt.Sprintf("pixel %d differs", i)
		}
	}
	return ""
}

// TestKernelsSample samples textures of all kinds of sizes at coordinates inside, at their edges and far
// outside.
func TestKernelsSample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {2, 1}, {4, 8}, {3, 5}, {16, 7}, {640, 3}, {1, 1000}} {
		for _, filter := range []Filter{Nearest, Linear} {
			for _, clamp := range []bool{false, true} {
				tex := NewTexture(d3d9.Tex2D, size[0], size[1], 1, filter, clamp, nil, size[0])
				for round := range 32 {
					var u, v, none Vec
					for i := range u {
						u[i], v[i] = math.Float32frombits(SpecialValue(round*Lanes+i,
							0)), math.Float32frombits(SpecialValue(round*Lanes+i, 1))
						if round%2 == 1 {
							reach := float32(int(1) << (round / 2 * 2))
							u[i], v[i] = (r.Float32()*2-1)*reach, float32(r.IntN(64)-32)/float32(2*size[1])
						}
					}
					var first [4]Vec
					with(t, func(set lanes.Set) {
						var out [4]Vec
						f := Fetch{Coord: [3]*Vec{&u, &v, &none}, Out: [4]*Vec{&out[0], &out[1], &out[2], &out[3]}}
						if tex.sample(&f); set == lanes.Sets()[0] {
							first = out
						}
						for c := range out {
							for i, x := range out[c] {
								if math.Float32bits(x) != math.Float32bits(first[c][i]) {
									t.Fatalf("%v, %v, clamp %v, at %g, %g: %g by %v, %g by another", size, filter, clamp, u[i], v[i], x, set,
										first[c][i])
								}
							}
						}
					})
				}
			}
		}
	}
}
