package rounding

import (
	"slices"
	"testing"
)

// TestGrowthOfSeveral checks that a fact that one rewrite adds to a term, here that it is a mean, does not
// affect the next rewrite.
func TestGrowthOfSeveral(t *testing.T) {
	head := "ps_3_0; def c0, 64, 0, 0, 0; dcl_texcoord v0; mov r4, c0; mov_sat r2, v0; "
	sum := "add r0, v0.y, -v0.z; mul r0, r0, r2.x; add r0, r0, v0.z; "
	tail := "rcp r1, r3.x; mov oC0, r1"
	pair := func(code string) *Pair { return &Pair{Pixel: lifted(t, head+code+tail)} }
	before := pair(sum + "mov r3, r0; ")
	rewrites := []*Pair{pair("lrp r3, r2.x, v0.y, v0.z; "), pair(sum + "mul r3, r0, r4.x; "), pair(sum + "mov r3, r0; ")}
	together := New(ByName(""), nil).compareGrowth(before)
	defer together.Close()
	grown := 0
	for i, after := range rewrites {
		got, err := together.growingSinks(after, 4)
		if err != nil {
			t.Fatal(err)
		}
		alone := New(ByName(""), nil).compareGrowth(before)
		want, err := alone.growingSinks(after, 4)
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
		if grown += len(got); !slices.Equal(got, want) {
			t.Errorf("rewrite %d: %v, and by itself %v", i, got, want)
		}
	}
	if grown == 0 {
		t.Error("no error grows")
	}
}
