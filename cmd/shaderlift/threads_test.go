package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// threads is a table of inputs in the spirit of public questions (see testdata/threads), and the answer that each needs:
// the status, and expressions that the output matches. The number in a name is that of the thread.
var threads = []struct {
	status int
	args   string
	want   []string
}{
	// Sources and other formats: the way to a program.
	{1, "opt -n a.hlsl", []string{`fxc /T ps_3_0 /E main /Fo a.pso a.hlsl, then run shaderlift opt --fit ps_2_0 VERTEX,a.pso; --compile`}},
	{1, "opt -n a.glsl", []string{`spirv-cross --hlsl .*fxc /T ps_3_0 or vs_3_0 .*opt --fit ps_2_0`}},
	{1, "opt -n a.cl", []string{`OpenCL source: compile it to AMD IL .*GPU_DUMP_DEVICE_KERNEL=1`}},
	{1, "opt -n a.dxbc", []string{`Direct3D 10 or later \(DXBC\): compile its source for Direct3D 9 \(fxc /T vs_3_0, ps_3_0 or fx_2_0\)`}},
	{1, "opt -n a.mgfx", []string{`MonoGame \(MGFX\).*compile its source for XNA or FNA \(fxc /T fx_2_0\)`}},

	// It does not fit: it is made to, or the reasons are few.
	{0, "opt -n --fit ps_2_0 chain.psh", []string{`improved: pixel 18 slots; the input exceeds limits of its model \(texture-dependency\); verified`}},
	{0, "opt -n --target d3d9 chain.psh", []string{`6 -> 1 texture read phase`}},
	{0, "opt -n --target d3d9 mgcrt_temps.psh", []string{`improved: pixel 42 slots, 14 -> 12 temporaries; .*\(temporary-limit\); verified`}},
	{0, "opt -n --fit ps_2_0 iridescence.vsh,iridescence.psh", []string{`pixel 22 -> 26 slots \(ps_3_0 -> ps_2_0\), vertex 15 -> 21 slots \(vs_3_0 -> vs_2_0\); verified`}},
	{2, "opt -n iridescence.vsh,iridescence.psh", []string{`v10 is out of range: ps_3_0 has 10; also in line 33 \[input-limit\]`}},
	{2, "opt -n --fit ps_2_0 mg4048.vsh,mg4048.psh", []string{`number 5 in a chain of dependent reads: ps_2_0 allows 4; also in lines 192, 198 \[texture-dependency\]`,
		`the nearest pixel program needs .* of 64 arithmetic slots`, `it fits with --fit ps_2_b\n`}},
	{0, "opt -n mg4048.vsh,mg4048.psh", []string{`improved: pixel 199 -> 1[34]\d slots`}},
	{2, "opt -n --fit ps_2_0 wpf_bloom.psh", []string{`give both programs of the pair, or the host of a lone pixel program: --partner spritebatch, wpf, fullscreen, reshade`}},
	{0, "opt -n --fit ps_2_0 --partner wpf wpf_bloom.psh", []string{`pixel 9 slots \(ps_3_0 -> ps_2_0\); verified; with partner wpf`}},

	// Programs that their assembler refuses: the statement, and the repair.
	{1, "opt -n cxbx_1276.psh", []string{`cxbx_1276.psh:3:5: r4 is out of range: ps_1_3 has 2 \[register-range\]`}},
	{1, "lint --client d3dx cxbx_1276b.psh", []string{`:3:1: mul cannot write .x of r0 in ps_1_1; write to all components of rgb, to a, or to both \[write-mask\]`}},
	{1, "opt -n otis_x4509.psh", []string{`otis_x4509.psh:3:8: s16 is out of range: ps_3_0 has 16 \[register-range\]`}},
	{1, "opt -n depth3d_101.psh", []string{`depth3d_101.psh:2:1: vPos has only components x and y; declare vPos.xy \[declaration\]`}},
	{1, "lint --client d3d8to9 d3d8to9_65.psh", []string{`:2:1: t1.xyzw is read, .*tex loads a texture register`, `:3:1: t0.xyzw is read`}},
	{0, "lint --client d3d8to9 d3d8to9_65_fixed.psh", []string{`0 findings`}},
	{1, "lint --client d3d8to9 d3d8to9_81_fog.vsh", []string{`:5:1: source 1 of mad must be one component, because oFog has only one; select one component`}},
	{1, "lint --client d3d8to9 d3d8to9_81_fog90.vsh", []string{`:5:1: .*\[scalar-output\]`}},
	{0, "opt -n --target d3d9 d3d8to9_81_fog.vsh", []string{`improved: vertex 9 -> 6 slots; the input exceeds limits of its model \(scalar-output\); verified`}},
	{0, "opt -n --target d3d9 d3d8to9_81_fog90.vsh", []string{`improved: vertex 9 -> 6 slots`}},

	// Constants with modifiers in ps_1_x: their value is undefined, and d3d8to9 copies them.
	{0, "opt -n -v invc2.psh", []string{`line 3: the value of c0 under a modifier is undefined in ps_1_1 \[constant-modifier\]`}},
	{0, "opt -n -v negc2.psh", []string{`line 3: .* \[constant-modifier\]`}},
	{0, "lint --client d3d8to9 invc2.psh", []string{`0 findings`}},
	{0, "lint --client d3d8to9 negc2.psh", []string{`0 findings`}},
	{0, "lint --client d3d8to9 biasc.psh", []string{`0 findings`}},
	{0, "lint --client d3d8to9 invc.psh", []string{`0 findings`}},
	{0, "lint --client d3d8to9 negc.psh", []string{`0 findings`}},
	{0, "lint --client d3d8to9 negc14.psh", []string{`0 findings`}},

	// Fog, scalars and old pixel programs.
	{0, "opt -n --target d3d9 fog.vsh", []string{`improved: vertex 8 -> 7 slots; verified`}},
	{0, "opt -n --target d3d9 fog2.vsh", []string{`improved: vertex 11 -> 9 slots; verified`}},
	{0, "opt -n --target d3d9 scalar.vsh", []string{`improved: vertex 10 -> 8 slots; verified`}},
	{0, "opt -n -v up11.vsh,up11.psh", []string{`up11.psh stays unchanged, because programs of ps_1_1 are not optimized`}},
	{0, "opt -n up11.psh", []string{`compile the shader for ps_2_0 if your GPUs have it`}},

	// Kernels.
	{0, "opt -n md5step.il", []string{`improved: 25779 -> 24755 cycles, .*; verified`}},
	{0, "opt -n bfi.il", []string{`16499 cycles, 8 groups`}},
	{0, "opt -n ilcall.il", []string{`32654 cycles, 1 group of 4 operations, 1 fetch`}},
}

