package merge

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

// Pass is the pass "merge-registers".
var Pass = &passes.Pass{
	Name: "merge-registers",
	Doc: `pack scalars and short vectors into fewer registers

Values that are never in each other's way are given components of one register, loop
carried ones with what they begin and go on as; instructions that do the same for
different values are brought into the same registers and joined, as vectorize does; and
straight-line code is put in an order in which fewer values are live at a time. Several
ways to do so are tried. Of those that need no more registers than before, what the cost
model likes best is kept, and improved again, or the code stays as it is: registers of a
kernel count through the wavefronts that they leave room for, too.

gprs=N stops once no more than N registers are used; gprs=0 goes on as long as it pays.

No value is computed differently. Fetches, memory operations and conditional writes keep
the components they write, as do outputs, and everything does where the model cannot read
any component in any place. Nothing moves across a branch, a loop, a break, a discarded
invocation, a fence or a store, and what depends on an address or a predicate register
keeps its order. Conditional writes, derivatives, indexed operands and instructions of
different precision are not joined.`,
	Class:   passes.Terms,
	Options: []passes.Option{{Name: "gprs", Default: "0", Doc: "registers that are few enough, 0 for as few as pay"}},
	Run:     run,
}

// attempt is one way to use fewer registers.
type attempt struct {
	reorder bool // straight-line code first
	pack    bool
	pairs   bool // with instructions that can be joined in the same registers
	largest bool // what is live longest is placed first, and not what is live first
}

// attempts are tried in this order; of equals the first is taken.
var attempts = []attempt{
	{pack: true, pairs: true, largest: true},
	{pack: true, pairs: true},
	{pack: true, largest: true},
	{reorder: true, pack: true, pairs: true, largest: true},
	{reorder: true, pack: true, pairs: true},
	{reorder: true},
}

// maxRounds is how often what was found is improved again: of a kernel only as long as a
// round saves one part of its cycles in gain; and hopeful how many registers
// more than are ever full at a time a shader must have for that: of fewer none was ever won.
const (
	maxRounds = 3
	gain      = 200
	hopeful   = 3
)

func run(c *passes.Ctx, u *passes.Unit) error {
	explain(c, u)
	if c.Measure == nil {
		attempts[0].apply(u, new(scratch), c.Step)
		return nil
	}
	cost, err := c.Measure(u)
	if err != nil {
		return err
	}
	enough := c.Int("gprs")
	memory := idle.Get().(*scratch)
	defer idle.Put(memory)
	for round := range maxRounds {
		if u.Registers(cost) <= enough || round > 0 && u.Kernel == nil && u.Registers(cost)-full(u, memory) < hopeful {
			return nil
		}
		best, least := -1, cost
		slots := instructions(u)
		var ordered *passes.Unit
		if round == 0 || u.Kernel != nil { // else nothing is left that another order would give
			ordered = memory.other.inOrder(u)
		}
		for i := range attempts {
			a, from := attempts[i], u
			if a.reorder {
				a.reorder, from = false, ordered
			}
			if from == nil {
				continue
			}
			few := u.Registers(least) // what is worth a price has fewer
			if from == ordered {
				few++ // another order may take fewer moves, too
			}
			if u.Kernel == nil && a.hopeless(from, memory, few) {
				continue
			}
			t := memory.trial.Clone(from)
			if n, ok := a.apply(t, memory, always); !ok || !promising(t, n, slots, round, few, u.Registers(cost)) {
				continue
			}
			now, err := c.Measure(t)
			if err == nil && now.Less(least) && u.Registers(now) <= u.Registers(cost) {
				best, least = i, now
			}
		}
		if best < 0 {
			if round == 0 {
				c.Remarkf(asm.Pos{}, "cost", "no registers are merged: nothing tried costs less")
			}
			return nil
		}
		if _, ok := attempts[best].apply(u, memory, c.Step); !ok {
			return nil
		}
		if saved := cost[0] - least[0]; u.Kernel != nil && saved*gain < cost[0] {
			return nil
		}
		cost = least
	}
	return nil
}

// orderer puts units in an order in which fewer values are live, in memory of its own.
type orderer struct{ memory passes.Cloner }

// inOrder is u in such an order, nil if it is in that.
func (o *orderer) inOrder(u *passes.Unit) *passes.Unit {
	t := o.memory.Clone(u)
	moved := false
	for _, f := range t.Funcs() {
		reorder(f, func(*ir.Instr, string) bool { moved = true; return true })
	}
	if !moved {
		return nil
	}
	return t
}

// hopeless tells of a shader, before a copy is made of it, that the attempt neither brings
// instructions together that could be joined nor makes do with fewer registers than few.
func (a *attempt) hopeless(u *passes.Unit, memory *scratch, few int) bool {
	if !a.pack {
		return full(u, memory) >= few
	}
	n, together := 0, 0
	for _, f := range u.Funcs() {
		b := newBins(f, memory)
		if a.pairs {
			together += b.pairs(func(*ir.Instr) {})
		}
		n += b.temporaries(b.place(a.largest))
	}
	return together == 0 && n >= few
}

// promising reports whether an attempt that led to t is worth a price: where it joined
// instructions, of which there were as many as slots, or needs fewer registers than few.
// Of n registers, as many as it packed values into, it may need more.
// What a kernel costs does not show in either.
func promising(t *passes.Unit, n, slots, round, few, before int) bool {
	if t.Kernel != nil || n < few {
		return true
	}
	return instructions(t) < slots && (round == 0 || n <= before)
}

// instructions counts those of u that take slots.
func instructions(u *passes.Unit) (n int) {
	for _, f := range u.Funcs() {
		f.Walk(func(in *ir.Instr) {
			if in.Op != ir.OpLoad {
				n++
			}
		})
	}
	return n
}

// full is how many registers the values of u fill that are live at a time.
func full(u *passes.Unit, memory *scratch) (n int) {
	for _, f := range u.Funcs() {
		n += (newBins(f, memory).crowd() + 3) / 4
	}
	return n
}

func always(*ir.Instr, string) bool { return true }

// apply makes the attempt, asking step before every rewrite. It returns how many registers
// that packs values into, or the least that can hold them, and reports false where step says no.
func (a *attempt) apply(u *passes.Unit, memory *scratch, step passes.Grant) (n int, ok bool) {
	for _, f := range u.Funcs() {
		if a.reorder && !reorder(f, step) {
			return n, false
		}
		if a.pack {
			b := newBins(f, memory)
			if a.pairs {
				b.pairs(func(*ir.Instr) {})
			}
			regs := b.place(a.largest)
			n += b.temporaries(regs)
			if !b.apply(regs, step) {
				return n, false
			}
		}
		if a.pairs && !vectorize.Join(f, step) {
			return n, false
		}
	}
	return n, true
}
