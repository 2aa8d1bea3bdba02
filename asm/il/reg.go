package il

import (
	"strconv"
	"strings"
)

// File is a register file.
type File uint8

// The register files.
const (
	NoFile          File = iota
	Temp                 // r#
	Literal              // l#
	ConstBuf             // cb#[]
	ImmConstBuf          // icb[]
	Input                // v#
	Output               // o#
	TempArray            // x#[]
	Global               // g[]
	Persistent           // p[]
	SharedTemp           // sr#
	ConstInt             // i#
	Address              // a#
	Memory               // mem, the destination of stores
	WinCoord             // vWinCoord0
	ObjIndex             // vObjIndex0
	AbsThreadID          // vaTid, vAbsTid
	AbsThreadFlat        // vaTidFlat, vAbsTidFlat
	GroupThreadID        // vTid, vTidInGrp
	GroupThreadFlat      // vTidFlat, vTidInGrpFlat
	GroupID              // vTGroupid, vThreadGrpId
	GroupFlat            // vThreadGrpIdFlat
	Face                 // vFace
	PrimitiveID          // vPrimitiveID
	InstanceID           // vInstanceID
	Depth                // oDepth
	SampleMask           // oMask
	numFiles
)

// shape is the form of a register name: whether a number and an index follow.
type shape uint8

const (
	numbered      shape = iota // r3
	indexed                    // g[3]
	numberedArray              // cb0[3]
	single                     // vaTid; a zero may follow
	singleZero                 // vWinCoord0; the zero is optional
)

// fileInfo is one row of the table of register files, indexed by File.
type fileInfo struct {
	names string // the canonical one first
	shape shape
	// whether instructions can read and write it
	read, write bool
	declared    bool // requires a declaration
}

// The register files. Thread numbers have two names each, from early and from later compilers;
// existing kernels use both, and the older is canonical. Outputs can be read back.
var fileTable = [numFiles]fileInfo{
	Temp:            {names: "r", read: true, write: true},
	Literal:         {names: "l", read: true, declared: true},
	ConstBuf:        {names: "cb", shape: numberedArray, read: true, declared: true},
	ImmConstBuf:     {names: "icb", shape: indexed, read: true, declared: true},
	Input:           {names: "v", read: true, declared: true},
	Output:          {names: "o", read: true, write: true, declared: true},
	TempArray:       {names: "x", shape: numberedArray, read: true, write: true, declared: true},
	Global:          {names: "g", shape: indexed, read: true, write: true},
	Persistent:      {names: "p", shape: indexed, read: true, write: true},
	SharedTemp:      {names: "sr", read: true, write: true},
	ConstInt:        {names: "i", read: true},
	Address:         {names: "a", read: true, write: true},
	Memory:          {names: "mem", shape: single},
	WinCoord:        {names: "vWinCoord", shape: singleZero, read: true, declared: true},
	ObjIndex:        {names: "vObjIndex", shape: singleZero, read: true},
	AbsThreadID:     {names: "vaTid vAbsTid", shape: single, read: true},
	AbsThreadFlat:   {names: "vaTidFlat vAbsTidFlat", shape: single, read: true},
	GroupThreadID:   {names: "vTid vTidInGrp", shape: single, read: true},
	GroupThreadFlat: {names: "vTidFlat vTidInGrpFlat", shape: single, read: true},
	GroupID:         {names: "vTGroupid vThreadGrpId vThreadGrpID", shape: single, read: true},
	GroupFlat:       {names: "vThreadGrpIdFlat vThreadGrpIDFlat", shape: single, read: true},
	Face:            {names: "vFace", shape: single, read: true},
	PrimitiveID:     {names: "vPrimitiveID", shape: single, read: true},
	InstanceID:      {names: "vInstanceID", shape: single, read: true},
	Depth:           {names: "oDepth", shape: single, read: true, write: true, declared: true},
	SampleMask:      {names: "oMask", shape: single, read: true, write: true},
}

// fileOf finds a register file by name.
var fileOf = func() map[string]File {
	m := map[string]File{}
	for f := range fileTable {
		for _, name := range strings.Fields(fileTable[f].names) {
			m[name] = File(f)
		}
	}
	return m
}()

// builtinOf finds the registers with invocation data, such as thread numbers, by lower-case name:
// compilers differ in the spelling of vAbsTIdFlat and similar names.
var builtinOf = func() map[string]File {
	m := map[string]File{}
	for name, f := range fileOf {
		if strings.HasPrefix(name, "v") && len(name) > 1 {
			m[strings.ToLower(name)] = f
		}
	}
	return m
}()

// IsArray reports whether f consists of arrays, used with an index.
func (f File) IsArray() bool {
	return fileTable[f].shape == indexed || fileTable[f].shape == numberedArray
}

// String returns the name of the file, without a number.
func (f File) String() string {
	name, _, _ := strings.Cut(fileTable[f].names, " ")
	return name
}

// Reg is a register or, in an array file, an array. Num is 0 in files without numbers.
type Reg struct {
	File File
	Num  uint16
}

// String returns the spelling of the register, without an index.
func (r Reg) String() string { return string(appendReg(nil, r)) }

func appendReg(b []byte, r Reg) []byte {
	b = append(b, r.File.String()...)
	switch fileTable[r.File].shape {
	case indexed, single:
		return b
	}
	return strconv.AppendUint(b, uint64(r.Num), 10)
}

// Addr is the index of an array: an offset, plus the component of a register if Rel is not nil. It
// is zero for other registers. Copies share the operand of Rel: replace it instead of changing it.
type Addr struct {
	Rel    *Src
	Offset uint32
}

// SrcMod is a set of source modifiers.
type SrcMod uint8

// The source modifiers.
const (
	Invert SrcMod = 1 << iota // 1-x
	Bias                      // x-0.5
	X2                        // 2x; with Bias 2x-1
	Sign                      // sign of x
	Abs
)

// DivComp is the optional component that divides a source.
type DivComp uint8

// The divisors.
const (
	NoDivComp DivComp = iota
	DivY
	_ // z
	_ // w
	DivUnknown
)

// Src is a source operand. Modifiers apply after the swizzle, in an order that does not depend on
// the text: the set of Mods in the order of its constants, but the division before Abs. The
// negation of the lanes in Neg is last.
type Src struct {
	Reg
	Addr
	Swz  Swizzle
	Mods SrcMod
	Div  DivComp
	Neg  Lanes
}

// Same reports whether two operands are equal except for their spelling.
func (s *Src) Same(o *Src) bool {
	return s.Reg == o.Reg && s.Swz == o.Swz && s.Mods == o.Mods && s.Div == o.Div && s.Neg == o.Neg &&
		s.Addr.sameIndices(o.Addr)
}

// sameIndices compares indices by value, not by pointer.
func (a Addr) sameIndices(o Addr) bool {
	if a.Offset != o.Offset || (a.Rel == nil) != (o.Rel == nil) {
		return false
	}
	return a.Rel == o.Rel || a.Rel.Same(o.Rel)
}

// Dst is a destination operand.
type Dst struct {
	Reg
	Addr
	Mask  Mask
	Sat   bool
	Shift int8 // result scale as a power of two: 1 is _x2, -1 is _d2
}

// equal reports whether two destinations are equal except for their spelling.
func (d *Dst) equal(o *Dst) bool {
	return d.Reg == o.Reg && d.Mask == o.Mask && d.Sat == o.Sat && d.Shift == o.Shift && d.Addr.sameIndices(o.Addr)
}
