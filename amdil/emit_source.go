package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// from is the register or element that a lane is read from, with absolute value or not. Two lanes can be in
// one operand if and only if their from is equal; signs and components may differ.
type from struct {
	reg    il.Reg
	offset uint32
	elem   *element // of a computed index
	abs    bool
}

// readPlace returns the place where l, of a temporary or leaf, is read.
func (w *writer) readPlace(l *lane) from {
	f := from{reg: l.reg, abs: l.mod&modAbs != 0}
	switch {
	case l.kind == laneTemp:
		f.reg, _ = w.a.place(l.v)
	case l.elem == nil:
	case l.elem.isConst():
		f.offset = l.elem.offset
	default:
		f.elem = l.elem
	}
	return f
}

// readComponent returns the component of its register that l reads; l is a temporary or leaf.
func (w *writer) readComponent(l *lane) il.Sel {
	if l.kind == laneTemp {
		_, c := w.a.place(l.v)
		return il.Sel(c)
	}
	return il.Sel(l.comp)
}

// elementAddr writes the index of an element, which may itself be an element: cb0[x0[r1.x].y + 2].
func (w *writer) elementAddr(e *element) (il.Addr, error) {
	a := il.Addr{Offset: e.offset}
	l := e.index
	if l.kind == laneNone {
		return a, nil
	}
	if l.mod != 0 { // an index has no modifiers
		t, err := w.scratch()
		if err != nil {
			return a, err
		}
		if err := w.copies([]target{{reg: t, from: l}}, nil); err != nil {
			return a, err
		}
		l = lane{kind: laneLeaf, reg: t}
	}
	rel := &il.Src{Reg: l.reg, Swz: il.MakeSwizzle(w.readComponent(&l))}
	if l.kind == laneTemp {
		rel.Reg, _ = w.a.place(l.v)
	}
	if l.elem != nil {
		inner, err := w.elementAddr(l.elem)
		if err != nil {
			return a, err
		}
		rel.Addr = inner
	}
	a.Rel = rel
	return a, nil
}

// source writes an operand, and first moves its lanes into one register if it must. at is the position of
// each lane of the statement, lanes the computed lanes. Lane-wise operands are read at the positions of the
// results, others in place. hint is the operand of the input.
//
// There are three cases: literals alone; one register, plus zeros and ones, which the swizzle can select; and
// anything else, which is gathered into a temporary first.
func (w *writer) source(o *operand, at [4]int, lanes il.Lanes, hint *il.Src) (il.Src, error) {
	var placed [4]lane // by position
	for i, l := range o.lanes {
		switch {
		case l.kind == laneNone: // at has no entry for it
		case o.shape == il.LaneWise:
			placed[at[i]] = l
		default:
			placed[i] = l
		}
	}
	if o.shape != il.LaneWise {
		// Classify the operand: literals, one register or several, and signs that it cannot have.
		lanes = il.AllLanes
	}
	var first from
	var some, mixed, literal bool
	for i := range placed {
		l := &placed[i]
		switch l.kind {
		case laneConst:
			literal = literal || !l.isUnit() || o.integer && l.mod&modNeg != 0
		case laneTemp, laneLeaf:
			f := w.readPlace(l)
			mixed = mixed || some && f != first || o.integer && l.mod&modNeg != 0
			first, some = f, true
		}
	}
	switch {
	case !some:
		return w.constant(o, &placed, lanes, hint)
	case mixed || literal:
		if err := w.gather(o, &placed); err != nil {
			return il.Src{}, err
		}
	}
	return w.direct(o, &placed, lanes, hint)
}

// direct writes an operand whose lanes are all in one register, or zeros and ones. The first lane in a
// register determines it.
func (w *writer) direct(o *operand, placed *[4]lane, lanes il.Lanes, hint *il.Src) (il.Src, error) {
	var out il.Src
	var wants [4]laneRequest
	for i := range placed {
		l := &placed[i]
		if l.kind != laneTemp && l.kind != laneLeaf {
			continue
		}
		if out.File == il.NoFile {
			f := w.readPlace(l)
			out.Reg, out.Offset = f.reg, f.offset
			if f.abs {
				out.Mods = il.Abs
			}
			if f.elem != nil {
				a, err := w.elementAddr(f.elem)
				if err != nil {
					return out, err
				}
				out.Addr = a
			}
		}
		wants[i] = laneRequest{true, w.readComponent(l), l.mod&(modNeg|modIntNeg) != 0}
	}
	for i := range placed {
		if l := &placed[i]; l.kind == laneConst {
			wants[i] = laneRequest{true, unitLetter(l.bits), l.mod&(modNeg|modIntNeg) != 0}
		}
	}
	w.swizzle(&out, o.shape, &wants, lanes, hint)
	return out, nil
}

