package merge

import (
	"math"

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
	Places:  true,
	Run:     run,
}

// attempt is one way to use fewer registers.
type attempt struct {
	reorder bool // straight-line code first
	pack    bool
	pairs   bool // with instructions that can be joined in the same registers
	largest bool // what is live longest is placed first, and not what is live first
	shaders bool // only: of no kernel known it is better than all others
}

// attempts are tried in this order; of equals the first is taken.
var attempts = []attempt{
	{pack: true, pairs: true, largest: true, shaders: true},
	{pack: true, pairs: true},
	{pack: true, largest: true},
	{reorder: true, pack: true, pairs: true, largest: true, shaders: true},
	{reorder: true, pack: true, pairs: true, shaders: true},
	{reorder: true},
}

// maxRounds is how often what was found is improved again: of a kernel only as long as
// a round saves one part of its cycles in gain (a 200th); hopeful how many registers
// more than are ever full at a time a shader must have for that: of fewer none was ever
// won; and moves how many moves, of what outputs take, say, another order never saved a
// shader one of. All four are fitted to the corpora.
const (
	maxRounds = 3
	gain      = 200
	hopeful   = 3
	moves     = 5
)

// unwritten is the cost of a program that cannot be written: more than that of any other, and little
// enough to add up.
var unwritten = passes.Cost{math.MaxInt32 / 4, math.MaxInt32 / 4, math.MaxInt32 / 4, math.MaxInt32 / 4}

// run improves the programs of a unit one by one. Without a price, as where the pass is
// run by itself, the first attempt is made as it is.
func run(c *passes.Ctx, u *passes.Unit) error {
	explain(c, u)
	memory := idle.Get().(*scratch)
	defer idle.Put(memory)
	saved := 0
	merged := false
	for _, one := range alone(u) { // the one program does not feel what the other takes
		if c.Measure == nil {
			attempts[0].apply(one.Funcs()[0], new(scratch), c.Step)
			continue
		}
		merged = improve(c, one, memory, &saved) || merged
	}
	if c.Measure != nil && !merged {
		c.Remarkf(asm.Pos{}, "cost", "no registers are merged: nothing tried costs less")
	}
	return nil
}

// alone are units of one program of u each, the one first whose slots count first.
func alone(u *passes.Unit) (list []*passes.Unit) {
	for _, one := range []passes.Unit{{Pixel: u.Pixel}, {Vertex: u.Vertex}, {Kernel: u.Kernel}} {
		if len(one.Funcs()) > 0 {
			one.Name, one.Varyings = u.Name, u.Varyings
			list = append(list, &one)
		}
	}
	return list
}

// version is u, a unit of one program, with f in its place.
func version(u *passes.Unit, f *ir.Func) *passes.Unit {
	t := *u
	for _, at := range []**ir.Func{&t.Vertex, &t.Pixel, &t.Kernel} {
		if *at != nil {
			*at = f
		}
	}
	return &t
}

// improve makes those attempts on a unit of one program that pay, and reports whether one did.
// Saved are the registers that others need less than they did: as many more it may take.
func improve(c *passes.Ctx, u *passes.Unit, memory *scratch, saved *int) (some bool) {
	cost, unfit := c.Measure(u)
	if unfit != nil {
		cost = unwritten // registers may be what it takes too many of
	}
	f, shader := u.Funcs()[0], u.Kernel == nil
	enough := c.Int("gprs")
	// Each round makes the attempts on the program as it has become, and keeps the
	// best.
	for round := range maxRounds {
		if u.Registers(cost) <= enough || round > 0 && shader && u.Registers(cost)-newBins(f, memory).full() < hopeful {
			return some
		}
		best, least := -1, cost
		slots := instructions(f)
		loose := !shader || cost[0]+cost[1]-slotsOf(f) > moves
		var ordered *ir.Func
		if round == 0 || !shader { // else nothing is left that another order would give
			ordered = memory.inOrder(f)
		}
		// Nothing is known of this version.
		memory.from = nil
		for i, a := range attempts {
			from := f
			if a.reorder {
				from = ordered
			}
			if from == nil || shader && !a.pack && !loose || !shader && a.shaders {
				continue
			}
			// Attempts that cannot win, with as many registers, are left out before they cost a copy or a
			// price.
			few := u.Registers(least)
			if a.reorder && loose {
				few++ // another order may take fewer moves, too
			}
			fewer := shader && !(a.reorder && a.pairs) // or with instructions joined is how it can win
			w := memory.packed(&a, from, fewer, few)
			if fewer && w.together == 0 && w.n >= few {
				continue // before a copy is made: another order alone may let instructions be joined
			}
			t := memory.trial.Clone(from)
			if w.apply(&a, t, &memory.trial); !promising(t, w.n, slots, round, few, u.Registers(cost)) && shader {
				continue
			}
			now, err := c.Measure(version(u, t))
			if err == nil && now.Less(least) && u.Registers(now) <= u.Registers(cost)+*saved {
				best, least = i, now
			}
		}
		if best < 0 || !attempts[best].apply(f, memory, c.Step) {
			return some
		}
		some = true
		if cost != unwritten {
			*saved += u.Registers(cost) - u.Registers(least)
		}
		if !shader && (cost[0]-least[0])*gain < cost[0] {
			return some
		}
		cost = least
	}
	return some
}

