package vsps

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// CanEmit reports whether [Emit] writes programs of a model. Those of ps_1_x are only read: rewrites saved
// one of 68 pixel slots in the pairs of the corpora that have such a program.
func CanEmit(m d3d9.Model) bool { return !fixedPoint(m) }

// Emit writes f as a program of the model of orig, the program from which it was lifted, and keeps
// comments, declarations and spelling that still apply. Varyings are the semantics of interpolated
// registers that orig does not declare. Emit returns an error if f does not fit the registers of
// the model, or if [CanEmit] reports false; it does not check other limits (see d3d9.Validate).
//
// The result depends only on orig, f and varyings, not on earlier emissions.
func Emit(orig *d3d9.Program, f *ir.Func, varyings ...ir.Varying) (*d3d9.Program, error) {
	return NewEmitter(orig).Emit(f, varyings...)
}

// emit implements Emit. merge permits computing values that meet at joins of the control flow in
// output registers. Statements go through these steps, each of which rewrites the list of the
// builder:
//
//   - region: instructions and constructs become statements (stmt.go);
//   - outputs: final values go to output registers, directly or by moves
//     (outputs.go);
//   - whole: masks are widened for clients that accept only certain masks
//     (whole.go);
//   - legalize: no operand reads two leaf registers, and no statement exceeds
//     its ports;
//   - assign: the values of each operand get one register, with added moves if
//     necessary;
//   - write: statements become instructions, and those equal to the original
//     reuse it.
func (e *Emitter) emit(f *ir.Func, varyings []ir.Varying, merge bool) (*d3d9.Program, error) {
	budget.Emissions.Add(1)
	orig := e.d.program
	if !CanEmit(orig.Model) {
		return nil, fmt.Errorf("programs of %s are not written", orig.Model)
	}
	b := e.build(f)
	for _, out := range f.Outs {
		if !b.flows.writes(out.V, out.Reg, nil) {
			return nil, fmt.Errorf("no path would write the output %s", e.d.RegName(out.Reg))
		}
	}
	b.region(f.Body)
	b.outputs(merge)
	b.whole()
	pool := e.constants(f)
	z := &e.legal // reuse the memory of the previous emission
	*z = legalizer{b: b, pool: pool, out: b.other[:0], copied: z.copied, undo: z.undo[:0], scopes: z.scopes[:0],
		consts: z.consts, index: z.index, reads: z.reads}
	clear(z.copied)
	if clear(z.reads); z.reads == nil {
		z.reads = map[uint64]int32{}
	}
	if err := z.run(); err != nil {
		return nil, err
	}
	a := &e.assigner
	*a = assigner{b: b, def: a.def, used: a.used}
	use := 0 // index of the memory for the output
	// write assigns registers and writes the program. It repeats while a statement has to separate
	// its destination from its operands (see [assigner.setApart]).
	write := func() (*d3d9.Program, error) {
		for range maxRounds {
			if err := a.run(); err != nil {
				return nil, err
			}
			w := &writer{orig: orig, b: b, a: a, pool: pool, varyings: varyings, body: e.body[:0],
				out: &d3d9.Program{Model: orig.Model, Binary: orig.Binary, Head: orig.Head, Tail: orig.Tail, Rest: orig.Rest,
					Insts: e.insts[use][:0]}}
			err := w.writeStmts()
			if e.body = w.body; err != nil {
				return nil, err
			}
			if len(w.clobbered) == 0 {
				w.header()
				e.insts[use] = w.out.Insts
				return w.out, nil
			}
			a.setApart(w.clobbered)
		}
		return nil, errors.New("a select overwrites its own operands")
	}
	p, err := write()
	if levels := e.d.limits.TextureLevels; orig.Model.Stage == d3d9.Pixel && levels < d3d9.Unlimited {
		// ps_2_0 counts chains of dependent reads by register, up to length four ("Dependent
		// Texture Reads"). A texld into a register that held an earlier result always counts as
		// dependent. So register assignment can break a program. Try rotation among unrelated
		// values first, then the registers of the input, and finally selection by chain length.
		for _, way := range []assigner{{spread: true}, {apart: true}, {shallow: true}, {shallow: true, apart: true}} {
			if err != nil || d3d9.DependentReads(p) <= levels {
				break
			}
			a.spread, a.apart, a.shallow = way.spread, way.apart, way.shallow
			use = 1 - use
			if q, again := write(); again == nil {
				p = q
			} else {
				use = 1 - use
			}
		}
	}
	return p, err
}

