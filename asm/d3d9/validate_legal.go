package d3d9

// The operands that instructions allow, for code that generates programs and for the checks of
// programs that are read.

// writable returns the files that op may write in m.
func writable(m Model, op Op) fileSet {
	allowed := ruleTable[op].dst
	switch {
	case m.fixedPoint():
		return m.fixedResults(op)
	case op == OpLrp && m.Stage == Pixel && m.Major >= 3:
		return results // as fxc writes it
	case allowed != 0:
		return allowed
	case op == OpMov && m.Major == 1:
		return results | files(Addr) // mova came with 2_0
	case op != OpMov && m.Stage == Pixel && m.Major == 2:
		return results &^ pixelOutputs
	}
	return results
}

// readable returns the files that source i of op may have in m.
func readable(m Model, op Op, i int) fileSet {
	allowed := ruleTable[op].src[i]
	switch {
	case m.fixedPoint():
		return m.fixedValues(op, i)
	case allowed != 0:
		return allowed
	case wholeCoordinate(m, op) && i == 0:
		return files(Temp, Texture)
	}
	return values
}

// wholeCoordinate reports whether op takes an unmodified texture coordinate and writes its whole
// destination, as all texture instructions but texldd do before 3_0.
func wholeCoordinate(m Model, op Op) bool {
	return m.Major == 2 && op.Kind() == TextureOp && op != OpTexldd && op != OpTexKill
}

// CanWrite reports whether the destination of op may be of file f in m. It assumes that m has the
// file.
func CanWrite(m Model, op Op, f File) bool { return writable(m, op).has(f) }

// CanRead reports whether source i of op may be of file f in m. It assumes that m has the file.
func CanRead(m Model, op Op, i int, f File) bool { return readable(m, op, i).has(f) }

// MaskFits reports whether op may write the components of d in m. Old programs omit the mask of a
// matrix macro, which then writes a component for each of its rows.
func MaskFits(m Model, op Op, d *Dst) bool {
	rule := &ruleTable[op]
	switch {
	case m.fixedPoint():
		return m.fixedMask(op, d.Mask)
	case m.Major == 1 && op == OpFrc:
		return d.Mask == MaskY || d.Mask == maskXY
	case m.Major == 1 && d.File == Addr:
		return d.Mask == MaskX
	case m.Major == 1 && rule.rows > 0 && d.Mask == MaskAll:
		return true
	case d.File == RastOut && d.Index != PosIndex:
		return d.Mask.Count() == 1 || d.Mask == MaskAll
	case wholeCoordinate(m, op):
		return d.Mask == MaskAll
	}
	return rule.masks.has(d.Mask)
}

// MayReuse reports whether the destination of op may be the register of its source i. (A matrix
// macro reserves all registers of its source 1.)
func MayReuse(m Model, op Op, i int) bool {
	switch {
	case op == OpSinCos && m.Major >= 3:
		return true // no longer a macro
	case m.fixedPoint():
		return op != OpCmp || m == PS14
	}
	rule := &ruleTable[op]
	return rule.apart>>i&1 == 0 && (i != 1 || rule.rows == 0)
}

// SomeApart reports whether, in some model, [MayReuse] is false for a source of op.
func SomeApart(op Op) bool {
	rule := &ruleTable[op]
	return rule.apart != 0 || rule.rows > 0 || op == OpCmp
}

// scalarOperand reports whether source i of op is one component.
func scalarOperand(op Op, i int) bool {
	return op.IsScalar() || op == OpSinCos && i == 0 || op == OpDp2add && i == 2
}

// ReadsByMask reports whether op reads, from source i, the components in its write mask.
func ReadsByMask(op Op, i int) bool {
	return op.Kind() == Arithmetic && ruleTable[op].lanes[i] == nil
}

// SwizzleFits reports whether source i of op may have swizzle s in m. Version 1 allows a scalar
// operand without swizzle, because old programs have it.
func SwizzleFits(m Model, op Op, i int, s Swizzle) bool {
	switch {
	case m.fixedPoint():
		return m.fixedSwizzle(op, s)
	case scalarOperand(op, i):
		return s.IsReplicate() || s == Identity && m.Major == 1
	case ruleTable[op].whole>>i&1 != 0, wholeCoordinate(m, op):
		return s == Identity
	}
	return swizzleAllowed(m, s)
}

// ModAllowed reports whether source i of op may have modifier mod in m.
//
// Texture coordinates have no modifiers in any model. The pages state this only for ps_2_0 and
// ps_2_x, but no known program has one in later models either. The page's rule that a program reads
// either all c# with _abs or none is not checked, because reference validators do not check it.
func ModAllowed(m Model, op Op, i int, mod SrcMod) bool {
	if mod == ModNone {
		return true
	}
	if m.fixedPoint() {
		return m.fixedMod(op, mod)
	}
	if op.Kind() == TextureOp || op.IsMatrix() && i == 1 {
		return false
	}
	switch mod {
	case ModNeg:
		return true
	case ModAbs, ModAbsNeg:
		return m.Major >= 3
	}
	return false
}

// SatAllowed reports whether op may have _sat in m. The mov to an output in ps_2_0 and ps_2_x may
// not, which checkMovOut checks.
func SatAllowed(m Model, op Op) bool {
	if opTable[op].flags&fNoSat != 0 || op.Kind() != Arithmetic || op == OpMova {
		return false
	}
	return m.Stage == Pixel || m.Major >= 3
}
