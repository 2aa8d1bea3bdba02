package shaderlift_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// What explain says of an instruction holds where the program up to it is run on lines through
// the space of what is interpolated: what could be computed for a vertex, by itself or if the
// application set a constant for both, is affine on every line, and what is said not to be is
// not on some. The interpreter shares nothing with what explain looks at.
func TestExplainBrute(t *testing.T) {
	const enough = 100
	tried := map[asm.Code]int{}
	sum := 0
	for i, in := range corpusPairs(t) {
		if i%3 != 0 || sum >= enough {
			continue
		}
		res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := d3d9.Read("ps", in.Files[1].Data)
		if err != nil {
			t.Fatal(err)
		}
		taken := map[asm.Code]int{}
		for _, inst := range res.Programs[1].Instructions {
			claim, ok := claimed(inst.Why)
			if !ok || taken[inst.Why.Code] == 2 {
				continue
			}
			curved, ok := curvedOnLines(t, q, inst.Offset)
			if !ok {
				continue
			}
			taken[inst.Why.Code]++
			tried[inst.Why.Code]++
			sum++
			if curved == claim {
				t.Errorf("%s: +%#x: %s: it %s [%s], and on lines it is affine: %v", in.Name, inst.Offset, inst.Text, inst.Why.Message, inst.Why.Code, !curved)
			}
		}
	}
	t.Log(tried)
	if sum < enough && len(corpusPairs(t)) > 0 {
		t.Errorf("%d instructions were tried", sum)
	}
}

// claimed is whether a reason says that what is computed is affine; ok is false where it says
// nothing of that.
func claimed(why *shaderlift.Reason) (affine, ok bool) {
	switch why.Code {
	case "movable":
		return true, true
	case "host-constant":
		return true, why.Unlock != ""
	case "not-affine":
		return false, why.Line == 0 && why.Offset == 0
	}
	return false, false
}

// curvedOnLines runs a pixel program up to the instruction at an offset, and tells whether what
// that computes is anything but affine on some line. It is ok where nothing steers the program
// and the result is in a temporary.
func curvedOnLines(t *testing.T, q *d3d9.Program, offset int) (curved, ok bool) {
	t.Helper()
	const lines = 32
	part := *q
	part.Insts = nil
	var last *d3d9.Inst
	for k := range q.Insts {
		inst := &q.Insts[k]
		if inst.Op.Kind() == d3d9.Flow {
			return false, false
		}
		part.Insts = append(part.Insts, *inst)
		if inst.Pos.Offset == offset {
			last = inst
			break
		}
	}
	if last == nil || !last.HasDst || last.Dst.File != d3d9.Temp || q.Model.Major < 2 {
		return false, false
	}
	end, err := d3d9.Parse("end", fmt.Appendf(nil, "%s\nmov oC0, r%d\n", q.Model, last.Dst.Index))
	if err != nil {
		t.Fatal(err)
	}
	part.Insts = append(part.Insts, end.Insts[len(end.Insts)-1])
	s, err := interp.Compile(&part)
	if err != nil {
		return false, false // what is declared and not reached
	}
	random := interp.NewRandom(offset)
	number := func() float64 { return float64(random.Next()>>24)/64 - 2 } // halves and quarters of it are exact
	in := make([]interp.Words, len(s.Inputs()))
	for i := range in {
		for c := range 4 {
			for range lines {
				a, b := number(), number()
				in[i][c] = append(in[i][c], float32(a), float32(b), float32((a+b)/2), float32((3*a+b)/4))
			}
		}
	}
	var constants interp.Constants
	for reg := range 64 {
		constants.SetFloat(reg, [4]float32{float32(number()), float32(number()), float32(number()), float32(number())})
	}
	res, err := s.Run(&interp.Env{Constants: &constants}, 4*lines, in)
	if err != nil {
		t.Fatal(err)
	}
	for c, w := range res.Out[0] {
		if w == nil || !last.Dst.Mask.Has(c) {
			continue
		}
		for i := 0; i < len(w); i += 4 {
			a, b, half, quarter := float64(w[i]), float64(w[i+1]), float64(w[i+2]), float64(w[i+3])
			near := 1e-4 * (1 + math.Abs(a) + math.Abs(b))
			if math.Abs((a+b)/2-half) > near || math.Abs((3*a+b)/4-quarter) > near {
				curved = true
			}
		}
	}
	return curved, true
}
