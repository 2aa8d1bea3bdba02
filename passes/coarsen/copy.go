package coarsen

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// copier rewrites a kernel so that one invocation does the work of a tile.
type copier struct {
	// c grants permission for each rewrite.
	c *passes.Ctx
	// f is the kernel, rewritten in place.
	f *ir.Func
	t ir.Tile
	// outputs is the number of colour outputs of the original kernel.
	outputs int
	// size is the number of invocations of a group.
	size int
	// own holds the loads from memory that the same phase stores to. Each invocation makes them in its turn.
	own map[*ir.Instr]bool
	// stores reports whether the kernel writes memory.
	stores bool

	// varies is the divergence of each value, by its ID.
	varies []divergence
	// exits is the divergence of each loop's trip count.
	exits map[*ir.Instr]divergence
	// tables maps each fetch of a coordinate from a table to the divergence of its result.
	tables map[*ir.Instr]divergence
	// code is the region to which instructions are appended.
	code *[]*ir.Instr
	// slots holds the slots that each enclosing loop carries, innermost last.
	slots [][]slot
	// vals is the substitution: for each invocation, the copy of each original value.
	vals []map[*ir.Value]*ir.Value
	// words holds the known facts about original values: for each invocation, about those it
	// computed.
	words []map[*ir.Value]word
	// shares reports whether a fetch serves several invocations.
	shares bool
	// lists holds the resources that are fetched at the position: candidates for tables.
	lists []int
}

// invocations lists invocations of a tile by number, ascending (see [ir.Tile.PositionOf]). Code is always
// copied for such a list, in lockstep.
type invocations []int

// partition groups invocations that agree on the coordinates in by. The parts are columns for
// across, rows for down, single invocations for both, and one part for neither. The first element
// of a part is its smallest number.
func (k *copier) partition(s invocations, by divergence) (list []invocations) {
	at := map[[2]int]int{}
	for _, n := range s {
		i, j := k.t.PositionOf(n)
		key := [2]int{i, j}
		if by&across == 0 {
			key[0] = 0
		}
		if by&down == 0 {
			key[1] = 0
		}
		p, known := at[key]
		if !known {
			p, at[key] = len(list), len(list)
			list = append(list, nil)
		}
		list[p] = append(list[p], n)
	}
	return list
}

// value returns the copy of v in invocation n, or v itself if v was not copied or is a constant.
func (k *copier) value(n int, v *ir.Value) *ir.Value {
	if v == nil {
		return nil
	}
	if w := k.vals[n][v]; w != nil {
		return w
	}
	return v
}

// values maps value over a list.
func (k *copier) values(n int, vs []*ir.Value) (list []*ir.Value) {
	for _, v := range vs {
		list = append(list, k.value(n, v))
	}
	return list
}

// setCopies makes w the copy of v in invocations s.
func (k *copier) setCopies(s invocations, v, w *ir.Value) {
	for _, n := range s {
		k.vals[n][v] = w
	}
}

// recordFacts records the facts w about v in invocations s.
func (k *copier) recordFacts(s invocations, v *ir.Value, w word) {
	for _, n := range s {
		k.words[n][v] = w
	}
}

// rewrite replaces the kernel with the kernel of a tile.
func (k *copier) rewrite() {
	body, outs := k.f.Body, k.f.Outs
	all := make(invocations, k.t.Count())
	k.vals, k.words = make([]map[*ir.Value]*ir.Value, k.t.Count()), make([]map[*ir.Value]word, k.t.Count())
	for n := range all {
		all[n], k.vals[n], k.words[n] = n, map[*ir.Value]*ir.Value{}, map[*ir.Value]word{}
	}
	k.f.Body = &ir.Region{}
	k.code = &k.f.Body.Code
	k.positions(body, all)
	if k.t.Group != 0 {
		k.f.Threads[0] /= uint32(k.t.X)
	}
	k.f.Outs = nil
	begin := map[ir.Reg]*ir.Value{} // states at the beginning of a phase
	for _, o := range outs {
		if k.isState(o.Reg) {
			begin[o.Reg] = k.f.Leaf(ir.Input, o.Reg)
		}
	}
	for _, p := range phasesOf(body.Code) {
		ends := outs
		if p.fence != nil {
			ends = nil
			for _, v := range p.fence.Args {
				ends = append(ends, ir.Output{Reg: v.Home, V: v})
			}
		}
		k.phase(p.code, all, begin, ends)
		if p.fence != nil {
			k.barrier(p.fence, all)
			for _, v := range p.fence.Results {
				begin[v.Home] = v
			}
		}
	}
	for n := range all {
		for _, o := range outs {
			reg := o.Reg
			if k.isState(reg) {
				continue
			}
			at, component, all := k.t.Output(n, int(reg.Index), k.outputs)
			if !all && reg.Comp > 0 {
				continue
			}
			reg.Index, reg.Comp = uint16(at), reg.Comp+uint8(component)
			k.f.Outs = append(k.f.Outs, ir.Output{Reg: reg, V: k.value(n, o.V)})
		}
	}
	for _, o := range outs {
		if k.isState(o.Reg) {
			k.f.Outs = append(k.f.Outs, ir.Output{Reg: o.Reg, V: k.value(len(all)-1, o.V)})
		}
	}
}

