package d3d9

import "github.com/shaderlift/shaderlift/asm"

// This file has the rules of form: the registers, modifiers and operands that a model can express.
// The parser, the decoder and the encoder enforce the same rules, so each can write what another
// reads. A program of good form can still be invalid; the validator decides that.
//
// A broken rule is a diagnostic without position, which the caller fills in.

// fault returns a diagnostic without position.
func fault(code asm.Code, format string, args ...any) *asm.Diag {
	return asm.Errorf(asm.Pos{}, code, format, args...)
}

// sources returns the number of source operands of op in m. It depends on the model only for
// sincos, which loses the two constants of its series expansion in version 3 (MSDN, "sincos - vs").
func (op Op) sources(m Model) int {
	if op == OpSinCos && m.Major >= 3 {
		return 1
	}
	return int(opTable[op].nsrc)
}

// hasPredicate reports whether m has predication and thus register p0: vs_2_x, ps_2_x and later.
func (m Model) hasPredicate() bool { return m.nameable(Predicate) > 0 }

// checkReg checks a register and the relative part of its address. With a relative address, the
// number of r is an offset. An offset of c# has to be in the model's range; others only have to fit
// their token.
func (m Model) checkReg(r Reg, rel Rel) *asm.Diag {
	if r.File == NoFile || r.File >= numFiles || m.nameable(r.File) == 0 {
		return fault("register-not-in-model", "%s has no register %s", m, r)
	}
	if rel == (Rel{}) {
		if n := m.nameable(r.File); int(r.Index) >= n {
			return fault("register-range", "%s is out of range: %s has %d", r, m, n)
		}
		return nil
	}
	if !m.indexable(r.File, rel.File) {
		return fault("relative-address", "%s cannot be addressed relative to %s in %s", r, Reg{File: rel.File}, m)
	}
	switch {
	case rel.File == Loop && rel.Swz != Identity && rel.Swz != Replicate(0):
		// aL has one component. Assemblers encode either of these swizzles for it. Text cannot
		// distinguish them and means the first.
		return fault("index-component", "aL has no component but x")
	case m.Major == 1 && rel.Swz != Replicate(0):
		return fault("index-component", "the index register of %s is a0.x", m)
	}
	if limit := m.nameable(Const); r.File == Const && int(r.Index) >= limit || r.File != Const && r.Index > maxNumber {
		return fault("register-range", "the offset %d is out of range", r.Index)
	}
	return nil
}

// checkSrc checks a source operand: its register, and that the model has its modifier at all.
// ModAllowed later checks modifiers and components against the instruction.
func (m Model) checkSrc(s *Src) *asm.Diag {
	if d := m.checkReg(s.Reg, s.Rel); d != nil {
		return d
	}
	ok := true
	switch s.Mod {
	case ModNone, ModNeg:
	// _abs exists from version 3 on (MSDN, "Source Register Modifiers").
	case ModAbs, ModAbsNeg:
		ok = m.Major >= 3
	// !b0 and !p0.
	case ModNot:
		ok = s.File == ConstBool || s.File == Predicate
	// The projections of texture coordinates, _dz and _dw.
	case ModDZ, ModDW:
		ok = m == PS14
	// The modifiers of fixed point, which scale and bias.
	case ModBias, ModBiasNeg, ModSign, ModSignNeg, ModComp, ModX2, ModX2Neg:
		ok = m.Stage == Pixel && m.Major == 1
	default:
		return fault("reserved-bits", "source modifier %d is reserved", s.Mod)
	}
	if !ok {
		mod := srcMods[s.Mod]
		return fault("modifier-not-in-model", "%s has no source modifier %s%s%s", m, mod.prefix, s.Reg, mod.suffix)
	}
	return nil
}

// checkDst checks the destination operand of op. The destination of a declaration is the declared
// register.
func (m Model) checkDst(op Op, d *Dst) *asm.Diag {
	if f := m.checkReg(d.Reg, d.Rel); f != nil {
		return f
	}
	if d.Mask == 0 || d.Mask > MaskAll {
		return fault("write-mask", "the write mask of %s is empty", d.Reg)
	}
	if d.Mods&^(Saturate|PartialPrecision|Centroid) != 0 || d.Shift < -3 || d.Shift > 3 {
		return fault("reserved-bits", "destination modifier %#x with shift %d is reserved", d.Mods, d.Shift)
	}
	if opTable[op].kind == Declaration {
		return checkDeclared(m, op, d)
	}
	return m.checkDstMods(d)
}

// checkDstMods checks that m has the destination's modifiers. Vertex models before 3_0 have no
// modifiers; only ps_1_x has shifts.
func (m Model) checkDstMods(d *Dst) *asm.Diag {
	switch {
	case d.Mods&Saturate != 0 && m.Stage == Vertex && m.Major < 3:
		return fault("modifier-not-in-model", "%s has no _sat", m)
	case d.Mods&(PartialPrecision|Centroid) != 0 && (m.Stage == Vertex || m.Major < 2):
		return fault("modifier-not-in-model", "%s has neither _pp nor _centroid", m)
	case d.Shift != 0 && (m.Stage == Vertex || m.Major > 1):
		return fault("modifier-not-in-model", "%s has no result shift", m)
	}
	return nil
}

