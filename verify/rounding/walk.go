package rounding

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// maxWalked bounds the instructions that one analysis of a program executes. maxTrips bounds the trips of a
// loop that are executed one by one.
const (
	maxWalked = 1 << 14
	maxTrips  = 255
)

// walker executes one program symbolically through its regions, in program order, with a term for every
// value. It follows both sides of a branch unless one is impossible.
type walker struct {
	*graph
	run  *execution // the analysis to which this walk belongs
	prog *Program

	// sites maps the first value that an instruction defines to its cause.
	sites []cause
	// arrays caches the contents of consecutive registers, which every relative read needs.
	arrays map[array]loaded
	vals   []ref              // by value ID, 0 where not known yet
	inputs func(r ir.Reg) ref // the term of an input register
	exits  []exit             // of the innermost loop so far
	// strays reports that the computation may have taken another path to this point.
	strays bool
	budget int
	kills  bool // rounding may decide a kill
	// killers lists the conditions of kills, with the path that leads to them: the conditions of branches,
	// negated on the else side.
	killers, path []ref
	src           [4][4]ref
}

// exit is a break met in a loop, with the results that the loop then has.
type exit struct {
	vals  []ref
	flips bool // exact and computed values may leave by different exits
}

// value returns the term of an SSA value. The walk sets the terms of values that instructions define.
func (w *walker) value(v *ir.Value) ref {
	if x := w.vals[v.ID]; x != 0 {
		return x
	}
	var x ref
	switch v.Kind {
	case ir.Literal:
		x = w.constant(v)
	case ir.Input:
		x = w.inputs(v.Home)
	case ir.Uniform:
		x = w.run.uniform(w.graph, w.prog, v.Home)
	default: // never written: the same unknown in both versions
		x = w.leafTerm(leafUndefined|w.prog.number(v.Home), -infinity, infinity, false)
	}
	w.vals[v.ID] = x
	return x
}

// constant returns the term of a literal. Literals of the integer and boolean files are integers.
func (w *walker) constant(v *ir.Value) ref {
	switch d3d9.File(v.Home.File) {
	case d3d9.ConstInt:
		return w.integer(int32(v.Bits))
	case d3d9.ConstBool:
		if v.Bits != 0 {
			return w.literal(one)
		}
		return w.literal(0)
	}
	return w.literal(v.Bits)
}

// one is 1.0.
const one = 0x3f800000

// integer returns the term of an integer literal.
func (w *walker) integer(n int32) ref { return w.Const(float32(n)) }

// laneTerm returns the term of a source lane with its modifiers: abs, neg, and 1-x for the not of a boolean.
func (w *walker) laneTerm(l ir.Lane) ref {
	x := w.value(l.V)
	if l.Mod&ir.Abs != 0 {
		x = w.Call(ir.PrimAbs, []ref{x})
	}
	if l.Mod&ir.Neg != 0 {
		x = w.Neg(x)
	}
	if l.Mod&ir.Not != 0 {
		x = w.not(x)
	}
	return x
}

func (w *walker) not(x ref) ref { return w.Add(w.literal(one), w.Neg(x)) }

// executeRegion executes a region and reports whether control certainly leaves it by a break.
func (w *walker) executeRegion(r *ir.Region) (left bool) {
	for _, in := range r.Code {
		w.prog.Func.Budget.Poll()
		if w.budget--; w.budget < 0 {
			return true
		}
		w.compute(w.prog.precision())
		if in.Mods&ir.Half != 0 {
			w.compute(partial)
		}
		w.site = w.asCause(in)
		switch in.Op {
		case ir.OpIf:
			left = w.branch(in)
		case ir.OpLoop:
			w.executeLoop(in)
		case ir.OpBreak:
			left = w.leave(in)
		case ir.OpKill:
			w.recordKill(in)
		default:
			w.instr(in)
		}
		if left {
			return true
		}
	}
	return false
}

// setTerm records the term of a value that is used.
func (w *walker) setTerm(v *ir.Value, x ref) {
	if v != nil {
		w.vals[v.ID] = x
	}
}

