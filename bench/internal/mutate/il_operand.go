package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// ilOperandKinds change the operands, the destination or the operation of an instruction of a kernel.
var ilOperandKinds = []Kind{
	{Name: "swizzle", Dialect: IL, Doc: "one place of a swizzle selects another component", il: (*ilSite).swizzle},
	{Name: "swizzle-exchanged", Dialect: IL, Doc: "two places of a swizzle are exchanged", il: (*ilSite).exchangedPlaces},
	{Name: "swizzle-constant", Dialect: IL, Doc: "one place of a swizzle selects 0 or 1", il: (*ilSite).constantPlace},
	{Name: "double-pairs", Dialect: IL, Doc: "the pairs of a source of doubles are exchanged", il: (*ilSite).doublePairs},
	{Name: "sign", Dialect: IL, Doc: "a source is negated", il: (*ilSite).negateLanes},
	{Name: "abs", Dialect: IL, Doc: "the modifier abs of a source is lost or added", il: (*ilSite).toggleAbs},
	{Name: "abs-of-root", Dialect: IL, Doc: "the modifier abs of the operand of a root or a logarithm is lost or added",
		il: (*ilSite).absOfRoot},
	{Name: "mask", Dialect: IL, Doc: "a lane of the result is kept, or no longer kept, or becomes 0 or 1",
		il: (*ilSite).changeMask},
	{Name: "op", Dialect: IL, Doc: "another operation of as many sources", il: (*ilSite).changeOp},
	{Name: "signedness", Dialect: IL, Doc: "an operation on integers of the other kind, signed or unsigned",
		il: (*ilSite).signedness},
	{Name: "integer-float", Dialect: IL, Doc: "an operation on integers in place of one on floats, or the other way round", il: (*ilSite).integerFloat},
	{Name: "register", Dialect: IL, Doc: "a source is another register", il: (*ilSite).register},
	{Name: "undefined", Dialect: IL, Doc: "a source is a register that nothing writes", il: (*ilSite).undefined},
	{Name: "constant-element", Dialect: IL, Doc: "a source is another element of a constant buffer",
		il: (*ilSite).element},
	{Name: "destination", Dialect: IL, Doc: "the result goes to another register", il: (*ilSite).destination},
	{Name: "output-register", Dialect: IL, Doc: "the result goes to another output", il: (*ilSite).output},
	{Name: "saturate", Dialect: IL, Doc: "the modifier _sat is lost or added", il: (*ilSite).saturate},
	{Name: "result-scale", Dialect: IL, Doc: "the result is twice or half of itself", il: (*ilSite).scale},
	{Name: "operands-exchanged", Dialect: IL, Doc: "two sources change places", il: (*ilSite).exchangedOperands},
	{Name: "zero-divisor", Dialect: IL, Doc: "a reciprocal gives something else for zero", il: (*ilSite).zeroDivisor},
	{Name: "relative-lost", Dialect: IL, Doc: "an index loses its relative part", il: (*ilSite).relativeLost},
	{Name: "relative-component", Dialect: IL, Doc: "an index is read from another component",
		il: (*ilSite).relativeComponent},
	{Name: "array-offset", Dialect: IL, Doc: "an index is one more", il: (*ilSite).arrayOffset},
}

// computesIL reports whether in is executed, including memory operations, and neither a declaration nor
// flow.
func computesIL(in *il.Inst) bool {
	return in.Op.Kind() != il.Declaration && in.Op.Kind() != il.Flow
}

// source picks a source of an instruction or of flow.
func (m *ilSite) source() *il.Src {
	in := m.statement()
	if in.NSrc == 0 || in.Op.Kind() == il.Declaration {
		return nil
	}
	return &in.Src[m.r.IntN(int(in.NSrc))]
}

// places returns the selections of a swizzle, which may have fewer than four; an empty one means xyzw.
func places(z il.Swizzle) []il.Sel {
	list := make([]il.Sel, z.Len())
	for i := range list {
		list[i] = z.SelectionAt(i)
	}
	return list
}

