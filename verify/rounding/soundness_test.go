package rounding

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/gen"
	"github.com/shaderlift/shaderlift/verify/gen/shadergen"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/vsps"
	"pgregory.net/rapid"
)

// precise is an arithmetic as good as the interpreter's: nothing in the bounds is there for
// hardware that does worse, so that what propagates errors is tested and not the leeway.
var precise = Arithmetic{Name: "precise", vertex: fp32, pixel: fp32,
	reciprocal: 1.0 / (1 << 24), exp: 1.0 / (1 << 24), log: 1.0 / (1 << 24), pow: 1.0 / (1 << 23), partial: 1.0 / (1 << 24), sine: 1.0 / (1 << 23)}

func TestMain(m *testing.M) {
	half := fp16
	fp16.unit, fp16.tiny = fp32.unit, fp32.tiny // the interpreter computes _pp in full
	defer func() { fp16 = half }()
	m.Run()
}

// waves are textures that are as steep as the assumptions allow.
type waves struct{}

func wave1(s, c int, at [3]float64) float64 {
	x := 0.0
	for i, u := range at {
		x += u * float64(i+1)
	}
	return 0.5 + 0.5*math.Sin(x*texelsPerAxis/8+float64(s*4+c))
}

func (waves) Sample(f *interp.Fetch) {
	for i := range interp.Lanes {
		var at [3]float64
		for k, c := range f.Coord {
			if c != nil {
				at[k] = float64(c[i])
			}
		}
		if f.Type == d3d9.TexCube {
			at = direction(at)
		}
		for c := range f.Out {
			if f.Out[c] != nil {
				f.Out[c][i] = float32(wave1(f.Sampler, c, at))
			}
		}
	}
}

// direction is where a cube is read: twice as steep as a plane, since a face is 2 wide.
func direction(c [3]float64) [3]float64 {
	m := max(math.Abs(c[0]), math.Abs(c[1]), math.Abs(c[2]))
	if m == 0 {
		return c
	}
	return [3]float64{c[0] / m, c[1] / m, c[2] / m}
}

