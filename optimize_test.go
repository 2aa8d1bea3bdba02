package shaderlift_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

func conv1d(t testing.TB) shaderlift.Input {
	t.Helper()
	var in shaderlift.Input
	for _, name := range []string{"testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	return in
}

// TestConv1D checks the paper's convolution: all computation of coordinates leaves the pixel program,
// which keeps three fetches, three products and sums, and the output.
func TestConv1D(t *testing.T) {
	in := conv1d(t)
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != shaderlift.Improved || res.Verdict() != verify.ProvedReal || res.Name != "conv1d" ||
		res.Kind != shaderlift.KindPair {
		t.Errorf("%s %s: %s, %s", res.Kind, res.Name, res.Status, res.Verdict())
	}
	pixel := res.Stages[1]
	if pixel.Stage != d3d9.Pixel || pixel.Before.Slots != 16 || pixel.After.Slots > 7 || pixel.After.Texture != 3 {
		t.Errorf("pixel program: %+v -> %+v", pixel.Before, *pixel.After)
	}
	if len(res.Uploads) > 0 {
		t.Errorf("constants that the program defines need no upload: %v", res.Uploads)
	}
	again, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{})
	if err != nil || again.Verdict() != res.Verdict() {
		t.Errorf("verified afresh: %v, %v", again.Verdict(), err)
	}
}

// TestNumerics checks that Terms does not permit interpolating sums.
func TestNumerics(t *testing.T) {
	res, err := shaderlift.Optimize(t.Context(), conv1d(t), shaderlift.Options{Numerics: shaderlift.Terms})
	if err != nil || res.Verdict() != verify.Proved {
		t.Fatalf("%v, %v", res.Verdict(), err)
	}
	if slots := res.Stages[1].CurrentCost().Slots; slots <= 7 {
		t.Errorf("%d slots: code moved although only equal terms are admitted", slots)
	}
}

// TestHostConstants checks that constants of the host move only if it mirrors them, and are reported.
func TestHostConstants(t *testing.T) {
	in := pair(plainVertex, "ps_2_0\ndcl t0\ndcl_2d s0\nmul r0.xy, t0, c3\nadd r0.xy, r0, c4\ntexld r0, r0, s0\nmov oC0, r0\n")
	separate, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil || separate.Status != shaderlift.Unchanged || separate.Uploads != nil {
		t.Errorf("separate: %v %v, %v", separate.Status, separate.Uploads, err)
	}
	mirrored, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	if err != nil || mirrored.Status != shaderlift.Improved {
		t.Fatalf("mirrored: %v, %v", mirrored.Status, err)
	}
	var from []uint16
	for _, u := range mirrored.Uploads {
		from = append(from, u.From.Index)
	}
	slices.Sort(from)
	if !slices.Equal(from, []uint16{3, 4}) {
		t.Errorf("uploads %v, want ps c3 and ps c4", mirrored.Uploads)
	}
}

// TestNothingToDo checks that no passes or no fuel change nothing.
func TestNothingToDo(t *testing.T) {
	none := 0
	for _, o := range []shaderlift.Options{{Pipeline: "O0"}, {Limits: shaderlift.Limits{Fuel: &none}}} {
		in := conv1d(t)
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || res.Status != shaderlift.Unchanged || res.Verdict() != verify.Proved {
			t.Fatalf("%v %v, %v", res.Status, res.Verdict(), err)
		}
		for i, f := range res.Files {
			if !bytes.Equal(f.Data, in.Files[i].Data) || f.Name != in.Files[i].Name {
				t.Errorf("%s is not what came in", f.Name)
			}
		}
	}
}

// TestFuel checks that every amount of fuel gives a whole program that costs no more than the input.
func TestFuel(t *testing.T) {
	in := conv1d(t)
	var slots int
	for fuel := range 40 {
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: shaderlift.SlotTarget, Limits: shaderlift.Limits{Fuel: &fuel}})
		if err != nil {
			t.Fatalf("fuel %d: %v", fuel, err)
		}
		if slots = res.Stages[1].CurrentCost().Slots; slots > 16 {
			t.Errorf("fuel %d: %d slots", fuel, slots)
		}
	}
	if slots > 7 {
		t.Errorf("39 rewrites leave %d slots", slots)
	}
}

