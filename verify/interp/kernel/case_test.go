package kernel

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const everything = `# all that a case can say
domain 3, 2
steps 1000
cb 1 2 1 -2.5 1e3 0x3f800000
cbi 0 0 1 -2 3 4294967295
cbx 0 1 1 0xffffffff 3f800000 0
icb 0 1 2 3 4
ci 1 5 6 7 -8
v 0 linear 0 0 0 0  1 2 3 4  0.5 0 0 -1
v 4 rand 7 -1 1
in 0 4 4 float4 rand 3
in 1 8 1 float1 data 0 1 2 3 4 5 6 0x7fc00000
in 2 2 2 2 uint4 rand 9 0 16
in 3 2 2 float2 rand 9 every 4
in 4 2 2 float2 rand 9 -1 1 every 2
global 2 zero
uav 11 4 rand 1
uav 3 2 2 zero
gds 1 3 data 1 2 -0.5
out o0,g u11
`

func TestParseCase(t *testing.T) {
	c := parsed(t, everything)
	if c.Width != 3 || c.Height != 2 || c.Steps != 1000 || c.Constants[1][2] != [4]uint32(floats(1, -2.5, 1000, 1)) ||
		c.Constants[0][0] != [4]uint32{1, 1<<32 - 2, 3, 1<<32 - 1} ||
		c.Constants[0][1] != [4]uint32{1, 1<<32 - 1, 0x3f800000, 0} || c.Immediate[0] != [4]uint32(floats(1, 2, 3, 4)) ||
		c.Ints[1] != [4]uint32{5, 6, 7, 1<<32 - 8} {
		t.Errorf("reads as %+v", c)
	}
	if want := []Resource{
		{0, 4, 4, 1, Float4, Data{Kind: Random, Seed: 3}},
		{1, 8, 1, 1, Float1, Data{Kind: Words,
			Words: []uint32{0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000, 0x7fc00000}}},
		{2, 2, 2, 2, Uint4, Data{Kind: Random, Seed: 9, Lo: 0, Hi: 16}},
		{3, 2, 2, 1, Float2, Data{Kind: Random, Seed: 9, Every: 4}},
		{4, 2, 2, 1, Float2, Data{Kind: Random, Seed: 9, Lo: -1, Hi: 1, Every: 2}},
	}; !cmp.Equal(c.Resources, want) {
		t.Error(cmp.Diff(want, c.Resources))
	}
	if want := []View{{11, 4, 1, 1, Data{Kind: Random, Seed: 1}}, {3, 2, 2, 1, Data{}}}; !cmp.Equal(c.Views, want) {
		t.Error(cmp.Diff(want, c.Views))
	}
	if want := []Share{{1, 3, Data{Kind: Words,
		Words: []uint32{0x3f800000, 0x40000000, 0xbf000000}}}}; !cmp.Equal(c.Shares, want) {
		t.Error(cmp.Diff(want, c.Shares))
	}
	if !slices.Equal(c.Out, []string{"o0", "g", "u11"}) {
		t.Errorf("outputs %v", c.Out)
	}
	back := parsed(t, string(c.Format()))
	if !cmp.Equal(back, c) {
		t.Error(cmp.Diff(c, back))
	}
	if again := back.Format(); !bytes.Equal(again, c.Format()) {
		t.Errorf("formats as\n%s\nand then as\n%s", c.Format(), again)
	}
}

func TestParseCaseErrors(t *testing.T) {
	for _, e := range []struct{ src, want string }{
		{"domain 1", "1:8 missing-value"},
		{"domain 0 1", "1:8 bad-number"},
		{"domain 40000 40000", "1:14 domain-size"},
		{"domain 1 1 1", "1:12 extra-value"},
		{"#\nfrobnicate", "2:1 unknown-key"},
		{"cb 16 0 0 0 0 0", "1:4 bad-number"},
		{"cb 0 4096 0 0 0 0", "1:6 bad-number"},
		{"cbi 0 0 1.5 0 0 0", "1:9 bad-number"},
		{"cbx 0 0 123456789 0 0 0", "1:9 bad-number"},
		{"in 0 4 4 float5 zero", "1:10 bad-word"},
		{"in 0 4 4 float4 data 1 2", "1:24 data-size"},
		{"in 0 4 4 float1 rand 1 1 0", "1:26 bad-range"},
		{"in 0 16000 16000 16000 float1 zero", "1:18 data-size"},
		{"steps 0", "1:7 bad-number"},
		{"in 0 2 2 float1 rand 1 every 0", "1:30 bad-number"},
		{"in 0 2 2 float1 rand 1 every", "1:24 missing-value"},
		{"in 0 1 1 float1 zero\nin 0 1 1 float1 zero", "2:17 duplicate"},
		{"in 0 1 1 float1 file /nowhere/at/all", "1:22 file"},
		{"in 0 1 1 float1 file .", "1:22 file"},
		{"v 0 data 1 2 3 4\ndomain 1 2", "1:1 data-size"},
		{"v 0 zero\nv 0 zero", "2:5 duplicate"},
		{"global 1 zero\nglobal 1 zero", "2:10 duplicate"},
		{"uav 1 1 zero\nuav 1 1 zero", "2:9 duplicate"},
		{"gds 0 2 zero\ngds 0 2 zero", "2:9 duplicate"},
		{"gds 0 300000 zero", "1:7 bad-number"},
		{"gds 0 2 data 1", "1:14 data-size"},
		{"out o8", "1:5 unknown-output"},
		{"out u-1", "1:5 unknown-output"},
		{"uav 0 300000000 zero\nuav 1 300000000 zero", "2:7 data-size"},
	} {
		_, err := ParseCaseWith("c", []byte(e.src), Beside("c"))
		if err == nil || !strings.HasPrefix(err.Error(), "c:"+strings.Fields(e.want)[0]+":") ||
			!strings.HasSuffix(err.Error(), "["+strings.Fields(e.want)[1]+"]") {
			t.Errorf("%q gives %v, want %s", e.src, err, e.want)
		}
	}
}

