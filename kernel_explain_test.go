package shaderlift_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

var allRemarks = []shaderlift.RemarkKind{shaderlift.Passed, shaderlift.Missed, shaderlift.Analysis}

// TestExplainKernel checks that every statement of a kernel has a fate and a reason. The costs must add
// up to the kernel's cost, and remarks must have the text of their statements.
func TestExplainKernel(t *testing.T) {
	paths, err := filepath.Glob("testdata/il/*.il")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels: ", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o := shaderlift.Options{Pipeline: "O1", Kernel: shaderlift.KernelOptions{Domain: smallDomain},
			Report: shaderlift.ReportOptions{Remarks: allRemarks}}
		res, err := shaderlift.Explain(t.Context(), shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}}, o)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		counts := func(p shaderlift.Program) (ops, fetches int) {
			for _, in := range p.Instructions {
				ops, fetches = ops+in.Slots-in.Texture, fetches+in.Texture
			}
			return ops, fetches
		}
		for k, side := range [][]shaderlift.Program{res.Programs, res.Rewritten} {
			cost := []shaderlift.KernelCost{res.Kernel.Before, res.Kernel.CurrentCost()}[k]
			if k == 1 && side == nil && res.Status == shaderlift.Unchanged {
				continue
			}
			// Operations that the scheduler adds belong to no statement.
			if ops, fetches := counts(side[0]); len(side) != 2 || ops > cost.Ops || ops < cost.Ops*98/100 ||
				fetches != cost.Fetches {
				t.Errorf("%s has %d operations and %d fetches, not %d and %d", path, ops, fetches, cost.Ops, cost.Fetches)
			}
		}
		for _, in := range res.Programs[0].Instructions {
			if in.Fate == "" || in.Why == nil || in.Line == 0 || (in.Rate == "") != (in.Why.Code == "control-flow") {
				t.Errorf("%s:%d: %s: %q, %v", path, in.Line, in.Text, in.Fate, in.Why)
			}
		}
		for _, m := range res.Remarks {
			if m.Line > 0 && m.Text == "" {
				t.Errorf("%s:%d: %s: a remark without the statement", path, m.Line, m.Message)
			}
		}
	}
}

// TestExplainKernelsTogether checks that explanations of a kernel do not depend on concurrent
// optimizations.
func TestExplainKernelsTogether(t *testing.T) {
	var paths []string
	for _, name := range []string{"jang_naive", "pldi_final", "pldi_v3"} {
		paths = append(paths, filepath.Join("testdata", "il", name+".il"))
	}
	explained := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			return ""
		}
		o := shaderlift.Options{Pipeline: "O2", Kernel: shaderlift.KernelOptions{Domain: smallDomain},
			Report: shaderlift.ReportOptions{Remarks: allRemarks}}
		res, err := shaderlift.Explain(t.Context(), shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}}, o)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return fmt.Sprintf("%+v %+v", res.Programs, res.Remarks)
	}
	alone := make([]string, len(paths))
	for i, path := range paths {
		alone[i] = explained(path)
	}
	var all sync.WaitGroup
	for range testcorpus.Count(1, 4) {
		for i, path := range paths {
			all.Add(1)
			go func() {
				defer all.Done()
				if explained(path) != alone[i] {
					t.Errorf("%s: something else is said of it beside others", path)
				}
			}()
		}
	}
	all.Wait()
}

// TestExplainKernelRates checks that the rate of a statement follows from its operands and its
// position.
func TestExplainKernelRates(t *testing.T) {
	const kernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[3]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0.0, 1.0, 2.0, 0.5
mov r0, l0.x
mov r3.x, l0.x
mul r1, cb0[0], cb0[1]
mul r4, r1, vWinCoord0.x
whileloop
ge r3.y, r3.x, cb0[2].x
break_logicalnz r3.y
sample_resource(0)_sampler(0) r2, vWinCoord0.xy
sample_resource(0)_sampler(0) r5, r3.xx
add r2, r2, r5
mad r0, r2, r1, r0
add r3.x, r3.x, l0.y
if_logicalnz cb0[2].y
mul r0, r0, r4
endif
endloop
add o0, r0, r4
end
`
	res, err := shaderlift.Explain(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{{Name: "a.il", Data: []byte(kernel)}}}, shaderlift.Options{Pipeline: "O0"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for _, in := range res.Programs[0].Instructions {
		got[in.Line] = fmt.Sprint(in.Rate, " ", in.Why.Code)
	}
	for line, want := range map[int]string{
		7: "launch literals", 9: "launch per-launch", 10: "invocation per-invocation", 12: "trip per-invocation", 13: " control-flow",
		14: "invocation same-trips", 15: "trip fetch", 16: "trip per-invocation", 20: "trip per-invocation", 23: "invocation per-invocation",
	} {
		if got[line] != want {
			t.Errorf("line %d: %q, not %q", line, got[line], want)
		}
	}
}
