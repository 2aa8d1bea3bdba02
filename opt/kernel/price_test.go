package kernel

import "testing"

// TestBetterKernel checks that cycles decide beyond the threshold. Within it, the sizes decide, and
// neither they nor cycles may grow.
func TestBetterKernel(t *testing.T) {
	before := Cost{Cycles: 100_000, GPRs: 10, ALU: 50, Ops: 200, Fetches: 4}
	tests := map[string]struct {
		after Cost
		want  bool
	}{
		"the same":                      {before, false},
		"faster":                        {Cost{Cycles: 99_400, GPRs: 30, ALU: 500, Ops: 200, Fetches: 40}, true},
		"slower and smaller":            {Cost{Cycles: 100_600, GPRs: 5, ALU: 20, Ops: 200, Fetches: 2}, false},
		"one cycle for more code":       {Cost{Cycles: 99_999, GPRs: 10, ALU: 135, Ops: 200, Fetches: 4}, false},
		"one cycle":                     {Cost{Cycles: 99_999, GPRs: 10, ALU: 50, Ops: 200, Fetches: 4}, false},
		"a cycle more and smaller":      {Cost{Cycles: 100_001, GPRs: 5, ALU: 20, Ops: 100, Fetches: 2}, false},
		"as fast and smaller":           {Cost{Cycles: 100_000, GPRs: 10, ALU: 49, Ops: 200, Fetches: 4}, true},
		"fewer operations":              {Cost{Cycles: 100_000, GPRs: 10, ALU: 50, Ops: 199, Fetches: 4}, true},
		"fewer registers":               {Cost{Cycles: 100_000, GPRs: 9, ALU: 50, Ops: 200, Fetches: 4}, true},
		"fewer registers, more groups":  {Cost{Cycles: 100_000, GPRs: 9, ALU: 51, Ops: 200, Fetches: 4}, false},
		"fewer fetches, more registers": {Cost{Cycles: 100_000, GPRs: 11, ALU: 50, Ops: 200, Fetches: 3}, false},
	}
	for name, test := range tests {
		if got := test.after.Better(&before); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestImproves checks that a smaller version as fast as the input is better, but does not replace it.
func TestImproves(t *testing.T) {
	input := Cost{Cycles: 1000, GPRs: 4}
	for want, c := range map[bool]Cost{true: {Cycles: 999, GPRs: 3}, false: {Cycles: 1000, GPRs: 3}} {
		if !c.Better(&input) || c.Improves(&input) != want {
			t.Errorf("%+v: improves is not %v", c, want)
		}
	}
	if unpriced := (Cost{GPRs: 3}); !unpriced.Improves(&Cost{GPRs: 4}) {
		t.Error("fewer registers are no gain where no launch can be simulated")
	}
}

// TestReason checks that a reason for rejection omits equal counts.
func TestReason(t *testing.T) {
	input := Cost{Cycles: 1000, GPRs: 4, ALU: 7, Ops: 21, Fetches: 4}
	fewer, wider := input, input
	fewer.Cycles, wider.GPRs, wider.ALU = 999, 5, 6
	smaller := input
	smaller.Ops = 20
	slower := input
	slower.Cycles = 1100
	for want, c := range map[string]Cost{
		"a launch would take 1100 cycles, not 1000": slower,
		"a launch would take 1000 cycles as before, and fewer registers, instruction groups, operations or fetches do not count as a gain":                                                         smaller,
		"a launch would take 1000 cycles as before, with the same registers, instruction groups, operations and fetches":                                                                           input,
		"a launch would take 999 cycles, not 1000, a change below 0.5 %, with the same registers, instruction groups, operations and fetches":                                                      fewer,
		"a launch would take 1000 cycles as before, and the new and old registers (5, 4), instruction groups (6, 7), operations (21, 21) and fetches (4, 4) have no reduction without an increase": wider,
	} {
		if got := c.Reason(&input); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
