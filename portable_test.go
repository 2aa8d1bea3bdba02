package shaderlift_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// transform is the pixel program of a pair. It multiplies coordinates by a matrix that it defines: 16
// multiply-adds for four components.
const transform = `ps_3_0
def c0, 1.5, 2, 3, 4
def c1, 5, 6.5, 7, 8
def c2, 9, 10, 11.5, 12
def c3, 13, 14, 15, 16.5
dcl_texcoord v0
dcl_2d s0
dp4 r0.x, v0, c0
dp4 r0.y, v0, c1
dp4 r0.z, v0, c2
dp4 r0.w, v0, c3
texld r1, r0, s0
texld r2, r0.zwzw, s0
mad oC0, r1, r2, r0
`

// atlas is a pair whose vertex program computes three coordinates of two components each from constants
// of the host.
var atlas = [2]string{`vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_position o0
dcl_texcoord o1
dcl_texcoord1 o2.xy
mov o0, v0
mad o1.xy, v1, c4.xyxy, c4.zwzw
mad o1.zw, v1.xyxy, c5.xyxy, c5
mad o2.xy, v1, c6, c6.zwzw
`, `ps_3_0
dcl_texcoord v0
dcl_texcoord1 v1.xy
mov r0, v0
mul r0, r0, r0.zwxy
mul oC0, r0, v1.xyxy
`}

// TestRecompute checks the pixel program of [atlas] if the host mirrors constants. It computes six
// coordinates from the two that are then interpolated, on a GPU on which this is cheaper.
func TestRecompute(t *testing.T) {
	for _, test := range []struct {
		target shaderlift.Target
		host   shaderlift.HostConstants
		moves  bool
	}{
		{"nvidia", shaderlift.Mirrored, true},
		{"nvidia", shaderlift.Separate, false},
		{"d3d9", shaderlift.Mirrored, false},
		{"rv670", shaderlift.Mirrored, false}, // it interpolates before the program starts
	} {
		res, err := shaderlift.Optimize(t.Context(), pair(atlas[0], atlas[1]),
			shaderlift.Options{Target: test.target, Host: shaderlift.HostOptions{PixelConstants: test.host}})
		if err != nil {
			t.Fatal(err)
		}
		lowered := slices.ContainsFunc(res.Uploads, shaderlift.Upload.Lowered)
		if lowered != test.moves || res.Verdict() < verify.ProvedReal {
			t.Errorf("%s, %s: uploads %v, %v:\n%s", test.target, test.host, res.Uploads, res.Verdict(), res.Files[1].Data)
		}
		if !test.moves || !lowered {
			continue
		}
		if before, after := res.Draws[0].Before.Special, res.Draws[0].After.Special; before != 6*8 || after != 2*8 ||
			len(res.Uploads) != 3 {
			t.Errorf("components take %v, then %v; uploads %v", before, after, res.Uploads)
		}
		o := shaderlift.Options{Host: shaderlift.HostOptions{Uploads: res.Uploads}}
		if again, err := shaderlift.Verify(t.Context(), pair(atlas[0], atlas[1]), shaderlift.Input{Files: res.Files},
			o); err != nil || again.Verdict() != res.Verdict() {
			t.Errorf("verified anew: %v", err)
		}
		o.Host.Uploads[0].From.Index++
		if _, err := shaderlift.Verify(t.Context(), pair(atlas[0], atlas[1]), shaderlift.Input{Files: res.Files},
			o); err == nil {
			t.Error("another constant is taken for the one that is read")
		}
	}
}

