package gen_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

func Example() {
	valid := 0
	for seed := range uint64(10) {
		p := gen.NewPair(seed, 20)
		if len(d3d9.Validate(p.Vertex.Program)) == 0 && len(d3d9.Validate(p.Pixel.Program)) == 0 {
			valid++
		}
	}
	fmt.Println(valid, "of 10 pairs are valid")
	// Output: 10 of 10 pairs are valid
}
