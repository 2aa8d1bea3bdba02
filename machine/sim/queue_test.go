package sim

import (
	"math/rand/v2"
	"testing"
)

// TestEventQueue checks that events leave in order of time, and events of one time in order of
// insertion, by either method.
func TestEventQueue(t *testing.T) {
	const waves = 20
	r := rand.New(rand.NewPCG(1, 2))
	q := eventQueue{ring: make([]event, waves)}
	now := 0.0
	var waiting [waves]struct{ at, seq float64 }
	add := func(place int32, seq int) {
		at := now + float64(r.IntN(4))
		if r.IntN(2) == 0 {
			at = now + 2
			q.pushSoon(at, place)
		} else {
			q.push(at, place)
		}
		waiting[place].at, waiting[place].seq = at, float64(seq)
	}
	for i := range waves {
		add(int32(i), i)
	}
	for seq := waves; seq < 10_000; seq++ {
		first := 0
		for i, w := range waiting {
			if f := waiting[first]; w.at < f.at || w.at == f.at && w.seq < f.seq {
				first = i
			}
		}
		at, place, ok := q.pop()
		if !ok || int(place) != first || at != waiting[first].at {
			t.Fatalf("event %d: %d at %v, not %d at %v", seq, place, at, first, waiting[first].at)
		}
		now = at
		add(place, seq)
	}
	for range waves {
		q.pop()
	}
	if _, _, ok := q.pop(); ok || !q.empty() {
		t.Error("more events than were added")
	}
}
