package amdil

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// writer turns statements with registers into concrete ones, in one pass over the list; each statement
// appends to out. Moments are 2*i before and 2*i+1 after statement i (see regalloc.Span).
type writer struct {
	orig *il.Kernel
	b    *emitter
	a    *assigner
	// lits are the literals of the input and added ones.
	lits *literals
	// ends is the end of each block of the input, by the statement that opens it.
	ends map[int32]blockEnd
	// cases are the case statements of the switches of the input.
	cases map[caseOf]int32

	// out is the text so far. Later statements may still change a statement in it, see last.
	out []written
	// point is the number of the current statement.
	point int32
	// spare counts the temporaries that it has used.
	spare int
	// last maps each register to the statement that wrote it last, since the last split or merge of control
	// flow.
	last map[il.Reg]lastWrite
	// open are the enclosing conditionals, innermost last.
	open []opened
}

// written is a statement of the output and the corresponding statement of the input, or -1.
type written struct {
	il.Inst
	orig int32
}

// lastWrite is the last write of a register: the statement in out, and the moment after it.
type lastWrite struct {
	at    int // in out
	point int32
}

// blockEnd is the positions of the else and the end of a block in the input.
type blockEnd struct{ mid, end int32 }

// caseOf identifies a case of the switch that a statement of the input opens.
type caseOf struct {
	open int32
	word uint32
}

// opened is a conditional whose end is not written yet.
type opened struct {
	at  int // of the if in out
	mid int // of the else, 0 for none
}

// newWriter returns a writer for b's statements that reuses the memory of out.
func newWriter(orig *il.Kernel, b *emitter, a *assigner, out []written) *writer {
	w := &writer{orig: orig, b: b, a: a, out: slices.Grow(out[:0], len(b.stmts)+len(b.stmts)/8), lits: newLiterals(orig),
		last: map[il.Reg]lastWrite{},
		ends: map[int32]blockEnd{}, cases: map[caseOf]int32{}}
	w.blocks()
	return w
}

// blocks finds the else and end of each block of the input, so that a surviving if keeps their spelling.
func (w *writer) blocks() {
	var stack []int32
	for i := range w.orig.Insts {
		at := int32(i)
		in := &w.orig.Insts[i]
		switch role := in.Op.Role(); role {
		case il.If, il.Loop, il.Switch:
			stack = append(stack, at)
			w.ends[at] = blockEnd{-1, -1}
		case il.Case:
			if len(stack) > 0 && in.Op == il.OpCase {
				w.cases[caseOf{stack[len(stack)-1], in.Imm[0]}] = at
			}
		case il.Else, il.EndIf, il.EndLoop, il.EndSwitch:
			if len(stack) == 0 {
				continue
			}
			open := stack[len(stack)-1]
			e := w.ends[open]
			if role == il.Else {
				e.mid = at
			} else {
				e.end = at
				stack = stack[:len(stack)-1]
			}
			w.ends[open] = e
		}
	}
}

// begin starts statement number i.
func (w *writer) begin(i int) { w.point, w.spare = int32(i), 0 }

// scratch returns a temporary that is free until the end of the current statement: one beyond those of the
// allocator.
func (w *writer) scratch() (il.Reg, error) {
	n := w.a.next + w.spare
	w.spare++
	if n > math.MaxUint16 {
		return il.Reg{}, fmt.Errorf("out of registers")
	}
	return il.Reg{File: il.Temp, Num: uint16(n)}, nil
}

// appendInst appends a statement. If it equals the one of the input it keeps that spelling, otherwise only its
// position.
func (w *writer) appendInst(in il.Inst, orig int32) {
	if orig >= 0 {
		o, also := &w.orig.Insts[orig], in.Also
		if o.Same(&in) {
			in = *o
		} else {
			in.Pos = o.Pos
		}
		in.Also = also
	}
	w.out = append(w.out, written{in, orig})
}

// appendFor appends in with the origins and the original statement of s.
func (w *writer) appendFor(in il.Inst, s *stmt) {
	in.Also = s.origins()
	w.appendInst(in, s.orig)
}

