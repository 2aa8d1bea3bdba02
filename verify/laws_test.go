package verify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/vsps"
)

// around returns a program that writes the result of one side of a law. bound restricts the operands to those
// of the law; a proof without it covers all operands.
func around(l *law, bound bool, side string) string {
	return l.Program(side, LawContext{Bound: bound})
}

func lawPair(t testing.TB, l *law, src string) Pair {
	p := parse(t, src)
	if strings.HasPrefix(l.Model, "vs") {
		return Pair{Vertex: p}
	}
	return Pair{Pixel: p}
}

// TestLaws proves every law both ways over the reals, and checks it in the interpreter. Its near neighbours
// are not proved, and differ there. One side of a law may round much more than the other: the verdict is then
// unknown, and the report is Unstable.
func TestLaws(t *testing.T) {
	for i := range LawTable {
		l := &LawTable[i]
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			left := lawPair(t, l, around(l, false, l.Left))
			right := lawPair(t, l, around(l, false, l.Right))
			for _, p := range [][2]Pair{{left, right}, {right, left}} {
				if rep := Check(p[0], p[1], Options{Numerics: Real}); !rep.Unstable && rep.Verdict != Proved &&
					rep.Verdict != ProvedReal {
					t.Errorf("%v: %s", rep.Verdict, rep.Why)
				}
			}
			bound := lawPair(t, l, around(l, true, l.Left))
			if x := differs(t, bound, lawPair(t, l, around(l, true, l.Right))); x != "" {
				t.Errorf("does not hold: %s", x)
			}
			for _, src := range l.Wrong {
				if x := differs(t, bound, lawPair(t, l, around(l, true, src))); x == "" {
					t.Errorf("%s is not wrong", src)
				}
				for _, at := range [2]bool{false, true} {
					left, wrong := lawPair(t, l, around(l, at, l.Left)), lawPair(t, l, around(l, at, src))
					if (at || long) && fieldOf(t, left, wrong).Outcome == proof.Equal ||
						(!at || long) && fieldOf(t, wrong, left).Outcome == proof.Equal {
						t.Errorf("%s: proved", src)
					}
				}
			}
		})
	}
}

// fieldOf returns the result of the field proof.
func fieldOf(t testing.TB, before, after Pair) proof.Report {
	return fieldWithin(t, before, after, nil)
}

// fieldWithin returns the result of the field proof if the proof over the reals is limited by a budget.
func fieldWithin(t testing.TB, before, after Pair, work *budget.Budget) proof.Report {
	c := &checker{comparison: comparison{Options: Options{Numerics: Real}}, before: before, after: after}
	if err := c.compareInterfaces(); err != nil {
		t.Fatal(err)
	}
	if err := c.liftPrograms(); err != nil {
		t.Fatal(err)
	}
	plain := proof.Field(c.sides[0], c.sides[1], proof.Search{Seed: 1, Keys: 2})
	if plain.Outcome == proof.Equal {
		return plain
	}
	for _, o := range c.sides {
		o.Work = work
	}
	return proof.Reals(c.sides[0], c.sides[1], plain, proof.Search{Seed: 1, Keys: 2})
}

// TestLawsOfOps checks that the laws hold in the arithmetic of the op table, on numbers of all sizes in their
// domain.
func TestLawsOfOps(t *testing.T) {
	numbers := []float32{0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 4, 0.25, -0.25, 0.75, 1.5, -1.5, 3.25}
	count := much.Count(250, 2000)
	for i := range LawTable {
		l := &LawTable[i]
		r := symbolic.Stream(uint64(i))
		left, lok := liftLaw(t, l, l.Left)
		right, rok := liftLaw(t, l, l.Right)
		if !lok || !rok {
			continue
		}
		for n := range count {
			in := map[uint16][4]float32{}
			for v := uint16(1); v <= 3; v++ {
				var x [4]float32
				for c := range x {
					if x[c] = numbers[pick(&r, len(numbers))]; n%3 == 2 {
						x[c] = 8*r.Float() - 4
					}
				}
				in[v] = x
			}
			a, scale := evalLaw(left, in)
			b, scale2 := evalLaw(right, in)
			for c := range a {
				if math.IsNaN(float64(a[c])) && math.IsNaN(float64(b[c])) || a[c] == b[c] {
					continue
				}
				if d := math.Abs(float64(a[c]) - float64(b[c])); l.Bits || !(d <= 1e-4*max(scale, scale2)) {
					t.Errorf("%s: %v and %v for %v", l.Name, a, b, in)
					break
				}
			}
		}
	}
}

