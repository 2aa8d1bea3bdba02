package local

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Pass keeps words of local memory in registers.
var Pass = &passes.Pass{
	Name: "forward-local",
	Doc: `keep words of local memory in registers

All invocations of a group are enumerated. A load goes if a register holds its word: the word was loaded or stored
before, and no invocation has stored to it since. A branch goes if its condition holds for all invocations of a group
or for none. A barrier goes if no word is stored to by one invocation and accessed by another one across it. If the
order of accesses relies on wavefronts already, two invocations of one wavefront do not need a barrier either.

It declines if an address in local memory does not follow from the number of an invocation, if groups are not rows,
and if there are loops or atomic operations.`,
	Class:   passes.Terms,
	Removes: true,
	Run:     run,
}

// run removes branches, loads and barriers, in this order.
func run(c *passes.Ctx, u *passes.Unit) error {
	f := u.Launched()
	if f == nil {
		return nil
	}
	if why, in := declines(f); why != "" {
		if in != nil {
			c.Remarkf(in.Pos, "local", "local memory is not kept in registers: %s", why)
		}
		return nil
	}
	k := &keeper{c: c, t: newTables(f), replaced: map[*ir.Value]ir.Lane{}, joins: map[*ir.Value]join{},
		restrict: u.Tile.Restrict}
	taken := map[*ir.Instr]int{}
	k.decide(f.Body, k.t.everyone(), taken)
	f.Body.TakeSides(func(in *ir.Instr) int {
		if side, ok := taken[in]; ok {
			return side
		}
		return -1
	}, k.replaced)
	f.Replace(k.replaced)
	clear(k.replaced)
	k.region(f.Body, k.t.everyone(), nil)
	f.Replace(k.replaced)
	if clear(k.replaced); k.changed {
		cleanup.Sweep(f)
	}
	k.removeBarriers()
	return nil
}

// declines returns the reason why the pass does not run, with its instruction if that is worth a remark.
func declines(f *ir.Func) (why string, at *ir.Instr) {
	shares := false
	f.Walk(func(in *ir.Instr) {
		switch launch := f.Dialect.Launch(); {
		case at != nil:
		case in.Op == ir.OpLoop, in.Op == ir.OpMemAtomic, in.Op == ir.OpDiscard:
			why, at = fmt.Sprintf("%v depends on more than the number of the invocation", in.Op), in
		case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
			shares = shares || launch.Grouped(in.Args[0].Home)
		}
	})
	if n := f.Threads; !shares || n[0] == 0 || n[1] != 1 || n[2] != 1 {
		return "there is none in groups that are rows", nil
	}
	return why, at
}

// keeper rewrites a kernel.
type keeper struct {
	c *passes.Ctx
	t *tables
	// replaced maps loaded values and results of branches to the values that replace them.
	replaced map[*ir.Value]ir.Lane
	// joins holds results of branches that nothing reads yet.
	joins   map[*ir.Value]join
	changed bool
	// restrict: no memory that the kernel stores to is bound to a view that it only reads.
	restrict bool
}

// shouldRewrite asks permission for a rewrite.
func (k *keeper) shouldRewrite(in *ir.Instr, code asm.Code, what string) bool {
	allowed := k.c.ShouldRewrite(in, code, what)
	k.changed = k.changed || allowed
	return allowed
}

// decide records the branches in r that all invocations in mask take alike, with their sides.
func (k *keeper) decide(r *ir.Region, mask table, taken map[*ir.Instr]int) {
	for _, in := range r.Code {
		if in.Op != ir.OpIf {
			continue
		}
		cond := k.t.condition(in)
		sides := [2]table{mask.and(cond, false), mask.and(cond, true)}
		for side := range sides {
			if cond != nil && sides[1-side].isEmpty() && k.shouldRewrite(in, "decided", "decided for all invocations") {
				taken[in] = side
				break
			}
		}
		only, ok := taken[in]
		for side, sub := range in.Sub {
			if !ok || side == only {
				k.decide(sub, sides[side], taken)
			}
		}
	}
}
