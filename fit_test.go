package shaderlift_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	pairs "github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
)

// A pair for version 3 uses registers, modifiers and forms that ps_2_0 lacks.
func Example_fit() {
	in := shaderlift.Input{Files: []shaderlift.File{
		{Name: "glow.vsh", Data: []byte("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_normal o1.xy\nmov o0, v0\nmov o1.xy, v1\n")},
		{Name: "glow.psh", Data: []byte("ps_3_0\ndcl_normal v0.xy\ndcl_2d s0\ntexld r0, v0, s0\nmul oC0, r0_abs, c0\n")},
	}}
	res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Fit: "ps_2_0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s%s%v\n", res.Files[0].Data, res.Files[1].Data, res.Judgement.Verdict)
	// Output:
	// vs_2_0
	// dcl_position v0
	// dcl_texcoord v1
	// mov oPos, v0
	// mov oT0.xy, v1
	// ps_2_0
	// dcl t0.xy
	// dcl_2d s0
	// texld r0, t0, s0
	// abs r1, r0
	// mul r0, r1, c0
	// mov oC0, r0
	// proved
}

const fitVertex = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"

// TestFitRegisters checks that register packing runs while too many values are live to write the
// program; this program needs another order of statements.
func TestFitRegisters(t *testing.T) {
	in := program("light.psh", `ps_2_0
def c1, 0.5, 1, 2, 0
dcl t0.xyz
dcl t1.xy
dcl_2d s0
dcl_2d s1
add r0.xy, t1, c1.x
mul r0.xy, r0, c1.z
texld r1, r0, s0
mul r2.xy, t1, c1.z
texld r2, r2, s1
dp3 r3.x, t0, c0
max r3.x, r3.x, c1.w
mul r1, r1, r3.x
mul r1, r1, r2
mov oC0, r1
`)
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0,max-temps=2"})
	if err != nil {
		t.Fatal(err)
	}
	if n := res.Stages[0].CurrentCost().Temps; n > 2 || res.Verdict() < verify.ProvedReal {
		t.Errorf("%d temporaries, %s", n, res.Verdict())
	}
	// With one register, the nearest program exceeds the limit by one, less than the input does.
	res, err = shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0,max-temps=1"})
	if want := []pairs.Usage{{What: "temporaries", Used: 2, Limit: 1}}; !errors.Is(err, shaderlift.ErrFit) ||
		res.Nearest == nil || !slices.Equal(res.Nearest.Exceeds, want) {
		t.Errorf("%v, and the nearest is %+v", err, res.Nearest)
	}
}

