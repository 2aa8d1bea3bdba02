package draws

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Host computes constants of the programs from others before a draw, for computations that an optimizer has
// moved from programs to the host.
type Host struct {
	// Reads lists the constants that the host reads, and Writes those that it writes, by stage.
	Reads  [2][]HostConstant
	Writes [2][]uint16
	// Set computes the constants of a draw in place.
	Set func(*interp.Case) error
}

// HostConstant is a float constant that the host reads, with its row of a parameter.
type HostConstant struct {
	Register  uint16
	Parameter *d3d9.Constant
	Row       int
}

// computeConstants computes the constants of c by h.
func (h *Host) computeConstants(c *interp.Case) error {
	if h == nil {
		return nil
	}
	return h.Set(c)
}

// profile adds to p the constants that h reads, which the program itself may no longer read. It removes
// those that h writes, which would be overwritten. It changes p.
func (h *Host) profile(stage d3d9.Stage, p *profile) *profile {
	if h == nil {
		return p
	}
	for _, c := range h.Reads[stage] {
		if !slices.ContainsFunc(p.floats, func(f floatConst) bool { return f.reg == int(c.Register) }) {
			p.floats = append(p.floats, floatConst{int(c.Register), tableRow(c.Parameter, c.Parameter.Index+c.Row)})
		}
	}
	p.floats = slices.DeleteFunc(p.floats, func(f floatConst) bool {
		return slices.Contains(h.Writes[stage],
			uint16(f.reg))
	})
	return p
}
