package effect

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/vsps"
)

// A hoister moves computations on constants alone from a program of an effect to its preshader, which
// runs once per draw. It moves sums and products of parameters. It also copies constants into one
// register for instructions that may read only one. It uses operations on which clients of preshaders
// agree. This is loop-invariant code motion across the draw: the pixels are the loop.
//
//	mul r0, c0.x, c1.x             preshader: mul c2.x, c0.x, c1.x
//	add r0, r0, v0                 add r0, c2.x, v0
type hoister struct {
	// p is the program, old its version before other passes.
	p, old *d3d9.Program
	f      *ir.Func
	// table lists the parameters of p.
	table []d3d9.Constant
	real  bool // operations may move, not only copies
	// emitter writes versions of p for measurement.
	emitter *vsps.Emitter
	trial   ir.Cloner          // memory of the trial versions
	slots   int                // slots of f
	pre     *preshader.Program // with all parameters of the program as inputs
	inputs  []d3d9.Constant    // of pre
	values  preshader.Values
	// computed are the components that the preshader already sets.
	computed map[uint32]*preshader.Value
	// known has the values of f that depend on constants alone, as expressions.
	known map[*ir.Value]*preshader.Value
	// free are the registers that the preshader may set, given the registers that it will set.
	free  []uint16
	given []givenReg
}

// givenReg is a register that the new preshader sets, with its values.
type givenReg struct {
	index uint16
	holds []*preshader.Value
}

// maxHoists limits the trials in a program.
const maxHoists = 96

// Moved counts the components that a preshader newly sets: by operations of the program, and by copies.
type Moved struct{ Computed, Copied int }

// hoist gives p, whose original is old, a longer preshader if that makes p shorter. Otherwise it
// returns p. With operations set, it also returns p if no operation can move. It skips programs of
// ps_1_x, which emission does not write.
func hoist(p, old *d3d9.Program, real, operations bool) (_ *d3d9.Program, moved Moved, err error) {
	h := &hoister{p: p, old: old, real: real, known: map[*ir.Value]*preshader.Value{}}
	table, err := p.ConstantTable()
	if err != nil || table == nil || !vsps.CanEmit(p.Model) {
		return p, moved, err
	}
	h.table = table.Constants
	pre, err := preshader.FromProgram(p)
	if err != nil {
		return p, moved, err
	}
	// An unsupported preshader is left alone, since extending it means rewriting it.
	if pre != nil {
		if err := pre.Check(); err != nil {
			return p, moved, nil // left to the clients that support it
		}
		if _, err := preshader.Trace(pre, &h.values); err != nil {
			return p, moved, nil // likewise
		}
	}
	if h.pre, err = preshader.Widened(pre, h.table); err != nil {
		return p, moved, err
	}
	if h.inputs, err = h.pre.Inputs(); err != nil {
		return p, moved, err
	}
	if h.computed, err = preshader.Trace(h.pre, &h.values); err != nil {
		return p, moved, err
	}
	if h.f, err = vsps.Lift(p); err != nil {
		return p, moved, nil // p is not supported
	}
	h.prepare()
	defer h.emitter.Close()
	users := h.users()
	if operations && !slices.ContainsFunc(users, func(u user) bool { return u.computed }) {
		return p, moved, nil
	}
	h.search(users, operations)
	if len(h.given) == 0 {
		return p, moved, nil
	}
	// For the report: values that the host newly computes, and values that it only copies.
	for _, g := range h.given {
		for _, x := range g.holds {
			if operates(x) && !h.computesValue(x) {
				moved.Computed++
			} else {
				moved.Copied++
			}
		}
	}
	q, err := h.result()
	return q, moved, err
}

// computesValue reports whether the preshader already computes x.
func (h *hoister) computesValue(x *preshader.Value) bool {
	for _, y := range h.computed { // any
		if x == y {
			return true
		}
	}
	return false
}

