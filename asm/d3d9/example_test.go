package d3d9_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Example changes one statement; the others keep their spelling.
func Example() {
	p, err := d3d9.Parse("glow.psh", []byte(`ps_2_0
dcl t0.xy          ; coordinates
DCL_2D s0
texld r0, t0, s0
Mul r0, r0, c1.r   ; brighten
mov oC0, r0
`))
	if err != nil {
		log.Fatal(err)
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != d3d9.OpMul {
			continue
		}
		in.Op = d3d9.OpAdd
		in.Dst.Mods = d3d9.PartialPrecision
		in.Text = ""
	}
	fmt.Printf("%s", d3d9.Print(p))

	// Output:
	// ps_2_0
	// dcl t0.xy          ; coordinates
	// DCL_2D s0
	// texld r0, t0, s0
	// add_pp r0, r0, c1.x   ; brighten
	// mov oC0, r0
}

func ExampleDecode() {
	text, err := d3d9.Parse("shift.vsh", []byte("vs_2_0\ndcl_position v0\nadd oPos, v0, c[a0.x + 3]\n"))
	if err != nil {
		log.Fatal(err)
	}
	code, err := d3d9.Encode(text)
	if err != nil {
		log.Fatal(err)
	}
	p, err := d3d9.Decode("shift.vso", code)
	if err != nil {
		log.Fatal(err)
	}
	for i := range p.Insts {
		fmt.Printf("%08x  %s\n", p.Insts[i].Raw, d3d9.Format(p.Model, &p.Insts[i]))
	}

	// Output:
	// [0200001f 80000000 900f0000]  dcl_position v0
	// [04000002 c00f0000 90e40000 a0e42003 b0000000]  add oPos, v0, c[a0.x + 3]
}
