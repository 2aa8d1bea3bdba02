package draw

import (
	"strings"
	"testing"
)

// TestTested checks that the root condition of a chain of choices is found in one step from each of
// them, for any length.
func TestTested(t *testing.T) {
	p := parse(t, pixelWith(strings.TrimSuffix(strings.Repeat("cmp r0, r0, v0, v1; ", 50), "; ")))
	d, err := New(nil, nil, p)
	if err != nil {
		t.Fatal(err)
	}
	g := d.analysisOf(1).graph(d.pixel, vectorial)
	choices := 0
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.kind != choose {
			continue
		}
		choices++
		if of := &g.nodes[n.tested]; of.kind != add {
			t.Fatalf("choice %d hangs on node %d of kind %d, not on the sum that the first one tests", choices, n.tested,
				of.kind)
		}
	}
	if choices < 200 {
		t.Errorf("%d choices, not four in each of fifty instructions", choices)
	}
}