// phase copies the code between two barriers. Instructions that write memory, or read memory that is written, come
// last, one invocation after the other. So does everything that depends on them. This keeps the order of accesses
// within an invocation; between invocations no order was defined. begin and ends are the states of memories.
func (k *copier) phase(code []*ir.Instr, all invocations, begin map[ir.Reg]*ir.Value, ends []ir.Output) {
	var early, late []*ir.Instr
	known := map[*ir.Value]bool{} // defined by the instructions in late
	for _, in := range code {
		if k.touchesStored(in) || reads(in, known) {
			late = append(late, in)
			in.EachDef(func(v *ir.Value) { known[v] = true })
			continue
		}
		early = append(early, in)
	}
	k.sequence(early, all)
	for n := range all {
		for _, o := range ends {
			if n > 0 && k.isState(o.Reg) { // memory is in the state that the previous invocation left
				k.vals[n][begin[o.Reg]] = k.value(n-1, o.V)
			}
		}
		for _, in := range late {
			k.instr(in, invocations{n})
		}
	}
}

// touchesStored reports whether in, or an instruction inside it, writes memory or reads memory that
// the kernel writes.
func (k *copier) touchesStored(in *ir.Instr) (found bool) {
	is := func(in *ir.Instr) {
		found = found || in.Op == ir.OpMemStore || in.Op == ir.OpMemLoad && (k.own[in] || k.stores && k.t.Group == 0)
	}
	is(in)
	for _, r := range in.Sub {
		r.Walk(is)
	}
	return found
}

// reads reports whether in, or an instruction inside it, reads one of these values.
func reads(in *ir.Instr, these map[*ir.Value]bool) (found bool) {
	use := func(l *ir.Lane) { found = found || these[l.V] }
	in.EachUse(use)
	for _, r := range in.Sub {
		r.Walk(func(in *ir.Instr) { in.EachUse(use) })
	}
	return found
}

// positions computes the positions of the invocations of a tile.
func (k *copier) positions(body *ir.Region, all invocations) {
	seen := map[*ir.Value]bool{}
	body.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) {
			v := l.V
			axis := k.axisOf(v)
			if axis < 0 || seen[v] || k.t.Scale()[axis] == 1 {
				return
			}
			seen[v] = true
			for _, s := range k.partition(all, k.moves(axis)) {
				k.setCopies(s, v, k.place(v, s[0], axis))
			}
		})
	})
}

// place computes the coordinate of invocation n in the original domain from v, the coordinate in
// the new domain: scale*v + offset. Pixel centres map to centres: (v-0.5)*scale + offset + 0.5. If
// the domain is not a multiple of the tile, the result is clamped to the last coordinate.
func (k *copier) place(v *ir.Value, n, axis int) *ir.Value {
	if k.t.Group != 0 {
		return k.member(v, n)
	}
	scale, offset := k.t.Scale()[axis], k.t.Offset(n)[axis]
	last, would := k.t.LastCoordinate(n, axis)
	mad, least := ir.OpIMad, ir.OpIMin
	by, plus, most := uint32(scale), uint32(offset), uint32(last)
	if _, half := k.f.Dialect.Launch().Coordinate(v.Home); half {
		mad, least = ir.OpMad, ir.OpMin
		by, plus, most = math.Float32bits(float32(scale)), math.Float32bits(float32(offset)+
			0.5-0.5*float32(scale)), math.Float32bits(float32(last)+0.5)
	}
	at := k.scalar(mad, v.Home.Comp, v, k.f.Const(by), k.f.Const(plus))
	if would {
		at = k.scalar(least, v.Home.Comp, at, k.f.Const(most))
	}
	return at
}

// scalar appends an instruction that computes one lane.
func (k *copier) scalar(op ir.Op, lane uint8, args ...*ir.Value) *ir.Value {
	in := &ir.Instr{Op: op, Orig: -1, Src: make([]ir.Operand, len(args))}
	for s, w := range args {
		in.Src[s][lane] = ir.Lane{V: w}
	}
	*k.code = append(*k.code, in)
	return k.f.Define(in, int(lane), ir.Reg{Comp: lane})
}

// region copies code for invocations s, which run it in lockstep.
func (k *copier) region(r *ir.Region, s invocations) *ir.Region {
	out, outer := &ir.Region{}, k.code
	k.code = &out.Code
	k.sequence(r.Code, s)
	k.code = outer
	return out
}

// instr copies in for invocations s. It splits s at branches and loops whose condition or trip
// count diverges; other instructions are split by lane.
func (k *copier) instr(in *ir.Instr, s invocations) {
	switch in.Op {
	case ir.OpIf:
		for _, part := range k.partition(s, k.readDivergence(in, 0b1111)) {
			k.branch(in, part)
		}
	case ir.OpLoop:
		for _, part := range k.partition(s, k.exits[in]) {
			k.copyLoop(in, part)
		}
	case ir.OpBreak: // invocations in lockstep leave the loop together
		out := k.cloneHeader(in, s[0])
		out.Args = nil
		for _, slot := range k.slots[len(k.slots)-1] {
			out.Args = append(out.Args, k.value(slot.n, in.Args[slot.at]))
		}
		*k.code = append(*k.code, out)
	default:
		if more, ok := k.tables[in]; ok {
			k.fetchTable(in, more, s)
			return
		}
		k.plain(in, s)
	}
}

// cloneHeader returns a copy of in with the operands of invocation n, without its definitions and
// nested regions.
func (k *copier) cloneHeader(in *ir.Instr, n int) *ir.Instr {
	out := *in
	out.Orig, out.Sub, out.Results, out.Out = -1, nil, nil, [4]*ir.Value{}
	out.Args = k.values(n, in.Args)
	out.Src = make([]ir.Operand, len(in.Src))
	for i := range in.Src {
		for c, l := range in.Src[i] {
			out.Src[i][c] = ir.Lane{V: k.value(n, l.V), Mod: l.Mod}
		}
	}
	return &out
}
