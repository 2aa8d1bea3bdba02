package hostconst

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/vsps"
)

// A hoister takes from a program of an effect what it computes from constants alone, which its
// preshader can compute once a draw: sums and products of parameters, and, as copies, constants
// that an instruction may read only if they are in one register. Operations are those that clients
// of preshaders agree on. It is loop-invariant code motion across the draw: the pixels are the
// loop.
//
//	mul r0, c0.x, c1.x             preshader: mul c2.x, c0.x, c1.x
//	add r0, r0, v0                 add r0, c2.x, v0
type hoister struct {
	// p is the program, old what it was before other passes.
	p, old *d3d9.Program
	f      *ir.Func
	// table lists the parameters of p.
	table []d3d9.Constant
	real  bool // operations may move, and not copies alone
	// emitter writes versions of p, to be measured.
	emitter *vsps.Emitter
	trial   ir.Cloner          // memory of the versions that are written
	slots   int                // that f takes
	pre     *preshader.Program // with inputs for all parameters of the program
	values  preshader.Values
	// computed are the components that the preshader sets already.
	computed map[uint32]*preshader.Value
	// known are the values of f that depend on constants alone, as expressions.
	known map[*ir.Value]*preshader.Value
	// free are the registers that the preshader may set, given those that it will.
	free  []uint16
	given []givenReg
}

// givenReg is a register that the preshader sets from now on, and what to.
type givenReg struct {
	index uint16
	holds []*preshader.Value
}

// maxHoists bounds how many ways to hoist are tried in a program.
const maxHoists = 96

// Moved counts components that a preshader sets from now on: by operations that the program
// made, and by copies.
type Moved struct{ Computed, Copied int }

// hoist gives p, which was another program, a preshader that does more, if it is shorter then.
// It is p itself if not, and if it is asked to move operations and there are none. Programs of
// ps_1_x are left alone: they clamp constants, and what preshaders leave in them.
func hoist(p, old *d3d9.Program, real, operations bool) (_ *d3d9.Program, moved Moved, err error) {
	h := &hoister{p: p, old: old, real: real, known: map[*ir.Value]*preshader.Value{}}
	table, err := p.ConstantTable()
	if err != nil || table == nil || p.Model.Stage == d3d9.Pixel && p.Model.Major == 1 {
		return p, moved, err
	}
	h.table = table.Constants
	pre, err := preshader.Of(p)
	if err != nil {
		return p, moved, err
	}
	// A preshader that is not understood is left alone, since extending it means to write it again.
	if pre != nil {
		if err := pre.Check(); err != nil {
			return p, moved, nil // it is left to the clients that take it
		}
		if _, err := preshader.Trace(pre, &h.values); err != nil {
			return p, moved, nil // likewise
		}
	}
	if h.pre, err = preshader.Widened(pre, h.table); err != nil {
		return p, moved, err
	}
	if h.computed, err = preshader.Trace(h.pre, &h.values); err != nil {
		return p, moved, err
	}
	if h.f, err = vsps.Lift(p); err != nil {
		return p, moved, nil // it is not understood
	}
	h.prepare()
	defer h.emitter.Close()
	users := h.users()
	if operations && !slices.ContainsFunc(users, func(u user) bool { return u.computed }) {
		return p, moved, nil
	}
	h.search(users)
	if len(h.given) == 0 {
		return p, moved, nil
	}
	// For the report: what is computed anew, and what was only copied together.
	for _, g := range h.given {
		for _, x := range g.holds {
			if operates(x) && !h.sets(x) {
				moved.Computed++
			} else {
				moved.Copied++
			}
		}
	}
	q, err := h.result()
	return q, moved, err
}

// sets reports whether the preshader computes x as it is.
func (h *hoister) sets(x *preshader.Value) bool {
	for _, y := range h.computed { // any
		if x == y {
			return true
		}
	}
	return false
}