// prepare initializes registers and values.
func (h *hoister) prepare() {
	h.slots, h.emitter = d3d9.Measure(h.p).Slots, vsps.NewEmitter(h.p)
	// A register in the old table keeps its meaning: the host may set it.
	names, _ := h.old.ConstantTable()
	h.free = slices.DeleteFunc(vsps.FreeConstants(h.p, h.f),
		func(n uint16) bool { return names.Lookup(d3d9.Reg{File: d3d9.Const, Index: n}) != nil })
	// Evaluate every instruction over expressions instead of numbers; nil means no expression. The host
	// must not compute precise instructions, because it rounds differently. Nor may it compute nrm: for
	// a zero vector nrm gives zero for any w, and the host infinity and NaN.
	h.f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpNrm || !in.Op.HasFormula() || in.IsPredicated() || in.Imm != 0 || in.Op.Has(ir.Convergent) {
			return
		}
		for lane, v := range in.Out {
			if v == nil {
				continue
			}
			x := ir.Eval(algebra{&h.values}, in.Op, lane,
				func(src, lane int) *preshader.Value { return h.laneValue(in.Src[src][lane]) })
			if x != nil && in.Mods&ir.Sat != 0 {
				x = h.values.Apply(preshader.Min, 0, h.values.Apply(preshader.Max, 0, x, h.values.Literal(0)), h.values.Literal(1))
			}
			if x != nil && (!operates(x) || h.real && !in.Precise && !in.Decides) {
				h.known[v] = x
			}
		}
	})
}

// reach selects the operands of a user that a trial hoists.
type reach int

// onlyComputed hoists values computed from constants. withParameters adds parameters read next to them,
// since an instruction reads one constant register up to ps_2_0. withLiterals adds literals.
const (
	onlyComputed reach = iota
	withParameters
	withLiterals
)

