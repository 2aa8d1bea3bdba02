package wave

import (
	"math/bits"
	"testing"
)

// TestMasks checks the functions on masks for any mask, with and without assembly kernels.
func TestMasks(t *testing.T) {
	for _, mask := range []uint64{0, 1, 1 << 63, 0x123456789abcdef0, 0xff00ff00ff00ff00, ^uint64(0)} {
		var from, to Lanes
		for lane := range from {
			from[lane], to[lane] = uint32(lane+1), uint32(100+lane)
		}
		Blend(&to, &from, mask)
		for lane, got := range to {
			want := uint32(100 + lane)
			if mask>>lane&1 != 0 {
				want = uint32(lane + 1)
			} else {
				from[lane] = 0
			}
			if got != want {
				t.Errorf("mask %#x: lane %d is %d, not %d", mask, lane, got, want)
			}
		}
		if got := Nonzero(&from); got != mask {
			t.Errorf("lanes %#x are told from zero, not %#x", got, mask)
		}
		for lane := range from {
			from[lane] = uint32(bits.OnesCount64(mask & (1<<lane - 1)))
		}
		if got := Repeats(&from); got != ^mask<<1 {
			t.Errorf("lanes %#x are as the one before, not %#x", got, ^mask<<1)
		}
	}
}
