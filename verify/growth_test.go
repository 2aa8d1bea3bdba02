package verify

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// nestedLoops returns a kernel of n nested loops with the given beginning and end.
func nestedLoops(n int, open, end, sum string) string {
	return "il_ps_2_0\ndcl_cb cb0[2]\ndcl_output_generic o0\ndcl_literal l0, 1, 2, 4, 31\nmov r0, cb0[0]\n" +
		strings.Repeat(open+"\n", n) + sum + "\n" + strings.Repeat(end+"\n", n) + "mov o0, r0\nend\n"
}

// TestNestedLoops checks deeply nested loops, in long tests as deep as possible. A failed attempt to execute
// an inner loop trip by trip must not be repeated on each attempt of the loops around.
func TestNestedLoops(t *testing.T) {
	for _, c := range much.EveryNth([]struct{ open, end string }{
		{"whileloop\nbreak_logicalnz r0.x", "endloop"},
		{"whileloop", "break_logicalnz r0.x\nendloop"},
		{"whileloop\nige r1.x, r2.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r2.x, r2.x, l0.x", "endloop"},
	}, 3) {
		deep := much.Count(20, 31)
		before := parseKernel(t, nestedLoops(deep, c.open, c.end, "add r0, r0, cb0[0]"))
		after := parseKernel(t, nestedLoops(deep, c.open, c.end, "add r0, cb0[0], r0"))
		wrong := parseKernel(t, nestedLoops(deep, c.open, c.end, "add r0, r0, cb0[1]"))
		if r := CheckKernel(before, after, Options{Numerics: Terms}); r.Verdict != Proved {
			t.Errorf("%q: %v, %s", c.open, r.Verdict, r.Why)
		}
		if r := CheckKernel(before, wrong, Options{Numerics: Terms}); r.Verdict.OK() {
			t.Errorf("%q: another sum is %v", c.open, r.Verdict)
		}
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) float64 {
	runtime.GC() // two runs empty pools, whose contents would hide growth
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestGrowth counts the steps and the allocated bytes of checks of some kernels, and of those twice and four
// times as large. They grow at most in proportion to the size. With nested loops they may grow with its
// square, because rounds find the carried values of a loop.
func TestGrowth(t *testing.T) {
	head := "il_ps_2_0\ndcl_cb cb0[8]\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\n" +
		"dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\ndcl_literal l0, 1, 2, 4, 31\nmov r0, cb0[0]\n"
	tail := "mov o0, r0\nend\n"
	repeat := func(n int, text string) string { return strings.Repeat(text, n) }
	for _, c := range []struct {
		name string
		n    int
		most float64 // largest factor of steps for twice the size
		body func(n int, add string) string
	}{
		{"nested ifs", 7, 2.5, func(n int, add string) string {
			return repeat(n, "if_logicalnz cb0[1].x\n"+add) + repeat(n, "endif\n")
		}},
		{"nested loops", 7, 4.5, func(n int, add string) string {
			return repeat(n, "whileloop\nbreak_logicalnz r2.x\n") + add + repeat(n, "mov r2.x, l0.x\nendloop\n")
		}},
		{"nested loops that carry", 7, 4.5, func(n int, add string) string {
			return repeat(n, "whileloop\nige r1.x, r2.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r2.x, r2.x, l0.x\n") + add +
				repeat(n, "endloop\n")
		}},
		{"nested switches", 7, 2.5, func(n int, add string) string {
			return repeat(n, "switch cb0[1].x\ncase 1\n"+add+"break\ndefault\n") + repeat(n, "endswitch\n")
		}},
		{"branches", 50, 2.5, func(n int, add string) string {
			return repeat(n, "if_logicalnz cb0[1].x\n"+add+"else\nmul r0, r0, cb0[2]\nendif\n")
		}},
		{"loops in a row", 20, 2.5, func(n int, add string) string {
			return repeat(n, "mov r1.x, l0.x\nwhileloop\nige r2.x, r1.x, cb0[1].x\nbreak_logicalnz r2.x\n"+add+
				"iadd r1.x, r1.x, l0.x\nendloop\n")
		}},
		{"jumps", 100, 2.5, func(n int, add string) string {
			return "whileloop\n" + repeat(n, "break_logicalnz r2.x\n"+add) + "mov r2.x, l0.x\nendloop\n"
		}},
		{"jumps of a count", 100, 2.5, func(n int, add string) string {
			return "mov r2, l0\nwhileloop\n" + repeat(n,
				"ige r1.x, r2.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r2.x, r2.x, l0.x\n") + add + "endloop\n"
		}},
		{"cases", 100, 2.5, func(n int, add string) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "case %d\n%sbreak\n", i, add)
			}
			return "switch cb0[1].x\n" + b.String() + "endswitch\n"
		}},
		{"a chain", 100, 2.5, func(n int, add string) string { return repeat(n, add+"mul r0, r0, cb0[2]\n") }},
		{"fetches", 50, 2.5, func(n int, add string) string {
			return repeat(n, "sample_resource(0)_sampler(0) r1, vWinCoord0.xyxx\nmul r0, r0, r1\n"+add)
		}},
		{"stores", 50, 2.5, func(n int, add string) string { return repeat(n, "mov g[0], r0\n"+add) }},
	} {
		var last [numMethods]int64
		var held float64
		for size := c.n; size <= 4*c.n; size *= 2 {
			// The second version is equal over the reals, so that all methods have work.
			before := head + c.body(size, "add r0, r0, cb0[3]\nadd r0, r0, cb0[4]\n") + tail
			after := head + c.body(size, "add r9, cb0[3], cb0[4]\nadd r0, r0, r9\n") + tail
			k := &kernelChecker{before: parseKernel(t, before), after: parseKernel(t, after)}
			k.Numerics = Real
			bytes := allocated(k.check)
			if held > 0 && bytes > c.most*max(held, 1<<20) {
				t.Errorf("%s: %.0f KiB are allocated for %d, and %.0f for half that", c.name, bytes/1024, size, held/1024)
			}
			held = bytes
			var steps [numMethods]int64
			for r, part := range k.parts {
				steps[r], _ = part.Used()
			}
			if v := k.report.Verdict; v != ProvedReal {
				t.Errorf("%s: %d: %v, %s", c.name, size, v, k.report.Why)
			}
			for method, n := range steps {
				if old := last[method]; old > 0 && float64(n) > c.most*float64(old) {
					t.Errorf("%s: method %d takes %d steps for %d, and %d for half that", c.name, method+1, n, size, old)
				}
			}
			last = steps
		}
	}
}