// instr executes an instruction that computes values.
func (w *walker) instr(in *ir.Instr) {
	mask := in.Mask()
	for s := range in.Src {
		reads := in.ReadsFor(s, mask)
		for i, l := range in.Src[s] {
			if l.V != nil && reads>>i&1 != 0 {
				w.src[s][i] = w.laneTerm(l)
			}
		}
	}
	var coords []ref
	if in.Op.Has(ir.IsFetch) {
		coords = w.coordinates(in)
	}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		var x ref
		switch {
		case in.Op.HasFormula():
			x = w.formula(in, i)
		case in.Op == ir.OpSetp:
			x = w.decide(in.Cond, w.src[0][i], w.src[1][i])
		case in.Op == ir.OpLoad:
			x = w.loadIndexed(in, uint8(i))
		case coords != nil:
			x = w.sample(in, i, coords)
		default:
			x = w.fresh(unlimited())
		}
		if in.Mods&ir.Sat != 0 {
			x = w.Call(ir.PrimSat, []ref{x})
		}
		if p := in.Pred[i]; p.V != nil {
			x = w.choose(w.laneTerm(p), x, w.value(in.Keep[i]))
		}
		w.setTerm(v, x)
	}
	w.run.sinks(w, in)
}

// formula computes one lane of an op. It adds sums of products of whole vectors in any order. It marks lrp
// as a mean, which the formula does not show.
func (w *walker) formula(in *ir.Instr, lane int) ref {
	var x ref
	switch s := &w.src; in.Op {
	case ir.OpDp2Add:
		x = w.sumTerms([]ref{w.Mul(s[0][0], s[1][0]), w.Mul(s[0][1], s[1][1]), s[2][0]})
	case ir.OpDp3:
		x = w.dot(s, 3)
	case ir.OpDp4:
		x = w.dot(s, 4)
	case ir.OpNrm:
		s[1] = s[0]
		x = w.Mul(s[0][lane], w.Call(ir.PrimRsq, []ref{w.dot(s, 3)}))
	case ir.OpLrp:
		x = w.linearMix(s[0][lane], s[1][lane], s[2][lane])
	case ir.OpDsx:
		x = w.derivative(ir.PrimDsx, s[0][lane])
	case ir.OpDsy:
		x = w.derivative(ir.PrimDsy, s[0][lane])
	default:
		x = ir.Eval(w.graph, in.Op, lane, func(src, l int) ref { return w.src[src][l] })
	}
	if w.prec == partial && in.Op == ir.OpMov {
		x = w.rounded(x)
	}
	return x
}

// dot returns the sum of n products, in any order.
func (w *walker) dot(s *[4][4]ref, n int) ref {
	terms := make([]ref, n)
	for i := range terms {
		terms[i] = w.Mul(s[0][i], s[1][i])
	}
	return w.sumTerms(terms)
}

// rounded returns x converted to a narrower format.
func (g *graph) rounded(x ref) ref { return g.internTerm(key{kind: kindRound, a: [3]ref{x}}) }

// linearMix returns a*(b-c) + c, the formula of lrp (Direct3D 9 assembly reference), marked as a mean.
func (g *graph) linearMix(a, b, c ref) ref {
	x := g.Add(g.Mul(a, g.Add(b, g.Neg(c))), c)
	n := &g.nodes[x]
	if int(x) < g.marked {
		g.changed = append(g.changed, changed{x, *n})
	}
	n.mean = [3]ref{a, b, c}
	g.narrow(n)
	return x
}

// narrow applies the bounds of a mean of b and c by a. For a between 0 and 1, the mean lies between b and
// c, and their errors count only by their weights.
func (g *graph) narrow(v *node) {
	p, q, r := g.valueOf(v.mean[0]), g.valueOf(v.mean[1]), g.valueOf(v.mean[2])
	if p.lo < 0 || p.hi > 1 {
		return
	}
	v.lo, v.hi = max(v.lo, min(q.lo, r.lo)), min(v.hi, max(q.hi, r.hi))
	// The errors of the formula and of the weighted sum are both bounds. The weighted sum has the roundings
	// of the difference, the product and the sum.
	d := max(q.computedMax(), r.computedMax())
	rounding := 6*g.f.unit*(1+p.computedMax())*(q.computedMax()+r.computedMax()+d) + 3*g.f.tiny
	weighted := max(q.err, r.err)*(1+2*p.err) + product(p.err, q.computedMax()+r.computedMax()) + rounding
	v.err = min(v.err, weighted)
	v.settle()
}

