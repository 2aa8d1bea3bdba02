package coarsen

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
)

// copier makes a kernel that does the work of a tile.
type copier struct {
	// c is asked what may be rewritten.
	c *passes.Ctx
	// f is the kernel, rewritten in place.
	f *ir.Func
	t tile.Tile
	// outputs is the number of colour outputs of the kernel as it was.
	outputs int
	// stores tells that it writes memory.
	stores bool

	// varies is what decides each value, by its ID.
	varies []divergence
	// exits is what decides how often a loop runs.
	exits map[*ir.Instr]divergence
	// tables are the fetches of coordinates from tables, and what decides what they fetch.
	tables map[*ir.Instr]divergence
	// code is the region that is being written.
	code *[]*ir.Instr
	// slots is what each loop around the code at hand carries, innermost last.
	slots [][]slot
	// vals is the substitution: by invocation, what stands for a value of the original.
	vals []map[*ir.Value]*ir.Value
	// words is what is known of values of the original: by invocation, those it has computed.
	words []map[*ir.Value]word
	// shares tells that some fetch serves several invocations.
	shares bool
	// lists are the resources that are fetched at the position, candidates for tables.
	lists []int
}

// invocations are invocations of a tile, by number in order (see [tile.Tile.At]). All code is copied
// for some of them at a time, in lockstep.
type invocations []int

// partition groups invocations that agree on the coordinates in by: with across the columns, with down
// the rows, with both each by itself, with none all in one. The first of a part is its smallest
// number.
func (k *copier) partition(s invocations, by divergence) (list []invocations) {
	at := map[[2]int]int{}
	for _, n := range s {
		i, j := k.t.At(n)
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

// value is what stands for v in invocation n; v itself if it is the same in all (a constant, or
// what was not copied).
func (k *copier) value(n int, v *ir.Value) *ir.Value {
	if v == nil {
		return nil
	}
	if w := k.vals[n][v]; w != nil {
		return w
	}
	return v
}

// values is value for a list.
func (k *copier) values(n int, vs []*ir.Value) (list []*ir.Value) {
	for _, v := range vs {
		list = append(list, k.value(n, v))
	}
	return list
}

// set has w stand for v in invocations s.
func (k *copier) set(s invocations, v, w *ir.Value) {
	for _, n := range s {
		k.vals[n][v] = w
	}
}

// know notes what is known of v in invocations s.
func (k *copier) know(s invocations, v *ir.Value, w word) {
	for _, n := range s {
		k.words[n][v] = w
	}
}

// rewrite makes the kernel that of a tile.
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

	// What writes memory or reads some that is written comes last, one invocation after the other,
	// and so does what depends on it: the order of accesses within an invocation stays, and between
	// invocations there was none.
	var early, late []*ir.Instr
	known := map[*ir.Value]bool{} // only then
	for _, in := range body.Code {
		if k.touchesStored(in) || reads(in, known) {
			late = append(late, in)
			in.EachDef(func(v *ir.Value) { known[v] = true })
			continue
		}
		early = append(early, in)
	}
	k.sequence(early, all)
	k.f.Outs = nil
	for n := range all {
		if n > 0 { // memory is as the invocation before has left it
			for _, o := range outs {
				if k.isState(o.Reg) {
					k.vals[n][k.f.Leaf(ir.Input, o.Reg)] = k.value(n-1, o.V)
				}
			}
		}
		for _, in := range late {
			k.instr(in, invocations{n})
		}
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

// touchesStored reports whether in, or code in it, writes memory, or reads some that the kernel writes.
func (k *copier) touchesStored(in *ir.Instr) (found bool) {
	is := func(in *ir.Instr) { found = found || in.Op == ir.OpMemStore || in.Op == ir.OpMemLoad && k.stores }
	is(in)
	for _, r := range in.Sub {
		r.Walk(is)
	}
	return found
}

// reads reports whether in, or code in it, reads one of these values.
func reads(in *ir.Instr, these map[*ir.Value]bool) (found bool) {
	use := func(l *ir.Lane) { found = found || these[l.V] }
	in.EachUse(use)
	for _, r := range in.Sub {
		r.Walk(func(in *ir.Instr) { in.EachUse(use) })
	}
	return found
}

// positions computes where the invocations of a tile are.
func (k *copier) positions(body *ir.Region, all invocations) {
	seen := map[*ir.Value]bool{}
	body.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) {
			v := l.V
			axis := k.axis(v)
			if axis < 0 || seen[v] || k.t.Scale()[axis] == 1 {
				return
			}
			seen[v] = true
			for _, s := range k.partition(all, k.moves(axis)) {
				k.set(s, v, k.place(v, s[0], axis))
			}
		})
	})
}

// place is the coordinate of invocation n in the domain of the original, where v is the coordinate
// in that of the result: scale*v + offset, of pixels such that centres map to centres
// ((v-0.5)*scale + offset + 0.5). Where the domain is not a multiple of the tile it is clamped to
// the last coordinate.
func (k *copier) place(v *ir.Value, n, axis int) *ir.Value {
	scale, offset := k.t.Scale()[axis], k.t.Offset(n)[axis]
	last, would := k.t.Last(n, axis)
	mad, least := ir.OpIMad, ir.OpIMin
	by, plus, most := uint32(scale), uint32(offset), uint32(last)
	if _, half := k.f.Dialect.Launch().Coordinate(v.Home); half {
		mad, least = ir.OpMad, ir.OpMin
		by, plus, most = math.Float32bits(float32(scale)), math.Float32bits(float32(offset)+0.5-0.5*float32(scale)), math.Float32bits(float32(last)+0.5)
	}
	at := k.scalar(mad, v.Home.Comp, v, k.f.Const(by), k.f.Const(plus))
	if would {
		at = k.scalar(least, v.Home.Comp, at, k.f.Const(most))
	}
	return at
}

// scalar computes one lane.
func (k *copier) scalar(op ir.Op, lane uint8, args ...*ir.Value) *ir.Value {
	in := &ir.Instr{Op: op, Orig: -1, Src: make([]ir.Operand, len(args))}
	for s, w := range args {
		in.Src[s][lane] = ir.Lane{V: w}
	}
	*k.code = append(*k.code, in)
	return k.f.Define(in, int(lane), ir.Reg{Comp: lane})
}

// region copies code for invocations s that run it together.
func (k *copier) region(r *ir.Region, s invocations) *ir.Region {
	out, outer := &ir.Region{}, k.code
	k.code = &out.Code
	k.sequence(r.Code, s)
	k.code = outer
	return out
}

// instr copies in for invocations s, split up where they part: at branches and loops that decide
// differently, by lanes elsewhere.
func (k *copier) instr(in *ir.Instr, s invocations) {
	switch in.Op {
	case ir.OpIf:
		for _, part := range k.partition(s, k.read(in, 0b1111)) {
			k.branch(in, part)
		}
	case ir.OpLoop:
		for _, part := range k.partition(s, k.exits[in]) {
			k.loop(in, part)
		}
	case ir.OpBreak: // whoever runs it together leaves together
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

// cloneHeader is a copy of in as invocation n has it, without what it defines and the code in it.
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
