package sim

import (
	"testing"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// TestBankWait checks the conflicts of strides on Cypress, which has 32 banks. The accesses of half a wavefront to one
// word do not conflict.
func TestBankWait(t *testing.T) {
	cypress, err := chip.ByName("cypress")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stride uint32 // in words
		active uint64
		groups int
	}{
		{0, ^uint64(0), 0}, {1, ^uint64(0), 0}, {3, ^uint64(0), 0},
		{2, ^uint64(0), 0},   // two words a bank take 4 cycles
		{4, ^uint64(0), 1},   // 8 cycles
		{32, ^uint64(0), 15}, // 64 cycles
		{128, ^uint64(0), 15},
		{32, 0xFFFFFFFF, 7}, // half a wavefront
		{32, 1, 0},
	} {
		var at lanes
		for lane := range at {
			at[lane] = 4 * c.stride * uint32(lane)
		}
		if got := bankWait(&at, c.active, cypress); got != c.groups {
			t.Errorf("stride %d, lanes %x: %d groups, not %d", c.stride, c.active, got, c.groups)
		}
	}
}