// place changes one selection of a swizzle to the result of to.
func (m *ilSite) place(to func() il.Sel) bool {
	s := m.source()
	if s == nil {
		return false
	}
	p := places(s.Swz)
	if len(p) == 0 {
		p = []il.Sel{il.SelX, il.SelY, il.SelZ, il.SelW}
	}
	i := m.r.IntN(len(p))
	old := p[i]
	if p[i] = to(); p[i] == old {
		return false
	}
	s.Swz = il.MakeSwizzle(p...)
	return true
}

func (m *ilSite) swizzle() bool { return m.place(func() il.Sel { return il.Sel(m.r.IntN(4)) }) }
func (m *ilSite) constantPlace() bool {
	return m.place(func() il.Sel { return choose(m.r, il.Sel0, il.Sel1) })
}

func (m *ilSite) exchangedPlaces() bool {
	s := m.source()
	if s == nil || s.Swz.Len() < 2 {
		return false
	}
	p := places(s.Swz)
	i, j := m.r.IntN(len(p)), m.r.IntN(len(p))
	if p[i] == p[j] {
		return false
	}
	p[i], p[j] = p[j], p[i]
	s.Swz = il.MakeSwizzle(p...)
	return true
}

// doublePairs exchanges xy and zw: doubles are pairs of components, and have no meaningful single
// components.
func (m *ilSite) doublePairs() bool {
	in, s := m.statement(), m.source()
	if s == nil || in.Op.Kind() != il.Double && in.Op != il.OpD2F && in.Op != il.OpDToI && in.Op != il.OpDToU {
		return false
	}
	p := places(s.Swz)
	if len(p) == 0 {
		p = []il.Sel{il.SelX, il.SelY, il.SelZ, il.SelW}
	}
	for i := range p {
		if p[i] <= il.SelW {
			p[i] ^= 2
		}
	}
	s.Swz = il.MakeSwizzle(p...)
	return true
}

// negateLanes negates all lanes; integers use two's complement.
func (m *ilSite) negateLanes() bool {
	s := m.source()
	if s == nil || m.statement().Op.Kind() == il.Flow || m.statement().Op.Kind() == il.MemoryOp {
		return false
	}
	s.Neg ^= il.AllLanes
	return true
}

func (m *ilSite) toggleAbs() bool {
	s := m.source()
	if s == nil || m.statement().Op.Kind() != il.Float {
		return false
	}
	s.Mods ^= il.Abs
	return true
}

// absOfRoot applies abs where the sign of an operand decides whether the result is a number.
func (m *ilSite) absOfRoot() bool {
	switch m.statement().Op {
	case il.OpSqrt, il.OpSqrtVec, il.OpRsq, il.OpRsqVec, il.OpLog, il.OpLogVec, il.OpLn:
		return m.toggleAbs()
	}
	return false
}

// changeMask replaces the two bits of one lane: keep, write, 0 or 1.
func (m *ilSite) changeMask() bool {
	in := m.statement()
	if !in.HasDst || !computesIL(in) {
		return false
	}
	c := m.r.IntN(4)
	old := in.Dst.Mask
	in.Dst.Mask = old&^(3<<(2*c)) | il.Mask(m.r.IntN(4))<<(2*c)
	if in.Dst.Mask == old || in.Dst.Mask.Computed() == 0 {
		in.Dst.Mask = old
		return false
	}
	return true
}