// decided distinguishes comparisons from the primitives of the same name.
const decided = 1

// decide returns a comparison as a term.
func (g *graph) decide(c ir.Cond, a, b ref) ref {
	return g.internTerm(key{kind: kindCall, prim: ir.CondPrim(c), aux: decided, a: [3]ref{a, b}})
}

// amplify records the current instruction as the cause of an error at a step.
func (g *graph) amplify(v value) value {
	if v.err > 0 {
		v.cause = g.site
	}
	return v
}

// choose returns a where the boolean c holds, else b.
func (g *graph) choose(c, a, b ref) ref {
	if a == b {
		return a
	}
	return g.internTerm(key{kind: kindChoose, a: [3]ref{c, a, b}})
}

// condition returns the boolean operand of an if or break.
func (w *walker) condition(in *ir.Instr) ref {
	switch {
	case len(in.Src) == 0:
		return w.literal(one)
	case in.Cond == ir.CondNone:
		return w.laneTerm(in.Src[0][0])
	}
	return w.decide(in.Cond, w.laneTerm(in.Src[0][0]), w.laneTerm(in.Src[1][0]))
}

// derivative returns the change of x towards a neighbour. The derivative is undefined unless all fragments
// of a quad took the same path, so it is another term on another path.
func (w *walker) derivative(p ir.Prim, x ref) ref {
	return w.internTerm(key{kind: kindCall, prim: p, aux: uint64(w.tuple(w.path)) << 1, a: [3]ref{x}}) // odd aux is decided
}

// isTrue and never report whether a boolean is true, or false, in its exact and its computed value.
func (v *value) isTrue() bool { return v.err == 0 && v.lo == 1 }
func (v *value) never() bool  { return v.err == 0 && v.hi == 0 }

// decision returns the value of a term that decides the path of the walk.
func (w *walker) decision(x ref) value {
	w.run.out.turns = append(w.run.out.turns, turn{x, w.valueOf(x).decisionValue()})
	return *w.valueOf(x)
}

// branch executes an if, and follows each side that is possible.
func (w *walker) branch(in *ir.Instr) (left bool) {
	cond := w.condition(in)
	c := w.decision(cond)
	w.run.sinks(w, in)
	strays, path := w.strays, len(w.path)
	w.path = append(w.path, cond)
	defer func() { w.path = w.path[:path] }()
	var gone [2]bool
	// If only rounding can take a side, control has strayed there.
	for side, sub := range in.Sub {
		if side == 0 && c.never() || side == 1 && c.isTrue() {
			gone[side] = true
			continue
		}
		if side == 1 {
			w.path[path] = w.Neg(cond)
		}
		w.strays = strays || c.err > 0
		gone[side] = w.executeRegion(sub)
	}
	w.strays = strays
	if gone[0] && gone[1] {
		return true
	}
	for k, v := range in.Results {
		switch {
		case gone[0]:
			w.setTerm(v, w.value(in.Sub[1].Results[k]))
		case gone[1]:
			w.setTerm(v, w.value(in.Sub[0].Results[k]))
		default:
			w.setTerm(v, w.choose(cond, w.value(in.Sub[0].Results[k]), w.value(in.Sub[1].Results[k])))
		}
	}
	return false
}

// recordKill records whether rounding can decide about a fragment. It can if an operand may have the wrong sign,
// or if a rounding may have led control here.
func (w *walker) recordKill(in *ir.Instr) {
	for i, l := range in.Src[0] {
		if l.V == nil {
			continue
		}
		w.src[0][i] = w.laneTerm(l)
		if c := w.compareZero(ir.CondLT, w.src[0][i]); c.err > 0 || w.strays && c.hi > 0 {
			w.kills = true
		}
		w.killers = append(append(w.killers, w.path...), w.src[0][i])
		if p := in.Pred[i]; p.V != nil {
			w.killers = append(w.killers, w.laneTerm(p))
		}
	}
	w.run.sinks(w, in)
}

