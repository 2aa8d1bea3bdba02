package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// What depends on registers that nothing has written, before may leave as anything. So where
// the sides differ before is executed again, with other words in these registers, and outputs
// that change are not compared. Those that do not change must be the same of after, whatever
// words are in the registers that it does not write.

// fillings is how often before is executed again. A comparison that falls either way equally often is
// taken to be fixed one time in 2^12.
const fillings = 12

// unwritten seeds the words in registers that the side reads unwritten; 0 if there are none. The low
// bits choose the kind of words.
func (c *kernelChecker) unwritten(side int) uint64 {
	if o := c.sides[side]; o == nil || len(o.undefinedOf()) == 0 {
		return 0
	}
	return symbolic.Mix(c.Seed) | 3
}

// nearly is how many steps an execution may take that differs from one of so many in what
// registers hold at first: counters may be among them.
func nearly(steps int) int { return 4*steps + 1<<12 }

// filled executes a side. What after reads unwritten are no zeros, unless it then runs for long whatever
// kind of words it is: a counter may begin far below its end, but is at or near it with others.
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

// loosen executes before, of which s is a sample, with other words in registers.
func (c *kernelChecker) loosen(p *kernel.Program, l *kernel.Case, s *sample, o kernel.Options) error {
	for n := range uint64(fillings) {
		o.Unwritten = symbolic.Mix(c.unwritten(0)+n)&^3 | n%3 + 1
		res, err := p.Run(l, o)
		switch {
		case err == nil:
			s.loosen(launched(res, l))
		case stopped(err):
			s.release()
			return nil
		default:
			return err
		}
	}
	return nil
}

// release makes everything loose.
func (s *sample) release() {
	s.loose = true
	for _, part := range s.parts {
		part.release()
	}
}

// loosen notes where s, a sample of the same program on the same input, differs.
func (s *sample) loosen(other *sample) {
	s.loose = s.loose || !slices.Equal(s.on, other.on)
	for k := range s.chans {
		ch := &s.chans[k]
		for i := 0; i < s.n && !ch.loose; i++ {
			ch.loose = ch.at(i) != other.chans[k].at(i)
		}
	}
	for k, part := range s.parts {
		part.loosen(other.parts[k])
	}
}
