package choice_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/verify/gen/choice"
)

func Example() {
	a, b := choice.Seeded(1, 2), choice.Seeded(1, 2)
	n := 0
	a.Repeat(3, func() bool {
		n++
		return n < 3
	})
	fmt.Println(n, a.IntN(1000) == b.IntN(1000))
	// Output: 3 true
}