// origins returns the origins of s. If s is not a statement of the input, the list starts with the
// instruction it comes from.
func (s *stmt) origins() *asm.Origin {
	switch {
	case s.from == nil:
		return nil
	case s.orig < 0:
		return s.from.Also.Merged(s.from.Pos, "", nil)
	}
	return s.from.Also
}

// statement writes s. It clears last where control flow splits or merges.
func (w *writer) statement(s *stmt) error {
	switch s.kind {
	case regalloc.Plain:
	case regalloc.If, regalloc.Else, regalloc.EndIf:
		defer clear(w.last)
		return w.conditional(s)
	default:
		defer clear(w.last)
		return w.writeLoop(s)
	}
	// The end: outputs get their final values.
	if s.op == il.OpEnd {
		_, err := w.emitPhiMoves(s)
		w.finish()
		return err
	}
	// Copies happen in parallel; the writer orders them.
	if s.copies != nil {
		return w.writeCopies(s)
	}
	in := il.Inst{Op: s.op, Ctl: s.ctl}
	in.Dst.Sat = s.sat
	orig := w.original(s)
	// The destination first: the positions of lanes decide which letters the sources need.
	at, lanes, err := w.dst(s, &in, orig)
	if err != nil {
		return err
	}
	for k := range s.src {
		var hint *il.Src
		if orig != nil && k < int(orig.NSrc) {
			hint = &orig.Src[k]
		}
		src, err := w.source(&s.src[k], at, lanes, hint)
		if err != nil {
			return err
		}
		in.Src[k] = src
		in.NSrc++
	}
	w.appendFor(in, s)
	if in.HasDst && s.array == nil && in.Dst.File != il.Memory {
		w.last[in.Dst.Reg] = lastWrite{len(w.out) - 1, 2*w.point + 1}
	}
	return nil
}

// original returns the statement of the input that s comes from if it has the same op. Its spelling is
// reused.
func (w *writer) original(s *stmt) *il.Inst {
	if s.orig < 0 || w.orig.Insts[s.orig].Op != s.op {
		return nil
	}
	return &w.orig.Insts[s.orig]
}

// dst writes the destination of s: an element, memory, or a register. at is the position of each lane of s,
// lanes the computed ones.
func (w *writer) dst(s *stmt, in *il.Inst, orig *il.Inst) (at [4]int, lanes il.Lanes, err error) {
	at = [4]int{0, 1, 2, 3}
	if s.array != nil {
		in.HasDst = true
		in.Dst.Reg = s.arrayOf
		in.Dst.Addr, err = w.elementAddr(s.array)
		in.Dst.Mask = s.lanes()
		return at, il.Lanes(s.mask), err
	}
	// A store has no destination but mem, which the input may omit.
	if s.mask != 0 {
		if s.mask == 1 && s.lanes() == maskOf(1) && orig != nil && !orig.HasDst {
			return at, 1, nil
		}
		in.HasDst = true
		in.Dst.Reg = il.Reg{File: il.Memory}
		in.Dst.Mask = s.lanes()
		return at, il.Lanes(s.mask), nil
	}
	// A register: the allocator has put all lanes into one, each in a different component.
	for i, v := range s.out {
		if v < 0 {
			continue
		}
		in.HasDst = true
		in.Dst.Reg, at[i] = w.a.place(v)
		lanes |= 1 << at[i]
	}
	in.Dst.Mask = maskOf(lanes)
	if in.HasDst {
		in.Dst.Mask = w.withConstants(in, orig)
	}
	return at, lanes, nil
}

// lanes returns the mask of a statement that writes memory.
func (s *stmt) lanes() il.Mask {
	if s.consts != 0 {
		return s.consts
	}
	return maskOf(il.Lanes(s.mask))
}

