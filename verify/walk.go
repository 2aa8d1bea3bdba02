package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// walker executes one function symbolically in a domain: every live instruction once, in program
// order, each value becoming an element of the domain. Control flow is structured, so that the
// state of the walk is a condition (gate) and no set of paths: an if executes both sides and
// merges their results by Choose, as if-conversion does; a loop is unrolled, matched by induction
// (walk_induct.go), in batches (walk_exact.go), or absorbed by the loop behind it (walk_absorb.go).
// The cost is linear in the instructions executed, of which there are at most maxExecuted.
//
// The same walk serves rungs 1 and 3. What it gets wrong both get wrong, and only an execution on
// rung 2 shows it.
type walker[T any] struct {
	dom  symbolic.Domain[T]
	prog unit
	// live says what the observed values depend on; nothing else is executed.
	live *live
	// leaf is the value of an input or uniform component.
	leaf func(kind ir.Kind, r ir.Reg) T
	// unwritten, if set, is the value of a component that was never written.
	unwritten func(r ir.Reg) T
	opt       loopOptions
	// beliefs are what is assumed of loops, by loop and context: a hash of the trip numbers of the
	// unrolled loops around, so that each copy of an inner loop has assumptions of its own.
	beliefs *beliefs[T]
	context uint64
	// words is the domain again where it knows the algebra of 32-bit words, as for kernels; else nil.
	words *words.Words[T]

	vals  []T    // by value ID
	known []bool // which of them are
	src   symbolic.Sources[T]
	args  []T // scratch
	// gate is the condition under which the current code runs. path is the part of it that was
	// added since the body of the innermost loop was entered, without the breaks met there: the
	// condition of an exit is path and the break's own, since finish tries exits in order.
	gate, path T
	// exits are the breaks of the innermost loop that were met and may be taken.
	exits []exit[T]
	// decided: a break of the innermost loop is known not to be taken on this trip; chances is how
	// many breaks may still be, while the loop is executed trip by trip (see spelled).
	decided bool
	chances int // breaks of it that may still be, while it is executed trip by trip
	// While a trip of a loop is compared with trips of another (probing), invocations are taken to
	// leave the loop together, so that breaks do not narrow the gate; convergent notes that an
	// instruction was met whose value depends on which invocations run it.
	probing, together, convergent bool
	// kills are the conditions under which the invocation is dropped, compared as a set.
	kills []T
	// spared are the states of memories, by ID, that nothing was stored in on any path that is taken: where
	// an invocation is discarded, no more than later stores go astray.
	spared map[uint64]bool
	// endings are the loops and barriers that have to come to an end (walk_ending.go).
	endings  []ending[T]
	enclosed int // how many of them are from before the innermost loop
	// sure is the break of the innermost exact loop, which is taken if ends.
	sure  *ir.Instr
	ends  bool
	depth int // of loops
	// budget counts the instructions left of maxExecuted; work is the rung's own budget, in steps.
	budget int
	work   *budget.Budget
	unpaid int // operations on words
	err    error
}

// loopOptions says how loops are executed; both sides of a comparison use the same. Callers try
// several in turn (see loopChoices): equality under any of them is equality.
type loopOptions struct {
	unroll  bool // loops of literal trip count are unrolled
	long    bool // those too that take more instructions than maxSpelled
	sampled bool // others run for a few trips instead of being proved by induction
	batched bool // loops are matched although they make several trips at a time
	reals   bool // rung 3 knows what holds of order and functions
}

// maxExecuted bounds the instructions that one walk executes, over all trips.
const maxExecuted = 1 << 17

func newWalker[T any](dom symbolic.Domain[T], p unit, l *live, opt loopOptions, b *beliefs[T], leaf func(ir.Kind, ir.Reg) T) *walker[T] {
	n := p.function().NumValues()
	return &walker[T]{dom: dom, prog: p, live: l, leaf: leaf, opt: opt, beliefs: b, vals: make([]T, n), known: make([]bool, n),
		spared: map[uint64]bool{}, gate: dom.Always(), path: dom.Always(), budget: maxExecuted}
}

// run executes the whole function.
func (w *walker[T]) run() error {
	w.code(w.prog.function().Body)
	return w.err
}

// value is what v is known to hold. Values without a definition are named when first read; a
// value with one that was not executed is an error of liveness.
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
		panic(fmt.Sprintf("verify: v%d of %s is read but not live", v.ID, w.prog.function().Name))
	}
	w.set(v, x)
	return x
}

