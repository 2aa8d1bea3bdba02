package draw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// What small programs take, in groups of RV670 and Cypress and in instructions of RV515, as
// Mesa 25.0.7's compilers count.
func TestCounts(t *testing.T) {
	const none = 0 // what this test does not hold
	for _, c := range []struct {
		code                  string
		rv670, cypress, rv515 float64
	}{
		{"rcp r0.x, v0.x; mul oC0, r0.x, v1", 3, 5, 3}, // guarded
		{"rsq r0.x, v0.x; rcp r0.x, r0.x; mul oC0, r0.x, v1", 5, 7, 5},
		{"nrm r0.xyz, v0; mul oC0, r0.xyzx, v1", 4, 8, 4}, // is not
		{"cmp r0, v0, c8.x, c8.y; add oC0, r0, v1.wzyx", 4, 8, 3},
		{"cmp r0, v0, c8.y, c8.x; mul oC0, r0, v1.wzyx", 3, none, none},
		{"add r0, v0, c9; mul r1, v1, c8.zwzw; add oC0, r0, r1", 2, none, 2},                                                       // six literals
		{"mul r0.x, v0.x, c0.x; mul r0.y, v0.y, c1.x; mul r0.z, v0.z, c2.x; mul r0.w, v0.w, c3.x; mul oC0, r0, v1", 3, none, none}, // four registers of constants
		{"mov r0, v0; texkill r0; mul oC0, v1, c0", 6, none, 6},
		{"dsx r0.xy, v0; mul oC0, r0.xyxy, v1", 1, 4, 4},
		{"texld r0, v0, s0; mul oC0, r0, v1", 1, 4, 2},
		{"texld r0, v0, s0; mov oC0, r0", 0, 1, 2},
		{"texld r0, v0, s0; texld r1, v1, s0; mul r0, r0, r1; mul oC0, r0, c0", 2, 4, 4},
		{"texld r0, v0, s0; add r0.xy, r0, v0; texld r0, r0, s0; mul oC0, r0, c0", 2, 3, 4},
		{"mov r0.x, v0.x; mov r0.y, v1.x; texld r0, r0, s0; mul oC0, r0, v1", 2, none, none}, // coordinates of two registers
		{"mov oC0, v0.wzyx", 0, 2, 1},
		{"mov r0, v0; mov r0.w, v1.w; mov oC0, r0", 1, 4, 1},
	} {
		ps := parse(t, pixelOf(c.code))
		for target, want := range map[string]float64{"rv670": c.rv670, "cypress": c.cypress, "rv515": c.rv515} {
			if got := price(t, target, nil, ps).Pixel[Arithmetic]; got != want && (want != none || target == "rv670") {
				t.Errorf("%s: %s takes %g, not %g", target, c.code, got, want)
			}
		}
	}
}

// What fits into a group.
func TestGroups(t *testing.T) {
	repeat := func(n int, o groupOp) (ops []groupOp) {
		for i := range n {
			o.words, o.pairs = slices.Clone(o.words), slices.Clone(o.pairs)
			for k := range o.words {
				o.words[k] += uint32(i)
			}
			for k := range o.pairs {
				o.pairs[k] += int32(i)
			}
			ops = append(ops, o)
		}
		return ops
	}
	chain := func(n int) []groupOp {
		ops := repeat(n, groupOp{})
		for i := 1; i < n; i++ {
			ops[i].reads = []int32{int32(i - 1)}
		}
		return ops
	}
	for _, c := range []struct {
		what string
		ops  []groupOp
		want int
	}{
		{"five operations", repeat(5, groupOp{}), 1},
		{"six operations", repeat(6, groupOp{}), 2},
		{"two functions", repeat(2, groupOp{place: functions}), 2},
		{"two wide operations", repeat(2, groupOp{place: manySlots, lanes: fourLanes}), 2},
		{"two narrow ones", []groupOp{{place: manySlots, lanes: 0b0011}, {place: manySlots, lanes: 0b1100}}, 1},
		{"four literals", repeat(4, groupOp{words: []uint32{100}}), 1},
		{"five literals", repeat(5, groupOp{words: []uint32{100}}), 2},
		{"two pairs of constants", repeat(2, groupOp{pairs: []int32{0}}), 1},
		{"three pairs of constants", repeat(3, groupOp{pairs: []int32{0}}), 2},
		{"a chain", chain(7), 7},
		{"two blocks", []groupOp{{block: 0}, {block: 1}}, 2},
		{"only fetches", repeat(3, groupOp{place: fetches}), 0},
		{"behind a fetch", []groupOp{{place: fetches}, {reads: []int32{0}}, {}}, 2}, // what is ready first
		{"what a loop carries", []groupOp{{reads: []int32{1}}, {}}, 1},
	} {
		if got := (&groups{queue: 7}).schedule(c.ops, new(slab.Slab[int32]), new(budget.Poller)); got != c.want {
			t.Errorf("%s: %d groups, not %d", c.what, got, c.want)
		}
	}
}

// A queue of fetches does not wait for arithmetic.
func TestQueue(t *testing.T) {
	program := func() []groupOp {
		ops := []groupOp{{place: fetches}, {place: fetches}}
		for i := range int32(6) {
			ops = append(ops, groupOp{reads: []int32{i % 2}})
		}
		return append(ops, groupOp{}, groupOp{}, groupOp{}, groupOp{})
	}
	if got := (&groups{queue: 1}).schedule(program(), new(slab.Slab[int32]), new(budget.Poller)); got != 2 {
		t.Errorf("%d groups behind fetches, not 2", got)
	}
	if got := (&groups{queue: 2}).schedule(program(), new(slab.Slab[int32]), new(budget.Poller)); got != 3 {
		t.Errorf("%d groups around fetches, not 3", got)
	}
}

// Whatever operations read, all run, in no fewer groups than slots and chains ask for.
func TestRandomGroups(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(120)
		ops := make([]groupOp, n)
		height, highest, arithmetic, last := make([]int, n), 0, 0, 0
		for i := range ops {
			o := &ops[i]
			o.place = place(r.IntN(int(numPlaces)))
			o.lanes = uint8(1 + r.IntN(15))
			for range min(i, r.IntN(3)) {
				o.reads = append(o.reads, int32(r.IntN(i)))
			}
			slices.Sort(o.reads)
			o.reads = slices.Compact(o.reads)
			o.words, o.pairs = []uint32{uint32(r.IntN(8))}, []int32{int32(r.IntN(6))}
			for _, x := range o.reads {
				height[i] = max(height[i], height[x])
			}
			if o.place != fetches {
				height[i]++
				arithmetic++
			}
			if o.place == functions {
				last++
			}
			highest = max(highest, height[i])
		}
		got := (&groups{queue: 3}).schedule(ops, new(slab.Slab[int32]), new(budget.Poller))
		if least := max(highest, last, (arithmetic+4)/5); got < least || got > arithmetic {
			t.Errorf("seed %d: %d groups, not from %d to %d", seed, got, least, arithmetic)
		}
	}
}
