package container_test

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/tools/container/intsets"
	"pgregory.net/rapid"

	"github.com/shaderlift/shaderlift/internal/container"
)

func Example() {
	s := container.NewBits(100)
	s.Insert(3)
	s.Insert(64)
	fmt.Println(s.Has(64), s.Len(), slices.Collect(s.All()))
	// Output: true 2 [3 64]
}

// A dense set behaves like a sparse one.
func TestAgainstSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 200
		numbers := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 20)
		var dense [2]container.Bits
		var sparse [2]intsets.Sparse
		for k := range dense {
			dense[k] = container.NewBits(n)
			for _, i := range numbers.Draw(t, "in") {
				dense[k].Insert(int32(i))
				sparse[k].Insert(i)
			}
			for _, i := range numbers.Draw(t, "out") {
				dense[k].Remove(int32(i))
				sparse[k].Remove(i)
			}
		}
		before := dense[0].Clone()
		if grew := dense[0].Union(dense[1]); grew != sparse[0].UnionWith(&sparse[1]) {
			t.Fatalf("grew: %v", grew)
		}
		if before.Union(dense[1]); before.Len() != dense[0].Len() {
			t.Fatal("a clone has other elements")
		}
		for i := range n {
			if dense[0].Has(int32(i)) != sparse[0].Has(i) {
				t.Fatalf("%d: %v", i, dense[0].Has(int32(i)))
			}
		}
		var all []int
		for i := range dense[0].All() {
			all = append(all, int(i))
		}
		if !slices.Equal(all, sparse[0].AppendTo(nil)) {
			t.Fatalf("%v is not %v", all, sparse[0].AppendTo(nil))
		}
	})
}
