package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// TestWaveEvals checks that a wavefront computes the same as its threads one by one.
func TestWaveEvals(t *testing.T) {
	var words []uint32
	for _, f := range []float32{0, 1, -1, 0.5, -2.5, 1e-40, 1e30, -1e30, 3e9, -3e9, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN())} {
		words = append(words, floatWord(f))
	}
	words = append(words, 1<<31, 1, 2, 31, 32, 63, math.MaxInt32, math.MaxUint32, 0x12345678)
	random := rand.New(rand.NewPCG(1, 2))
	evals, waveEvals := evals(), waveEvals()
	for op := range r600.Op(r600.Ops) {
		if (evals[op] == nil) != (waveEvals[op] == nil) {
			t.Errorf("%v is evaluated by one way only", op)
			continue
		}
		if evals[op] == nil {
			continue
		}
		var to, a, b, c lanes
		special := len(words) * len(words) * len(words)
		for k := 0; k < 2*special; k += len(to) {
			for i := range to {
				n := k + i
				a[i], b[i], c[i] = words[n%len(words)], words[n/len(words)%len(words)], words[n/len(words)/len(words)%len(words)]
				if n > special {
					a[i], b[i], c[i] = random.Uint32(), random.Uint32()>>random.IntN(32), random.Uint32()
				}
				if n%2 == 0 {
					a[i], b[i] = b[i], a[i]
				}
			}
			waveEvals[op](&to, &a, &b, &c)
			for i, got := range to {
				want := evals[op](a[i], b[i], c[i])
				if got != want && !(float(got) != float(got) && float(want) != float(want)) {
					t.Fatalf("%v of %#x, %#x, %#x is %#x for a wavefront, not %#x", op, a[i], b[i], c[i], got, want)
				}
			}
		}
	}
}

// TestSigns checks that modifiers take the absolute value first, then the negative, for numbers and
// NaNs.
func TestSigns(t *testing.T) {
	tr := &Tracer{}
	for _, c := range []struct {
		src        r600.Src
		minus, two uint32 // results for -1 and 2
	}{
		{r600.Src{Neg: true}, floatWord(1), floatWord(-2)},
		{r600.Src{Abs: true}, floatWord(1), floatWord(2)},
		{r600.Src{Neg: true, Abs: true}, floatWord(-1), floatWord(-2)},
	} {
		sign, masks := tr.signOperation(&c.src)
		from, to := lanes{floatWord(-1), floatWord(2), 0xffc00001}, lanes{}
		waveEvals()[sign](&to, &from, &tr.consts[masks], &from)
		nan := to[2]&^signBit == 0x7fc00001 && to[2]>>31 == c.minus>>31
		if to[0] != c.minus || to[1] != c.two || !nan {
			t.Errorf("negated %v, absolute %v: %#x", c.src.Neg, c.src.Abs, to[:3])
		}
	}
	if sign, _ := tr.signOperation(&r600.Src{}); sign != r600.OpNone {
		t.Error("a source without modifiers has some")
	}
}

// TestReductions checks that DOT4 adds products and that MAX4 takes the largest first operand.
func TestReductions(t *testing.T) {
	for op, want := range map[r600.Op]float32{r600.OpDot4: 2*3 - 5*4 + 1.5*2, r600.OpMax4: 2} {
		got := runGroups(t, hwGroup(hwOp(op, 0, 0, hwFloat(2), hwFloat(3)), hwOp(op, -1, 1, hwFloat(-5), hwFloat(4)),
			hwOp(op, -1, 2, hwFloat(1.5), hwFloat(2))))
		if got[gpr(0, 0)] != want {
			t.Errorf("%v is %v, not %v", op, got[gpr(0, 0)], want)
		}
	}
}

// TestGroups checks that all slots of a group read before any writes. Registers are swapped, and
// the next group reads the computed values of the slots, with modifiers of operands and results
// applied.
func TestGroups(t *testing.T) {
	doubled := hwOp(r600.OpAdd, 1, 1, hwPV(1), hwFloat(0.5))
	doubled.OMod = r600.OModMul2
	minus := hwPV(0)
	minus.Neg = true
	got := runGroups(t,
		hwGroup(hwOp(r600.OpMov, 0, 0, hwFloat(1)), hwOp(r600.OpMov, 0, 1, hwFloat(2))),
		hwGroup(hwOp(r600.OpMov, 0, 0, hwReg(0, 1)), hwOp(r600.OpMov, 0, 1, hwReg(0, 0))),
		hwGroup(hwOp(r600.OpAdd, 0, 0, minus, hwFloat(10)), doubled),
		hwGroup(hwOp(r600.OpAdd, 1, 0, hwPV(0), hwPV(1))))
	for l, want := range map[loc]float32{gpr(0, 0): 8, gpr(0, 1): 1, gpr(1, 1): 3, gpr(1, 0): 11} {
		if got[l] != want {
			t.Errorf("%d holds %v, not %v", l, got[l], want)
		}
	}
}

// runGroups returns the registers of the first thread after a clause.
func runGroups(t *testing.T, groups ...r600.Group) map[loc]float32 {
	t.Helper()
	tr := &Tracer{cellOf: make([]int32, gpr(4, 0)), l: &Launch{}}
	g := groupCompiler{tr: tr, evals: waveEvals()}
	for i := range groups {
		g.compile(&groups[i], 1<<r600.NumSlots-1)
	}
	w := &waveTrace{tr: tr, cells: make([]lanes, tr.cells), taint: make([]taint, tr.cells), exec: ^uint64(0)}
	w.evaluate(&r600.CF{Op: r600.CFALU}, &clauseTrace{ops: g.ops})
	got := map[loc]float32{}
	for l, c := range tr.cellOf {
		if c > 0 {
			got[loc(l)] = float(w.cells[c-1][0])
		}
	}
	return got
}
