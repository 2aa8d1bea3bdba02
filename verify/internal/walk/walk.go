// Package walk lifts versions and executes them symbolically. A [Unit] is a lifted program or kernel with the
// register rules of its language. [Observe] prepares a version, and [Run] executes the
// versions in a domain until all assumptions about their loops are confirmed. The result is a [View] of each:
// its observable values. The proofs by terms and field compare views in different domains.
package walk

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// walker is the symbolic executor: it executes one function in a domain. Each live instruction is executed
// once, in program order, and each value becomes an element of the domain. Control flow is structured, so
// that a condition (gate) replaces a set of paths. An if executes both sides and merges their results by
// Choose, as if-conversion does. A loop is unrolled, matched by induction (induct.go), executed in
// batches (exact.go), or absorbed by the remainder loop behind it (absorb.go). The cost is linear
// in the number of executed instructions, which is at most maxExecuted.
//
// The same walk serves the proofs by terms and field. A fault of the walk affects both, and only an execution shows
// it.
type walker[T any] struct {
	dom  symbolic.Domain[T]
	prog Unit
	// live is the set of values on which the observed values depend; nothing else is executed.
	live *live
	// leaf returns the value of an input or uniform component.
	leaf func(kind ir.Kind, r ir.Reg) T
	// unwritten, if set, returns the value of a component that was never written.
	unwritten func(r ir.Reg) T
	opt       Options
	// beliefs are the assumptions about loops, by loop and context. The context is a hash of the trip numbers
	// of the unrolled loops around. Each copy of an inner loop thus has its own assumptions.
	beliefs *Beliefs[T]
	context uint64
	// words is dom if it has the algebra of 32-bit words, as for kernels; else nil.
	words *words.Words[T]
	// group is the local memory, if all invocations of a group are executed.
	group *group[T]

	vals  []T    // by value ID
	known []bool // by value ID: whether vals has it
	src   symbolic.Sources[T]
	args  []T // scratch
	// gate is the condition under which the current code runs. path is the part of gate added since the body
	// of the innermost loop was entered, without the breaks met there. The condition of an exit is path and
	// the break's condition, since finish tries exits in order.
	gate, path T
	// exits are the breaks of the innermost loop that were met and may be taken.
	exits []exit[T]
	// steady has the IDs of uniform values, which all invocations of a draw or launch share: literals,
	// constants, and results of arithmetic on them. It is nil if nothing depends on them.
	steady map[uint64]bool
	// decided: a break of the innermost loop is known not to be taken on this trip. chances is the number of
	// breaks that may still decide the trip (see spelled).
	decided bool
	chances int // of the current trip
	// probing: a trip of a loop is compared with trips of another. Then together takes invocations to leave
	// the loop together, so that breaks do not narrow the gate. The flag convergent records an instruction
	// whose value depends on which invocations run it.
	probing, together, convergent bool
	// kills are the conditions under which the invocation is dropped, compared as a set.
	kills []T
	// spared are the states of memories, by ID, without any store on a path that is taken. If an invocation
	// is discarded there, only later stores are lost.
	spared map[uint64]bool
	// premises are the conditions that are known in the current code (split.go).
	premises []premise
	// endings are the loops and barriers that have to terminate (ending.go).
	endings  []ending[T]
	enclosed int // number of endings before the innermost loop
	// facts are about the body of the innermost inducted loop (facts.go).
	facts map[*ir.Value]fact
	// sure is the break of the innermost exact loop; it is taken if ends.
	sure  *ir.Instr
	ends  bool
	depth int // nesting of loops
	// tile multiplies the limits of instructions, from 1 to maxTile.
	tile int
	// budget counts the instructions left of maxExecuted; work is the method's own budget, in steps.
	budget int
	work   *budget.Budget
	unpaid int // operations on words not charged yet
	err    error
}

