package shaderlift_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/input"
	pricing "github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// smallDomain is a domain over which simulations take a fraction of the usual time, for tests that do
// not compare costs.
var smallDomain = [2]int{64, 64}

// kernelFiles returns kernels as inputs, each with its case if it has one.
func kernelFiles(t testing.TB, paths []string) (inputs []shaderlift.Input, cases []*kernel.Case) {
	t.Helper()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, program(path, string(data)))
		var c *kernel.Case
		name := strings.TrimSuffix(path, ".il") + ".case"
		if text, err := os.ReadFile(name); err == nil {
			if c, err = kernel.ParseCaseWith(name, text, kernel.Beside(name)); err != nil {
				t.Fatal(err)
			}
		}
		cases = append(cases, c)
	}
	return inputs, cases
}

// TestKernels checks our own kernels: they get no more expensive, verify on their cases too, are the
// same every time, and pass a separate verification.
func TestKernels(t *testing.T) {
	paths, err := filepath.Glob("testdata/il/*.il")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels of our own: ", err)
	}
	inputs, cases := kernelFiles(t, testcorpus.EveryNth(paths, 2))
	improved := 0
	for i, in := range inputs {
		o := shaderlift.Options{Kernel: shaderlift.KernelOptions{Case: cases[i]}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil {
			t.Errorf("%s: %v", in.Path(), err)
			continue
		}
		cost := res.Kernel
		if res.Kind != shaderlift.KindKernel || cost == nil || cost.After == nil || cost.Before.ALU == 0 ||
			res.Pipeline == "" {
			t.Fatalf("%s: %+v", in.Path(), res)
		}
		if testcorpus.Whole || i%8 == 0 {
			if again, _ := shaderlift.Optimize(t.Context(), in, o); !bytes.Equal(again.Files[0].Data, res.Files[0].Data) {
				t.Errorf("%s: two runs differ", in.Path())
			}
		}
		if res.Status == shaderlift.Unchanged {
			if !bytes.Equal(res.Files[0].Data, in.Files[0].Data) {
				t.Errorf("%s: unchanged, but not the bytes it came as", in.Path())
			}
			continue
		}
		improved++
		v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, o)
		if err != nil || v.Verdict() != res.Verdict() || v.Kernel == nil || v.Kernel.After == nil ||
			v.Kernel.After.ALU != cost.After.ALU {
			t.Errorf("%s: verified afresh: %s, %v, %+v", in.Path(), v.Verdict(), err, v.Kernel)
		}
	}
	if improved == 0 {
		t.Error("no kernel got better")
	}
}

// TestKernelsUntouched checks that kernels come back byte for byte without passes, and that malformed
// ones are rejected with a position.
func TestKernelsUntouched(t *testing.T) {
	t.Parallel()
	inputs, _ := kernelFiles(t, testcorpus.Glob(t, "corpus/il/*.il"))
	refused := 0
	for _, in := range inputs {
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Pipeline: "O0", Kernel: shaderlift.KernelOptions{Domain: [2]int{8, 8}}})
		var d *asm.Diag
		switch {
		case errors.As(err, &d):
			if refused++; d.Pos.Line == 0 || d.Code == "" {
				t.Errorf("%v has no place or no code", d)
			}
		case err != nil || !bytes.Equal(res.Files[0].Data, in.Files[0].Data):
			t.Errorf("%s: not what came in: %v", in.Path(), err)
		}
	}
	if refused != 3 {
		t.Errorf("%d of %d kernels are refused, 3 are malformed", refused, len(inputs))
	}
}

