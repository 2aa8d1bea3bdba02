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