// TestThreads checks the answer to each input of the table, and that the table has all inputs.
func TestThreads(t *testing.T) {
	shared := testcorpus.GlobOptional(t, "corpus/field/threads/*")
	local, err := filepath.Glob("testdata/threads/*")
	if err != nil || len(local) == 0 {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, c := range threads {
		for _, word := range strings.FieldsFunc(c.args, func(r rune) bool { return r == ' ' || r == ',' }) {
			asked[word] = true
		}
	}
	for _, path := range append(local, shared...) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		copied, err2 := os.ReadFile(filepath.Join("testdata", "threads", name))
		if err != nil || err2 != nil || !bytes.Equal(data, copied) || !asked[name] {
			t.Errorf("%s: %v, %v; it must be in testdata/threads and in the table", path, err, err2)
		}
	}
	t.Chdir("testdata/threads")
	for _, c := range threads {
		t.Run(c.args, func(t *testing.T) {
			var out, errs bytes.Buffer
			if status := run(t.Context(), strings.Fields(c.args), strings.NewReader(""), &out, &errs); status != c.status {
				t.Errorf("status %d, not %d", status, c.status)
			}
			text := out.String() + errs.String()
			for _, want := range c.want {
				if !regexp.MustCompile(want).MatchString(text) {
					t.Errorf("nothing matches %s in\n%s", want, text)
				}
			}
		})
	}
}
