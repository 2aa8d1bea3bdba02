package verify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// literalStart returns a start operand with its declaration as a literal word.
func literalStart(x uint32) string { return fmt.Sprintf("l1.x\ndcl_literal l1, 0x%x, 0, 0, 0", x) }

// edge is a family of loops that count by two until they reach a bound, or pass it. A guard excludes bounds
// near the ends of the numbers.
type edge struct {
	kind   string // i, u or, going down, utof
	up     bool
	beyond bool // else the loop ends when it meets the bound
	below  bool // the guard excludes the limit itself
}

const (
	edgeCopies = 3
	edgeStep   = 2
	edgeTotal  = edgeCopies * edgeStep
	edgeAhead  = edgeTotal - edgeStep
)

// directed returns x as a word in the direction of e from 0.
func (e edge) directed(x int64) uint32 {
	if !e.up {
		x = -x
	}
	if e.kind == "utof" {
		return math.Float32bits(float32(x))
	}
	return uint32(x)
}

// loops returns the loops of e, with a guard that is too weak by slack.
func (e edge) loops(slack int64) twoLoops {
	c := twoLoops{add: "iadd", start: literalStart(0), bound: "cb0[0].y", copies: edgeCopies, until: true, untilMain: true}
	prefix, top, bottom := e.kind, int64(math.MaxInt32), int64(math.MinInt32)
	switch {
	case e.kind == "u" && e.up:
		top, bottom = math.MaxUint32, 0
	case e.kind != "i":
		top, bottom = 0, -math.MaxUint32
		c.start = literalStart(1 << 31)
	case !e.up:
		top, bottom = -bottom, -top
	}
	if e.kind == "utof" {
		prefix, c.convert = "", e.kind
	}
	step := int32(edgeStep)
	if !e.up {
		step = -step
	}
	c.step, c.ahead = uint32(step), []uint32{uint32(step), uint32(step)}
	c.cmp, c.boundFirst = prefix+"ge", !e.up
	limit := top - edgeTotal + slack
	if e.beyond {
		c.cmp, c.boundFirst = prefix+"lt", e.up
	} else {
		limit++
	}
	c.cmpMain = c.cmp
	c.guard, c.limitFirst = prefix+"ge", e.up
	if e.below {
		c.guard, c.limitFirst = prefix+"lt", !e.up
		if e.kind != "utof" { // floats lie close together
			limit++
		}
	}
	c.limit, c.never = e.directed(limit), e.directed(bottom)
	if e.kind == "utof" {
		c.never = math.Float32bits(float32(math.Inf(1)))
	}
	return c
}

// TestOrderAtEdges checks that loops are proved up to the numbers that wrap round, and no further.
func TestOrderAtEdges(t *testing.T) {
	check := func(e edge, what string, c twoLoops, want bool) {
		t.Helper()
		if got := provedTerms(t, c.kernels(t)); got != want {
			t.Errorf("%+v, %s: proved is %v\n%s", e, what, got, c.text(true))
		}
	}
	for i := range 8 {
		for _, kind := range []string{"i", "u", "utof"} {
			e := edge{kind: kind, up: i&1 != 0, beyond: i&2 != 0, below: i&4 != 0}
			if kind == "utof" && e.up {
				continue
			}
			for slack := int64(-1); slack <= 2; slack++ {
				check(e, fmt.Sprintf("slack %d", slack), e.loops(slack), slack <= 0)
			}
			if kind == "utof" || e.below {
				continue
			}
			// Without the guard, the first trip meets the bound, or just misses it.
			first := int64(edgeAhead)
			if kind == "u" && !e.up {
				first -= 1 << 31
			}
			if e.beyond {
				first--
			}
			for by := range int64(2) {
				c := e.loops(0)
				c.never = e.directed(first + by)
				check(e, fmt.Sprintf("met by the first trip but for %d", by), c, by == 0)
			}
			c := e.loops(-1)
			c.cmp = map[string]string{"i": "u", "u": "i"}[kind] + c.cmp[1:]
			check(e, "compared in two ways", c, false)
			c = e.loops(-1)
			c.step = -c.step
			check(e, "counted away from what is tested", c, false)
		}
	}
}

