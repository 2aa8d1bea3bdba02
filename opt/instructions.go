package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Instructions prices like Stats and also lists the price of every instruction in Result.Programs; for
// an effect, in those of its parts. It omits declarations, labels and comments.
func Instructions(ctx context.Context, in Input, o Options) (*Result, error) {
	return job{Options: o, ctx: ctx}.instructions(in)
}

func (o job) instructions(in Input) (*Result, error) {
	res, err := o.stats(in, false)
	if err != nil {
		return res, err
	}
	switch res.Kind {
	case input.KindKernel:
		defer o.begin()()
		_, _, s, err := compile(in, o)
		if err != nil {
			return res.failWith(err)
		}
		res.Programs = []explain.Program{explain.MachineProgram(in.Files[0].Name, s)}
	case input.KindEffect:
		e, err := effect.Read(in.Files[0])
		if err != nil {
			return res.failWith(err)
		}
		for i := range e.Parts {
			programs, err := input.ReadPrograms(e.Parts[i].In)
			if err != nil {
				return res.failWith(err)
			}
			res.Parts[i].Programs = explain.Price(e.Parts[i].In.FileNames(), programs)
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