// TestFitProfile checks features that ps_2_0 expresses differently.
func TestFitProfile(t *testing.T) {
	for _, c := range []struct{ name, vs, ps string }{
		{"packed varyings",
			"vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\ndcl_position o0\ndcl_texcoord3 o1.xy\ndcl_tangent o1.zw\nmov o0, v0\nmov o1, v1\nmul o1.z, v2.x, c0.x\n",
			"ps_3_0\ndcl_texcoord3 v0.xy\ndcl_tangent v0.zw\nmul r0, v0, c0\nmov oC0, r0\n"},
		{"a varying that nobody reads",
			"vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndcl_texcoord9 o2\nmov o0, v0\nmov o1, v1\nmov o2, v1.wzyx\n",
			"ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"},
		{"absolute values", fitVertex, "ps_3_0\ndcl_texcoord v3\nmad r0, v3_abs, -c0_abs, c1\nmov oC0, -r0_abs\n"},
		{"sine and cosine", fitVertex, "ps_3_0\ndcl_texcoord v0\nmov r0, v0\nsincos r0.xy, v0.x\nmov oC0, r0\n"},
		{"one of them", fitVertex, "ps_3_0\ndcl_texcoord v0\nmov r0, v0\nsincos r0.y, r0.x\nmov oC0, r0\n"},
		{"results of a vertex program that are clamped",
			"vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmad_sat o1, v1, c0, c1\n",
			"ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"},
		{"any swizzle", fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0.wyzx, s0\nmul r1, r0.wxyz, c0.yxwz\nadd oC0, r1.xxyy, v0.zzww\n"},
		{"the swizzle of a sampler", fitVertex,
			"ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0.xy, v0, s0.wzyx\nmov oC0, r0.xyxy\n"},
		{"constants beyond the last", fitVertex,
			"ps_3_0\ndef c40, 1, 2, 3, 4\ndef c100, 0.5, 0.25, 8, 9\ndcl_texcoord v0\nmad r0, v0, c40, c100\nmov oC0, r0\n"},
		{"parts of an output", fitVertex, "ps_3_0\ndcl_texcoord v0\nmul oC0.xy, v0, c0\nmul oC0.zw, v0, c1\n"},
		{"a sum of two products", fitVertex, "ps_3_0\ndcl_texcoord v0\nnrm r0.xyz, v0\ndp2add r0, r0.xzzw, r0.xzzw, c0.x\nmov oC0, r0\n"},
		{"a subroutine", fitVertex, "ps_3_0\ndcl_texcoord v0\nmov r0, v0\ncall l0\ncall l0\nmov oC0, r0\nret\nlabel l0\nmul r0, r0, c0\nret\n"},
		{"more registers than there are", fitVertex, manyRegisters()},
		{"branches", fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nif_gt r0.x, c0.x\nmul r0, r0, c1\nif_eq r0.y, c0.y\ntexkill r0\nelse\nmov r0.w, c1.x\nendif\nendif\nmov oC0, r0\n"},
		{"predicates", fitVertex, "ps_3_0\ndcl_texcoord v0\nmov r0, v0\nsetp_gt p0, r0, c0\n(p0) mov r0, c1\n(!p0.x) add r0.xy, r0, c2\nmov oC0, r0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFits(t, pairInput(c.vs, c.ps))
		})
	}
}

// checkFits checks that a pair becomes a valid pair of version 2 that is proved equal.
func checkFits(t *testing.T, in shaderlift.Input) {
	t.Helper()
	res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Fit: "ps_2_0"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict() < verify.ProvedReal {
		t.Errorf("it is %v: %s", res.Verdict(), res.Error)
	}
	for k, model := range []d3d9.Model{d3d9.VS20, d3d9.PS20} {
		p, err := d3d9.Read("result", res.Files[k].Data)
		if err != nil {
			t.Fatal(err)
		}
		if told := res.Stages[k].NowModel(); p.Model != model || told != model {
			t.Errorf("it is of %s, said to be of %s, not %s", p.Model, told, model)
		}
		if err := d3d9.Validate(p).Err(); err != nil {
			t.Errorf("%v in\n%s", err, res.Files[k].Data)
		}
	}
	after := shaderlift.Input{Files: res.Files}
	if v, err := shaderlift.Verify(context.Background(), in, after, shaderlift.Options{}); err != nil {
		t.Errorf("%v (%v)", err, v.Verdict())
	}
}

// TestFitSharedCoordinates checks that narrow coordinates share registers if a pair has more than
// eight, provided that they are interpolated alike.
func TestFitSharedCoordinates(t *testing.T) {
	for _, c := range []struct{ name, masks, centroid string }{
		{"one and three components", "xyz x xyz x xyz x xyz x xyz x", ""},
		{"gaps", "xz y xz z xyz y xw xzw y", ""},
		{"one at the centroid", "xy xyzw xyzw xyzw xyzw xyzw xyzw xy xy", "dcl_texcoord0"},
		{"eleven", "xy xy xy xy xy xy xy xy xy xy xy", ""},
		{"seven whole ones and three scalars", "xyzw xyzw xyzw xyzw xyzw xyzw xyzw x x x", ""},
		{"seven whole ones, and one, two and one components", "xyzw xyzw x xyzw xyzw xy xyzw xyzw x xyzw", ""},
		{"four in one", "xyzw xyzw xyzw xyzw x xyzw xyzw y xyzw z w", ""},
		{"all widths", "xy z xyz x yz w xy zw x y xyz", ""},
		{"a scalar that must join the pair that no other can join", "xyzw xyzw xyzw xyzw xyzw xyzw xy yz xy x", ""},
		{"the same in another order", "xyzw xyzw xyzw xyzw xyzw xyzw yz xy xy x", ""},
	} {
		t.Run(c.name, func(t *testing.T) { checkFits(t, coordinates(c.masks, c.centroid)) })
	}
	t.Run("several in an output", func(t *testing.T) {
		checkFits(t, pairInput("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n"+
			each("dcl_texcoord%d o%d.x\ndcl_normal%[1]d o%[2]d.y\n", 6, 1)+"mov o0, v0\n"+
			each("mul o%[2]d.xy, v1, c%[1]d\n", 6, 1),
			"ps_3_0\n"+each("dcl_texcoord%d v%[1]d.x\n", 6, 0)+
				"dcl_normal1 v6.y\ndcl_normal3 v7.y\ndcl_normal5 v8.y\nmov r0, v0.x\n"+
				each("mad r0, v%[2]d.x, c%[1]d, r0\n", 5, 1)+"add r0, r0, v6.y\nmad r0, r0, v7.y, v8.y\nmov oC0, r0\n"))
	})
	t.Run("eight whole ones and another", func(t *testing.T) {
		_, err := shaderlift.Optimize(t.Context(), coordinates(strings.Repeat("xyzw ", 9), ""),
			shaderlift.Options{Fit: "ps_2_0"})
		if !errors.Is(err, shaderlift.ErrFit) || !strings.Contains(err.Error(), "[fit-interpolators]") {
			t.Error(err)
		}
	})
}

// TestFitOrder checks that the order of the declarations does not decide whether coordinates can share registers.
func TestFitOrder(t *testing.T) {
	for _, c := range []struct {
		masks [4]string
		fits  bool
	}{
		{[4]string{"xy", "yz", "xy", "x"}, true},
		{[4]string{"xz", "yw", "xz", "y"}, true},
		{[4]string{"xy", "yz", "xy", "yz"}, false},
	} {
		for k := range 24 {
			m := slices.Clone(c.masks[:])
			for i, n := range []int{k % 2, k / 2 % 3, k / 6} {
				m[i+1], m[n] = m[n], m[i+1]
			}
			masks := strings.Repeat("xyzw ", 6) + strings.Join(m, " ")
			_, err := shaderlift.Optimize(t.Context(), coordinates(masks, ""), shaderlift.Options{Fit: "ps_2_0"})
			if err == nil != c.fits {
				t.Errorf("%s: %v", masks, err)
			}
		}
	}
}

// each repeats a line for numbers from 0 on, and numbers from first on.
func each(line string, n, first int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, line, k, k+first)
	}
	return b.String()
}