// loadIndexed reads a register with a computed number: any of the possible registers.
func (w *walker) loadIndexed(in *ir.Instr, comp uint8) ref {
	at := w.valueOf(w.src[0][0])
	which := array{file: in.Base.File, comp: comp}
	lo, hi := reached(in.Base.Index, at)
	c := w.prog.table.Lookup(d3d9.Reg{File: d3d9.File(in.Base.File), Index: in.Base.Index})
	switch {
	case c != nil: // it stays in its parameter
		last := float64(c.Index + c.Count - 1)
		lo, hi = min(max(lo, float64(c.Index)), last), max(min(hi, last), float64(c.Index))
	case lo < 0 || hi >= maxRegisters: // no register there, which reads 0
		which.beyond = true
	}
	which.first, which.last = int(min(max(lo, 0), maxRegisters)), int(min(max(hi, 0), maxRegisters-1))
	l, known := w.arrays[which]
	if !known {
		var regs []ref
		for n := which.first; n <= which.last; n++ {
			r := ir.Reg{File: in.Base.File, Index: uint16(n), Comp: comp}
			if in.Base.File == ir.File(d3d9.Input) {
				regs = append(regs, w.inputs(r))
			} else {
				regs = append(regs, w.run.uniform(w.graph, w.prog, r))
			}
		}
		if which.beyond {
			regs = append(regs, w.literal(0))
		}
		if l.regs = regs; len(regs) > 1 {
			l.tuple = w.tuple(regs)
			if w.arrays == nil {
				w.arrays = map[array]loaded{}
			}
			w.arrays[which] = l
		}
	}
	if w.point != 0 { // other points may read another register
		w.run.out.steered = true
	}
	switch len(l.regs) {
	case 0:
		return w.fresh(unlimited())
	case 1:
		return l.regs[0]
	}
	k := key{kind: kindHull, aux: which.encodeKey(in.Base.Index), a: [3]ref{w.src[0][0], l.tuple}}
	return w.internTerm(k)
}

// reached returns the range of registers that an address off a base can select, by its exact or its
// computed value.
func reached(base uint16, at *value) (lo, hi float64) {
	return float64(base) + min(at.lo, at.clo), float64(base) + max(at.hi, at.chi)
}

// registerHull returns the value of one of several registers: those that the exact or the computed address may
// select. If the address has an error, the exact and the computed value may come from different registers.
func (g *graph) registerHull(k *key) value {
	at := g.valueOf(k.a[0])
	lo, hi := reached(uint16(k.aux), at)
	first, last, beyond := int(uint16(k.aux>>16)), int(uint16(k.aux>>32)), k.aux>>63 != 0
	if !beyond { // it stays in these
		lo, hi = min(max(lo, float64(first)), float64(last)), max(min(hi, float64(last)), float64(first))
	}
	g.several = g.several[:0]
	n := float64(first)
	for v := range g.listed(k.a[1]) {
		if n >= lo && n <= hi || n > float64(last) && (lo < 0 || hi >= maxRegisters) {
			g.several = append(g.several, *v)
		}
		n++
	}
	switch len(g.several) {
	case 0:
		return unlimited()
	case 1:
		return g.several[0]
	}
	flips := at.err > 0
	v := either(flips, g.several...)
	if flips {
		v.cause = g.site
	}
	if g.point != 0 { // one number, for want of a register
		v.lo, v.hi = v.lo/2+v.hi/2, v.lo/2+v.hi/2
		v.clo, v.chi = v.lo-v.err, v.hi+v.err
	}
	return v
}

// array is a component of consecutive registers, or of registers beyond them, which read 0. loaded holds
// their contents.
type array struct {
	file        ir.File
	comp        uint8
	first, last int
	beyond      bool
}

type loaded struct {
	regs  []ref
	tuple ref
}

// encodeKey encodes the registers that a base and an address may select.
func (a *array) encodeKey(base uint16) uint64 {
	k := uint64(base) | uint64(a.first)<<16 | uint64(a.last)<<32
	if a.beyond {
		k |= 1 << 63
	}
	return k
}

// maxRegisters is the number of registers of a file: the 256 constants of vs_2_0 and later.
const maxRegisters = 256
