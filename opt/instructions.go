package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Instructions prices like Stats and also lists the price of every instruction in Result.Programs; for
// an effect, in those of its parts. It omits declarations, labels and comments.
func Instructions(ctx context.Context, in Input, o Options) (*Result, error) {
	j := job{Options: o, ctx: ctx}
	res, err := j.stats(in, false)
	if err != nil {
		return res, err
	}
	switch res.Kind {
	case input.KindKernel:
		defer j.begin()()
		_, _, s, err := compile(in, j)
		if err != nil {
			return res.failWith(err)
		}
		res.Programs = []explain.Program{explain.MachineProgram(in.Files[0].Name, s)}
	case input.KindEffect:
		err := eachPart(in, func(i int, part Input, programs []*d3d9.Program) error {
			res.Parts[i].Programs = explain.Price(part.FileNames(), programs)
			return nil
		})
		if err != nil {
			return res.failWith(err)
		}
	default:
		programs, err := input.ReadPrograms(in)
		if err != nil {
			return res.failWith(err)
		}
		res.Programs = explain.Price(in.FileNames(), programs)
	}
	return res, nil
}