// coordinates returns a pair with a texture coordinate for each mask; the pixel program reads all their
// components. The declarations in centroid are at the centroid.
func coordinates(masks, centroid string) shaderlift.Input {
	vs, code := "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n", "mov o0, v0\n"
	ps, sum := "ps_3_0\n", "mov r0, c31\n"
	for k, m := range strings.Fields(masks) {
		vs += fmt.Sprintf("dcl_texcoord%d o%d.%s\n", k, k+1, m)
		code += fmt.Sprintf("mul o%d.%s, v1, c%d\n", k+1, m, k)
		dcl := fmt.Sprintf("dcl_texcoord%d", k)
		if dcl == centroid {
			ps += dcl + "_centroid"
		} else {
			ps += dcl
		}
		ps += fmt.Sprintf(" v%d.%s\n", k, m)
		for _, c := range m {
			sum += fmt.Sprintf("mad r0, v%d.%c, c%d, r0\n", k, c, k)
		}
	}
	return pairInput(vs+code, ps+sum+"mov oC0, r0\n")
}

// manyRegisters returns a program that keeps 14 values live until their sum at the end.
func manyRegisters() string {
	var b strings.Builder
	b.WriteString("ps_3_0\ndcl_texcoord v0\n")
	for k := range 14 {
		fmt.Fprintf(&b, "mul r%d, v0, c%d\n", k, k)
	}
	for k := range 13 {
		fmt.Fprintf(&b, "mad r0, r0, r%d, c31\n", k+1)
	}
	b.WriteString("mov oC0, r0\n")
	return b.String()
}

func pairInput(vs, ps string) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: "a.vsh", Data: []byte(vs)}, {Name: "a.psh", Data: []byte(ps)}}}
}

