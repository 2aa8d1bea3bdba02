package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// from tells what register or element a lane is read from, and whether absolute: what
// the lanes of one operand share. Two lanes can be in one operand if and only if their
// from is equal; signs and components may differ.
type from struct {
	reg    il.Reg
	offset uint32
	elem   *element // of an index that is no constant
	abs    bool
}

// from is where l, of a temporary or leaf, is read.
func (w *writer) from(l *lane) from {
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

// comp is the component of its register that l reads. It is called for temporaries and
// leaves.
func (w *writer) comp(l *lane) il.Sel {
	if l.kind == laneTemp {
		_, c := w.a.place(l.v)
		return il.Sel(c)
	}
	return il.Sel(l.comp)
}

// addr writes the index of an element, which may itself be an element: cb0[x0[r1.x].y +
// 2].
func (w *writer) addr(e *element) (il.Addr, error) {
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
	rel := &il.Src{Reg: l.reg, Swz: il.MakeSwizzle(w.comp(&l))}
	if l.kind == laneTemp {
		rel.Reg, _ = w.a.place(l.v)
	}
	if l.elem != nil {
		inner, err := w.addr(l.elem)
		if err != nil {
			return a, err
		}
		rel.Addr = inner
	}
	a.Rel = rel
	return a, nil
}

// source writes an operand, moving its lanes together first if it must. at is where
// each lane of the statement is, lanes those that it computes: lane-wise operands are
// read where the results go, others in place. hint is the operand of the input.
//
// There are three cases: literals alone; one register, with zeros and ones if need be,
// as the swizzle has these; and anything else, which is gathered into a temporary
// first.
func (w *writer) source(o *operand, at [4]int, lanes il.Lanes, hint *il.Src) (il.Src, error) {
	var placed [4]lane // by position
	for i, l := range o.lanes {
		switch {
		case l.kind == laneNone: // at says nothing of it
		case o.shape == il.LaneWise:
			placed[at[i]] = l
		default:
			placed[i] = l
		}
	}
	if o.shape != il.LaneWise {
		// What the operand reads: literals, one register or several, and signs that it
		// cannot have.
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
			f := w.from(l)
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

// direct writes an operand all of whose lanes are in one register, or zeros and ones.
// Its register is that of the first lane that has one.
func (w *writer) direct(o *operand, placed *[4]lane, lanes il.Lanes, hint *il.Src) (il.Src, error) {
	var out il.Src
	var wants [4]laneRequest
	for i := range placed {
		l := &placed[i]
		if l.kind != laneTemp && l.kind != laneLeaf {
			continue
		}
		if out.File == il.NoFile {
			f := w.from(l)
			out.Reg, out.Offset = f.reg, f.offset
			if f.abs {
				out.Mods = il.Abs
			}
			if f.elem != nil {
				a, err := w.addr(f.elem)
				if err != nil {
					return out, err
				}
				out.Addr = a
			}
		}
		wants[i] = laneRequest{true, w.comp(l), l.mod&(modNeg|modIntNeg) != 0}
	}
	for i := range placed {
		if l := &placed[i]; l.kind == laneConst {
			wants[i] = laneRequest{true, unit(l.bits), l.mod&(modNeg|modIntNeg) != 0}
		}
	}
	w.swizzle(&out, o.shape, &wants, lanes, hint)
	return out, nil
}

// unit selects 0.0 or 1.0, by a swizzle letter. bits are those of one of them.
func unit(bits uint32) il.Sel {
	if bits == 0 {
		return il.Sel0
	}
	return il.Sel1
}

// word is what l, a literal lane, amounts to, but for a sign that o can have: -1.0 is
// 1.0 negated, for which the letter 1 and a negation do, and no literal is declared.
func (o *operand) word(l *lane) (word uint32, neg bool) {
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

// constant writes an operand that reads no register that the program writes. If all
// literals are where the input has them, it is spelt as there; words other than 0.0 and
// 1.0 need a register that has all of them; zeros and ones do with any register.
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
		home = home && l.reg == out.Reg && l.mod&modAbs == abs && l.reg.File == il.Literal && w.lits.holds(l.reg.Num, l.comp, l.bits) &&
			!(o.integer && l.mod&modNeg != 0)
		if word, _ := o.word(l); word != 0 && word != one && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	switch {
	// All literals are in the register where the input has them: nothing is respelt.
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
		r, err := w.lits.use(words)
		if err != nil {
			return out, err
		}
		out.Reg = r
		fallthrough
	default:
		for i := range placed {
			if l := &placed[i]; l.kind == laneConst {
				word, neg := o.word(l)
				sel := unit(word)
				if word != 0 && word != one {
					sel = il.Sel(w.lits.comp(out.Num, word))
				}
				wants[i] = laneRequest{true, sel, neg}
			}
		}
		if len(words) > 0 {
			break
		}
		// Zeros and ones alone: any register will do.
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

// gather moves the lanes of an operand into one temporary, which is free again after
// the statement. Zeros and ones need none, and the negative integer is taken where it
// is read, as mov knows float signs only.
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
