package container_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/container"
)

// Pieces neither overlap nor grow into each other, and in the second round one array holds them all.
func TestPieces(t *testing.T) {
	var s container.Slab[int]
	for round := range 3 {
		s.Again(4)
		var pieces [][]int
		for n := range 20 {
			p := s.Alloc(n)
			for i := range p {
				p[i] = n
			}
			_ = append(p, -1)
			pieces = append(pieces, p)
		}
		for n, p := range pieces {
			if len(p) != n {
				t.Fatalf("%d elements, not %d", len(p), n)
			}
			for _, x := range p {
				if x != n {
					t.Fatalf("round %d: piece %d holds %d", round, n, x)
				}
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		s.Again(4)
		for n := range 20 {
			s.Alloc(n)
		}
	}); n != 0 {
		t.Errorf("%g allocations of what has been used before", n)
	}
}
