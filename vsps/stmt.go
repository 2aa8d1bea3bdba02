package vsps

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// laneKind is the kind of an operand lane in a statement, to which emission reduces the kinds of
// ir.Value.
type laneKind uint8

const (
	laneNone  laneKind = iota
	laneTemp           // value number v, in a register that the allocator assigns
	laneLeaf           // a component of a fixed register
	laneConst          // literal bits, in a register that the constant pool assigns
	laneUndef          // any value
)

// lane is one operand lane of a statement. Unlike an ir.Lane, it has a decided location, except for
// the registers of temporaries and literals.
type lane struct {
	kind laneKind
	comp uint8 // of a leaf
	mod  ir.LaneMod
	// v is the number of the value, for laneTemp.
	v   int32
	reg d3d9.Reg // of a leaf
	// bits are the literal, for laneConst; reg and comp are then its current location, if any.
	bits  uint32
	index *ir.Value // of an indexed leaf: the n of c[n + 4]
}

// same reports whether a and b may be lanes of one operand with respect to register and modifier.
// Temporaries have no register yet: for them only the modifier counts.
func (a *lane) same(b *lane) bool {
	return a.kind == b.kind && a.mod == b.mod && a.reg == b.reg && a.index == b.index
}

// operand has position i of the swizzle in operand[i], like ir.Operand.
type operand [4]lane

// first returns the first lane with a definite location.
func (o *operand) first() *lane {
	for i := range o {
		if o[i].kind != laneNone && o[i].kind != laneUndef {
			return &o[i]
		}
	}
	return nil
}

// stmt is a statement during emission: an instruction whose operands are values without registers.
// Constructs are split into their opening and closing statements, so that a program is a flat list,
// as regalloc requires.
//
// Value numbers extend the IDs of the function: below f.NumValues() they are IR values, above they
// are created by emission (moves, destroyed components).
type stmt struct {
	kind regalloc.Kind
	op   d3d9.Op
	// in is the source instruction, or nil for moves that emission inserts.
	in   *ir.Instr
	also *asm.Origin // of a move to an output: merged origins
	irop ir.Op
	mods ir.Mods
	out  [4]int32 // value written by lane, or -1
	src  []operand
	pred operand
	// cond reports that some lane of pred is read.
	cond bool
	// keep is the value that a lane keeps if its predicate is false, or -1 if irrelevant. It must
	// share the register of out (a two-address constraint), because the write does not change it.
	keep [4]int32
	// colour marks the move of a final value to an output register.
	colour bool
	kill   []int32 // values that represent destroyed registers (sgn, sincos)

	args   []lane  // block arguments of the region that ends with this statement, see regalloc.Point
	params []int32 // the receivers: results at EndIf and EndLoop, parameters at Loop
	loop   *stmt   // of a Break and an EndLoop: the Loop
	end    *stmt   // of an Else: the EndIf; of a Loop: the EndLoop
}

var noValues = [4]int32{-1, -1, -1, -1}

// builder translates a function into statements. The lists by value are indexed by value number and
// grow with it.
type builder struct {
	e      *Emitter
	d      *Dialect
	f      *ir.Func
	budget budget.Poller
	stmts  []*stmt
	other  []*stmt // memory for the next version of stmts
	// n is the number of values so far.
	n int32
	// comp is the preferred component of each value, and a requirement if [builder.freeLanes] is
	// false.
	comp []uint8
	file []uint8 // value to register file
	pin  []int32 // value to required register, or regalloc.NoPin
	home []int32 // value to preferred register, or -1
	// loops are the enclosing loops, innermost last.
	loops []*stmt
	flows flows
}

// build begins the statements of f, in the memory of the emitter, and overwrites an earlier
// version.
func (e *Emitter) build(f *ir.Func) *builder {
	e.stmts.again()
	e.operands.again()
	n := f.NumValues()
	b := &e.builder
	*b = builder{e: e, d: e.d, f: f, budget: f.Budget.Poller(), n: int32(n), stmts: b.stmts[:0], other: b.other[:0],
		flows: newFlows(f, b.flows.needed),
		comp:  container.Zeros(b.comp, n), file: container.Zeros(b.file, n), pin: container.Zeros(b.pin, n), home: container.Zeros(b.home, n)}
	for i := range n {
		b.file[i], b.pin[i], b.home[i] = uint8(d3d9.Temp), regalloc.NoPin, -1
	}
	return b
}

// copyStmt copies s to the memory of the emitter.
func (b *builder) copyStmt(s stmt) *stmt {
	to := &b.e.stmts.allocZeroed(1)[0]
	*to = s
	return to
}

// src allocates n operands.
func (b *builder) src(n int) []operand { return b.e.operands.allocZeroed(n) }

