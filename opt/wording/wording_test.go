package wording

import (
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// TestGainInLine checks that the short line of a result names losses of time, and the gain if slots and times
// stay equal.
func TestGainInLine(t *testing.T) {
	draw := func(before, after, work float64) shaderlift.DrawCosts {
		return shaderlift.DrawCosts{Target: "gcn", Before: shaderlift.DrawCost{Time: before, Arithmetic: 10},
			After: &shaderlift.DrawCost{Time: after, Arithmetic: work}}
	}
	for _, c := range []struct {
		draws        []shaderlift.DrawCosts
		slots, temps int // after; before there are 10 slots and 3 temporaries
		want         string
	}{
		{nil, 9, 2, "pixel 10 -> 9 slots"},
		{nil, 10, 2, "pixel 10 slots, 3 -> 2 temporaries"},
		{[]shaderlift.DrawCosts{draw(10, 10, 10)}, 9, 4, "pixel 10 -> 9 slots, same speed"},
		{[]shaderlift.DrawCosts{draw(10, 10, 9)}, 10, 4, "pixel 10 slots, less work, same speed"},
		{[]shaderlift.DrawCosts{draw(10, 9, 9)}, 10, 2, "pixel 10 slots, 10 % faster on gcn"},
		{[]shaderlift.DrawCosts{draw(10, 11, 9)}, 9, 2, "pixel 10 -> 9 slots, 10 % slower on gcn"},
		{[]shaderlift.DrawCosts{draw(10, 11, 9), draw(10, 10, 9)}, 9, 2, "pixel 10 -> 9 slots, slower on 1 of 2 GPUs (up to 10 %)"},
		{[]shaderlift.DrawCosts{draw(10, 11, 9), draw(10, 8, 9)}, 9, 2,
			"pixel 10 -> 9 slots, faster on 1 of 2 GPUs (up to 20 %), slower on 1 of 2 GPUs (up to 10 %)"},
		{[]shaderlift.DrawCosts{draw(10, 10.004, 9)}, 9, 2, "pixel 10 -> 9 slots, same speed"},
	} {
		r := &shaderlift.Result{Status: shaderlift.Improved, Draws: c.draws, Stages: []shaderlift.StageCosts{{
			Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: 10, Temps: 3}, After: &d3d9.Cost{Slots: c.slots, Temps: c.temps}}}}
		if got := costs(r, false); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestPreshaderInLine checks that the line of an effect shows a gain in its preshaders alone.
func TestPreshaderInLine(t *testing.T) {
	for slots, want := range map[int]string{
		10: "pixel 10 slots, 8 -> 5 instructions on the CPU, 1 of 1 part better",
		9:  "pixel 10 -> 9 slots, 1 of 1 part better",
	} {
		part := &shaderlift.Result{Status: shaderlift.Improved, Stages: []shaderlift.StageCosts{{Stage: d3d9.Pixel,
			Before: d3d9.Cost{Slots: 10}, After: &d3d9.Cost{Slots: slots}, Host: &shaderlift.Change{Before: 8, After: 5}}}}
		if got := costs(&shaderlift.Result{Status: shaderlift.Improved, Parts: []*shaderlift.Result{part}}, false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestVerifiedInLine checks that a short line calls a result verified only from the verdict bounded on.
func TestVerifiedInLine(t *testing.T) {
	for _, v := range verify.Verdicts() {
		r := &shaderlift.Result{Judgement: &shaderlift.Judgement{}}
		r.Judgement.Verdict = v
		want := v.String()
		if v == verify.Bounded || v == verify.ProvedReal || v == verify.Proved {
			want = "verified"
		}
		if got := Verdict(r, false); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// TestMayReason checks that large inputs, effects without programs and kernels get no reasons.
func TestMayReason(t *testing.T) {
	for slots, want := range map[int]bool{0: false, 1: true, hintSlots: true, hintSlots + 1: false} {
		res := &shaderlift.Result{Status: shaderlift.Unchanged}
		if slots > 0 {
			res.Stages = make([]shaderlift.StageCosts, 1)
			res.Stages[0].Before.Slots = slots
		}
		if got := mayReason(shaderlift.Options{}, res); got != want {
			t.Errorf("%d slots: %v", slots, got)
		}
	}
}
