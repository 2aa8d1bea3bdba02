package sim_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// loop is a wavefront that repeatedly fetches twice and computes for some groups.
type loop struct{ groups, trips, at int }

func (l *loop) Next(s *sim.Step) bool {
	if l.at == 3*l.trips {
		return false
	}
	*s = sim.Step{Kind: sim.StepFetch, Last: l.at%3 == 1}
	if l.at%3 == 2 {
		*s = sim.Step{Kind: sim.StepALU, Groups: l.groups}
	}
	s.Lines.Mask = ^uint64(0) // all threads, the same line
	l.at++
	return true
}

// The ratio of groups to fetches determines the bound of a kernel: a fetch takes the texture units
// as long as four groups take the vector units.
func ExampleTime() {
	rv770, err := chip.ByName("rv770")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, groups := range []int{4, 40} {
		r := sim.Time(rv770, sim.Work{Waves: 500, GPRs: 12, Trace: func(int) sim.Trace {
			return &loop{groups: groups, trips: 100}
		}})
		fmt.Printf("%d groups for two fetches: bound by %s\n", groups, r.Bottleneck)
	}
	// Output:
	// 4 groups for two fetches: bound by fetch
	// 40 groups for two fetches: bound by alu
}