// mov returns a move of src without destinations.
func (b *builder) mov(src operand) *stmt {
	s := b.copyStmt(stmt{op: d3d9.OpMov, irop: ir.OpMov, out: noValues, keep: noValues, src: b.src(1)})
	s.src[0] = src
	return s
}

// value creates a value that prefers component comp.
func (b *builder) value(comp int, file uint8) int32 {
	b.comp = append(b.comp, uint8(comp))
	b.file = append(b.file, file)
	b.pin = append(b.pin, regalloc.NoPin)
	b.home = append(b.home, -1)
	b.n++
	return b.n - 1
}

// recordHints records the hints from the home of v: register and component for temporaries. For address
// and predicate registers the file is mandatory.
func (b *builder) recordHints(v *ir.Value, lane int) {
	b.comp[v.ID] = uint8(lane)
	switch d3d9.File(v.Home.File) {
	case d3d9.Temp:
		b.comp[v.ID], b.home[v.ID] = v.Home.Comp, int32(v.Home.Index)
	case d3d9.Addr, d3d9.Predicate:
		b.comp[v.ID], b.file[v.ID] = v.Home.Comp, uint8(v.Home.File)
	}
}

// translateLane translates an operand lane. The index of a loop (aL) and relative reads are leaves, because
// they are read in place.
func (b *builder) translateLane(l ir.Lane) lane {
	v := l.V
	switch {
	case v == nil:
		return lane{}
	case b.atStart(v):
		return lane{kind: laneTemp, v: int32(v.ID), mod: l.Mod}
	case v.Kind == ir.Undef:
		return lane{kind: laneUndef}
	case v.Kind == ir.Literal && (v.Home.File == 0 || d3d9.File(v.Home.File) == d3d9.Const):
		out := lane{kind: laneConst, bits: v.Bits, mod: l.Mod, comp: v.Home.Comp}
		if v.Home.File != 0 {
			out.reg = d3d9.Reg{File: d3d9.Const, Index: v.Home.Index}
			// A literal keeps its register as long as the constant pool can satisfy this.
		}
		return out
	case v.IsLeaf():
		reg := d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}
		return lane{kind: laneLeaf, reg: reg, comp: v.Home.Comp, mod: l.Mod}
	case v.IsLoaded():
		// An unwritten index may have any value, and so may the value read through it.
		if x := v.Def.Src[0][0].V; x.Kind == ir.Undef && !b.atStart(x) {
			return lane{kind: laneUndef}
		}
		return lane{kind: laneLeaf, reg: sourceOf(v).reg, comp: v.Lane, mod: l.Mod, index: sourceOf(v).index}
	case d3d9.File(v.Home.File) == d3d9.Loop && v.Kind == ir.Param:
		return lane{kind: laneLeaf, reg: d3d9.Reg{File: d3d9.Loop}, mod: l.Mod}
	}
	return lane{kind: laneTemp, v: int32(v.ID), mod: l.Mod}
}

// argsOf returns the lanes of the block arguments of a construct, paramsOf the values that receive
// them.
func (b *builder) argsOf(vs []*ir.Value) []lane {
	out := make([]lane, len(vs))
	for i, v := range vs {
		out[i] = b.translateLane(ir.Lane{V: v})
	}
	return out
}

// atStart reports whether v is the initial content of a temporary, address or predicate register,
// and pins it to that register. It stays there at joins with paths that have written the register.
// If a rewrite makes it an operand, the validator reports it.
func (b *builder) atStart(v *ir.Value) bool {
	if v.Kind != ir.Undef {
		return false
	}
	switch d3d9.File(v.Home.File) {
	case d3d9.Temp:
		b.pin[v.ID] = int32(v.Home.Index)
	case d3d9.Addr, d3d9.Predicate:
		b.pin[v.ID] = 0
	default:
		return false
	}
	b.file[v.ID], b.comp[v.ID] = uint8(v.Home.File), v.Home.Comp
	return true
}

func (b *builder) paramsOf(vs []*ir.Value) []int32 {
	out := make([]int32, len(vs))
	for i, v := range vs {
		out[i] = int32(v.ID)
		b.recordHints(v, int(v.Home.Comp))
	}
	return out
}

func (b *builder) appendStmt(s *stmt) *stmt {
	b.stmts = append(b.stmts, s)
	return s
}

// region appends the statements of a region.
func (b *builder) region(r *ir.Region) {
	for _, in := range r.Code {
		b.budget.Poll()
		b.instr(in)
	}
}

