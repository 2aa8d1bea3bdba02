package unroll_test

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// countingLoop is a kernel that counts. Its result depends on every count, in order.
//
//	for i := start; !(i cmp bound); i += step
type countingLoop struct {
	convert      string // itof, utof or none
	cmp          string
	boundFirst   bool
	until        bool // the loop breaks if the comparison holds
	offset       int  // added to the counter before it is compared
	add          string
	step         string // an operand
	start, bound string // operands
	late         bool   // the exit is in the middle of the body
}

func (c countingLoop) text() string {
	value := "r0.x"
	var b strings.Builder
	fmt.Fprintf(&b, `il_ps_2_0
dcl_output_generic o0
dcl_cb cb0[4]
dcl_literal l0, 0, 1, 31, 0
mov r0.x, %s
mov r1, l0.x
whileloop
`, c.start)
	if c.late {
		b.WriteString("imad r1.x, r1.x, l0.z, r0.x\n")
	}
	if c.offset != 0 {
		fmt.Fprintf(&b, "dcl_literal l3, %d, 0, 0, 0\niadd r2.x, r0.x, l3.x\n", c.offset)
		value = "r2.x"
	}
	if c.convert != "" {
		fmt.Fprintf(&b, "%s r2.y, %s\n", c.convert, value)
		value = "r2.y"
	}
	x, y := value, c.bound
	if c.boundFirst {
		x, y = y, x
	}
	how := "z"
	if c.until {
		how = "nz"
	}
	fmt.Fprintf(&b, "%s r3.x, %s, %s\nbreak_logical%s r3.x\n", c.cmp, x, y, how)
	fmt.Fprintf(&b, "imad r1.y, r1.y, l0.z, r0.x\niadd r1.z, r1.z, l0.y\n%s r0.x, r0.x, %s\nendloop\nmov r1.w, r0.x\nmov o0, r1\nend\n", c.add, c.step)
	return b.String()
}

// edges returns integers at and near the points where signed and unsigned integers wrap around.
func edges() (list []uint32) {
	for _, at := range []uint32{0, 1 << 31} {
		for _, by := range []int32{-40, -13, -10, -7, -5, -3, -1, 0, 1, 2, 4, 7, 11, 40} {
			list = append(list, at+uint32(by))
		}
	}
	return append(list, 1<<30, 3<<30)
}

func floatEdges() (list []uint32) {
	for _, x := range []float64{0, 1, -1, 0.5, 7, -7.5, 40, 1 << 24, -1 << 24, 1 << 30, 1 << 31, -1 << 31, 1<<31 - 256,
		1 << 32, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40} {
		list = append(list, math.Float32bits(float32(x)))
	}
	return list
}

// maxTrips bounds the loops that are compared; the step limit of a run counts lanes.
const maxTrips = 60