// TestOrderOfBounds checks two literal bounds. One may be ahead by as much as the test is too far ahead,
// unless conversions round.
func TestOrderOfBounds(t *testing.T) {
	const bound = 1 << 24
	for by := edgeStep; by <= edgeStep+2; by++ {
		for _, kind := range []string{"u", "utof"} {
			c := edge{kind: "u", up: true}.loops(0)
			word := func(x int) uint32 { return uint32(x) }
			if c.guard, c.cmp = "", kind+"ge"; kind == "utof" {
				c.cmp, c.convert = "ge", kind
				word = func(x int) uint32 { return math.Float32bits(float32(x)) }
			}
			c.cmpMain, c.ahead = c.cmp, append(c.ahead, edgeStep)
			c.start = fmt.Sprintf("l1.x\ndcl_literal l1, 0, 0x%x, 0x%x, 0", word(bound), word(bound+by))
			c.bound, c.boundMain = "l1.y", "l1.z"
			if got := provedTerms(t, c.kernels(t)); got != (by == edgeStep && kind != "utof") {
				t.Errorf("%s %d: proved is %v\n%s", kind, by, got, c.text(true))
			}
		}
	}
}

// TestOrderOfDenormals checks numbers that hardware flushes to zero. A step by one does not count, and such a
// bound counts as zero.
func TestOrderOfDenormals(t *testing.T) {
	const smallestNormal = 0x00800000
	for _, c := range []struct {
		name string
		bits uint32
		want bool
	}{{"smallest normal", smallestNormal, true}, {"largest denormal", smallestNormal - 1, false}} {
		for sign := range uint32(2) {
			steps := twoLoops{add: "add", start: "cb0[0].x", bound: "cb0[0].y", copies: 2, cmp: "ge", until: true,
				untilMain: true}
			steps.step = sign<<31 | c.bits
			steps.cmpMain, steps.boundFirst, steps.ahead = steps.cmp, sign == 1, []uint32{steps.step}
			if got := provedTerms(t, steps.kernels(t)); got != c.want {
				t.Errorf("steps by the %s, sign %d: proved is %v\n%s", c.name, sign, got, steps.text(true))
			}
		}
		// Counts down to a bound, from too far to count trips: 1 is the last count that is not below it.
		bound := twoLoops{convert: "utof", add: "iadd", copies: 1, cmp: "lt", until: true, untilMain: true, step: ^uint32(0)}
		bound.cmpMain, bound.ahead = bound.cmp, []uint32{bound.step}
		bound.start = fmt.Sprintf("l1.x\ndcl_literal l1, 0x80000000, 0x%x, 0, 0", c.bits)
		bound.bound = "l1.y"
		if got := provedTerms(t, bound.kernels(t)); got != c.want {
			t.Errorf("down to the %s: proved is %v\n%s", c.name, got, bound.text(true))
		}
	}
}

// TestOrderOfConvertedStart checks that the first trip meets a bound by its number, not by the bits of the
// float.
func TestOrderOfConvertedStart(t *testing.T) {
	const start, bound = 2130000000, 2131000000
	if start < math.Float32bits(bound) {
		t.Fatal("bits tell the same")
	}
	c := twoLoops{convert: "itof", add: "iadd", copies: 1, cmp: "ge", cmpMain: "ge", until: true, untilMain: true,
		step: 1, ahead: []uint32{^uint32(0)}}
	c.start = fmt.Sprintf("l1.x\ndcl_literal l1, %d, 0x%x, 0, 0", start, math.Float32bits(bound))
	c.bound = "l1.y"
	if provedTerms(t, c.kernels(t)) {
		t.Errorf("a trip more is proved\n%s", c.text(true))
	}
}

// TestOrderOfFloatBounds checks that both loops must compare floats with the same bound.
func TestOrderOfFloatBounds(t *testing.T) {
	one := math.Float32bits(1)
	c := twoLoops{add: "add", start: "cb0[0].x", bound: "cb0[0].y", copies: 2, cmp: "ge", cmpMain: "ge", until: true,
		untilMain: true, step: one, ahead: []uint32{one}}
	for _, other := range []string{"", "cb0[0].z"} {
		if c.boundMain = other; provedTerms(t, c.kernels(t)) != (other == "") {
			t.Errorf("proved is %v\n%s", other != "", c.text(true))
		}
	}
}