// instr appends the statements of an instruction and of its regions. The statements of a construct
// carry the block arguments:
//
//	if       -                      loop     hand args, take params
//	else     hand then-results      break    hand args (to the results)
//	endif    hand else-results,     endloop  hand body results (to the params),
//	         take results                    take results
//
// Only values that are read are passed ([flows.carried]).
func (b *builder) instr(in *ir.Instr) {
	if in.Op == ir.OpLoad {
		return // folded into the operands that read it
	}
	s := b.copyStmt(stmt{in: in, irop: in.Op, mods: in.Mods, out: noValues, keep: noValues, src: b.src(len(in.Src))})
	for k := range in.Src {
		for i, l := range in.Src[k] {
			if l.V == nil {
				continue
			}
			to := &s.src[k][i]
			if *to = b.translateLane(l); to.kind == laneConst && isBeside(in, l.V) {
				to.kind = laneLeaf
			}
		}
	}
	switch in.Op {
	case ir.OpIf:
		b.branch(s, in)
	case ir.OpLoop:
		b.appendLoop(s, in)
	case ir.OpBreak:
		b.leave(s, in)
	default:
		b.compute(s, in)
	}
}

// branch appends the statements of conditional in; s is the first of them.
func (b *builder) branch(s *stmt, in *ir.Instr) {
	s.kind, s.op = regalloc.If, d3d9.OpIf
	if in.Cond != ir.CondNone {
		s.op = d3d9.OpIfc
	}
	b.appendStmt(s)
	list := b.flows.carried(in)
	b.region(in.Sub[0])
	mid := b.appendStmt(b.copyStmt(stmt{kind: regalloc.Else, op: d3d9.OpElse, in: in, irop: ir.OpIf, out: noValues,
		keep: noValues, args: b.argsOf(selectValues(in.Sub[0].Results, list))}))
	b.region(in.Sub[1])
	mid.end = b.appendStmt(b.copyStmt(stmt{kind: regalloc.EndIf, op: d3d9.OpEndIf, in: in, irop: ir.OpIf, out: noValues,
		keep: noValues, args: b.argsOf(selectValues(in.Sub[1].Results, list)), params: b.paramsOf(selectValues(in.Results,
			list))}))
}

// appendLoop appends the statements of loop in; s is the first of them.
func (b *builder) appendLoop(s *stmt, in *ir.Instr) {
	s.kind, s.op = regalloc.Loop, d3d9.OpRep
	end := d3d9.OpEndRep
	body := in.Sub[0]
	if body.Index != nil {
		s.op, end = d3d9.OpLoop, d3d9.OpEndLoop
	}
	list := b.flows.carried(in)
	s.args, s.params = b.argsOf(selectValues(in.Args, list)), b.paramsOf(selectValues(body.Params, list))
	b.appendStmt(s)
	b.loops = append(b.loops, s)
	e := b.copyStmt(stmt{kind: regalloc.EndLoop, op: end, in: in, irop: ir.OpLoop, out: noValues, keep: noValues,
		params: b.paramsOf(selectValues(in.Results, list)), loop: s})
	s.end = e
	b.region(body)
	b.loops = b.loops[:len(b.loops)-1]
	e.args = b.argsOf(selectValues(body.Results, list))
	b.appendStmt(e)
}

// leave appends the break s of the enclosing loop.
func (b *builder) leave(s *stmt, in *ir.Instr) {
	s.kind, s.op = regalloc.Break, d3d9.OpBreak
	switch {
	case in.Cond != ir.CondNone:
		s.op = d3d9.OpBreakc
	case len(in.Src) > 0:
		s.op = d3d9.OpBreakp
	}
	s.loop = b.loops[len(b.loops)-1]
	list := b.flows.carried(s.loop.in)
	s.args = b.argsOf(selectValues(in.Args, list))
	for i, k := range list {
		if !b.flows.needed[s.loop.in.Results[k].ID] { // only the next iteration reads it
			s.args[i] = lane{kind: laneUndef}
		}
	}
	b.appendStmt(s)
}

