package shaderlift_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/kernel"
)

// everyRemark returns options that request all remarks.
func everyRemark(t *testing.T) (o shaderlift.Options) {
	t.Helper()
	o.Target = shaderlift.SlotTarget
	for _, list := range []string{"all", "gains"} {
		if err := o.ParseRemarks(list); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// TestRemarks checks that remarks change nothing else in a result. Every rewrite is reported, with a
// code of the table and its place; the gains add up to the saving of the result; and remaining
// instructions have a reason.
func TestRemarks(t *testing.T) {
	in := conv1d(t)
	plain, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	res, err := shaderlift.Optimize(t.Context(), in, everyRemark(t))
	if err != nil {
		t.Fatal(err)
	}
	var sum opt.Gain
	kinds, moved, stays := map[shaderlift.RemarkKind]int{}, 0, map[int]bool{}
	for _, m := range res.Remarks {
		kinds[m.Kind]++
		if diag.Lookup(m.Code) == nil {
			t.Errorf("code %s is not in the table", m.Code)
		}
		switch m.Kind {
		case shaderlift.Passed:
			sum.PixelSlots += m.Gain.PixelSlots
			sum.VertexSlots += m.Gain.VertexSlots
			if m.Code == "moved" {
				moved++
			}
			if m.Line == 0 || m.Text == "" || m.Stage == "" {
				t.Errorf("%+v is nowhere", m)
			}
		case shaderlift.Missed:
			if m.Code == "texture-read" && m.Stage == "pixel" {
				stays[m.Line] = true
			}
		}
	}
	if want := (opt.Gain{PixelSlots: 9, VertexSlots: -4}); sum.PixelSlots != want.PixelSlots ||
		sum.VertexSlots != want.VertexSlots {
		t.Errorf("rewrites save %+v, all together %+v", sum, want)
	}
	if moved == 0 || len(stays) != 7 || kinds[shaderlift.Analysis] == 0 {
		t.Errorf("%d moved, lines %v stay, %v", moved, stays, kinds)
	}
	for i, f := range res.Files {
		if !bytes.Equal(f.Data, plain.Files[i].Data) {
			t.Errorf("%s is another one with remarks", f.Name)
		}
	}
	res.Remarks = slices.DeleteFunc(res.Remarks,
		func(m shaderlift.Remark) bool { return m.Text != "" || m.Kind == shaderlift.Analysis })
	if res.Programs != nil || res.Rewritten != nil || len(res.Draws) > 0 || len(res.Remarks) > len(plain.Remarks) {
		t.Errorf("left over: %+v", res.Remarks)
	}
}

// TestGains checks that the gains of rewrites add up to the saving of the result in slots and temporaries for each kind of
// target, although prices differ.
func TestGains(t *testing.T) {
	for _, target := range []shaderlift.Target{"d3d9", "portable", "gcn", "gcn,d3d9"} {
		o := everyRemark(t)
		o.Target = target
		res, err := shaderlift.Optimize(t.Context(), conv1d(t), o)
		if err != nil || res.Status != shaderlift.Improved {
			t.Fatal(res.Status, err)
		}
		var sum, saved [3]int
		for _, m := range res.Remarks {
			if g := m.Gain; g != nil {
				sum = [3]int{sum[0] + g.VertexSlots, sum[1] + g.PixelSlots, sum[2] + g.Temps}
			}
		}
		for i := range res.Stages {
			a, b := res.Stages[i].Before, res.Stages[i].CurrentCost()
			saved[i], saved[2] = a.Slots-b.Slots, saved[2]+a.Temps-b.Temps
		}
		if sum != saved {
			t.Errorf("%s: rewrites save %d, all together %d", target, sum, saved)
		}
	}
}

// TestRemarksOfKinds checks that parts of effects have their own remarks, and kernels the gain of each
// rewrite.
func TestRemarksOfKinds(t *testing.T) {
	passed := func(r *shaderlift.Result) (n int) {
		for _, m := range r.Remarks {
			if m.Kind == shaderlift.Passed {
				n++
			}
		}
		return n
	}
	o := everyRemark(t)
	o.Target = kernel.DefaultTarget
	res, err := shaderlift.Optimize(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{readFile(t, "testdata/il/collatz.il")}}, o)
	if err != nil {
		t.Fatal(err)
	}
	cycles := 0
	for _, m := range res.Remarks {
		if m.Gain != nil {
			cycles += m.Gain.Cycles
		}
	}
	if passed(res) == 0 || cycles <= 0 {
		t.Errorf("%d rewrites of a kernel save %d cycles", passed(res), cycles)
	}
	o.Target, o.Report.Gains = "r600", false // a GPU without prices of draws
	res, err = shaderlift.Optimize(t.Context(), program("a.il", "il_ps_2_0\ndcl_cb cb0[1]\ndcl_output_generic o0\nmov o0, cb0[0]\nend\n"), o)
	if err != nil || res.Programs != nil || res.Rewritten != nil {
		t.Errorf("left over for %s: %v, %v, %v", o.Target, res.Programs, res.Rewritten, err)
	}
}

// TestRemarkOnUnrolling checks that the remark on a loop with an unknown number of trips has the factor.
func TestRemarkOnUnrolling(t *testing.T) {
	o := everyRemark(t)
	o.Target, o.Pipeline, o.Keep, o.Report.Gains = "", "unroll{factor=3}", true, false
	res, err := shaderlift.Optimize(t.Context(), program("loop.il", "il_ps_2_0\ndcl_output_generic o0\ndcl_cb cb0[1]\ndcl_literal l0, 1, 0, 0, 0\n"+
		"mov r1, r1.0000\nwhileloop\nige r2.x, r1.x, cb0[0].x\nbreak_logicalnz r2.x\niadd r1.x, r1.x, l0.x\nendloop\nmov o0, r1\nend\n"), o)
	if err != nil || !slices.ContainsFunc(res.Remarks, func(m shaderlift.Remark) bool {
		return m.Code == "copies-of-body" && m.Message == "loop unrolled by 3"
	}) {
		t.Errorf("%v, %v", res.Remarks, err)
	}
}

// TestParseRemarks checks that an unknown kind is rejected.
func TestParseRemarks(t *testing.T) {
	var o shaderlift.Options
	for _, list := range []string{"", "pased", "passed,", "missed,everything"} {
		if err := o.ParseRemarks(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}
