package interp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

const fullCase = `# everything a case can say
size 8, 4
clear 0 0.25 0.5 1
offset 0.5 -0.25
prim fan   # a comment
attr position 0 4  -1 1 0 1  1 1 0 1  -1 -1 0 1
attr color 1 3  .1 .2 .3 1e-3 -2.5e+7 3 0 0 inf
vc 3 1 -2 3.5 0.1
vi 2 1 -2 3 4
vb 15 1
pc 8 0 0 1e-45 0
pi 0 255 0 0 0
pb 1 1
vtex 3 1 2 linear wrap data 1 2 3 4 5 6 7 8
tex 0 8 4 nearest clamp rand 7
texcube 1 2 trilinear clamp rand -3
texvol 15 2 3 4 linear wrap rand 4000000000
`

func TestParseCase(t *testing.T) {
	c := mustCase(t, fullCase)
	if c.Width != 8 || c.Height != 4 || c.Clear != [4]float32{0, 0.25, 0.5, 1} || c.Offset != [2]float32{0.5, -0.25} ||
		c.Prim != Fan || len(c.Attrs) != 2 {
		t.Errorf("%+v", c)
	}
	if a := c.Attrs[1]; a.Usage != d3d9.UsageColor || a.Index != 1 || a.Comps != 3 || a.Data[8] != inf ||
		a.Data[4] != -2.5e7 {
		t.Errorf("%+v", a)
	}
	if c.Vertex.Float[3] != [4]float32{1, -2, 3.5, 0.1} || c.Vertex.Int[2] != [4]int32{1, -2, 3, 4} || !c.Vertex.Bool[15] {
		t.Errorf("vertex constants %+v", c.Vertex)
	}
	if c.Pixel.Float[8][2] != 1e-45 || c.Pixel.Int[0][0] != 255 || !c.Pixel.Bool[1] {
		t.Errorf("pixel constants %+v", c.Pixel)
	}
	if v := c.VertexTex[3]; v.W != 1 || v.H != 2 || v.Filter != Linear || v.Clamp || v.Data[5] != 6 {
		t.Errorf("vertex texture %+v", v)
	}
	if v := c.PixelTex[1]; v.Type != d3d9.TexCube || len(v.Data) != 4*6*4 || len(v.levels) != 2 {
		t.Errorf("cube %+v", v)
	}
	if v := c.PixelTex[15]; v.Type != d3d9.TexVolume || len(v.Data) != 4*2*3*4 || v.Clamp {
		t.Errorf("volume %+v", v)
	}
}

func TestFormatReadsBack(t *testing.T) {
	c := mustCase(t, fullCase)
	text := c.Format()
	again, err := ParseCase("again", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(c, again, cmpopts.IgnoreUnexported(Texture{})); d != "" {
		t.Error(d)
	}
	if string(again.Format()) != string(text) {
		t.Error("not a fixed point")
	}
}

func TestCaseDiagnostics(t *testing.T) {
	const verts = "attr position 0 2 -1 1 1 1 -1 -1\n"
	tests := []struct {
		src, code string
		line, col int
	}{
		{"", "no-vertices", 1, 1},
		{"size 4\n", "missing-value", 1, 6},
		{"size 0 4\n", "bad-number", 1, 6},
		{"size 4 99999\n", "bad-number", 1, 8},
		{"size 4096 4096\n", "target-size", 1, 11},
		{"size 4 4 4\n", "extra-value", 1, 10},
		{"\n  szie 4 4\n", "unknown-key", 2, 3},
		{"clear 1 2 x 4\n", "bad-number", 1, 11},
		{"offset 0 2\n", "offset-range", 1, 10},
		{"prim quads\n", "bad-word", 1, 6},
		{"attr colour 0 4 1\n", "unknown-usage", 1, 6},
		{"attr color 16 4 1\n", "bad-number", 1, 12},
		{"attr color 0 5 1\n", "bad-number", 1, 14},
		{"attr color 0 4 1 2 3\n", "attr-size", 1, 20},
		{verts + verts, "duplicate-attr", 2, 31},
		{verts + "attr color 0 1 " + strings.Repeat("1 ", 70000), "too-much-data", 2, 14},
		{"vc 9000 0 0 0 0\n", "bad-number", 1, 4},
		{"vc 1 0 0 0\n", "missing-value", 1, 10},
		{"vi 1 0 0 0.5 0\n", "bad-number", 1, 10},
		{"vi 16 0 0 0 0\n", "bad-number", 1, 4},
		{"tex 16 1 1 nearest clamp rand 1\n", "bad-number", 1, 5},
		{"vtex 4 1 1 nearest clamp rand 1\n", "bad-number", 1, 6},
		{"tex 0 1 1 cubic clamp rand 1\n", "bad-word", 1, 11},
		{"tex 0 1 1 nearest mirror rand 1\n", "bad-word", 1, 19},
		{"tex 0 1 1 nearest clamp noise 1\n", "bad-word", 1, 25},
		{"tex 0 1 1 nearest clamp data 1 2 3\n", "texture-size", 1, 34},
		{"tex 0 1 1 nearest clamp data 1 2 3 4 5\n", "too-much-data", 1, 25},
		{"texvol 0 4096 4096 4096 linear wrap rand 1\n", "texture-size", 1, 20},
		{"tex 0 2048 2048 linear wrap rand 1\ntex 1 1 1 linear wrap rand 1\n", "texture-size", 2, 9},
	}
	for _, tt := range tests {
		_, err := ParseCase("f.case", []byte(tt.src))
		var d *asm.Diag
		if !errors.As(err, &d) {
			t.Errorf("%.60q: %v, want %s", tt.src, err, tt.code)
			continue
		}
		if string(d.Code) != tt.code || d.Pos != (asm.Pos{File: "f.case", Line: tt.line, Col: tt.col}) {
			t.Errorf("%.60q: %v, want %s at %d:%d", tt.src, d, tt.code, tt.line, tt.col)
		}
	}
}

func FuzzParseCase(f *testing.F) {
	f.Add([]byte(fullCase))
	f.Add([]byte("tex 0 1 1 linear wrap data 1 nan -inf 3\nattr position 0 1 1 2 3"))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := ParseCase("f", src)
		if err != nil {
			return
		}
		text := c.Format()
		again, err := ParseCase("again", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if string(again.Format()) != string(text) {
			t.Fatalf("not a fixed point:\n%s\n%s", text, again.Format())
		}
	})
}
