package d3d9

import (
	"github.com/shaderlift/shaderlift/asm"
)

// Cmp is the comparison of if_cmp, break_cmp and setp_cmp, numbered as in the bytecode.
type Cmp uint8

// The comparisons.
const (
	CmpNone Cmp = iota
	CmpGT
	CmpEQ
	CmpGE
	CmpLT
	CmpNE
	CmpLE
)

// Usage is the semantic of a dcl, numbered as in the bytecode.
type Usage uint8

// The semantics.
const (
	UsagePosition Usage = iota
	UsageBlendWeight
	UsageBlendIndices
	UsageNormal
	UsagePSize
	UsageTexCoord
	UsageTangent
	UsageBinormal
	usageTessFactor
	UsagePositionT
	UsageColor
	UsageFog
	UsageDepth
	usageSample
)

// TexType is the texture type of a sampler dcl, numbered as in the bytecode.
type TexType uint8

// The texture types.
const (
	TexUnknown TexType = 0
	Tex1D      TexType = 1
	Tex2D      TexType = 2
	TexCube    TexType = 3
	TexVolume  TexType = 4
)

// Decl is the information of a dcl besides its register (which is the instruction's Dst, with mask
// and modifiers). The register file and the model determine the fields in use: semantics for v# and
// o#, Tex for s#, none for t# and vPos.
type Decl struct {
	Usage Usage
	Index uint8
	Tex   TexType
}

// Inst is one statement: an instruction, a declaration, a constant definition or (in bytecode) a
// comment block.
//
// The operand fields are its meaning. Lead, Text and Raw keep the spelling of the input; clear Text
// and Raw after changing a field. Printer and encoder copy them if present, so that unchanged
// statements are written back exactly.
type Inst struct {
	Op      Op
	Cmp     Cmp
	CoIssue bool
	HasPred bool
	HasDst  bool
	NSrc    uint8
	Pred    Src // of file Predicate, Mod is ModNone or ModNot
	Dst     Dst
	Src     [4]Src
	Decl    Decl      // of a dcl
	Imm     [4]uint32 // of a def (float bits), defi, defb (Imm[0])
	Comment []uint32  // of a comment block: the words after its token

	Pos  asm.Pos
	Also *asm.Origin // set by passes: further statements whose work it does, besides the one at Pos
	Lead string      // text input: everything between the previous statement and this one
	Text string      // text input: the statement's own spelling, trailing blanks and comment excluded
	Raw  []uint32    // bytecode input: the statement's tokens
}

// Sources returns the source operands in use.
func (in *Inst) Sources() []Src { return in.Src[:in.NSrc] }

// Same reports whether two statements have the same meaning, whatever their spelling.
func (in *Inst) Same(o *Inst) bool {
	if in.Op != o.Op || in.Cmp != o.Cmp || in.CoIssue != o.CoIssue || in.HasPred != o.HasPred ||
		in.HasDst != o.HasDst || in.NSrc != o.NSrc || in.Pred != o.Pred || in.Dst != o.Dst ||
		in.Src != o.Src || in.Decl != o.Decl || in.Imm != o.Imm || len(in.Comment) != len(o.Comment) {
		return false
	}
	for i, w := range in.Comment {
		if o.Comment[i] != w {
			return false
		}
	}
	return true
}

// Program is one shader as written.
type Program struct {
	Model Model
	Insts []Inst

	// Binary reports that the program was read from bytecode, the form in which it is written too.
	Binary bool
	// Head is, for a text input, everything up to the end of the version line; Tail is the text
	// after the last statement. Rest is the tail of a binary input: words after the end token,
	// which readers ignore.
	Head, Tail string
	Rest       []uint32
	// Included lists the files that a text includes, in their order.
	Included []string
}