// Options selects how loops are executed, in both versions alike. Callers try several in turn (see
// Choices): equality under any of them is equality.
type Options struct {
	Unroll  bool // unroll loops of literal trip count
	long    bool // also unroll loops of more instructions than maxSpelled
	Sampled bool // run other loops for a few trips instead of proving them by induction
	Batched bool // match loops although they make several trips at a time
	Copied  bool // also match loops that were unrolled with all their exits (copies.go)
	split   bool // execute loops once for each value of a condition that they do not change (split.go)
	linear  bool // use closed forms for counters and other sums of equal steps (linear.go)
	Reals   bool // use laws of order and functions in the field proof
	// Unpinned compares exact decisions over the reals as well. This proves nothing, but explains the failure
	// of a proof.
	Unpinned bool
}

// maxExecuted limits the instructions that one walk executes, over all trips. A kernel that does the work of several
// invocations may execute up to maxTile times as many.
const (
	maxExecuted = 1 << 17
	maxTile     = 4
)

func newWalker[T any](dom symbolic.Domain[T], p Unit, l *live, opt Options, b *Beliefs[T],
	leaf func(ir.Kind, ir.Reg) T) *walker[T] {
	n := p.Function().NumValues()
	return &walker[T]{dom: dom, prog: p, live: l, leaf: leaf, opt: opt, beliefs: b, vals: make([]T, n),
		known:  make([]bool, n),
		spared: map[uint64]bool{}, steady: steadyFor(p.Function(),
			opt), gate: dom.Always(), path: dom.Always(), tile: 1, budget: maxExecuted}
}

// steadyFor returns an empty set of uniform values, or nil if no instruction of f needs it.
func steadyFor(f *ir.Func, opt Options) (steady map[uint64]bool) {
	if opt.Reals {
		f.Walk(func(in *ir.Instr) {
			if steady == nil && (in.Op == ir.OpDsx || in.Op == ir.OpDsy) {
				steady = map[uint64]bool{}
			}
		})
	}
	return steady
}

// executeFunction executes the whole function.
func (w *walker[T]) executeFunction() error {
	w.executeRegion(w.prog.Function().Body)
	return w.err
}

// value returns the value of v. A value without a definition is named at its first read. Reading a defined
// value that was not executed is an error of liveness.
func (w *walker[T]) value(v *ir.Value) T {
	if w.known[v.ID] {
		return w.vals[v.ID]
	}
	var x T
	switch v.Kind {
	case ir.Literal:
		x = w.dom.Literal(v.Bits)
	case ir.Undef:
		x = w.undefined(v.Home)
	case ir.Input, ir.Uniform:
		x = w.leaf(v.Kind, v.Home)
	default:
		panic(fmt.Sprintf("verify: v%d of %s is read but not live", v.ID, w.prog.Function().Name))
	}
	if w.steady != nil && (v.Kind == ir.Literal || v.Kind == ir.Uniform) {
		w.steady[w.dom.ID(x)] = true
	}
	w.setValue(v, x)
	return x
}

// undefined returns the value of a component that was never written.
func (w *walker[T]) undefined(r ir.Reg) T {
	if w.unwritten != nil {
		return w.unwritten(r)
	}
	return w.dom.Opaque(symbolic.TagUndef, w.prog.Undefined(r), nil)
}

func (w *walker[T]) setValue(v *ir.Value, x T) { w.vals[v.ID], w.known[v.ID] = x, true }

// laneValue returns a source component with its modifiers applied.
func (w *walker[T]) laneValue(l ir.Lane) T {
	x := w.value(l.V)
	if l.Mod == 0 {
		return x
	}
	return w.dom.Modify(x, l.Mod)
}

// executeRegion executes a region and reports whether control certainly left it by a break.
func (w *walker[T]) executeRegion(r *ir.Region) (left bool) {
	for _, in := range r.Code {
		if w.err != nil {
			return true
		}
		if w.budget--; w.budget < 0 {
			w.err = ErrTooLong
			return true
		}
		if w.err = w.chargeStep(); w.err != nil {
			return true
		}
		top := w.group != nil && r == w.prog.Function().Body
		if top {
			w.enter(in)
		}
		if p := w.beliefs.Pins; p != nil && p.recording && w.live.pins[in] {
			w.record(in)
		}
		switch in.Op {
		case ir.OpIf:
			left = w.branch(in)
		case ir.OpLoop:
			w.executeLoop(in)
		case ir.OpBreak:
			left = w.leave(in)
		case ir.OpKill:
			w.collectKills(in)
		case ir.OpDiscard:
			w.discard(in)
		case ir.OpMemLoad, ir.OpMemStore, ir.OpMemAtomic, ir.OpFence:
			w.memory(in)
		default:
			w.instr(in)
		}
		if left {
			return true
		}
		if top {
			w.leaveStatement(in)
		}
	}
	return w.err != nil
}

