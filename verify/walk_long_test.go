package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// longNest returns a loop of the given trips with an inner loop that the other version unrolls. Its
// instructions compute one component each. They exceed the limit of unrolling, while instructions of four
// components do not.
func longNest(trips int) string {
	inner := "mov r3.x, l7.x; whileloop; ige r3.y, r3.x, l7.z; break_logicalnz r3.y;" +
		"mul r0.x, r0.x, v1.x; mul r0.y, r0.y, v1.y; mul r0.z, r0.z, v1.z; mul r0.w, r0.w, v1.w; iadd r3.x, r3.x, l7.y; endloop"
	return longOuter(trips, inner)
}

func longOuter(trips int, inner string) string {
	return psKernel(fmt.Sprintf("mov r0, v0; dcl_literal l7, 0, 1, 4, %d; mov r2.x, l7.x; whileloop; ige r2.y, r2.x, l7.w; break_logicalnz r2.y; %s;"+
		"add r0, r0, v0; iadd r2.x, r2.x, l7.y; endloop; mov o0, r0", trips, inner))
}

// TestLongLoopOfOneSide checks that a loop that is too long is unrolled if the other version's loop is not
// too long. Differences of a single trip, or of the trip count, are not proved.
func TestLongLoopOfOneSide(t *testing.T) {
	t.Parallel()
	before := parseKernel(t, longNest(1000))
	spelt := func(inner ...string) string { return strings.Join(inner, ";") }
	const four = "mul r0, r0, v1"
	on := func(trip int, then string) string {
		return spelt(fmt.Sprintf("dcl_literal l8, %d, 0, 0, 0; ieq r2.z, r2.x, l8.x; if_logicalnz r2.z", trip), then, "endif")
	}
	for _, c := range []struct {
		name  string
		after string
		want  Verdict
	}{
		{"four at a time", longOuter(1000, spelt(four, four, four, four)), Proved},
		{"in another order", longOuter(1000, spelt(four, "mul r0.xy__, r0, v1; mul r0.__zw, r0, v1", four, four)), Proved},
		{"itself", longNest(1000), Proved},
		{"a trip within less", longOuter(1000, spelt(four, four, four)), Tested},
		{"a trip within more", longOuter(1000, spelt(four, four, four, four, four)), Tested},
		{"a trip less", longOuter(999, spelt(four, four, four, four)), Tested},
		{"a trip more", longOuter(1001, spelt(four, four, four, four)), Tested},
		{"components exchanged", longOuter(1000, spelt(four, four, "mul r0, r0, v1.yxzw", four)), Tested},
		{"the first trip", longOuter(1000, spelt(four, four, four, four, on(0, "mul r0.x, r0.x, v1.x"))), Tested},
		{"the last trip", longOuter(1000, spelt(four, four, four, four, on(999, "mul r0.w, r0.w, v1.w"))), Tested},
		{"a trip that is not made", longOuter(1000, spelt(four, four, four, four, on(1000, "mul r0.w, r0.w, v1.w"))), Proved},
	} {
		after := parseKernel(t, c.after)
		if got := proofOf(t, before, after); got != c.want {
			t.Errorf("%s: %v instead of %v", c.name, got, c.want)
		}
		if c.want == Proved && proofOf(t, after, before) != Proved {
			t.Errorf("%s, exchanged: not proved", c.name)
		}
	}
}

// TestLongCountedLoopOfOneSide does the same for loops that registers count.
func TestLongCountedLoopOfOneSide(t *testing.T) {
	program := func(trips int, body string) Pair {
		return Pair{Pixel: parse(t, ps3(fmt.Sprintf("defi i0, %d, 0, 0, 0; defi i1, 2, 0, 0, 0; mov r0, v0; rep i0; %s; endrep; mov oC0, r0", trips, body)))}
	}
	apart := strings.Repeat("mul r0.x, r0.x, v1.x; mul r0.y, r0.y, v1.y; mul r0.z, r0.z, v1.z; mul r0.w, r0.w, v1.w;", 8)
	before := program(250, "rep i1;"+apart+"endrep")
	for _, c := range []struct {
		name         string
		trips, times int
		proved       bool
	}{
		{"four at a time", 250, 16, true},
		{"one less", 250, 15, false},
		{"one more", 250, 17, false},
		{"a trip less", 249, 16, false},
	} {
		check := &checker{before: before, after: program(c.trips, strings.Repeat("mul r0, r0, v1;", c.times))}
		if err := check.compareInterfaces(); err != nil {
			t.Fatal(err)
		}
		if err := check.liftPrograms(); err != nil {
			t.Fatal(err)
		}
		if d, err := proof.Terms(check.sides[0], check.sides[1]); err != nil || (d == nil) != c.proved {
			t.Errorf("%s: %v, %v", c.name, d, err)
		}
	}
}
