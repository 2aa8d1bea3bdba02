package input

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
)

// ReadModules reads the SPIR-V modules of in, one or two, and checks them. It collects the diagnostics of both files.
func ReadModules(in Input) (list []*spirv.Module, err error) {
	if n := len(in.Files); n > 2 {
		return nil, asm.Errorf(asm.Pos{}, "wrong-input", "an input is one module or a pair, not %d files", n)
	}
	var diags asm.Diags
	for _, f := range in.Files {
		m, err := spirv.Read(f.Name, f.Data)
		if err != nil {
			diags = append(diags, DiagsOf(err)...)
			continue
		}
		list = append(list, m)
	}
	if len(diags) > 0 {
		return nil, diags
	}
	return list, nil
}