// TestRandom checks the generator against its description.
func TestRandom(t *testing.T) {
	seed := uint32(5)
	r := seed*2654435761 + 1
	var want [8]uint32
	for i := range want {
		r = r*1664525 + 1013904223
		want[i] = r
	}
	for i, w := range (&Data{Kind: Random, Seed: 5}).words(8, false) {
		if x := math.Float32frombits(w); x != float32(want[i]>>8)/(1<<24) {
			t.Errorf("number %d is %v", i, x)
		}
	}
	if got := (&Data{Kind: Random, Seed: 5}).words(8, true); !slices.Equal(got, want[:]) {
		t.Errorf("words %v, want %v", got, want)
	}
	seen := map[uint32]int{}
	for _, w := range (&Data{Kind: Random, Seed: 5, Lo: -2, Hi: 3}).words(1000, true) {
		seen[w]++
	}
	for v := int32(-2); v < 3; v++ {
		if seen[uint32(v)] < 150 {
			t.Errorf("%d comes %d times among 1000 numbers from -2 to 2", v, seen[uint32(v)])
		}
	}
	for _, w := range (&Data{Kind: Random, Seed: 5, Lo: -2, Hi: 3}).words(1000, false) {
		if x := math.Float32frombits(w); x < -2 || x >= 3 {
			t.Errorf("%v is not in -2 to 3", x)
		}
	}
}

// TestInputs covers inputs from planes, words and files.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data.f32"), []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 1, 0, 0},
		0o666); err != nil {
		t.Fatal(err)
	}
	src := `dcl_input_generic_interp(linear) v0
dcl_input_generic_interp(linear) v1
dcl_input_generic_interp(linear) v2
dcl_output_generic o0
dcl_output_generic o1
dcl_output_generic o5
mov o0, v0
mov o1, v1
mov o5, v2
mov g[1].x, v0.x`
	c, err := ParseCaseWith("case", []byte("domain 2 2\nv 0 linear 1 0 0 0  2 0 0 0  10 1 0 0\nv 1 data 1 2 3 4  5 6 7 8  9 10 11 12  13 14 15 16\nglobal 1 file data.f32"), os.DirFS(dir).Open)
	if err != nil {
		t.Fatal(err)
	}
	r, err := compile(t, src).Run(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := floats(1+2*1.5+10*0.5, 0.5, 0, 0); vec4(r.Out[0][4:]) != want {
		t.Errorf("v0 of element 1 is %v, want %v", asFloats(vec4(r.Out[0][4:])), want)
	}
	if want := floats(9, 10, 11, 12); vec4(r.Out[1][8:]) != want {
		t.Errorf("v1 of element 2 is %v", asFloats(vec4(r.Out[1][8:])))
	}
	if !slices.Equal(r.Global, []uint32{1, 2, 3, 260}) {
		t.Errorf("the file holds %v", r.Global)
	}
	if names := r.Names(); !slices.Equal(names, []string{"o0", "o1", "o5", "g"}) {
		t.Errorf("outputs %v", names)
	}
	data, err := r.Bytes([]string{"g", "o1"})
	if err != nil || len(data) != 16+64 || !bytes.Equal(data[:20],
		[]byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0x3f}) {
		t.Errorf("the bytes are %x, %v", data, err)
	}
	if _, err := r.Bytes([]string{"o2"}); err == nil {
		t.Error("there is an o2")
	}
}

// TestSpelled checks that spelled-out data equals the words that invocations read, bit for bit.
func TestSpelled(t *testing.T) {
	p := compile(t, "dcl_input_generic_interp(linear) v0\ndcl_output_generic o0\nmov o0, v0")
	for _, d := range []Data{
		{Kind: Linear, Plane: [3][4]float32{{0.1, 1e8, -3, 1}, {0.3, 1, 0.7, 0}, {1.1, -0.1, 1e-8, 0}}},
		{Kind: Random, Seed: 4},
		{Kind: Random, Seed: 4, Lo: 2, Hi: 2},
		{Kind: Random, Seed: 4, Lo: -0.3, Hi: 7.1},
	} {
		var out [2][]uint32
		for i, data := range []Data{d, {Kind: Words, Words: d.Spelled(4*8*3, 8)}} {
			r, err := p.Run(&Case{Width: 8, Height: 3, Inputs: []Input{{Data: data}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			out[i] = r.Out[0]
		}
		if !slices.Equal(out[0], out[1]) {
			t.Errorf("%+v: %v, spelled out %v", d, out[0], out[1])
		}
	}
}
