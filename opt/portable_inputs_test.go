package opt

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// TestInterpolatesNoMore checks for components that a version interpolates besides those of the
// original, in any register.
func TestInterpolatesNoMore(t *testing.T) {
	program := func(declarations string) []*d3d9.Program {
		p, err := d3d9.Parse("test", []byte("ps_2_0\n"+declarations+"dcl_2d s0\ntexld r0, t1, s0\nmov oC0, r0\n"))
		if err != nil {
			t.Fatal(err)
		}
		return []*d3d9.Program{p}
	}
	before := program("dcl t0.x\ndcl t1.xyz\n")
	for declarations, want := range map[string]bool{
		"dcl t0.x\ndcl t1.xyz\n":           true,
		"dcl t1.xy\n":                      true,
		"dcl t1\n":                         false, // the fourth component for that of t0
		"dcl t1.xyz\ndcl t2.x\n":           false,
		"dcl t0.x\ndcl t1.xyz\ndcl v0.x\n": false,
	} {
		if got := pair.InterpolatesNoMore(before, program(declarations)); got != want {
			t.Errorf("%q: %v", declarations, got)
		}
	}
}
