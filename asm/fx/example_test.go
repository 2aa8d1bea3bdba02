package fx_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// Example replaces the shader of a pass; the rest stays unchanged.
func Example() {
	var b fxtest.Builder
	b.Technique("Glow")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\n")},
		fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndef c0, 1, 0, 0, 1\nmov oC0, c0\n")})

	e, err := fx.Decode("glow.fxb", b.Build())
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range e.Shaders() {
		if s.Stage == d3d9.Pixel {
			*s.Data = fxtest.Assemble("ps_2_0\nmov oC0, c0\n")
		}
	}
	data, err := fx.Encode(e)
	if err != nil {
		log.Fatal(err)
	}

	again, err := fx.Decode("glow.fxb", data)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range again.Shaders() {
		p, err := d3d9.Decode("glow.fxb", *s.Data)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, pass %s: %d statements of %s\n", again.Techniques[s.Technique].Name.Text,
			again.Techniques[s.Technique].Passes[s.Pass].Name.Text, len(p.Insts), p.Model)
	}

	// Output:
	// Glow, pass P0: 2 statements of vs_2_0
	// Glow, pass P0: 1 statements of ps_2_0
}