// TestNotUnderstood checks that an unsupported program stays unchanged, with a remark and without a
// failure, while the other program of the pair is optimized.
func TestNotUnderstood(t *testing.T) {
	const indexed = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord0 o1\ndcl_texcoord1 o2\ndefi i0, 2, 1, 1, 0\n" +
		"mov o0, v0\nloop aL, i0\nmov o[aL], v0\nendloop\n"
	in := pair(indexed, "ps_3_0\ndcl_texcoord v0\nadd r0, v0, v0\nadd r0, v0, v0\nmov oC0, v0\n")
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == "indexed-output" }) {
		t.Errorf("no remark: %v", res.Remarks)
	}
	if res.Status != shaderlift.Improved || res.Stages[1].After.Slots != 1 {
		t.Errorf("the pixel program costs %d slots, %s", res.Stages[1].CurrentCost().Slots, res.Status)
	}
	if !bytes.Equal(res.Files[0].Data, in.Files[0].Data) {
		t.Error("the vertex program is not what came in")
	}

	in = program("a.vsh", indexed)
	res, err = shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil || res.Status != shaderlift.Unchanged || res.Verdict() != verify.Proved || len(res.Remarks) == 0 {
		t.Errorf("an indexed output: %v %v %v, %v", res.Status, res.Verdict(), res.Remarks, err)
	}
}

// TestKeep checks that an explicit pipeline must pay as a whole, not in every stage. With Keep it need
// not pay; the result is still verified.
func TestKeep(t *testing.T) {
	const counted = "ps_3_0\ndefi i0, 9, 0, 0, 0\ndcl_texcoord v0\ndef c8, 1, 2, 3, 4\nmov r0, v0\nrep i0\nadd r0, r0, c8\nendrep\n"
	const spelled = "unroll{factor=full}"
	in := program("a.psh", counted+"mov oC0, r0\n")
	for _, c := range []struct {
		pipeline string
		keep     bool
		want     shaderlift.Status
	}{
		{spelled, false, shaderlift.Unchanged},
		{spelled, true, shaderlift.Changed},
		{"gvn", true, shaderlift.Unchanged},
	} {
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: c.pipeline, Keep: c.keep})
		if err != nil || res.Status != c.want || res.Verdict() != verify.Proved {
			t.Errorf("%s, keep %v: %s, %s, %v", c.pipeline, c.keep, res.Status, res.Verdict(), err)
			continue
		}
		if before, after := res.Stages[0].Before.Slots, res.Stages[0].CurrentCost().Slots; after > before != (c.want == shaderlift.Changed) {
			t.Errorf("%s, keep %v: %d -> %d slots", c.pipeline, c.keep, before, after)
		}
	}
	// The unrolled loop costs more until folding computes the result of its trips.
	in = program("b.psh", strings.Replace(counted, "mov r0, v0", "mov r0, c8", 1)+"mov oC0, r0\n")
	if res, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Pipeline: spelled + ",fold,copyprop,dce"}); err != nil || res.Status != shaderlift.Improved ||
		res.Stages[0].After.Slots != 1 {
		t.Errorf("%+v, %v", res.Stages, err)
	}
}

// TestUnrollFits checks that one of two loops stays if its unrolled form exceeds the slots of the
// model.
func TestUnrollFits(t *testing.T) {
	in := program("a.psh", "ps_3_0\ndefi i0, 9, 0, 0, 0\ndefi i1, 255, 0, 0, 0\ndcl_texcoord v0\nmov r0, v0\n"+
		"rep i0\nadd r0, r0, c0\nendrep\nrep i1\nmul r0, r0, v0\nadd r0, r0, c0\nmul r0, r0, c1\nendrep\nmov oC0, r0\n")
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Pipeline: "unroll{factor=full}", Keep: true})
	if err != nil || res.Status != shaderlift.Changed || res.Verdict() != verify.Proved {
		t.Fatalf("%s, %s, %v", res.Status, res.Verdict(), err)
	}
	if text := string(res.Files[0].Data); strings.Count(text, "endrep") != 1 || strings.Count(text, "add") != 10 {
		t.Error(text)
	}
	if !slices.ContainsFunc(res.Remarks, func(r shaderlift.Remark) bool {
		return r.Pass == "unroll" &&
			r.Code == "unfit"
	}) {
		t.Errorf("no remark: %v", res.Remarks)
	}
}

// TestFit checks that a program beyond the limits of its model is accepted if it can be made to fit.
func TestFit(t *testing.T) {
	var b strings.Builder
	b.WriteString("ps_2_0\ndcl t0\nmov r0, t0\n")
	for range 70 {
		b.WriteString("add r1, t0, t0\n") // all dead but the last
	}
	large := b.String()
	res, err := shaderlift.Optimize(t.Context(), program("dead.psh", large+"add r0, r0, r1\nmov oC0, r0\n"),
		shaderlift.Options{})
	if err != nil || res.Status != shaderlift.Improved {
		t.Fatalf("%v, %v", res.Status, err)
	}
	p, err := d3d9.Read("out", res.Files[0].Data)
	if err != nil || len(d3d9.Validate(p)) > 0 {
		t.Errorf("what is written is not valid: %v %v", err, d3d9.Validate(p))
	}

	b.Reset()
	b.WriteString("ps_2_0\ndcl t0\nmov r0, t0\n")
	for range 70 {
		b.WriteString("rcp r1.x, r0.x\nmul r0, r0, r1.x\n")
	}
	b.WriteString("mov oC0, r0\n")
	res, err = shaderlift.Optimize(t.Context(), program("live.psh", b.String()), shaderlift.Options{})
	if !errors.Is(err, shaderlift.ErrFit) || res.Status != shaderlift.Failed || res.Files != nil {
		t.Errorf("too large: %v, %v", res.Status, err)
	}
}

