package shaderlift

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/internal/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// fewKernels are those of the corpus that TestSearch takes by itself.
var fewKernels = []string{"a2_ConvolveRows5Down2_R", "a2_InnerProdReduce_LI_R_LR", "a2_ReshapeSplit8ToVirt_LI_R0", "caldgemm_tB44", "correlator_Kernel_2x2"}

// small is a domain over which kernels are timed in a fraction of the time that the usual one
// takes.
var small = [2]int{64, 64}

// What -O2 finds is not behind any pass alone, nor behind any pipeline of loops unrolled and
// fetches grouped, beyond the threshold, nor is -O3 behind -O2. Versions are compared by the
// simulation that the search goes by, before they are verified, and share what it remembers:
// so the whole corpus is a matter of minutes. SHADERLIFT_KERNELS=all asks for that, and a
// name for the kernels that begin with it. Otherwise it is a few over a small domain, and
// Optimize has to come to what the search finds.
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
	trips, err := ParseConstant("cb0[0].x=256")
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
	few := sample.Of(fewKernels, 3)
	if which == "" && sample.Whole {
		testSearch(t, file("testdata/il/pldi_v1.il"), Options{Constants: []Constant{trips}, Domain: small}, others, true)
	}
	for _, path := range testcorpus.Glob(t, "corpus/il/*.il") {
		switch name := strings.TrimSuffix(filepath.Base(path), ".il"); {
		case which == "" && slices.Contains(few, name):
			testSearch(t, file(path), Options{Domain: small}, others, true)
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
		return // one of the malformed
	}
	k := z.subject.(*kernel)
	if k.lifted == nil {
		return
	}
	least := func(level int) float64 {
		z.o.Pipeline = fmt.Sprintf("O%d", level)
		p, err := z.o.pipeline(true)
		if err != nil {
			t.Fatal(err)
		}
		before := &z.res.Kernel.Before
		if found := k.simulated(&k.plans(p)[0]); found != nil && found.cost.better(before) {
			return found.cost.Cycles
		}
		return before.Cycles
	}
	o2, name := least(2), in.Files[0].Name
	if o3 := least(3); o3 > o2 {
		t.Errorf("%s: -O3 comes to %.0f cycles, -O2 to %.0f", name, o3, o2)
	}
	if whole {
		o.Pipeline = "O2"
		if res, err := Optimize(t.Context(), in, o); err != nil || res.Kernel.Now().Cycles > o2*(1+Threshold) {
			t.Errorf("%s: -O2 comes to %.0f cycles, of which %.0f are left when it is verified; %v", name, o2, res.Kernel.Now().Cycles, err)
		}
	}
	s := search{k: k, begun: map[string]plan{}}
	for _, other := range others {
		p := s.begin(other)
		k.carryOut(p, len(other), nil)
		if p.unit == nil {
			continue
		}
		found := k.simulated(p)
		if found == nil || found.cost.Cycles*(1+Threshold) >= o2 {
			continue
		}
		t.Errorf("%s: -O2 comes to %.0f cycles, %s to %.0f", name, o2, other, found.cost.Cycles)
	}
}
