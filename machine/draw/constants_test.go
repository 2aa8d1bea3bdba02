package draw

import "testing"

// Every figure has a source, and every target charges for fetches and output.
func TestConstants(t *testing.T) {
	for _, target := range Targets() {
		seen := map[string]bool{}
		for _, c := range target.Constants() {
			if c.Source == "" {
				t.Errorf("%s: %s has no source", target.Name, c.Name)
			}
			seen[c.Name] = true
		}
		for _, name := range []string{"fetch of rgba8, rgba16f, rgba32f", "rgba8 written, rgba16f blended"} {
			if !seen[name] {
				t.Errorf("%s: no %s", target.Name, name)
			}
		}
	}
}
