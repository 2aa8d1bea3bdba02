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
	Memory               // mem, what stores write to
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

// shape is how the name of a register is completed by a number and an index.
type shape uint8

const (
	numbered      shape = iota // r3
	indexed                    // g[3]
	numberedArray              // cb0[3]
	single                     // vaTid; a zero may follow
	singleZero                 // vWinCoord0; the zero may be left out
)

// fileInfo is one row of the table of register files, indexed by File.
type fileInfo struct {
	names string // the canonical one first
	shape shape
	// whether instructions can read and write it
	read, write bool
	declared    bool // using it takes a declaration
}

// The register files. Thread numbers have two names each, those of the first
// compilers and those of later ones; kernels in the field use both, and the older
// is taken as canonical. Outputs can be read back.
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

// builtinOf finds what the hardware says of an invocation by name in lower case: compilers differ
// in how they spell vAbsTIdFlat and the like.
var builtinOf = func() map[string]File {
	m := map[string]File{}
	for name, f := range fileOf {
		if strings.HasPrefix(name, "v") && len(name) > 1 {
			m[strings.ToLower(name)] = f
		}
	}
	return m
}()

// IsArray reports whether the registers of f are arrays, used with an index.
func (f File) IsArray() bool {
	return fileTable[f].shape == indexed || fileTable[f].shape == numberedArray
}

// String is the name of the file, without a number.
func (f File) String() string {
	name, _, _ := strings.Cut(fileTable[f].names, " ")
	return name
}

// Reg names a register or, of an array file, an array. Num is 0 in files that
// have no numbers.
type Reg struct {
	File File
	Num  uint16
}

// String spells the register, without an index.
func (r Reg) String() string { return string(appendReg(nil, r)) }

func appendReg(b []byte, r Reg) []byte {
	b = append(b, r.File.String()...)
	switch fileTable[r.File].shape {
	case indexed, single:
		return b
	}
	return strconv.AppendUint(b, uint64(r.Num), 10)
}

// Addr is the index of an array: an offset, plus the component of a register where Rel
// is not nil. Of registers that are no arrays it is the zero value. The operand Rel
// points to is shared between copies: replace it, do not change it.
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

// DivComp is the component that a source is divided by, if any.
type DivComp uint8

// The divisors.
const (
	NoDivComp DivComp = iota
	DivY
	DivZ
	DivW
	DivUnknown
)

// Src is a source operand. Whatever the order they are written in, modifiers apply
// after the swizzle: the set of Mods in the order of its constants, but the division
// before Abs, and last of all the negation of the lanes in Neg.
type Src struct {
	Reg
	Addr
	Swz  Swizzle
	Mods SrcMod
	Div  DivComp
	Neg  Lanes
}

// Same reports whether two operands are written the same but for blanks.
func (s *Src) Same(o *Src) bool {
	return s.Reg == o.Reg && s.Swz == o.Swz && s.Mods == o.Mods && s.Div == o.Div && s.Neg == o.Neg && s.Addr.same(o.Addr)
}

// same compares indices by what they say, not by where they point.
func (a Addr) same(o Addr) bool {
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

// same reports whether two destinations are written the same but for blanks.
func (d *Dst) same(o *Dst) bool {
	return d.Reg == o.Reg && d.Mask == o.Mask && d.Sat == o.Sat && d.Shift == o.Shift && d.Addr.same(o.Addr)
}