// TestLinkRemarks checks for remarks on inputs without a matching output.
func TestLinkRemarks(t *testing.T) {
	for _, test := range []struct{ vs, ps, code string }{
		{plainVertex, "ps_2_0\ndcl t3\nmov oC0, t3\n", "unwritten-varying"},
		{plainVertex, "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n", "mixed-models"},
	} {
		res, err := shaderlift.Stats(t.Context(), pair(test.vs, test.ps), shaderlift.Options{})
		if err != nil || !slices.ContainsFunc(res.Remarks,
			func(r shaderlift.Remark) bool { return string(r.Code) == test.code }) {
			t.Errorf("remarks %v, want %s; %v", res.Remarks, test.code, err)
		}
	}
}

func TestVerify(t *testing.T) {
	mul := func(k float32) shaderlift.Input {
		return program("a.psh", fmt.Sprintf("ps_2_0\ndef c0, %g, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0\n", k))
	}
	if res, err := shaderlift.Verify(t.Context(), mul(2), mul(2), shaderlift.Options{}); err != nil ||
		res.Verdict() != verify.Proved {
		t.Errorf("the same program: %v, %v", res.Verdict(), err)
	}
	res, err := shaderlift.Verify(t.Context(), mul(2), mul(3), shaderlift.Options{})
	if !errors.Is(err, shaderlift.ErrRefused) || res.Verdict() != verify.Refuted || res.Status != shaderlift.Failed {
		t.Errorf("another program: %v %v, %v", res.Status, res.Verdict(), err)
	}
	if _, err := shaderlift.Verify(t.Context(), mul(2), pair(plainVertex, plainPixel), shaderlift.Options{}); err == nil {
		t.Error("a program was compared with a pair")
	}
}

func TestRun(t *testing.T) {
	img, _, err := shaderlift.Run(t.Context(), conv1d(t), shaderlift.Options{})
	if err != nil || img.Coverage() == 0 {
		t.Fatalf("%v", err)
	}
	if _, _, err := shaderlift.Run(t.Context(), program("p.psh", plainPixel), shaderlift.Options{}); err == nil {
		t.Error("a lone program was drawn")
	}
}

