package rounding

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// TestTour checks that reevaluated terms equal the results of a new walk at the same point.
func TestTour(t *testing.T) {
	visits, walks := 0, 0
	for _, dir := range testcorpus.EveryNth(corpus(t), 3) {
		p := loadPair(t, dir)
		for _, steady := range []bool{false, true} {
			a := New(ByName(""), nil)
			a.sinks = true
			o, err := a.overBox(p)
			if err != nil {
				t.Fatal(err)
			}
			tour := a.startTour(&careful, steady, []*Pair{p}, []*outcome{o})
			for k := range points + 1 {
				before := tour.walks
				if err := tour.visit(k); err != nil {
					t.Fatal(err)
				}
				g := a.blank(&careful, steady, k)
				want, err := a.executePair(p, g)
				if err != nil {
					t.Fatal(err)
				}
				sameOutcomes(t, fmt.Sprint(filepath.Base(dir), before == tour.walks), k, tour.found[0], want)
				g.release()
			}
			visits, walks = visits+points+1, walks+tour.walks
			tour.releaseGraph()
			a.Close()
		}
	}
	t.Logf("%d visits, %d of them walks", visits, walks)
	if 2*walks > visits {
		t.Error("most programs have no flow that depends on the point")
	}
}

func sameOutcomes(t *testing.T, name string, k int, got, want *outcome) {
	t.Helper()
	if len(got.outs) != len(want.outs) || len(got.sunk) != len(want.sunk) {
		t.Fatalf("%s at point %d: %d outputs and %d sinks, want %d and %d", name, k, len(got.outs), len(got.sunk),
			len(want.outs), len(want.sunk))
	}
	for i, x := range want.outs {
		if y := got.outs[i]; x.reg != y.reg || x.value != y.value {
			t.Errorf("%s at point %d: %s is %+v, want %+v", name, k, x.name, y.value, x.value)
		}
	}
	for key, x := range want.sunk {
		if y := got.sunk[key]; x != y {
			t.Errorf("%s at point %d: sink %v is %+v, want %+v", name, k, key, y, x)
		}
	}
}