// inOrder is f in an order in which fewer values are live, nil if it is in that.
func (m *scratch) inOrder(f *ir.Func) *ir.Func {
	t := m.other.Clone(f)
	moved := false
	reorder(t, func(*ir.Instr, asm.Code, string) bool { moved = true; return true })
	if !moved {
		return nil
	}
	return t
}

// packing is what an attempt comes to, before anything is changed. Webs are planned on
// the original and applied to a copy.
type packing struct {
	*bins
	regs     []int32 // a value of each register
	n        int     // registers that hold something to be read, or the least that can hold all values
	together int     // instructions that are brought to others
}

// packed is what attempt a on f comes to. What attempts on the same version share is done
// once: memory.from is the version that it was done for. If it has to come to fewer registers than
// few where it joins nothing, and none can, nothing is placed.
func (m *scratch) packed(a *attempt, f *ir.Func, fewer bool, few int) packing {
	if m.from != f {
		m.from, m.plain, m.paired = f, newBins(f, m), nil
		m.least = -1
	}
	if !a.pack {
		return packing{bins: m.plain, n: m.plain.full()}
	}
	b, p := m.plain, packing{}
	if a.pairs {
		if m.paired == nil {
			m.paired = b.copy(&m.webs[1])
			m.together = m.paired.pairs(func(*ir.Instr) {})
		}
		b, p.together = m.paired, m.together
	}
	if fewer && p.together == 0 {
		if m.least < 0 {
			m.least = m.plain.filled()
		}
		if p.n = m.least; p.n >= few {
			return p
		}
	}
	p.bins = b.copy(&m.webs[2])
	p.regs = p.place(a.largest)
	p.n = p.temporaries(p.regs)
	return p
}

// apply makes attempt a on t, a copy of what it was planned for, without asking: t is
// only priced.
func (p *packing) apply(a *attempt, t *ir.Func, of *ir.Cloner) {
	if a.pack {
		b := *p.bins
		b.f, b.value = t, make([]*ir.Value, len(b.value))
		for i, v := range p.value {
			b.value[i] = of.Copy(v)
		}
		b.apply(p.regs, always)
	}
	if a.pairs {
		vectorize.Join(t, always)
	}
}

// promising reports whether an attempt that led to t is worth a price: where it joined
// instructions, of which there were as many as slots, or needs fewer registers than few.
// Of n registers, as many as it packed values into, it may need more.
func promising(t *ir.Func, n, slots, round, few, before int) bool {
	return n < few || instructions(t) < slots && (round == 0 || n <= before)
}

// instructions counts those of f that take slots.
func instructions(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad {
			n++
		}
	})
	return n
}

// slotsOf is how many slots the instructions of f take but for moves: those are the rest of a price.
func slotsOf(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad && in.Op != ir.OpMov {
			n += f.Dialect.Slots(in)
		}
	})
	return n
}

func always(*ir.Instr, asm.Code, string) bool { return true }

// apply makes the attempt on f, asking step before every rewrite. It reports false where that
// says no.
func (a *attempt) apply(f *ir.Func, memory *scratch, step passes.Grant) bool {
	if a.reorder && !reorder(f, step) {
		return false
	}
	if a.pack {
		b := newBins(f, memory)
		if a.pairs {
			b.pairs(func(*ir.Instr) {})
		}
		if !b.apply(b.place(a.largest), step) {
			return false
		}
	}
	return !a.pairs || vectorize.Join(f, step)
}