// unitLetter returns the swizzle letter for 0.0 or 1.0, given its bits.
func unitLetter(bits uint32) il.Sel {
	if bits == 0 {
		return il.Sel0
	}
	return il.Sel1
}

// literalWord returns the value of l, a literal lane, without a sign that o can express. For example, -1.0 is 1.0
// negated, which the letter 1 and a negation express without a literal.
func (o *operand) literalWord(l *lane) (word uint32, neg bool) {
	x := *l
	sign := modNeg
	if o.integer {
		sign = modIntNeg
	}
	if x.mod&sign != 0 {
		x.mod &^= sign
		if w := constantOf(&x); w == 0 || w == one {
			return w, true
		}
		x.mod |= sign
	}
	return constantOf(&x), false
}

// constant writes an operand that reads no register that the program writes. If all literals are where the
// input has them, it is spelled as there. Words other than 0.0 and 1.0 need a register that has all of them;
// zeros and ones work with any register.
func (w *writer) constant(o *operand, placed *[4]lane, lanes il.Lanes, hint *il.Src) (il.Src, error) {
	var out il.Src
	var wants [4]laneRequest
	home := true // all are read where the input has them
	some := false
	var abs uint8
	var words []uint32
	for i := range placed {
		l := &placed[i]
		if l.kind != laneConst {
			continue
		}
		if !some {
			out.Reg, abs, some = l.reg, l.mod&modAbs, true
		}
		home = home && l.reg == out.Reg && l.mod&modAbs == abs && l.reg.File == il.Literal &&
			w.lits.holds(l.reg.Num, l.comp, l.bits) &&
			!(o.integer && l.mod&modNeg != 0)
		if word, _ := o.literalWord(l); word != 0 && word != one && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	switch {
	// All literals are in the register where the input has them: keep the spelling.
	case some && home:
		w.lits.regs[w.lits.of[out.Num]].used = true
		if abs != 0 {
			out.Mods = il.Abs
		}
		for i := range placed {
			if l := &placed[i]; l.kind == laneConst {
				wants[i] = laneRequest{true, il.Sel(l.comp), l.mod&(modNeg|modIntNeg) != 0}
			}
		}
	// Words other than 0.0 and 1.0 need a register that has all of them.
	case len(words) > 0:
		r, err := w.lits.useLiteral(words)
		if err != nil {
			return out, err
		}
		out.Reg = r
		fallthrough
	default:
		for i := range placed {
			if l := &placed[i]; l.kind == laneConst {
				word, neg := o.literalWord(l)
				sel := unitLetter(word)
				if word != 0 && word != one {
					sel = il.Sel(w.lits.wordComponent(out.Num, word))
				}
				wants[i] = laneRequest{true, sel, neg}
			}
		}
		if len(words) > 0 {
			break
		}
		// Zeros and ones alone: any register works.
		out.Reg = il.Reg{File: il.Temp}
		if hint != nil && hint.Rel == nil {
			out.Reg, out.Addr = hint.Reg, hint.Addr
			if n, ok := w.lits.of[hint.Num]; ok && hint.File == il.Literal {
				w.lits.regs[n].used = true
			}
		}
	}
	w.swizzle(&out, o.shape, &wants, lanes, hint)
	return out, nil
}

// gather moves the lanes of an operand into one temporary, which is free again after the statement. Zeros and
// ones need no move. An integer negation is applied where the lane is read, because mov has float signs only.
func (w *writer) gather(o *operand, placed *[4]lane) error {
	t, err := w.scratch()
	if err != nil {
		return err
	}
	var moves []target
	for i := range placed {
		l := &placed[i]
		if l.kind == laneNone || l.isUnit() && !(o.integer && l.mod&modNeg != 0) {
			continue
		}
		m := target{reg: t, comp: i, from: *l}
		m.from.mod &^= modIntNeg
		moves = append(moves, m)
		*l = lane{kind: laneLeaf, reg: t, comp: uint8(i), mod: l.mod & modIntNeg}
	}
	return w.copies(moves, nil)
}
