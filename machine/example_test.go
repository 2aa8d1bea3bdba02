package machine_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/machine"
)

// Fewer registers, more wavefronts: the versions of matrix multiplication in AMD's
// tutorial, which speaks of 192 registers for each SIMD.
func Example() {
	rv670, err := machine.ByName("rv670")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, gprs := range []int{26, 28, 38} {
		fmt.Printf("%d registers: %d wavefronts, %d by Jang's rule\n",
			gprs, rv670.Resident(gprs), machine.Jang128.Waves(rv670, gprs))
	}
	// Output:
	// 26 registers: 7 wavefronts, 4 by Jang's rule
	// 28 registers: 6 wavefronts, 4 by Jang's rule
	// 38 registers: 5 wavefronts, 3 by Jang's rule
}

// loop is a wavefront that fetches twice and computes for some groups, again and again.
type loop struct{ groups, trips, at int }

func (l *loop) Next(s *machine.Step) bool {
	if l.at == 3*l.trips {
		return false
	}
	*s = machine.Step{Kind: machine.StepFetch, Last: l.at%3 == 1}
	if l.at%3 == 2 {
		*s = machine.Step{Kind: machine.StepALU, Groups: l.groups}
	}
	s.Lines.Mask = ^uint64(0) // all threads, the same line
	l.at++
	return true
}

// What bounds a kernel follows from groups to fetches: a fetch takes the texture units as
// long as four groups take the vector units.
func ExampleTarget_Time() {
	rv770, _ := machine.ByName("rv770")
	for _, groups := range []int{4, 40} {
		r := rv770.Time(machine.Work{Waves: 500, GPRs: 12, Trace: func(int) machine.Trace {
			return &loop{groups: groups, trips: 100}
		}})
		fmt.Printf("%d groups for two fetches: bound by %s\n", groups, r.Bottleneck)
	}
	// Output:
	// 4 groups for two fetches: bound by fetch
	// 40 groups for two fetches: bound by alu
}
