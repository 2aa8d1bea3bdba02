package il

import "github.com/shaderlift/shaderlift/asm"

// Stage is the kind of kernel in a header.
type Stage uint8

// The stages.
const (
	Pixel   Stage = iota // il_ps_2_0
	Compute              // il_cs_2_0
)

func (s Stage) String() string { return stageNames[s] }

// Kernel is one IL program as written. Statements are a flat list: pairs such as if_logicalnz and
// endif delimit blocks.
type Kernel struct {
	Stage     Stage
	MultiPass bool   // header suffix _mp
	RealTime  bool   // header suffix _rt
	Client    string // the tag line before the header, such as dx11_ps; usually none
	Insts     []Inst

	// Head is the text up to the end of the header, Tail the text after the last statement.
	Head, Tail string
}

// Inst is one statement: an instruction or a declaration.
//
// The fields up to Imm are its meaning. Lead and Text keep the spelling of the input; clear Text
// after changing a field. The printer copies Text if present, so that unchanged statements are
// written back exactly.
type Inst struct {
	Op     Op
	Ctl    Controls
	HasDst bool
	NSrc   uint8
	NImm   uint8
	Dst    Dst // in a declaration, the register declared
	Src    [4]Src
	// Imm are the numbers among the operands. Examples are the words of a dcl_literal, the label of
	// a call, the value of a case, the size of an array, and the flags of dcl_global_flags.
	Imm [4]uint32

	Pos  asm.Pos
	Also *asm.Origin // set by passes: further statements whose work it does, besides the one at Pos
	Lead string      // everything between the previous statement and this one
	Text string      // spelling of the statement, without the comment and blanks around it
}

// Sources returns the source operands in use.
func (in *Inst) Sources() []Src { return in.Src[:in.NSrc] }

// Immediates returns the numbers in use.
func (in *Inst) Immediates() []uint32 { return in.Imm[:in.NImm] }

// Same reports whether two statements have the same meaning, whatever their spelling. Swizzles of
// different length are different, even if they select the same components.
func (in *Inst) Same(o *Inst) bool {
	if in.Op != o.Op || in.Ctl != o.Ctl || in.HasDst != o.HasDst || in.NSrc != o.NSrc ||
		in.NImm != o.NImm || in.Imm != o.Imm || !in.Dst.equal(&o.Dst) {
		return false
	}
	for i := range in.Sources() {
		if !in.Src[i].Same(&o.Src[i]) {
			return false
		}
	}
	return true
}

// Reads returns the component that each lane of source operand i selects. A lane-wise operand has
// one for every computed lane of the destination. A vector, such as a coordinate or a factor of a
// dot product, has its components in order. A scalar has only the first.
//
//	add r0.x_z_, r1.yz, r2   ; lane by lane: r1.y and r1.z, r2.x and r2.z
//	dp3 r0.x, r1, r2         ; vectors: x, y, z and w of each
//	sin r0, r1.w             ; a scalar: w
func (in *Inst) Reads(i int) [4]Sel {
	s := in.Src[i].Swz
	switch in.Op.SourceShape(i) {
	case LaneWise:
		if !in.HasDst {
			return s.Packed(MaskAll)
		}
		return s.Packed(in.Dst.Mask)
	case Scalar:
		return [4]Sel{s.Vector()[0], SelNone, SelNone, SelNone}
	}
	return s.Vector()
}

// IsKernel reports whether data looks like IL text: a header that only blanks, comments and a client tag
// precede.
func IsKernel(data []byte) bool {
	for n := 1 << 12; ; n *= 2 { // read only as much of a large file as necessary
		p := newParser("", string(data[:min(n, len(data))]))
		if k := p.header(&Kernel{}); p.next < p.last || len(p.src) == len(data) {
			return k
		}
	}
}
