package explain_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// The product of an input with a constant can be interpolated like the input; the product of two inputs
// cannot.
func ExampleRates() {
	read := func(name, text string) *d3d9.Program {
		p, err := d3d9.Read(name, []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	v := read("v.vsh", "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n")
	p := read("p.psh", "ps_2_0\ndcl t0\nmul r0, t0, c0.x\nmul r1, c0, c1\nmul r0, r0, t0\nadd r0, r0, r1\nmov oC0, r0\n")
	for i, r := range explain.Rates([]*d3d9.Program{v, p})[1] {
		if r != "" {
			fmt.Printf("%-8s %s\n", r, d3d9.Format(p.Model, &p.Insts[i]))
		}
	}
	// Output:
	// vertex   mul r0, t0, c0.x
	// draw     mul r1, c0, c1
	// fragment mul r0, r0, t0
	// fragment add r0, r0, r1
	// fragment mov oC0, r0
}
