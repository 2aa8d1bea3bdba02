package d3d9

// File is a register file. Files that share a register-type number in the bytecode (a0 and t#, oT#
// and o#) are distinguished by the model.
type File uint8

// The register files.
const (
	NoFile    File = iota
	Temp           // r#
	Input          // v#
	Const          // c#
	Addr           // a0 (vertex)
	Texture        // t# (pixel)
	RastOut        // oPos, oFog, oPts: Index is PosIndex, FogIndex or PointIndex
	AttrOut        // oD#
	TexOut         // oT# (vertex, before 3_0)
	Output         // o# (vs_3_0)
	ConstInt       // i#
	ColorOut       // oC#
	DepthOut       // oDepth
	Sampler        // s#
	ConstBool      // b#
	Loop           // aL
	Misc           // vPos, vFace: Index is VPosIndex or VFaceIndex
	Label          // l#
	Predicate      // p0
	Bump           // state of texture stages, which has no name in programs: see BumpMatrix
	numFiles
)

// IsOutput reports whether f is a file of program outputs, such as o#, oT# and oC#.
func (f File) IsOutput() bool { return outputs.has(f) }

// Indices of the registers of RastOut and Misc.
const (
	PosIndex, FogIndex, PointIndex = 0, 1, 2
	VPosIndex, VFaceIndex          = 0, 1
)

// BumpMatrix and BumpLuminance return the registers of Bump for texture stage n, which texbem,
// texbeml and bem read: the matrix M00, M01, M10, M11, and scale and offset.
func BumpMatrix(n uint16) Reg    { return Reg{Bump, 2 * n} }
func BumpLuminance(n uint16) Reg { return Reg{Bump, 2*n + 1} }

// Reg names a register.
type Reg struct {
	File  File
	Index uint16
}

// Swizzle selects a source component for each of four lanes, two bits a lane, lane x lowest, as in
// the bytecode.
type Swizzle uint8

// Identity is .xyzw.
const Identity Swizzle = 0xe4

// ComponentAt returns the component (0..3) that lane reads.
func (s Swizzle) ComponentAt(lane int) int { return int(s>>(2*lane)) & 3 }

// MakeSwizzle packs four components into a swizzle.
func MakeSwizzle(x, y, z, w int) Swizzle { return Swizzle(x | y<<2 | z<<4 | w<<6) }

// Replicate returns the swizzle that reads component c in every lane.
func Replicate(c int) Swizzle { return MakeSwizzle(c, c, c, c) }

// IsReplicate reports whether every lane reads the same component.
func (s Swizzle) IsReplicate() bool { return s == Replicate(s.ComponentAt(0)) }

// Mask is a write mask, bit 0 = x .. bit 3 = w.
type Mask uint8

// The components.
const (
	MaskX Mask = 1 << iota
	MaskY
	MaskZ
	MaskW
	MaskAll Mask = 0xf
)

// Has reports whether lane (0..3) is written.
func (m Mask) Has(lane int) bool { return m>>lane&1 != 0 }

// Count returns the number of lanes written.
func (m Mask) Count() int { return int(m&1 + m>>1&1 + m>>2&1 + m>>3&1) }

// SrcMod is a source modifier, numbered as in the bytecode.
type SrcMod uint8

// The source modifiers.
const (
	ModNone SrcMod = iota
	ModNeg
	ModBias
	ModBiasNeg
	ModSign // _bx2
	ModSignNeg
	ModComp // 1-r
	ModX2
	ModX2Neg
	ModDZ
	ModDW
	ModAbs
	ModAbsNeg
	ModNot
)

// DstMod is a set of destination modifiers, as in the bytecode.
type DstMod uint8

// The destination modifiers.
const (
	Saturate DstMod = 1 << iota
	PartialPrecision
	Centroid
)

// Rel is the relative part of an address, c[a0.x + n] or v[aL + n]: the index register and its
// component. The zero Rel means none.
type Rel struct {
	File File // Addr or Loop
	Swz  Swizzle
}

// Src is a source operand. Index is the base of a relative address.
type Src struct {
	Reg
	Swz Swizzle
	Mod SrcMod
	Rel Rel
}

// Dst is a destination operand.
type Dst struct {
	Reg
	Mask  Mask
	Mods  DstMod
	Shift int8 // ps_1_x result shift: 1 is _x2, -1 is _d2
	Rel   Rel
}

// IsScalarOutput reports whether r is an output of one component: oFog, oPts or oDepth.
func (r Reg) IsScalarOutput() bool {
	return r.File == DepthOut || r.File == RastOut && r.Index != PosIndex
}
