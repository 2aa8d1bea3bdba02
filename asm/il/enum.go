package il

import "slices"

// ZeroOp is the result of a division or reciprocal with a zero divisor. It is the largest float, 0,
// infinity, or a mixture of infinity and the largest float ("AMD IL Specification", the pages of
// div and rcp).
type ZeroOp uint8

// The names in _zeroop().
const (
	ZeroDefault ZeroOp = iota // not written
	ZeroFltMax
	ZeroZero
	ZeroInfinity
	ZeroInfElseMax
)

// RelOp is the comparison of ifc, breakc and continuec.
type RelOp uint8

// The comparisons, as _relop() names them.
const (
	RelNE RelOp = iota
	RelEQ
	RelGE
	RelGT
	RelLE
	RelLT
)

// Atomic is the operation of an atomic access.
type Atomic uint8

// The atomic operations.
const (
	AtomicAdd Atomic = iota
	AtomicSub
	AtomicRSub
	AtomicMin
	AtomicMax
	AtomicUMin
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicInc
	AtomicDec
	AtomicUInc
	AtomicUDec
	AtomicXchg
)

// Fence is the set of accesses and threads that a fence waits for.
type Fence uint8

// The first elements of a Fence, in the order of fenceNames.
const (
	FenceThreads Fence = 1 << iota
	FenceLds
	FenceMemory
)

// MemSize is the size of an access to an arena.
type MemSize uint8

// The sizes of an access below a dword. The zero value is not written.
const (
	SizeByte MemSize = 1 + iota
	SizeShort
)

// Usage is the purpose of an input or output. Compute kernels have none.
type Usage uint8

// UsagePosition is the only usage that has a meaning here. The others are indices of usageNames.
const UsagePosition Usage = 1

// Interp is the interpolation of an input.
type Interp uint8

// The interpolations that have a meaning here. The others are indices of interpNames.
const (
	NoInterp Interp = iota // not written
	_
	InterpConstant
	InterpLinear
	InterpLinearCentroid
	InterpLinearNoPerspective
)

// TexType is the shape of a resource.
type TexType uint8

// The shapes of single-sampled resources, in the order of texNames.
const (
	Tex1D TexType = 1 + iota
	Tex2D
	Tex3D
	TexCube
	_
	_
	TexBuffer
	Tex1DArray
	Tex2DArray
)

// ElementFormat is the type to which a read converts a component of a resource.
type ElementFormat uint8

// The formats that have a meaning here. The others are indices of formatNames.
const (
	FormatSNorm ElementFormat = 1
	FormatSInt  ElementFormat = 3
	FormatUInt  ElementFormat = 4
	FormatFloat ElementFormat = 5
)

// The spellings, by value.
var (
	stageNames  = [...]string{"ps", "cs"}
	zeroNames   = [...]string{"", "fltmax", "zero", "infinity", "inf_else_max"}
	relNames    = [...]string{"ne", "eq", "ge", "gt", "le", "lt"}
	atomicNames = [...]string{"add", "sub", "rsub", "min", "max", "umin", "umax", "and", "or", "xor", "inc", "dec",
		"uinc", "udec", "xchg"}
	fenceNames = [...]string{"threads", "lds", "memory", "sr", "mem_write_only", "mem_read_only", "gds"}
	sizeNames  = [...]string{"", "byte", "short", "dword"}
	usageNames = [...]string{"", "position", "pointsize", "color", "backcolor", "fog", "pixel_sample_coverage",
		"generic", "clipdistance",
		"culldistance", "primitiveid", "vertexid", "instanceid", "isfrontface", "lod", "coloring", "node_coloring", "normal",
		"rendertarget_array_index", "viewport_array_index", "undefined", "sample_index"}
	interpNames = [...]string{"", "notused", "constant", "linear", "linear_centroid", "linear_noperspective",
		"linear_noperspective_centroid",
		"linear_sample", "linear_noperspective_sample"}
	texNames = [...]string{"unknown", "1d", "2d", "3d", "cubemap", "2dmsaa", "4comp", "buffer", "1darray", "2darray",
		"2darraymsaa",
		"2dplusw", "cubemapplusw", "cubemaparray"}
	formatNames = [...]string{"unknown", "snorm", "unorm", "sint", "uint", "float", "srgb", "mixed"}
	flagNames   = [...]string{"refactoringAllowed", "forceEarlyDepthStencil", "enableRawStructuredBuffers",
		"enableDoublePrecisionFloatOps"}
	sharingNames = [...]string{"_wavefrontRel", "_wavefrontAbs"}
	divNames     = [...]string{"", "y", "z", "w", "unknown"}
	srcModNames  = [...]string{"invert", "bias", "x2", "sign", "abs"}
	shiftNames   = [...]string{"d8", "d4", "d2", "", "x2", "x4", "x8"} // of -3 to 3
	clientNames  = [...]string{"generic", "opengl", "dx8_ps", "dx8_vs", "dx9_ps", "dx9_vs", "dx10_ps", "dx10_vs",
		"dx10_gs",
		"dx11_ps", "dx11_vs", "dx11_gs", "dx11_cs", "dx11_hs", "dx11_ds"}
)

// lookupEnum sets v to the value with the given spelling, which is its index in the list. It ignores the
// empty spelling of values that are not written.
func lookupEnum[T ~uint8 | ~int8](names []string, word string, v *T) bool {
	i := slices.Index(names, word)
	if i < 0 || word == "" {
		return false
	}
	*v = T(i)
	return true
}

func (z ZeroOp) String() string        { return zeroNames[z] }
func (r RelOp) String() string         { return relNames[r] }
func (a Atomic) String() string        { return atomicNames[a] }
func (s MemSize) String() string       { return sizeNames[s] }
func (u Usage) String() string         { return usageNames[u] }
func (i Interp) String() string        { return interpNames[i] }
func (t TexType) String() string       { return texNames[t] }
func (f ElementFormat) String() string { return formatNames[f] }
