package opt

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// wholeKernel stores to elements whose numbers are computed in floats, up to 2^24, and beyond from row
// 2048 on.
const wholeKernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[1]
dcl_literal l0, 0.0, 1.0, FACTOR, 0.5
dcl_literal l1, 0, 1, 2, BASE
sub r1.xy, vWinCoord0.xy, l0.w
mad r0.x, r1.y, l0.z, r1.x
ftoi r0.x, r0.x
iadd r0.x, r0.x, l1.w
mov r2, cb0[0]
mov r2.x, r1.x
mov g[r0.x], r2
mov o0, cb0[0]
end
`

// TestCoarsenBeyondWhole checks that a coarsened kernel leaves the same memory, also if the floats
// behind its addresses are rounded. If they are exact, an address is one more than the address of the
// first invocation.
func TestCoarsenBeyondWhole(t *testing.T) {
	for _, test := range []struct {
		factor, base string
		adds         bool
	}{{"8192.0", "-16777216", false}, {"16.0", "0", true}} {
		in := kernelInput("whole.il", strings.NewReplacer("FACTOR", test.factor, "BASE", test.base).Replace(wholeKernel))
		res, err := Optimize(t.Context(), in, Options{Pipeline: "coarsen{x=2}", Keep: true})
		if err != nil || res.Coarsened == nil {
			t.Fatalf("factor %s: %v, %v", test.factor, res.Remarks, err)
		}
		after := string(res.Files[0].Data)
		if adds := strings.Count(after, "ftoi") == 1; adds != test.adds {
			t.Errorf("factor %s: an address is added up: %v, want %v:\n%s", test.factor, adds, test.adds, after)
		}
		left := func(in Input, width string) []uint32 {
			c, err := interpreter.ParseCase("case", []byte("domain "+width+" 2052\nglobal 65536 zero\ncb 0 0 5 6 7 8\nout g\n"))
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := RunKernel(t.Context(), in, Options{Kernel: KernelOptions{Case: c}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Global
		}
		if !slices.Equal(left(in, "4"), left(Input{Files: res.Files}, "2")) {
			t.Errorf("factor %s: the coarser kernel leaves something else", test.factor)
		}
	}
}

// TestCoarsenLong checks that the proof of a tile of 32 invocations also covers loops of 1024 trips, whose copies in
// the reference execute 32 times as many instructions as one invocation.
func TestCoarsenLong(t *testing.T) {
	data, err := os.ReadFile("testdata/il/jang_naive.il")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := input.ParseConstant("cb0[0].x=1024")
	if err != nil {
		t.Fatal(err)
	}
	res, err := Optimize(t.Context(), kernelInput("jang_naive.il", string(data)), Options{Keep: true,
		Pipeline: "fold{lanes=true},dce,coarsen{x=4,y=8,outputs=4},fold,dce,gvn,copyprop,dce,unroll{factor=4},fold," +
			"break-deps,gvn,copyprop,dce,vectorize-fetches{resource=all},gvn,copyprop,sink,vectorize,dce",
		Kernel: KernelOptions{Domain: [2]int{1024, 1024}}, Host: HostOptions{Constants: []input.Constant{rows}}})
	if err != nil {
		t.Fatal(err)
	}
	if v := res.Verdict(); v != verify.ProvedReal || res.Kernel.After.Fetches != 12 {
		t.Errorf("%v with %d fetches: %v", v, res.Kernel.After.Fetches, res.Remarks)
	}
}
