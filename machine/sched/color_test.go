package sched

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLeast checks that no order uses fewer registers than the lower bound. The order of first use
// meets it if there is one channel and no value is tied.
func TestLeast(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	for channels := 1; channels <= 4; channels++ {
		for n := range 200 {
			a := &allocation{s: &scheduler{o: &Options{}, room: new(room)}}
			for range 1 + n/8 {
				w := web{fixed: -1, seq: -1, near: -1}
				for range 1 + rnd.IntN(2*channels-1) {
					start := rnd.Int32N(64)
					w.segs = append(w.segs, channelSegment{start, start + rnd.Int32N(16), int8(rnd.IntN(channels))})
				}
				slices.SortFunc(w.segs, func(x, y channelSegment) int {
					return cmp.Or(cmp.Compare(x.ch, y.ch), cmp.Compare(x.start, y.start))
				})
				w.mergeSegments()
				a.webs = append(a.webs, w)
			}
			if n%4 == 3 {
				a.webs[0].fixed = rnd.IntN(4)
			}
			a.makeSequences()
			a.byStart()
			least := a.least()
			for i, order := range orders {
				if order != nil {
					slices.SortStableFunc(a.pieces, order)
				}
				regs, err := a.color()
				if err != nil {
					t.Fatal(err)
				}
				if regs < least || i == 0 && channels == 1 && a.webs[0].fixed < 0 && regs > least {
					t.Errorf("%d channels, program %d, order %d: %d registers, at least %d", channels, n, i, regs, least)
				}
			}
		}
	}
}
