package draws_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
)

func parse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	// passVS copies position and texture coordinate.
	passVS = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n"
	// showPS shows the texture coordinate.
	showPS = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n"
)

// TestRandomFindsADraw covers pairs that are difficult to draw. Each must have a meaningful draw for every
// seed after few tries.
func TestRandomFindsADraw(t *testing.T) {
	tests := []struct{ name, vs, ps string }{
		{"position as given", passVS, showPS},
		{"a matrix of rows", "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c4\nmov oT0, v1\n", showPS},
		{"a matrix of columns",
			"vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmul r0, v0.x, c0\nmad r0, v0.y, c1, r0\nmad r0, v0.z, c2, r0\nmad oPos, v0.w, c3, r0\nmov oT0, v1\n", showPS},
		{"three matrices in a row", `vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_position o0
dcl_texcoord o1
m4x4 r0, v0, c0
m4x4 r1, r0, c4
dp4 o0.x, r1, c8
dp4 o0.y, r1, c9
dp4 o0.z, r1, c10
dp4 o0.w, r1, c11
mov o1, v1
`, "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"},
		{"skinning", `vs_2_0
dcl_position v0
dcl_blendindices v1
dcl_texcoord v2
mova a0.x, v1.x
dp4 r0.x, v0, c[a0.x + 10]
dp4 r0.y, v0, c[a0.x + 11]
dp4 r0.z, v0, c[a0.x + 12]
mov r0.w, v0.w
m4x4 oPos, r0, c0
mov oT0, v2
`, showPS},
		{"a picture far off, brought into view by the matrix",
			"vs_2_0\ndef c9, 500, 300, 0.5, 0\ndcl_position v0\ndcl_texcoord v1\nadd r0, v0, c9\nm4x4 oPos, r0, c0\nmov oT0, v1\n", showPS},
		{"positions in texels", `vs_2_0
def c1, -0.5, 0, 0, 0
def c2, 2, -2, -1, 1
dcl_position v0
dcl_texcoord v1
add r0.xy, v0, c1.x
mul r0.xy, r0, c0
mad oPos.xy, r0, c2, c2.zwzw
mov oPos.zw, v0
mov oT0, v1
`, showPS},
		{"behind a matrix without its last row",
			"vs_2_0\ndcl_position v0\ndp3 r0.x, v0, c0\ndp3 r0.y, v0, c1\ndp3 r0.z, v0, c3\nmov oPos, r0.xyzz\nmov oT0, v0\n", showPS},
		{"depth at the far plane", "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0.xyww\nmov oT0, v1\n", showPS},
		{"fragments killed by a constant", passVS,
			"ps_2_0\ndcl t0\nmov r1, c0\nadd r0, t0, -r1\ntexkill r0\nmov r0, t0\nmov oC0, r0\n"},
		{"every kind of texture and constant", passVS, `ps_2_x
dcl t0
dcl_2d s0
dcl_cube s1
dcl_volume s2
texld r0, t0, s0
texld r1, t0, s1
texld r2, t0, s2
rep i0
mad r0, r0, r1, r2
endrep
if b0
add r0, r0, c3
endif
mov oC0, r0
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vs, ps := parse(t, tt.vs), parse(t, tt.ps)
			for seed := range uint64(5) {
				_, picture, err := draws.RandomWithin(vs, ps, seed, draws.Little, nil)
				if err != nil || !picture.Meaningful() {
					t.Errorf("seed %d: %+v, %v", seed, picture, err)
				}
			}
		})
	}
}

func TestRandomDependsOnTheSeedAlone(t *testing.T) {
	vs, ps := parse(t, "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c4\nmov oT0, v1\n"), parse(t, showPS)
	text := func(seed uint64) []byte {
		c, _, err := draws.Random(vs, ps, seed)
		if err != nil {
			t.Fatal(err)
		}
		return c.Format()
	}
	first := text(1)
	if !bytes.Equal(first, text(1)) {
		t.Error("one seed, two draws")
	}
	if bytes.Equal(first, text(2)) {
		t.Error("two seeds, one draw")
	}
}

// TestRandomPictureHolds checks that the returned picture is the interpreter's, also after the case is
// written and read back.
func TestRandomPictureHolds(t *testing.T) {
	vs, ps := parse(t, passVS), parse(t, "ps_2_0\ndcl t0\ndcl_cube s3\ntexld r0, t0, s3\nmul r0, r0, c7\nmov oC0, r0\n")
	c, picture, err := draws.Random(vs, ps, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := interp.ParseCase("case", c.Format())
	if err != nil {
		t.Fatal(err)
	}
	v, err := interp.Compile(vs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.Compile(ps)
	if err != nil {
		t.Fatal(err)
	}
	img, err := interp.Draw(v, p, again, interp.Numerics{})
	if err != nil {
		t.Fatal(err)
	}
	if got := draws.Judge(img); got != picture {
		t.Errorf("told %+v, shows %+v", picture, got)
	}
}

func TestRandomRefuses(t *testing.T) {
	tests := []struct{ name, vs, ps, code string }{
		{"a position off the screen", "vs_2_0\ndef c0, 5, 5, 0.5, 1\ndcl_position v0\nmov oPos, c0\n", showPS, "no-draw"},
	}
	for _, tt := range tests {
		_, _, err := draws.Random(parse(t, tt.vs), parse(t, tt.ps), 1)
		var d *asm.Diag
		if !errors.As(err, &d) || string(d.Code) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
	}
}

func TestJudge(t *testing.T) {
	img := func(covered int, colors ...float32) *interp.Image {
		m := &interp.Image{W: 4, H: 2, Covered: make([]bool, 8)}
		m.Targets[0] = make([]float32, 32)
		for i := range covered {
			m.Covered[i] = true
			m.Targets[0][4*i] = colors[i%len(colors)]
		}
		return m
	}
	zero := float32(0)
	tests := []struct {
		name       string
		img        *interp.Image
		want       draws.Picture
		meaningful bool
	}{
		{"nothing", img(0, 1), draws.Picture{}, false},
		{"too little", img(1, 1), draws.Picture{Covered: 1, Coverage: 0.125, Tame: 1, Distinct: 1}, false},
		{"one colour", img(8, 1), draws.Picture{Covered: 8, Coverage: 1, Tame: 1, Distinct: 1}, false},
		{"two colours", img(4, 1, 2), draws.Picture{Covered: 4, Coverage: 0.5, Tame: 1, Distinct: 2}, true},
		{"half NaN", img(4, 1, zero/zero), draws.Picture{Covered: 4, Coverage: 0.5, Tame: 0.5, Distinct: 1}, false},
	}
	for _, tt := range tests {
		if got := draws.Judge(tt.img); got != tt.want || got.Meaningful() != tt.meaningful {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestWithUploads(t *testing.T) {
	c := &interp.Case{}
	c.Vertex.SetFloat(1, [4]float32{1, 1, 1, 1})
	c.Pixel.SetFloat(2, [4]float32{1, 2, 3, 4})
	d := draws.WithUploads(c, []draws.Upload{{From: 2, To: 5}, {From: 9, To: 1}})
	if d.Vertex.Float[5] != [4]float32{1, 2, 3, 4} || d.Vertex.Float[1] != [4]float32{} {
		t.Errorf("uploaded %v", d.Vertex.Float)
	}
	if len(c.Vertex.Float) != 2 || c.Vertex.Float[1] != [4]float32{1, 1, 1, 1} {
		t.Errorf("the original became %v", c.Vertex.Float)
	}
}
