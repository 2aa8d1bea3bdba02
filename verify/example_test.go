package verify_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

func mustParse(src string) *d3d9.Program {
	p, err := d3d9.Parse("example", []byte(src))
	if err != nil {
		panic(err)
	}
	return p
}

// Scaling a texture coordinate commutes with interpolation, squaring does not.
func ExampleCheck() {
	vertex := func(body string) *d3d9.Program {
		return mustParse("vs_2_0\ndef c0, 0.5, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n" + body + "\n")
	}
	pixel := func(body string) *d3d9.Program {
		return mustParse("ps_2_0\ndef c0, 0.5, 0, 0, 0\ndcl t0\n" + body + "\nmov oC0, r0\n")
	}
	o := verify.Options{Numerics: verify.Real}

	r := verify.Check(
		verify.Pair{Vertex: vertex("mov oT0, v1"), Pixel: pixel("mul r0, t0, c0.x")},
		verify.Pair{Vertex: vertex("mul oT0, v1, c0.x"), Pixel: pixel("mov r0, t0")}, o)
	fmt.Println(r.Verdict, r.Rungs)

	r = verify.Check(
		verify.Pair{Vertex: vertex("mov oT0, v1"), Pixel: pixel("mul r0, t0, t0")},
		verify.Pair{Vertex: vertex("mul oT0, v1, v1"), Pixel: pixel("mov r0, t0")}, o)
	fmt.Println(r.Verdict, r.Counterexample.Output)
	// Output:
	// proved-real [R0 R3 R2]
	// refuted oC0.x
}
