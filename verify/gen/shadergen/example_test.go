package shadergen_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/gen/shadergen"
)

func Example() {
	valid := 0
	for seed := range uint64(10) {
		p := shadergen.Program(d3d9.PS20, seed, 20)
		if len(d3d9.Validate(p)) == 0 {
			valid++
		}
	}
	fmt.Println(valid, "of 10 are valid")
	// Output: 10 of 10 are valid
}
