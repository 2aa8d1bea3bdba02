package merge

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

// Pass implements the pass "merge-registers".
var Pass = &passes.Pass{
	Name: "merge-registers",
	Doc: `pack scalars and short vectors into fewer registers

Values that are never live at the same time share components of a register. The same instructions on different values
are joined, as by vectorize, and straight-line code is reordered to keep fewer values live. Several methods are tried,
and the cheapest result that needs no more registers is kept. Fetches, memory operations,
conditional writes and outputs keep their components, and nothing moves across control flow, fences or stores.`,
	Class:  passes.Terms,
	Places: true,
	Run:    mergeRegisters,
}

// attempt is one method to use fewer registers.
type attempt struct {
	reorder bool // reorder straight-line code first
	pack    bool
	pairs   bool // first join the registers of instructions that can be combined
	largest bool // place the webs that are live longest first, instead of those that are live first
	shaders bool // try for shaders only: on known kernels it never wins
}

// attempts are tried in this order; the first of equals wins.
var attempts = []attempt{
	{pack: true, pairs: true, largest: true, shaders: true},
	{pack: true, pairs: true},
	{pack: true, largest: true},
	{reorder: true, pack: true, pairs: true, largest: true, shaders: true},
	{reorder: true, pack: true, pairs: true, shaders: true},
	{reorder: true},
}

// maxRounds bounds the rounds of improvement. A kernel gets another round only if the last one
// saved 1/gain of its cycles (1/200). A shader gets another round only if it uses at least hopeful
// registers more than its peak pressure (full); below that no round ever won. moves is a number of
// moves in a shader: with at most that many, reordering never saved one. All four constants are
// fitted to the corpora.
const (
	maxRounds = 3
	gain      = 200
	hopeful   = 3
	moves     = 5
)

// unwritten is the cost of a program that cannot be emitted: larger than any other cost, and small
// enough to be added.
var unwritten = passes.Cost{math.MaxInt32 / 4, math.MaxInt32 / 4, math.MaxInt32 / 4, math.MaxInt32 / 4}

// mergeRegisters improves the programs of a unit one by one. Without a cost model, as when the pass runs
// alone, it applies the first attempt unconditionally.
func mergeRegisters(c *passes.Ctx, u *passes.Unit) error {
	explain(c, u)
	memory := idle.Get().(*scratch)
	defer idle.Put(memory)
	saved := 0
	merged := false
	for _, one := range alone(u) { // each program alone: the other's cost does not matter
		if c.Measure == nil {
			attempts[0].apply(one.Funcs()[0], new(scratch), c.ShouldRewrite)
			continue
		}
		merged = improve(c, one, memory, &saved) || merged
	}
	if c.Measure != nil && !merged {
		c.Remarkf(asm.Pos{}, "cost", "no registers are merged: no version that was tried is cheaper")
	}
	return nil
}

// alone returns one unit for each program of u. The program whose slots count first comes first.
func alone(u *passes.Unit) (list []*passes.Unit) {
	for _, one := range []passes.Unit{{Pixel: u.Pixel}, {Vertex: u.Vertex}, {Kernel: u.Kernel}} {
		if len(one.Funcs()) > 0 {
			one.Name, one.Varyings = u.Name, u.Varyings
			list = append(list, &one)
		}
	}
	return list
}

// version returns a copy of u, a unit of one program, with f as that program.
func version(u *passes.Unit, f *ir.Func) *passes.Unit {
	t := *u
	for _, at := range []**ir.Func{&t.Vertex, &t.Pixel, &t.Kernel} {
		if *at != nil {
			*at = f
		}
	}
	return &t
}