// writer converts statements with registers to concrete ones.
type writer struct {
	orig *d3d9.Program
	b    *builder
	a    *assigner
	pool *constPool
	body []d3d9.Inst
	out  *d3d9.Program
	read map[d3d9.Reg]d3d9.Mask // input components that the code reads
	unit map[uint16]bool        // samplers in use
	ints []d3d9.Inst            // definitions of trip counts that orig does not have

	written map[d3d9.Reg]d3d9.Mask // o# components that the code writes

	varyings []ir.Varying

	clobbered []*stmt // statements that clients which split them would execute wrongly, unlike those of the input
}

// reg returns the register of a value.
func (w *writer) reg(v int32) d3d9.Reg {
	return d3d9.Reg{File: d3d9.File(w.b.file[v]), Index: uint16(w.a.regs[v])}
}

// writeStmts writes the statements in order, without empty else sides and moves of a value to its own
// place.
func (w *writer) writeStmts() error {
	w.read, w.unit = map[d3d9.Reg]d3d9.Mask{}, map[uint16]bool{}
	w.body = slices.Grow(w.body, len(w.b.stmts))
	budget := w.b.f.Budget.Poller()
	for i, s := range w.b.stmts {
		budget.Poll()
		if s.kind == regalloc.Else && w.b.stmts[i+1] == s.end {
			continue // the else side is empty
		}
		if w.noop(s) {
			continue
		}
		w.body = append(w.body, d3d9.Inst{Op: s.op})
		if err := w.inst(s, &w.body[len(w.body)-1]); err != nil {
			return err
		}
	}
	return nil
}

// noop reports whether s moves every lane to its own place.
func (w *writer) noop(s *stmt) bool {
	if s.op != d3d9.OpMov || s.irop != ir.OpMov || s.mods&ir.Sat != 0 || s.in != nil && s.in.IsPredicated() {
		return false
	}
	for i, v := range s.out {
		if v < 0 {
			continue
		}
		l := &s.src[0][i]
		// An undefined lane accepts any content.
		if l.kind == laneUndef {
			continue
		}
		if l.kind != laneTemp || l.mod != 0 || w.reg(v) != w.reg(l.v) ||
			w.a.webs.ComponentOf(v) != w.a.webs.ComponentOf(l.v) {
			return false
		}
	}
	return true
}

// inst writes one statement. If the result equals its original except for the spelling, it reuses
// the original with its text or tokens.
func (w *writer) inst(s *stmt, in *d3d9.Inst) error {
	var orig *d3d9.Inst
	if s.in != nil && s.in.Orig >= 0 {
		orig = &w.orig.Insts[s.in.Orig]
	}
	if s.kind == regalloc.Plain && s.irop != ir.OpKill {
		w.writeDest(s, orig, in)
	}
	if s.in != nil && (s.kind == regalloc.If || s.kind == regalloc.Break || s.irop == ir.OpSetp) {
		in.Cmp = d3d9.Cmp(s.in.Cond)
	}
	switch {
	case s.kind == regalloc.Else || s.kind == regalloc.EndIf || s.kind == regalloc.EndLoop:
	case s.kind == regalloc.Loop:
		if s.op == d3d9.OpLoop {
			in.Src[0] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Loop}, Swz: d3d9.Identity}
			in.NSrc = 1
		}
		r, err := w.count(s.in)
		if err != nil {
			return err
		}
		in.Src[in.NSrc] = d3d9.Src{Reg: r, Swz: d3d9.Identity}
		in.NSrc++
	case s.irop == ir.OpKill:
		if err := w.kill(s, in); err != nil {
			return err
		}
	default:
		for k := range s.src {
			var hint *d3d9.Src
			if orig != nil && int(in.NSrc) < int(orig.NSrc) {
				hint = &orig.Src[in.NSrc]
			}
			src, err := w.writeSource(s, k, hint)
			if err != nil {
				return err
			}
			in.Src[in.NSrc] = src
			in.NSrc++
			if k == 0 && s.irop.Has(ir.IsFetch) {
				in.Src[1] = w.sampler(s)
				in.NSrc = 2
			}
		}
		w.extra(s, orig, in)
	}
	if p := s.pred.first(); p != nil {
		if err := w.writePred(s, in); err != nil {
			return err
		}
	}
	// Operands are complete from here on.
	w.narrow(in)
	if in.ClobberedBySplit() && (orig == nil || !orig.ClobberedBySplit()) {
		w.clobbered = append(w.clobbered, s)
	}
	switch {
	case orig != nil && orig.Same(in):
		*in = *orig
	case s.in != nil:
		in.Pos = s.in.Pos
	}
	if in.Also = s.also; s.in != nil {
		in.Also = s.in.Also
	}
	return nil
}

