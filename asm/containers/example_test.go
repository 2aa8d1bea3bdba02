package containers_test

import (
	"context"
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/containers"
)

func ExampleCheckForeign() {
	fmt.Println(containers.CheckForeign("a.frag", []byte("#version 330 core\nvoid main() {}\n")))
	fmt.Println(containers.CheckForeign("a.cso", []byte("DXBC....")))
	fmt.Println(containers.CheckForeign("a.psh", []byte("ps_2_0\nmov oC0, c0\n")))
	// Output:
	// a.frag:1:1: this is GLSL source: convert it to HLSL (glslangValidator -V, spirv-cross --hlsl --shader-model 30), build that with fxc /T ps_3_0 or vs_3_0 /Fo OUT, then run shaderlift opt --fit ps_2_0 on the pair [foreign-format]
	// a.cso:1:1: this is a shader of Direct3D 10 or later (DXBC): compile its source for Direct3D 9 (fxc /T vs_3_0, ps_3_0 or fx_2_0) [foreign-format]
	// <nil>
}

// List the programs of a header and optimize them in their places.
func ExampleOpen() {
	source := []byte("const DWORD glow[] = {\n" +
		"    0xffff0200, 0x02000001, 0x800f0000, 0xa0e40000, 0x02000001, 0x800f0800,\n" +
		"    0x80e40000, 0x0000ffff,\n};\n")
	c, err := containers.Open("glow.h", source)
	if err != nil {
		log.Fatal(err)
	}
	for _, unit := range c.Units() {
		var in shaderlift.Input
		for _, p := range unit {
			model, _ := p.Model()
			fmt.Println(p.Pos, p.Names[0], model, len(p.Data), "bytes")
			in.Files = append(in.Files, shaderlift.File{Name: p.Names[0], Data: p.Data})
		}
		res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{})
		if err != nil {
			log.Fatal(err)
		}
		for i, p := range unit {
			p.Data = res.Files[i].Data
		}
	}
	out, err := c.Encode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(out))
	// Output:
	// glow.h:2:5 glow ps_2_0 32 bytes
	// const DWORD glow[] = {
	//     0xffff0200, 0x02000001, 0x800f0800, 0xa0e40000, 0x0000ffff,
	// };
}
