package merge

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// bins holds the webs of a function during register assignment. At first they are those that
// emission would make: the lanes of an instruction, block arguments with their parameters, the
// lanes of an operand. So the pass never adds a move. Then [bins.place] joins webs that only share
// a register.
type bins struct {
	// f is the function; the pass changes the homes of its values at the end.
	f *ir.Func
	// value lists by ID the values that live in temporaries or in outputs, nil for the others.
	value []*ir.Value
	// live holds the live ranges, by ID, in half points.
	live [][]regalloc.Span
	// webs partitions the values by register; each value has a component.
	webs *regalloc.Webs
	// free reports whether the dialect reads any swizzle, so that components may change.
	free bool
}

// newBins builds the webs of f in reusable memory.
func newBins(f *ir.Func, memory *scratch) *bins {
	n := f.NumValues()
	b := &bins{f: f, value: make([]*ir.Value, n), live: memory.LiveIntervals(memory.points.pointsOf(f))}
	b.free = anySwizzle(f)
	// Values without a register (states of memory) and in output registers take no temporary.
	b.words()
	comp, file := make([]uint8, n), make([]uint8, n)
	for i, v := range b.value {
		if v == nil {
			b.live[i] = nil
			continue
		}
		comp[i] = uint8(v.ReadComponent())
		if b.roleOf(v) == ir.RoleOutput {
			b.live[i] = nil // it takes no temporary
		}
	}
	b.webs = memory.NewWebs(b.live, comp, file)
	b.webs.Budget = f.Budget.Poller()
	// The order is by importance, as a failed join is final. The lanes of an instruction must share
	// a register. Joined block arguments save a move, and so do joined operands.
	b.instructions()
	b.handed()
	b.operands()
	return b
}

// copy returns a copy of b with webs of its own. The webs of b must not change afterwards.
func (b *bins) copy(memory *regalloc.Scratch) *bins {
	c := *b
	c.webs = memory.Copy(b.webs)
	return &c
}

// peakPressure returns the number of registers that the values live at the same time fill: a lower bound
// for any packing.
func (b *bins) peakPressure() int {
	return (b.crowd(func(i int) bool { return b.value[i] != nil }) + 3) / 4
}

// filled returns the same bound for the values that something reads: a lower bound of
// [bins.temporaries].
func (b *bins) filled() int {
	read := make([]bool, len(b.value))
	b.f.Walk(func(in *ir.Instr) {
		reads(in, func(v *ir.Value) { read[v.ID] = b.known(v) })
	})
	return (b.crowd(func(i int) bool { return read[i] }) + 3) / 4
}

// anySwizzle reports whether the components of a register can be read in any order.
func anySwizzle(f *ir.Func) bool {
	return ir.NewSwizzles(f.Dialect).CanRead(ir.OpMov, 0, [4]int8{1, 0, -1, -1})
}

// crowd returns the maximum number of selected values that are live in temporaries at the same
// time. It is one sweep over the ends of all intervals.
func (b *bins) crowd(some func(i int) bool) (most int) {
	// Each interval gives two events. An odd number is a beginning, an even one the place after an
	// end.
	var ends []int32
	for i, spans := range b.live {
		if some(i) {
			for _, s := range spans {
				ends = append(ends, s.From<<1|1, (s.To+1)<<1)
			}
		}
	}
	slices.Sort(ends) // at the same place, ends come first
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

// register returns r without its component.
func register(r ir.Reg) ir.Reg {
	r.Comp = 0
	return r
}

// roleOf returns the role of the register that v lives in.
func (b *bins) roleOf(v *ir.Value) ir.Role { return b.f.Dialect.FileRole(v.Home.File) }

// stays reports whether v keeps its register: outputs, exported values, states of memory.
func (b *bins) stays(v *ir.Value) bool {
	switch b.roleOf(v) {
	case ir.RoleOutput, ir.RoleExport, ir.RoleState:
		return true
	}
	return false
}

// words finds the values that are read or written as lanes of a register, and the values connected
// to them as block arguments. Other values are states of memory, or dead. Addresses and predicates
// have register files of their own and are ignored. So are relative reads, which are part of
// operands.
func (b *bins) words() {
	more := false
	mark := func(v *ir.Value) {
		if v != nil && b.value[v.ID] == nil && !v.IsLeaf() && b.roleOf(v) != ir.RoleSpecial &&
			(v.Def == nil || !v.Def.Op.Has(ir.Special) && v.Def.Op != ir.OpLoad) {
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
	// The nesting depth bounds the number of rounds.
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

// permutable reports whether the lanes of in may be permuted. A predicated write cannot, since it
// keeps the old value of its own component.
func permutable(in *ir.Instr) bool {
	return in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional && !in.Op.Has(ir.Special) && !in.IsPredicated()
}

// instructions makes a web of the lanes of every instruction, and fixes it if a lane cannot move.
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

// handed joins each block argument with its parameter in one place, so that no move is needed.
// Pairs that already had one home come first, as in emission.
func (b *bins) handed() {
	for _, homes := range [2]bool{true, false} {
		eachHanded(b.f, func(from, to *ir.Value) {
			if b.known(from) && b.known(to) && homes == (from.Home == to.Home) {
				b.webs.JoinAt(int32(to.ID), int32(from.ID))
			}
		})
	}
}

// operands joins the lanes of each operand, if possible.
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

// eachHanded calls f for every value that is passed on, with its receiver. Values pass into and out
// of loops, out of branches, and through predicated writes that keep the old value. Inner
// constructs come before outer ones.
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
