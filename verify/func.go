package verify

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// CheckFunc decides by proofs alone whether after may replace before, for languages that package interp does
// not execute. Nothing guards against faults of either lift. The functions are cloned. The verdict is Proved,
// ProvedReal or Unknown.
func CheckFunc(before, after *ir.Func, o Options) Report {
	c := &comparison{Options: o}
	return c.within(func() {
		c.Options = c.seeded([]byte(before.String()), []byte(after.String()))
		c.prove(c.functions(before, after))
		if c.remainsOpen(execution{}) {
			c.deepen()
		}
		c.conclude(execution{why: "programs of this language are not executed"})
	})
}

// functions prepares both versions for symbolic execution.
func (c *comparison) functions(list ...*ir.Func) error {
	for i, fn := range list {
		p, err := walk.NewFunc(fn.Clone(), 0, nil)
		if err != nil {
			return err
		}
		p.Fn.Budget = c.Budget
		c.sides[i] = walk.Observe(walk.Side{Kernel: &p})
		c.sides[i].First = i == 0
	}
	return nil
}