// TestListing checks that numbers in a listing are comments: it assembles to the listed program.
func TestListing(t *testing.T) {
	in := program("p.psh", plainPixel)
	text, err := shaderlift.Listing(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "// approximately 2 instruction slots used (1 texture, 1 arithmetic)\n") {
		t.Errorf("the listing ends wrong:\n%s", text)
	}
	want, err := shaderlift.Assemble(in.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := shaderlift.Assemble(shaderlift.File{Name: "listing", Data: text}); err != nil ||
		!bytes.Equal(got, want) {
		t.Errorf("the listing assembles to another program: %v", err)
	}
}

func TestAssemble(t *testing.T) {
	code, err := shaderlift.Assemble(shaderlift.File{Name: "p.psh", Data: []byte(plainPixel)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := shaderlift.Disassemble(shaderlift.File{Name: "p.pso", Data: code})
	if err != nil {
		t.Fatal(err)
	}
	again, err := shaderlift.Assemble(shaderlift.File{Name: "p.psh", Data: text})
	if err != nil || !bytes.Equal(again, code) {
		t.Errorf("assembled again: %v", err)
	}
	if _, err := shaderlift.Assemble(shaderlift.File{Data: []byte("ps_2_0\ndcl t0\nmov oC0, t0\nmov oC0, r1\n")}); err == nil {
		t.Error("a read of an uninitialized register was assembled")
	}
}

// TestFitOperands checks that a program with more temporaries than its model has, or unsupported
// swizzles, is made to fit: compilers write such programs.
func TestFitOperands(t *testing.T) {
	res, err := shaderlift.Optimize(t.Context(), program("wide.psh", `ps_2_0
dcl t0
dcl t1
mov r12, t0.yxzw
mov r13, t1
mul r14, r12, r13
mov r15, r14
mov oC0, r15
`), shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read("out", res.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if ds := d3d9.Validate(p); len(ds) > 0 || res.Status != shaderlift.Improved ||
		!strings.HasPrefix(res.Verdict().String(), "proved") {
		t.Errorf("%s, %s: %v\n%s", res.Status, res.Verdict(), ds, res.Files[0].Data)
	}
}

// TestScalarOutputs checks that registers of one component use it regardless of the write mask.
func TestScalarOutputs(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{
		{Name: "a.vsh", Data: []byte("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov r4, v0\nmov oPos, r4\nmov oT0, v1\nmov oPts, c90.x\nmov oFog, c90.y\n")},
		{Name: "a.psh", Data: []byte("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n")},
	}}
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil || res.Status != shaderlift.Improved || res.Verdict() != verify.Proved {
		t.Errorf("%s, %s, %v", res.Status, res.Verdict(), err)
	}
}

// TestMirroredIsNoWorse checks that mirrored host constants cost nothing if none can move. A vertex
// program that indexes constants without a table has no free registers.
func TestMirroredIsNoWorse(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{
		{Name: "a.vsh", Data: []byte("vs_2_0\ndef c0, 0.5, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\nmova a0.x, v1.x\nmov oPos, v0\nadd oT0, v1, c[a0.x + 8]\n")},
		{Name: "a.psh", Data: []byte("ps_2_0\ndef c0, 0.5, 0, 0, 0\ndcl t0\ndcl_2d s0\nadd r0, t0, t0\nadd r1, t0, c1\ntexld r0, r0, s0\ntexld r1, r1, s0\nmul r0, r0, r1\nmov oC0, r0\n")},
	}}
	var slots [2]int
	for i, mirrored := range []shaderlift.HostConstants{shaderlift.Separate, shaderlift.Mirrored} {
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: shaderlift.SlotTarget, Host: shaderlift.HostOptions{PixelConstants: mirrored}})
		if err != nil {
			t.Fatal(err)
		}
		slots[i] = res.Stages[1].After.Slots
	}
	if slots[0] != 5 || slots[1] > slots[0] {
		t.Errorf("%d pixel slots with constants apart, %d with constants mirrored", slots[0], slots[1])
	}
}

// TestDeadDefinitions checks that an unread definition gives its register to a new literal if no other
// is left. Here all 32 are defined, and 31*32 needs a register.
func TestDeadDefinitions(t *testing.T) {
	var defs, dead strings.Builder
	for i := range 32 {
		fmt.Fprintf(&defs, "def c%d, %d, 0, 0, 0\n", i, i+1)
		fmt.Fprintf(&dead, "mul r1, t0, c%d.x\n", i)
	}
	text := "ps_2_0\n" + defs.String() + "dcl t0\nmov r0, t0\n" + dead.String() +
		"mov r1, c30.x\nmul r1, r1, c31.x\nmad r0, r0, r1, r1\nmov oC0, r0\n"
	res, err := shaderlift.Optimize(t.Context(), program("full.psh", text), shaderlift.Options{})
	if err != nil || !strings.HasPrefix(res.Verdict().String(), "proved") || res.Stages[0].After.Slots != 2 {
		t.Fatalf("%v, %s, %+v", err, res.Verdict(), res.Stages)
	}
	if out := string(res.Files[0].Data); !strings.Contains(out, "992") {
		t.Errorf("nothing was folded:\n%s", out)
	}
}

// TestRecount checks that the closing comment of a listing by fxc is updated for the written program,
// and that other comments stay.
func TestRecount(t *testing.T) {
	const code = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r1, r0, r0\nadd r1, r1, r1\nmov oC0, r0\n"
	for _, c := range []struct{ code, tail, want string }{
		{code, "\n// approximately 4 instruction slots used (1 texture, 3 arithmetic)\n",
			"\n// approximately 2 instruction slots used (1 texture, 1 arithmetic)\n"},
		{"vs_2_0\ndcl_position v0\nmov r0, v0\nmov oPos, r0\n", "// approximately 2 instruction slots used\n",
			"// approximately 1 instruction slot used\n"},
		{code, "// approximately 4 slots\n", "// approximately 4 slots\n"},
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a", Data: []byte(c.code + c.tail)}}}
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(res.Files[0].Data); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q does not end with %q", got, c.want)
		}
	}
}

// TestUnwrittenOutput checks that an output that is declared but never written has an arbitrary value,
// which may be read.
func TestUnwrittenOutput(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{
		{Name: "u.vsh", Data: []byte("vs_3_0\ndcl_position v0\ndcl_texcoord o1\ndcl_position o3\nmov o3, v0\n")},
		{Name: "u.psh", Data: []byte("ps_3_0\ndcl_texcoord v0\nmov r1, v0\nmov oC0, r1\n")},
	}}
	for _, target := range []shaderlift.Target{"", shaderlift.SlotTarget} {
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: target})
		if err != nil || res.Status != shaderlift.Improved {
			t.Errorf("target %q: %s, %v", target, res.Status, err)
		}
	}
}
