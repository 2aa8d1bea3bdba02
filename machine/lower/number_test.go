package lower

import (
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// TestNumbering compares a table with a map, for blocks of all lengths in sequence.
func TestNumbering(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var n numbering
	for piece := range 300 {
		if piece == 150 {
			n.piece = ^uint32(0) // the number wraps around
		}
		n.begin()
		want := map[unitKey]mir.Val{}
		for range rnd.IntN(1 << (1 + piece%10)) {
			key := unitKey{op: r600.Op(rnd.IntN(3)), clamp: rnd.IntN(2) == 0}
			for i := range key.args {
				key.args[i] = argKey{uint64(rnd.IntN(2)) << 40, uint64(rnd.IntN(4)) << 32}
			}
			if got := n.find(&key); got != want[key] {
				t.Fatalf("piece %d: %v is %d, not %d", piece, key, got, want[key])
			}
			if v := mir.Val(1 + rnd.IntN(2)); rnd.IntN(2) == 0 {
				of, known := n.number(&key, v)
				if known != (want[key] != 0) || !known && of != v || known && of != want[key] {
					t.Fatalf("piece %d: %v is numbered %d, not %d", piece, key, of, want[key])
				}
				want[key] = of
				continue
			}
			want[key] = mir.Val(rnd.IntN(3)) // 0 withdraws it
			n.set(&key, want[key])
		}
		for key, v := range want {
			if got := n.find(&key); got != v {
				t.Fatalf("piece %d, at its end: %v is %d, not %d", piece, key, got, v)
			}
		}
	}
}
