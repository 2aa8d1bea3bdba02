package opt

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Listing returns the programs of an input as text; package shaderlift documents the columns.
func Listing(ctx context.Context, in Input, o Options) ([]byte, error) {
	if err := o.Check(in.Kind()); err != nil {
		return nil, err
	}
	if asm.BuiltKernels && in.Kind() == input.KindKernel || !asm.BuiltD3D9 {
		j := job{Options: o, ctx: ctx}
		defer j.begin()()
		text, err := kernelListing(in, j)
		return append([]byte("; "+asm.Shown(in.Path())+"\n"), text...), err
	}
	if in.Kind() == input.KindEffect {
		return effectListing(in)
	}
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	rates := explain.Rates(programs)
	for i, p := range programs {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "// %s\n", asm.Shown(in.Files[i].Name))
		explain.WriteListing(&b, p, rates[i])
	}
	return b.Bytes(), nil
}

// effectListing lists the contents of an effect, and its programs with the slots of every instruction.
func effectListing(in Input) ([]byte, error) {
	e, err := effect.Read(in.Files[0])
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n%s", asm.Shown(in.Files[0].Name), fx.Print(e.FX))
	for i := range e.Parts {
		files := e.Parts[i].In.Files
		programs, rates := make([]*d3d9.Program, len(files)), make([][]explain.Rate, len(files))
		wrong := make([]error, len(files))
		for k, f := range files {
			programs[k], wrong[k] = input.ReadProgram(f)
		}
		if errors.Join(wrong...) == nil {
			rates = explain.Rates(programs)
		}
		for k, f := range files {
			fmt.Fprintf(&b, "\n// %s\n", asm.Shown(f.Name))
			if wrong[k] != nil {
				fmt.Fprintf(&b, "// %v\n", wrong[k])
				continue
			}
			explain.WriteListing(&b, programs[k], rates[k])
		}
	}
	return b.Bytes(), nil
}
