package merge

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// bins are the webs of a function, on their way into registers. First they are as
// emission would make them (what one instruction writes, what is handed over, what an
// operand reads), so that nothing the pass does takes a move more; then [bins.place]
// puts together what only shares a register.
type bins struct {
	// f is the function; its values' homes are what changes in the end.
	f *ir.Func
	// value lists by ID the values that live in temporaries or in outputs, nil for the others.
	value []*ir.Value
	// live are the live ranges, by ID, in half points.
	live [][]regalloc.Span
	// webs are the sets of values that share a register, each value with its component.
	webs *regalloc.Webs
	// free tells that any swizzle can be read, so components may change.
	free bool
}

// newBins makes the webs of f, in memory that is used again.
func newBins(f *ir.Func, memory *scratch) *bins {
	n := f.NumValues()
	b := &bins{f: f, value: make([]*ir.Value, n), live: memory.Live(memory.points.of(f))}
	b.free = free(f)
	// Values without a register (states of memory) and in output registers take no temporary.
	b.words()
	comp, file := make([]uint8, n), make([]uint8, n)
	for i, v := range b.value {
		if v == nil {
			b.live[i] = nil
			continue
		}
		comp[i] = uint8(v.Comp())
		if b.role(v) == ir.RoleOutput {
			b.live[i] = nil // it takes no temporary
		}
	}
	b.webs = memory.NewWebs(b.live, comp, file)
	b.webs.Budget = f.Budget.Poller()
	// In order of importance, as a join that fails stays undone: what one instruction writes has to
	// share a register, what is handed over saves a move, operands save one, too.
	b.instructions()
	b.handed()
	b.operands()
	return b
}

// copy is b with webs of its own. Those of b stay as they are from now on.
func (b *bins) copy(memory *regalloc.Scratch) *bins {
	c := *b
	c.webs = memory.Copy(b.webs)
	return &c
}

// full is how many registers the values fill that are live at a time: a lower bound of
// what any packing needs.
func (b *bins) full() int {
	return (b.crowd(func(i int) bool { return b.value[i] != nil }) + 3) / 4
}

// filled is full of those that something reads: a lower bound of [bins.temporaries].
func (b *bins) filled() int {
	read := make([]bool, len(b.value))
	b.f.Walk(func(in *ir.Instr) {
		reads(in, func(v *ir.Value) { read[v.ID] = b.known(v) })
	})
	return (b.crowd(func(i int) bool { return read[i] }) + 3) / 4
}

// free reports whether the components of a register can be read in any order.
func free(f *ir.Func) bool {
	return ir.NewSwizzles(f.Dialect).Fit(ir.OpMov, 0, [4]int8{1, 0, -1, -1})
}

