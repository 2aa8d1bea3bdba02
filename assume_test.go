package shaderlift_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify"
)

// TestAssumeOneLevel checks that OneLevel replaces texldl and texldb by texld, and that Verify needs
// the same promise.
func TestAssumeOneLevel(t *testing.T) {
	in := pairInput(fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\nmul r0, v0, c0\ntexldl r1, r0, s0\ntexldb r2, r0, s0\nadd oC0, r1, r2\n")
	o := shaderlift.Options{Fit: "ps_2_0",
		Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}}}
	res, err := shaderlift.Optimize(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Promises) != 1 || res.Promises[0] != shaderlift.OneLevel {
		t.Errorf("it promises %v", res.Promises)
	}
	after := shaderlift.Input{Files: res.Files}
	if _, err := shaderlift.Verify(context.Background(), in, after,
		shaderlift.Options{Host: shaderlift.HostOptions{Assume: o.Host.Assume}}); err != nil {
		t.Error(err)
	}
	if res, err := shaderlift.Verify(context.Background(), in, after, shaderlift.Options{}); !errors.Is(err,
		shaderlift.ErrRefused) {
		t.Errorf("without the promise it is %v: %v", res.Verdict(), err)
	}
}

// TestAssumeUnitColoursUnsaturated checks that colours written by an instruction without _sat stay
// unchanged.
func TestAssumeUnitColoursUnsaturated(t *testing.T) {
	vs := strings.NewReplacer("dcl_texcoord o1", "dcl_color o1", "mov o1", "frc o1").Replace(fitVertex)
	in := pairInput(vs, "ps_3_0\ndcl_color v0\nmul r0, v0, v0\nmov oC0, r0\n")
	if !strings.Contains(vs, "frc o1") {
		t.Fatal("there is no frc in\n" + vs)
	}
	for _, fit := range []string{"", "vs_3_0"} {
		o := shaderlift.Options{Target: shaderlift.SlotTarget, Fit: fit,
			Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.UnitColours}}}
		if res, err := shaderlift.Optimize(t.Context(), in, o); err != nil || res.Verdict() < verify.ProvedReal {
			t.Errorf("--fit %q: %v, %v", fit, res.Verdict(), err)
		}
	}
}

// TestAssumeIsAGain checks that a saving from a promise alone counts as an improvement: texld takes a
// slot less than texldl. The cost before is the cost of the input.
func TestAssumeIsAGain(t *testing.T) {
	in := program("a.psh", "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldl r0, v0, s0\nmov oC0, r0\n")
	for _, o := range []shaderlift.Options{
		{Target: shaderlift.SlotTarget, Pipeline: "flatten"},
		{Target: shaderlift.SlotTarget, Pipeline: "O0"},
	} {
		o.Host.Assume = []shaderlift.Assumption{shaderlift.OneLevel}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || res.Status != shaderlift.Improved || res.Stages[0].Before.Slots != 3 ||
			res.Stages[0].CurrentCost().Slots != 2 {
			t.Errorf("%s: %s, %+v, %v", o.Pipeline, res.Status, res.Stages, err)
		}
	}
}

// TestAssumeUnitColoursBelow checks an effect with a vertex program below 3.0 and a pixel program of
// 3.0. The vertex program has no _sat to clamp its colours, so it stays unchanged; comparisons assume
// the promise.
func TestAssumeUnitColoursBelow(t *testing.T) {
	in := pairInput("vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov r0, v1\nadd oD0, r0, v1\n",
		"ps_3_0\ndcl_color v0\nmul r0, v0, v0\nmov oC0, r0\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget,
		Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.UnitColours}}}
	if res, err := shaderlift.Optimize(t.Context(), in, o); err != nil || !res.Verdict().OK() {
		t.Errorf("%v, %v", res.Verdict(), err)
	}
	in = pairInput(fitQuad+"mov oD1, v1\n", "ps_3_0\ndcl_color1 v0\nmov oC0, v0.xyxy\n")
	o.Fit = "ps_2_0"
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || res.Verdict() < verify.ProvedReal || len(res.Promises) != 1 {
		t.Fatalf("%v with %v, promises %v", err, res.Verdict(), res.Promises)
	}
	after := shaderlift.Input{Files: res.Files}
	if _, err := shaderlift.Verify(t.Context(), in, after, o); err != nil {
		t.Error(err)
	}
	o.Host.Assume = nil
	if _, err := shaderlift.Verify(t.Context(), in, after, o); err == nil {
		t.Error("without the promise it is no other program")
	}
}

// TestAssumeOneLevelOperands checks that a texldd before 3.0 stays if its operands are illegal for
// texld.
func TestAssumeOneLevelOperands(t *testing.T) {
	const head, tail = "ps_2_x\ndcl t0\ndcl t1\ndcl_2d s0\nmov r0, t0\n", "\nmov oC0, r0\n"
	for _, c := range []struct {
		text string
		read bool // by texld
	}{
		{"texldd r0, t0, s0, t1, c1", true},
		{"texldd r0.xy, t0, s0, t1, c1", false},
		{"texldd r0, c0, s0, t1, c1", false},
		{"texldd r0, t0.yxzw, s0, t1, c1", true}, // through a temporary
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(head + c.text + tail)}}}
		o := shaderlift.Options{Target: shaderlift.SlotTarget, Keep: true,
			Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := strings.Contains(string(res.Files[0].Data), "texld "); got != c.read {
			t.Errorf("%s became\n%s", c.text, res.Files[0].Data)
		}
	}
}

// TestAssumeOneLevelInlined checks that a texldd in a subroutine stays under a promise, also after
// inlining.
func TestAssumeOneLevelInlined(t *testing.T) {
	in := program("a.psh", "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ncall l0\nmov oC0, r0\nret\nlabel l0\ntexldd r0, v0, s0, c0, c1\nret\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Numerics: shaderlift.Bits,
		Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}}}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || !strings.Contains(string(res.Files[0].Data), "texldd") ||
		strings.Contains(string(res.Files[0].Data), "call") {
		t.Fatalf("%v\n%s", err, res.Files[0].Data)
	}
	if v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, o); err != nil {
		t.Errorf("%s, %v", v.Verdict(), err)
	}
}

// TestAssumeFits checks that a result that is only too large under a promise does not justify a higher
// cost.
func TestAssumeFits(t *testing.T) {
	const text = "ps_2_x\ndcl t0\ndcl t1\ndcl_2d s0\ndcl_2d s1\ntexldb r1, t1, s1\ntexldd r0, t0.yxzw, s0, t0, c1\nadd r0, r0, r1\nmov oC0, r0\n"
	in := program("a.psh", text)
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "flatten",
		Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}}}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || res.Stages[0].CurrentCost().Slots > res.Stages[0].Before.Slots {
		t.Errorf("%v: %+v", err, res.Stages)
	}
	for _, r := range res.Remarks {
		if strings.Contains(r.Message, "the input does not") {
			t.Error(r.Message)
		}
	}
}