// undefined is what a component holds that was never written.
func (w *walker[T]) undefined(r ir.Reg) T {
	if w.unwritten != nil {
		return w.unwritten(r)
	}
	return w.dom.Opaque(symbolic.TagUndef, w.prog.undefined(r), nil)
}

func (w *walker[T]) set(v *ir.Value, x T) { w.vals[v.ID], w.known[v.ID] = x, true }

// lane is a source component with its modifiers.
func (w *walker[T]) lane(l ir.Lane) T {
	x := w.value(l.V)
	if l.Mod == 0 {
		return x
	}
	return w.dom.Modify(x, l.Mod)
}

// code executes a region and reports whether control left it by a break for sure.
func (w *walker[T]) code(r *ir.Region) (left bool) {
	for _, in := range r.Code {
		if w.err != nil {
			return true
		}
		if w.budget--; w.budget < 0 {
			w.err = errTooLong
			return true
		}
		if w.err = w.pay(); w.err != nil {
			return true
		}
		switch in.Op {
		case ir.OpIf:
			left = w.branch(in)
		case ir.OpLoop:
			w.loop(in)
		case ir.OpBreak:
			left = w.leave(in)
		case ir.OpKill:
			w.kill(in)
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
	}
	return w.err != nil
}

// instr executes an instruction that computes values, lane by lane. Dead lanes are left out: what
// they would read need not have a value. The result of a predicated lane chooses between what was
// computed and what the register held.
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
				w.src[s][i] = w.lane(l)
			}
		}
	}
	var all T // what every lane shares
	shared := false
	for i := range 4 {
		if mask>>i&1 == 0 {
			continue
		}
		var x T
		switch {
		// A replicated result (a dot product) is one value for all lanes: computing it once saves
		// work, and lanes of one instruction are equal by construction.
		case in.Op.HasFormula():
			if x = all; !shared {
				x = w.formula(in, i)
				all, shared = x, in.Op.Info().Shape == ir.Replicated
			}
		case in.Op == ir.OpSetp:
			x = w.dom.Compare(in.Cond, w.src[0][i], w.src[1][i])
		case in.Op == ir.OpLoad:
			x = w.load(in, i)
		default:
			if !shared {
				all, shared = w.fetch(in), true
			}
			w.args = append(w.args[:0], all)
			x = w.dom.Opaque(symbolic.TagLane, uint64(i), w.args)
			if in.Mods&ir.Sat != 0 {
				x = w.dom.Saturate(x)
			}
		}
		x = w.dom.Computed(x, in)
		if p := in.Pred[i]; p.V != nil {
			x = w.dom.Choose(w.condition(p), x, w.value(in.Keep[i]))
		}
		w.set(in.Out[i], x)
	}
}

// formula executes one lane of an op with a formula, in the algebra of the domain. An immediate
// becomes part of the name. Ops that look at neighbouring invocations (derivatives) also depend
// on which of them run, that is on the gate.
func (w *walker[T]) formula(in *ir.Instr, lane int) T {
	x := w.dom.Apply(in, lane, &w.src)
	if in.Imm != 0 {
		w.args = append(w.args[:0], x, w.dom.Literal(in.Imm))
		x = w.dom.Opaque(symbolic.TagOp, uint64(in.Op), w.args)
	}
	if w.depends(in) {
		w.args = append(w.args[:0], x, w.gate)
		x = w.dom.Opaque(symbolic.TagOp, uint64(in.Op), w.args)
	}
	return x
}

// depends reports whether what in computes depends on which invocations run it: where the gate is
// not known to hold. The Direct3D 9 reference leaves dsx, dsy and texld undefined under flow control
// that differs between pixels, so such values are functions of their condition as well.
func (w *walker[T]) depends(in *ir.Instr) bool {
	if _, known := w.dom.Truth(w.gate); known || !w.prog.gated(in) {
		return false
	}
	w.convergent = true
	return true
}

// fetch is what a texture instruction returns, all lanes in one opaque value: equal coordinates and
// an equal gate give equal texels, and nothing else is known of textures.
func (w *walker[T]) fetch(in *ir.Instr) T {
	w.operands(in)
	if w.depends(in) {
		w.args = append(w.args, w.gate)
	}
	aux := uint64(in.Op) | uint64(in.Res.Unit)<<8 | uint64(in.Res.Dim)<<16 | w.prog.space()<<24
	if in.Mods&ir.Half != 0 {
		aux |= symbolic.FetchHalf
	}
	return w.dom.Opaque(symbolic.TagFetch, aux, w.args)
}

