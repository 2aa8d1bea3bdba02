package d3d9

// What one operand of an instruction may be, for those who write programs as for
// the checks of those that are read.

// writable are the files that op may write in m.
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

// readable are the files that source i of op may be in m.
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

// wholeCoordinate reports whether op takes a texture coordinate as it is and
// writes all of its destination, as all texture instructions but texldd do before 3_0.
func wholeCoordinate(m Model, op Op) bool {
	return m.Major == 2 && op.Kind() == TextureOp && op != OpTexldd && op != OpTexKill
}

// CanWrite reports whether the destination of op may be of file f in m. That m has
// the file at all is not asked.
func CanWrite(m Model, op Op, f File) bool { return writable(m, op).has(f) }

// CanRead reports whether source i of op may be of file f in m. That m has the file
// at all is not asked.
func CanRead(m Model, op Op, i int, f File) bool { return readable(m, op, i).has(f) }

// MaskFits reports whether op may write in m the components that d says. Old
// programs leave the mask off a matrix macro, which then writes a component for
// each of its rows.
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

// MayReuse reports whether the destination of op may be the register of its source
// i. (A matrix macro reserves all the registers that its source 1 stands for.)
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

// SomeApart reports whether there is a source of op, in some model, that [MayReuse] says no of.
func SomeApart(op Op) bool {
	rule := &ruleTable[op]
	return rule.apart != 0 || rule.rows > 0 || op == OpCmp
}

// scalarOperand reports whether source i of op is one component.
func scalarOperand(op Op, i int) bool {
	return op.IsScalar() || op == OpSinCos && i == 0 || op == OpDp2add && i == 2
}

// SwizzleFits reports whether source i of op may have swizzle s in m. A scalar
// operand without swizzle is let pass in version 1, where old programs have it.
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

// ModAllowed reports whether source i of op may carry mod in m.
//
// Texture coordinates take none in any model: the pages say so for ps_2_0 and
// ps_2_x only, but no program seen has one later either. The page's rule that
// either all c# of a program are read with _abs or none is not held, as reference
// validators did not hold it.
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

// SatAllowed reports whether op may carry _sat in m. In ps_2_0 and ps_2_x the mov
// to an output may not, although others may.
func SatAllowed(m Model, op Op) bool {
	if opTable[op].flags&fNoSat != 0 || op.Kind() != Arithmetic || op == OpMova {
		return false
	}
	return m.Stage == Pixel || m.Major >= 3
}
