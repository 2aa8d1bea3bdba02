package opt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// dropAdd returns a pass that makes readers of the n-th sum read its first operand.
func dropAdd(n int, removes bool) *passes.Pass {
	return &passes.Pass{Name: fmt.Sprintf("drop%d", n), Class: passes.Terms, Removes: removes,
		Run: func(c *passes.Ctx, u *passes.Unit) error {
			u.Kernel.Walk(func(in *ir.Instr) {
				if in.Op != ir.OpAdd || in.Pos.Line != firstSum+n || !c.ShouldRewrite(in, "out", "left out") {
					return
				}
				m := map[*ir.Value]ir.Lane{}
				for i, v := range in.Out {
					m[v] = in.Src[0][i]
				}
				u.Kernel.Replace(m)
			})
			return nil
		}}
}

const firstSum = 6 // the line of the first one

// TestCulprits checks that all stages to blame, among many, are left out one by one, and the others are
// kept. Passes that only remove work are found too, because their result is refuted.
func TestCulprits(t *testing.T) {
	for _, removes := range []bool{false, true} {
		t.Run(fmt.Sprint(removes), func(t *testing.T) { testCulprits(t, removes) })
	}
}

func testCulprits(t *testing.T, removes bool) {
	const stages = 14
	wrong := []int{3, 4, 9}
	var text strings.Builder
	text.WriteString("il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_literal l0, 0.0, 1.0, 0.0, 0.0\nmov r0, v0\n")
	o := Options{Pipeline: "dce", Keep: true}
	for n := range stages {
		by := "x" // adds nothing
		if slices.Contains(wrong, n) {
			by = "y"
		}
		fmt.Fprintf(&text, "add r0, r0, l0.%s\n", by)
		o.Hooks.Passes = append(o.Hooks.Passes, dropAdd(n, removes))
		o.Pipeline = fmt.Sprintf("%s,drop%d,dce", o.Pipeline, n)
	}
	text.WriteString("mov o0, r0\nend\n")
	res, err := Optimize(t.Context(), kernelInput("sums.il", text.String()), o)
	if err != nil || res.Verdict() != verify.ProvedReal {
		t.Fatal(res.Verdict(), res.Remarks, err)
	}
	if after := string(res.Files[0].Data); strings.Count(after, "add ") != len(wrong) {
		t.Errorf("it became\n%s", after)
	}
	var blamed []int
	for _, r := range res.Remarks {
		if r.Code == Unverified {
			blamed = append(blamed, r.Line-firstSum)
		}
	}
	if !slices.Equal(blamed, wrong) {
		t.Errorf("lines %v are blamed: %v", blamed, res.Remarks)
	}
	if len(res.Faults) != 1 || res.Faults[0].Step == nil {
		t.Errorf("faults %v", res.Faults)
	}
}

// TestUnproved checks that proofs alone find the rewrite to blame if only a proof is missing.
func TestUnproved(t *testing.T) {
	methods := func(list ...verify.Method) []verify.Method { return list }
	for _, c := range []struct {
		of   *verify.Report
		want bool
	}{
		{nil, false},
		{&verify.Report{Verdict: verify.Unknown, Methods: methods(verify.ByForm, verify.ByExecution)}, true},
		{&verify.Report{Verdict: verify.Refuted, Methods: methods(verify.ByForm)}, true},
		{&verify.Report{Verdict: verify.ProvedReal, Methods: methods(verify.ByForm, verify.ByField, verify.ByExecution)}, true},
		// Proved, but contradicted or not executed.
		{&verify.Report{Verdict: verify.Refuted, Methods: methods(verify.ByForm, verify.ByTerms), Contradicted: true}, false},
		{&verify.Report{Verdict: verify.Unknown, Methods: methods(verify.ByForm, verify.ByTerms)}, false},
		{&verify.Report{Verdict: verify.Unknown, Methods: methods(verify.ByForm, verify.ByField), Epsilon: 1e-30}, false},
	} {
		if z := (&optimizer{rejected: c.of}); z.unproved() != c.want {
			t.Errorf("%+v: %v", c.of, !c.want)
		}
	}
}

// TestSearchFrom checks that a guess does not change the result, and that a right one takes two calls.
func TestSearchFrom(t *testing.T) {
	for n := range 6 {
		for want := range n + 1 {
			for guess := -1; guess < n; guess++ {
				calls := 0
				got := searchFrom(n, guess, func(i int) bool {
					calls++
					return i >= want
				})
				if got != want {
					t.Errorf("of %d, guess %d: found %d, not %d", n, guess, got, want)
				}
				if guess == want && calls > min(1+want, 2) {
					t.Errorf("of %d, guess %d is right, and takes %d calls", n, guess, calls)
				}
			}
		}
	}
}
