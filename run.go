package shaderlift

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// needsPair refuses to draw what is no pair.
func needsPair(in Input) error {
	return asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair", "a draw takes a pair, VERTEX,PIXEL")
}

// Run interprets one draw of a pair: the vertex program over the attributes of c,
// rasterisation, the pixel program over the fragments. Without a case it draws the
// one that interp.DefaultCase makes up.
func Run(in Input, c *interp.Case) (img *interp.Image, err error) {
	var res *Result
	defer recovered(in, Options{}, &res, &err)
	programs, err := read(in)
	if err != nil {
		return nil, err
	}
	if len(programs) != 2 {
		return nil, needsPair(in)
	}
	if c == nil {
		c = interp.DefaultCase(programs[0], programs[1])
	}
	vs, err := interp.Compile(programs[0])
	if err != nil {
		return nil, err
	}
	ps, err := interp.Compile(programs[1])
	if err != nil {
		return nil, err
	}
	return interp.Draw(vs, ps, c, interp.Numerics{})
}