// compute appends s, the statement of an instruction that computes lanes, with its destination and
// predicate, or the two statements that replace it.
func (b *builder) compute(s *stmt, in *ir.Instr) {
	s.op = spelling[in.Op]
	if s.cond = in.IsPredicated(); s.cond {
		for i, l := range in.Pred {
			s.pred[i] = b.translateLane(l)
		}
	}
	distinct := uint8(0)
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		b.recordHints(v, i)
		s.out[i] = int32(v.ID)
		// A kept value shares the register of the result. A leaf cannot, so it is first moved into
		// a temporary.
		if keep := in.Keep[i]; s.cond && keep != nil && b.flows.needed[v.ID] && (keep.Kind != ir.Undef || b.atStart(keep)) {
			s.keep[i] = int32(keep.ID)
			if keep.IsLeaf() && keep.Kind != ir.Undef {
				s.keep[i] = b.copyLane(b.translateLane(ir.Lane{V: keep}), i)
			}
		}
		// Lanes whose homes have the same component cannot both use it.
		distinct |= 1 << b.comp[v.ID]
	}
	// Fixed lanes, or lanes whose homes clash, use their own component.
	if !b.freeLanes(s) || d3d9.Mask(distinct).Count() != d3d9.Mask(in.Mask()).Count() {
		for i, v := range s.out {
			if v >= 0 {
				b.comp[v] = uint8(i)
			}
		}
	}
	// frc of vs_1_1 is a macro that only writes .y or .xy; other masks take two.
	if m := d3d9.Mask(s.mask()); b.d.model.Major != 1 || s.op != d3d9.OpFrc || m == d3d9.MaskY ||
		m == d3d9.MaskX|d3d9.MaskY {
		b.destroys(s)
		b.appendStmt(s)
		return
	}
	for _, t := range b.halves(s) {
		b.destroys(t)
		b.appendStmt(t)
	}
}

// halves replaces a frc with other components by frc of version 1, which write y, or x and y:
//
//	frc r0.xyz, r1    becomes    frc r0.xy, r1.yx.. and frc r2.y, r1.z
func (b *builder) halves(s *stmt) []*stmt {
	var parts []*stmt
	for i, v := range s.out {
		if v < 0 {
			continue
		}
		to := 1
		if n := len(parts); n == 0 || parts[n-1].out[0] >= 0 {
			t := b.copyStmt(*s)
			t.out, t.src = noValues, b.src(1)
			parts = append(parts, t)
		} else {
			to = 0
		}
		t := parts[len(parts)-1]
		t.out[to], t.src[0][to] = v, s.src[0][i]
		b.comp[v] = uint8(to)
	}
	return parts
}

// copyLane adds a move of l into a new value before the next statement.
func (b *builder) copyLane(l lane, at int) int32 {
	mv := b.mov(operand{})
	mv.src[0][at] = l
	mv.out[at] = b.value(at, uint8(d3d9.Temp))
	b.appendStmt(mv)
	return mv.out[at]
}

// freeLanes reports whether the lanes of s may be written to any components. Lane-wise and
// replicated ops allow it through swizzles of their sources. A fetch of 3.0 could use the swizzle
// of its sampler. Compilers never do, and not every consumer of programs supports it, so only
// fetches that already have one may. A predicated statement must use the components of the kept
// values.
func (b *builder) freeLanes(s *stmt) bool {
	if s.irop.Has(ir.IsFetch) {
		return s.in.Orig >= 0 && b.d.program.Insts[s.in.Orig].Src[1].Swz != d3d9.Identity
	}
	if s.in != nil && s.in.IsPredicated() || s.irop.Has(ir.Special) {
		return false
	}
	if b.d.model.Major == 1 && s.op == d3d9.OpFrc {
		return false // it writes y, or x and y
	}
	return s.irop.Info().Shape != ir.Positional
}

// destroys adds values for components that an instruction overwrites besides its results, so that
// the allocator keeps live values away from them. These are the components that its write mask must
// include (texld before 3_0 writes all four, for example). For sincos before 3_0 these are x to z,
// and for sgn the two scratch registers, recorded in kill.
func (b *builder) destroys(s *stmt) {
	mask := d3d9.Mask(s.mask())
	if mask == 0 {
		return
	}
	for c, whole := range b.fullMask(s.op, mask) {
		if whole && s.out[c] < 0 {
			s.out[c] = b.value(c, uint8(d3d9.Temp))
		}
	}
	kill := func(lanes d3d9.Mask) {
		for c := range 4 {
			if lanes.Has(c) {
				s.kill = append(s.kill, b.value(c, uint8(d3d9.Temp)))
			}
		}
	}
	switch {
	case s.irop == ir.OpSinCos && b.d.model.Major == 2:
		kill(7 &^ mask)
	case s.irop == ir.OpSgn:
		kill(d3d9.MaskAll)
		kill(d3d9.MaskAll)
	}
}

// fullMask returns the smallest write mask of op that includes mask and that the model allows.
func (b *builder) fullMask(op d3d9.Op, mask d3d9.Mask) (lanes [4]bool) {
	best := d3d9.MaskAll
	// Supersets of mask are not smaller numerically, so the search begins there.
	for m := mask; m <= d3d9.MaskAll && best != mask; m++ {
		dst := d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Temp}, Mask: m}
		if mask&^m == 0 && m.Count() < best.Count() && d3d9.MaskFits(b.d.model, op, &dst) {
			best = m
		}
	}
	for c := range lanes {
		lanes[c] = best.Has(c)
	}
	return lanes
}
