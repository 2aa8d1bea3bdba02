package shaderlift

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Assemble turns a program, usually text, into bytecode. The error is diagnostics,
// or ErrFit if the program is only too large for its shader model.
func Assemble(f File) ([]byte, error) {
	p, err := readProgram(f)
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
func Disassemble(f File) ([]byte, error) {
	p, err := readProgram(f)
	if err != nil {
		return nil, err
	}
	return d3d9.Print(p), nil
}
