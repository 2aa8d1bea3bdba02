package coarsen_test

import (
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
)

func Example() {
	k, err := il.Parse("scale.il", []byte("il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\ndcl_cb cb0[1]\nmul o0, vWinCoord0.x, cb0[0]\nend\n"))
	if err != nil {
		log.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		log.Fatal(err)
	}
	pipeline, err := passes.Parse("coarsen{x=2}", []*passes.Pass{coarsen.Pass})
	if err != nil {
		log.Fatal(err)
	}
	u := &passes.Unit{Kernel: f}
	if _, err := passes.Run(u, pipeline, passes.Config{}); err != nil {
		log.Fatal(err)
	}
	w, h := u.Tile.Domain(64, 64)
	fmt.Printf("%d outputs, %d by %d invocations for 64 by 64\n", len(u.Kernel.Outs)/4, w, h)
	// Output:
	// 2 outputs, 32 by 64 invocations for 64 by 64
}