// compare runs a loop and its unrolled version over the given constants.
func compare(t *testing.T, c countingLoop, pipeline string, starts, bounds, gains []uint32) (unrolled bool, runs int) {
	t.Helper()
	text := c.text()
	k, err := il.Parse("test", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, _ := apply(t, k, pipeline, passes.Bits)
	if out == nil {
		return false, 0
	}
	p, err := kernel.Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	q, err := kernel.Compile(out)
	if err != nil {
		t.Fatal(err)
	}
	o := kernel.Options{Steps: 64 * 10 * maxTrips, Workers: 1}
	run := &kernel.Case{Width: 1, Height: 1}
	tried, every := 0, 1
	if !testcorpus.Whole && len(starts) > 1 {
		every = 5
	}
	for _, start := range starts {
		for _, bound := range bounds {
			for _, gain := range gains {
				if tried++; tried%every != 0 {
					continue
				}
				run.Constants[0] = [][4]uint32{{start, bound, gain}, {}, {}, {}}
				a, err := p.Run(run, o)
				if err != nil {
					continue // it does not end, or not soon
				}
				b, err := q.Run(run, kernel.Options{Steps: 1 << 18, Workers: 1})
				if err != nil {
					t.Fatalf("%s of %#x to %#x by %#x: %v\n%s\n%s", pipeline, start, bound, gain, err, text, il.Print(out))
				}
				if !reflect.DeepEqual(a.Out, b.Out) {
					t.Fatalf("%s of %#x to %#x by %#x (-was +is):\n%s\n%s\n%s", pipeline, start, bound, gain, cmp.Diff(a.Out, b.Out),
						text, il.Print(out))
				}
				runs++
			}
		}
	}
	return true, runs
}

var one = []uint32{1}

// TestWrap checks counters of every kind near every end of their range: the unrolled loop computes
// the same, however the original begins and ends.
func TestWrap(t *testing.T) {
	t.Parallel()
	unrolled, switched, declined, runs := 0, 0, 0, 0
	try := func(c countingLoop, factor int, starts, bounds, gains []uint32) {
		ok, n := compare(t, c, fmt.Sprintf("unroll{factor=%d},break-deps", factor), starts, bounds, gains)
		if runs += n; ok {
			unrolled++
		} else {
			declined++
		}
		ok, n = compare(t, c, fmt.Sprintf("unroll{factor=%d,remainder=switch}", factor), starts, bounds, gains)
		if runs += n; ok {
			switched++
		}
	}
	// The sample takes ways to write a loop whose bit parity alternates between comparisons.
	skipped := func(op, how int) bool { return !testcorpus.Whole && bits.OnesCount(uint(how))%2 != op%2 }
	for n, op := range []string{"ilt", "ige", "ult", "uge"} {
		for how := range 8 {
			if skipped(n, how) {
				continue
			}
			for _, step := range []int{1, -1, 3, -5, 1 << 27} {
				c := countingLoop{cmp: op, boundFirst: how&1 != 0, until: how&2 != 0, late: how&4 != 0, add: "iadd",
					start: "cb0[0].x", bound: "cb0[0].y"}
				c.step = fmt.Sprintf("l1.x\ndcl_literal l1, %d, 0, 0, 0", step)
				try(c, 2+how&1*2, edges(), edges(), one)
				if step == 3 || step == -5 {
					c.offset = -7
					try(c, 3, edges(), edges(), one)
				}
			}
			for _, add := range []string{"iadd", "inegate r7.x, cb0[0].z\niadd"} {
				c := countingLoop{cmp: op, boundFirst: how&1 != 0, until: how&2 != 0, add: add, step: "cb0[0].z",
					start: "cb0[0].x", bound: "cb0[0].y"}
				gains := []uint32{0, 1, 3, 1 << 26, 1 << 28, 1 << 31, math.MaxUint32}
				try(c, 4, edges(), []uint32{0, 5, math.MaxInt32, 1 << 31, math.MaxUint32 - 1, math.MaxUint32}, gains)
			}
		}
	}
	for n, op := range []string{"ieq", "ine"} {
		for how := range 8 {
			if skipped(n, how) {
				continue
			}
			for _, step := range []int{1, -1} {
				c := countingLoop{cmp: op, boundFirst: how&1 != 0, until: (op == "ieq") != (how&2 != 0), late: how&4 != 0,
					add: "iadd", start: "cb0[0].x", bound: "cb0[0].y"}
				c.step = fmt.Sprintf("l1.x\ndcl_literal l1, %d, 0, 0, 0", step)
				c.offset = how & 1 * 9
				try(c, 4, edges(), edges(), one)
			}
		}
	}
	for _, convert := range []string{"itof", "utof", ""} {
		for how := range 8 {
			for n, op := range []string{"lt", "ge"} {
				if skipped(n, how) {
					continue
				}
				c := countingLoop{convert: convert, cmp: op, boundFirst: how&1 != 0, until: how&2 != 0, late: how&4 != 0,
					add: "iadd", start: "cb0[0].x", bound: "cb0[0].y"}
				starts := edges()
				for _, step := range []string{"1", "-3"} {
					if convert == "" {
						c.add, starts = "add", floatEdges()
						step += ".25"
					}
					c.step = "l1.x\ndcl_literal l1, " + step + ", 0, 0, 0"
					try(c, 4, starts, floatEdges(), one)
				}
			}
		}
	}
	t.Logf("%d loops unrolled, %d with branches before, %d not, %d runs", unrolled, switched, declined, runs)
	if unrolled < testcorpus.Count(75, 150) || switched < testcorpus.Count(20, 40) || runs < 100*unrolled && testcorpus.Whole {
		t.Error("too few to tell anything")
	}
}

// TestWrapLiteral repeats TestWrap with everything stated in the program, for every third
// combination.
func TestWrapLiteral(t *testing.T) {
	t.Parallel()
	unrolled, declined, runs := 0, 0, 0
	tried, every := 0, testcorpus.Count(16, 3)
	for _, op := range []string{"ilt", "ige", "ult", "uge"} {
		for how := range 4 {
			for _, step := range []int{1, -1, 7} {
				for _, start := range []uint32{0, 3, 1<<31 - 2, 1 << 31, math.MaxUint32 - 3} {
					for _, bound := range []uint32{0, 5, 1<<31 - 1, 1 << 31, math.MaxUint32} {
						if tried++; tried%every != 0 {
							continue
						}
						c := countingLoop{cmp: op, boundFirst: how&1 != 0, until: how&2 != 0, add: "iadd"}
						c.step = fmt.Sprintf("l1.x\ndcl_literal l1, %d, 0, 0, 0", step)
						c.start = fmt.Sprintf("l2.x\ndcl_literal l2, 0x%x, 0x%x, 0, 0", start, bound)
						c.bound = "l2.y"
						for _, factor := range []string{"3", "full"} {
							ok, n := compare(t, c, "unroll{factor="+factor+"}", one, one, one)
							if runs += n; ok {
								unrolled++
							} else {
								declined++
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d loops unrolled, %d not, %d runs", unrolled, declined, runs)
	if unrolled < declined || runs < unrolled/2 {
		t.Error("too few to tell anything")
	}
}
