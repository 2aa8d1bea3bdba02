package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// needsPair returns the error for a draw without a pair.
func needsPair(in Input) error {
	return asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair", "a draw needs a pair, VERTEX,PIXEL")
}

// Run interprets one draw of a pair: Options.Draw.Case, or one that Run generates, at random if Options.Seed is
// set. It returns the image and the draw.
func Run(ctx context.Context, in Input, o Options) (img *interp.Image, used *interp.Case, err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	defer j.begin()()
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, nil, err
	}
	if len(programs) != 2 {
		return nil, nil, needsPair(in)
	}
	c := o.Draw.Case
	if c == nil && o.Seed != 0 {
		c, _, err = draws.Random(programs[0], programs[1], o.Seed)
	}
	// A random draw may not exist for these programs; the default one always does.
	if c == nil || err != nil {
		c = interp.DefaultCase(programs[0], programs[1])
	}
	vs, err := interp.Compile(programs[0])
	if err != nil {
		return nil, nil, err
	}
	ps, err := interp.Compile(programs[1])
	if err != nil {
		return nil, nil, err
	}
	img, err = interp.DrawWithin(vs, ps, c, interp.Numerics{}, j.spend.whole)
	return img, c, err
}
