package verify

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/unroll"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

var loopPasses = []*passes.Pass{coarsen.Pass, unroll.Unroll, unroll.Unswitch, unroll.BreakDeps, fetches.Group, algebra.Fold, cleanup.DCE, cleanup.GVN}

// pipeline runs passes over k without pricing them and returns the result, or nil if nothing changed.
func pipeline(t testing.TB, k *il.Kernel, src string, class passes.Class) *il.Kernel {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		return nil
	}
	p, err := passes.Parse(src, loopPasses)
	if err != nil {
		t.Fatal(err)
	}
	u := &passes.Unit{Kernel: f}
	report, err := passes.Run(u, p, passes.Config{Numerics: class})
	if err != nil {
		t.Fatal(err)
	}
	if report.Steps == 0 {
		return nil
	}
	out, err := amdil.Emit(k, u.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// loopPipelines unroll loops and simplify the result.
var loopPipelines = []string{
	"unroll{factor=2}", "unroll{factor=4}", "unroll{factor=8}",
	"unroll{factor=4},fold,dce,gvn,break-deps", "unroll{factor=8},break-deps,group-fetches",
}

// proofOf returns the verdict of the proofs by terms and field alone.
func proofOf(t *testing.T, before, after *il.Kernel) Verdict {
	c := &kernelChecker{comparison: comparison{Options: Options{Numerics: Real, Seed: 7}}, before: before, after: after}
	if err := c.liftKernels(); err != nil {
		t.Fatal(err)
	}
	c.prove(nil)
	switch {
	case c.terms.diff == nil && c.terms.why == "":
		return Proved
	case c.field.Outcome == proof.Equal:
		return ProvedReal
	}
	return Tested
}

// TestUnrolled checks that unrolled loops are proved: by terms unless break-deps reassociates sums. Without
// ../shared it takes every kernel of testdata. With it, it takes one in six for each pipeline, and at most
// one of these may stay unproved.
func TestUnrolled(t *testing.T) {
	t.Parallel()
	kernels := readKernels(t)
	every, allowed := much.Count(6, 2), 1
	if len(kernels) < 30 {
		every, allowed = 1, 0
	}
	for n, src := range loopPipelines[1:] {
		score, unproved := map[Verdict]int{}, 0
		for i, c := range kernels {
			if (i+n)%every != 0 || !hasLoop(c.k) || pipeline(t, c.k, "unroll{factor=2}", passes.Real) == nil {
				continue
			}
			after := pipeline(t, c.k, src, passes.Real)
			if after == nil {
				continue
			}
			v := proofOf(t, c.k, after)
			score[v]++
			if least := leastVerdict(src); v < least {
				t.Logf("%s: %s is %s, want %s", src, c.name, v, least)
				unproved++
			}
		}
		t.Log(src, score)
		if score[Proved]+score[ProvedReal] == 0 || unproved > allowed {
			t.Errorf("%s: %v", src, score)
		}
	}
}

// leastVerdict returns the verdict that a pipeline has to reach.
func leastVerdict(pipeline string) Verdict {
	if strings.Contains(pipeline, "break-deps") {
		return ProvedReal
	}
	return Proved
}

func hasLoop(k *il.Kernel) bool {
	return slices.ContainsFunc(k.Insts, func(in il.Inst) bool { return in.Op == il.OpWhileLoop })
}

// longLoop returns a loop with too many trips, of eight fetches and more each, to execute one by one. A
// comparison, the start and the step give the literal count.
func longLoop(cmp string, start, bound, step int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "mov r0, v0; mov r1, v1; dcl_literal l7, %d, %d, %d, 0; mov r2.x, l7.x; whileloop; %s r2.y, r2.x, l7.y; break_logicalnz r2.y;", start, bound, step, cmp)
	for i := range 8 {
		fmt.Fprintf(&s, "iadd r3.x, r2.x, l0.z; itof r4.xy, r3.xx; add r3, r1, r4.x; sample_resource(0)_sampler(0) r%d, r3.xy; mad r0, r%d, v0, r0;", 5+i, 5+i)
	}
	s.WriteString("add r1, r1, l2.y; iadd r2.x, r2.x, l7.z; endloop; mov o0, r0; itof o1, r2.x")
	return psKernel(s.String())
}

