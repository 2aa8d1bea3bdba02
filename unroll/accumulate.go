package unroll

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Accumulate is the pass "accumulate".
var Accumulate = &passes.Pass{
	Name: "accumulate",
	Doc: `keep elements of memory that a loop loads and stores in registers

If every trip of a loop reads, changes and writes an element of g[] or words of a view, the pass loads them before the
loop and stores them after. No other invocation may access them during the launch, no other view may overlap them, and
none may lie beyond the end of memory or of its structure; the report says so. It declines for conditional accesses, for
an address that the loop changes, for elements that may be the same, for typed views, and for fences, atomic operations
and discards. No level runs it, because only the application knows who owns an element.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Launched()
		if f == nil {
			return nil
		}
		granted := false // all loops or none, because they are verified so
		for _, s := range sites(f) {
			l := accumulator{c: c, site: s, launch: f.Dialect.Launch(), inside: s.values(), forms: affine.OfValues(f),
				cellOf: map[*ir.Instr]*element{}}
			r := l.findCells(f.Dialect)
			if c.Stopped() {
				break // elements may be missing
			}
			if r != nil {
				c.Refuse(r, "the memory elements of this loop are not kept in registers")
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
			u.ChangeTile().Held = true
			cleanup.Sweep(f)
		}
		return nil
	},
}

// kept is the code of the pass's rewrites.
const kept = "accumulated"

// accumulator is a loop of a kernel with the elements of memory that it stores to.
type accumulator struct {
	c *passes.Ctx
	site
	launch ir.Launch
	inside map[*ir.Value]bool
	state  int // index of the memory state among its carried values
	forms  *affine.Forms
	cells  []*element
	cellOf map[*ir.Instr]*element
}

// element is an element of memory, which accesses of the loop name by one address. now is, by lane, its value at the
// current position of [accumulator.region], nil for lanes that are never accessed.
type element struct {
	like         *ir.Instr // the first access, a load if there is one
	unit         uint32    // bytes in one step of the address
	at           affine.Form
	terms        []affine.Term // of the last lane of the address
	structure    affine.Form   // the lane before it
	ready        *ir.Instr     // an access whose address is available before the loop, or nil
	address      ir.Operand    // available before the loop
	accesses     []*ir.Instr   // in the loop, in order
	read, stored uint8         // lanes
	now          [4]*ir.Value
}

// findCells lists the elements that the loop stores to, none if it stores nothing. Every access to their spaces has
// to be made on every trip, at an address that the loop does not change. Loads from other spaces stay.
func (l *accumulator) findCells(d ir.Dialect) (r *passes.Refusal) {
	body := l.in.Sub[0]
	// shared reports accesses to memory that other invocations share.
	shared := func(in *ir.Instr) bool { return len(in.Args) > 0 && l.launch.Everywhere(in.Args[0].Home) }
	stored := map[ir.Reg]bool{}
	body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemStore && shared(in) {
			stored[in.Base] = true
		}
		if in.Op == ir.OpMemStore && l.launch.Grouped(in.Base) && r == nil {
			r = &passes.Refusal{Pos: in.Pos, Code: "memory",
				Why: "they are in local memory; promote-local keeps words of one invocation"}
		}
	})
	if len(stored) == 0 {
		return r
	}
	r = nil
	direct := map[*ir.Instr]bool{}
	for _, in := range body.Code {
		direct[in] = true
	}
	refuse := func(in *ir.Instr, code asm.Code, why string) {
		if r == nil {
			r = &passes.Refusal{Pos: in.Pos, Code: code, Why: why}
		}
	}
	body.Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpFence || in.Op == ir.OpMemAtomic:
			refuse(in, "synchronized", "other invocations may read the memory during the loop")
		case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
			refuse(in, "discards", "an invocation may be discarded during the loop")
		case in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore || !shared(in) || !stored[in.Base]:
		case !direct[in] || in.IsPredicated() || in.Mods != 0:
			refuse(in, "conditional", "not every trip makes this access exactly once")
		default:
			if code, why := l.access(in); why != "" {
				refuse(in, code, why)
			}
		}
	})
	// Find the carried value that is the state of that memory.
	for i, v := range body.Params {
		if d.FileRole(v.Home.File) == ir.RoleState && l.launch.Everywhere(v.Home) {
			l.state = i
		}
	}
	return r
}

// access records an access, or returns the reason why it cannot be kept. Its element has to be a known one or
// certainly different: only addresses that differ by literals are known to differ.
func (l *accumulator) access(in *ir.Instr) (code asm.Code, why string) {
	unit, more, ok := l.launch.Words(in)
	if !ok {
		return "memory", "it accesses a typed view, or parts of words"
	}
	last, structure := in.Src[0][0], affine.Form{}
	structured := in.Src[0][1].V != nil
	if structured {
		structure, last = l.forms.Of(last, true), in.Src[0][1]
	}
	at := l.forms.Of(last, true)
	terms, ok := l.forms.Terms(at)
	for _, t := range terms {
		ok = ok && !l.inside[t.Of]
	}
	computed := l.inside[in.Src[0][0].V] || l.inside[last.V]
	ok = ok && !(structured && computed)
	if !ok {
		return "address", "the address of this access changes in the loop"
	}
	at.Plus += float64(more)
	lanes := in.Accessed()
	var c *element
	l.c.Spend(len(l.cells))
	for _, known := range l.cells {
		if known.like.Base != in.Base {
			continue
		}
		other, alike := l.forms.Distance(known.structure, structure)
		switch d, same := l.forms.Distance(known.at, at); {
		case known.unit != unit || !same || !alike || other != 0:
			return "address", "it is not known whether the addresses of two accesses differ"
		case d == 0:
			c = known
		case unit == 1 && overlap(known.read|known.stored, lanes, d):
			return "address", "two accesses share words, but begin at different addresses"
		}
	}
	if c == nil {
		c = &element{like: in, unit: unit, at: at, terms: terms, structure: structure}
		l.cells = append(l.cells, c)
	}
	if in.Op == ir.OpMemLoad {
		if c.like.Op != ir.OpMemLoad {
			c.like = in
		}
		c.read |= lanes
	} else {
		c.stored |= lanes
	}
	if !computed {
		c.ready = in
	}
	l.cellOf[in], c.accesses = c, append(c.accesses, in)
	return "", ""
}

// overlap reports whether a lane of the first access may be in the word of a lane of the second, which begins
// d bytes behind it.
func overlap(first, second uint8, d uint32) bool {
	for i := range uint32(4) {
		for j := range uint32(4) {
			if first>>i&1 != 0 && second>>j&1 != 0 && d+4*j-4*i+3 < 7 {
				return true
			}
		}
	}
	return false
}

// rewrite keeps the elements in registers: each lane becomes a carried value, from a load before the loop to
// a store after it. Loads inside become the current value, and stores set it.
func (l *accumulator) rewrite(f *ir.Func) {
	body, before := l.in.Sub[0], l.in.Args[l.state]
	var loads, stores []*ir.Instr
	replaced := map[*ir.Value]ir.Lane{}
	for _, c := range l.cells {
		loads = append(loads, l.computeAddress(f, c)...)
		load := l.instr(c, ir.OpMemLoad, before)
		for i := range c.now {
			if (c.read|c.stored)>>i&1 == 0 {
				continue
			}
			first := f.Define(load, i, ir.Reg{})
			c.now[i] = f.NewValue(ir.Param, ir.Reg{})
			l.in.Args, body.Params = append(l.in.Args, first), append(body.Params, c.now[i])
		}
		for _, in := range c.accesses {
			load.TakeIn(in, kept)
		}
		loads = append(loads, load)
	}
	l.region(f, body, replaced)
	body.Results = append(body.Results, l.keptValues()...)
	state := before
	for _, c := range l.cells {
		store := l.instr(c, ir.OpMemStore, state)
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
	// The loop no longer stores to the memory, so its state bypasses the loop.
	replaced[body.Params[l.state]] = ir.Lane{V: before}
	replaced[l.in.Results[l.state]] = ir.Lane{V: state}
	f.Replace(replaced)
	at := slices.Index(l.owner.Code, l.in)
	l.owner.Code = slices.Concat(l.owner.Code[:at], loads, []*ir.Instr{l.in}, stores, l.owner.Code[at+1:])
}

// instr returns an access to c at the position of the loop.
func (l *accumulator) instr(c *element, op ir.Op, state *ir.Value) *ir.Instr {
	return &ir.Instr{Op: op, Base: c.like.Base, Imm: l.launch.Kind(c.like, op), Src: []ir.Operand{c.address},
		Args: []*ir.Value{state}, Orig: -1, Pos: l.in.Pos}
}

// computeAddress sets the address of c before the loop. It returns code that computes it, if only the loop has it. The
// address leaves out the literal that like adds.
func (l *accumulator) computeAddress(f *ir.Func, c *element) (code []*ir.Instr) {
	_, more, _ := l.launch.Words(c.like)
	if c.ready != nil {
		if _, same, _ := l.launch.Words(c.ready); same == more {
			c.address = c.ready.Src[0]
			return nil
		}
	}
	sum := f.Const(uint32(int64(c.at.Plus)) - more)
	for _, t := range c.terms {
		in := &ir.Instr{Op: ir.OpIMad, Orig: -1, Pos: l.in.Pos,
			Src: []ir.Operand{{0: {V: t.Of}}, {0: {V: f.Const(t.Times)}}, {0: {V: sum}}}}
		if t.Times == 1 {
			in.Op, in.Src = ir.OpIAdd, []ir.Operand{in.Src[0], in.Src[2]}
		}
		sum = f.Define(in, 0, ir.Reg{})
		code = append(code, in)
	}
	c.address = ir.Splat(ir.Lane{V: sum})
	return code
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
			if c := l.cellOf[in]; c != nil {
				code = append(code, c.replaceAccess(f, in, replaced)...)
				continue
			}
		}
		code = append(code, in)
	}
	r.Code = code
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
