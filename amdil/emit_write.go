package amdil

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/regalloc"
)

// writer turns statements with registers into concrete ones. It goes through the list
// once; out grows by what each takes. Moments are 2*i before and 2*i+1 after statement
// i (see regalloc.Span).
type writer struct {
	orig *il.Kernel
	b    *emitter
	a    *assigner
	// lits are the literals of the input and those that were added.
	lits *literals
	// ends is where the blocks of the input end, by the statement that opens them.
	ends map[int32]blockEnd
	// cases are the case statements of the switches of the input.
	cases map[caseOf]int32

	// out is the text so far. What follows may still change a statement in it, see last.
	out []written
	// point is the number of the statement at hand.
	point int32
	// spare counts the temporaries that it has used up.
	spare int
	// last tells, for the registers written since control flow last parted or met, by
	// which statement.
	last map[il.Reg]lastWrite
	// open are the conditionals around the statement at hand, innermost last.
	open []opened
}

// written is a statement of the output and the one of the input it stands for, or -1.
type written struct {
	il.Inst
	orig int32
}

// lastWrite is where a register was written last: the statement in out, and the moment
// after it.
type lastWrite struct {
	at    int // in out
	point int32
}

// blockEnd is where the input has the else and the end of a block.
type blockEnd struct{ mid, end int32 }

// caseOf is a case of the switch that a statement of the input opens.
type caseOf struct {
	open int32
	word uint32
}

// opened is a conditional whose end is not written yet.
type opened struct {
	at  int // of the if in out
	mid int // of the else, 0 for none
}

// newWriter makes the writer of b's statements, with the memory of out.
func newWriter(orig *il.Kernel, b *emitter, a *assigner, out []written) *writer {
	w := &writer{orig: orig, b: b, a: a, out: slices.Grow(out[:0], len(b.stmts)+len(b.stmts)/8), lits: newLiterals(orig), last: map[il.Reg]lastWrite{},
		ends: map[int32]blockEnd{}, cases: map[caseOf]int32{}}
	w.blocks()
	return w
}

// blocks finds where the blocks of the input go on and end, so that else and endif of
// an if that stays are spelt as they were.
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

// begin turns to statement number i.
func (w *writer) begin(i int) { w.point, w.spare = int32(i), 0 }

// scratch is a temporary that is free until the end of the statement at hand: behind
// all that the allocator has used.
func (w *writer) scratch() (il.Reg, error) {
	n := w.a.next + w.spare
	w.spare++
	if n > math.MaxUint16 {
		return il.Reg{}, fmt.Errorf("out of registers")
	}
	return il.Reg{File: il.Temp, Num: uint16(n)}, nil
}