// TestLongLoops checks loops of known trip counts that are too long to be executed trip by trip, with some
// trips unrolled before or behind.
func TestLongLoops(t *testing.T) {
	prove := func(before, after *il.Kernel) bool { return proofOf(t, before, after) == Proved }
	for i, loop := range []string{longLoop("ige", 0, 1001, 1), longLoop("ieq", 5, 4103, 2), longLoop("ilt", 2000, 3, -1),
		longLoop("ieq", -1, 2002, 1)} {
		k := parseKernel(t, loop)
		if !prove(k, k) {
			t.Error("not itself")
		}
		for j, src := range loopPipelines[:3] {
			if !long && (i+j)%3 > 0 {
				continue // each pipeline takes one of them
			}
			if after := pipeline(t, k, src, passes.Bits); after == nil || !prove(k, after) {
				t.Errorf("%s is not proved", src)
			}
		}
	}

	before := longLoop("ige", 0, 1000, 1)
	at, end := strings.Index(before, "iadd r3.x"), strings.Index(before, "endloop;")
	body := before[at:end]
	spelt := func(lead, each, rest, bound int) *il.Kernel {
		test := fmt.Sprintf("dcl_literal l8, %d, 0, 0, 0; whileloop; ige r2.y, r2.x, l8.x; break_logicalnz r2.y;", bound)
		return parseKernel(t, before[:strings.Index(before, "whileloop")]+strings.Repeat(body, lead)+test+
			strings.Repeat(body, each)+"endloop;"+strings.Repeat(body, rest)+before[end+len("endloop;"):])
	}
	k := parseKernel(t, before)
	for _, c := range []struct {
		lead, each, rest, bound int
		want                    bool
	}{
		{0, 4, 0, 1000, true}, {1, 3, 0, 1000, true}, {0, 3, 1, 999, true}, {2, 7, 4, 996, true}, {0, 8, 0, 993, true},
		{0, 3, 1, 1000, false}, {0, 3, 0, 1000, false}, {0, 3, 2, 999, false}, {2, 7, 5, 996, false}, {2, 7, 3, 996,
			false}, {0, 4, 0, 996, false}, {0, 4, 0, 1001, false},
	} {
		if got := prove(k, spelt(c.lead, c.each, c.rest, c.bound)); got != c.want {
			t.Errorf("%d trips, then %d at a time up to %d and %d: proved is %v", c.lead, c.each, c.bound, c.rest, got)
		}
	}
}

var unrolledMutants = flag.Int("unrolled-mutants", 0,
	"number of mutants that TestUnrolledMutants makes; a few if it is 0")

// TestUnrolledMutants checks that no mutant of an unrolled kernel is proved if it runs differently.
func TestUnrolledMutants(t *testing.T) {
	t.Parallel()
	var list []namedKernel
	for _, c := range readKernels(t) {
		if hasLoop(c.k) && len(c.k.Insts) < 120 {
			list = append(list, c)
		}
	}
	list = append(list, namedKernel{"long", parseKernel(t, longLoop("ige", 0, 1001, 1))},
		namedKernel{"guarded", parseKernel(t, psKernel(batchBegin+byOne+batchEnd))},
		namedKernel{"floats", parseKernel(t, psKernel(batchBegin+"mov r1.x, l2.x;"+floats+batchEnd))}, namedKernel{"until",
			parseKernel(t, psKernel(batchBegin+until+batchEnd))})
	score := map[Verdict]int{}
	r := symbolic.Stream(*kernelSeed)
	n := *unrolledMutants
	if n == 0 {
		n = much.Count(12, 60)
	}
	for range n {
		c := list[pick(&r, len(list))]
		unrolled := pipeline(t, c.k, loopPipelines[pick(&r, len(loopPipelines))], passes.Real)
		if unrolled == nil {
			continue
		}
		after, what := kernelMutant(&r, unrolled)
		if after == nil {
			continue
		}
		verdict := proofOf(t, c.k, after)
		if long {
			rep := CheckKernel(c.k, after, Options{Numerics: Real, Seed: 3})
			if verdict = rep.Verdict; strings.Contains(rep.Why, "although") {
				t.Errorf("%s: %s: %v: %s", c.name, what, rep.Verdict, rep.Why)
			}
		}
		if score[verdict]++; verdict < ProvedReal {
			continue
		}
		if x := launchBoth(t, c.k, after, verdict); x != "" {
			t.Errorf("%s: %s: %v, but %s", c.name, what, verdict, x)
		}
	}
	t.Log(score)
}