// TestKernelTarget checks that a kernel unsupported by the default GPU is priced for one that supports
// it, unless a GPU is requested.
func TestKernelTarget(t *testing.T) {
	inputs, _ := kernelFiles(t, []string{"testdata/il/reduce.il"})
	res, err := shaderlift.Stats(t.Context(), inputs[0], shaderlift.Options{})
	if err != nil || res.Kernel.Target == pricing.DefaultTarget {
		t.Errorf("priced for %+v, %v", res.Kernel, err)
	}
	var d *asm.Diag
	if _, err := shaderlift.Stats(t.Context(), inputs[0],
		shaderlift.Options{Target: pricing.DefaultTarget}); !errors.As(err, &d) || d.Pos.Line == 0 {
		t.Errorf("local memory on %s: %v", pricing.DefaultTarget, err)
	}
	for _, target := range []string{"rv770", "cypress"} {
		res, err := shaderlift.Stats(t.Context(), inputs[0], shaderlift.Options{Target: shaderlift.Target(target)})
		if err != nil || res.Kernel.Target != target {
			t.Errorf("%s: %+v, %v", target, res.Kernel, err)
		}
	}
}

// TestKernelDomain checks that the predicted time belongs to the requested launch.
func TestKernelDomain(t *testing.T) {
	inputs, cases := kernelFiles(t, []string{"testdata/il/pldi_v1.il"})
	cycles := func(o shaderlift.Options) float64 {
		res, err := shaderlift.Stats(t.Context(), inputs[0], o)
		if err != nil {
			t.Fatal(err)
		}
		return res.Kernel.Before.Cycles
	}
	small := cycles(shaderlift.Options{Kernel: shaderlift.KernelOptions{Case: cases[0]}})
	large := cycles(shaderlift.Options{Kernel: shaderlift.KernelOptions{Case: cases[0], Domain: [2]int{512, 512}}})
	if small <= 0 || large < 100*small {
		t.Errorf("%v cycles over the domain of the case, %v over 512 by 512", small, large)
	}
	for _, domain := range [][2]int{{-1, 1}, {1, 1 << 20}} {
		var d *asm.Diag
		if err := (shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: domain}}).Check(); !errors.As(err,
			&d) || d.Code != "domain-size" {
			t.Errorf("a domain of %v gives %v", domain, err)
		}
	}
}

// TestRandomKernels checks that random kernels give kernels that are not refuted.
func TestRandomKernels(t *testing.T) {
	t.Parallel()
	for seed := range testcorpus.Count[uint64](8, 40) {
		in := program("random.il", string(ilgen.Text(seed, ilgen.Options{})))
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: "cypress", Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("seed %d: %v %v\n%s", seed, err, res.Faults, in.Files[0].Data)
		}
	}
}

// FuzzKernel checks that a damaged kernel is rejected with diagnostics, or is a valid kernel, without a
// panic.
func FuzzKernel(f *testing.F) {
	for seed := range testcorpus.Count[uint64](10, 20) {
		f.Add(ilgen.Text(seed, ilgen.Options{}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if shaderlift.Recognize(data) != input.IL || len(data) > 1<<13 {
			t.Skip("the input is not AMD IL, or longer than 8 KiB")
		}
		res, err := shaderlift.Optimize(t.Context(), program("fuzz.il", string(data)),
			shaderlift.Options{Target: "cypress", Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
		var d *asm.Diag
		if err != nil && !errors.As(err, &d) || len(res.Faults) > 0 {
			t.Fatalf("%v %v", err, res.Faults)
		}
	})
}

// TestKernelRunsForever checks that no rewrite is blamed, and none is searched for, if the kernel
// itself does not terminate.
func TestKernelRunsForever(t *testing.T) {
	text := `il_ps_2_0
dcl_output_generic o0
dcl_cb cb0[2]
dcl_literal l0, 0x7fffffff, 1, 0xffffffff, 0
mov r0, l0
mov r1, r1.0000
whileloop
break_logicalz r0.x
iadd r0.x, r0.x, l0.z
mul r2, r1, cb0[1]
add r1, r2, cb0[0]
endloop
mov o0, r1
end
`
	res := optimizeOne(t, shaderlift.Input{Files: []shaderlift.File{{Name: "forever.il", Data: []byte(text)}}},
		shaderlift.Options{Pipeline: "combine-alu", Keep: true})
	told := 0
	for _, r := range res.Remarks {
		switch r.Code {
		case "unverified":
			t.Errorf("%+v", r)
		case "verify":
			told++
		}
	}
	if res.Status != shaderlift.Unchanged || told == 0 {
		t.Errorf("%v: %+v", res.Status, res.Remarks)
	}
}
