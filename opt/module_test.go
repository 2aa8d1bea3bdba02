package opt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
)

// modulePair reads a vertex and a fragment module.
func modulePair(t *testing.T, vertex, fragment string) opt.Input {
	t.Helper()
	in, err := input.ReadFiles(vertex, fragment)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// litPair is a pair whose vertex program sends four components that the fragment program does not read.
func litPair(t *testing.T) opt.Input {
	t.Helper()
	return modulePair(t, "testdata/spirv/lit.vert.spv", "testdata/spirv/lit.frag.spv")
}

func TestOptimizeModules(t *testing.T) {
	in := litPair(t)
	res, err := opt.Optimize(t.Context(), in, opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Kind != input.KindModule || res.Status != opt.Improved || res.Verdict() < verify.ProvedReal {
		t.Fatalf("a %v is %v and %v: %v", res.Kind, res.Status, res.Verdict(), res.Remarks)
	}
	for i, want := range []int{3, 3} {
		if now := res.Modules[i].CurrentCost().Components; now != want {
			t.Errorf("module %d has %d components, want %d", i, now, want)
		}
	}
	checkModules(t, in, res)
	after := opt.Input{Files: res.Files}
	if again, err := opt.Verify(t.Context(), litPair(t), after, opt.Options{}); err != nil || again.Verdict() < verify.ProvedReal {
		t.Errorf("verification of the files: %v, %v", again.Verdict(), err)
	}
	if again, err := opt.Optimize(t.Context(), after, opt.Options{}); err != nil || again.Status != opt.Unchanged {
		t.Errorf("the result is %v when it is optimized again: %v", again.Status, err)
	}
}

// TestOptimizeBothStages checks that the stages of one module are a pair, even if they have a function in common.
func TestOptimizeBothStages(t *testing.T) {
	in, err := input.ReadFiles("testdata/spirv/both.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	res, err := opt.Optimize(t.Context(), in, opt.Options{})
	if err != nil || len(res.Faults) > 0 || res.Status != opt.Improved || res.Verdict() < verify.ProvedReal {
		t.Fatalf("%v, %v: %v, %v", res.Status, res.Verdict(), err, res.Faults)
	}
	for i, stage := range []string{"vertex", "fragment"} {
		if m := res.Modules[i]; m.Stage != stage || m.CurrentCost().Components != 2 {
			t.Errorf("stage %d is the %s stage with %+v, want 2 components", i, m.Stage, m.CurrentCost())
		}
	}
	checkModules(t, in, res)
	after := opt.Input{Files: res.Files}
	if again, err := opt.Verify(t.Context(), in, after, opt.Options{}); err != nil || again.Verdict() < verify.ProvedReal {
		t.Errorf("verification of the file: %v, %v", again.Verdict(), err)
	}
	// The stages no longer agree on the location.
	text := string(after.Files[0].Data)
	at := strings.LastIndex(text, "Location 2")
	after.Files[0].Data = []byte(text[:at] + "Location 3" + text[at+len("Location 2"):])
	if again, err := opt.Verify(t.Context(), in, after, opt.Options{}); err == nil && again.Verdict().OK() {
		t.Errorf("varyings at different locations: %v", again.Verdict())
	}
}

// opaqueFragment reads the texture coordinate of litPair through a function that the lift does not have.
const opaqueFragment = `; SPIR-V
; Version: 1.0
               OpCapability Shader
               OpCapability InterpolationFunction
       %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %uv %result
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %uv Location 0
               OpDecorate %result Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
         %v2 = OpTypeVector %float 2
      %input = OpTypePointer Input %v2
     %output = OpTypePointer Output %v2
         %uv = OpVariable %input Input
     %result = OpVariable %output Output
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %x = OpExtInst %v2 %glsl InterpolateAtCentroid %uv
               OpStore %result %x
               OpReturn
               OpFunctionEnd
`

// TestOptimizeOpaquePair checks that a pair loses dead components if its fragment module is not understood.
func TestOptimizeOpaquePair(t *testing.T) {
	in := litPair(t)
	in.Files[1] = opt.File{Name: "centroid.frag.spvasm", Data: []byte(opaqueFragment)}
	res, err := opt.Optimize(t.Context(), in, opt.Options{})
	if err != nil || len(res.Faults) > 0 || res.Status != opt.Improved || res.Verdict() < verify.ProvedReal {
		t.Fatalf("%v, %v: %v, %v, %v", res.Status, res.Verdict(), err, res.Faults, res.Remarks)
	}
	if n := res.Modules[0].CurrentCost().Components; n != 2 || string(res.Files[1].Data) != opaqueFragment {
		t.Errorf("%d components, want 2; fragment module:\n%s", n, res.Files[1].Data)
	}
	checkModules(t, in, res)
}

// TestOptimizeUnwritten checks that an output goes that is only declared, even if no code changes.
func TestOptimizeUnwritten(t *testing.T) {
	in, err := input.ReadFiles("testdata/spirv/both.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	res, err := opt.Optimize(t.Context(), in, opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(res.Files[0].Data)
	for _, edit := range [][2]string{{`"main"`, `"main" %extra`}, {"OpDecorate", "OpDecorate %extra Location 5\nOpDecorate"},
		{"%gl_Position = OpVariable", "%extra = OpVariable %_ptr_Output_v4float Output\n%gl_Position = OpVariable"}} {
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	in.Files[0].Data = []byte(text)
	if res, err = opt.Optimize(t.Context(), in, opt.Options{}); err != nil || res.Status != opt.Improved {
		t.Fatalf("%v: %v, %v", err, res.Status, res.Remarks)
	}
	if strings.Contains(string(res.Files[0].Data), "Location 5") {
		t.Errorf("the output stays:\n%s", res.Files[0].Data)
	}
	checkModules(t, in, res)
}

// checkModules validates the files of a result with spirv-val, if it is installed and accepts the input.
func checkModules(t *testing.T, in opt.Input, res *opt.Result) {
	t.Helper()
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		return
	}
	validate := func(f opt.File) (string, error) {
		cmd := exec.Command(tool, "--target-env", "vulkan1.3")
		cmd.Stdin = strings.NewReader(string(f.Data))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for i, f := range res.Files {
		if _, old := validate(in.Files[i]); old != nil {
			continue // an old validator
		}
		if out, err := validate(f); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, out)
		}
	}
}

// TestOptimizeLoneModule checks that a module without its partner keeps its varyings.
func TestOptimizeLoneModule(t *testing.T) {
	in := litPair(t)
	in.Files = in.Files[:1]
	res, err := opt.Optimize(t.Context(), in, opt.Options{})
	if err != nil || res.Modules[0].CurrentCost().Components != res.Modules[0].Before.Components {
		t.Fatalf("%v: %+v", err, res.Modules)
	}
	checkModules(t, in, res)
}

// TestWrongModulePair checks that two modules must be a vertex and a fragment module, in this order.
func TestWrongModulePair(t *testing.T) {
	in := litPair(t)
	in.Files[0], in.Files[1] = in.Files[1], in.Files[0]
	if _, err := opt.Optimize(t.Context(), in, opt.Options{}); err == nil || !strings.Contains(err.Error(), "vertex module") {
		t.Errorf("the error is %v", err)
	}
}

// TestOptimizeModuleCorpus optimizes pairs that nobody here wrote: no fault, every result valid, and no more components
// unless a GPU gains.
func TestOptimizeModuleCorpus(t *testing.T) {
	root := testcorpus.Path(t, "corpus/spirv")
	list, err := os.ReadFile(filepath.Join(root, "PAIRS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range testcorpus.EveryNth(strings.Split(strings.TrimSpace(string(list)), "\n")[1:], 15) {
		fields := strings.Split(line, "\t")
		if fields[3] == "module" {
			continue
		}
		in := modulePair(t, filepath.Join(root, fields[1]), filepath.Join(root, fields[2]))
		res, err := opt.Optimize(t.Context(), in, opt.Options{})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("%s: %v, %v", fields[0], err, res.Faults)
			continue
		}
		if res.Status == opt.Improved && res.Verdict() < verify.Bounded {
			t.Errorf("%s is %v, %v", fields[0], res.Status, res.Verdict())
		}
		before, after := res.Modules[0].Before.Components, res.Modules[0].CurrentCost().Components
		gains := false
		for i := range res.Draws {
			gains = gains || res.Draws[i].CurrentCost().Time < res.Draws[i].Before.Time
		}
		if after > before && !gains {
			t.Errorf("%s: components %d -> %d, and no GPU is faster", fields[0], before, after)
		}
		checkModules(t, in, res)
	}
}
