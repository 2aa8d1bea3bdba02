package vsps_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Example lifts a program, rewrites it and emits it: unchanged statements keep their registers and
// their spelling.
func Example() {
	p, err := d3d9.Parse("demo.psh", []byte("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nadd r1, r0, r0\nmul r1, r1, c0\nmov oC0, r1\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := vsps.Lift(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpAdd { // x + x is x*2
			in.Op = ir.OpMul
			two := f.Const(0x40000000)
			in.Src[1].EachLane(func(_ int, l *ir.Lane) { l.V = two })
		}
	})
	q, err := vsps.Emit(p, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", d3d9.Print(q))
	// Output:
	// ps_2_0
	// dcl t0.xy
	// dcl_2d s0
	// def c1, 2, 0, 0, 0
	// texld r0, t0, s0
	// mul r1, r0, c1.x
	// mul r1, r1, c0
	// mov oC0, r1
}

// Below 3.0 the registers of a pair match by number.
func ExampleLink() {
	parse := func(src string) *d3d9.Program {
		p, err := d3d9.Parse("demo", []byte(src))
		if err != nil {
			panic(err)
		}
		return p
	}
	link, err := vsps.Link(
		parse("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT1, v1\nmov oD0, v1\n"),
		parse("ps_2_0\ndcl t1.xy\ndcl v0\nmul r0, v0, t1.x\nmov oC0, r0\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	name := func(r ir.Reg) d3d9.Reg { return d3d9.Reg{File: d3d9.File(r.File), Index: r.Index} }
	for _, v := range link.Links {
		fmt.Println(name(v.In), "from", name(v.Out), "linear:", v.Linear)
	}
	fmt.Println(len(link.Free), "free, first", name(link.Free[0].In))
	// Output:
	// t1 from oT1 linear: true
	// v0 from oD0 linear: false
	// 7 free, first t0
}
