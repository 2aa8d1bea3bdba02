package draw

import "testing"

// TestConstants checks that every figure has a source, and that every target charges for fetches
// and output.
func TestConstants(t *testing.T) {
	for _, target := range Targets() {
		seen := map[string]bool{}
		for _, c := range target.Constants() {
			if c.Source == "" {
				t.Errorf("%s: %s has no source", target.Name, c.Name)
			}
			seen[c.Name] = true
		}
		if !seen["fetch of rgba8"] {
			t.Errorf("%s: no fetch of rgba8", target.Name)
		}
		if !seen["write of rgba8"] && !target.Phone { // phones write to memory on the chip
			t.Errorf("%s: no write of rgba8", target.Name)
		}
	}
}
