package shaderlift

import "testing"

// Cycles decide beyond the threshold, within it what else there is, none of which may grow, nor cycles.
func TestBetterKernel(t *testing.T) {
	before := KernelCost{Cycles: 100_000, GPRs: 10, ALU: 50, Ops: 200, Fetches: 4}
	tests := map[string]struct {
		after KernelCost
		want  bool
	}{
		"the same":                      {before, false},
		"faster":                        {KernelCost{Cycles: 99_400, GPRs: 30, ALU: 500, Ops: 200, Fetches: 40}, true},
		"slower and smaller":            {KernelCost{Cycles: 100_600, GPRs: 5, ALU: 20, Ops: 200, Fetches: 2}, false},
		"one cycle for more code":       {KernelCost{Cycles: 99_999, GPRs: 10, ALU: 135, Ops: 200, Fetches: 4}, false},
		"one cycle":                     {KernelCost{Cycles: 99_999, GPRs: 10, ALU: 50, Ops: 200, Fetches: 4}, false},
		"a cycle more and smaller":      {KernelCost{Cycles: 100_001, GPRs: 5, ALU: 20, Ops: 100, Fetches: 2}, false},
		"as fast and smaller":           {KernelCost{Cycles: 100_000, GPRs: 10, ALU: 49, Ops: 200, Fetches: 4}, true},
		"fewer operations":              {KernelCost{Cycles: 100_000, GPRs: 10, ALU: 50, Ops: 199, Fetches: 4}, true},
		"fewer registers":               {KernelCost{Cycles: 100_000, GPRs: 9, ALU: 50, Ops: 200, Fetches: 4}, true},
		"fewer registers, more groups":  {KernelCost{Cycles: 100_000, GPRs: 9, ALU: 51, Ops: 200, Fetches: 4}, false},
		"fewer fetches, more registers": {KernelCost{Cycles: 100_000, GPRs: 11, ALU: 50, Ops: 200, Fetches: 3}, false},
	}
	for name, test := range tests {
		if got := test.after.better(&before); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What a version does not save is said without comparing what is the same.
func TestReason(t *testing.T) {
	input := KernelCost{Cycles: 1000, GPRs: 4, ALU: 7, Ops: 21, Fetches: 4}
	fewer, wider := input, input
	fewer.Cycles, wider.GPRs, wider.ALU = 999, 5, 6
	slower := input
	slower.Cycles = 1100
	for want, c := range map[string]KernelCost{
		"a launch would take 1100 cycles, not 1000": slower,
		"a launch would take 1000 cycles as before, and as many registers, instruction groups, operations and fetches":                                                                            input,
		"a launch would take 999 cycles, not 1000, which is less than 0.5 % apart, and as many registers, instruction groups, operations and fetches":                                             fewer,
		"a launch would take 1000 cycles as before, and neither registers (5 and 4), instruction groups (6 and 7), operations (21 and 21) nor fetches (4 and 4) are fewer with none of them more": wider,
	} {
		if got := c.reason(&input); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
