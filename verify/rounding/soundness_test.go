package rounding

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/vsps"
	"pgregory.net/rapid"
)

// precise is an arithmetic as precise as the interpreter. Its bounds have no allowance for worse hardware,
// so the tests exercise the propagation of errors alone.
var precise = Arithmetic{Name: "precise", vertex: fp32, pixel: fp32,
	reciprocal: 1.0 / (1 << 24), exp: 1.0 / (1 << 24), log: 1.0 / (1 << 24), pow: 1.0 / (1 << 23), partial: 1.0 / (1 << 24), sine: 1.0 / (1 << 23)}

func TestMain(m *testing.M) {
	half := fp16
	fp16.unit, fp16.tiny = fp32.unit, fp32.tiny // the interpreter computes _pp in full
	defer func() { fp16 = half }()
	m.Run()
}

// waves are textures with the steepest slope that the analysis assumes.
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

// direction returns the coordinates of a cube fetch. They change twice as fast as those of a plane, since a
// face is 2 wide.
func direction(c [3]float64) [3]float64 {
	m := max(math.Abs(c[0]), math.Abs(c[1]), math.Abs(c[2]))
	if m == 0 {
		return c
	}
	return [3]float64{c[0] / m, c[1] / m, c[2] / m}
}

// places is the number of points of the box at which programs run. Point 0 holds the constants, which all
// points share.
const places = 16

// environment generates inputs and constants of a program inside a box.
type environment struct {
	prog *Program
	box  Box
	draw func(point, key uint64) float64 // 0..1
}

// interval returns the range of a leaf.
func (e *environment) interval(kind ir.Kind, r ir.Reg) interval {
	if kind == ir.Input {
		s, ok := e.prog.semantic(r)
		switch {
		case d3d9.File(r.File) == d3d9.Misc && r.Index == 0:
			return interval{0, 7, true, ruleUnit}
		case ok && d3d9.File(r.File) != d3d9.Misc:
			return e.box.input(s.usage, s.index, r.Comp)
		}
		return interval{-1, 1, false, ruleUnit}
	}
	switch d3d9.File(r.File) {
	case d3d9.ConstInt:
		lo := [4]float64{0, 0, 1, 0}[r.Comp]
		return interval{lo, lo + 3, true, ruleUnit}
	case d3d9.ConstBool:
		return interval{0, 1, true, ruleUnit}
	}
	if r.Index >= 256 {
		return interval{0, 0, true, ruleUnit}
	}
	return e.box.constant(e.prog.Source.Model.Stage, r, e.prog.table)
}

// leaf returns the number in it at a point.
func (e *environment) leaf(point uint64, kind ir.Kind, r ir.Reg) float64 {
	if kind == ir.Uniform {
		point = 0
		if bits, ok := e.prog.defs[r.Index]; ok && d3d9.File(r.File) == d3d9.Const {
			return float64(math.Float32frombits(bits[r.Comp]))
		}
	}
	i := e.interval(kind, r)
	x := i.lo + (i.hi-i.lo)*e.draw(point, number(r))
	if i.whole {
		x = math.Round(x)
	}
	return float64(float32(x))
}

// real executes the program in real arithmetic at a point.
func (e *environment) real(point uint64) *ideal {
	cubes := map[int]bool{}
	e.prog.Func.Walk(func(in *ir.Instr) { cubes[int(in.Res.Unit)] = in.Res.Dim == ir.DimCube || cubes[int(in.Res.Unit)] })
	m := &ideal{p: e.prog, vals: map[*ir.Value]float64{}}
	m.leaf = func(kind ir.Kind, r ir.Reg) float64 { return e.leaf(point, kind, r) }
	m.sample = func(s int, c [3]float64) (texel [4]float64) {
		if cubes[s] {
			c = direction(c)
		}
		for k := range texel {
			texel[k] = float64(float32(wave1(s, k, c)))
		}
		return texel
	}
	m.code(e.prog.Func.Body)
	return m
}