// crowd is how many values of some are live in temporaries at a time, at most: one sweep over
// the ends of all spans.
func (b *bins) crowd(some func(i int) bool) (most int) {
	// Each span gives two events. An odd number is a beginning, an even one the place behind an
	// end.
	var ends []int32
	for i, spans := range b.live {
		if some(i) {
			for _, s := range spans {
				ends = append(ends, s.From<<1|1, (s.To+1)<<1)
			}
		}
	}
	slices.Sort(ends) // of one place, what ends comes first
	n := 0
	for _, at := range ends {
		if at&1 == 0 {
			n--
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// register is r without its component.
func register(r ir.Reg) ir.Reg {
	r.Comp = 0
	return r
}

// role tells what the register is for that v lives in.
func (b *bins) role(v *ir.Value) ir.Role { return b.f.Dialect.Role(v.Home.File) }

// stays reports whether v keeps its register: outputs, what is exported, states of
// memory.
func (b *bins) stays(v *ir.Value) bool {
	switch b.role(v) {
	case ir.RoleOutput, ir.RoleExport, ir.RoleState:
		return true
	}
	return false
}

// words finds the values that are read or written as lanes of a register, and what is
// handed over to or from those. The others are states of memory, or dead. Addresses and
// predicates have files of their own and are left alone, and so are relative reads,
// which are part of operands.
func (b *bins) words() {
	more := false
	mark := func(v *ir.Value) {
		if v != nil && b.value[v.ID] == nil && !v.IsLeaf() && b.role(v) != ir.RoleSpecial && (v.Def == nil || !v.Def.Op.Has(ir.Special) && v.Def.Op != ir.OpLoad) {
			b.value[v.ID] = v
			more = true
		}
	}
	b.f.Walk(func(in *ir.Instr) {
		for _, v := range in.Out {
			mark(v)
		}
		for s := range in.Src {
			for _, l := range in.Src[s] {
				mark(l.V)
			}
		}
	})
	for _, o := range b.f.Outs {
		mark(o.V)
	}
	// The number of rounds is bounded by the depth of nesting.
	for more {
		more = false
		eachHanded(b.f, func(from, to *ir.Value) {
			switch {
			case b.known(to):
				mark(from)
			case b.known(from):
				mark(to)
			}
		})
	}
}

// known reports whether v is in a web.
func (b *bins) known(v *ir.Value) bool { return v != nil && !v.IsLeaf() && b.value[v.ID] != nil }

// permutable reports whether the lanes of in may change places: a predicated write
// keeps what was in its own component.
func permutable(in *ir.Instr) bool {
	return in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional && !in.Op.Has(ir.Special) && !in.IsPredicated()
}

// instructions makes a web of the lanes of every instruction, fixed where a lane cannot
// be elsewhere.
func (b *bins) instructions() {
	b.f.Walk(func(in *ir.Instr) {
		first := int32(-1)
		fixed := !b.free || !permutable(in)
		for _, v := range in.Out {
			if v == nil || !b.known(v) {
				continue
			}
			if first >= 0 {
				b.webs.Join(first, int32(v.ID))
			}
			first = int32(v.ID)
			fixed = fixed || b.stays(v)
		}
		for _, v := range in.Out {
			if fixed && v != nil && b.known(v) {
				b.webs.Fix(int32(v.ID))
			}
		}
	})
	for _, v := range b.value {
		if v != nil && (b.stays(v) || !b.free) {
			b.webs.Fix(int32(v.ID))
		}
	}
	for _, o := range b.f.Outs {
		if b.known(o.V) {
			b.webs.Fix(int32(o.V.ID))
		}
	}
}

// handed puts what is handed over into one place with what takes it, so that no move is
// needed: what lived in one register before comes first, as emission does it.
func (b *bins) handed() {
	for _, homes := range [2]bool{true, false} {
		eachHanded(b.f, func(from, to *ir.Value) {
			if b.known(from) && b.known(to) && homes == (from.Home == to.Home) {
				b.webs.JoinAt(int32(to.ID), int32(from.ID))
			}
		})
	}
}

// operands puts together what one operand reads, as far as that goes.
func (b *bins) operands() {
	b.f.Walk(func(in *ir.Instr) {
		for s := range in.Src {
			first := int32(-1)
			for _, l := range in.Src[s] {
				if !b.known(l.V) {
					continue
				}
				if first >= 0 {
					b.webs.Join(first, int32(l.V.ID))
				}
				first = int32(l.V.ID)
			}
		}
	})
}

// eachHanded calls f for every value that is handed over and what takes it: in and out
// of loops, out of branches, and where a conditional write leaves what was there. Inner
// constructs come before those around them.
func eachHanded(fn *ir.Func, f func(from, to *ir.Value)) {
	each := func(from, to []*ir.Value) {
		for i := range from {
			f(from[i], to[i])
		}
	}
	var loops []*ir.Instr
	var walk func(r *ir.Region)
	walk = func(r *ir.Region) {
		for _, in := range r.Code {
			for i, v := range in.Keep {
				if v != nil && in.Out[i] != nil {
					f(v, in.Out[i])
				}
			}
			switch in.Op {
			case ir.OpLoop:
				loops = append(loops, in)
			case ir.OpBreak:
				each(in.Args, loops[len(loops)-1].Results)
			}
			for _, sub := range in.Sub {
				walk(sub)
			}
			switch in.Op {
			case ir.OpLoop:
				loops = loops[:len(loops)-1]
				params := in.Sub[0].Params
				each(params, in.Results)
				each(in.Sub[0].Results, params)
				each(in.Args, params)
			case ir.OpIf:
				each(in.Sub[0].Results, in.Results)
				each(in.Sub[1].Results, in.Results)
			}
		}
	}
	walk(fn.Body)
}
