package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Encode writes p as bytecode: a version token, the statements, the end token, and the words after
// it. A statement that has the tokens it was read with (Raw) keeps them, so an unchanged program is
// written word for word. Encode checks the other statements and encodes their fields. The error, an
// asm.Diags, has an entry for each statement that has no encoding in p's model.
//
// The order of tokens is the one in MSDN's "Direct3D Shader Codes": instruction, destination,
// predicate, sources. The token of its index register follows each operand.
func Encode(p *Program) ([]byte, error) {
	size := 2 + len(p.Rest)
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Raw != nil {
			size += len(in.Raw)
		} else {
			size += 5 + len(in.Comment) // a statement takes about five words
		}
	}
	words := make([]uint32, 1, size)
	words[0] = p.Model.Token()
	var diags asm.Diags
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Raw != nil {
			words = append(words, in.Raw...)
			continue
		}
		if d := in.check(p.Model); d != nil {
			d.Pos = in.Pos
			diags = append(diags, d)
			continue
		}
		words = appendTokens(words, p.Model, in)
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	words = append(append(words, endToken), p.Rest...)
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out, nil
}

// appendTokens appends the encoding of in, which has passed check, and so fits its
// fields. For example, in vs_2_0
//
//	mov r0.x, c[a0.x + 4]  ->  03000001 80010000 a0e42004 b0000000
//
// is an instruction token with the length 3, the destination, the source with its
// relative bit set, and the index register.
func appendTokens(words []uint32, m Model, in *Inst) []uint32 {
	info := &opTable[in.Op]
	head := len(words)
	if in.Op == OpComment {
		return append(append(words, uint32(info.code)|uint32(len(in.Comment))<<16), in.Comment...)
	}
	// ctrl and Cmp share their bits; no op has both.
	words = append(words, uint32(info.code)|uint32(info.ctrl)<<controlShift|uint32(in.Cmp)<<controlShift)
	if in.Op == OpDcl {
		words = append(words, declToken(in.Decl))
	}
	if in.HasDst {
		words = appendOperand(words, m, dstToken(&in.Dst), in.Dst.Rel)
	}
	if in.HasPred {
		words[head] |= predicatedBit
		words = append(words, srcToken(&in.Pred))
	}
	for i := range in.Src[:in.NSrc] {
		words = appendOperand(words, m, srcToken(&in.Src[i]), in.Src[i].Rel)
	}
	switch in.Op {
	case OpDef, OpDefI:
		words = append(words, in.Imm[:]...)
	case OpDefB:
		words = append(words, in.Imm[0])
	}
	// Flags and length are set last, when the number of tokens is known. Version 1 has no length
	// field (MSDN, "Instruction Token"): a reader finds the next statement by the top bit of
	// operand tokens.
	if in.CoIssue {
		words[head] |= coIssueBit
	}
	if m.Major >= 2 {
		words[head] |= uint32(len(words)-head-1) << lengthShift
	}
	return words
}

// appendOperand appends an operand token and, from version 2 on, the token of its index register.
// In version 1 the relative bit means a0.x.
func appendOperand(words []uint32, m Model, tok uint32, rel Rel) []uint32 {
	words = append(words, tok)
	if rel != (Rel{}) && m.Major >= 2 {
		words = append(words, relToken(rel))
	}
	return words
}
