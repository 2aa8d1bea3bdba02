package shaderlift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// TestExplainMerged checks that a merged instruction names its instruction in the result, and the
// rewrite. The cases are a product and a sum that became a mad, two joined instructions, an equal
// value, and moves. Unneeded and evaluated instructions are gone.
func TestExplainMerged(t *testing.T) {
	const vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n"
	const pixel = "ps_2_0\ndef c0, 0.5, 2, 4, 1\ndcl t0\ndcl_2d s0\n"
	for _, x := range []struct{ name, program, line, want string }{
		{"mad", "texld r0, t0, s0\nmul r1, r0, r0\nadd r1, r1, c2\nmov oC0, r1\n", "mul r1, r0, r0",
			"7 mad r0, r0, r0, c2 (combine-alu: add made mad [combined])"},
		{"joined", "texld r0, t0, s0\nadd r1.x, r0.x, c1.x\nadd r1.y, r0.y, c1.y\nmov r1.zw, r0\nmul r1, r1, r1\nmov oC0, r1\n", "add r1.y, r0.y, c1.y",
			"6 add r1.xy, r1, c1 (vectorize: add joined with one before [joined])"},
		{"equal", "texld r0, t0, s0\nmul r1, r0, r0\nmul r2, r0, r0\nmad r0, r1, c1, r2\nmov oC0, r0\n", "mul r2, r0, r0",
			"6 mul r0, r0, r0 (gvn: mul replaced by an equal value [equal-value])"},
		{"copy", "texld r0, t0, s0\nmov r1, r0.wzyx\nmad r0, r1, r0, c1\nmov oC0, r0\n", "mov r1, r0.wzyx",
			"7 mad r0, r0.wzyx, r0, c1 (copyprop: mad reads the source of a copy [copy])"},
		{"dead", "texld r0, t0, s0\nmul r1, r0, c1\nmov oC0, r0\n", "mul r1, r0, c1", "gone"},
		{"known", "texld r0, t0, s0\nmov r1, c0.x\nmul r1, r1, c0.y\nmul r0, r0, r1\nmov oC0, r0\n", "mul r1, r1, c0.y",
			"gone"},
	} {
		in := shadersOf(vertex, pixel+x.program)
		for _, in := range []shaderlift.Input{in, {Files: in.Files[1:]}} { // in a pair, and alone
			o := shaderlift.Options{Target: shaderlift.SlotTarget}
			res, err := shaderlift.Explain(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := became(t, res, len(in.Files)-1, x.line); got != x.want {
				t.Errorf("%s: %s is %s, not %s", x.name, x.line, got, x.want)
			}
		}
	}
}

// TestExplainMergedKernel does the same for statements of kernels.
func TestExplainMergedKernel(t *testing.T) {
	const kernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[3]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
sample_resource(0)_sampler(0) r0, vWinCoord0.xy
sample_resource(0)_sampler(0) r1, vWinCoord0.xy
add r2.x, r0.x, cb0[0].x
add r2.y, r0.y, cb0[0].y
mov r3, r1
mul r2.xy, r2, r3
mov r2.zw, r0
mul r4, r0, r0
mov o0, r2
end
`
	res, err := shaderlift.Explain(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{{Name: "a.il", Data: []byte(kernel)}}}, shaderlift.Options{Pipeline: "O2",
			Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"sample_resource(0)_sampler(0) r1, vWinCoord0.xy": "6 sample_resource(0)_sampler(0) o0, vWinCoord0.xy (gvn: fetch replaced by an equal value [equal-value])",
		"add r2._y__, r0.y, cb0[0].y":                     "8 add r2.xy__, o0, cb0[0] (vectorize: add joined with one before [joined])",
		"mov r3, r1":                                      "11 mul o0.xy__, r2, o0 (copyprop: mul reads the source of a copy [copy])",
		"mul r4, r0, r0":                                  "gone",
	} {
		if got := became(t, res, 0, line); got != want {
			t.Errorf("%s is %s, not %s", line, got, want)
		}
	}
}

// became returns the fate of an instruction of program p. If it was merged, it returns the first
// instruction of the result that contains it, with its line and the rewrite.
func became(t *testing.T, res *shaderlift.Result, p int, text string) string {
	t.Helper()
	for i := range res.Programs[p].Instructions {
		in := &res.Programs[p].Instructions[i]
		wellMerged(t, res, in)
		if in.Text != text {
			continue
		}
		if in.Fate != explain.Merged {
			return string(in.Fate)
		}
		m := in.Merged[0]
		return fmt.Sprintf("%d %s (%s: %s [%s])", m.Line, m.Text, m.Pass, m.Message, m.Code)
	}
	t.Fatalf("there is no %s", text)
	return ""
}

// wellMerged fails unless exactly the merged instructions name others of the result.
func wellMerged(t *testing.T, res *shaderlift.Result, in *shaderlift.Instruction) {
	t.Helper()
	if (in.Fate == explain.Merged) != (len(in.Merged) > 0) {
		t.Errorf("%s: %d %s is %s with %d instructions", res.Name, max(in.Line, in.Offset), in.Text, in.Fate, len(in.Merged))
	}
	for _, m := range in.Merged {
		now := res.Rewritten[m.Program].Instructions[m.Index]
		if m.Text != now.Text || m.Line != now.Line || m.Offset != now.Offset || m.From != now.From {
			t.Errorf("%s: %d %s is merged with %+v, which is %+v", res.Name, max(in.Line, in.Offset), in.Text, m, now)
		}
		if (m.Pass == "") != (m.Code == "") || (m.Code == "") != (m.Message == "") {
			t.Errorf("%s: %d %s: half a rewrite: %+v", res.Name, max(in.Line, in.Offset), in.Text, m)
		}
	}
}

// TestExplainGone checks that a gone instruction computes nothing that is needed: with another value in
// its place, the verifier finds the program equal. Merged instructions name instructions of the result.
func TestExplainGone(t *testing.T) {
	found := map[explain.Fate]int{}
	o := shaderlift.Options{Target: shaderlift.SlotTarget}
	for _, in := range testcorpus.EveryNth(append(corpusPairs(t), corpusTexts(t)...), 9) {
		res, err := shaderlift.Explain(t.Context(), in, o)
		if err != nil {
			continue // it exceeds its model
		}
		for i, p := range res.Programs {
			for k := range p.Instructions {
				inst := &p.Instructions[k]
				found[inst.Fate]++
				wellMerged(t, res, inst)
				if inst.Fate != explain.Gone || inst.Rate == "" {
					continue
				}
				if other := negated(t, in, i, k); !same(t, in, other, o) {
					t.Errorf("%s: program %d, %d: %s is gone, but needed", in.Path(), i, max(inst.Line, inst.Offset), inst.Text)
				}
			}
		}
	}
	if found[explain.Gone] == 0 || found[explain.Merged] == 0 {
		t.Errorf("no fate of both kinds: %v", found)
	}
}

// negated returns in with the first source of instruction k of a program negated.
func negated(t *testing.T, in shaderlift.Input, program, k int) shaderlift.Input {
	t.Helper()
	in.Files = slices.Clone(in.Files)
	f := &in.Files[program]
	q, err := d3d9.Read(f.Name, f.Data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range q.Insts {
		inst := &q.Insts[i]
		if kind := inst.Op.Kind(); kind == d3d9.Trivia || kind == d3d9.Declaration {
			continue
		}
		if k--; k == -1 {
			mods := map[d3d9.SrcMod]d3d9.SrcMod{d3d9.ModNone: d3d9.ModNeg, d3d9.ModNeg: d3d9.ModNone,
				d3d9.ModAbs: d3d9.ModAbsNeg, d3d9.ModAbsNeg: d3d9.ModAbs}
			inst.Src[0].Mod = mods[inst.Src[0].Mod]
			inst.Text, inst.Raw = "", nil
		}
	}
	if f.Data, err = d3d9.Write(q); err != nil {
		t.Fatal(err)
	}
	return in
}

// same reports whether the verifier finds two inputs equal.
func same(t *testing.T, a, b shaderlift.Input, o shaderlift.Options) bool {
	t.Helper()
	res, err := shaderlift.Verify(t.Context(), a, b, o)
	if err != nil {
		t.Log(err)
	}
	return err == nil && res.Verdict().OK()
}

// TestExplainGoneKernels does the same for kernels: without a gone statement the verifier finds the
// kernel equal, or the statement's result is known.
func TestExplainGoneKernels(t *testing.T) {
	found := map[explain.Fate]int{}
	o := shaderlift.Options{Pipeline: "O2", Kernel: shaderlift.KernelOptions{Domain: smallDomain}}
	for _, path := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/il/*.il"), 23) {
		in := shaderlift.Input{Files: []shaderlift.File{readFile(t, path)}}
		res, err := shaderlift.Explain(t.Context(), in, o)
		if err != nil {
			continue // it has two statements on a line
		}
		// If a loop was unrolled, its counter is gone, and without the counter the loop does not
		// terminate.
		counts := slices.ContainsFunc(res.Programs[0].Instructions,
			func(in shaderlift.Instruction) bool { return in.Fate == explain.Gone && in.Text == "whileloop" })
		for k := range res.Programs[0].Instructions {
			inst := &res.Programs[0].Instructions[k]
			found[inst.Fate]++
			wellMerged(t, res, inst)
			if inst.Fate != explain.Gone || inst.Rate == "" || counts {
				continue
			}
			known := inst.Why.Code == "literals" ||
				slices.ContainsFunc(res.Remarks, func(m shaderlift.Remark) bool {
					return m.Line == inst.Line &&
						m.Code == "evaluated"
				})
			lines := strings.SplitAfter(string(in.Files[0].Data), "\n")
			lines[inst.Line-1] = "\n"
			without := shaderlift.Input{Files: []shaderlift.File{{Name: in.Files[0].Name,
				Data: []byte(strings.Join(lines, ""))}}}
			if !known && !same(t, in, without, o) {
				t.Errorf("%s:%d: %s is gone, but needed", path, inst.Line, inst.Text)
			}
		}
	}
	if found[explain.Gone] == 0 || found[explain.Merged] == 0 {
		t.Errorf("no fate of both kinds: %v", found)
	}
}