// put appends a statement, spelt as the one of the input if it is the same, and at its
// place for messages otherwise.
func (w *writer) put(in il.Inst, orig int32) {
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

// say is put of what s says.
func (w *writer) say(in il.Inst, s *stmt) {
	in.Also = s.origins()
	w.put(in, s.orig)
}

// origins are those of what s was made of, with that first if s is no statement of the input.
func (s *stmt) origins() *asm.Origin {
	switch {
	case s.from == nil:
		return nil
	case s.orig < 0:
		return s.from.Also.Merged(s.from.Pos, "", nil)
	}
	return s.from.Also
}

// statement writes s. What was written last is forgotten where control parts or meets.
func (w *writer) statement(s *stmt) error {
	switch s.kind {
	case regalloc.Plain:
	case regalloc.If, regalloc.Else, regalloc.EndIf:
		defer clear(w.last)
		return w.conditional(s)
	default:
		defer clear(w.last)
		return w.loop(s)
	}
	// The end: outputs get what they end with.
	if s.op == il.OpEnd {
		_, err := w.emitPhiMoves(s)
		w.finish()
		return err
	}
	// A set of moves happens at once; the writer orders them.
	if s.copies != nil {
		return w.move(s)
	}
	in := il.Inst{Op: s.op, Ctl: s.ctl}
	in.Dst.Sat = s.sat
	orig := w.original(s)
	// The destination first: where lanes are decides which letters the sources need.
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
	w.say(in, s)
	if in.HasDst && s.array == nil && in.Dst.File != il.Memory {
		w.last[in.Dst.Reg] = lastWrite{len(w.out) - 1, 2*w.point + 1}
	}
	return nil
}

// original is the statement of the input that s comes from if it is of the same op, to
// be spelt like it.
func (w *writer) original(s *stmt) *il.Inst {
	if s.orig < 0 || w.orig.Insts[s.orig].Op != s.op {
		return nil
	}
	return &w.orig.Insts[s.orig]
}

// dst writes the destination of s: an element, memory, or a register. at is where each
// lane of s is, lanes those computed.
func (w *writer) dst(s *stmt, in *il.Inst, orig *il.Inst) (at [4]int, lanes il.Lanes, err error) {
	at = [4]int{0, 1, 2, 3}
	if s.array != nil {
		in.HasDst = true
		in.Dst.Reg = s.arrayOf
		in.Dst.Addr, err = w.addr(s.array)
		in.Dst.Mask = s.lanes()
		return at, il.Lanes(s.mask), err
	}
	// A store has no destination but mem, which the input may leave out.
	if s.mask != 0 {
		if s.mask == 1 && s.lanes() == maskOf(1) && orig != nil && !orig.HasDst {
			return at, 1, nil
		}
		in.HasDst = true
		in.Dst.Reg = il.Reg{File: il.Memory}
		in.Dst.Mask = s.lanes()
		return at, il.Lanes(s.mask), nil
	}
	// A register: the allocator has put all lanes into one, each at a component of its own.
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

// lanes is the mask of a statement that writes memory.
func (s *stmt) lanes() il.Mask {
	if s.consts != 0 {
		return s.consts
	}
	return maskOf(il.Lanes(s.mask))
}

// withConstants is the mask of in with the constants that orig writes beside, where
// that does no harm: nothing lives in these components right behind the statement. So
// mov r0.x_01, r1 stays what it was, although the constants are values of their own.
func (w *writer) withConstants(in, orig *il.Inst) il.Mask {
	m := in.Dst.Mask
	if orig == nil || orig.Dst.Reg != in.Dst.Reg {
		return m
	}
	var lanes [4]il.Write
	for c := range lanes {
		lanes[c] = m.At(c)
		if k := orig.Dst.Mask.At(c); lanes[c] == il.Keep && k > il.Result && w.a.free(in.Dst.Reg, c, 2*w.point+1, 2*w.point+1) {
			lanes[c] = k
		}
	}
	return il.MakeMask(lanes[0], lanes[1], lanes[2], lanes[3])
}

// maskOf is the mask that computes lanes and keeps the others.
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
		if i > 0 { // a return before the end says nothing, but may be there
			if o := &w.orig.Insts[i-1]; o.Op.Role() == il.Return && o.NSrc == 0 && !w.functions() {
				w.put(*o, int32(i-1))
			}
		}
		w.put(w.orig.Insts[i], int32(i))
		return
	}
	w.put(il.Inst{Op: il.OpEnd}, -1)
}

// functions reports whether the input has functions, behind the return of its main
// program.
func (w *writer) functions() bool {
	for i := range w.orig.Insts {
		if w.orig.Insts[i].Op.Role() == il.Func {
			return true
		}
	}
	return false
}

// literals are those that statements name, which have to be declared though nothing may be
// read of them: l0.00 is zeros.
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

// kernel puts the declarations between the statements. Those at the head of the input come first,
// then the new ones; the rest precede the statement that they preceded. A statement that is the same
// as that of the input keeps its spelling.
func (w *writer) kernel() *il.Kernel {
	o := w.orig
	k := &il.Kernel{Stage: o.Stage, MultiPass: o.MultiPass, RealTime: o.RealTime, Client: o.Client, Head: o.Head, Tail: o.Tail}
	declared := 0
	for i := range o.Insts {
		if o.Insts[i].Op.Kind() == il.Declaration {
			declared++
		}
	}
	k.Insts = make([]il.Inst, 0, len(w.out)+declared+len(w.lits.regs))
	next := 0
	named := w.literals()
	declarations := func(before int) {
		for ; next < before; next++ {
			if in := &o.Insts[next]; in.Op.Kind() == il.Declaration && (in.Op != il.OpDclLiteral || w.lits.isUsed(in.Dst.Num) || named[in.Dst.Num]) {
				k.Insts = append(k.Insts, *in)
			}
		}
	}
	first := 0
	for first < len(o.Insts) && o.Insts[first].Op.Kind() == il.Declaration {
		first++
	}
	declarations(first)
	// Literals that the input does not have; those that it has and nothing reads are left out
	// above.
	for i := w.lits.declared; i < len(w.lits.regs); i++ {
		l := &w.lits.regs[i]
		in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4, Imm: l.words}
		in.Dst.Reg, in.Dst.Mask = il.Reg{File: il.Literal, Num: l.num}, il.MaskAll
		k.Insts = append(k.Insts, in)
	}
	k.Insts = append(k.Insts, w.moreOutputs()...)
	// led: comments in front of a statement of the input are written once, with the first statement
	// that came of it.
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

// moreOutputs declares the outputs that the input has not got: those of several invocations
// that have become one follow each other, and each is declared as that of the first one.
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

// Outputs is how many colour outputs the statements of a kernel have, from o0 up to the last.
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
