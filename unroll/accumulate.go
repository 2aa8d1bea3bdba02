package unroll

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Accumulate is the pass "accumulate".
var Accumulate = &passes.Pass{
	Name: "accumulate",
	Doc: `keep elements of g[] that a loop loads and stores in registers

If every trip of a loop reads, changes and writes an element, the pass loads it before the loop and stores it after.
No other invocation may access these elements during the launch, and none may lie beyond the end of memory; the report
says so. It declines for conditional accesses, for an index that the loop computes, for elements that may be the same,
and for fences, atomic operations, views and discards. No level runs it, because only the application knows who owns
an element.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Kernel
		if f == nil || f.Dialect.Launch() == nil {
			return nil
		}
		granted := false // all loops or none, because they are verified so
		for _, s := range sites(f) {
			l := accumulator{site: s}
			if r := l.findCells(f.Dialect); r != nil {
				c.Remarkf(r.pos, r.code, "the memory elements of this loop are not kept in registers: %s", r.why)
				continue
			}
			if len(l.cells) == 0 {
				continue
			}
			if !granted && !c.ShouldRewrite(l.in, kept, "this loop keeps elements of memory in registers") {
				return nil
			}
			granted = true
			l.rewrite(f)
		}
		if granted {
			if u.Tile == (ir.Tile{}) {
				u.Tile = ir.Tile{X: 1, Y: 1}
			}
			u.Tile.Held = true
			cleanup.Sweep(f)
		}
		return nil
	},
}

// kept is the code of the pass's rewrites.
const kept = "accumulated"

// accumulator is a loop of a kernel with the elements of memory that it stores to.
type accumulator struct {
	site
	state int // index of the memory state among its carried values
	cells []*element
}

// element is an element of memory: base[at + more]. now is, by lane, its value at the current position of
// [accumulator.region], nil for lanes that are never accessed.
type element struct {
	base         ir.Reg
	at           ir.Lane
	more         uint32
	read, stored uint8 // lanes
	now          [4]*ir.Value
	gone         []*ir.Instr // removed accesses
}

// refusal is the reason why a loop is left alone.
type refusal struct {
	pos  asm.Pos
	code asm.Code
	why  string
}

// findCells lists the elements that the loop stores to, none if it stores nothing. Every access has to be made on
// every trip, at an index from outside the loop.
func (l *accumulator) findCells(d ir.Dialect) (r *refusal) {
	body, launch := l.in.Sub[0], d.Launch()
	// shared reports accesses to memory that other invocations share.
	shared := func(in *ir.Instr) bool { return len(in.Args) > 0 && launch.Everywhere(in.Args[0].Home) }
	stores, inside := false, l.values()
	body.Walk(func(in *ir.Instr) { stores = stores || in.Op == ir.OpMemStore && shared(in) })
	if !stores {
		return nil
	}
	direct := map[*ir.Instr]bool{}
	for _, in := range body.Code {
		direct[in] = true
	}
	refuse := func(in *ir.Instr, code asm.Code, why string) {
		if r == nil {
			r = &refusal{in.Pos, code, why}
		}
	}
	body.Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpFence || in.Op == ir.OpMemAtomic:
			refuse(in, "synchronized", "other invocations may read the memory during the loop")
		case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
			refuse(in, "discards", "an invocation may be discarded during the loop")
		case in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore || !shared(in):
		case !launch.Indexed(in.Base):
			refuse(in, "memory", "it accesses a view")
		case !direct[in] || in.IsPredicated() || in.Mods != 0:
			refuse(in, "conditional", "not every trip makes this access exactly once")
		case inside[in.Src[0][0].V]:
			refuse(in, "address", "the index of this access is computed in the loop")
		default:
			if !l.access(in) {
				refuse(in, "address", "it is not known whether the indices of two accesses differ")
			}
		}
	})
	// Find the carried value that is the state of that memory.
	for i, v := range body.Params {
		if d.FileRole(v.Home.File) == ir.RoleState && launch.Everywhere(v.Home) {
			l.state = i
		}
	}
	return r
}

// access records an access. It reports whether its element is a known one or certainly different: only
// indices that differ by literals are known to differ.
func (l *accumulator) access(in *ir.Instr) bool {
	var c *element
	for _, known := range l.cells {
		if known.at != in.Src[0][0] || known.base != in.Base {
			return false
		}
		if known.more == in.Imm {
			c = known
		}
	}
	if c == nil {
		c = &element{base: in.Base, at: in.Src[0][0], more: in.Imm}
		l.cells = append(l.cells, c)
	}
	if in.Op == ir.OpMemLoad {
		c.read |= in.Mask()
		return true
	}
	in.Src[1].EachLane(func(i int, _ *ir.Lane) { c.stored |= 1 << i })
	return true
}

// rewrite keeps the elements in registers: each lane becomes a carried value, from a load before the loop to
// a store after it. Loads inside become the current value, and stores set it.
func (l *accumulator) rewrite(f *ir.Func) {
	body, before := l.in.Sub[0], l.in.Args[l.state]
	var loads, stores []*ir.Instr
	replaced := map[*ir.Value]ir.Lane{}
	for _, c := range l.cells {
		load := c.instr(ir.OpMemLoad, l.in, before)
		for i := range c.now {
			if (c.read|c.stored)>>i&1 == 0 {
				continue
			}
			first := f.Define(load, i, ir.Reg{})
			c.now[i] = f.NewValue(ir.Param, ir.Reg{})
			l.in.Args, body.Params = append(l.in.Args, first), append(body.Params, c.now[i])
		}
		loads = append(loads, load)
	}
	l.region(f, body, replaced)
	body.Results = append(body.Results, l.keptValues()...)
	state := before
	for _, c := range l.cells {
		store := c.instr(ir.OpMemStore, l.in, state)
		store.Src = append(store.Src, ir.Operand{})
		for i, v := range c.now {
			if v == nil {
				continue
			}
			out := f.NewValue(ir.Result, ir.Reg{})
			out.Def = l.in
			l.in.Results = append(l.in.Results, out)
			if c.stored>>i&1 != 0 {
				store.Src[1][i] = ir.Lane{V: out}
			}
		}
		if c.stored != 0 {
			state = f.NewValue(ir.Result, before.Home)
			state.Def, store.Results = store, []*ir.Value{state}
			stores = append(stores, store)
		}
	}
	// The loop no longer accesses the memory, so its state bypasses the loop.
	replaced[body.Params[l.state]] = ir.Lane{V: before}
	replaced[l.in.Results[l.state]] = ir.Lane{V: state}
	f.Replace(replaced)
	for i, c := range l.cells {
		for _, in := range c.gone {
			loads[i].TakeIn(in, kept)
		}
	}
	var code []*ir.Instr
	for _, in := range l.owner.Code {
		if in == l.in {
			code = append(append(append(code, loads...), in), stores...)
		} else {
			code = append(code, in)
		}
	}
	l.owner.Code = code
}

// instr returns an access to c at the position of loop in.
func (c *element) instr(op ir.Op, in *ir.Instr, state *ir.Value) *ir.Instr {
	return &ir.Instr{Op: op, Base: c.base, Imm: c.more, Src: []ir.Operand{{0: c.at}}, Args: []*ir.Value{state}, Orig: -1,
		Pos: in.Pos}
}

// keptValues returns the current values of the elements.
func (l *accumulator) keptValues() (list []*ir.Value) {
	for _, c := range l.cells {
		for _, v := range c.now {
			if v != nil {
				list = append(list, v)
			}
		}
	}
	return list
}

// region passes the kept values at breaks out of the loop, and removes accesses. Breaks may be in branches;
// accesses are not.
func (l *accumulator) region(f *ir.Func, r *ir.Region, replaced map[*ir.Value]ir.Lane) {
	var code []*ir.Instr
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpBreak:
			in.Args = append(in.Args, l.keptValues()...)
		case in.Op == ir.OpIf:
			for _, sub := range in.Sub {
				l.region(f, sub, replaced)
			}
		case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
			if c := l.cellOf(in); c != nil {
				c.gone = append(c.gone, in)
				code = append(code, c.replaceAccess(f, in, replaced)...)
				continue
			}
		}
		code = append(code, in)
	}
	r.Code = code
}

// cellOf returns the element that in accesses, or nil.
func (l *accumulator) cellOf(in *ir.Instr) *element {
	for _, c := range l.cells {
		if c.base == in.Base && c.at == in.Src[0][0] && c.more == in.Imm {
			return c
		}
	}
	return nil
}

// replaceAccess replaces in, an access to c, by a read or write of the kept value. Lanes with a modifier take a move.
func (c *element) replaceAccess(f *ir.Func, in *ir.Instr, replaced map[*ir.Value]ir.Lane) (code []*ir.Instr) {
	if in.Op == ir.OpMemLoad {
		for i, v := range in.Out {
			if v != nil {
				replaced[v] = ir.Lane{V: c.now[i]}
			}
		}
		return nil
	}
	move := &ir.Instr{Op: ir.OpMov, Src: make([]ir.Operand, 1), Orig: -1, Pos: in.Pos}
	in.Src[1].EachLane(func(i int, x *ir.Lane) {
		if c.now[i] = x.V; x.Mod != 0 {
			move.Src[0][i] = *x
			c.now[i] = f.Define(move, i, ir.Reg{})
		}
	})
	if move.Mask() != 0 {
		code = append(code, move)
	}
	replaced[in.Results[0]] = ir.Lane{V: in.Args[0]}
	return code
}
