package input

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Assemble translates a program, usually text, into bytecode, or the text of a SPIR-V module into the module. The
// error is a list of diagnostics, or ErrFit if the program is only too large for its shader model.
func Assemble(f File) ([]byte, error) {
	data, _, err := AssembleWith(f, nil)
	return data, err
}

// AssembleWith assembles a program, with the included files of a text from include. It also returns the
// broken rules that the runtime and drivers tolerate.
func AssembleWith(f File, include d3d9.Opener) ([]byte, asm.Diags, error) {
	if asm.BuiltSPIRV && isModule(f) {
		m, err := spirv.Read(f.Name, f.Data)
		if err != nil {
			return nil, nil, err
		}
		return m.Encode(), nil, nil
	}
	p, err := convertible(f, include)
	if err != nil {
		return nil, nil, err
	}
	all := d3d9.Validate(p).In(f.Name)
	if err := pair.FitError(pair.Classify(all)); err != nil {
		return nil, nil, err
	}
	p.Binary = true
	data, err := d3d9.Encode(p)
	return data, pair.Tolerated(all), err
}

// Disassemble translates a program, usually bytecode, or a SPIR-V module into text. Assemble turns this text into the same
// bytes again.
func Disassemble(f File) ([]byte, error) { return DisassembleWith(f, nil) }

// DisassembleWith disassembles a program, with the included files of a text from include. The result
// has no includes.
func DisassembleWith(f File, include d3d9.Opener) ([]byte, error) {
	if asm.BuiltSPIRV && isModule(f) {
		m, err := spirv.Read(f.Name, f.Data)
		if err != nil {
			return nil, err
		}
		return m.Format(), nil
	}
	p, err := convertible(f, include)
	if err != nil {
		return nil, err
	}
	return d3d9.Print(p), nil
}

// isModule reports whether a file is a SPIR-V module, binary or text.
func isModule(f File) bool {
	format := Recognize(f.Data)
	return format == SPIRV || format == SPIRVText
}

// convertible reads a Direct3D 9 program. Kernels exist as text only.
func convertible(f File, include d3d9.Opener) (*d3d9.Program, error) {
	if Recognize(f.Data) == IL {
		return nil, asm.Errorf(asm.Pos{File: f.Name, Line: 1, Col: 1}, "no-bytecode",
			"AMD IL exists only as text; kernels have no bytecode")
	}
	return ReadProgramWith(f, include)
}
