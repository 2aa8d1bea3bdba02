package verify

import (
	"errors"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// waves are the sizes of wavefronts, the smallest first; a wavefront of one invocation orders nothing. The
// smallest one that orders the accesses of before to local memory has to order those of after.
var waves = [...]int{1, 16, 32, 64}

// alone assigns each invocation its own work.
func alone(t int) (thread, copy int) { return t, 0 }

// ordersGroup returns the smallest wavefront that orders the accesses of a kernel to local memory between two
// barriers, also if one invocation does the work of a tile.
func ordersGroup(before *il.Kernel, t ir.Tile, known map[ir.Reg]uint32) (wave int, err error) {
	p, err := walk.LiftKernel(before, known)
	if err != nil {
		return 0, err
	}
	a, err := accesses(p)
	if err != nil {
		return 0, err
	}
	if wave, err = smallestWave(a); err != nil {
		return 0, err
	}
	size := int(p.Fn.Threads[0])
	member := func(n int) (thread, copy int) {
		if t.Group == ir.Adjacent {
			return n / t.X, n % t.X
		}
		return n % (size / t.X), n / (size / t.X)
	}
	if race := a.Unordered(wave, member); race != nil {
		return 0, race.Because("if one invocation does the work of several")
	}
	return wave, nil
}

// accesses lists the accesses of a kernel to local memory.
func accesses(p *walk.Kernel) (*walk.Accesses, error) {
	ok, err := p.Groupable()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("it does not depend on the number of an invocation")
	}
	return walk.GroupAccesses(p)
}

// smallestWave returns the size of the smallest wavefront that orders the accesses of before.
func smallestWave(a *walk.Accesses) (wave int, err error) {
	var race *walk.Race
	for _, wave = range waves {
		if race = a.Unordered(wave, alone); race == nil {
			return wave, nil
		}
	}
	return 0, race
}

// proveKernels runs the proofs by terms and field. Every access to local memory stays in its order, or else all
// invocations of a group are executed.
func (c *kernelChecker) proveKernels() {
	c.groups = c.wave > 0
	c.prove(c.liftKernels())
	if c.groups || c.accepted() {
		return
	}
	c.groups = true
	if c.unordered = c.liftKernels(); c.unordered == nil {
		c.terms, c.field = termsReport{}, proof.Report{}
		c.prove(nil)
	}
}

// explainOrder adds a race to an unknown verdict: accesses to local memory then had to keep their order.
func (c *kernelChecker) explainOrder() {
	var race *walk.Race
	if errors.As(c.unordered, &race) && c.report.Verdict == Unknown {
		c.report.Why += "; " + race.Error()
	}
}

// executeGroups makes the proofs execute all invocations of a group. It returns an error if local memory does not
// permit it.
func (c *kernelChecker) executeGroups(sides [2]*walk.Kernel) error {
	var list [2]*walk.Accesses
	for i, p := range sides {
		var err error
		if list[i], err = accesses(p); err != nil {
			return err
		}
	}
	if sides[0].Fn.Threads != sides[1].Fn.Threads {
		return errors.New("groups have different sizes")
	}
	wave := c.wave
	if wave == 0 {
		var err error
		if wave, err = smallestWave(list[0]); err != nil {
			return err
		}
	}
	for i, why := range []string{"if one invocation does the work of several", "in after"} {
		if race := list[i].Unordered(wave, alone); race != nil {
			return race.Because(why)
		}
	}
	c.report.Wavefront = wave
	walk.ExecuteGroups(sides[:]...)
	return nil
}
