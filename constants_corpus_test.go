package shaderlift_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// hostConstants returns the components of constant registers that a program reads and does not define,
// in the syntax of ParseConstant. An unreadable program has none.
func hostConstants(f shaderlift.File) (names []string) {
	var fn *ir.Func
	name := amdil.RegName
	if k, err := il.Parse(f.Name, f.Data); err == nil {
		fn, _ = amdil.Lift(k)
	} else if p, err := d3d9.Read(f.Name, f.Data); err == nil {
		fn, _ = vsps.Lift(p)
		stage := "ps:"
		if p.Model.Stage == d3d9.Vertex {
			stage = "vs:"
		}
		name = func(r ir.Reg) string {
			reg := stage + d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}.String()
			if d3d9.File(r.File) == d3d9.ConstBool {
				return reg
			}
			return reg + "." + "xyzw"[r.Comp:r.Comp+1]
		}
	}
	if fn == nil {
		return nil
	}
	fn.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) {
			if l.V.Kind == ir.Uniform {
				names = append(names, name(l.V.Home))
			}
		})
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// promises returns values for about half of the constants that in reads, often ones that simplify their
// uses.
func promises(t *testing.T, in shaderlift.Input, seed uint64) (list []shaderlift.Constant) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	floats := []float32{0, 1, -1, 0.5, 2, 4, 8, 64, float32(math.Copysign(0, -1)), 0.3}
	for _, f := range in.Files {
		for _, name := range hostConstants(f) {
			if r.IntN(2) == 0 {
				continue
			}
			value := fmt.Sprintf("0x%08x", math.Float32bits(floats[r.IntN(len(floats))]))
			switch file := name[max(0, slices.Index([]byte(name), ':')+1)]; {
			case file == 'b':
				value = fmt.Sprint(r.IntN(2) == 0)
			case file == 'i':
				value = fmt.Sprint(r.IntN(5))
			case r.IntN(8) == 0: // an integer
				value = fmt.Sprintf("0x%x", r.IntN(20))
			}
			c, err := shaderlift.ParseConstant(name + "=" + value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
	}
	return list
}

// TestCorpusConstants checks that no promise leads to a failure, a refutation or a higher cost, on a
// sample of pairs, texts and kernels.
func TestCorpusConstants(t *testing.T) {
	t.Parallel()
	kernels, _ := kernelFiles(t, testcorpus.Glob(t, "corpus/il/*.il"))
	inputs := slices.Concat(testcorpus.EveryNth(slices.Concat(corpusPairs(t), corpusTexts(t)), 16),
		testcorpus.EveryNth(kernels, 24))
	tried, improved := 0, 0
	for i, in := range inputs {
		o := shaderlift.Options{Host: shaderlift.HostOptions{Constants: promises(t, in, uint64(i))},
			Kernel: shaderlift.KernelOptions{Domain: smallDomain}}
		if len(o.Host.Constants) == 0 {
			continue
		}
		tried++
		res := optimizeOne(t, in, o)
		if res.Status == shaderlift.Improved {
			improved++
		}
		if t.Failed() {
			t.Fatalf("%s with %v", in.Path(), o.Host.Constants)
		}
	}
	if improved == 0 {
		t.Error("nothing was improved")
	}
	t.Logf("%d of %d improved", improved, tried)
}
