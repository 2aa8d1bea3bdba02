package effect

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// hostPerSlot is the number of host instructions that a draw may gain per saved slot (assumed: a draw
// covers many vertices and pixels, but a short draw must not get slower).
const hostPerSlot = 8

// moveToPreshader returns p, whose original is old, with profitable work in its preshader, and the counts of
// moved components; or p itself. real lets operations move, not only copies; the host rounds their
// results differently. With operations set, copies alone do not suffice. moveToPreshader first tries a longer
// preshader, then the unchanged program with a shorter preshader.
func moveToPreshader(p, old *d3d9.Program, real, operations bool) (*d3d9.Program, Moved, error) {
	q, moved, err := hoist(p, old, real, operations)
	if err != nil || operations && q == p {
		return p, moved, err
	}
	if q != p {
		if _, err := shorten(q); err != nil {
			return nil, moved, err
		}
		if PreshaderInstructions(q)-PreshaderInstructions(p) <= hostPerSlot*(d3d9.Measure(p).Slots-d3d9.Measure(q).Slots) {
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

// shorten optimizes the preshader of p and reports whether it got shorter.
func shorten(p *d3d9.Program) (bool, error) {
	before, err := preshader.FromProgram(p)
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

// PreshaderInstructions returns the number of instructions in the preshader of p.
func PreshaderInstructions(p *d3d9.Program) int {
	q, err := preshader.FromProgram(p)
	if err != nil || q == nil {
		return 0
	}
	return len(q.Insts)
}
