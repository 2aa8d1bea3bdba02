package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// What depends on registers that nothing has written, before may leave as anything. So where
// the sides differ before is executed again, with other words in these registers, and outputs
// that change are not compared. Those that do not change must be the same of after, whatever
// words are in the registers that it does not write.

// fillings is how often. One time in so many a comparison comes out as it did every time.
const fillings = 12

// unwritten seeds the words in registers that the side reads unwritten; 0 if there are none.
func (c *kernelChecker) unwritten(side int) uint64 {
	if o := c.sides[side]; o == nil || len(o.undefinedOf()) == 0 {
		return 0
	}
	return mix(c.Seed) | 3
}

// loosen executes before, of which s is a sample, with other words in registers.
func (c *kernelChecker) loosen(p *kernel.Program, l *kernel.Case, s *sample, o kernel.Options) error {
	for n := range uint64(fillings) {
		o.Unwritten = mix(c.unwritten(0)+n)&^3 | n%3 + 1
		res, err := p.Run(l, o)
		if err != nil {
			return err
		}
		s.loosen(launched(res, l))
	}
	return nil
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
