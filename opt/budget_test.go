package opt

import "testing"

// TestChecks checks that the budget of verification grows with the number of stages to search.
func TestChecks(t *testing.T) {
	for _, tt := range []struct {
		pipeline string
		want     int64
	}{{"", 6}, {"O1", 6}, {"O2", 6}, {"O3", 7}, {"dce", 6}, {"no such pass", 6}} {
		if got := (&Options{Pipeline: tt.pipeline}).checks(); got != tt.want {
			t.Errorf("%q: %d checks, not %d", tt.pipeline, got, tt.want)
		}
	}
}