// instr executes an instruction that computes values, lane by lane. It skips dead lanes, whose operands need
// not have a value. A predicated lane chooses between the computed value and the pass-through value of the
// register.
func (w *walker[T]) instr(in *ir.Instr) {
	var mask uint8
	for i, v := range in.Out {
		if v != nil && w.live.value[v.ID] {
			mask |= 1 << i
		}
	}
	if mask == 0 {
		return
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, mask)
		for i := range 4 {
			if l := in.Src[s][i]; l.V != nil && reads>>i&1 != 0 {
				w.src[s][i] = w.laneValue(l)
			}
		}
	}
	var all T // the common value of all lanes
	shared := false
	for i := range 4 {
		if mask>>i&1 == 0 {
			continue
		}
		var x T
		f, known := w.facts[in.Out[i]]
		switch {
		case known:
			x = w.byFact(f, in, i)
		// All lanes share a replicated result, such as a dot product. Computing it once saves work, and makes
		// the lanes of one instruction equal by construction.
		case in.Op.HasFormula():
			if x = all; !shared {
				x = w.formula(in, i)
				all, shared = x, in.Op.Info().Shape == ir.Replicated
			}
		case in.Op == ir.OpSetp:
			x = w.dom.Compare(in.Cond, w.src[0][i], w.src[1][i])
		case in.Op == ir.OpLoad:
			x = w.loadIndexed(in, i)
		default:
			if !shared {
				all, shared = w.fetch(in), true
			}
			w.args = append(w.args[:0], all)
			w.pinPredicate(in, i)
			x = w.dom.Opaque(symbolic.TagLane, uint64(i), w.args)
			if in.Mods&ir.Sat != 0 {
				x = w.dom.Saturate(x)
			}
		}
		if w.prog.Rounds(in) {
			x = w.rounded(in, i, x)
		}
		w.comparesLane(in, i)
		x = w.dom.Computed(x, in)
		if p := in.Pred[i]; p.V != nil {
			x = w.dom.Choose(w.condition(p), x, w.value(in.Keep[i]))
		}
		w.setValue(in.Out[i], x)
	}
}

// formula executes one lane of an op with a formula, in the algebra of the domain. An immediate becomes part
// of the name. Ops that look at neighbouring invocations (derivatives) also depend on which of them run: on
// the gate.
func (w *walker[T]) formula(in *ir.Instr, lane int) T {
	steady := w.readsSteady(in, lane)
	if steady && (in.Op == ir.OpDsx || in.Op == ir.OpDsy) && in.Pred[lane].V == nil && !w.depends(in) {
		return w.dom.Literal(0) // all neighbours compute the same number
	}
	x := w.dom.Apply(in, lane, &w.src)
	if steady {
		w.steady[w.dom.ID(x)] = true
	}
	if in.Imm != 0 {
		w.args = append(w.args[:0], x, w.dom.Literal(in.Imm))
		x = w.dom.Opaque(symbolic.TagOp, uint64(in.Op), w.args)
	}
	if w.depends(in) {
		w.args = append(w.args[:0], x, w.pinned(in, pinAccess, w.gate))
		x = w.dom.Opaque(symbolic.TagOp, uint64(in.Op), w.args)
	}
	w.args = append(w.args[:0], x)
	if w.pinPredicate(in, lane); len(w.args) > 1 {
		x = w.dom.Opaque(symbolic.TagOp, uint64(in.Op), w.args)
	}
	return x
}