// TestRecomputeText checks that recomputation in the other program is correct in hand-written pairs:
// verification undoes nothing.
func TestRecomputeText(t *testing.T) {
	table, err := os.ReadFile(testcorpus.Path(t, "corpus/d3d9/PAIRS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lowered := 0
	for _, line := range testcorpus.EveryNth(strings.Split(strings.TrimSpace(string(table)), "\n")[1:], 5) {
		f := strings.Split(line, "\t")
		in := shaderlift.Input{Files: []shaderlift.File{readFile(t, testcorpus.Path(t, "corpus/d3d9/"+f[0])),
			readFile(t, testcorpus.Path(t, "corpus/d3d9/"+f[1]))}}
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: "gcn,rdna,nvidia",
				Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("%s: %v, %v", f[1], err, res.Faults)
			continue
		}
		if slices.ContainsFunc(res.Uploads, shaderlift.Upload.Lowered) {
			lowered++
		}
	}
	if lowered == 0 {
		t.Error("no constant is read in the other program")
	}
}

const sender = `vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_position o0
dcl_texcoord o1
mov o0, v0
mov o1, v1
`

// TestPortable checks that, on a GPU that charges for interpolated components, work moves if the number
// of components stays equal. It stays if two additions would cost as many components.
func TestPortable(t *testing.T) {
	shift := "ps_3_0\ndef c0, 0.25, 0.5, 0, 0\ndcl_texcoord v0\ndcl_2d s0\nadd r0.xy, v0, c0\ntexld r1, r0, s0\ntexld r2, v0, s0\nadd oC0, r1, r2\n"
	for _, test := range []struct {
		pixel  string
		target shaderlift.Target
		moves  bool
	}{
		{transform, "portable", true},
		{transform, "gcn,nvidia", true},
		{shift, "portable", false},
		{shift, "nvidia", false},
		{shift, "d3d9", true},
		{shift, "rv670", true}, // it interpolates before the program starts
	} {
		res, err := shaderlift.Optimize(t.Context(), pair(sender, test.pixel), shaderlift.Options{Target: test.target})
		if err != nil {
			t.Fatal(err)
		}
		if moved := res.Stages[0].CurrentCost().Slots > res.Stages[0].Before.Slots; moved != test.moves {
			t.Errorf("%s: motion %v, want %v:\n%s", test.target, moved, test.moves, res.Files[1].Data)
		}
		if (test.target == "d3d9") != (len(res.Draws) == 0) {
			t.Errorf("%s: times on %d GPUs", test.target, len(res.Draws))
		}
		for _, c := range res.Draws {
			if c.CurrentCost().Time > c.Before.Time {
				t.Errorf("%s: %s takes %g, not %g", test.target, c.Target, c.CurrentCost().Time, c.Before.Time)
			}
		}
	}
}

// TestPortableKeepsTheRest checks that rewrites that only save slots are kept, as no GPU loses by them.
// If a GPU loses by a version, the stage to blame is left out and named, and the rest is kept.
func TestPortableKeepsTheRest(t *testing.T) {
	pixel := "ps_3_0\ndef c0, 0.25, 0.5, 0, 0\ndcl_texcoord v0\ndcl_2d s0\nmov r3, v0\nadd r0.xy, r3, c0\ntexld r1, r0, s0\ntexld r2, r3, s0\nmov r4, r1\nadd oC0, r4, r2\n"
	res, err := shaderlift.Optimize(t.Context(), pair(sender, pixel), shaderlift.Options{Target: "portable"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != shaderlift.Improved || res.Stages[1].CurrentCost().Slots != 4 ||
		strings.Contains(string(res.Files[1].Data), "v1") {
		t.Errorf("%s:\n%s", res.Status, res.Files[1].Data)
	}
}

// TestPortableLeavesTheSlight checks that a product with a choice between 1 and 0 becomes a choice,
// unless the saving is a small share of a pixel's work. For a named GPU it always does.
func TestPortableLeavesTheSlight(t *testing.T) {
	for _, test := range []struct {
		rest   int
		target shaderlift.Target
		better bool
	}{{1, "portable", true}, {100, "portable", false}, {100, "nvidia", true}} {
		pixel := "ps_3_0\ndef c0, 0, 1, 0, 0\ndcl_texcoord v0\ncmp r0, v0, c0.y, c0.x\nmul r0, r0, v0.wzyx\n" +
			strings.Repeat("frc r0, r0\nmad r0, r0, v0, r0\n", test.rest) + "mov oC0, r0\n"
		res, err := shaderlift.Optimize(t.Context(),
			shaderlift.Input{Name: "one", Files: []shaderlift.File{{Name: "one.psh", Data: []byte(pixel)}}},
			shaderlift.Options{Target: test.target})
		if err != nil {
			t.Fatal(err)
		}
		better := slices.ContainsFunc(res.Draws,
			func(d shaderlift.DrawCosts) bool { return d.CurrentCost().Arithmetic < d.Before.Arithmetic })
		if better != test.better {
			t.Errorf("%s, %d times: better %v:\n%s", test.target, test.rest, better, res.Files[0].Data)
		}
	}
}

// TestPortableKeepsConstants checks that a constant that needs a move into a register does not move
// along with interpolated values. It costs a GPU nothing, and its compiler knows it. For slots it does
// move.
func TestPortableKeepsConstants(t *testing.T) {
	vertex := strings.Replace(sender, "dcl_texcoord o1\n", "dcl_texcoord o1\ndcl_texcoord1 o2.xyz\n", 1) +
		"mov o2.xyz, v1.yzxw\n"
	pixel := "ps_3_0\ndef c0, 0.3, 0, 0, 0\ndcl_texcoord v0\ndcl_texcoord1 v1.xyz\ndcl_2d s0\ntexld r0, v0, s0\n" +
		"nrm r1.xyz, c1\ndp3 r1.x, v1, r1\nmul r0.xyz, r0, r1.x\nmov r2.x, c0.x\nmad r0, c2.x, -r2.x, r0\nmov oC0, r0\n"
	for target, constant := range map[shaderlift.Target]bool{"d3d9": true, "portable": false, "rv670,cypress": false} {
		o := shaderlift.Options{Target: target, Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}
		res, err := shaderlift.Optimize(t.Context(), pair(vertex, pixel), o)
		if err != nil {
			t.Fatal(err)
		}
		after := string(res.Files[1].Data)
		if strings.Contains(after, "nrm") || strings.Contains(after, "def") == constant {
			t.Errorf("%s: interpolated constant %v, want %v:\n%s", target, !constant, constant, after)
		}
	}
}

// TestPortableCorpus reads the written pairs of the corpus back. They take at most 0.5 % longer on any GPU, and do as
// much more work, with few pixels per vertex and with many.
func TestPortableCorpus(t *testing.T) {
	t.Parallel()
	const rise = 1.005
	improved := 0
	for _, in := range testcorpus.EveryNth(corpusPairs(t), 19) {
		for _, pixels := range []float64{16, 1024} {
			o := shaderlift.Options{Target: "portable", Draw: shaderlift.DrawOptions{PixelsPerVertex: pixels},
				Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil {
				t.Fatalf("%s: %v", in.Name, err)
			}
			before, err := shaderlift.Stats(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			after, err := shaderlift.Stats(t.Context(), shaderlift.Input{Name: in.Name, Files: res.Files}, o)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == shaderlift.Improved {
				improved++
			}
			for k, c := range after.Draws {
				old, now := before.Draws[k].Before, c.Before
				if now.Time > rise*old.Time ||
					now.Arithmetic+now.Special+now.Vertex/pixels > rise*(old.Arithmetic+old.Special+old.Vertex/pixels) {
					t.Errorf("%s: %g pixels a vertex: %s: %+v, was %+v", in.Name, pixels, c.Target, now, old)
				}
			}
		}
	}
	if improved == 0 {
		t.Error("nothing was improved")
	}
}

// TestSpread has a pair whose pixel program reads textures at three coordinates that the vertex program
// could output. R300 reads coordinates only in the order of their components, so each of them gets its
// own register. A target that charges for components has no reason for that.
func TestSpread(t *testing.T) {
	vs := "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1.xy\nmov o0, v0\nmov o1.xy, v1\n"
	ps := "ps_3_0\ndcl_texcoord v0.xy\ndcl_2d s0\n"
	for i := range 3 {
		ps += fmt.Sprintf("add r0.xy, v0, c%d\ntexld r%d, r0, s0\n", i, i+1)
	}
	ps += "mul r1, r1, r2\nmul oC0, r1, r3\n"
	res, err := shaderlift.Optimize(t.Context(), pair(vs, ps),
		shaderlift.Options{Target: "r420", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	if err != nil {
		t.Fatal(err)
	}
	if before, after := res.Draws[0].Before.Arithmetic, res.Draws[0].After; after == nil || after.Arithmetic != before-3 {
		t.Errorf("arithmetic of %v becomes %v:\n%s", before, after, res.Files[1].Data)
	}
}

// TestPixelsPerVertex checks that a single GPU target uses the requested pixels per vertex: a saving in
// vertices of small triangles may cost pixels time, at the expense of larger triangles.
func TestPixelsPerVertex(t *testing.T) {
	vertex := "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\nmov o0, v0\nmov o1, v1\n" +
		"dp4 o2.x, v1, c4\ndp4 o2.y, v1, c5\ndp4 o2.z, v1, c6\ndp4 o2.w, v1, c7\n"
	pixel := "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nmov r0, v0\n" +
		strings.Repeat("mad r0, r0, r0.yzwx, r0\n", 30) + "mul oC0, r0, v1\n"
	for pixels, moves := range map[float64]bool{16: true, 1024: false} {
		res, err := shaderlift.Optimize(t.Context(), pair(vertex, pixel),
			shaderlift.Options{Target: "nvidia", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored},
				Draw: shaderlift.DrawOptions{PixelsPerVertex: pixels}})
		if err != nil {
			t.Fatal(err)
		}
		if lowered := slices.ContainsFunc(res.Uploads, shaderlift.Upload.Lowered); lowered != moves {
			t.Errorf("%g pixels a vertex: uploads %v, %v", pixels, res.Uploads, res.Draws)
		}
	}
}

// TestOtherComponents checks that a result for one GPU does not interpolate other components only to save a slot: the
// product by 1 and 0 costs nothing on a GPU.
func TestOtherComponents(t *testing.T) {
	in := shaderlift.Input{Name: "levels", Files: []shaderlift.File{
		{Name: "v.vsh", Data: []byte("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1.xy\nmov o0, v0\nmov o1.xy, v1\n")},
		{Name: "p.psh", Data: []byte("ps_3_0\ndef c2, 1, 0, 0, 0\ndcl_texcoord v0.xy\ndcl_2d s0\ndcl_2d s1\n" +
			"mul r0, c2.xxyy, v0.xyxx\ntexldl r1, r0, s1\ntexldl r0, r0, s0\nmad oC0, r0, r1, c1\n")}}}
	for target, want := range map[shaderlift.Target]bool{"gcn": false, "rdna": false, shaderlift.PortableTarget: false, shaderlift.SlotTarget: true} {
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		moved := false
		for _, f := range res.Files {
			moved = moved || strings.Contains(string(f.Data), "dcl_texcoord1")
		}
		if moved != want {
			t.Errorf("%s: moved: %v, want %v (%s)", target, moved, want, res.Status)
		}
	}
}
