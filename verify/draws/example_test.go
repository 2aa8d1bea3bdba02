package draws_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
)

func ExampleRandom() {
	vs, err := d3d9.Parse("example.vsh", []byte("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0, v1\n"))
	if err != nil {
		log.Fatal(err)
	}
	ps, err := d3d9.Parse("example.psh", []byte("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0\n"))
	if err != nil {
		log.Fatal(err)
	}
	c, picture, err := draws.Random(vs, ps, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(c.Attrs), "attributes,", len(c.Vertex.Float), "vertex constants, texture:", c.PixelTex[0] != nil)
	fmt.Println("meaningful:", picture.Meaningful())
	// Output:
	// 2 attributes, 4 vertex constants, texture: true
	// meaningful: true
}
