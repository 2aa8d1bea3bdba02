package hostconst

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// hostPerSlot is how many more instructions a draw may take on the host for a slot less (assumed: a
// draw covers many vertices and pixels, but a short draw must not get slower).
const hostPerSlot = 8

// Shorter is p, which was another program, with as much as pays in its preshader, and what
// that is, or p itself. Real lets operations move, whose results the host rounds in another way,
// and not copies alone. If it is asked for operations, copies by themselves are not worth it.
// It tries the program with more in its preshader first, then the program as it is with a shorter
// preshader.
func Shorter(p, old *d3d9.Program, real, operations bool) (*d3d9.Program, Moved, error) {
	q, moved, err := hoist(p, old, real, operations)
	if err != nil || operations && q == p {
		return p, moved, err
	}
	if q != p {
		if _, err := shorten(q); err != nil {
			return nil, moved, err
		}
		if Instructions(q)-Instructions(p) <= hostPerSlot*(d3d9.Measure(p).Slots-d3d9.Measure(q).Slots) {
			return q, moved, nil
		}
	}
	alone := *p
	gains, err := shorten(&alone)
	if err != nil || !gains {
		return p, Moved{}, err
	}
	return &alone, Moved{}, nil
}

// shorten makes the preshader of p shorter, and reports whether it could.
func shorten(p *d3d9.Program) (bool, error) {
	before, err := preshader.Of(p)
	if before == nil || err != nil || before.Check() != nil {
		return false, err
	}
	after, err := preshader.Optimize(before, componentsRead(p))
	if after == before || err != nil {
		return false, err
	}
	if err := preshader.Attach(p, after); err != nil {
		return false, err
	}
	return true, nil
}

// Instructions is how many instructions the preshader of p has.
func Instructions(p *d3d9.Program) int {
	q, err := preshader.Of(p)
	if err != nil || q == nil {
		return 0
	}
	return len(q.Insts)
}