// rounded returns the rounded value of x, which lane of in computes. Rounding is a function of the exact result. The
// sign of a zero also depends on the operation. Constants are folded without rounding.
func (w *walker[T]) rounded(in *ir.Instr, lane int, x T) T {
	_, exact := w.dom.Bits(x)
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				_, isBits := w.dom.Bits(w.src[s][i])
				exact = exact && isBits
			}
		}
	}
	if exact {
		return x
	}
	w.args = append(w.args[:0], x)
	return w.dom.Opaque(symbolic.TagOp, uint64(in.Op)|1<<32, w.args)
}

// readsSteady reports whether all operands of a lane of in are uniform values.
func (w *walker[T]) readsSteady(in *ir.Instr, lane int) bool {
	if w.steady == nil || len(in.Src) == 0 {
		return false
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 && !w.steady[w.dom.ID(w.src[s][i])] {
				return false
			}
		}
	}
	return true
}

// depends reports whether the result of in depends on which invocations run it, because the gate is not known
// to hold. The Direct3D 9 reference leaves dsx, dsy and texld undefined under flow control that differs
// between pixels. Such values are therefore functions of their condition as well.
func (w *walker[T]) depends(in *ir.Instr) bool {
	if _, known := w.dom.Truth(w.gate); known || !w.prog.Gated(in) {
		return false
	}
	w.convergent = true
	return true
}

// fetch returns the result of a texture instruction, all lanes in one opaque value. Equal coordinates and an
// equal gate give equal texels; nothing else is known of textures.
func (w *walker[T]) fetch(in *ir.Instr) T {
	op := w.coordinates(in)
	w.operands(in, op)
	if w.depends(in) {
		w.args = append(w.args, w.pinned(in, pinAccess, w.gate))
	}
	aux := uint64(op) | uint64(in.Res.Unit)<<8 | uint64(in.Res.Dim)<<16 | w.prog.Space()<<24
	if in.Mods&ir.Half != 0 {
		aux |= symbolic.FetchHalf
	}
	return w.dom.Opaque(symbolic.TagFetch, aux, w.args)
}

// operands collects in w.args the operands of an instruction without a formula, read as op, and the
// properties that distinguish it: sampler, offsets, set components, immediate.
func (w *walker[T]) operands(in *ir.Instr, op ir.Op) {
	w.args = w.args[:0]
	var lanes uint32 // set components
	for s := range in.Src {
		reads := in.ReadsFor(s, 1)
		if op != in.Op { // a plain fetch has only coordinates
			reads &^= 8
		}
		lanes |= uint32(reads) << (4 * s)
		for i := range 4 {
			if reads>>i&1 != 0 {
				w.args = append(w.args, w.src[s][i])
			}
		}
	}
	if r := in.Res; in.Op.Has(ir.AsSet) || r.Sampler != 0 || r.Offset != [3]int8{} {
		place := uint32(r.Sampler) | uint32(uint8(r.Offset[0]))<<8 | uint32(uint8(r.Offset[1]))<<16 | uint32(uint8(r.Offset[2]))<<24
		w.args = append(w.args, w.dom.Literal(place), w.dom.Literal(lanes), w.dom.Literal(in.Imm))
	}
}

// loadIndexed reads component comp of a register whose number is computed, c[a0.x+n]. A known index, such as the
// counter of an unrolled loop, names the register. Otherwise the value is a function of the index and of
// every accessible register that the application does not set alone (see Program).
func (w *walker[T]) loadIndexed(in *ir.Instr, comp int) T {
	index := w.src[0][0]
	if in.Imm != 0 {
		index = w.words.AddLiteral(index, in.Imm)
	}
	if k, ok := w.dom.Bits(index); ok {
		if r, ok := w.prog.Indexed(in, k); ok {
			r.Comp = uint8(comp)
			return w.register(r)
		}
	}
	w.args = append(w.args[:0], index)
	for _, n := range w.prog.Reach(in) {
		r := ir.Reg{File: in.Base.File, Index: n, Comp: uint8(comp)}
		w.args = append(w.args, w.dom.Literal(uint32(n)), w.register(r))
	}
	base := ir.Reg{File: in.Base.File, Index: in.Base.Index, Comp: uint8(comp)}
	return w.dom.Opaque(symbolic.TagLoad, w.prog.RegisterKey(base), w.args)
}

