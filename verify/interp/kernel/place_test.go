package kernel

import (
	"slices"
	"testing"
)

// TestPlace checks that relocated invocations have the position or the number of their new location.
func TestPlace(t *testing.T) {
	pixel := compile(t, "dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\nftoi o0.xy__, vWinCoord0.xy")
	thread := compile(t, "il_cs_2_0\ndcl_num_thread_per_group 4\nmov r0.x, vaTidFlat.x\nmov r0.y, vaTid.x\nmov g[vTid.x].xy, r0.xy\nend\n")
	o := Options{Scale: [2]int{3, 2}, Offset: [2]int{1, 1}}
	r, err := pixel.Run(parsed(t, "domain 2 2"), o)
	if want := []uint32{1, 1, 0, 0, 4, 1, 0, 0, 1, 3, 0, 0, 4, 3, 0, 0}; err != nil || !slices.Equal(r.Out[0], want) {
		t.Errorf("pixels: %v, %v", r, err)
	}
	r, err = thread.Run(parsed(t, "domain 4 1\nglobal 4 zero"), o)
	if want := []uint32{1, 1, 0, 0, 4, 4, 0, 0, 7, 7, 0, 0, 10, 10, 0, 0}; err != nil || !slices.Equal(r.Global, want) {
		t.Errorf("threads: %v, %v", r, err)
	}
}