// lanes returns the number of interpreter invocations for a point: a quad of equal fragments for pixel
// programs.
func (e *environment) lanes() int {
	if e.prog.Source.Model.Stage == d3d9.Pixel {
		return 4
	}
	return 1
}

// run executes the program in the interpreter, at all points.
func (e *environment) run(sh *interp.Shader, n interp.Numerics) (*interp.Result, error) {
	in := make([]interp.Words, len(sh.Inputs()))
	for k, port := range sh.Inputs() {
		for c := range 4 {
			in[k][c] = make([]float32, places*e.lanes())
			for i := range in[k][c] {
				r := ir.Reg{File: ir.File(port.Reg.File), Index: port.Reg.Index, Comp: uint8(c)}
				in[k][c][i] = float32(e.leaf(uint64(i/e.lanes()+1), ir.Input, r))
			}
		}
	}
	uniform := func(f d3d9.File, i, c int) float64 {
		return e.leaf(0, ir.Uniform, ir.Reg{File: ir.File(f), Index: uint16(i), Comp: uint8(c)})
	}
	k := &interp.Constants{Float: make([][4]float32, 256)}
	for c := range 4 {
		for i := range k.Float {
			k.Float[i][c] = float32(uniform(d3d9.Const, i, c))
		}
		for i := range k.Int {
			k.Int[i][c] = int32(uniform(d3d9.ConstInt, i, c))
		}
	}
	for i := range k.Bool {
		k.Bool[i] = uniform(d3d9.ConstBool, i, 0) != 0
	}
	return sh.Run(&interp.Env{Constants: k, Textures: waves{}, Numerics: n, Steps: 1 << 20}, places*e.lanes(), in)
}

// alone returns a pair of one program without the other stage.
func alone(p *Program) *Pair {
	if p.Source.Model.Stage == d3d9.Pixel {
		return &Pair{Pixel: p}
	}
	return &Pair{Vertex: p}
}

// isNumber reports whether x is finite, the only case that bounds cover.
func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// checkBounds executes a program at points of a box and reports violations of the bounds. It returns the
// number of values that it compared.
func checkBounds(t interface{ Errorf(string, ...any) }, p *d3d9.Program, box Box,
	draw func(point, key uint64) float64, n interp.Numerics) (checked, finite int) {
	f, err := vsps.Lift(p)
	if err != nil {
		return 0, 0
	}
	e := &environment{&Program{Func: f, Source: p}, box, draw}
	o, err := New(&precise, box).overBox(alone(e.prog))
	if err != nil {
		t.Errorf("%v", err)
		return 0, 0
	}
	sh, err := interp.Compile(p)
	if err != nil {
		return 0, 0
	}
	res, err := e.run(sh, n)
	if err != nil {
		return 0, 0
	}
	for point := range places {
		m := e.real(uint64(point) + 1)
		for _, out := range o.outs {
			got, want := computed(sh, res, out.reg, point*e.lanes()), m.value(f.OutputValue(out.reg))
			if m.wild || !isNumber(got) || !isNumber(want) {
				continue
			}
			checked++
			if !math.IsInf(out.err, 1) {
				finite++
			}
			leeway := 1e-9 * (1 + math.Abs(want))
			if d := math.Abs(got - want); d > out.err+leeway || want < out.lo-leeway || want > out.hi+leeway ||
				got < out.clo-leeway || got > out.chi+leeway {
				t.Errorf("%s is %g and should be %g, off by %g: value %+v\n%s", out.name, got, want, d, out.value, d3d9.Print(p))
				return checked, finite
			}
		}
	}
	return checked, finite
}

// computed returns the interpreter's value of an output, or NaN without one.
func computed(sh *interp.Shader, res *interp.Result, r ir.Reg, i int) float64 {
	for k, port := range sh.Outputs() {
		if ir.File(port.Reg.File) == r.File && port.Reg.Index == r.Index && res.Out[k][r.Comp] != nil {
			return float64(res.Out[k][r.Comp][i])
		}
	}
	return math.NaN()
}

