package preshader

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
)

// Encode writes a program, as [Decode] describes it. The error, an *asm.Diag, names a
// section that is too long for its token.
func Encode(p *Program) ([]uint32, error) {
	words := []uint32{uint32(p.Version)}
	for _, s := range p.Sections {
		body := []uint32{uint32(s.Name)}
		switch s.Name {
		case SectionTable:
			body = append(body, p.Table...)
		case sectionOutputs:
			body = p.Outputs.append(body)
		case SectionLiterals:
			body = append(body, uint32(len(p.Literals)))
			for _, x := range p.Literals {
				bits := math.Float64bits(x)
				body = append(body, uint32(bits), uint32(bits>>32))
			}
		case SectionInstructions:
			body = append(body, uint32(len(p.Insts)))
			for i := range p.Insts {
				body = p.Insts[i].append(body)
			}
		}
		if body = append(body, s.Words...); len(body) > maxSection {
			return nil, asm.Errorf(asm.Pos{File: "<preshader>"}, "comment-too-long",
				"a section of %d words does not fit its token", len(body))
		}
		words = append(append(words, uint32(len(body))<<16|commentToken), body...)
	}
	return append(words, p.Rest...), nil
}

// append appends the contents of PRSI.
func (o *Outputs) append(words []uint32) []uint32 {
	words = append(append(words, o.First[:]...), o.Count[:]...)
	for _, list := range o.Ranges {
		words = append(words, uint32(len(list)))
		for _, r := range list {
			words = append(words, r.First, r.Count)
		}
	}
	return words
}

// append appends an instruction.
func (in *Inst) append(words []uint32) []uint32 {
	word := uint32(in.Op)<<opShift | uint32(in.Components)
	if in.Scalar {
		word |= scalarBit
	}
	words = append(words, word, uint32(len(in.Inputs)))
	for i := range in.Inputs {
		words = in.Inputs[i].append(words)
	}
	return in.Output.append(words)
}

// append appends an operand.
func (o *Operand) append(words []uint32) []uint32 {
	if o.Relative {
		words = append(words, 1, uint32(o.Index.Table), o.Index.Offset)
	} else {
		words = append(words, 0)
	}
	return append(words, uint32(o.Table), o.Offset)
}
