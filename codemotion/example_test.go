package codemotion_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// The coordinate is affine in interpolated inputs, so the vertex program can compute it. Nothing reads the
// old coordinate then, and copy propagation cleans up.
func Example() {
	parse := func(src string) *d3d9.Program {
		p, err := d3d9.Parse("demo", []byte(src))
		if err != nil {
			panic(err)
		}
		return p
	}
	source := &passtest.Source{
		Vertex: parse("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n"),
		Pixel:  parse("ps_2_0\ndef c0, 0.125, 0, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"),
	}
	u, err := source.Lift()
	if err != nil {
		fmt.Println(err)
		return
	}
	pipeline := passes.Pipeline{{Pass: codemotion.Pass}, {Pass: codemotion.Varyings}, {Pass: cleanup.Copyprop}}
	if _, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Real, Measure: source.Measure}); err != nil {
		fmt.Println(err)
		return
	}
	out, err := source.Emit(u)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s%s", d3d9.Print(out.Vertex), d3d9.Print(out.Pixel))
	// Output:
	// vs_2_0
	// dcl_position v0
	// dcl_texcoord v1
	// def c0, 0.125, 0, 0, 0
	// add oT0.xy, v1, c0
	// mov oPos, v0
	// ps_2_0
	// dcl t0.xy
	// dcl_2d s0
	// texld r0, t0, s0
	// mov oC0, r0
}
