package words_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Example shows that sums wrap, in whatever order their parts come.
func Example() {
	t := symbolic.NewTerms()
	w := words.New(t)
	x, y := t.Opaque(symbolic.TagInput, 0, nil), t.Opaque(symbolic.TagInput, 1, nil)
	sum := w.Combine(x, 1, y, 1)
	fmt.Println(w.AddLiteral(sum, 3) == w.Combine(w.AddLiteral(y, 4), 1, w.AddLiteral(x, words.MinusOne), 1))
	fmt.Println(w.Combine(sum, 1<<31, y, 1<<31) == w.Combine(x, 1<<31, y, 0))
	// Output:
	// true
	// true
}