var numerics = [...]interp.Numerics{{}, {FuseMad: true}, {MulZero: true}, {FlushDenormals: true},
	{MulZero: true, FlushDenormals: true, FuseMad: true}}

// TestBoundsHold checks that the error of every execution is within the bounds.
func TestBoundsHold(t *testing.T) {
	checked, finite := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(gen.Models).Draw(t, "model")
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

// TestNothingRead covers infinite addresses, registers that were never written and poles, where real
// arithmetic has no defined result.
func TestNothingRead(t *testing.T) {
	for _, code := range []string{
		// The larger of a negative number and -0 is -0, whose reciprocal is -infinity.
		"def c0, 0, 0, 0, 0; max r0, -v0.x, -c0; rcp r0.x, r0.x; max oPos, r0.x, v0.x",
		"def c1, -0.25, 0, 0, 0; rsq r0.x, v0.x; mova a0.x, r0.x; mov oPos, c[a0.x + 1].x",
		"defb b2, false; if b2; mov oD0.x, v0; endif; mov oPos, v0",
	} {
		p, err := d3d9.Parse("nothing.vsh", []byte("vs_2_0\ndcl_position v0\n"+strings.ReplaceAll(code, "; ", "\n")+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		box := Box{{any: true, Lo: -1. / 64, Hi: 1. / 64}}
		if n, _ := checkBounds(t, p, box, func(point, key uint64) float64 { return 0.5 }, interp.Numerics{}); n == 0 {
			t.Errorf("%s: nothing was checked", code)
		}
	}
}

// TestApart checks that versions with different literals differ over the reals by at most the returned
// distance.
func TestApart(t *testing.T) {
	compared, apart := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(gen.Models).Draw(t, "model")
		p := gen.Programs(m, rapid.IntRange(1, 16).Draw(t, "size")).Draw(t, "program").Program
		by := rapid.SampledFrom([]float32{1. / 1024, 1. / 16, -1}).Draw(t, "change")
		salt := rapid.Uint64().Draw(t, "salt")
		q := *p
		q.Insts = slices.Clone(p.Insts)
		for i := range q.Insts {
			if in := &q.Insts[i]; in.Op == d3d9.OpDef {
				c := int(salt>>8) & 3
				in.Imm[c] = math.Float32bits(math.Float32frombits(in.Imm[c])*(1+by) + by/4)
			}
		}
		draw := func(point, key uint64) float64 {
			return float64(scramble(salt^scramble(point<<48^key))>>40) / (1 << 24)
		}
		var sides [2]*environment
		for i, r := range []*d3d9.Program{p, &q} {
			f, err := vsps.Lift(r)
			if err != nil {
				t.Fatal(err)
			}
			sides[i] = &environment{&Program{Func: f, Source: r}, nil, draw}
		}
		most, _, err := New(&precise, nil).Apart(alone(sides[0].prog), alone(sides[1].prog))
		if err != nil {
			t.Fatal(err)
		}
		for point := range uint64(places) {
			x, y := sides[0].real(point+1), sides[1].real(point+1)
			for _, out := range sides[0].prog.Func.Outs {
				v := sides[1].prog.Func.OutputValue(out.Reg)
				if v == nil {
					continue
				}
				a, b := x.value(out.V), y.value(v)
				if x.wild || y.wild || !isNumber(a) || !isNumber(b) {
					continue
				}
				compared++
				if !math.IsInf(most, 1) && a != b {
					apart++
				}
				if d := math.Abs(a - b); d > most*(1+1e-9)+1e-9*(1+math.Abs(a)) {
					t.Fatalf("%v is %g and %g, apart by %g; the bound is %g\n%s\n%s", out.Reg, a, b, d, most, d3d9.Print(p),
						d3d9.Print(&q))
				}
			}
		}
	})
	t.Logf("%d values, %d of them apart and bounded", compared, apart)
}
