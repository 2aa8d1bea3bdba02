package draws

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

func parse(t *testing.T, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfile(t *testing.T) {
	p := parse(t, `vs_3_0
def c1, 0, 1, 2, 3
defi i1, 3, 0, 1, 0
defb b2, true
dcl_position v0
dcl_2d s2
dcl_volume s0
dcl_position o0
m3x3 r0.xyz, v0, c4
dp4 r1.y, v0, c9
mul r2, v0.z, c11
add r3, r2, c1
add r3, r3, c0
rep i1
add r3, r3, r3
endrep
rep i0
add r3, r3, r3
endrep
if b2
add r3, r3, r3
endif
if b5
add r3, r3, r3
endif
texldl r4, r3, s2
texldl r4, r4, s0
mova a0.x, v0.x
dp4 r5.x, v0, c[a0.x + 240]
dp4 r5.y, v0, c[a0.x + 241]
dp4 r5.z, v0, c[a0.x + 242]
mov o0, r5
`)
	want := &profile{
		floats: []floatConst{{0, noRow}, {4, 0}, {5, 1}, {6, 2}, {9, 1}, {11, 2},
			{240, 0}, {241, 1}, {242, 2}, {243, 0}, {244, 1}, {245, 2}, {246, 0}, {247, 1}, {248, 2},
			{249, 0}, {250, 1}, {251, 2}, {252, 0}, {253, 1}, {254, 2}, {255, 0}},
		ints:     []int{0},
		bools:    []int{5},
		samplers: []sampler{{0, d3d9.TexVolume}, {2, d3d9.Tex2D}},
	}
	if diff := cmp.Diff(want, profileOf(p), cmp.AllowUnexported(profile{}, floatConst{}, sampler{})); diff != "" {
		t.Error(diff)
	}
}

// TestProfileReadsTheConstantTable checks that the constant table takes precedence over guesses about
// matrices.
func TestProfileReadsTheConstantTable(t *testing.T) {
	c := d3d9.Constant{Set: d3d9.SetFloat4, Index: 8, Count: 6, Class: 3, Rows: 4, Columns: 3, Elements: 2}
	for reg, want := range map[int]int{8: 0, 10: 2, 11: 0, 13: 2} {
		if got := tableRow(&c, reg); got != want {
			t.Errorf("register %d is row %d, want %d", reg, got, want)
		}
	}
	c.Class = 1
	if got := tableRow(&c, 9); got != noRow {
		t.Errorf("a vector has row %d", got)
	}
}

func TestPositionRows(t *testing.T) {
	tests := []struct {
		name, src string
		rows      [4]int
		ok        bool
	}{
		{"a matrix product", "vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c3\n", [4]int{3, 4, 5, 6}, true},
		{"dot products in any order", "vs_2_0\ndcl_position v0\ndp4 oPos.w, c7, v0\ndp4 oPos.x, v0, c2\ndp4 oPos.z, v0, c3\ndp4 oPos.y, v0, c1\n", [4]int{2, 1, 3, 7}, true},
		{"moved from a register", "vs_3_0\ndcl_position v0\ndcl_position o3\nm4x4 r1, v0, c3\nmov o3, r1\n",
			[4]int{3, 4, 5, 6}, true},
		{"changed afterwards", "vs_2_0\ndcl_position v0\nm4x4 r0, v0, c3\nadd r0.z, r0.z, r0.w\nmov oPos, r0\n", [4]int{},
			false},
		{"no matrix", "vs_2_0\ndcl_position v0\nmov oPos, v0\n", [4]int{}, false},
	}
	for _, tt := range tests {
		rows, ok := positionRows(parse(t, tt.src))
		if ok != tt.ok || ok && rows != tt.rows {
			t.Errorf("%s: %v, %v", tt.name, rows, ok)
		}
	}
}
