package shaderlift_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify"
)

// Where textures have one level, the level that is asked for does not matter; Verify has to
// be told.
func TestAssumeOneLevel(t *testing.T) {
	in := pairInput(fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\nmul r0, v0, c0\ntexldl r1, r0, s0\ntexldb r2, r0, s0\nadd oC0, r1, r2\n")
	o := shaderlift.Options{Fit: "ps_2_0", Assume: []shaderlift.Assumption{shaderlift.OneLevel}}
	res, err := shaderlift.Optimize(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Promises) != 1 || res.Promises[0] != shaderlift.OneLevel {
		t.Errorf("it promises %v", res.Promises)
	}
	after := shaderlift.Input{Files: res.Files}
	if _, err := shaderlift.Verify(context.Background(), in, after, shaderlift.Options{Assume: o.Assume}); err != nil {
		t.Error(err)
	}
	if res, err := shaderlift.Verify(context.Background(), in, after, shaderlift.Options{}); !errors.Is(err, shaderlift.ErrRefused) {
		t.Errorf("without the promise it is %v: %v", res.Verdict(), err)
	}
}

// Colours that an instruction without _sat writes stay as they are.
func TestAssumeUnitColoursUnsaturated(t *testing.T) {
	vs := strings.NewReplacer("dcl_texcoord o1", "dcl_color o1", "mov o1", "frc o1").Replace(fitVertex)
	in := pairInput(vs, "ps_3_0\ndcl_color v0\nmul r0, v0, v0\nmov oC0, r0\n")
	if !strings.Contains(vs, "frc o1") {
		t.Fatal("there is no frc in\n" + vs)
	}
	for _, fit := range []string{"", "vs_3_0"} {
		o := shaderlift.Options{Target: shaderlift.SlotTarget, Fit: fit, Assume: []shaderlift.Assumption{shaderlift.UnitColours}}
		if res, err := shaderlift.Optimize(t.Context(), in, o); err != nil || res.Verdict() < verify.ProvedReal {
			t.Errorf("--fit %q: %v, %v", fit, res.Verdict(), err)
		}
	}
}

// What a promise saves by itself is a result: texld takes a slot less than texldl. It counts from the
// program as it came.
func TestAssumeIsAGain(t *testing.T) {
	in := program("a.psh", "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldl r0, v0, s0\nmov oC0, r0\n")
	for _, o := range []shaderlift.Options{
		{Target: shaderlift.SlotTarget, Pipeline: "flatten"},
		{Target: shaderlift.SlotTarget, Pipeline: "O0"},
	} {
		o.Assume = []shaderlift.Assumption{shaderlift.OneLevel}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || res.Status != shaderlift.Improved || res.Stages[0].Before.Slots != 3 || res.Stages[0].Now().Slots != 2 {
			t.Errorf("%s: %s, %+v, %v", o.Pipeline, res.Status, res.Stages, err)
		}
	}
}

// An effect may name a vertex program below 3.0 with a pixel program of 3.0. Its colours are left as they
// are, as there is no _sat to clamp them with; compared they are within the promise.
func TestAssumeUnitColoursBelow(t *testing.T) {
	in := pairInput("vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov r0, v1\nadd oD0, r0, v1\n", "ps_3_0\ndcl_color v0\nmul r0, v0, v0\nmov oC0, r0\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Assume: []shaderlift.Assumption{shaderlift.UnitColours}}
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
	o.Assume = nil
	if _, err := shaderlift.Verify(t.Context(), in, after, o); err == nil {
		t.Error("without the promise it is no other program")
	}
}

// Before 3.0 texldd may have operands that texld may not, and stays where it has them.
func TestAssumeOneLevelOperands(t *testing.T) {
	const head, tail = "ps_2_x\ndcl t0\ndcl t1\ndcl_2d s0\nmov r0, t0\n", "\nmov oC0, r0\n"
	for _, c := range []struct {
		text string
		read bool // by texld
	}{
		{"texldd r0, t0, s0, t1, c1", true},
		{"texldd r0.xy, t0, s0, t1, c1", false},
		{"texldd r0, c0, s0, t1, c1", false},
		{"texldd r0, t0.yxzw, s0, t1, c1", true}, // by way of a temporary
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(head + c.text + tail)}}}
		o := shaderlift.Options{Target: shaderlift.SlotTarget, Keep: true, Assume: []shaderlift.Assumption{shaderlift.OneLevel}}
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

// A texldd of a subroutine stays under a promise, also where that is inlined.
func TestAssumeOneLevelInlined(t *testing.T) {
	in := program("a.psh", "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ncall l0\nmov oC0, r0\nret\nlabel l0\ntexldd r0, v0, s0, c0, c1\nret\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Numerics: "bits", Assume: []shaderlift.Assumption{shaderlift.OneLevel}}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || !strings.Contains(string(res.Files[0].Data), "texldd") || strings.Contains(string(res.Files[0].Data), "call") {
		t.Fatalf("%v\n%s", err, res.Files[0].Data)
	}
	if v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, o); err != nil {
		t.Errorf("%s, %v", v.Verdict(), err)
	}
}

// What does not fit under a promise alone is no excuse for a result that costs more.
func TestAssumeFits(t *testing.T) {
	const text = "ps_2_x\ndcl t0\ndcl t1\ndcl_2d s0\ndcl_2d s1\ntexldb r1, t1, s1\ntexldd r0, t0.yxzw, s0, t0, c1\nadd r0, r0, r1\nmov oC0, r0\n"
	in := program("a.psh", text)
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "flatten", Assume: []shaderlift.Assumption{shaderlift.OneLevel}}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || res.Stages[0].Now().Slots > res.Stages[0].Before.Slots {
		t.Errorf("%v: %+v", err, res.Stages)
	}
	for _, r := range res.Remarks {
		if strings.Contains(r.Message, "the input does not") {
			t.Error(r.Message)
		}
	}
}
