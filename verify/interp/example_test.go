package interp_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

func compile(src string) *interp.Shader {
	p, err := d3d9.Parse("example", []byte(src))
	if err != nil {
		log.Fatal(err)
	}
	s, err := interp.Compile(p)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// Example draws a quad whose texture coordinate runs from 0 to 1.
func Example() {
	vs := compile("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n")
	ps := compile("ps_2_0\ndcl t0.xy\nmul r0, t0.x, c0\nmov oC0, r0\n")
	c, err := interp.ParseCase("example", []byte(`
		size 4 1
		attr position 0 2   -1 1   1 1   -1 -1   1 -1
		attr texcoord 0 2    0 0   1 0    0  1   1  1
		pc 0  8 4 2 1`))
	if err != nil {
		log.Fatal(err)
	}
	img, err := interp.Draw(vs, ps, c, interp.Numerics{})
	if err != nil {
		log.Fatal(err)
	}
	for x := range 4 {
		fmt.Println(img.Targets[0][4*x : 4*x+4])
	}
	// Output:
	// [1 0.5 0.25 0.125]
	// [3 1.5 0.75 0.375]
	// [5 2.5 1.25 0.625]
	// [7 3.5 1.75 0.875]
}

// ExampleShader_Run runs a program over given inputs, four invocations at once.
func ExampleShader_Run() {
	s := compile("vs_2_0\ndcl_position v0\nrcp r0.x, v0.x\nmul oPos, v0, r0.x\n")
	res, err := s.Run(&interp.Env{}, 4, []interp.Words{{{1, 2, 4, 0}, {8, 8, 8, 8}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Out[0][0], res.Out[0][1])

	// Under the multiplier of older hardware zero times infinity is zero.
	res, _ = s.Run(&interp.Env{Numerics: interp.Numerics{MulZero: true}}, 4, []interp.Words{{{1, 2, 4, 0}, {8, 8, 8, 8}}})
	fmt.Println(res.Out[0][0], res.Out[0][1])
	// Output:
	// [1 1 1 NaN] [8 4 2 +Inf]
	// [1 1 1 0] [8 4 2 +Inf]
}
