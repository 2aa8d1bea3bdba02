package htmlreport

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// TestGraph checks that instructions are below those whose values they read, without overlap, and
// that back edges to the head of a loop are marked.
func TestGraph(t *testing.T) {
	var list []line
	for _, reads := range [][]int{nil, nil, {0, 1}, {5}, nil, {2, 3}, {0}, {5, 6}} {
		list = append(list, line{Instruction: shaderlift.Instruction{Text: "mad r0.xyzw, r1, r2, r3", Reads: reads}})
	}
	g := graphOf("g", list)
	if g == nil || len(g.Boxes) != 7 { // the fifth has no edges
		t.Fatalf("%+v", g)
	}
	for i, a := range g.Boxes {
		if a.X < 0 || a.X+boxWidth > g.Width || a.Y+boxHeight > g.Height {
			t.Errorf("%+v is outside", a)
		}
		for _, b := range g.Boxes[:i] {
			if a.Y == b.Y && a.X < b.X+boxWidth && b.X < a.X+boxWidth {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
	back := 0
	for _, e := range g.Edges {
		if e.Back {
			back++
		} else if e.Y1 >= e.Y2 {
			t.Errorf("%+v does not go down", e)
		}
	}
	if back != 1 || len(g.Edges) != 8 {
		t.Errorf("%d of %d edges go back", back, len(g.Edges))
	}
	if graphOf("g", list[4:5]) != nil {
		t.Error("there is a graph of nothing")
	}
}

// TestGraphEdges checks that the edges of each direction are one path with the right end points.
func TestGraphEdges(t *testing.T) {
	var w writer
	w.graph("blur", &graph{Edges: []edge{
		{X1: 72, Y1: 28, C1: 45, X2: 214, C2: 99, Y2: 116},
		{X1: 214, Y1: 136, C1: 153, X2: 72, C2: -9, Y2: 8, Back: true},
		{X1: 72, Y1: 28, C1: 45, X2: 8, C2: 45, Y2: 62},
	}})
	for _, want := range []string{
		`<path d="M72 28c0 17 142 71 142 88M72 28c0 17 -64 17 -64 34"/>`,
		`<path class="back" d="M214 136c0 17 -142 -145 -142 -128"/>`,
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("there is no %s in\n%s", want, w.String())
		}
	}
}
