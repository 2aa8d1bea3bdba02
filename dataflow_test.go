package shaderlift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// TestReads checks that an instruction reads the statements that compute its operand components,
// regardless of earlier values of the register. A loop passes on the values computed in it.
func TestReads(t *testing.T) {
	vertex := "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndefi i0, 3, 0, 1, 0\n" + // c1 is the application's
		"mov r0, c1\n" + // 0
		"mul r0.x, v0.x, c2.x\n" + // 1
		"rep i0\n" + // 2
		"add r0.y, r0.y, v0.y\n" + // 3
		"endrep\n" + // 4
		"mov o0, v0\n" + // 5
		"add o1, r0.xyyw, c3\n" // 6
	res, err := shaderlift.Explain(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{{Name: "a.vsh", Data: []byte(vertex)}}}, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{"mov r0, c1": nil, "mul r0.x, v0.x, c2.x": nil, "rep i0": {0, 3},
		"add r0.y, r0.y, v0.y": {2}, "add o1, r0.xyyw, c3": {0, 1, 2}} {
		at := slices.IndexFunc(res.Programs[0].Instructions, func(in shaderlift.Instruction) bool { return in.Text == text })
		if at < 0 || !slices.Equal(res.Programs[0].Instructions[at].Reads, want) {
			t.Errorf("%s reads %v, not %v", text, res.Programs[0].Instructions, want)
		}
	}
}

// TestReadsOfKernels checks the reads of statements of kernels, and that groups of machine programs
// list the operation of each slot.
func TestReadsOfKernels(t *testing.T) {
	kernel := "il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\n" +
		"dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n" +
		"sample_resource(0)_sampler(0) r0, vWinCoord0.xy00\nmul_ieee r1, r0, r0\nadd o0, r1, r0\nend\n"
	res, err := shaderlift.Explain(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{{Name: "a.il", Data: []byte(kernel)}}}, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{nil, {0}, {0, 1}} {
		if in := res.Programs[0].Instructions[i]; !slices.Equal(in.Reads, want) {
			t.Errorf("%s reads %v, not %v", in.Text, in.Reads, want)
		}
	}
	groups := 0
	for _, in := range res.Programs[1].Instructions {
		filled := 0
		for slot, text := range in.Units {
			if text != "" {
				filled++
				if !strings.Contains(in.Text, string("xyzwt"[slot])+": "+text) {
					t.Errorf("%q is not in slot %d of %s", text, slot, in.Text)
				}
			}
		}
		if filled != in.Slots {
			t.Errorf("%d slots are filled, not %d, of %s", filled, in.Slots, in.Text)
		}
		groups += min(filled, 1)
	}
	if groups == 0 {
		t.Error("there are no groups")
	}
}