// operands collects in w.args what an instruction without a formula reads, and what else tells it
// from others of its op: sampler, offsets, which components are set, immediate.
func (w *walker[T]) operands(in *ir.Instr) {
	w.args = w.args[:0]
	var lanes uint32 // which are set
	for s := range in.Src {
		reads := in.ReadsFor(s, 1)
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

// load reads component comp of a register whose number is computed, c[a0.x+n]. An index that is
// known here, as the counter of an unrolled loop, names the register. Else the value is a function
// of the index and of every register that the read may meet whose contents do not come from the
// application alone (see program.arrayAt).
func (w *walker[T]) load(in *ir.Instr, comp int) T {
	index := w.src[0][0]
	if in.Imm != 0 {
		index = w.words.Plus(index, in.Imm)
	}
	if k, ok := w.dom.Bits(index); ok {
		if r, ok := w.prog.indexed(in, k); ok {
			r.Comp = uint8(comp)
			return w.register(r)
		}
	}
	w.args = append(w.args[:0], index)
	for _, n := range w.prog.reach(in) {
		r := ir.Reg{File: in.Base.File, Index: n, Comp: uint8(comp)}
		w.args = append(w.args, w.dom.Literal(uint32(n)), w.register(r))
	}
	base := ir.Reg{File: in.Base.File, Index: in.Base.Index, Comp: uint8(comp)}
	return w.dom.Opaque(symbolic.TagLoad, w.prog.space()<<40|regKey(base), w.args)
}

// register is what a register that code does not change holds.
func (w *walker[T]) register(r ir.Reg) T {
	switch kind, bits := w.prog.holds(r); kind {
	case ir.Literal:
		return w.dom.Literal(bits)
	case ir.Undef:
		return w.undefined(r)
	default:
		return w.leaf(kind, r)
	}
}

// condition is the boolean a lane holds.
func (w *walker[T]) condition(l ir.Lane) T {
	c := w.dom.Boolean(w.value(l.V))
	if l.Mod&ir.Not != 0 {
		c = w.dom.Not(c)
	}
	return c
}

// decides is the condition of an if or break.
func (w *walker[T]) decides(in *ir.Instr) T {
	switch {
	case len(in.Src) == 0:
		return w.dom.Always()
	case in.Cond == ir.CondNone:
		return w.condition(in.Src[0][0])
	}
	return w.dom.Compare(in.Cond, w.lane(in.Src[0][0]), w.lane(in.Src[1][0]))
}

// branch executes an if: both sides under the narrowed gate, then results chosen by the condition.
// Where one side is known not to run, or leaves the loop for sure, the results are those of the
// other. It reports whether both sides leave.
func (w *walker[T]) branch(in *ir.Instr) (left bool) {
	if !w.live.ctrl[in] {
		return false
	}
	c := w.decides(in)
	gate, path, exits := w.gate, w.path, len(w.exits)
	var gone [2]bool
	for side, sub := range in.Sub {
		if holds, known := w.dom.Truth(c); known && holds == (side == 1) {
			gone[side] = true
			continue
		}
		cond := c
		if side == 1 {
			cond = w.dom.Not(c)
		}
		w.gate, w.path = w.dom.And(gate, cond), w.dom.And(path, cond)
		gone[side] = w.code(sub)
	}
	w.gate, w.path = gate, path
	// Code behind the if runs only where none of its breaks was taken.
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
			w.set(v, w.value(in.Sub[1].Results[k]))
		case gone[1]:
			w.set(v, w.value(in.Sub[0].Results[k]))
		default:
			yes, no := in.Sub[0].Results[k], in.Sub[1].Results[k]
			x := w.dom.Choose(c, w.value(yes), w.value(no))
			w.set(v, x)
			if len(w.spared) > 0 && w.idle(yes) && w.idle(no) {
				w.spared[w.dom.ID(x)] = true
			}
		}
	}
	return false
}

// kill collects the conditions under which the fragment is dropped, one a lane: texkill drops where
// any component read is below zero. A component that is a literal not below zero, NaN included,
// drops nothing.
func (w *walker[T]) kill(in *ir.Instr) {
	for i, l := range in.Src[0] {
		if l.V == nil {
			continue
		}
		x, gate := w.lane(l), w.gate
		if bits, ok := w.dom.Bits(x); ok && !negative(bits) {
			continue
		}
		if p := in.Pred[i]; p.V != nil {
			gate = w.dom.And(gate, w.condition(p))
		}
		w.args = append(w.args[:0], gate, x)
		w.kills = append(w.kills, w.dom.Opaque(symbolic.TagKill, 0, w.args))
	}
}