// checkBounds executes a program at points of a box and reports what the bounds do not
// hold, with the number of values that they were held against.
func checkBounds(t interface{ Errorf(string, ...any) }, p *d3d9.Program, box Box, draw func(point, key uint64) float64, n interp.Numerics) (checked, finite int) {
	f, err := vsps.Lift(p)
	if err != nil {
		return 0, 0
	}
	prog := &Program{Func: f, Source: p}
	a := New(&precise, box)
	pair := &Pair{Vertex: prog}
	if p.Model.Stage == d3d9.Pixel {
		pair = &Pair{Pixel: prog}
	}
	o, err := a.walk(pair, 0)
	if err != nil {
		t.Errorf("%v", err)
		return 0, 0
	}
	sh, err := interp.Compile(p)
	if err != nil {
		return 0, 0
	}
	const points = 16
	leaf := func(at uint64) func(ir.Kind, ir.Reg) float64 {
		return func(kind ir.Kind, r ir.Reg) float64 {
			point := at
			i := interval{-1, 1, false, RuleUnit}
			if kind == ir.Input {
				if d3d9.File(r.File) == d3d9.Misc {
					i = interval{0, 7, true, RuleUnit}
					if r.Index == 1 {
						i = interval{-1, 1, false, RuleUnit}
					}
				} else if s, ok := prog.semantic(r); ok {
					i = box.input(s.usage, s.index, r.Comp)
				}
			} else {
				point = 0 // the same for all
				switch d3d9.File(r.File) {
				case d3d9.ConstInt:
					lo := [4]float64{0, 0, 1, 0}[r.Comp]
					i = interval{lo, lo + 3, true, RuleUnit}
				case d3d9.ConstBool:
					i = interval{0, 1, true, RuleUnit}
				default:
					if bits, ok := prog.defs[r.Index]; ok {
						return float64(math.Float32frombits(bits[r.Comp]))
					}
					if r.Index >= 256 {
						return 0
					}
					i = box.constant(p.Model.Stage, r, prog.table)
				}
			}
			x := i.lo + (i.hi-i.lo)*draw(point, number(r))
			if i.whole {
				x = math.Round(x)
			}
			return float64(float32(x))
		}
	}
	lanes := points
	if p.Model.Stage == d3d9.Pixel {
		lanes *= 4
	}
	in := make([]interp.Words, len(sh.Inputs()))
	for k, port := range sh.Inputs() {
		for c := range 4 {
			in[k][c] = make([]float32, lanes)
			for i := range in[k][c] {
				r := ir.Reg{File: ir.File(port.Reg.File), Index: port.Reg.Index, Comp: uint8(c)}
				in[k][c][i] = float32(leaf(uint64(i*points/lanes)+1)(ir.Input, r))
			}
		}
	}
	k := &interp.Constants{Float: make([][4]float32, 256)}
	for i := range k.Float {
		for c := range 4 {
			k.Float[i][c] = float32(leaf(0)(ir.Uniform, ir.Reg{File: ir.File(d3d9.Const), Index: uint16(i), Comp: uint8(c)}))
		}
	}
	for i := range k.Int {
		for c := range 4 {
			k.Int[i][c] = int32(leaf(0)(ir.Uniform, ir.Reg{File: ir.File(d3d9.ConstInt), Index: uint16(i), Comp: uint8(c)}))
		}
		k.Bool[i] = leaf(0)(ir.Uniform, ir.Reg{File: ir.File(d3d9.ConstBool), Index: uint16(i)}) != 0
	}
	res, err := sh.Run(&interp.Env{Constants: k, Textures: waves{}, Numerics: n, Steps: 1 << 20}, lanes, in)
	if err != nil {
		return 0, 0
	}
	dims := map[int]bool{}
	f.Walk(func(in *ir.Instr) { dims[int(in.Res.Unit)] = in.Res.Dim == ir.DimCube || dims[int(in.Res.Unit)] })
	for point := range points {
		m := &ideal{p: prog, leaf: leaf(uint64(point) + 1), vals: map[*ir.Value]float64{}}
		m.sample = func(s int, c [3]float64) (texel [4]float64) {
			if dims[s] {
				c = direction(c)
			}
			for k := range texel {
				texel[k] = float64(float32(wave1(s, k, c)))
			}
			return texel
		}
		if m.code(f.Body); m.wild {
			continue
		}
		for k, port := range sh.Outputs() {
			for c := range 4 {
				reg := ir.Reg{File: ir.File(port.Reg.File), Index: port.Reg.Index, Comp: uint8(c)}
				v := f.Out(reg)
				if res.Out[k][c] == nil || v == nil {
					continue
				}
				got, want := float64(res.Out[k][c][point*lanes/points]), m.value(v)
				if math.IsNaN(got) || math.IsInf(got, 0) || math.IsNaN(want) || math.IsInf(want, 0) {
					continue
				}
				for _, out := range o.outs {
					if out.reg != reg {
						continue
					}
					checked++
					leeway := 1e-9 * (1 + math.Abs(want))
					if !math.IsInf(out.err, 1) {
						finite++
					}
					if d := math.Abs(got - want); d > out.err+leeway || want < out.lo-leeway || want > out.hi+leeway || got < out.clo-leeway || got > out.chi+leeway {
						t.Errorf("%s is %g and should be %g, off by %g: value %+v\n%s", out.name, got, want, d, out.value, d3d9.Print(p))
						return checked, finite
					}
				}
			}
		}
	}
	return checked, finite
}

var numerics = [...]interp.Numerics{{}, {FuseMad: true}, {MulZero: true}, {FlushDenormals: true}, {MulZero: true, FlushDenormals: true, FuseMad: true}}

// No execution is farther from real arithmetic than the bounds say.
func TestBoundsHold(t *testing.T) {
	checked, finite := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(shadergen.Models).Draw(t, "model")
		mode := rapid.IntRange(0, len(numerics)-1).Draw(t, "numerics")
		size := rapid.IntRange(1, 24).Draw(t, "size")
		width := rapid.SampledFrom([]float64{1. / 64, 1, 16}).Draw(t, "width")
		mid := rapid.SampledFrom([]float64{0, 0, 1, -3}).Draw(t, "middle")
		salt := rapid.Uint64().Draw(t, "salt")
		p := gen.Programs(m, size).Draw(t, "program").Program
		box := Box{{any: true, Lo: mid - width, Hi: mid + width}}
		draw := func(point, key uint64) float64 {
			h := scramble(salt ^ scramble(point<<48^key))
			if h%8 == 0 {
				return float64(h>>8%3) / 2 // an edge or the middle
			}
			return float64(h>>40) / (1 << 24)
		}
		c, f := checkBounds(t, p, box, draw, numerics[mode])
		checked, finite = checked+c, finite+f
	})
	t.Logf("%d values, %d of them with a finite bound", checked, finite)
}