// withConstants returns the mask of in, extended by the constants that orig also writes, where those
// components are free right after the statement. So mov r0.x_01, r1 stays unchanged, although the constants
// are separate values.
func (w *writer) withConstants(in, orig *il.Inst) il.Mask {
	m := in.Dst.Mask
	if orig == nil || orig.Dst.Reg != in.Dst.Reg {
		return m
	}
	var lanes [4]il.Write
	for c := range lanes {
		lanes[c] = m.WriteAt(c)
		if k := orig.Dst.Mask.WriteAt(c); lanes[c] == il.Keep && k > il.Result &&
			w.a.isFree(in.Dst.Reg, c, 2*w.point+1, 2*w.point+1) {
			lanes[c] = k
		}
	}
	return il.MakeMask(lanes[0], lanes[1], lanes[2], lanes[3])
}

// maskOf returns the mask that computes lanes and keeps the others.
func maskOf(lanes il.Lanes) il.Mask {
	var m [4]il.Write
	for i := range m {
		if lanes.Has(i) {
			m[i] = il.Result
		}
	}
	return il.MakeMask(m[0], m[1], m[2], m[3])
}

// finish ends the kernel as the input does.
func (w *writer) finish() {
	for i := range w.orig.Insts {
		if w.orig.Insts[i].Op.Role() != il.End {
			continue
		}
		if i > 0 { // a return before the end is redundant, but may be there
			if o := &w.orig.Insts[i-1]; o.Op.Role() == il.Return && o.NSrc == 0 && !w.functions() {
				w.appendInst(*o, int32(i-1))
			}
		}
		w.appendInst(w.orig.Insts[i], int32(i))
		return
	}
	w.appendInst(il.Inst{Op: il.OpEnd}, -1)
}

// functions reports whether the input has functions, after the return of its main program.
func (w *writer) functions() bool {
	for i := range w.orig.Insts {
		if w.orig.Insts[i].Op.Role() == il.Func {
			return true
		}
	}
	return false
}

// literals returns the literals that statements name. They must be declared even if no component is read:
// l0.00 is zeros.
func (w *writer) literals() map[uint16]bool {
	named := map[uint16]bool{}
	for i := range w.out {
		for _, src := range w.out[i].Sources() {
			if src.File == il.Literal {
				named[src.Num] = true
			}
		}
	}
	return named
}

// kernel returns the kernel with the declarations between the statements. Declarations at the head of the
// input come first, then the new ones; the others precede the statement that they preceded. A statement that
// equals the input's keeps its spelling.
func (w *writer) kernel() *il.Kernel {
	o := w.orig
	k := &il.Kernel{Stage: o.Stage, MultiPass: o.MultiPass, RealTime: o.RealTime, Client: o.Client, Head: o.Head,
		Tail: o.Tail}
	declared := 0
	for i := range o.Insts {
		if o.Insts[i].Op.Kind() == il.Declaration {
			declared++
		}
	}
	k.Insts = make([]il.Inst, 0, len(w.out)+declared+len(w.lits.regs))
	next := 0
	named, stored := w.literals(), w.storesOutputs()
	declarations := func(before int) {
		for ; next < before; next++ {
			if in := &o.Insts[next]; in.Op.Kind() == il.Declaration &&
				(in.Op != il.OpDclLiteral || w.lits.isUsed(in.Dst.Num) || named[in.Dst.Num]) &&
				!(stored && in.Op == il.OpDclOutput && in.Dst.File == il.Output) {
				k.Insts = append(k.Insts, w.declaration(*in))
			}
		}
	}
	first := 0
	for first < len(o.Insts) && o.Insts[first].Op.Kind() == il.Declaration {
		first++
	}
	declarations(first)
	// Literals that the input does not have; unread literals of the input were omitted above.
	for i := w.lits.declared; i < len(w.lits.regs); i++ {
		l := &w.lits.regs[i]
		in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4, Imm: l.words}
		in.Dst.Reg, in.Dst.Mask = il.Reg{File: il.Literal, Num: l.num}, il.MaskAll
		k.Insts = append(k.Insts, in)
	}
	k.Insts = append(k.Insts, w.moreOutputs()...)
	k.Insts = append(k.Insts, w.moreBuffers()...)
	if n := w.b.f.LocalBytes; n > 0 {
		in := il.Inst{Op: il.OpDclLds, NImm: 1, Imm: [4]uint32{n}}
		in.Ctl.ID = addedLocal
		k.Insts = append(k.Insts, in)
	}
	// led: the comments of a statement of the input are written once, with the first statement that derives
	// from it.
	led := make([]bool, len(o.Insts))
	for i := range w.out {
		x := &w.out[i]
		if x.orig >= 0 {
			if x.Op.Role() != il.Case {
				declarations(int(x.orig))
			}
			x.Lead = ""
			if !led[x.orig] {
				led[x.orig] = true
				x.Lead = o.Insts[x.orig].Lead
			}
		}
		k.Insts = append(k.Insts, x.Inst)
	}
	return k
}

