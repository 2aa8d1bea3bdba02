package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// twoLoops is a counting loop, possibly behind a loop that makes several trips at a time, correctly or not.
// Results depend on every count, in order.
type twoLoops struct {
	convert      string // itof, utof or none
	cmp, cmpMain string
	boundFirst   bool
	swapMain     bool // swaps the operands in the main loop
	until        bool // breaks if the comparison holds
	untilMain    bool
	step         uint32 // bits
	add          string
	copies       int
	ahead        []uint32 // added to the count, in turn, before the test
	start, bound string
	boundMain    string // of the main loop, if different
	// The bound of the main loop is bound if guard holds of limit and bound, else never.
	guard        string
	limit, never uint32
	limitFirst   bool
	guardBy      uint32 // added to bound before the guard
	startGuard   string // if set, it must hold of startLimit and start, too
	startLimit   uint32
}

func (c twoLoops) text(main bool) string {
	var b strings.Builder
	literals := 1
	literal := func(x uint32) string {
		literals++
		fmt.Fprintf(&b, "dcl_literal l%d, 0x%x, 0, 0, 0\n", literals, x)
		return fmt.Sprintf("l%d.x", literals)
	}
	compare := func(op, to, x, y string, swap bool) {
		if swap {
			x, y = y, x
		}
		fmt.Fprintf(&b, "%s %s, %s, %s\n", op, to, x, y)
	}
	leave := func(op, count, bound string, until, boundFirst bool) {
		if c.convert != "" {
			fmt.Fprintf(&b, "%s r2.z, %s\n", c.convert, count)
			count = "r2.z"
		}
		compare(op, "r3.x", count, bound, boundFirst)
		how := "z"
		if until {
			how = "nz"
		}
		fmt.Fprintf(&b, "break_logical%s r3.x\n", how)
	}
	body := func() {
		fmt.Fprintf(&b, "imad r1.y, r1.y, l0.z, r0.x\niadd r1.z, r1.z, l0.y\n%s r0.x, r0.x, %s\n", c.add, literal(c.step))
	}
	fmt.Fprintf(&b, "il_ps_2_0\ndcl_output_generic o0\ndcl_cb cb0[4]\ndcl_literal l0, 0, 1, 31, 0\nmov r0.x, %s\nmov r1, l0.x\n", c.start)
	if main {
		fmt.Fprintf(&b, "mov r5.x, %s\n", cmp.Or(c.boundMain, c.bound))
		if c.guard != "" {
			guarded := c.bound
			if c.guardBy != 0 {
				guarded = "r4.z"
				fmt.Fprintf(&b, "iadd r4.z, %s, %s\n", c.bound, literal(c.guardBy))
			}
			compare(c.guard, "r4.x", literal(c.limit), guarded, !c.limitFirst)
			if c.startLimit != 0 {
				compare(c.startGuard, "r4.y", literal(c.startLimit), "r0.x", !c.limitFirst)
				b.WriteString("iand r4.x, r4.x, r4.y\n")
			}
			fmt.Fprintf(&b, "cmov_logical r5.x, r4.x, %s, %s\n", c.bound, literal(c.never))
		}
		b.WriteString("whileloop\nmov r2.x, r0.x\n")
		for _, by := range c.ahead {
			fmt.Fprintf(&b, "%s r2.x, r2.x, %s\n", c.add, literal(by))
		}
		leave(c.cmpMain, "r2.x", "r5.x", c.untilMain, c.boundFirst != c.swapMain)
		for range c.copies {
			body()
		}
		b.WriteString("endloop\n")
	}
	b.WriteString("whileloop\n")
	leave(c.cmp, "r0.x", c.bound, c.until, c.boundFirst)
	body()
	b.WriteString("endloop\nmov r1.w, r0.x\nmov o0, r1\nend\n")
	return b.String()
}

