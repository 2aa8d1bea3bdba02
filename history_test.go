package shaderlift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
)

// TestHistory checks that the revisions of a history lead to the written program, one rewrite after the
// other. The last revision has the costs of the report.
func TestHistory(t *testing.T) {
	in := shadersOf("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n",
		"ps_2_0\ndef c0, 0.5, 0, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0.x\ntexld r1, r0, s0\nadd r1, r1, r1\nmov r2, r1\nmov oC0, r2\n")
	res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{Report: shaderlift.ReportOptions{History: true}})
	if err != nil {
		t.Fatal(err)
	}
	h := res.History
	if h == nil || len(h.Revisions) < 3 || len(res.Remarks) > 0 && res.Remarks[0].Kind == shaderlift.Passed {
		t.Fatalf("%+v", res)
	}
	programs := slices.Clone(h.Start)
	for i := range programs {
		programs[i] = slices.Clone(programs[i])
	}
	if got := spelt(h, programs[1]); !strings.Contains(got, "add r0.xy, t0, c0.x\n") {
		t.Errorf("it begins with\n%s", got)
	}
	run := 0
	for _, r := range h.Revisions {
		if r.Run != run && r.Run != run+1 || r.Remark.Kind != shaderlift.Passed {
			t.Errorf("run %d behind %d: %+v", r.Run, run, r.Remark)
		}
		run = r.Run
		for _, e := range r.Edits {
			programs[e.Program] = slices.Replace(programs[e.Program], e.At, e.At+e.Removed, e.Lines...)
		}
	}
	for i, f := range res.Files {
		if got, want := spelt(h, programs[i]), string(f.Data); !strings.HasSuffix(strings.TrimSpace(want),
			strings.TrimSpace(got)) {
			t.Errorf("%s ends as\n%s, not as\n%s", f.Name, got, want)
		}
	}
	last := h.Revisions[len(h.Revisions)-1].Costs
	// Emission alone saves the move.
	if want := []int{res.Stages[1].CurrentCost().Slots, res.Stages[0].CurrentCost().Slots}; !slices.Equal(last[:2],
		want) || h.Costs[0] != res.Stages[1].Before.Slots-1 {
		t.Errorf("costs go from %v to %v, not from %d to %v\n%s", h.Costs, last, res.Stages[1].Before.Slots, want,
			spelt(h, h.Start[1]))
	}
}

func spelt(h *opt.History, lines []int) string {
	var b strings.Builder
	for _, i := range lines {
		b.WriteString(h.Lines[i] + "\n")
	}
	return b.String()
}
