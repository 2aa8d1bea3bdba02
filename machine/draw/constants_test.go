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
		for _, name := range []string{"fetch of rgba8", "write of rgba8"} {
			if !seen[name] {
				t.Errorf("%s: no %s", target.Name, name)
			}
		}
	}
}
