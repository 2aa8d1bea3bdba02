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
		return o.effectListing(ctx, in)
	}
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for i := range programs {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "// %s\n", asm.Shown(in.Files[i].Name))
		o.list(ctx, &b, programs, i)
	}
	return b.Bytes(), nil
}

// list writes the listing of program k of a draw. A program may be nil if another one is listed.
func (o *Options) list(ctx context.Context, b *bytes.Buffer, programs []*d3d9.Program, k int) {
	rates, costs, err := make([][]explain.Rate, len(programs)), explain.Costs{}, error(nil)
	if !slices.Contains(programs, nil) {
		rates = explain.Rates(programs)
		costs, err = o.instructionCosts(unbounded(ctx).whole, programs)
	}
	explain.WriteListing(b, programs[k], rates[k], &costs)
	if err != nil {
		fmt.Fprintf(b, "// the time cannot be predicted: %v\n", err)
	}
}

// effectListing lists the contents of an effect, and its programs with the slots of every instruction.
func (o *Options) effectListing(ctx context.Context, in Input) ([]byte, error) {
	e, err := effect.Read(in.Files[0])
	if err != nil {
		return nil, err
	}
	return effectText(e, func(b *bytes.Buffer, programs []*d3d9.Program, k int) {
		o.list(ctx, b, programs, k)
	}), nil
}
