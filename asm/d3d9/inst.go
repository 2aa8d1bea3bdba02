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
	UsageTessFactor
	UsagePositionT
	UsageColor
	UsageFog
	UsageDepth
	UsageSample
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

// Decl is what a dcl says besides its register (which is the instruction's Dst,
// with mask and modifiers). Which fields count follows from the register file
// and the model: semantics for v# and o#, Tex for s#, nothing for t# and vPos.
type Decl struct {
	Usage Usage
	Index uint8
	Tex   TexType
}

// Inst is one statement: an instruction, a declaration, a constant definition or
// (in bytecode) a comment block.
//
// The operand fields are its meaning. Lead, Text and Raw are how the input spelt
// it; clear Text and Raw after changing a field. A printer or encoder that finds
// them copies them, so that what nobody touched comes out as it came in.
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
	Also *asm.Origin // of what passes made: what it does besides what is at Pos
	Lead string      // text input: everything between the previous statement and this one
	Text string      // text input: the statement's own spelling, trailing blanks and comment excluded
	Raw  []uint32    // bytecode input: the statement's tokens
}

// Sources are the source operands in use.
func (in *Inst) Sources() []Src { return in.Src[:in.NSrc] }

// Same reports whether two statements mean the same, however they are spelt.
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

	// Binary tells which form the program was read from, and so is written in.
	Binary bool
	// Head is, of a text input, everything up to the end of the version line;
	// Tail what follows the last statement. Tail of a binary input is kept in Rest:
	// words after the end token, which readers ignore.
	Head, Tail string
	Rest       []uint32
	// Included are the files that a text includes, in their order.
	Included []string
}
