package verify_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify"
)

func mustParse(src string) *d3d9.Program {
	p, err := d3d9.Parse("example", []byte(src))
	if err != nil {
		panic(err)
	}
	return p
}

// The example checks that scaling a texture coordinate commutes with interpolation, and that squaring does
// not.
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
	fmt.Println(r.Verdict, r.Methods)

	r = verify.Check(
		verify.Pair{Vertex: vertex("mov oT0, v1"), Pixel: pixel("mul r0, t0, t0")},
		verify.Pair{Vertex: vertex("mul oT0, v1, v1"), Pixel: pixel("mov r0, t0")}, o)
	fmt.Println(r.Verdict, r.Counterexample.Output)
	// Output:
	// proved-real [form field execution]
	// refuted oC0.x
}

// Integers are a ring modulo 2^32; a shift to the right does not undo one to the left.
func ExampleCheckKernel() {
	kernel := func(body string) *il.Kernel {
		k, err := il.Parse("example", []byte("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_literal l0, 1, 2, 4, 31\n"+body+
			"\nmov g[vaTid.x], r0\nend\n"))
		if err != nil {
			panic(err)
		}
		return k
	}
	before := kernel("iadd r0, vaTid.x, l0.x\nimul r0, r0, l0.z")

	r := verify.CheckKernel(before, kernel("ishl r0, vaTid.x, l0.y\niadd r0, r0, l0.z"), verify.Options{})
	fmt.Println(r.Verdict, r.Methods)

	r = verify.CheckKernel(before, kernel("ishl r0, vaTid.x, l0.w\nushr r0, r0, l0.w"), verify.Options{})
	fmt.Println(r.Verdict, r.Counterexample.Where, r.Counterexample.Output)
	// Output:
	// proved [form terms execution]
	// refuted element 0 g.x
}
