package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Encode writes p as bytecode: the tokens a statement was read with where it
// has them, otherwise those that its fields say. The error, an asm.Diags, names
// statements that have no encoding in p's model.
func Encode(p *Program) ([]byte, error) {
	words := make([]uint32, 1, 2+5*len(p.Insts)+len(p.Rest))
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

// appendTokens appends the encoding of in, which has passed check.
func appendTokens(words []uint32, m Model, in *Inst) []uint32 {
	info := &opTable[in.Op]
	head := len(words)
	if in.Op == OpComment {
		return append(append(words, uint32(info.code)|uint32(len(in.Comment))<<16), in.Comment...)
	}
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
	if in.CoIssue {
		words[head] |= coIssueBit
	}
	if m.Major >= 2 {
		words[head] |= uint32(len(words)-head-1) << lengthShift
	}
	return words
}

func appendOperand(words []uint32, m Model, tok uint32, rel Rel) []uint32 {
	words = append(words, tok)
	if rel != (Rel{}) && m.Major >= 2 {
		words = append(words, relToken(rel))
	}
	return words
}
