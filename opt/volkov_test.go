package opt

import (
	"context"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// TestGaussJordan checks the case study of Volkov ("Unrolling parallel loops", 2011) on 1024 matrices of 32 by 32: in
// the model of Cypress, more elements an invocation are faster up to 8, and 16 are not slower than 8.
func TestGaussJordan(t *testing.T) {
	in := kernelInput("elimination.il", string(ilgen.GaussJordan(32)))
	last := 0.0
	for _, elements := range []int{1, 2, 4, 8, 16} {
		o := Options{Target: "cypress", Keep: true, Kernel: KernelOptions{Domain: [2]int{1024, 1024}},
			Pipeline: "fold,gvn,dce,forward-local,fold,gvn,dce,sink,vectorize,dce"}
		if elements > 1 {
			o.Kernel.Coarsen = ir.Tile{X: elements, Y: 1, Group: ir.Spread}
		}
		res, err := Optimize(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Judgement == nil || res.Judgement.Verdict < verify.ProvedReal {
			t.Fatalf("%d elements: %v %s, %v", elements, res.Judgement, res.Error, res.Remarks)
		}
		cycles := res.Kernel.After.Cycles
		t.Logf("%d elements: %.0f cycles, %v", elements, cycles, res.Judgement.Verdict)
		if last > 0 && cycles > last {
			t.Errorf("%d elements take %.0f cycles, half as many take %.0f", elements, cycles, last)
		}
		last = cycles
	}
}
