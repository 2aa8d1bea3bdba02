package shaderlift_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// Of a kernel -O3 is not behind -O2, and that not behind a pipeline that has to pay as a
// whole, beyond the threshold; and nothing takes more than it came with. TestSearch does the
// like for all kernels.
func TestKernelOrders(t *testing.T) {
	files, _ := filepath.Glob("../shared/corpus/il/*.il")
	if len(files) == 0 {
		t.Skip("no ../shared/corpus/il")
	}
	short := []string{"a2_ConvolveRows5Down2_R", "a2_InnerProdReduce_LI_R_LR", "a2_ReshapeSplit8ToVirt_LI_R0", "caldgemm_tB44", "correlator_Kernel_2x2"}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".il")
		if !slices.Contains(short, name) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		testOrders(t, name, data, nil)
	}
	data, err := os.ReadFile("testdata/il/pldi_v1.il")
	if err != nil {
		t.Fatal(err)
	}
	testOrders(t, "pldi_v1", data, []shaderlift.Constant{parsed(t, "cb0[0].x=256")})
}

func parsed(t *testing.T, text string) shaderlift.Constant {
	t.Helper()
	c, err := shaderlift.ParseConstant(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testOrders(t *testing.T, name string, data []byte, promised []shaderlift.Constant) {
	t.Helper()
	cycles := func(pipeline string) (now, was float64) {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: name + ".il", Data: data}}}
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Pipeline: pipeline, Constants: promised})
		if err != nil || res.Kernel == nil {
			return 0, 0
		}
		return res.Kernel.Now().Cycles, res.Kernel.Before.Cycles
	}
	pipelines := []string{}
	for _, factor := range []int{1, 2, 4} {
		for _, window := range []string{"24", "all"} {
			pipelines = append(pipelines, fmt.Sprintf("unroll{factor=%d},break-deps,combine-alu,group-fetches{window=%s},merge-registers,dce", factor, window))
		}
	}
	o2, was := cycles("O2")
	if was == 0 {
		return // one of the malformed
	}
	most := 1 + shaderlift.Threshold
	if o2 > was*most {
		t.Errorf("%s: %.0f cycles came to %.0f", name, was, o2)
	}
	if o3, _ := cycles("O3"); o3 > o2*most {
		t.Errorf("%s: -O3 takes %.0f cycles, -O2 %.0f", name, o3, o2)
	}
	for _, p := range pipelines {
		if now, _ := cycles(p); now < o2/most {
			t.Errorf("%s: -O2 takes %.0f cycles, %s %.0f", name, o2, p, now)
		}
	}
}