// TestMisfit checks that the obstacles to a profile are named, with the place of each statement, and
// that nothing is written.
func TestMisfit(t *testing.T) {
	const ps = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n"
	for _, c := range []struct{ name, vs, ps, fit, code string }{
		{"gradients", fitVertex, ps + "dsx r0, v0\nmov oC0, r0\n", "ps_2_0", "fit-op"},
		{"gradients without the profile for it", fitVertex, ps + "dsx r0, v0\nmov oC0, r0\n", "ps_2_b", "fit-op"},
		{"levels", fitVertex, ps + "texldl r0, v0, s0\nmov oC0, r0\n", "ps_2_0", "fit-level"},
		{"branches that the host decides", fitVertex, ps + "mov r0, v0\nif b0\nmov r0, c1\nendif\nmov oC0, r0\n", "ps_2_0",
			"fit-op"},
		{"loops", fitVertex, ps + "mov r0, v0\nrep i0\nif_gt r0.x, c0.x\nmul r0, r0, c1\nendif\nendrep\nmov oC0, r0\n",
			"ps_2_0", "fit-op"},
		{"the side that faces", fitVertex, "ps_3_0\ndcl vFace\nmov r0, c0\ncmp r0, vFace, r0, c1\nmov oC0, r0\n", "ps_2_0",
			"fit-input"},
		{"colours that are clamped", strings.ReplaceAll(fitVertex, "dcl_texcoord o1", "dcl_color o1"),
			"ps_3_0\ndcl_color v0\nmov oC0, v0\n", "ps_2_0", "fit-colour"},
		{"colours that are clamped, in a program that gets short enough",
			strings.ReplaceAll(fitVertex, "dcl_texcoord o1", "dcl_color o1"), "ps_3_0\ndcl_color v0\nmov r0, v0\n" +
				strings.Repeat("mul r1, r0, c0\nadd r0, r0, r1\n", 35) + "mov oC0, r0\n", "ps_2_0", "fit-colour"},
		{"colours that are clamped, of a vertex program below 3.0", fitQuad + "mov oD1, v1\n",
			"ps_3_0\ndcl_color1 v0\nmov oC0, v0\n", "ps_2_0", "fit-colour"},
		{"a colour that nothing writes, which is black or white", fitVertex, "ps_3_0\ndcl_color v0\nmov oC0, v0\n",
			"ps_2_0", "fit-input"},
		{"a part of a colour that nothing writes",
			strings.Replace(strings.ReplaceAll(fitVertex, "dcl_texcoord o1", "dcl_color o1"), "mov o1,", "mov o1.xyz,",
				1), "ps_3_0\ndcl_color v0\nmov oC0, v0.w\n", "ps_2_0", "fit-input"},
		{"a colour that a vertex program below 3.0 does not write", fitQuad, "ps_3_0\ndcl_color v0\nmov oC0, v0\n",
			"vs_2_a", "fit-input"},
		{"a third colour", strings.ReplaceAll(fitVertex, "dcl_texcoord o1", "dcl_color2 o1"),
			"ps_3_0\ndcl_color2 v0\nmov oC0, v0\n", "ps_2_0", "fit-interpolators"},
		{"constants of the host", fitVertex, ps + "mul r0, v0, c32\nmov oC0, r0\n", "ps_2_0", "fit-constants"},
		{"slots", fitVertex, ps + "mov r0, v0\n" + strings.Repeat("exp r0.x, r0.x\n", 70) + "mov oC0, r0\n", "ps_2_0",
			"arithmetic-limit"},
		{"temporaries", fitVertex, manyRegisters(), "ps_3_0,max-temps=1", "temporary-limit"},
		{"a lone program", "", ps + "mov oC0, v0\n", "ps_2_0", "fit-partner"},
		{"more than the input has", fitVertex, ps + "mov oC0, v0\n", "vs_9_9", "unknown-profile"},
		{"the wrong limit", fitVertex, ps + "mov oC0, v0\n", "ps_2_0,temps=3", "unknown-profile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := pairInput(c.vs, c.ps)
			if c.vs == "" {
				in.Files = in.Files[1:]
			}
			res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Fit: c.fit})
			if err == nil || !strings.Contains(err.Error(), "["+c.code+"]") {
				t.Errorf("%v, not %s", err, c.code)
			}
			if err != nil && c.code == "fit-level" && !strings.Contains(err.Error(), "--assume one-level") {
				t.Errorf("%v, without the promise that would do", err)
			}
			if fits := c.code != "unknown-profile"; errors.Is(err, shaderlift.ErrFit) != fits {
				t.Errorf("ErrFit is %v: %v", !fits, err)
			}
			if len(res.Files) != 0 {
				t.Error("something is written")
			}
			for _, f := range res.Faults {
				t.Error("it is said to be a fault:", f)
			}
		})
	}
}

