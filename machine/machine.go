package machine

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// Compile translates a kernel, lifted to f, to a program for t. An unsupported feature of t is a
// diagnostic. f is not changed.
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

// Unported returns the number of groups of a kernel without the read ports of registers and constants, as
// [sched.Unported] does for its code.
func Unported(f *ir.Func, t *chip.Target, b *budget.Budget) (int, error) {
	code, err := lower.Kernel(f, t)
	if err != nil {
		return 0, err
	}
	return sched.Unported(code, t, b)
}