// writeDest sets the destination: the register that all lanes share, and their components.
func (w *writer) writeDest(s *stmt, orig, in *d3d9.Inst) {
	in.HasDst = true
	for _, v := range s.out {
		if v >= 0 {
			in.Dst.Reg = w.reg(v)
			in.Dst.Mask |= 1 << w.a.webs.ComponentOf(v)
		}
	}
	// Registers of one component are written with the mask that the program used for them.
	if isScalar(in.Dst.File, in.Dst.Index) {
		in.Dst.Mask = d3d9.MaskAll
		if orig != nil && orig.Dst.Reg == in.Dst.Reg {
			in.Dst.Mask = orig.Dst.Mask
		}
	}
	if s.mods&ir.Sat != 0 {
		in.Dst.Mods |= d3d9.Saturate
	}
	if s.mods&ir.Half != 0 {
		in.Dst.Mods |= d3d9.PartialPrecision
	}
}

// narrow limits the mask of a write to a one-component register to that component if an operand
// reads irrelevant lanes, which may be unwritten. With a full mask, oFog, r0 requires all of r0;
// oFog.x, r0 requires only r0.x. (ps_2_x writes the depth with a full mask and one source
// component.)
func (w *writer) narrow(in *d3d9.Inst) {
	if !in.HasDst || !isScalar(in.Dst.File, in.Dst.Index) || w.b.colourMoves() {
		return
	}
	one := !in.HasPred || in.Pred.Swz.IsReplicate()
	for _, s := range in.Sources() {
		one = one && s.Swz.IsReplicate()
	}
	if !one {
		in.Dst.Mask = d3d9.MaskX
	}
}

// writeSource writes source k of s, with the swizzle of the original if it fits, and records the registers
// read for the declarations.
func (w *writer) writeSource(s *stmt, k int, hint *d3d9.Src) (d3d9.Src, error) {
	o := &s.src[k]
	f := o.first()
	if f == nil {
		return w.anything(s, k), nil
	}
	out := d3d9.Src{Mod: srcMod(f.mod)}
	if f.kind == laneTemp {
		out.Reg = w.reg(f.v)
	} else {
		out.Reg = f.reg
		w.pool.markRead(f.reg)
		if f.index != nil {
			rel, err := w.relativeIndex(f.index)
			if err != nil {
				return out, err
			}
			out.Rel = rel
		}
	}
	from := w.a.swizzleComponents(s, k)
	var swz *d3d9.Swizzle
	if hint != nil && hint.Reg == out.Reg {
		swz = &hint.Swz
	}
	n := fitSwizzle(w.b.d, w.b.shape(s, k), from, swz)
	if n == noSwizzle {
		return out, fmt.Errorf("%v: no swizzle reads source %d", s.irop, k)
	}
	out.Swz = d3d9.Swizzle(n)
	if out.File == d3d9.ConstBool {
		out.Swz = d3d9.Identity
	}
	if f.index == nil && (out.File == d3d9.Input || out.File == d3d9.Texture || out.File == d3d9.Misc) {
		for _, c := range from {
			if c >= 0 {
				w.read[out.Reg] |= 1 << c
			}
		}
	}
	return out, nil
}

// anything returns an operand without relevant lanes, whose value is undefined. It uses the
// register of another operand, which needs no further port and is initialized, or else some
// constant.
func (w *writer) anything(s *stmt, k int) d3d9.Src {
	m := w.b.d.model
	for j := range s.src {
		f := s.src[j].first()
		if f == nil || f.kind == laneTemp && d3d9.File(w.b.file[f.v]) != d3d9.Temp {
			continue
		}
		src, err := w.writeSource(s, j, nil)
		if err == nil && d3d9.CanRead(m, s.op, sourceIndex(s.op, k), src.File) &&
			(src.File != d3d9.Temp || d3d9.MayReuse(m, s.op, k)) {
			for _, c := range w.a.swizzleComponents(s, j) {
				if z := d3d9.Replicate(max(int(c), 0)); c >= 0 && d3d9.SwizzleFits(m, s.op, sourceIndex(s.op, k), z) {
					return d3d9.Src{Reg: src.Reg, Rel: src.Rel, Swz: z}
				}
			}
		}
	}
	return d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const}, Swz: d3d9.Identity}
}