// declaration returns a declaration of the input. The size of a group is the one of the function.
func (w *writer) declaration(in il.Inst) il.Inst {
	if in.Op != il.OpDclNumThreadPerGroup {
		return in
	}
	for axis := range in.NImm {
		if n := w.b.f.Threads[axis]; n != 0 && in.Imm[axis] != n {
			in.Imm[axis], in.Text = n, ""
		}
	}
	return in
}

// moreOutputs declares the outputs that the input does not have. After several invocations were merged into
// one, their outputs follow each other, and each is declared like the first one's.
func (w *writer) moreOutputs() (list []il.Inst) {
	declared := map[uint16]*il.Inst{}
	for i := range w.orig.Insts {
		if in := &w.orig.Insts[i]; in.Op == il.OpDclOutput && in.Dst.File == il.Output {
			declared[in.Dst.Num] = in
		}
	}
	n := Outputs(w.orig)
	for _, o := range w.b.f.Outs {
		num := o.Reg.Index
		if il.File(o.Reg.File) != il.Output || declared[num] != nil || n == 0 || declared[num%n] == nil {
			continue
		}
		in := *declared[num%n]
		in.Dst.Num, in.Lead, in.Text = num, "", ""
		declared[num] = &in
		list = append(list, in)
	}
	return list
}

// moreBuffers declares the buffers of floats that the input does not have and the function loads elements from.
func (w *writer) moreBuffers() (list []il.Inst) {
	declared := map[uint16]bool{}
	for i := range w.orig.Insts {
		if in := &w.orig.Insts[i]; in.Op == il.OpDclResource {
			declared[in.Ctl.ID] = true
		}
	}
	w.b.f.Walk(func(in *ir.Instr) {
		id := uint16(in.Res.Unit)
		if in.Op != ir.OpTexelLoad || in.Res.Dim != ir.DimBuffer || declared[id] {
			return
		}
		declared[id] = true
		list = append(list, FloatBuffer(id))
	})
	return list
}

// FloatBuffer declares a resource as a buffer of floats.
func FloatBuffer(id uint16) il.Inst {
	in := il.Inst{Op: il.OpDclResource}
	in.Ctl.ID, in.Ctl.Tex = id, il.TexBuffer
	for c := range in.Ctl.Format {
		in.Ctl.Format[c] = il.FormatFloat
	}
	return in
}

// storesOutputs reports whether the input writes outputs and the function has none, because they are in memory now.
func (w *writer) storesOutputs() bool {
	isOutput := func(o ir.Output) bool { return il.File(o.Reg.File) == il.Output }
	return !slices.ContainsFunc(w.b.f.Outs, isOutput) && slices.ContainsFunc(w.orig.Insts, func(in il.Inst) bool {
		return in.Op.Kind() != il.Declaration && in.HasDst && in.Dst.File == il.Output
	})
}

// Outputs returns how many colour outputs the statements of a kernel have, from o0 up to the last.
func Outputs(k *il.Kernel) (n uint16) {
	count := func(r il.Reg) {
		if r.File == il.Output {
			n = max(n, r.Num+1)
		}
	}
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Op.Kind() == il.Declaration {
			continue
		}
		if in.HasDst {
			count(in.Dst.Reg)
		}
		for s := range in.Sources() {
			count(in.Src[s].Reg)
		}
	}
	return n
}