// checkDeclared checks the register of a dcl, def, defi or defb. A definition sets a whole register
// of its own file; a dcl may have a mask, _pp and _centroid.
func checkDeclared(m Model, op Op, d *Dst) *asm.Diag {
	want := NoFile
	switch op {
	case OpDef:
		want = Const
	case OpDefI:
		want = ConstInt
	case OpDefB:
		want = ConstBool
	}
	switch {
	case d.Rel != (Rel{}):
		return fault("declaration", "%s cannot take a relative address", op)
	case op == OpDcl:
		if d.Mods&Saturate != 0 || d.Shift != 0 {
			return fault("declaration", "dcl takes neither _sat nor a shift")
		}
		if m.declForm(d.File) == declIllegal {
			return fault("declaration", "%s cannot be declared in %s", d.Reg, m)
		}
		return m.checkDstMods(d)
	case d.File != want:
		return fault("declaration", "%s cannot define %s", op, d.Reg)
	case d.Mask != MaskAll || d.Mods != 0 || d.Shift != 0:
		return fault("declaration", "%s takes neither a write mask nor modifiers", op)
	}
	return nil
}

// declForm is the kind of information that a dcl gives besides the mask. The assembler spells it in
// the mnemonic (dcl_texcoord0, dcl_2d); bytecode has a token for it.
type declForm uint8

const (
	declIllegal  declForm = iota
	declBare              // nothing
	declSemantic          // usage and usage index
	declTexture           // texture type
)

// String describes the form in diagnostics.
func (f declForm) String() string {
	return [...]string{"nothing", "neither semantic nor texture type", "a semantic", "a texture type"}[f]
}

// declForm returns the information that a dcl of a register of file f gives in m. In pixel
// programs, v# has a semantic from ps_3_0 on. Before, v0 and v1 are the colours and t# the texture
// coordinates, by number.
func (m Model) declForm(f File) declForm {
	switch f {
	case Output:
		return declSemantic
	case Input:
		if m.Stage == Pixel && m.Major < 3 {
			return declBare
		}
		return declSemantic
	case Texture, Misc:
		return declBare
	case Sampler:
		return declTexture
	}
	return declIllegal
}

// checkDecl checks that d has only the fields that a dcl of file f uses. The other fields must be
// zero, so that statements compare by value.
func (m Model) checkDecl(f File, d Decl) *asm.Diag {
	want := Decl{}
	switch m.declForm(f) {
	case declSemantic:
		want.Usage, want.Index = d.Usage, d.Index
		if int(d.Usage) >= len(usageNames) || d.Index > 15 {
			return fault("declaration", "%s%d is no semantic", d.Usage, d.Index)
		}
	case declTexture:
		want.Tex = d.Tex
		if int(d.Tex) >= len(texTypeNames) {
			return fault("declaration", "texture type %d is reserved", d.Tex)
		}
	}
	if d != want {
		return fault("declaration", "a dcl of this register cannot say %s%d %s", d.Usage, d.Index, d.Tex)
	}
	return nil
}

// checkHead checks an instruction without its operands: that the model has it, and that co-issue,
// comparison and predicate are allowed. The parser calls it before it reads operands, because their
// number depends on it.
func (in *Inst) checkHead(m Model) *asm.Diag {
	switch {
	case !in.Op.Exists(m):
		return fault("op-not-in-model", "%s has no instruction %s", m, in.Op)
	case in.CoIssue && (m.Stage == Vertex || m.Major > 1):
		return fault("co-issue", "%s has no co-issue", m)
	case in.CoIssue && opTable[in.Op].kind != Arithmetic:
		return fault("co-issue", "%s cannot be co-issued", in.Op)
	case opTable[in.Op].flags&fCmp == 0 && in.Cmp != CmpNone:
		return fault("comparison", "%s takes no comparison", in.Op)
	case opTable[in.Op].flags&fCmp != 0 && (in.Cmp == CmpNone || int(in.Cmp) >= len(cmpNames)):
		return fault("comparison", "%s needs a comparison such as _gt", in.Op)
	case !in.HasPred:
		return nil
	case !m.hasPredicate():
		return fault("predicate", "%s has no predication", m)
	case opTable[in.Op].kind != Arithmetic && opTable[in.Op].kind != TextureOp:
		return fault("predicate", "%s cannot be predicated", in.Op)
	case in.Pred.Reg != Reg{File: Predicate} || in.Pred.Rel != (Rel{}) || in.Pred.Mod != ModNone && in.Pred.Mod != ModNot:
		return fault("predicate", "a predicate is p0 or !p0")
	}
	return nil
}

// check applies all rules of form to a statement. An Inst made by other code has to pass it to be
// encoded.
func (in *Inst) check(m Model) *asm.Diag {
	if in.Op == OpComment {
		if len(in.Comment) > maxComment {
			return fault("comment-too-long", "a comment of %d words does not fit its token", len(in.Comment))
		}
		return nil
	}
	if d := in.checkHead(m); d != nil {
		return d
	}
	if n := in.Op.sources(m); in.HasDst != opTable[in.Op].dst || int(in.NSrc) != n {
		return fault("operand-count", "%s takes %d sources in %s", in.Op, n, m)
	}
	if in.HasDst {
		if d := m.checkDst(in.Op, &in.Dst); d != nil {
			return d
		}
		if in.Op == OpDcl {
			if d := m.checkDecl(in.Dst.File, in.Decl); d != nil {
				return d
			}
		}
	}
	for i := range in.Src[:in.NSrc] {
		if d := m.checkSrc(&in.Src[i]); d != nil {
			return d
		}
	}
	return nil
}
