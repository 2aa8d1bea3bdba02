package unroll

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Preload is the pass "preload".
var Preload = &passes.Pass{
	Name: "preload",
	Doc: `move loop-invariant code before the loop

Before the loop it computes fetches whose coordinates do not change, reads of memory that the loop does not write, and
other invariant values. The price is registers. If moving everything does not pay, it moves single values with their
operands as long as that pays. Code in branches, conditional writes, indexed constants and derivatives stay.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for k, f := range u.Funcs() {
			if c.Settled(k) {
				continue
			}
			for n, here := range sites(f) {
				p := &preloader{c, u, k, n, here}
				p.run()
			}
		}
		return nil
	},
}

// maxTried bounds how many values of a loop are tried alone without success.
const maxTried = 16

// preloader moves code out of one loop of function which of a unit.
type preloader struct {
	c           *passes.Ctx
	u           *passes.Unit
	which, loop int
	here        site
}

func (p *preloader) run() {
	if !p.c.Spend(len(p.here.in.Sub[0].Code)) {
		return
	}
	list := p.movable(true)
	if len(list) == 0 || p.tryMove(list) || p.c.Measure == nil {
		return
	}
	moved := false
	for k := 0; k < min(len(list), maxTried) && !p.c.Stopped(); {
		if p.tryMove(p.here.needs(list, k)) {
			list, moved = p.movable(false), true
		} else {
			k++
		}
	}
	if !moved {
		p.c.Remarkf(p.here.in.Pos, "cost", "the invariant instructions of this loop stay: moving them is not cheaper")
	}
}

// tryMove moves the instructions of list before the loop, if that pays. It tries that on a copy first.
func (p *preloader) tryMove(list sequence) bool {
	if p.c.Measure != nil {
		before, unfit := p.c.Measure(p.u)
		t := p.c.Trial(p.u)
		sites(t.Funcs()[p.which])[p.loop].hoistList(list, func(*ir.Instr, asm.Code, string) bool { return true })
		if after, err := p.c.Measure(t); err != nil || unfit == nil && !after.Less(before) {
			return false
		}
	}
	return p.here.hoistList(list, p.c.ShouldRewrite)
}

// movable lists the instructions that should move out of the loop, and records remarks on others.
func (p *preloader) movable(remark bool) sequence { return p.here.worthwhile(p.invariant(remark)) }

// invariant lists the instructions that can move out of the loop, and records remarks on others.
func (p *preloader) invariant(remark bool) (list sequence) {
	inside := p.here.values()
	for i, in := range p.here.in.Sub[0].Code {
		if reads(in, inside) {
			if remark && in.Op == ir.OpMemLoad && !inside[in.Src[0][0].V] {
				p.c.Remarkf(in.Pos, "memory", "this stays in the loop, because the loop %s", p.writes(in))
			}
			continue
		}
		if code, why := p.stays(in); why == "" {
			list = append(list, i)
			in.EachDef(func(v *ir.Value) { delete(inside, v) })
		} else if remark && code != "" {
			p.c.Remarkf(in.Pos, code, "this stays in the loop: %s", why)
		}
	}
	return list
}

// writes describes the statements of the loop that may change the memory that in loads.
func (p *preloader) writes(in *ir.Instr) string {
	found, fence := false, false
	p.here.in.Sub[0].Walk(func(w *ir.Instr) {
		found = found || (w.Op == ir.OpMemStore || w.Op == ir.OpMemAtomic) && w.Base == in.Base
		fence = fence || w.Op == ir.OpFence
	})
	switch {
	case found:
		return "writes this memory"
	case fence:
		return "has a fence for this memory"
	}
	return "writes memory that may be the same; restrict assumes that it is not, if the kernel only reads this view"
}

// stays returns the reason why in, whose operands are loop-invariant, is not moved. The code is empty if
// nothing is lost.
func (p *preloader) stays(in *ir.Instr) (code asm.Code, why string) {
	switch op := in.Op; {
	case op.Has(ir.Structured) || op.Has(ir.Effect):
		return "", "it steers, or has an effect"
	case op.Has(ir.Special) || op == ir.OpLoad:
		return "", "it is bound to the address register"
	case in.IsPredicated():
		return "conditional", "it depends on a predicate"
	case op.Has(ir.Convergent) && !(op.Has(ir.IsFetch) && p.u.Kernel != nil):
		return "convergent", "it computes differences between neighbours"
	}
	return "", ""
}
