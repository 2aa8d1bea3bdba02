package machine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// Compile makes a program for t of a kernel that was lifted to f. What t cannot do is a
// diagnostic; f is left as it is.
func Compile(f *ir.Func, t *chip.Target, o sched.Options) (*sched.Scheduled, error) {
	if err := o.Budget.Err(); err != nil {
		return nil, err
	}
	code, err := lower.Kernel(f, t)
	if err != nil {
		return nil, err
	}
	if err := o.Budget.Err(); err != nil {
		return nil, err
	}
	return sched.Schedule(code, t, o)
}