// TestOrderOfGuardedSum checks a guard that tests the bound plus a number: the bound is small only if the sum
// does not wrap round.
func TestOrderOfGuardedSum(t *testing.T) {
	for _, by := range []int32{0, -3, 3} {
		c := edge{kind: "u", up: true}.loops(-3)
		c.guardBy = uint32(by)
		if got := provedTerms(t, c.kernels(t)); got != (by <= 0) {
			t.Errorf("%d: proved is %v\n%s", by, got, c.text(true))
		}
	}
}

// TestOrderOfEqual checks a loop until two numbers are equal. While they are four apart, it may make four
// trips at a time, but not five.
func TestOrderOfEqual(t *testing.T) {
	for _, c := range []struct{ step, leave string }{
		{"l0.y", "ult r3.x, r2.x, l2.x; break_logicalnz r3.x"},
		{"l0.y", "ult r3.x, l2.y, r2.x; break_logicalz r3.x"},
		{"l0.w", "iadd r2.x, r2.x, l0.w; ult r3.x, l2.z, r2.x; break_logicalnz r3.x"},
		{"l0.w", "iadd r2.x, r2.x, l0.w; ult r3.x, r2.x, l2.w; break_logicalz r3.x"},
	} {
		for copies := 4; copies < 6; copies++ {
			body := "; imad r1.y, r1.y, l0.z, r0.x; iadd r0.x, r0.x, " + c.step
			one := "whileloop; ieq r3.x, r0.x, cb0[0].y; break_logicalnz r3.x" + body + "; endloop; mov o0, r1; end"
			const head = "il_ps_2_0; dcl_output_generic o0; dcl_cb cb0[4]; dcl_literal l0, 0, 1, 31, -1; dcl_literal l2, 4, 3, -5, -4; mov r0.x, cb0[0].x; mov r1, l0.x; "
			main := "whileloop; iadd r2.x, cb0[0].y, r0.x_neg(x); " + c.leave + strings.Repeat(body, copies) + "; endloop; "
			sides := [2]*il.Kernel{parseKernel(t, head+one), parseKernel(t, head+main+one)}
			if got := provedTerms(t, sides); got != (copies == 4) {
				t.Errorf("%s, %d trips: proved is %v", c.leave, copies, got)
			}
		}
	}
}

// TestOrderOfFailedGuards checks that a failed condition implies neither of its parts nor, for floats, its
// complement.
func TestOrderOfFailedGuards(t *testing.T) {
	const head = "il_ps_2_0; dcl_output_generic o0; dcl_cb cb0[4]; dcl_literal l0, 0, 1, 31, -1; dcl_literal l2, 1000, 1000.0, 0xff800000, 0; mov r0.x, l0.x; mov r1, l0.x; "
	const body = "; imad r1.y, r1.y, l0.z, r0.x; iadd r0.x, r0.x, l0.y"
	for _, c := range []struct {
		name, guard, convert, compare string
		want                          bool
	}{
		{"both conditions", "uge r4.x, l2.x, cb0[0].y; ine r4.y, cb0[0].z, l0.x; iand r4.x, r4.x, r4.y; cmov_logical r5.x, r4.x, cb0[0].y, l0.x; ", "mov", "uge", true},
		{"not both conditions", "uge r4.x, l2.x, cb0[0].y; ine r4.y, cb0[0].z, l0.x; iand r4.x, r4.x, r4.y; cmov_logical r5.x, r4.x, l0.x, cb0[0].y; ", "mov", "uge", false},
		{"less", "lt r4.x, cb0[0].y, l2.y; cmov_logical r5.x, r4.x, cb0[0].y, l2.z; ", "itof", "ge", true},
		{"not less", "lt r4.x, cb0[0].y, l2.y; cmov_logical r5.x, r4.x, l2.z, cb0[0].y; ", "itof", "ge", false},
	} {
		loop := func(ahead, bound string, copies int) string {
			return "whileloop; iadd r2.x, r0.x, " + ahead + "; " + c.convert + " r2.x, r2.x; " + c.compare + " r3.x, r2.x, " +
				bound + "; break_logicalnz r3.x" +
				strings.Repeat(body, copies) + "; endloop; "
		}
		one := loop("l0.x", "cb0[0].y", 1) + "mov o0, r1; end"
		sides := [2]*il.Kernel{parseKernel(t, head+one), parseKernel(t, head+c.guard+loop("l0.y", "r5.x", 2)+one)}
		if got := provedTerms(t, sides); got != c.want {
			t.Errorf("%s: proved is %v", c.name, got)
		}
	}
}