// register returns the value of a register that code does not change.
func (w *walker[T]) register(r ir.Reg) T {
	switch kind, bits := w.prog.Holds(r); kind {
	case ir.Literal:
		return w.dom.Literal(bits)
	case ir.Undef:
		return w.undefined(r)
	default:
		return w.leaf(kind, r)
	}
}

// condition returns the boolean value of a lane.
func (w *walker[T]) condition(l ir.Lane) T {
	c := w.dom.Boolean(w.value(l.V))
	if l.Mod&ir.Not != 0 {
		c = w.dom.Not(c)
	}
	return c
}

// decides returns the condition of an if or break.
func (w *walker[T]) decides(in *ir.Instr) T {
	switch {
	case len(in.Src) == 0:
		return w.dom.Always()
	case in.Cond == ir.CondNone:
		return w.condition(in.Src[0][0])
	}
	a, b := w.laneValue(in.Src[0][0]), w.laneValue(in.Src[1][0])
	w.compares(in, 0, a, b)
	return w.dom.Compare(in.Cond, a, b)
}

// branch executes an if: both sides under the narrowed gate, then a choice of their results by the condition.
// If one side certainly does not run, or certainly leaves the loop, the results are those of the other.
// branch reports whether both sides leave.
func (w *walker[T]) branch(in *ir.Instr) (left bool) {
	if !w.live.ctrl[in] {
		return false
	}
	c := w.decides(in)
	gate, path, exits := w.gate, w.path, len(w.exits)
	var gone [2]bool
	holds, known := w.truth(c)
	if m := w.beliefs.branches; m != nil {
		_, literal := w.dom.Truth(c)
		m[in] = append(m[in], premise{yes: w.dom.ID(c), no: w.dom.ID(w.dom.Not(c)), holds: holds, literal: literal})
		known = known && !literal // later trips may take the other side
	}
	for side, sub := range in.Sub {
		if known { // then the gate has the condition
			gone[side] = holds == (side == 1) || w.executeRegion(sub)
			continue
		}
		cond := c
		if side == 1 {
			cond = w.dom.Not(c)
		}
		w.gate, w.path = w.dom.And(gate, cond), w.dom.And(path, cond)
		if w.opt.split && w.live.around[in] {
			w.under(in.Src[0][0], c, side == 0, func() { gone[side] = w.executeRegion(sub) })
		} else {
			gone[side] = w.executeRegion(sub)
		}
	}
	w.gate, w.path = gate, path
	// Code behind the if runs only if none of its breaks was taken.
	for _, e := range w.exits[exits:] {
		w.narrow(e.cond)
	}
	if gone[0] && gone[1] {
		return true
	}
	for k, v := range in.Results {
		switch {
		case !w.live.value[v.ID]:
		case gone[0]:
			w.setValue(v, w.value(in.Sub[1].Results[k]))
		case gone[1]:
			w.setValue(v, w.value(in.Sub[0].Results[k]))
		default:
			yes, no := in.Sub[0].Results[k], in.Sub[1].Results[k]
			x := w.dom.Choose(c, w.value(yes), w.value(no))
			w.setValue(v, x)
			if len(w.spared) > 0 && w.isUnchanged(yes) && w.isUnchanged(no) {
				w.spared[w.dom.ID(x)] = true
			}
		}
	}
	return false
}

// collectKills collects the conditions under which the fragment is dropped, one per lane: texkill drops if any
// component read is below zero. A literal component that is not below zero, including NaN, drops nothing.
func (w *walker[T]) collectKills(in *ir.Instr) {
	for i, l := range in.Src[0] {
		if l.V == nil {
			continue
		}
		x, gate := w.laneValue(l), w.gate
		if bits, ok := w.dom.Bits(x); ok && !negative(bits) {
			continue
		}
		if p := in.Pred[i]; p.V != nil {
			gate = w.dom.And(gate, w.condition(p))
		}
		w.compares(in, i, x, w.dom.Literal(0))
		w.args = append(w.args[:0], gate, x)
		w.kills = append(w.kills, w.dom.Opaque(symbolic.TagKill, 0, w.args))
	}
}
