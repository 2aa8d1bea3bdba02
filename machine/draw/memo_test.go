package draw

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// TestLoads checks that draws whose memos share loads have the prices of separate ones, also when the draws
// are priced concurrently.
func TestLoads(t *testing.T) {
	var shared Loads
	for seed := range uint64(8) {
		for _, name := range []string{"first", "again"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := gen.NewPair(seed%4, 30) // each pair comes from two seeds
				d, err := New(nil, p.Vertex.Program, p.Pixel.Program)
				if err != nil {
					t.Fatal(err)
				}
				memo := Memo{Loads: &shared}
				defer memo.Close()
				defer d.Close()
				d.Remember(&memo, d.Fingerprints())
				for _, target := range Targets() {
					alone, err := New(nil, p.Vertex.Program, p.Pixel.Program) // with loads of its own for each target
					if err != nil {
						t.Fatal(err)
					}
					want, err := target.Price(alone)
					alone.Close()
					if err != nil {
						t.Fatal(err)
					}
					got, err := target.Price(d)
					if err != nil {
						t.Fatal(err)
					}
					if got.Pixel != want.Pixel || got.Vertex != want.Vertex || got.Operations != want.Operations {
						t.Errorf("seed %d: %s: %v with shared loads, %v without", seed, target.Name, got, want)
					}
				}
			})
		}
	}
}

// TestLoadsBound checks that a cache of loads keeps at most maxLoads answers, and the latest one.
func TestLoadsBound(t *testing.T) {
	var l Loads
	for i := range uint64(maxLoads + 2) {
		q := question{content: [2]uint64{i}}
		l.keep(q, answer{operations: int(i)})
		if a, known := l.find(q); !known || a.operations != int(i) {
			t.Fatalf("answer %d is %v, %v", i, a, known)
		}
	}
	if len(l.known) > maxLoads {
		t.Errorf("%d answers are kept, more than %d", len(l.known), maxLoads)
	}
}
