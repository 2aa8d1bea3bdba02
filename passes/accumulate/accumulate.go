package accumulate

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/tile"
)

// Pass is the pass "accumulate".
var Pass = &passes.Pass{
	Name: "accumulate",
	Doc: `keep elements of g[] that a loop loads and stores in registers

An element that every trip of a loop reads, changes and writes is loaded before the loop, kept
in a register, and stored after it. Other invocations see what was there before until then,
and a loop that makes no trip stores what it has loaded: no other invocation may read or write
these elements during the launch, which the report says. Nor may they be beyond the end of
memory, where a trip does not find what the one before stored.

It declines where the loop accesses memory under a condition or in another loop, at an index
that is computed in the loop, or at several of which it is not known that they differ; where
it has a fence, atomic operations or views, or discards invocations. Inner loops come first.

It is not part of the levels, since it is for the application to say to whom elements belong,
and is verified against the kernel with the same elements in registers.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Kernel
		if f == nil || f.Dialect.Launch() == nil {
			return nil
		}
		granted := false // all loops or none, as they are verified
		for _, l := range loops(f) {
			if r := l.find(f.Dialect); r != nil {
				c.Remarkf(r.pos, r.code, "what this loop stores stays in memory: %s", r.why)
				continue
			}
			if len(l.cells) == 0 {
				continue
			}
			if !granted && !c.Step(l.in, kept, "elements of memory are kept in registers over this loop") {
				return nil
			}
			granted = true
			l.rewrite(f)
		}
		if granted {
			if u.Tile == (tile.Tile{}) {
				u.Tile = tile.Tile{X: 1, Y: 1}
			}
			u.Tile.Held = true
			dce.Sweep(f)
		}
		return nil
	},
}

// kept is the kind of rewrites that the pass makes.
const kept = "accumulated"

// loop is one of a kernel, where it stands, and the elements of memory that it stores to.
type loop struct {
	in    *ir.Instr
	owner *ir.Region
	state int // number of the memory among what it carries
	cells []*cell
}

// cell is an element of memory: base[at + more]. now is, by lane, the value it has at
// the place that [loop.region] has come to, nil for lanes that are never accessed.
type cell struct {
	base         ir.Reg
	at           ir.Lane
	more         uint32
	read, stored uint8 // lanes
	now          [4]*ir.Value
	gone         []*ir.Instr // accesses that are no more
}

// loops lists the loops of f, those within others first.
func loops(f *ir.Func) (list []*loop) {
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op == ir.OpLoop {
				list = append(list, &loop{in: in, owner: r})
			}
		}
	})
	return list
}

// refusal is why a loop is left alone.
type refusal struct {
	pos  asm.Pos
	code asm.Code
	why  string
}

// find lists the elements that the loop stores to, none if it stores nothing. Every
// access has to be made on every trip, at an index from outside the loop.
func (l *loop) find(d ir.Dialect) (r *refusal) {
	body, launch := l.in.Sub[0], d.Launch()
	// shared tells accesses to memory that other invocations have, too.
	shared := func(in *ir.Instr) bool { return len(in.Args) > 0 && launch.Everywhere(in.Args[0].Home) }
	stores := false
	inside := map[*ir.Value]bool{}
	for _, v := range body.Params {
		inside[v] = true
	}
	body.Walk(func(in *ir.Instr) {
		in.EachDef(func(v *ir.Value) { inside[v] = true })
		stores = stores || in.Op == ir.OpMemStore && shared(in)
	})
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
			refuse(in, "synchronized", "other invocations may look at it in between")
		case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
			refuse(in, "discards", "an invocation may be discarded in between")
		case in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore || !shared(in):
		case !launch.Indexed(in.Base):
			refuse(in, "memory", "it accesses a view")
		case !direct[in] || in.IsPredicated() || in.Mods != 0:
			refuse(in, "conditional", "this access is not made on every trip, or several times")
		case inside[in.Src[0][0].V]:
			refuse(in, "address", "the index of this access is computed in the loop")
		default:
			if !l.access(in) {
				refuse(in, "address", "it is not known whether the indices of two accesses differ")
			}
		}
	})
	// Which of the carried values is the state of that memory.
	for i, v := range body.Params {
		if d.Role(v.Home.File) == ir.RoleState && launch.Everywhere(v.Home) {
			l.state = i
		}
	}
	return r
}

// access notes an access, and reports whether its element is one of those known or
// certainly another one: indices are told apart only where they differ by literals.
func (l *loop) access(in *ir.Instr) bool {
	var c *cell
	for _, known := range l.cells {
		if known.at != in.Src[0][0] || known.base != in.Base {
			return false
		}
		if known.more == in.Imm {
			c = known
		}
	}
	if c == nil {
		c = &cell{base: in.Base, at: in.Src[0][0], more: in.Imm}
		l.cells = append(l.cells, c)
	}
	if in.Op == ir.OpMemLoad {
		c.read |= in.Mask()
		return true
	}
	in.Src[1].Each(func(i int, _ *ir.Lane) { c.stored |= 1 << i })
	return true
}

// rewrite keeps the elements in registers: each lane becomes a value that the loop
// carries, from a load before the loop to a store behind it. Loads inside become the
// value at that place, stores set it.
func (l *loop) rewrite(f *ir.Func) {
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
	body.Results = append(body.Results, l.kept()...)
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
	// The loop does not touch the memory any more, so its state goes past it.
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

// instr is an access to c where loop in stands.
func (c *cell) instr(op ir.Op, in *ir.Instr, state *ir.Value) *ir.Instr {
	return &ir.Instr{Op: op, Base: c.base, Imm: c.more, Src: []ir.Operand{{0: c.at}}, Args: []*ir.Value{state}, Orig: -1, Pos: in.Pos}
}

// kept is what the elements are at the place at hand.
func (l *loop) kept() (list []*ir.Value) {
	for _, c := range l.cells {
		for _, v := range c.now {
			if v != nil {
				list = append(list, v)
			}
		}
	}
	return list
}

// region has breaks out of the loop hand over what is kept, and leaves out accesses.
// Breaks may stand in branches; accesses do not.
func (l *loop) region(f *ir.Func, r *ir.Region, replaced map[*ir.Value]ir.Lane) {
	var code []*ir.Instr
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpBreak:
			in.Args = append(in.Args, l.kept()...)
		case in.Op == ir.OpIf:
			for _, sub := range in.Sub {
				l.region(f, sub, replaced)
			}
		case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
			if c := l.cell(in); c != nil {
				c.gone = append(c.gone, in)
				code = append(code, c.keep(f, in, replaced)...)
				continue
			}
		}
		code = append(code, in)
	}
	r.Code = code
}

// cell is the element that in accesses, nil if that is none of them.
func (l *loop) cell(in *ir.Instr) *cell {
	for _, c := range l.cells {
		if c.base == in.Base && c.at == in.Src[0][0] && c.more == in.Imm {
			return c
		}
	}
	return nil
}

// keep has in, an access to c, read or set what is kept. Results go by way of a move where they
// have a modifier.
func (c *cell) keep(f *ir.Func, in *ir.Instr, replaced map[*ir.Value]ir.Lane) (code []*ir.Instr) {
	if in.Op == ir.OpMemLoad {
		for i, v := range in.Out {
			if v != nil {
				replaced[v] = ir.Lane{V: c.now[i]}
			}
		}
		return nil
	}
	move := &ir.Instr{Op: ir.OpMov, Src: make([]ir.Operand, 1), Orig: -1, Pos: in.Pos}
	in.Src[1].Each(func(i int, x *ir.Lane) {
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
