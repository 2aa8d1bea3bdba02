package opt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// fewKernels are the kernels of the corpus that TestSearch takes by default.
var fewKernels = []string{"a2_ConvolveRows5Down2_R", "a2_InnerProdReduce_LI_R_LR", "a2_ReshapeSplit8ToVirt_LI_R0",
	"caldgemm_tB44", "correlator_Kernel_2x2"}

// small is a domain over which simulations take a fraction of the usual time.
var small = [2]int{64, 64}

// TestSearch compares the result of -O2 with every single pass, and with pipelines of unrolled loops
// and grouped fetches. None may be better beyond the threshold, and -O3 may not be worse than -O2.
// Versions are compared by the simulation of the search, before verification, and share its caches, so
// the whole corpus takes minutes. SHADERLIFT_KERNELS=all selects it, and a name selects the kernels
// with that prefix. The default is a few kernels over a small domain, for which Optimize must also
// reach the result of the search.
func TestSearch(t *testing.T) {
	which := os.Getenv("SHADERLIFT_KERNELS")
	var others []passes.Pipeline
	for _, factor := range []int{1, 2, 4} {
		for _, window := range []string{"24", "all"} {
			others = append(others, pipeline(t, fmt.Sprintf("unroll{factor=%d},break-deps,combine-alu,group-fetches{window=%s},merge-registers,dce", factor, window)))
		}
	}
	for _, p := range suite.Passes {
		others = append(others, passes.Pipeline{{Pass: p}})
	}
	trips, err := input.ParseConstant("cb0[0].x=256")
	if err != nil {
		t.Fatal(err)
	}
	file := func(path string) Input {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return Input{Files: []File{{Name: filepath.Base(path), Data: data}}}
	}
	few := testcorpus.EveryNth(fewKernels, 3)
	if which == "" && testcorpus.Whole {
		testSearch(t, file("testdata/il/pldi_v1.il"), Options{Host: HostOptions{Constants: []input.Constant{trips}},
			Kernel: KernelOptions{Domain: small}}, others, true)
	}
	for _, path := range testcorpus.Glob(t, "corpus/il/*.il") {
		switch name := strings.TrimSuffix(filepath.Base(path), ".il"); {
		case which == "" && slices.Contains(few, name):
			testSearch(t, file(path), Options{Kernel: KernelOptions{Domain: small}}, others, true)
		case which == "all", which != "" && strings.HasPrefix(name, which):
			testSearch(t, file(path), Options{}, others, false)
		}
	}
}

func pipeline(t *testing.T, text string) passes.Pipeline {
	t.Helper()
	p, err := suite.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testSearch(t *testing.T, in Input, o Options, others []passes.Pipeline, whole bool) {
	t.Helper()
	z := &optimizer{in: in, o: job{Options: o, ctx: t.Context()}, res: newResult(in)}
	defer z.o.begin()()
	if err := z.prepare(); err != nil {
		return // a malformed kernel
	}
	k := z.subject.(*kernelSubject)
	if k.bench == nil {
		return
	}
	least := func(level int) float64 {
		z.o.Pipeline = fmt.Sprintf("O%d", level)
		p, err := z.o.pipeline(input.KindKernel)
		if err != nil {
			t.Fatal(err)
		}
		before := &z.res.Kernel.Before
		if found, err := k.bench.TimeUnit(k.plans(p)[0].Unit); err == nil && found.Cost.Better(before) {
			return found.Cost.Cycles
		}
		return before.Cycles
	}
	o2, name := least(2), in.Files[0].Name
	if o3 := least(3); o3 > o2 {
		t.Errorf("%s: -O3 comes to %.0f cycles, -O2 to %.0f", name, o3, o2)
	}
	if whole {
		o.Pipeline = "O2"
		if res, err := Optimize(t.Context(), in, o); err != nil || res.Kernel.CurrentCost().Cycles > o2*(1+kernel.Threshold) {
			t.Errorf("%s: -O2 comes to %.0f cycles, of which %.0f are left when it is verified; %v", name, o2,
				res.Kernel.CurrentCost().Cycles, err)
		}
	}
	for _, other := range others {
		p := &passes.Plan{Pipeline: other, Whole: true}
		k.runPlan(p, len(other), nil)
		if p.Unit == nil {
			continue
		}
		found, err := k.bench.TimeUnit(p.Unit)
		if err != nil || found.Cost.Cycles*(1+kernel.Threshold) >= o2 {
			continue
		}
		t.Errorf("%s: -O2 comes to %.0f cycles, %s to %.0f", name, o2, other, found.Cost.Cycles)
	}
}
