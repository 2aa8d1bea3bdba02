package explain

import (
	"testing"

	"github.com/shaderlift/shaderlift/machine/draw"
)

// TestBound checks that there is advice on each part of the GPUs of draws.
func TestBound(t *testing.T) {
	for p := range draw.Primitive + 1 {
		if advice[p.String()] == "" {
			t.Errorf("there is no advice on %s", p)
		}
	}
}