// prepare finds registers and values.
func (h *hoister) prepare() {
	// The name of a register in the old table stays what it was: the host may set it.
	h.slots, h.emitter = d3d9.Measure(h.p).Slots, vsps.NewEmitter(h.p)
	names, _ := h.old.ConstantTable() // a register is not given another meaning
	h.free = slices.DeleteFunc(vsps.FreeConstants(h.p, h.f), func(n uint16) bool { return names.Lookup(d3d9.Reg{File: d3d9.Const, Index: n}) != nil })
	// Evaluate every instruction over expressions instead of numbers; nil is what is no expression.
	// A precise instruction must not be computed by the host, which rounds in another way.
	// Nor must a nrm: of a zero vector it makes zero, whatever w is, and the host infinity and NaN.
	h.f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpNrm || !in.Op.HasFormula() || in.IsPredicated() || in.Imm != 0 || in.Op.Has(ir.Convergent) {
			return
		}
		for lane, v := range in.Out {
			if v == nil {
				continue
			}
			x := ir.Eval(algebra{&h.values}, in.Op, lane, func(src, lane int) *preshader.Value { return h.lane(in.Src[src][lane]) })
			if x != nil && in.Mods&ir.Sat != 0 {
				x = h.values.Apply(preshader.Min, 0, h.values.Apply(preshader.Max, 0, x, h.values.Literal(0)), h.values.Literal(1))
			}
			if x != nil && (!operates(x) || h.real && !in.Precise) {
				h.known[v] = x
			}
		}
	})
}

// reach is what a trial hoists of what a user reads.
type reach int

// onlyComputed: what is computed of constants. withParameters: parameters that are read beside it,
// too, as an instruction reads one constant register up to ps_2_0. withLiterals: literals as well.
const (
	onlyComputed reach = iota
	withParameters
	withLiterals
)

// search tries what to hoist, greedily, and keeps what makes the program shorter: all that is
// computed at once, or else of single instructions; then, for each instruction that only copies
// constants, what its readers read, into one register.
func (h *hoister) search(users []user) {
	left := maxHoists
	try := func(list ...user) bool {
		for r := onlyComputed; r <= withLiterals && left > 0; r++ {
			left--
			if h.try(r, list) {
				return true
			}
		}
		return false
	}
	var with []user
	for _, u := range users {
		if u.computed {
			with = append(with, u)
		}
	}
	if len(with) > 0 && !try(with...) {
		for _, u := range with {
			try(u)
		}
	}
	for _, v := range h.copies() {
		var list []user
		for _, u := range users {
			if u.reads(v) {
				list = append(list, u)
			}
		}
		if len(list) > 0 {
			try(list...)
		}
	}
}

// user is an instruction, or the outputs, that reads constants and is no constant.
type user struct {
	in       *ir.Instr // nil of outputs
	computed bool      // something that is computed of constants is read
}

// reads reports whether u reads a result of v.
func (u user) reads(v *ir.Instr) (yes bool) {
	if u.in != nil {
		u.in.EachUse(func(l *ir.Lane) { yes = yes || l.V.Kind == ir.Result && l.V.Def == v })
	}
	return yes
}

// isComputed reports whether v is computed of constants, and no copy.
func (h *hoister) isComputed(v *ir.Value) bool {
	x := h.value(v)
	return x != nil && v.Kind == ir.Result && operates(x)
}

// constant reports whether all that in does is to compute constants.
func (h *hoister) constant(in *ir.Instr) bool {
	all := in.Mask() != 0
	in.EachDef(func(v *ir.Value) { all = all && h.known[v] != nil })
	return all
}

// users lists the instructions that stay and what each has to read, in program order, the outputs
// last.
func (h *hoister) users() (list []user) {
	h.f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.Structured) { // whose operands may be integers, or booleans
			return
		}
		some := false
		in.EachUse(func(l *ir.Lane) { some = some || h.isComputed(l.V) })
		if !h.constant(in) {
			list = append(list, user{in, some})
		}
	})
	some := slices.ContainsFunc(h.f.Outs, func(o ir.Output) bool { return h.isComputed(o.V) })
	return append(list, user{nil, some})
}

// copies are the instructions that only copy constants.
func (h *hoister) copies() (list []*ir.Instr) {
	h.f.Walk(func(in *ir.Instr) {
		copies := h.constant(in)
		in.EachDef(func(v *ir.Value) { copies = copies && !operates(h.known[v]) })
		if copies {
			list = append(list, in)
		}
	})
	return list
}