// search tries candidates greedily and keeps those that make the program shorter. It tries all computed
// values at once, or else those of single instructions. Then, for each instruction that only copies
// constants, it tries to move the operands of its readers into one register. A reach that adds no operand
// is not tried again. With operations set, copies move only next to computed values.
func (h *hoister) search(users []user, operations bool) {
	left := maxHoists
	try := func(list ...user) bool {
		reads := make([][]operand, len(list))
		for i, u := range list {
			reads[i] = h.operands(u)
		}
		for r := onlyComputed; r <= withLiterals && left > 0; r++ {
			left--
			some := slices.ContainsFunc(reads, func(of []operand) bool {
				return slices.ContainsFunc(of, func(o operand) bool { return o.from == r })
			})
			if some && h.tryHoist(r, list, reads) {
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
	if len(with) > 0 && !try(with...) && len(with) > 1 {
		for _, u := range with {
			try(u)
		}
	}
	if operations && len(h.given) == 0 {
		return
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

// user is a non-constant instruction, or the outputs, that reads constants.
type user struct {
	in       *ir.Instr // nil for outputs
	computed bool      // it reads a value computed from constants
}

// reads reports whether u reads a result of v.
func (u user) reads(v *ir.Instr) (yes bool) {
	if u.in != nil {
		u.in.EachUse(func(l *ir.Lane) { yes = yes || l.V.Kind == ir.Result && l.V.Def == v })
	}
	return yes
}

// isComputed reports whether v is computed from constants and is not a copy.
func (h *hoister) isComputed(v *ir.Value) bool {
	x := h.value(v)
	return x != nil && v.Kind == ir.Result && operates(x)
}

// constant reports whether all results of in are constants.
func (h *hoister) constant(in *ir.Instr) bool {
	all := in.Mask() != 0
	in.EachDef(func(v *ir.Value) { all = all && h.known[v] != nil })
	return all
}

// users lists the instructions that stay, in program order, with their need for computed values; the
// outputs are last.
func (h *hoister) users() (list []user) {
	h.f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.Structured) { // their operands may be integers or booleans
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

// copies returns the instructions that only copy constants.
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

// tryHoist makes the preshader compute the constant operands of users selected by r. If the program does not
// get shorter, it restores the previous state.
func (h *hoister) tryHoist(r reach, users []user, reads [][]operand) bool {
	given, slots := slices.Clone(h.given), h.slots
	for i := range given {
		given[i].holds = slices.Clone(given[i].holds)
	}
	var undo []func()
	changed := true
	for i, u := range users {
		changed = changed && h.change(u, r, reads[i], &undo)
	}
	// Count slots: emit sweeps dead code, so hoisted instructions no longer count.
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

// operand is a component that a user reads, with its value over constants.
type operand struct {
	at   **ir.Value
	x    *preshader.Value
	from reach // the least reach that hoists it
}

// operands lists the components that a user reads and that the preshader could set.
func (h *hoister) operands(u user) (list []operand) {
	note := func(at **ir.Value) {
		x := h.value(*at)
		switch {
		case x == nil:
		case (*at).Kind == ir.Result && operates(x):
			list = append(list, operand{at, x, onlyComputed})
		case u.in == nil: // an output takes a mov from any register, so copied constants stay
		case x.Kind != preshader.FromLiteral:
			list = append(list, operand{at, x, withParameters})
		default:
			list = append(list, operand{at, x, withLiterals})
		}
	}
	if u.in == nil {
		for i := range h.f.Outs {
			note(&h.f.Outs[i].V)
		}
		return list
	}
	for s := range u.in.Src {
		for i := range u.in.Src[s] {
			if l := &u.in.Src[s][i]; l.V != nil {
				note(&l.V)
			}
		}
	}
	return list
}

// change makes a user read registers that the preshader sets, for the operands selected by r.
func (h *hoister) change(u user, r reach, reads []operand, undo *[]func()) bool {
	var lanes []operand
	for _, o := range reads {
		if o.from <= r {
			lanes = append(lanes, o)
		}
	}
	// Up to four values share a register.
	for len(lanes) > 0 {
		var values []*preshader.Value
		n := 0
		for ; n < len(lanes); n++ {
			if x := lanes[n].x; !slices.Contains(values, x) {
				if len(values) == 4 {
					break
				}
				values = append(values, x)
			}
		}
		if n < len(lanes) && u.in != nil { // an instruction may read only one register
			return false
		}
		g := h.assignRegister(values)
		if g == nil {
			return false
		}
		if !slices.ContainsFunc(g.holds, func(x *preshader.Value) bool { return x.Kind != preshader.FromLiteral }) {
			return false // programs define literals themselves
		}
		for _, o := range lanes[:n] {
			old := *o.at
			comp := slices.Index(g.holds, o.x)
			*undo = append(*undo, func() { *o.at = old })
			*o.at = h.f.Leaf(ir.Uniform, ir.Reg{File: ir.File(d3d9.Const), Index: g.index, Comp: uint8(comp)})
		}
		lanes = lanes[n:]
	}
	return true
}

// assignRegister returns a register for values that are read together: one that has some of them and room for the
// rest, or a new one; nil if none is left.
func (h *hoister) assignRegister(values []*preshader.Value) *givenReg {
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

// noSlots is the price of a program that cannot be written.
const noSlots = math.MaxInt

// measure returns the slots of the program. It validates only versions that are shorter; most are not.
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

// emit writes the current program. It sweeps a clone, so that changes to the function can be undone.
func (h *hoister) emit() (*d3d9.Program, error) {
	f := h.trial.Clone(h.f)
	cleanup.Sweep(f)
	return h.emitter.Emit(f)
}

// result returns the program with its preshader, from the last version found shorter and valid.
func (h *hoister) result() (*d3d9.Program, error) {
	q, err := h.emit()
	if err != nil {
		return nil, err
	}
	kept := *q // the emitter overwrites it
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