// TestFitAssumed checks that a pair that already fits is optimized as without a profile, under any
// promise.
func TestFitAssumed(t *testing.T) {
	tinted := strings.ReplaceAll(fitVertex, "dcl_texcoord o1", "dcl_color o1")
	for _, c := range []struct {
		vs, ps string
		assume shaderlift.Assumption
	}{
		{tinted, "ps_3_0\ndcl_color v0\nmul r0, v0, v0\nadd r1, r0, c0\nmov oC0, r1\n", shaderlift.UnitColours},
		{fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldl r0, v0, s0\nadd r1, r0, c0\nmov oC0, r1\n",
			shaderlift.OneLevel},
	} {
		in, o := pairInput(c.vs, c.ps), shaderlift.Options{Target: shaderlift.SlotTarget,
			Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{c.assume}}}
		want, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || want.Status != shaderlift.Improved {
			t.Fatalf("%v: %v, %v", c.assume, want.Status, err)
		}
		for _, o.Fit = range []string{"vs_3_0", "ps_3_0"} {
			got, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil {
				t.Errorf("%v, %s: %v", c.assume, o.Fit, err)
			}
			if diff := cmp.Diff(want.Files, got.Files); diff != "" {
				t.Errorf("%v, %s: it differs:\n%s", c.assume, o.Fit, diff)
			}
			for _, f := range got.Faults {
				t.Error("it is said to be a fault:", f)
			}
		}
	}
}

// TestFitCarriesConstants checks that constants beyond the last register come through the vertex
// program, if the host mirrors them and interpolators are free.
func TestFitCarriesConstants(t *testing.T) {
	in := pairInput(fitVertex, "ps_3_0\ndcl_texcoord v0\nmul r0, v0, c40.w\nmad r0, r0, -c33, c1\nmad oC0, r0, c223.x, c33_abs\n")
	o := shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}
	res, err := shaderlift.Optimize(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict() < verify.ProvedReal || len(res.Uploads) != 3 {
		t.Errorf("%v, with the uploads %v", res.Verdict(), res.Uploads)
	}
	p, err := d3d9.Read("result", res.Files[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	if diags := d3d9.Validate(p); p.Model != d3d9.PS20 || len(diags) > 0 {
		t.Errorf("%v: %v", p.Model, diags)
	}
	var many strings.Builder
	many.WriteString("ps_3_0\ndcl_texcoord v0\nmov r0, v0\n")
	for k := range 9 {
		fmt.Fprintf(&many, "add r0, r0, c%d\n", 32+k)
	}
	many.WriteString("mov oC0, r0\n")
	if _, err := shaderlift.Optimize(context.Background(), pairInput(fitVertex, many.String()), o); !errors.Is(err,
		shaderlift.ErrFit) || !strings.Contains(err.Error(), "[fit-constants]") {
		t.Errorf("nine vectors in seven registers: %v", err)
	}
}

// TestFitAlready checks that a program that already fits is optimized as usual.
func TestFitAlready(t *testing.T) {
	in := pairInput("vs_2_0\ndcl_position v0\nmov oPos, v0\n", "ps_2_0\nmov r0, c0\nmul r1, r0, c1\nmov oC0, r0\n")
	plain, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fit, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Fit: "ps_2_0"})
	if err != nil {
		t.Fatal(err)
	}
	if string(plain.Files[1].Data) != string(fit.Files[1].Data) {
		t.Errorf("it is\n%s, and not\n%s", fit.Files[1].Data, plain.Files[1].Data)
	}
}