// otherILOps groups operations with the same number and shape of sources.
var otherILOps = [][]il.Op{
	{il.OpAdd, il.OpSub, il.OpMul, il.OpMin, il.OpMax, il.OpDiv, il.OpMod},
	{il.OpLt, il.OpGe, il.OpEq, il.OpNe},
	{il.OpIEq, il.OpINe}, {il.OpILt, il.OpIGe}, {il.OpULt, il.OpUGe}, {il.OpDEq, il.OpDNe, il.OpDLt, il.OpDGe},
	{il.OpDp2, il.OpDp3, il.OpDp4}, {il.OpMad, il.OpLrp, il.OpClamp, il.OpCmovLogical, il.OpFma},
	{il.OpIAdd, il.OpIMul, il.OpIMax, il.OpIMin, il.OpIAnd, il.OpIOr, il.OpIXor, il.OpUMul, il.OpUDiv, il.OpUMod},
	{il.OpIMad, il.OpUMad24, il.OpIMad24, il.OpUBitExtract, il.OpBitAlign},
	{il.OpIShl, il.OpIShr, il.OpUShr}, {il.OpDAdd, il.OpDMul, il.OpDMin, il.OpDMax}, {il.OpDMov, il.OpDFrac},
	{il.OpFlr, il.OpFrc, il.OpRoundNear, il.OpRoundZ, il.OpRoundPlusInf, il.OpAbs, il.OpMov},
	{il.OpRcp, il.OpRsq, il.OpSqrt, il.OpExp, il.OpLog, il.OpSin, il.OpCos},
	{il.OpRcpVec, il.OpRsqVec, il.OpSqrtVec, il.OpExpVec, il.OpLogVec, il.OpSinVec, il.OpCosVec},
	{il.OpINegate, il.OpINot, il.OpUBitReverse, il.OpICbits}, {il.OpICarry, il.OpIBorrow}, {il.OpDsx, il.OpDsy},
}

// signs groups operations on integers that differ in signedness.
var signs = [][]il.Op{
	{il.OpILt, il.OpULt}, {il.OpIGe, il.OpUGe}, {il.OpIMax, il.OpUMax}, {il.OpIMin, il.OpUMin}, {il.OpIShr, il.OpUShr},
	{il.OpFToI, il.OpFToU}, {il.OpIToF, il.OpUToF}, {il.OpIMulHigh, il.OpUMulHigh}, {il.OpIMul24, il.OpUMul24},
	{il.OpIBitExtract, il.OpUBitExtract}, {il.OpDToI, il.OpDToU}, {il.OpIToD, il.OpUToD},
}

// kinds groups operations on integers with their float counterparts. Most integers are denormals or NaNs as
// floats.
var kinds = [][]il.Op{
	{il.OpAdd, il.OpIAdd}, {il.OpMul, il.OpIMul}, {il.OpMad, il.OpIMad}, {il.OpMin, il.OpIMin}, {il.OpMax, il.OpIMax},
	{il.OpLt, il.OpILt}, {il.OpGe, il.OpIGe}, {il.OpEq, il.OpIEq}, {il.OpNe, il.OpINe}, {il.OpIToF,
		il.OpFToI}, {il.OpF162F, il.OpUToF},
}

// another replaces the operation by another one of its group.
func (m *ilSite) another(groups [][]il.Op) bool {
	in := m.statement()
	for _, group := range groups {
		for _, op := range group {
			if op == in.Op {
				in.Op = group[m.r.IntN(len(group))]
				return in.Op != op
			}
		}
	}
	return false
}

func (m *ilSite) changeOp() bool     { return m.another(otherILOps) }
func (m *ilSite) signedness() bool   { return m.another(signs) }
func (m *ilSite) integerFloat() bool { return m.another(kinds) }

func (m *ilSite) register() bool {
	s := m.source()
	if s == nil || s.File != il.Temp {
		return false
	}
	old := s.Num
	s.Num = uint16(m.r.IntN(int(old) + 3))
	return s.Num != old
}

// freeTemp returns a register above all that the kernel names, including through indices.
func (m *ilSite) freeTemp() uint16 {
	n := uint16(0)
	see := func(r il.Reg) {
		if r.File == il.Temp {
			n = max(n, r.Num+4) // transpose takes four
		}
	}
	for i := range m.k.Insts {
		in := &m.k.Insts[i]
		see(in.Dst.Reg)
		if in.Dst.Rel != nil {
			see(in.Dst.Rel.Reg)
		}
		for _, s := range in.Sources() {
			see(s.Reg)
			if s.Rel != nil {
				see(s.Rel.Reg)
			}
		}
	}
	return n
}

