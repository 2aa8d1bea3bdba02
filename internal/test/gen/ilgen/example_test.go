package ilgen_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
)

func Example() {
	clean := 0
	for seed := range uint64(10) {
		k := ilgen.Kernel(seed, ilgen.Options{Stage: il.Compute})
		if len(il.Check(k)) == 0 {
			clean++
		}
	}
	fmt.Println(clean, "of 10 are clean")
	// Output: 10 of 10 are clean
}