// liftLaw lifts a side, if it is straight-line code of ops with formulas.
func liftLaw(t *testing.T, l *law, side string) (*ir.Func, bool) {
	f, err := vsps.Lift(parse(t, around(l, true, side)))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range f.Body.Code {
		if !in.Op.HasFormula() || in.Op.Has(ir.Convergent) {
			return nil, false
		}
	}
	return f, true
}

// evalLaw computes the last output, and the largest intermediate number.
func evalLaw(f *ir.Func, in map[uint16][4]float32) (out [4]float32, scale float64) {
	vals := map[*ir.Value]uint32{}
	value := func(l ir.Lane) uint32 {
		bits, ok := vals[l.V]
		switch {
		case ok:
		case l.V.Kind == ir.Literal:
			bits = l.V.Bits
		case l.V.Kind == ir.Input:
			bits = math.Float32bits(in[l.V.Home.Index][l.V.Home.Comp])
		case l.V.Kind == ir.Uniform:
			bits = math.Float32bits(float32(l.V.Home.Index)*0.5 + float32(l.V.Home.Comp) - 1)
		}
		if l.Mod&ir.Abs != 0 {
			bits &^= symbolic.SignBit
		}
		if l.Mod&ir.Neg != 0 {
			bits ^= symbolic.SignBit
		}
		return bits
	}
	for _, ins := range f.Body.Code {
		for lane, v := range ins.Out {
			if v == nil {
				continue
			}
			w := &opFloats{}
			x := ir.Eval(w, ins.Op, lane, func(s, lane int) uint32 { return value(ins.Src[s][lane]) })
			if ins.Mods&ir.Sat != 0 {
				x = w.Call(ir.PrimSat, []uint32{x})
			}
			vals[v] = x
			scale = max(scale, math.Abs(float64(math.Float32frombits(x))))
		}
	}
	for _, o := range f.Outs {
		if d3d9.File(o.Reg.File) != d3d9.RastOut && (o.Reg.File != ir.File(d3d9.Output) || o.Reg.Index == 1) {
			out[o.Reg.Comp] = math.Float32frombits(value(ir.Lane{V: o.V}))
		}
	}
	return out, scale
}

// opFloats extends ir.Words by the primitives that it leaves to the hardware.
type opFloats struct{ ir.Words }

func (w *opFloats) Call(p ir.Prim, args []uint32) uint32 {
	if p == ir.PrimLitSpec {
		f := func(i int) float64 { return float64(math.Float32frombits(args[i])) }
		if f(0) > 0 && f(1) > 0 {
			return math.Float32bits(float32(math.Pow(f(1), max(-127-255.0/256, min(f(2), 127+255.0/256)))))
		}
		return 0
	}
	return w.Words.Call(p, args)
}

// differs executes two programs on many inputs, and describes a difference that the real
// numbers cannot explain.
func differs(t *testing.T, before, after Pair) string {
	c := &checker{comparison: comparison{Options: Options{Numerics: Real, Effort: Full, Seed: 99}}, before: before, after: after}
	c.terms.why = "not proved"
	sides, err := c.compile(before, after)
	if err != nil {
		t.Fatal(err)
	}
	trials := c.trials()
	for k, tr := range trials {
		b, err := tr.Execute(sides[0], interp.Numerics{}, 0)
		if err != nil {
			continue
		}
		a, err := tr.Execute(sides[1], interp.Numerics{}, 0)
		if err != nil {
			return err.Error()
		}
		if x := trial.Compare(b, a, besideOne); (x.Differing > 0 || x.Shape != "") &&
			c.confirmed(tr, interp.Numerics{}, uint64(k)) {
			return fmt.Sprintf("%s%s: %v, was %v at %d of %d points", x.Shape, x.First.Output, x.First.After, x.First.Before,
				x.Differing, x.Points)
		}
	}
	return ""
}

// besideOne accepts values that are close, or whose distance is small relative to 1: laws are tried on
// numbers of that size, and may cancel.
func besideOne(c *trial.Channel, b, a uint32) bool {
	return trial.CloseBy(c, b, a) || math.Abs(symbolic.Double(b)-symbolic.Double(a)) <= trial.Tolerance
}