// improve applies the attempts that reduce the cost of a unit of one program, and reports whether
// it changed the program. saved counts the registers that the other programs have saved; this
// program may use that many more.
func improve(c *passes.Ctx, u *passes.Unit, memory *scratch, saved *int) (some bool) {
	cost, unfit := c.Measure(u)
	if unfit != nil {
		cost = unwritten // perhaps only the number of registers is excessive
	}
	f, shader := u.Funcs()[0], u.Kernel == nil
	// Each round tries the attempts on the current program and keeps the best.
	for round := range maxRounds {
		if n := u.Registers(cost); n <= 0 || round > 0 && shader && n-newBins(f, memory).peakPressure() < hopeful {
			return some
		}
		best, least := -1, cost
		slots := instructions(f)
		loose := !shader || cost[0]+cost[1]-slotsOf(f) > moves
		var ordered *ir.Func
		tried := false
		// Invalidate the cached analysis: f has changed.
		memory.from = nil
		for i, a := range attempts {
			if shader && !a.pack && !loose || !shader && a.shaders {
				continue
			}
			from := f
			if a.reorder {
				if !tried && (round == 0 || !shader) { // in later rounds another order gains a shader nothing
					ordered = memory.inOrder(f, &a)
				}
				from, tried = ordered, true
			}
			if from == nil {
				continue
			}
			// Attempts that cannot win, because they need as many registers, are skipped before
			// they cost a copy or a price.
			few := u.Registers(least)
			if a.reorder && loose {
				few++ // another order may also need fewer moves
			}
			fewer := shader && !(a.reorder && a.pairs) // it wins only by registers or joins
			var w packing
			if a.pack || shader {
				w = memory.packed(&a, from, fewer, few)
			}
			if fewer && w.together == 0 && w.n >= few {
				continue // skip before a copy is made
			}
			t := from
			if a.pack {
				t = memory.trial.Clone(from)
			}
			if w.apply(&a, t, &memory.trial); !promising(t, w.n, slots, round, few, u.Registers(cost)) && shader {
				continue
			}
			now, err := c.Measure(version(u, t))
			if err == nil && now.Less(least) && u.Registers(now) <= u.Registers(cost)+*saved {
				best, least = i, now
			}
		}
		if best < 0 || !attempts[best].apply(f, memory, c.ShouldRewrite) {
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

// inOrder returns a copy of f in an order in which fewer values are live, or nil if the order
// stays. The copy is valid for attempt a and later ones. If a does not pack, it is the last one.
func (m *scratch) inOrder(f *ir.Func, a *attempt) *ir.Func {
	memory := &m.other
	if !a.pack {
		memory = &m.trial // a prices this copy and needs no other
	}
	t := memory.Clone(f)
	moved := false
	reorder(t, func(*ir.Instr, asm.Code, string) bool { moved = true; return true })
	if !moved {
		return nil
	}
	return t
}

// packing is the planned result of an attempt. Webs are planned on the original and applied to a
// copy.
type packing struct {
	*bins
	regs     []int32 // one value of each register
	n        int     // registers that hold a value to be read, or a lower bound for all values
	together int     // instructions that were joined with others
}

// packed plans attempt a on f. Work that attempts on the same version share is done once for the
// version memory.from. If fewer is set and the attempt joins nothing, it must use fewer than few
// registers. If the lower bound excludes that, packed returns without placing the webs.
func (m *scratch) packed(a *attempt, f *ir.Func, fewer bool, few int) packing {
	if m.from != f {
		m.from, m.plain, m.paired = f, newBins(f, m), nil
		m.least = -1
	}
	if !a.pack {
		return packing{bins: m.plain, n: m.plain.peakPressure()}
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

// apply applies attempt a to t, a copy of the planned function, without asking for permission: t is
// only priced.
func (p *packing) apply(a *attempt, t *ir.Func, of *ir.Cloner) {
	if a.pack {
		b := *p.bins
		b.f, b.value = t, make([]*ir.Value, len(b.value))
		for i, v := range p.value {
			b.value[i] = of.CopyOf(v)
		}
		b.apply(p.regs, always)
	}
	if a.pairs {
		vectorize.Join(t, always)
	}
}

// promising reports whether the attempt that led to t is worth a price. It is if the attempt joined
// instructions (the input had slots of them) or if n is below few. The emitted program may need
// more than n registers.
func promising(t *ir.Func, n, slots, round, few, before int) bool {
	return n < few || instructions(t) < slots && (round == 0 || n <= before)
}

// instructions counts the instructions of f that take slots.
func instructions(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad {
			n++
		}
	})
	return n
}

// slotsOf returns the slots of the instructions of f without moves. Moves are the rest of a price.
func slotsOf(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad && in.Op != ir.OpMov {
			n += f.Dialect.Slots(in)
		}
	})
	return n
}

func always(*ir.Instr, asm.Code, string) bool { return true }

// apply applies the attempt to f, asking step before every rewrite. It returns false if step
// refuses.
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
