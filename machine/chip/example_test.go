package chip_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// Fewer registers allow more wavefronts. The counts are those of the matrix multiplications in
// AMD's tutorial, which assumes 192 registers for each SIMD.
func Example() {
	rv670, err := chip.ByName("rv670")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, gprs := range []int{26, 28, 38} {
		fmt.Printf("%d registers: %d wavefronts, %d by Jang's rule\n",
			gprs, rv670.Resident(gprs), chip.Jang128.Waves(rv670, gprs))
	}
	// Output:
	// 26 registers: 7 wavefronts, 4 by Jang's rule
	// 28 registers: 6 wavefronts, 4 by Jang's rule
	// 38 registers: 5 wavefronts, 3 by Jang's rule
}
