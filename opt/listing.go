package opt

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Listing returns the programs of an input as text; package shaderlift documents the columns.
func Listing(ctx context.Context, in Input, o Options) ([]byte, error) {
	if err := o.Check(in.Kind()); err != nil {
		return nil, err
	}
	in, err := o.selected(in, false)
	if err != nil {
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
	return effectText(e, func(b *bytes.Buffer, programs []*d3d9.Program, k int) {
		rates := make([][]explain.Rate, len(programs))
		if !slices.Contains(programs, nil) {
			rates = explain.Rates(programs)
		}
		explain.WriteListing(b, programs[k], rates[k])
	}), nil
}
