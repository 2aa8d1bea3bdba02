package d3d9

import "strconv"

// Format spells one statement of a program of model m in canonical form: lower
// case, xyzw components, no spelling kept from an input. A comment block takes
// several lines.
func Format(m Model, in *Inst) string { return string(appendInst(nil, m, in, "\n")) }

// appendInst appends one statement in canonical form, in the order
//
//	+(p0) mnemonic dst, src, ..., numbers
//
// newline separates the lines of a comment block. A statement that breaks the rules of form is
// spelt as far as possible, and the result may not assemble.
func appendInst(b []byte, m Model, in *Inst, newline string) []byte {
	if in.Op == OpComment {
		return appendComment(b, in.Comment, newline)
	}
	if in.CoIssue {
		b = append(b, '+')
	}
	if in.HasPred {
		b = append(b, '(')
		b = append(appendSrc(b, &in.Pred), ") "...)
	}
	b = appendMnemonic(b, m, in)
	// A blank precedes the first operand, commas the others.
	separator := " "
	if in.HasDst {
		b = append(b, separator...)
		b = appendAddress(b, in.Dst.Reg, in.Dst.Rel)
		if in.Dst.Mask != MaskAll {
			b = append(b, '.')
			for i := range 4 {
				if in.Dst.Mask.Has(i) {
					b = append(b, "xyzw"[i])
				}
			}
		}
		separator = ", "
	}
	for i := range in.Src[:in.NSrc] {
		b = appendSrc(append(b, separator...), &in.Src[i])
		separator = ", "
	}
	switch in.Op {
	case OpDef:
		// Floats have the shortest decimal that reads back as the same bits; integers are signed.
		for _, w := range in.Imm {
			b = appendFloat(append(b, separator...), w)
		}
	case OpDefI:
		for _, w := range in.Imm {
			b = strconv.AppendInt(append(b, separator...), int64(int32(w)), 10)
		}
	case OpDefB:
		b = appendBool(append(b, separator...), in.Imm[0])
	}
	return b
}

// appendMnemonic appends the op with its suffixes in the order that assemblers expect:
// comparison, declaration, shift, modifiers.
func appendMnemonic(b []byte, m Model, in *Inst) []byte {
	suffix := func(s string) { b = append(append(b, '_'), s...) }
	b = append(b, in.Op.String()...)
	if in.Cmp != CmpNone {
		suffix(in.Cmp.String())
	}
	if in.Op == OpDcl {
		switch m.declForm(in.Dst.File) {
		case declSemantic:
			suffix(in.Decl.Usage.String())
			// The usage index 0 is omitted: dcl_texcoord is dcl_texcoord0.
			if in.Decl.Index > 0 {
				b = strconv.AppendUint(b, uint64(in.Decl.Index), 10)
			}
		case declTexture:
			if in.Decl.Tex != TexUnknown {
				suffix(in.Decl.Tex.String())
			}
		}
	}
	for _, s := range shiftNames {
		if s.shift == in.Dst.Shift {
			suffix(s.name)
		}
	}
	for _, d := range dstMods {
		if in.Dst.Mods&d.mod != 0 {
			suffix(d.name)
		}
	}
	return b
}

// appendAddress appends a register or a relative address, and omits the offset 0: c[a0.x + 4],
// c[a0.x], v[aL].
func appendAddress(b []byte, r Reg, rel Rel) []byte {
	if rel == (Rel{}) {
		return appendReg(b, r)
	}
	b = append(append(b, fileTable[r.File].prefix...), '[')
	b = appendReg(b, Reg{File: rel.File})
	// aL has no components.
	if rel.File == Addr {
		b = appendSwizzle(b, rel.Swz)
	}
	if r.Index > 0 {
		b = strconv.AppendUint(append(b, " + "...), uint64(r.Index), 10)
	}
	return append(b, ']')
}

// appendSrc appends a source operand. It omits a modifier that the table lacks.
func appendSrc(b []byte, s *Src) []byte {
	var mod struct{ prefix, suffix string }
	if int(s.Mod) < len(srcMods) {
		mod = srcMods[s.Mod]
	}
	b = appendAddress(append(b, mod.prefix...), s.Reg, s.Rel)
	return appendSwizzle(append(b, mod.suffix...), s.Swz)
}

// appendSwizzle appends nothing for the identity, one letter for a replicate swizzle,
// otherwise all four.
func appendSwizzle(b []byte, s Swizzle) []byte {
	if s == Identity {
		return b
	}
	b = append(b, '.', "xyzw"[s.ComponentAt(0)])
	if s.IsReplicate() {
		return b
	}
	return append(b, "xyzw"[s.ComponentAt(1)], "xyzw"[s.ComponentAt(2)], "xyzw"[s.ComponentAt(3)])
}
