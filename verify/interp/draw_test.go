package interp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// passVS copies position and texture coordinate.
const passVS = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"

// showPS shows the texture coordinate.
const showPS = "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"

func mustCase(t testing.TB, src string) *Case {
	t.Helper()
	c, err := ParseCase("case", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func draw(t testing.TB, vs, ps, c string) *Image {
	t.Helper()
	img, err := Draw(mustCompile(t, mustParse(t, vs)), mustCompile(t, mustParse(t, ps)), mustCase(t, c), Numerics{})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// picture formats coverage, with a # for a covered pixel.
func picture(m *Image) string {
	var b strings.Builder
	for i, c := range m.Covered {
		if i%m.W == 0 {
			b.WriteByte('\n')
		}
		b.WriteByte(".#"[map[bool]int{true: 1}[c]])
	}
	return b.String()
}

func TestCoverage(t *testing.T) {
	tests := []struct{ name, c, want string }{
		{"hypotenuse through pixel centres: excluded below right, as neither top nor left",
			"size 4 4\nprim tris\nattr position 0 2 -1 1 1 1 -1 -1", "\n###.\n##..\n#...\n...."},
		{"the other half takes them",
			"size 4 4\nprim tris\nattr position 0 2 1 1 1 -1 -1 -1", "\n...#\n..##\n.###\n####"},
		{"either winding covers the same",
			"size 4 4\nprim tris\nattr position 0 2 -1 1 -1 -1 1 1", "\n###.\n##..\n#...\n...."},
		{"an offset of half a pixel puts the edges of the target on pixel centres",
			"size 4 4\noffset 0.5 0.5\nattr position 0 2 -1 1 1 1 -1 -1 1 -1", "\n####\n####\n####\n####"},
		{"a little more and the left column lies outside",
			"size 4 4\noffset 0.625 -0.25\nattr position 0 2 -1 1 1 1 -1 -1 1 -1", "\n.###\n.###\n.###\n.###"},
		{"edges on pixel centres: top and left belong",
			"size 4 4\nattr position 0 2 -0.75 0.75 0.25 0.75 -0.75 -0.25 0.25 -0.25", "\n##..\n##..\n....\n...."},
		{"odd size",
			"size 3 3\nattr position 0 2 -1 1 1 1 -1 -1 1 -1", "\n###\n###\n###"},
		{"fan",
			"size 4 4\nprim fan\nattr position 0 2 0 0 -1 1 1 1 1 -1", "\n####\n.###\n..##\n...#"},
		{"far larger than the target",
			"size 4 4\nprim tris\nattr position 0 2 -1e6 1e6 1e6 1e6 0 -1e6", "\n####\n####\n####\n####"},
		{"beyond the far plane at the right: z = x + 1/2 with w = 1 is cut at x = 1/2 and -1/2",
			"size 4 2\nattr position 0 3 -1 1 -0.5 1 1 1.5 -1 -1 -0.5 1 -1 1.5", "\n.##.\n.##."},
		{"no area", "size 4 4\nprim tris\nattr position 0 2 -1 -1 0 0 1 1", "\n....\n....\n....\n...."},
		{"behind the viewer", "size 2 2\nattr position 0 4 -1 1 0 -1 1 1 0 -1 -1 -1 0 -1 1 -1 0 -1", "\n..\n.."},
		{"not a number", "size 2 2\nprim tris\nattr position 0 2 -1 1 3 1 -1 -3  nan 0 1 1 0 1", "\n##\n##"},
	}
	for _, tt := range tests {
		vs := "vs_2_0\ndcl_position v0\nmov oPos, v0\n"
		if got := picture(draw(t, vs, "ps_3_0\nmov oC0, c0\n", tt.c)); got != tt.want {
			t.Errorf("%s:%s\nwant%s", tt.name, got, tt.want)
		}
	}
}

// TestSharedEdges draws a fan of triangles about an arbitrary point that tiles the target. Every pixel must
// have one fragment. The pixel program cannot count, so the test draws each triangle alone.
func TestSharedEdges(t *testing.T) {
	corners := [][2]float64{{-1, 1}, {0.3, 1}, {1, 1}, {1, -0.41}, {1, -1}, {-0.77, -1}, {-1, -1}, {-1, 0.123}}
	for _, centre := range [][2]float64{{0, 0}, {0.1234, -0.517}, {0.5 / 16, 0.5 / 16}, {-0.999, 0.2}} {
		count := make([]int, 17*16)
		for i, a := range corners {
			b := corners[(i+1)%len(corners)]
			c := &Case{Width: 17, Height: 16, Prim: List, Attrs: []Attr{{Usage: d3d9.UsagePosition, Comps: 2, Data: []float32{
				float32(centre[0]), float32(centre[1]), float32(a[0]), float32(a[1]), float32(b[0]), float32(b[1])}}}}
			vs := mustCompile(t, mustParse(t, "vs_2_0\ndcl_position v0\nmov oPos, v0\n"))
			ps := mustCompile(t, mustParse(t, "ps_3_0\nmov oC0, c0\n"))
			img, err := Draw(vs, ps, c, Numerics{})
			if err != nil {
				t.Fatal(err)
			}
			for k, covered := range img.Covered {
				if covered {
					count[k]++
				}
			}
		}
		for k, n := range count {
			if n != 1 {
				t.Errorf("centre %v: pixel %d,%d drawn %d times", centre, k%17, k/17, n)
			}
		}
	}
}

// TestPerspective compares interpolation with the closed form: a rectangle on the screen whose top is four
// times as far away as its bottom. 1/w is linear on the screen.
func TestPerspective(t *testing.T) {
	const w, h = 16, 12
	img := draw(t, passVS, showPS, `size 16 12
		attr position 0 4  -4 4 2 4  4 4 2 4  -1 -1 0.5 1  1 -1 0.5 1
		attr texcoord 0 4  -4 1 7 1  4 1 7 1  -1 0 7 1  1 0 7 1`)
	for y := range h {
		for x := range w {
			s := (float64(y) + 0.5) / h // 0 at the top, 1 at the bottom
			iw := 0.25*(1-s) + s
			u := (2*(float64(x)+0.5)/w - 1) / iw // the position's own x
			v := 0.25 * (1 - s) / iw
			got := img.Targets[0][4*(y*w+x):][:4]
			if math.Abs(float64(got[0])-u) > 1e-6 || math.Abs(float64(got[1])-v) > 1e-6 || got[2] != 7 || got[3] != 1 {
				t.Fatalf("pixel %d,%d = %v, want %g %g 7 1", x, y, got, u, v)
			}
			if math.Abs(float64(img.Depth[y*w+x])-0.5) > 1e-6 {
				t.Fatalf("depth at %d,%d = %g", x, y, img.Depth[y*w+x])
			}
		}
	}
}

// TestClippedInterpolation checks that a triangle through the eye plane shows the part in front, with the
// attributes of the whole triangle.
func TestClippedInterpolation(t *testing.T) {
	// The plane y = -1 (a floor), w = z = depth d, seen at screen height -1/d.
	img := draw(t, passVS, showPS, `size 8 8
		prim tris
		attr position 0 4  -100 -1 50 50  100 -1 50 50  0 -1 -50 -50
		attr texcoord 0 1  50 50 -50`)
	for y := range 8 {
		ndc := 1 - 2*(float64(y)+0.5)/8
		at := y*8 + 4
		if want := ndc < -1.0/50; img.Covered[at] != want {
			t.Fatalf("row %d covered %v", y, img.Covered[at])
		}
		if got := float64(img.Targets[0][4*at]); ndc < 0 && math.Abs(got+1/ndc) > 1e-4 {
			t.Errorf("row %d: depth %g, want %g", y, got, -1/ndc)
		}
	}
}

func TestFragmentInputs(t *testing.T) {
	ps := `ps_3_0
		def c0, 0, 1, 2, 0
		dcl_texcoord v0
		dcl vPos.xy
		dcl vFace
		mov r0.xy, vPos
		mov r1, c0.x
		if_lt vFace, c0.x
			mov r1.x, c0.y
		endif
		mov r0.z, r1.x
		mul r2.xy, v0, v0
		dsx r2.z, r2.x
		dsy r2.w, r2.y
		add r0.w, r2.z, r2.w
		mov oC0, r0`
	img := draw(t, passVS, ps, `size 4 4
		prim tris
		attr position 0 2  -1 1 1 1 -1 -1   1 1 -1 -1 1 -1
		attr texcoord 0 2   0 0 4 0 0 4     4 0 0 4 4 4`)
	// The texture coordinate is the pixel centre; x² over the pair 2k+0.5, 2k+1.5 grows
	// by 4k+2. The first triangle is clockwise on the screen, the second, listed top
	// right, bottom left, bottom right, is not.
	for y := range 4 {
		for x := range 4 {
			got := [4]float32(img.Targets[0][4*(4*y+x):])
			want := [4]float32{float32(x), float32(y), 0, float32(x&^1*2 + 2 + y&^1*2 + 2)}
			if y+x >= 3 { // the second triangle
				want[2] = 1
			}
			if got != want {
				t.Errorf("pixel %d,%d = %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestStripFacing checks that all triangles of a strip face the same way.
func TestStripFacing(t *testing.T) {
	img := draw(t, passVS, "ps_3_0\ndef c0, 0, 1, 2, 3\ndcl vFace\nmov r0, c0.y\nif_gt vFace, c0.x\nmov r0, c0.z\nendif\nmov oC0, r0\n",
		"size 2 2\nattr position 0 2 -1 1 1 1 -1 -1 1 -1")
	for i := range 4 {
		if img.Targets[0][4*i] != 2 {
			t.Errorf("pixel %d faces away", i)
		}
	}
}

func TestKillDepthAndTargets(t *testing.T) {
	ps := `ps_3_0
		def c0, 2.5, 0.25, 5, 6
		dcl_texcoord v0
		mov r0, v0.x
		add r0, r0, -c0.x
		mov oC0, c0.x
		mov oC2.xz, c0.z
		mov oDepth, c0.y
		texkill r0`
	img := draw(t, passVS, ps, `size 4 2
		clear 9 8 7 6
		attr position 0 2 -1 1 1 1 -1 -1 1 -1
		attr texcoord 0 2  0 0 4 0 0 2 4 2`)
	if got := picture(img); got != "\n..##\n..##" { // 2.5 - 2.5 is not negative
		t.Error(got)
	}
	if got := [8]float32(img.Targets[0][4:]); got != [8]float32{9, 8, 7, 6, 2.5, 2.5, 2.5, 2.5} {
		t.Error("oC0", got)
	}
	if got := [8]float32(img.Targets[2][4:]); got != [8]float32{9, 8, 7, 6, 5, 0, 5, 0} {
		t.Error("oC2", got)
	}
	if img.Targets[1] != nil || img.Targets[3] != nil || img.Written != [4]d3d9.Mask{0xf, 0, 5, 0} {
		t.Error("targets", img.Targets[1], img.Targets[3], img.Written)
	}
	if img.Depth[1] != 1 || img.Depth[2] != 0.25 {
		t.Error("depth", img.Depth)
	}
}

// TestKillComponents checks that texkill tests all four components from ps_2_0 on.
func TestKillComponents(t *testing.T) {
	s := mustCompile(t, mustParse(t, "ps_2_0\ndcl t0\ntexkill t0\nmov oC0, c0\n"))
	res, err := s.Run(&Env{}, 8, []Words{{{-1, 0, 0, 0, neg0, nan, 1, 0}, {0, -1, 0, 0, 0, 0, 1, 0},
		{0, 0, -1, 0, 0, 0, 1, 0}, {0, 0, 0, -1, 0, 0, 1, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range res.Killed {
		if want := i < 4; got != want {
			t.Errorf("lane %d killed %v", i, got)
		}
	}
}

func TestLinkage(t *testing.T) {
	const vs2 = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n"
	const vs3 = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n"
	const ps2 = "ps_2_0\ndcl %s\nmov r0, %s\nmov oC0, r0\n"
	in2 := func(r string) string { return strings.ReplaceAll(ps2, "%s", r) }
	in3 := func(u string) string { return "ps_3_0\ndcl_" + u + " v5\nmov oC0, v5\n" }
	tests := []struct {
		name, vs, ps string
		want         [4]float32
	}{
		{"texcoord", vs2 + "mov oT3, v1\n", in2("t3"), [4]float32{-2, 3, 0.5, 0.25}},
		{"partial texcoord", vs2 + "mov oT3.xy, v1\n", in2("t3"), [4]float32{-2, 3, 0, 0}},
		{"missing texcoord", vs2 + "mov oT3, v1\n", in2("t2"), [4]float32{}},
		{"colour is clamped", vs2 + "mov oD1, v1\n", in2("v1"), [4]float32{0, 1, 0.5, 0.25}},
		{"partial first colour", vs2 + "mov oD0.z, v1\n", in2("v0"), [4]float32{1, 1, 0.5, 1}},
		{"missing first colour", vs2, in2("v0"), [4]float32{1, 1, 1, 1}},
		{"missing second colour", vs2, in2("v1"), [4]float32{}},
		{"3_0 colour is not", vs3 + "dcl_color o4\nmov o0, v0\nmov o4, v1\n", in3("color"), [4]float32{-2, 3, 0.5, 0.25}},
		{"3_0 missing colour", vs3 + "mov o0, v0\n", in3("color"), [4]float32{}},
		{"old to new", vs2 + "mov oD0, v1\n", in3("color"), [4]float32{-2, 3, 0.5, 0.25}},
		{"old to new texcoord", vs2 + "mov oT7, v1\n", in3("texcoord7"), [4]float32{-2, 3, 0.5, 0.25}},
		{"new to old", vs3 + "dcl_color o4\nmov o0, v0\nmov o4, v1\n", in2("v0"), [4]float32{0, 1, 0.5, 0.25}},
		{"other index", vs3 + "dcl_normal2 o1\nmov o0, v0\nmov o1, v1\n", in3("normal1"), [4]float32{}},
		{"packed", vs3 + "dcl_normal2 o1.xy\ndcl_fog3 o1.zw\nmov o0, v0\nmov o1, v1\n",
			"ps_3_0\ndcl_normal2 v3.xy\ndcl_fog3 v3.zw\nmov oC0, v3\n", [4]float32{-2, 3, 0.5, 0.25}},
		{"packed apart", vs3 + "dcl_normal2 o1.xy\ndcl_fog3 o1.zw\nmov o0, v0\nmov o1, v1\n",
			"ps_3_0\ndcl_fog3 v3.zw\nmov oC0, v3\n", [4]float32{0, 0, 0.5, 0.25}},
		{"no such attribute", vs2 + "mov oT0, v4\n", in2("t0"), [4]float32{}},
		{"short attribute", "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n", in2("t0"), [4]float32{0, 0, 0, 1}},
		{"output written in one branch", vs2 + "if b0\nmov oD0, v1\nendif\n", in2("v0"), [4]float32{1, 1, 1, 1}},
	}
	for _, tt := range tests {
		vs := strings.Replace(tt.vs, "dcl_texcoord v1\n", "dcl_texcoord v1\ndcl_tangent v4\n", 1)
		img := draw(t, vs, tt.ps, `size 1 1
			attr position 0 2 -1 1 1 1 -1 -1 1 -1
			attr texcoord 0 4 -2 3 0.5 0.25  -2 3 0.5 0.25  -2 3 0.5 0.25  -2 3 0.5 0.25`)
		if got := [4]float32(img.Targets[0]); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestThreeTapFilter compares the filter with plain Go code.
func TestThreeTapFilter(t *testing.T) {
	img := draw(t, quadVS, threeTaps, `size 8 4
		attr position 0 4  -1 1 0 1  1 1 0 1  -1 -1 0 1  1 -1 0 1
		attr texcoord 0 2  0 0  1 0  0 1  1 1
		pc 1 0.125 0 0 0
		tex 0 8 4 nearest clamp rand 7`)
	texels := make([]float32, 8*4*4)
	randomFloats(texels, 7)
	for y := range 4 {
		for x := range 8 {
			for c := range 4 {
				at := func(x int) float32 { return texels[4*(8*y+max(0, min(x, 7)))+c] }
				want := at(x-1) * 0.25
				want = float32(at(x)*0.5) + want
				want = float32(at(x+1)*0.25) + want
				if got := img.Targets[0][4*(8*y+x)+c]; got != want {
					t.Fatalf("pixel %d,%d component %d = %g, want %g", x, y, c, got, want)
				}
			}
		}
	}
}

func TestDrawErrors(t *testing.T) {
	vs, ps := mustCompile(t, mustParse(t, passVS)), mustCompile(t, mustParse(t, showPS))
	c := mustCase(t, "attr position 0 2 -1 1 1 1 -1 -1")
	cube := mustCompile(t, mustParse(t, "ps_3_0\ndcl_cube s3\ntexld r0, c0, s3\nmov oC0, r0\n"))
	withTex := mustCase(t, "attr position 0 2 -1 1 1 1 -1 -1\ntex 3 1 1 nearest clamp rand 1")
	noPos := mustCompile(t, mustParse(t, "vs_2_0\nmov oT0, c0\n"))
	tests := []struct {
		vs, ps *Shader
		c      *Case
		code   string
	}{
		{ps, vs, c, "stage-mismatch"},
		{noPos, ps, c, "no-position"},
		{vs, cube, withTex, "texture-type"},
		{vs, ps, &Case{Width: 4, Height: 4}, "no-vertices"},
		{vs, ps, &Case{Width: 4, Height: 1 << 20, Attrs: c.Attrs}, "target-size"},
	}
	for _, tt := range tests {
		_, err := Draw(tt.vs, tt.ps, tt.c, Numerics{})
		var d *asm.Diag
		if !errors.As(err, &d) || string(d.Code) != tt.code {
			t.Errorf("got %v, want %s", err, tt.code)
		}
	}
}

func TestImageFiles(t *testing.T) {
	img := draw(t, passVS, showPS, `size 2 1
		attr position 0 2 -1 1 1 1 -1 -1 1 -1
		attr texcoord 0 4  -1 0.5 2 1  1 0.5 2 1  -1 0.5 2 1  1 0.5 2 1`)
	var raw, pic bytes.Buffer
	if err := img.WriteF32(&raw, 0); err != nil {
		t.Fatal(err)
	}
	words := make([]float32, 8)
	if err := binary.Read(&raw, binary.LittleEndian, words); err != nil || raw.Len() != 0 {
		t.Fatal(err, raw.Len())
	}
	if [8]float32(words) != [8]float32{-0.5, 0.5, 2, 1, 0.5, 0.5, 2, 1} {
		t.Error(words)
	}
	if err := img.WritePNG(&pic, 0); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(&pic)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, a := decoded.At(0, 0).RGBA(); r != 0 || g>>8 != 128 || b>>8 != 255 || a>>8 != 255 {
		t.Error(r, g, b, a)
	}
}

// TestWritePNG checks that image/png reads every pixel of a written picture, with one row and with many.
func TestWritePNG(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {64, 48}} {
		img := Image{W: size[0], H: size[1]}
		random := rand.New(rand.NewPCG(1, 2))
		for range 4 * img.W * img.H {
			img.Targets[1] = append(img.Targets[1], float32(random.IntN(600)-150)/255)
		}
		var b bytes.Buffer
		if err := img.WritePNG(&b, 1); err != nil {
			t.Fatal(err)
		}
		read, err := png.Decode(&b)
		if err != nil {
			t.Fatal(size, err)
		}
		got, ok := read.(*image.NRGBA)
		if !ok || got.Rect != image.Rect(0, 0, img.W, img.H) {
			t.Fatalf("%v: %T of %v", size, read, read.Bounds())
		}
		for i, v := range img.Targets[1] {
			if want := uint8(min(max(v, 0), 1)*255 + 0.5); got.Pix[i] != want {
				t.Fatalf("%v: component %d is %d, want %d", size, i, got.Pix[i], want)
			}
		}
	}
}

// TestBatchesAgree checks that the result of a lane does not depend on its position in a batch or on the
// other lanes.
func TestBatchesAgree(t *testing.T) {
	s := mustCompile(t, mustParse(t, "vs_3_0\ndcl_texcoord v0\ndcl_texcoord o0\n"+flowConsts+
		"mov r0, v0\nif_gt v0.x, c0.z\nmul r0, r0, c1\nelse\nadd r0.y, r0.x, c1.x\nendif\nmov o0, r0\n"))
	x := make([]float32, 3*Lanes+5)
	for i := range x {
		x[i] = float32(i % 7)
	}
	all, err := s.Run(&Env{}, len(x), []Words{{x}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		one, err := s.Run(&Env{}, 1, []Words{{x[i:]}})
		if err != nil {
			t.Fatal(err)
		}
		for c := range 4 {
			if all.Out[0][c][i] != one.Out[0][c][0] {
				t.Fatalf("lane %d component %d: %g alone, %g among others", i, c, one.Out[0][c][0], all.Out[0][c][i])
			}
		}
	}
}

// TestDrawWithin checks that a draw reports a budget that is exhausted within a triangle of several
// batches.
func TestDrawWithin(t *testing.T) {
	vs, ps := mustCompile(t, mustParse(t, passVS)), mustCompile(t, mustParse(t, showPS))
	c := mustCase(t, "size 32 32\nprim tris\nattr position 0 2 -1 1 3 1 -1 -3")
	for work := range int64(20) {
		b := budget.New(context.Background(), work, budget.Unlimited)
		if _, err := DrawWithin(vs, ps, c, Numerics{}, b); (err == nil) != (b.Err() == nil) || work == 0 && err == nil {
			t.Errorf("with %d steps: %v, and the budget: %v", work, err, b.Err())
		}
	}
}

// TestClippedToNothing checks that no drawn value is NaN if clipping leaves a vertex with w = 0.
func TestClippedToNothing(t *testing.T) {
	const vs = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndef c0, 1, 1, 1, 1\nmov o0, v0.xxxy\nmov o1, c0\n"
	img := draw(t, vs, showPS, "size 8 8\nprim tris\nattr position 0 4  -1 1 0.5 1  1 1 0.5 1  -1 -1 0.5 1  1 1 0.5 1  1 -1 0.5 1  -1 -1 0.5 1")
	for i, covered := range img.Covered {
		if x := img.Targets[0][4*i]; covered && x != 1 {
			t.Fatalf("pixel %d: the constant 1 is interpolated to %v", i, x)
		}
	}
}