// kernels returns the kernel with the loop alone, and the one with both loops.
func (c twoLoops) kernels(t *testing.T) (sides [2]*il.Kernel) {
	t.Helper()
	for i := range sides {
		text := c.text(i == 1)
		k, err := il.Parse("loops", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sides[i] = k
	}
	return sides
}

// provedTerms reports whether the proof by terms finds both versions equal.
func provedTerms(t *testing.T, sides [2]*il.Kernel) bool {
	t.Helper()
	check := &kernelChecker{before: sides[0], after: sides[1]}
	if err := check.liftKernels(); err != nil {
		t.Fatal(err)
	}
	d, err := proof.Terms(check.sides[0], check.sides[1])
	return d == nil && err == nil
}

// integerEdges returns the integers of either kind near those that wrap round.
func integerEdges() (list []uint32) {
	for _, at := range []uint32{0, 1 << 31} {
		for by := int32(-9); by < 10; by++ {
			list = append(list, at+uint32(by))
		}
	}
	return append(list, 1<<24, 1<<24+2, 1<<30)
}

func floatEdges() (list []uint32) {
	for _, x := range []float64{0, 1, -1, 0.5, 7, -7.5, 1 << 24, 1<<24 - 4, -1 << 24, 1<<24 + 8, 1 << 31, -1 << 31,
		1<<31 - 128, 1<<32 - 256, 1 << 32, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-40, 3e-38} {
		list = append(list, math.Float32bits(float32(x)))
	}
	return list
}

// complement returns the opposite comparison, as if all operands were ordered.
func complement(cmp string) string {
	if prefix, less := strings.CutSuffix(cmp, "lt"); less {
		return prefix + "ge"
	}
	return strings.TrimSuffix(cmp, "ge") + "lt"
}

// randomLoops returns loops that are mostly right, or nearly right in some respect.
func randomLoops(r *symbolic.Stream) (c twoLoops, starts, bounds []uint32) {
	flip := func(n int) bool { return pick(r, n) == 0 }
	kinds := []string{"i", "i", "u", "f", "itof", "utof"}
	kind := kinds[pick(r, len(kinds))]
	c = twoLoops{add: "iadd", start: "cb0[0].x", bound: "cb0[0].y", copies: 2 + pick(r, 3), boundFirst: flip(2),
		until: flip(2)}
	starts, bounds = integerEdges(), integerEdges()
	prefix := kind
	if kind == "f" || len(kind) > 1 {
		prefix, bounds = "", floatEdges()
	}
	if len(kind) > 1 {
		c.convert = kind
	}
	c.cmp = prefix + []string{"lt", "ge"}[pick(r, 2)]
	c.cmpMain, c.untilMain = c.cmp, c.until
	if flip(4) { // the complement, which differs for NaN
		c.untilMain, c.cmpMain = !c.until, complement(c.cmp)
	}
	if flip(12) {
		c.cmpMain = prefix + "lt"
	}
	if flip(12) && (kind == "i" || kind == "u") {
		c.cmpMain = map[string]string{"i": "u", "u": "i"}[kind] + c.cmpMain[1:]
	}
	if flip(6) { // treats equality to the bound differently
		c.swapMain, c.cmpMain = true, complement(c.cmpMain)
	}
	up := (c.cmp == prefix+"ge") == c.until != c.boundFirst
	if flip(12) {
		up = !up
	}
	step := []int{1, 1, 2, 5}[pick(r, 4)]
	if !up {
		step = -step
	}
	word := func(x int) uint32 { return uint32(int32(x)) }
	if kind == "f" {
		word = func(x int) uint32 { return math.Float32bits(float32(x)) }
		c.add, starts = "add", floatEdges()
	}
	c.step = word(step)
	ahead := c.copies - 1
	if flip(6) {
		ahead += pick(r, 3) - 1
	}
	if flip(3) {
		c.ahead = []uint32{word(ahead * step)}
	} else {
		for range ahead {
			c.ahead = append(c.ahead, c.step)
		}
	}
	if kind == "f" || flip(8) {
		return c, starts, bounds
	}
	// The guard.
	lowest, highest := int64(math.MinInt32), int64(math.MaxInt32)
	if kind == "u" || kind == "utof" {
		lowest, highest = 0, math.MaxUint32
	}
	slack := int64(c.copies*step) + int64(pick(r, 7)-3)*int64(pick(r, 2))
	end, never := highest-slack, lowest
	c.limitFirst = true
	if !up {
		end, never, c.limitFirst = lowest-slack, highest, false
	}
	than := "ge"
	if flip(3) {
		than, c.limitFirst = "lt", !c.limitFirst
	}
	if flip(15) {
		c.limitFirst = !c.limitFirst
	}
	if flip(15) {
		never++
	}
	c.startLimit, c.limit, c.never = uint32(end), uint32(end), uint32(never)
	c.guard, c.startGuard = prefix+than, prefix+than
	if c.convert != "" {
		c.startGuard = kind[:1] + than
		c.limit, c.never = math.Float32bits(float32(end-int64(step)*int64(pick(r,
			3))*200)), math.Float32bits(float32(math.Inf(-step)))
	}
	if flip(8) {
		c.startLimit = 0
	}
	if flip(2) {
		x := starts[pick(r, len(starts))]
		c.start, starts = literalStart(x), []uint32{x}
		if flip(2) {
			c.startLimit = 0
		}
	}
	return c, starts, bounds
}

// TestOrder checks that two loops which are proved equal are equal near all edges of their operands.
func TestOrder(t *testing.T) {
	r := symbolic.Stream(5)
	proved, runs := map[string]int{}, 0
	for range much.Count(120, 250) {
		c, starts, bounds := randomLoops(&r)
		sides := c.kernels(t)
		kind := c.convert + c.cmp
		if !provedTerms(t, sides) {
			proved[kind+" not"]++
			continue
		}
		proved[kind]++
		var programs [2]*kernel.Program
		for i, k := range sides {
			var err error
			if programs[i], err = kernel.Compile(k); err != nil {
				t.Fatal(err)
			}
		}
		run := &kernel.Case{Width: 1, Height: 1}
		for _, start := range starts {
			for _, bound := range bounds {
				run.Constants[0] = [][4]uint32{{start, bound}, {}, {}, {}}
				b, err := programs[0].Run(run, kernel.Options{Steps: 1 << 13, Workers: 1})
				if err != nil {
					continue // it does not end soon
				}
				a, err := programs[1].Run(run, kernel.Options{Steps: 1 << 16, Workers: 1})
				if err != nil || !slices.EqualFunc(b.Out[:], a.Out[:], slices.Equal[[]uint32]) {
					t.Fatalf("%#x to %#x: %v, was %v (%v)\n%s", start, bound, a, b.Out, err, c.text(true))
				}
				runs++
			}
		}
	}
	t.Log(proved, runs, "runs")
}