// try has the preshader compute what users read of constants, as far as r says. If the
// program does not get shorter, everything is as it was.
func (h *hoister) try(r reach, users []user) bool {
	given, slots := slices.Clone(h.given), h.slots
	for i := range given {
		given[i].holds = slices.Clone(given[i].holds)
	}
	var undo []func()
	changed := true
	for _, u := range users {
		changed = changed && h.change(u, r, &undo)
	}
	// Shorter in slots: dead code is swept by emit, so what was hoisted counts no more.
	if changed && len(undo) > 0 {
		if h.slots = h.measure(); h.slots < slots {
			return true
		}
	}
	for _, back := range slices.Backward(undo) {
		back()
	}
	h.given, h.slots = given, slots
	return false
}

// change has a user read registers that the preshader sets.
func (h *hoister) change(u user, r reach, undo *[]func()) bool {
	var lanes []**ir.Value
	note := func(v **ir.Value) {
		x := h.value(*v)
		if x != nil && (r == withLiterals || r == withParameters && x.Kind != preshader.FromLiteral || h.isComputed(*v)) {
			lanes = append(lanes, v)
		}
	}
	// An output takes a mov from any register, so constants that are only copied stay.
	if u.in == nil {
		for i := range h.f.Outs {
			if h.isComputed(h.f.Outs[i].V) {
				note(&h.f.Outs[i].V)
			}
		}
	} else {
		for s := range u.in.Src {
			for i := range u.in.Src[s] {
				if l := &u.in.Src[s][i]; l.V != nil {
					note(&l.V)
				}
			}
		}
	}
	// Four values at a time: a register.
	for len(lanes) > 0 {
		var values []*preshader.Value
		n := 0
		for ; n < len(lanes); n++ {
			if x := h.value(*lanes[n]); !slices.Contains(values, x) {
				if len(values) == 4 {
					break
				}
				values = append(values, x)
			}
		}
		if n < len(lanes) && u.in != nil { // an instruction that could still read but one register
			return false
		}
		g := h.give(values)
		if g == nil {
			return false
		}
		if !slices.ContainsFunc(g.holds, func(x *preshader.Value) bool { return x.Kind != preshader.FromLiteral }) {
			return false // a program defines literals itself
		}
		for _, v := range lanes[:n] {
			old := *v
			comp := slices.Index(g.holds, h.value(old))
			*undo = append(*undo, func() { *v = old })
			*v = h.f.Leaf(ir.Uniform, ir.Reg{File: ir.File(d3d9.Const), Index: g.index, Comp: uint8(comp)})
		}
		lanes = lanes[n:]
	}
	return true
}

// give finds a register for values that are read together: one that holds some and has room for the
// rest, or a new one; nil if there is none.
func (h *hoister) give(values []*preshader.Value) *givenReg {
	for i := range h.given {
		g := &h.given[i]
		holds := slices.Clone(g.holds)
		for _, x := range values {
			if !slices.Contains(holds, x) {
				holds = append(holds, x)
			}
		}
		if len(holds) <= 4 {
			g.holds = holds
			return g
		}
	}
	if len(h.given) == len(h.free) {
		return nil
	}
	h.given = append(h.given, givenReg{h.free[len(h.given)], values})
	return &h.given[len(h.given)-1]
}

// noSlots is the price of what cannot be written.
const noSlots = math.MaxInt

// measure is how many slots the program takes. What is no shorter than before is not looked at
// further: most versions are not.
func (h *hoister) measure() int {
	q, err := h.emit()
	if err != nil {
		return noSlots
	}
	slots := d3d9.Measure(q).Slots
	if slots < h.slots && len(d3d9.Validate(q)) > 0 {
		return noSlots
	}
	return slots
}

// emit writes the program as it is now. A clone is swept, so that the function can be undone.
func (h *hoister) emit() (*d3d9.Program, error) {
	f := h.trial.Clone(h.f)
	dce.Sweep(f)
	return h.emitter.Emit(f)
}

// result is the program with its preshader: what was found to be shorter, and valid, last.
func (h *hoister) result() (*d3d9.Program, error) {
	q, err := h.emit()
	if err != nil {
		return nil, err
	}
	kept := *q // the emitter writes the next one where this one is
	kept.Insts = slices.Clone(q.Insts)
	q = &kept
	outs := map[uint32]*preshader.Value{}
	for _, g := range h.given {
		for comp, x := range g.holds {
			outs[4*uint32(g.index)+uint32(comp)] = x
		}
	}
	return q, extend(q, h.pre, &h.values, outs)
}
