package interp

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// lowering compiles one instruction to micro-operations. pre computes operands into scratch, fin computes
// each destination component, and direct or masked places these.
type lowering struct {
	*compiler
	in *d3d9.Inst

	pre    []uop  // into scratch: modified, relative and intermediate operands
	fin    [4]uop // the value of each destination component
	have   d3d9.Mask
	copyOf [4]int8  // 1 + the earlier component that a component repeats
	cache  []cached // operands already computed
	next   slot     // used scratch slots
	over   [4]slot  // scratch for the unsaturated value of each destination component, 0 if none yet
}

// cached records the slot of a computed source component.
type cached struct {
	src, row, comp int
	at             slot
}

// scratch returns a slot that this instruction has not used yet.
func (l *lowering) scratch() slot {
	s := operandSlot + l.next
	l.next++
	return s
}

// emitScratch computes into scratch.
func (l *lowering) emitScratch(u uop) slot {
	u.dst = l.scratch()
	l.pre = append(l.pre, u)
	return u.dst
}

// ref is an operand whose sign the operation may absorb.
type ref struct {
	at  slot
	neg bool
}

// scalar returns the component that a scalar operation reads of source k: the fourth without a swizzle, as
// in the reference's code and Wine. The reference's text and MojoShader use the first.
func (l *lowering) scalar(k int) slot { return l.laneSlot(k, 3) }

// laneSlot returns the value that lane c reads of source k, swizzled and modified.
func (l *lowering) laneSlot(k, c int) slot { return l.value(l.signed(k, c)) }

// signed returns lane without its negation, which the caller must apply.
func (l *lowering) signed(k, c int) ref { return l.matrixLane(k, 0, c) }

// value applies the negation of an operand.
func (l *lowering) value(r ref) slot {
	if !r.neg {
		return r.at
	}
	for _, e := range l.cache {
		if e.src == -1 && e.comp == int(r.at) {
			return e.at
		}
	}
	at := l.emitScratch(uop{code: uNeg, src: [8]slot{r.at}})
	l.cache = append(l.cache, cached{src: -1, comp: int(r.at), at: at})
	return at
}

// matrixLane returns lane c of the register row places after source k, as matrix operations read it: swizzled,
// modified, and gathered if addressed relatively. The instruction computes each such operand once.
func (l *lowering) matrixLane(k, row, c int) ref {
	s := &l.in.Src[k]
	comp := s.Swz.ComponentAt(c)
	if m := modified[s.Mod]; m.code != uCopy {
		return l.scaled(s, k, comp, m)
	}
	if s.File == d3d9.Const && s.Rel.File == d3d9.NoFile {
		return ref{at: l.constant(int(s.Index)+row, comp, s.Mod)}
	}
	neg := s.Mod == d3d9.ModNeg || s.Mod == d3d9.ModAbsNeg
	abs := s.Mod == d3d9.ModAbs || s.Mod == d3d9.ModAbsNeg
	if !abs && s.Rel.File == d3d9.NoFile {
		return ref{l.readSlot(s.Reg, row, comp), neg}
	}
	for _, e := range l.cache {
		if e.src == k && e.row == row && e.comp == comp {
			return ref{e.at, neg}
		}
	}
	var at slot
	if s.Rel.File == d3d9.NoFile {
		at = l.readSlot(s.Reg, row, comp)
	} else {
		at = l.gather(s, row, comp)
	}
	if abs {
		at = l.emitScratch(uop{code: uAbs, src: [8]slot{at}})
	}
	l.cache = append(l.cache, cached{src: k, row: row, comp: comp, at: at})
	return ref{at, neg}
}

// scaling computes x-by, by-x (from) or x*by, then doubles it (double), then negates it (neg).
type scaling struct {
	code   ucode
	by     float32
	from   bool
	double bool
	neg    bool
}

// modified maps the source modifiers of ps_1_x, except the sign, to their computation.
var modified = [...]scaling{
	d3d9.ModBias: {code: uSub, by: 0.5}, d3d9.ModBiasNeg: {code: uSub, by: 0.5, neg: true},
	d3d9.ModSign: {code: uSub, by: 0.5, double: true}, d3d9.ModSignNeg: {code: uSub, by: 0.5, double: true, neg: true},
	d3d9.ModX2: {code: uMul, by: 2}, d3d9.ModX2Neg: {code: uMul, by: 2, neg: true},
	d3d9.ModComp: {code: uSub, by: 1, from: true},
	d3d9.ModNot:  {},
}

// scaled returns a component of source k under one of these modifiers.
func (l *lowering) scaled(s *d3d9.Src, k, comp int, m scaling) ref {
	for _, e := range l.cache {
		if e.src == k && e.comp == comp {
			return ref{e.at, m.neg}
		}
	}
	var at slot
	if s.File == d3d9.Const {
		at = l.constant(int(s.Index), comp, d3d9.ModNone)
	} else {
		at = l.readSlot(s.Reg, 0, comp)
	}
	if a, b := at, l.literal(m.by); m.from {
		at = l.emitScratch(microOp(m.code, b, a))
	} else {
		at = l.emitScratch(microOp(m.code, a, b))
	}
	if m.double {
		at = l.emitScratch(microOp(uMul, at, l.literal(2)))
	}
	l.cache = append(l.cache, cached{src: k, comp: comp, at: at})
	return ref{at, m.neg}
}

// place returns the slot of a component of a directly addressed register.
func (l *lowering) place(r d3d9.Reg, row, comp int) slot {
	if r.File == d3d9.Texture && l.fixedPoint() && !l.keepsCoordinates() {
		r.File = d3d9.TexOut // the result of an instruction
	}
	r.Index += uint16(row)
	return l.firstSlot(r) + slot(comp)
}

// readSlot returns the slot of a source and marks it as read.
func (l *lowering) readSlot(r d3d9.Reg, row, comp int) slot {
	at := l.place(r, row, comp)
	l.reads[at] = true
	return at
}

// gather reads a relatively addressed source.
func (l *lowering) gather(s *d3d9.Src, row, comp int) slot {
	base := int(s.Index) + row
	u := uop{code: uGatherConst, comp: uint8(comp), aux: int32(base)}
	loop := s.Rel.File == d3d9.Loop
	if loop {
		u.code = uGatherLoop
	} else {
		u.src[0] = l.place(d3d9.Reg{File: d3d9.Addr}, 0, s.Rel.Swz.ComponentAt(0))
	}
	if s.File != d3d9.Const {
		u.code = uGatherReg
		u.aux = l.table(s.File, base, loop)
	}
	return l.emitScratch(u)
}

// table records a relatively addressed register file other than c#.
func (l *lowering) table(file d3d9.File, base int, loop bool) int32 {
	f := l.files[file]
	t := regTable{first: f.first, count: f.count, loop: loop, base: base}
	for at := range slot(4 * t.count) {
		l.reads[t.first+at] = true
	}
	l.tables = append(l.tables, t)
	return int32(len(l.tables) - 1)
}
