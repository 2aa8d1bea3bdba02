package draw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/budget"
)

// TestCounts compares small programs, in groups of RV670 and Cypress and in instructions of RV515,
// with the counts of Mesa 25.0.7's compilers.
func TestCounts(t *testing.T) {
	const none = 0 // not checked by this test
	for _, c := range []struct {
		code                  string
		rv670, cypress, rv515 float64
	}{
		{"rcp r0.x, v0.x; mul oC0, r0.x, v1", 3, 5, 3}, // guarded
		{"rsq r0.x, v0.x; rcp r0.x, r0.x; mul oC0, r0.x, v1", 5, 7, 5},
		{"nrm r0.xyz, v0; mul oC0, r0.xyzx, v1", 4, 8, 4}, // not guarded
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
		{"mov r0.x, v0.x; mov r0.y, v1.x; texld r0, r0, s0; mul oC0, r0, v1", 2, none, none},   // coordinates of two registers
		{"mov r1.x, v1.x; mov r2, v0; lrp r0, r1.x, r2, c0.x; mul oC0, r0, v1", 3, none, none}, // c0.x-t*c0.x once
		{"mov r1.x, v1.x; mov r2, v0; lrp r0, r1.x, c8.y, r2; mul oC0, r0, v1", 3, none, none},
		{"mov r0.xyz, v0; mov r0.w, c8.y; dp4 r1.x, r0, c0; mul oC0, r1.x, v1", 4, none, none}, // three multiply-adds
		{"frc r0.x, v0.x; add r0.x, v0.x, -r0.x; mul oC0, r0.x, v1", 2, 4, none},               // a floor
		{"frc r0.x, v0.x; cmp r0.y, -r0.x, c8.x, c8.y; add r0.z, v0.x, -r0.x; cmp r0.w, v0.x, c8.x, r0.y; add r0.x, r0.z, r0.w; mul oC0, r0.x, v1", 2, 4, none},
		{"mul r0.x, v0.x, c0.x; mov oC0, r0.x", 1, 2, none}, // written four times
		{"add r0, v0, -c0; texkill r0; mul oC0, v1, c1", 6, none, none},
		{"mov r1, v1; cmp r0, v0, -r1, c0; mul oC0, r0, v1", 3, 7, none},
		{"mul r0.xy, v0, c0; texld r1, r0, s0; mul r0.z, r0.x, c1.x; mul oC0, r1, r0.z", 3, 4, none},
		{"mul r0.xy, v0, c0; mov r0.zw, c8.x; texldl r1, r0, s0; texldl r2, r0, s0; add r1, r1, r2; mul oC0, r1, v1", 3,
			none, none},
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

// program returns operations as input of scheduling. Each operation, including fetches, defines a
// value; the first values have lanes in turn.
func program(ops []groupOp) groupProgram {
	p := groupProgram{ops: ops}
	for i := range ops {
		ops[i].value = int32(i)
		p.values = append(p.values, value{op: int32(i), next: -1, lane: int8(i & 3), gather: -1})
	}
	for i, o := range ops {
		for k, x := range o.sources {
			if x.value >= 0 && !reads(o.sources[:k], x.value) {
				v := &p.values[x.value]
				v.users = append(v.users, int32(i))
				v.unread++
			}
		}
	}
	return p
}

func scheduler(t *groups, ops []groupOp) *groupScheduler {
	return &groupScheduler{groupProgram: program(ops), t: t, budget: new(budget.Poller)}
}

func reading(list ...int32) (out []operand) {
	for _, v := range list {
		out = append(out, operand{value: v, pair: -1})
	}
	return out
}

// TestGroups checks the limits of a group.
func TestGroups(t *testing.T) {
	repeat := func(n int, o groupOp, sources func(i int) []operand) (ops []groupOp) {
		for i := range n {
			if sources != nil {
				o.sources = sources(i)
			}
			ops = append(ops, o)
		}
		return ops
	}
	literals := func(i int) []operand { return []operand{{value: -1, pair: -1, literal: true, word: uint32(100 + i)}} }
	constants := func(i int) []operand { return []operand{{value: -1, pair: int32(i)}} }
	for _, c := range []struct {
		what string
		ops  []groupOp
		want int
	}{
		{"five operations", repeat(5, groupOp{}, nil), 1},
		{"six operations", repeat(6, groupOp{}, nil), 2},
		{"two functions", repeat(2, groupOp{place: functions}, nil), 2},
		{"two wide operations", repeat(2, groupOp{place: manySlots, lanes: fourLanes}, nil), 2},
		{"two narrow ones", []groupOp{{place: manySlots, lanes: 0b0011}, {place: manySlots, lanes: 0b1100}}, 2}, // one in a group
		{"a narrow one and two others", []groupOp{{place: manySlots, lanes: 0b0011}, {}, {}}, 1},
		{"four literals", repeat(4, groupOp{}, literals), 1},
		{"five literals", repeat(5, groupOp{}, literals), 2},
		{"two pairs of constants", repeat(2, groupOp{}, constants), 1},
		{"three pairs of constants", repeat(3, groupOp{}, constants), 2},
		{"a chain", repeat(7, groupOp{}, func(i int) []operand { return reading(int32(i - 1)) }), 7},
		{"two blocks", []groupOp{{block: 0}, {block: 1}}, 2},
		{"only fetches", repeat(3, groupOp{place: fetches}, nil), 0},
		{"behind a fetch", []groupOp{{place: fetches}, {sources: reading(0)}, {}}, 2}, // ready operations first
		{"what a loop carries", []groupOp{{sources: reading(1)}, {}}, 1},
	} {
		if got := scheduler(&groups{queue: 7}, c.ops).schedule(); got != c.want {
			t.Errorf("%s: %d groups, not %d", c.what, got, c.want)
		}
	}
}

// TestPorts checks that a group reads three values of a lane.
func TestPorts(t *testing.T) {
	for _, c := range []struct {
		lanes string
		reads [][]int32
		want  bool
	}{
		{"xxxx", [][]int32{{0, 1}, {2}}, true},
		{"xxxx", [][]int32{{0, 1}, {2, 3}}, false},
		{"xxxx", [][]int32{{0, 1}, {2, 1}}, true},
		{"xyxy", [][]int32{{0, 1}, {2, 3}}, true},
		{"xxxx", [][]int32{{0, 0}, {1, 1}, {2, 2}, {3, 3}}, false},
	} {
		g := &group{groupScheduler: &groupScheduler{}}
		for _, lane := range c.lanes {
			g.values = append(g.values, value{lane: int8(lane - 'x')})
		}
		got := true
		for _, list := range c.reads {
			got = g.reads(reading(list...), laneCycles) && got
		}
		if got != c.want {
			t.Errorf("values in %s, read as %v: %t", c.lanes, c.reads, got)
		}
	}
}

// TestLastPorts checks that the last slot reads constants in the first cycles, and then no register
// value.
func TestLastPorts(t *testing.T) {
	constants := []operand{{value: -1, pair: 1}, {value: -1, pair: 2}}
	one, two := append(reading(0), constants[0]), append(reading(0), constants...)
	for _, c := range []struct {
		list []operand
		want bool
	}{
		{one, true},
		{two, true},
		{append(two, operand{value: -1, pair: -1, literal: true, word: 7}), false},
	} {
		g := &group{groupScheduler: &groupScheduler{}}
		g.values = []value{{}}
		if got := g.reads(c.list, lastCycles); got != c.want {
			t.Errorf("%d operands: %t", len(c.list), got)
		}
	}
}

// TestQueue checks that a full queue of fetches does not wait for arithmetic.
func TestQueue(t *testing.T) {
	ops := func() []groupOp {
		ops := []groupOp{{place: fetches}, {place: fetches}}
		for i := range int32(6) {
			ops = append(ops, groupOp{sources: reading(i % 2)})
		}
		return append(ops, groupOp{}, groupOp{}, groupOp{}, groupOp{})
	}
	for queue, want := range map[int]int{1: 2, 2: 3} {
		if got := scheduler(&groups{queue: queue}, ops()).schedule(); got != want {
			t.Errorf("%d groups with a queue of %d fetches, not %d", got, queue, want)
		}
	}
}

// TestRandomGroups checks that random operations all run, in no fewer groups than slots and chains
// require. A reused scheduler gives the same result as a new one.
func TestRandomGroups(t *testing.T) {
	used := scheduler(&groups{queue: 3}, nil)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(120)
		ops := make([]groupOp, n)
		height, highest, arithmetic, wide, last := make([]int, n), 0, 0, 0, 0
		for i := range ops {
			o := &ops[i]
			o.place = place(r.IntN(int(numPlaces)))
			o.lanes = uint8(1 + r.IntN(15))
			for range min(i, r.IntN(3)) {
				v := int32(r.IntN(i))
				o.sources = append(o.sources, reading(v)...)
				height[i] = max(height[i], height[v])
			}
			o.sources = append(o.sources, operand{value: -1, pair: -1, literal: true, word: uint32(10 + r.IntN(8))},
				operand{value: -1, pair: int32(r.IntN(6))})[:min(3, len(o.sources)+2)]
			if o.place != fetches {
				height[i]++
				arithmetic++
			}
			switch o.place {
			case functions:
				last++
			case manySlots:
				wide++
			}
			highest = max(highest, height[i])
		}
		used.groupProgram = program(slices.Clone(ops))
		got, again := scheduler(&groups{queue: 3}, ops).schedule(), used.schedule()
		if again != got {
			t.Errorf("seed %d: %d groups by a scheduler that is new, %d by another", seed, got, again)
		}
		if least := max(highest, last, wide, (arithmetic+4)/5); got < least || got > arithmetic {
			t.Errorf("seed %d: %d groups, not from %d to %d", seed, got, least, arithmetic)
		}
	}
}
