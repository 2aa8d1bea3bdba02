package shaderlift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify"
)

// paper returns a kernel that was written from the text of a paper. The test is skipped without the shared corpus.
func paper(t *testing.T, name string) shaderlift.Input {
	t.Helper()
	return kernelFile(t, testcorpus.Path(t, "corpus/papers/"+name+".asm"))
}

// constants returns promised constants.
func constants(t *testing.T, list ...string) (known []shaderlift.Constant) {
	t.Helper()
	for _, text := range list {
		c, err := shaderlift.ParseConstant(text)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, c)
	}
	return known
}

// TestPapersFound checks that the steps of the papers are found without a pipeline, by the default level: the gain
// that a step gives, the verdict, and what the written kernel does or does not contain.
func TestPapersFound(t *testing.T) {
	for _, test := range []struct {
		what, file string
		coarsen    string
		target     string
		known      []string
		at         float64 // the most cycles of the result, as a part of those of the input
		within     map[string]int
	}{
		{"loop-invariant fetch and sine (PLDI 2008)", "passes/licm", "", "", []string{"cb0[0].x=64"}, 0.6, nil},
		{"loop-invariant branch (Daga, kernel splitting)", "passes/unsw", "", "", nil, 0.6, nil},
		{"accumulator in local memory (Daga, figure 4)", "daga/fig4", "", "cypress", nil, 0.5, map[string]int{"lds_load": 0}},
		{"merged variables (Jang, figure 5)", "jang/fig5", "", "", nil, 1, nil},
	} {
		in := paper(t, test.file)
		o := shaderlift.Options{Target: test.target, Keep: test.coarsen != "",
			Kernel: shaderlift.KernelOptions{Coarsen: test.coarsen, Domain: [2]int{256, 64}},
			Host:   shaderlift.HostOptions{Constants: constants(t, test.known...)}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		c := res.Kernel
		if part := c.CurrentCost().Cycles / c.Before.Cycles; part > test.at || res.Verdict() < verify.ProvedReal {
			t.Errorf("%s: %.2f of the cycles, %v", test.what, part, res.Verdict())
		}
		for text, n := range test.within {
			if got := strings.Count(string(res.Files[0].Data), text); got != n {
				t.Errorf("%s: %q stands %d times in the result, want %d", test.what, text, got, n)
			}
		}
	}
}

// TestPapersSpelling checks that the advice for a matrix product does not depend on how its addresses are written:
// with one index of four components, with an integer counter, with a half, with mad, or as in testdata. All of them
// fetch four numbers at a time for tiles.
func TestPapersSpelling(t *testing.T) {
	least, most := 0.0, 0.0
	for _, name := range []string{"", "jang/mm_naive", "jang/mm_int", "jang/mm_half", "jang/mm_mad"} {
		in, rows := kernelFile(t, "testdata/il/jang_naive.il"), "cb0[0].x=256"
		if name != "" {
			in = paper(t, name)
		}
		if strings.HasSuffix(name, "int") {
			rows += "i"
		}
		res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{Host: shaderlift.HostOptions{Constants: constants(t, rows)}})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Advice) == 0 {
			t.Errorf("%s: no advice", in.Path())
			continue
		}
		a := res.Advice[len(res.Advice)-1]
		if want := kernel.Domain | kernel.Bindings | kernel.Outputs; a.Host != want {
			t.Errorf("%s: %+v", in.Path(), a)
		}
		if least == 0 || a.Cycles < least {
			least = a.Cycles
		}
		most = max(most, a.Cycles)
	}
	if most > 1.1*least || most > 2907347/10 {
		t.Errorf("from %.0f to %.0f cycles", least, most)
	}
}

// TestPapersAdvice checks that explain finds the steps for which the host must change the launch.
func TestPapersAdvice(t *testing.T) {
	for _, test := range []struct {
		what, file string
		target     string
		host       kernel.Change
		at         float64 // the most cycles, as a part of those of the result
		passes     []string
	}{
		{"sums of vectors by tiles (Volkov)", "volkov/vadd", "cypress", kernel.Domain | kernel.Memory, 0.5,
			[]string{"coarsen{x=4,y=1}", "restrict", "vectorize-memory"}},
		{"parts of a group (Volkov)", "volkov/gj8", "cypress", kernel.Domain, 0.95, []string{"coarsen{group=", "forward-local"}},
		{"GEM on raw views (Daga)", "daga/gem_uav", "cypress", kernel.Memory, 0.4,
			[]string{"accumulate", "preload"}},
	} {
		res, err := shaderlift.Explain(t.Context(), paper(t, test.file), shaderlift.Options{Target: test.target})
		if err != nil || len(res.Advice) == 0 {
			t.Errorf("%s: %v, %v", test.what, res.Advice, err)
			continue
		}
		a := res.Advice[len(res.Advice)-1]
		if part := a.Cycles / res.Kernel.CurrentCost().Cycles; part > test.at || a.Host != test.host {
			t.Errorf("%s: %.2f of the cycles by %+v", test.what, part, a)
		}
		for _, name := range test.passes {
			if !strings.Contains(a.Pipeline, name) {
				t.Errorf("%s: no %s in %s", test.what, name, a.Pipeline)
			}
		}
	}
}

// TestPapersBodies checks that a search may choose a tile that is slower on a small launch, and reports it.
func TestPapersBodies(t *testing.T) {
	o := shaderlift.TuneOptions{MayChange: kernel.Domain, Budget: 1 << 23}
	res, err := shaderlift.Tune(t.Context(), kernelFile(t, "testdata/coarsen/nbody.il"), o)
	if err != nil || res.Coarsened == nil || res.Status != shaderlift.Improved || res.Kernel.CurrentCost().Cycles > 60000 {
		t.Fatalf("%v, %+v, %v", res.Status, res.Kernel, err)
	}
	if !slices.ContainsFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == opt.CodeSlowerLaunch }) {
		t.Errorf("%v", res.Remarks)
	}
}