// TestFitEffect checks that the passes of an effect are ported one by one, and others stay unchanged.
// The version in a constant table follows the program.
func TestFitEffect(t *testing.T) {
	const ps = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldl r0, v0, s0\nmul oC0, r0, c3\n"
	tint := d3d9.Constant{Name: "Tint", Set: d3d9.SetFloat4, Index: 3, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4}
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("fits", shader(fitVertex), fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(ps), tint)})
	b.Technique("Other")
	b.AddPass("does not", shader(fitVertex), shader("ps_3_0\ndcl_texcoord v0\ndsx oC0, v0\n"))
	in := effectFile(&b)
	res, err := shaderlift.Optimize(context.Background(), in,
		shaderlift.Options{Fit: "ps_2_0",
			Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := fx.Decode("a.fxb", res.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, s := range e.Shaders() {
		p, err := d3d9.Decode("a.fxb", *s.Data)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, p.Model.String())
		if table, err := p.ConstantTable(); err != nil || table != nil && table.Version != p.Model.Token() {
			t.Errorf("the table of a program of %s is for %x (%v)", p.Model, table.Version, err)
		}
	}
	if diff := cmp.Diff([]string{"Other"}, res.Misfits); diff != "" {
		t.Errorf("techniques that do not fit:\n%s", diff)
	}
	if want := "vs_2_0 ps_2_0 vs_3_0 ps_3_0"; strings.Join(models, " ") != want {
		t.Errorf("the programs are of %v, not %s", models, want)
	}
	if res.Parts[0].Verdict() != verify.Proved || res.Parts[1].Status != shaderlift.Failed || len(res.Promises) != 1 {
		t.Errorf("%v, %v, %v", res.Parts[0].Verdict(), res.Parts[1].Status, res.Promises)
	}
}

// vertexFor returns a vertex program that writes the inputs of ps.
func vertexFor(ps *d3d9.Program) string {
	var decls, body strings.Builder
	for i := range ps.Insts {
		in := &ps.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File != d3d9.Input {
			continue
		}
		out := *in
		out.Dst.Mods, out.Text = 0, ""
		out.Dst.File, out.Dst.Index = d3d9.Output, in.Dst.Index+1
		decls.WriteString(d3d9.Format(d3d9.VS30, &out) + "\n")
		swizzle := []string{"", ".yzwx", ".wzyx"}[in.Dst.Index%3]
		mov := d3d9.Inst{Op: d3d9.OpMov, HasDst: true, Dst: d3d9.Dst{Reg: out.Dst.Reg, Mask: out.Dst.Mask}}
		body.WriteString(d3d9.Format(d3d9.VS30, &mov) + ", v1" + swizzle + "\n")
	}
	return "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n" + decls.String() + "mov o0, v0\n" + body.String()
}

var fitPairs = flag.Int("fit-pairs", 40, "random pairs to make fit")

// TestFitRandomPairs checks that random pairs for version 3 fit ps_2_0, with a proof, or give the
// reason. Results are valid, and no fault happens.
func TestFitRandomPairs(t *testing.T) {
	fit, misfit := 0, map[string]int{}
	for seed := range uint64(*fitPairs) {
		ps := gen.ProgramOf(d3d9.PS30, seed, 4+int(seed%20))
		in := pairInput(vertexFor(ps), string(d3d9.Print(ps)))
		profile := []string{"ps_2_0", "ps_2_b", "ps_2_a,max-temps=6"}[seed%3]
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Fit: profile,
				Host:    shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.OneLevel}},
				Require: verify.ProvedReal})
		if len(res.Faults) > 0 {
			t.Errorf("seed %d, %s: %v", seed, profile, res.Faults[0])
		}
		if errors.Is(err, shaderlift.ErrFit) {
			var d *asm.Diag
			if !errors.As(err, &d) {
				t.Errorf("seed %d, %s: %v", seed, profile, err)
				continue
			}
			misfit[string(d.Code)]++
			continue
		}
		if err != nil {
			t.Errorf("seed %d, %s: %v", seed, profile, err)
			continue
		}
		fit++
		to, err := d3d9.ParseProfile(profile)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Read("result", res.Files[1].Data)
		if err != nil {
			t.Fatal(err)
		}
		if diags := to.Validate(p); p.Model != to.Model || len(diags) > 0 {
			t.Errorf("seed %d: a program of %s, %v", seed, p.Model, diags)
		}
	}
	t.Logf("%d of %d pairs fit; the others: %v", fit, *fitPairs, misfit)
	if fit == 0 {
		t.Error("no pair fits")
	}
}
