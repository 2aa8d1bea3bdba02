package d3d9

// The layout of bytecode tokens, as in the "Direct3D Shader Codes" pages of MSDN and
// d3d9types.h:
//
//	instruction  opcode 0-15, controls 16-23, length 24-27, predicated 28, co-issue 30
//	comment      0xfffe 0-15, length 16-30
//	destination  number 0-10, type 28-30 and 11-12, relative 13, mask 16-19,
//	             modifiers 20-23, shift 24-27, bit 31 set
//	source       number 0-10, type 28-30 and 11-12, relative 13, swizzle 16-23,
//	             modifier 24-27, bit 31 set
//	dcl          usage 0-4, usage index 16-19, texture type 27-30, bit 31 set
const (
	endToken   = 0x0000ffff
	maxComment = 1<<15 - 1 // words that a comment token can have

	operandBit = 1 << 31 // set in operand tokens, clear in instruction tokens

	opcodeMask    = 0xffff
	controlShift  = 16
	lengthShift   = 24
	predicatedBit = 1 << 28
	coIssueBit    = 1 << 30
	// reservedInst are the bits of an instruction token without a meaning.
	reservedInst = 1<<31 | 1<<29

	relativeBit     = 1 << 13
	reservedOperand = 3 << 14
	maskShift       = 16
	swizzleShift    = 16
	dstModShift     = 20
	dstShiftShift   = 24
	srcModShift     = 24

	usageIndexShift = 16
	texTypeShift    = 27
)

// typeConst2 is the register type of c2048 to c4095; the next two types continue from there
// (D3DSPR_CONST2 to D3DSPR_CONST4), as a register number has 11 bits.
const typeConst2 = 11

// regBits returns the bits of a register in an operand token: its type in two fields, its number,
// and the bit that all operands have.
func regBits(r Reg) uint32 {
	typ, n := uint32(fileTable[r.File].code), uint32(r.Index)
	if n > maxNumber {
		typ, n = typeConst2+n>>11-1, n&maxNumber
	}
	return operandBit | n | typ&7<<28 | typ>>3<<11
}

// filesByCode lists the files of each register type. Some types have two, which stage or version
// distinguish (a0 and t#, oT# and o#).
var filesByCode = func() (t [32][]File) {
	for f := NoFile + 1; f < numFiles; f++ {
		t[fileTable[f].code] = append(t[fileTable[f].code], f)
	}
	return t
}()

// opsByCode lists the ops of each opcode. Some opcodes have several, which the model or the
// controls distinguish (tex, texcrd and texld are all 66).
var opsByCode = func() map[uint16][]Op {
	t := map[uint16][]Op{}
	for op := OpNop; op < OpComment; op++ {
		t[opTable[op].code] = append(t[opTable[op].code], op)
	}
	return t
}()

// regOf returns the register of an operand token; File is NoFile if the model has no register of
// that type. It does not check the number.
func (m Model) regOf(tok uint32) Reg {
	typ, n := tok>>28&7|tok>>11&3<<3, tok&maxNumber
	if typ >= typeConst2 && typ < typeConst2+3 {
		return Reg{Const, uint16(n + (typ-typeConst2+1)<<11)}
	}
	for _, f := range filesByCode[typ] {
		if m.nameable(f) > 0 {
			return Reg{f, uint16(n)}
		}
	}
	return Reg{}
}

// decodeOp returns the op of an instruction token in m, or OpInvalid if m has none with this opcode and
// these controls. It ignores the controls of ops with a comparison, which check examines.
func (m Model) decodeOp(tok uint32) Op {
	ctrl := uint8(tok >> controlShift)
	for _, op := range opsByCode[uint16(tok&opcodeMask)] {
		if info := &opTable[op]; (info.ctrl == ctrl || info.flags&fCmp != 0) && op.Exists(m) {
			return op
		}
	}
	return OpInvalid
}

// srcToken returns the token of a source operand, without the token of its index register.
func srcToken(s *Src) uint32 {
	tok := regBits(s.Reg) | uint32(s.Swz)<<swizzleShift | uint32(s.Mod)<<srcModShift
	if s.Rel != (Rel{}) {
		tok |= relativeBit
	}
	return tok
}

// dstToken returns the token of a destination operand. It stores the shift as a signed 4-bit
// number.
func dstToken(d *Dst) uint32 {
	tok := regBits(d.Reg) | uint32(d.Mask)<<maskShift | uint32(d.Mods)<<dstModShift | uint32(d.Shift)&0xf<<dstShiftShift
	if d.Rel != (Rel{}) {
		tok |= relativeBit
	}
	return tok
}

// relToken returns the token that follows one with the relative bit from version 2 on.
func relToken(r Rel) uint32 { return regBits(Reg{File: r.File}) | uint32(r.Swz)<<swizzleShift }

// declToken returns the token of a declaration.
func declToken(d Decl) uint32 {
	return operandBit | uint32(d.Usage) | uint32(d.Index)<<usageIndexShift | uint32(d.Tex)<<texTypeShift
}
