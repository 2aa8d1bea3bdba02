package shaderlift

import "testing"

// What verification may take follows from the stages that there are to search.
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