func (m *ilSite) undefined() bool {
	s := m.source()
	if s == nil || s.File != il.Temp {
		return false
	}
	s.Num = m.freeTemp()
	return true
}

// element changes the offset into a constant buffer.
func (m *ilSite) element() bool {
	s := m.source()
	if s == nil || s.File != il.ConstBuf {
		return false
	}
	old := s.Offset
	s.Offset = uint32(m.r.IntN(int(old) + 2))
	return s.Offset != old
}

func (m *ilSite) destination() bool {
	in := m.statement()
	if !in.HasDst || in.Dst.File != il.Temp || !computesIL(in) {
		return false
	}
	old := in.Dst.Num
	in.Dst.Num = uint16(m.r.IntN(int(old) + 2))
	return in.Dst.Num != old
}

func (m *ilSite) output() bool {
	in := m.statement()
	if !in.HasDst || in.Dst.File != il.Output || !computesIL(in) {
		return false
	}
	old := in.Dst.Num
	in.Dst.Num = uint16(m.r.IntN(int(old) + 2))
	return in.Dst.Num != old
}

func (m *ilSite) saturate() bool {
	in := m.statement()
	if in.Op.Kind() != il.Float || !in.HasDst {
		return false
	}
	in.Dst.Sat = !in.Dst.Sat
	return true
}

// scale sets _x2, _d2 or neither: Shift is the exponent.
func (m *ilSite) scale() bool {
	in := m.statement()
	if in.Op.Kind() != il.Float || !in.HasDst {
		return false
	}
	old := in.Dst.Shift
	in.Dst.Shift = choose[int8](m.r, 0, 1, -1)
	return in.Dst.Shift != old
}

// exchangedOperands exchanges two sources, also of comparisons in flow.
func (m *ilSite) exchangedOperands() bool {
	in := m.statement()
	if in.NSrc < 2 || !computesIL(in) && in.Op.Kind() != il.Flow {
		return false
	}
	i, j := m.r.IntN(int(in.NSrc)), m.r.IntN(int(in.NSrc))
	in.Src[i], in.Src[j] = in.Src[j], in.Src[i]
	return !in.Src[i].Same(&in.Src[j])
}

// zeroDivisor sets _zeroop, which selects the result of a division by zero.
func (m *ilSite) zeroDivisor() bool {
	in := m.statement()
	switch in.Op {
	case il.OpDiv, il.OpRcp, il.OpRsq, il.OpRcpVec, il.OpRsqVec, il.OpLn, il.OpNrm, il.OpDDiv, il.OpDRcp:
		old := in.Ctl.Zero
		in.Ctl.Zero = il.ZeroOp(m.r.IntN(5))
		return in.Ctl.Zero != old
	}
	return false
}

// address picks one of the addresses of the instruction's operands in indexed files.
func (m *ilSite) address() *il.Addr {
	in := m.statement()
	if in.Op.Kind() == il.Declaration {
		return nil
	}
	var list []*il.Addr
	if in.HasDst && in.Dst.File.IsArray() {
		list = append(list, &in.Dst.Addr)
	}
	for i := range in.Sources() {
		if in.Src[i].File.IsArray() {
			list = append(list, &in.Src[i].Addr)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[m.r.IntN(len(list))]
}

func (m *ilSite) relativeLost() bool {
	a := m.address()
	if a == nil || a.Rel == nil {
		return false
	}
	a.Rel = nil
	return true
}

func (m *ilSite) relativeComponent() bool {
	a := m.address()
	if a == nil || a.Rel == nil {
		return false
	}
	// Rel is shared with the original's statement.
	rel := *a.Rel
	rel.Swz = il.MakeSwizzle(il.Sel(m.r.IntN(4)))
	if rel.Swz == a.Rel.Swz {
		return false
	}
	a.Rel = &rel
	return true
}

func (m *ilSite) arrayOffset() bool {
	a := m.address()
	if a != nil {
		a.Offset++
	}
	return a != nil
}
