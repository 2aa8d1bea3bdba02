package lower

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/container"
)

// TestSpans compares the operations on lists of intervals, of any lengths, with sets of moments.
func TestSpans(t *testing.T) {
	const end = 400
	r := rand.New(rand.NewPCG(1, 2))
	list := func(moments []bool) (list []liveRange) {
		for i := end - 1; i >= 0; i-- {
			switch n := len(list); {
			case !moments[i]:
			case n > 0 && list[n-1].from == int32(i+1):
				list[n-1].from = int32(i)
			default:
				list = append(list, liveRange{int32(i), int32(i + 1)})
			}
		}
		return list
	}
	disjoint, meeting := 0, 0
	for range 2000 {
		a, b, both := make([]bool, end), make([]bool, end), make([]bool, end)
		shared := false
		dense, sparse := 1+r.IntN(5), 1+r.IntN(200)
		for i := range end {
			a[i] = r.IntN(dense) == 0
			b[i] = r.IntN(sparse) == 0 && (!a[i] || r.IntN(20) == 0)
			both[i], shared = a[i] || b[i], shared || a[i] && b[i]
		}
		x, y := list(a), list(b)
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		if overlap(x, y) != shared {
			t.Fatalf("overlap is %v of %v and %v", !shared, x, y)
		}
		if shared {
			meeting++
			continue
		}
		disjoint++
		if got := united(slices.Clone(x), slices.Clone(y), new(container.Slab[liveRange])); !slices.Equal(got, list(both)) {
			t.Fatalf("%v and %v united are %v", x, y, got)
		}
	}
	if disjoint < 100 || meeting < 100 {
		t.Errorf("%d pairs of lists have no moment in common, %d have", disjoint, meeting)
	}
}
