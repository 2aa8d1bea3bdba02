package d3d9

// The operands that ps_1_x instructions allow. Up to ps_1_3, t# are registers that texture
// instructions load; in ps_1_4 they are coordinates.

var (
	fixedTemps = files(Temp, Texture)
	fixedReads = files(Temp, Texture, Input, Const)
)

func (m Model) fixedResults(op Op) fileSet {
	switch {
	case op == OpDef:
		return files(Const)
	case op == OpTexKill && m == PS14:
		return fixedTemps
	case m == PS14:
		return temps
	case op.Kind() == TextureOp:
		return files(Texture)
	}
	return fixedTemps
}

func (m Model) fixedValues(op Op, i int) fileSet {
	switch {
	case op == OpTexM3x3spec && i == 1:
		return files(Const)
	case op == OpTexld14:
		return fixedTemps
	case op.Kind() == TextureOp:
		return files(Texture)
	case m == PS14:
		return fixedReads &^ files(Texture)
	}
	return fixedReads
}

// fixedMask reports whether op may have the mask. Up to ps_1_3 a result has colour, alpha or both,
// and dp3 cannot write only alpha.
func (m Model) fixedMask(op Op, mask Mask) bool {
	switch {
	case op == OpTexCrd:
		return mask == maskXYZ || mask == maskXY
	case op == OpBem:
		return mask == maskXY
	case op.Kind() == TextureOp:
		return mask == MaskAll
	case m == PS14:
		return true
	case op == OpDp3:
		return mask == maskXYZ || mask == MaskAll
	}
	return mask == maskXYZ || mask == MaskAll || mask == MaskW
}

// fixedSwizzle reports whether op may have the swizzle. texld and texcrd select .xyz or .xyw. The
// .z of ps_1_1 to ps_1_3 needs the mask .w, see BlueFits.
func (m Model) fixedSwizzle(op Op, s Swizzle) bool {
	switch {
	case op == OpTexld14 || op == OpTexCrd:
		return s == Identity || s == xyz || s == xyw
	case op.Kind() == TextureOp:
		return s == Identity
	}
	return swizzleAllowed(m, s)
}

// BlueFits reports whether an instruction with write mask d may replicate the third component in m,
// one of ps_1_1 to ps_1_3.
func BlueFits(m Model, op Op, d Mask) bool {
	return m.fixedPoint() && m != PS14 && op.Kind() == Arithmetic && d == MaskW
}

// The selectors of coordinates of ps_1_4.
var (
	xyz = MakeSwizzle(0, 1, 2, 2)
	xyw = MakeSwizzle(0, 1, 3, 3)
)

// fixedMod reports whether op may have the source modifier. ps_1_1 has _bx2 in matrix rows, ps_1_2
// and ps_1_3 in all vector reads of texture instructions.
func (m Model) fixedMod(op Op, mod SrcMod) bool {
	switch {
	case op.Kind() == Arithmetic:
		return mod < ModX2 || mod < ModDZ && m == PS14
	case op == OpTexld14:
		return mod == ModDZ || mod == ModDW
	case op == OpTexCrd:
		return mod == ModDW
	case mod != ModSign:
		return false
	}
	switch op {
	case OpTexM3x2pad, OpTexM3x2tex, OpTexM3x3pad, OpTexM3x3tex, OpTexM3x3spec, OpTexM3x3vspec:
		return true
	case OpTexReg2rgb, OpTexDp3, OpTexDp3tex, OpTexM3x3, OpTexM3x2depth:
		return m.Minor >= 2
	}
	return false
}