// relativeIndex returns the index of a relative read: aL, or a component of a0.
func (w *writer) relativeIndex(index *ir.Value) (d3d9.Rel, error) {
	x := w.b.translateLane(ir.Lane{V: index})
	if x.kind == laneLeaf && x.reg.File == d3d9.Loop {
		return d3d9.Rel{File: d3d9.Loop, Swz: d3d9.Identity}, nil
	}
	if x.kind != laneTemp || w.b.file[x.v] != uint8(d3d9.Addr) {
		return d3d9.Rel{}, errors.New("an index is not in the address register")
	}
	return d3d9.Rel{File: d3d9.Addr, Swz: d3d9.Replicate(w.a.webs.ComponentOf(x.v))}, nil
}

// sampler returns the second operand of a fetch. Its swizzle, which 3.0 has, moves lanes that are
// not in their own component.
func (w *writer) sampler(s *stmt) d3d9.Src {
	src := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Sampler, Index: uint16(s.in.Res.Unit)}, Swz: d3d9.Identity}
	w.unit[src.Index] = true
	moved := false
	chans := [4]int{0, 1, 2, 3}
	for i, v := range s.out {
		if v >= 0 {
			c := w.a.webs.ComponentOf(v)
			chans[c] = i
			moved = moved || c != i
		}
	}
	if moved {
		src.Swz = d3d9.MakeSwizzle(chans[0], chans[1], chans[2], chans[3])
	}
	return src
}

// extra adds operands without data: the constants of sincos before 3_0 (D3DSINCOSCONST1 and 2),
// which the lift left in the statement, and the scratch registers of sgn.
func (w *writer) extra(s *stmt, orig, in *d3d9.Inst) {
	switch s.irop {
	case ir.OpSinCos:
		if w.b.d.model.Major == 2 && orig != nil {
			in.Src[1], in.Src[2] = orig.Src[1], orig.Src[2]
			in.NSrc = 3
			w.pool.markRead(in.Src[1].Reg)
			w.pool.markRead(in.Src[2].Reg)
		}
	case ir.OpSgn:
		for _, v := range []int32{s.kill[0], s.kill[4]} {
			in.Src[in.NSrc] = d3d9.Src{Reg: w.reg(v), Swz: d3d9.Identity}
			in.NSrc++
		}
	}
}

// kill writes texkill, whose operand is encoded as a destination: its mask has the tested
// components.
func (w *writer) kill(s *stmt, in *d3d9.Inst) error {
	src, err := w.writeSource(s, 0, nil)
	if err != nil {
		return err
	}
	in.HasDst = true
	in.Dst.Reg = src.Reg
	for i, l := range s.src[0] {
		if l.kind != laneNone {
			in.Dst.Mask |= 1 << i
		}
	}
	return nil
}

// writePred writes the predicate of s. Its swizzle is the identity or a replicate ("Predicate
// Register"); all lanes have the same modifier.
func (w *writer) writePred(s *stmt, in *d3d9.Inst) error {
	from := [4]int8{-1, -1, -1, -1}
	var set d3d9.Mask
	for i := range s.pred {
		l := &s.pred[i]
		if l.kind == laneNone {
			continue
		}
		if l.kind != laneTemp || l.mod != s.pred.first().mod {
			return errors.New("a predicate is not in the predicate register")
		}
		from[i] = int8(w.a.webs.ComponentOf(l.v))
		set |= 1 << i
	}
	in.HasPred = true
	in.Pred = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Predicate}, Mod: srcMod(s.pred.first().mod)}
	for c := range 5 {
		swz := d3d9.Identity
		if c > 0 {
			swz = d3d9.Replicate(c - 1)
		}
		// The identity is wrong if some components are written only to satisfy the mask, and for
		// sincos before 3_0, which needs a replicate.
		ok := c > 0 || (s.irop != ir.OpSinCos || w.b.d.model.Major >= 3) && in.Dst.Mask&^set == 0
		for i, x := range from {
			ok = ok && (x < 0 || swz.ComponentAt(i) == int(x))
		}
		if ok {
			in.Pred.Swz = swz
			return nil
		}
	}
	return errors.New("no predicate swizzle fits")
}
