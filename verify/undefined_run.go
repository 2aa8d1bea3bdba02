package verify

import (
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Results that depend on unwritten registers are arbitrary in before. If the versions differ, before is
// therefore executed again with other words in these registers, and outputs that change are not compared. The
// other outputs must be the same in after, whatever its own unwritten registers hold.

// fillings is the number of repeated executions of before. A comparison that falls either way equally often
// looks fixed one time in 2^12.
const fillings = 12

// unwritten returns a seed for the words in registers that the version reads unwritten, or 0 if it reads
// none. The low bits choose the kind of words.
func (c *kernelChecker) unwritten(side int) uint64 {
	if o := c.sides[side]; o == nil || len(o.UndefinedOf()) == 0 {
		return 0
	}
	return symbolic.Mix(c.Seed) | 3
}

// nearly returns the step limit of an execution that differs only in the initial contents of registers.
// Counters may be among them.
func nearly(steps int) int { return 4*steps + 1<<12 }

// filled executes a version. Registers that after reads unwritten hold other words than zero. If it then runs
// for long with every kind of words, they hold zeros: a counter may begin far below its end with one kind,
// but near it with others.
func (c *kernelChecker) filled(side int, p *kernel.Program, l *kernel.Case, o kernel.Options, near int) (*kernel.Result, error) {
	if seed := c.unwritten(1); side == 1 && seed != 0 {
		other := o
		other.Steps = min(o.Steps, near)
		for kind := seed & 3; kind > 0; kind-- {
			other.Unwritten = seed&^3 | kind
			if res, err := p.Run(l, other); err == nil || !stopped(err) {
				return res, err
			}
		}
	}
	return p.Run(l, o)
}

// loosen executes before with other words in registers, and marks the changes in its sample s.
func (c *kernelChecker) loosen(p *kernel.Program, l *kernel.Case, s *outputs.Sample, o kernel.Options) error {
	for n := range uint64(fillings) {
		o.Unwritten = symbolic.Mix(c.unwritten(0)+n)&^3 | n%3 + 1
		res, err := p.Run(l, o)
		switch {
		case err == nil:
			s.Loosen(outputs.OfLaunch(res, l))
		case stopped(err):
			s.Release()
			return nil
		default:
			return err
		}
	}
	return nil
}
