package shaderlift

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Assemble turns a program, usually text, into bytecode. The error is diagnostics,
// or ErrFit if the program is only too large for its shader model.
func Assemble(f File) ([]byte, error) { return AssembleWith(f, nil) }

// AssembleWith is Assemble with files that a text includes from include.
func AssembleWith(f File, include d3d9.Opener) ([]byte, error) {
	p, err := convertible(f, include)
	if err != nil {
		return nil, err
	}
	if err := fits(p); err != nil {
		return nil, err
	}
	p.Binary = true
	return d3d9.Encode(p)
}

// Disassemble turns a program, usually bytecode, into text that Assemble takes back
// to the same bytes.
func Disassemble(f File) ([]byte, error) { return DisassembleWith(f, nil) }

// DisassembleWith is Disassemble with files that a text includes from include. Of such a
// text it makes one that includes nothing.
func DisassembleWith(f File, include d3d9.Opener) ([]byte, error) {
	p, err := convertible(f, include)
	if err != nil {
		return nil, err
	}
	return d3d9.Print(p), nil
}

// convertible reads a program that has both forms.
func convertible(f File, include d3d9.Opener) (*d3d9.Program, error) {
	if Recognize(f.Data) == IL {
		return nil, asm.Errorf(asm.Pos{File: f.Name, Line: 1, Col: 1}, "no-bytecode", "AMD IL is text only: kernels have no bytecode to assemble to")
	}
	return readProgramWith(f, include)
}
