package htmlreport

import (
	"fmt"
	"slices"
	"strings"
)

// The dimensions of a graph, in pixels: a box, and the horizontal and vertical distances between
// boxes.
const (
	boxWidth  = 128
	boxHeight = 20
	boxAside  = 14
	boxBelow  = 34
	boxText   = 16 // characters
)

// graph is the dataflow of a program, drawn in layers: an instruction is below all instructions
// whose values it reads (K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of
// Hierarchical System Structures", 1981). The layer is the length of the longest path from an
// instruction that reads none; back edges to the head of a loop do not count.
type graph struct {
	Label         string
	Width, Height int
	Boxes         []box
	Edges         []edge
}

// box is an instruction; Key is the key of its line in the listing.
type box struct {
	X, Y             int
	Text, Whole, Key string
	Rate, Fate       string
}

// edge is a value from its definition down to a use, or back to the head of a loop.
type edge struct {
	X1, Y1, X2, Y2, C1, C2 int
	Back                   bool
}

// graphOf returns the graph of a program, or nil if no instruction reads another one.
func graphOf(label string, list []line) *graph {
	// above and below are the neighbours by downward edges; layer is the length of the longest path
	// to an instruction.
	above := make([][]int, len(list))
	below := make([][]int, len(list))
	linked := make([]bool, len(list))
	layer := make([]int, len(list))
	for i, in := range list {
		for _, r := range in.Reads {
			linked[i], linked[r] = true, true
			if r < i {
				above[i], below[r] = append(above[i], r), append(below[r], i)
				layer[i] = max(layer[i], layer[r]+1)
			}
		}
	}
	// Omit instructions without edges.
	var layers [][]int
	for i := range list {
		if !linked[i] {
			continue
		}
		for len(layers) <= layer[i] {
			layers = append(layers, nil)
		}
		layers[layer[i]] = append(layers[layer[i]], i)
	}
	if len(layers) == 0 {
		return nil
	}
	g := &graph{Label: label}
	x := arrange(layers, above, below)
	for i, in := range list {
		if !linked[i] {
			continue
		}
		text := in.Text
		if len(text) > boxText {
			text = text[:boxText-1] + "\u2026"
		}
		b := box{X: x[i], Y: margin + layer[i]*(boxHeight+boxBelow), Text: text,
			Whole: strings.TrimSpace(in.Where + " " + in.Text), Key: in.Key, Rate: string(in.Rate), Fate: string(in.Fate)}
		g.Boxes = append(g.Boxes, b)
		g.Width, g.Height = max(g.Width, b.X+boxWidth+margin), max(g.Height, b.Y+boxHeight+margin)
	}
	// Edges are cubic curves that leave and enter boxes vertically; C1 and C2 are the heights of
	// their control points.
	for i, in := range list {
		for _, r := range in.Reads {
			e := edge{X1: x[r] + boxWidth/2, Y1: margin + layer[r]*(boxHeight+boxBelow) + boxHeight, X2: x[i] + boxWidth/2,
				Y2: margin + layer[i]*(boxHeight+boxBelow), Back: r >= i}
			e.C1, e.C2 = e.Y1+boxBelow/2, e.Y2-boxBelow/2
			g.Edges = append(g.Edges, e)
		}
	}
	return g
}

// arrange returns the horizontal position of each box. It orders each layer by the mean position of
// its neighbours, alternating between those above and below. This is the barycentre heuristic of
// Sugiyama, Tagawa and Toda, which removes most crossings. Then it moves boxes as near to that
// position as their left neighbours allow.
func arrange(layers, above, below [][]int) []int {
	x := make([]int, len(above))
	step := boxWidth + boxAside
	for _, l := range layers {
		for k, i := range l {
			x[i] = margin + k*step
		}
	}
	// Six sweeps: down, up, and so on (assumed to be enough; the picture only has to be legible).
	for sweep := range 6 {
		neighbours := above
		if sweep%2 == 1 {
			neighbours = below
		}
		for k := range layers {
			l := layers[k]
			if sweep%2 == 1 {
				l = layers[len(layers)-1-k]
			}
			want := map[int]int{}
			for _, i := range l {
				want[i] = x[i]
				if n := len(neighbours[i]); n > 0 {
					sum := 0
					for _, o := range neighbours[i] {
						sum += x[o]
					}
					want[i] = sum / n
				}
			}
			slices.SortStableFunc(l, func(a, b int) int { return want[a] - want[b] })
			free := margin
			for _, i := range l {
				x[i] = max(free, want[i])
				free = x[i] + step
			}
		}
	}
	// Move all boxes so that the leftmost is at the margin.
	least := slices.Min(append([]int{1 << 30}, firsts(layers, x)...))
	for _, l := range layers {
		for _, i := range l {
			x[i] -= least - margin
		}
	}
	return x
}

// firsts returns the position of the first box of each layer.
func firsts(layers [][]int, x []int) (list []int) {
	for _, l := range layers {
		list = append(list, x[l[0]])
	}
	return list
}

// dataflow returns the graphs of a program before and after, if they exist.
func dataflow(s *stage) (list []*graph) {
	for _, side := range []struct {
		name  string
		lines []line
	}{{"before", s.Before}, {"after", s.After}} {
		if g := graphOf(fmt.Sprintf("dataflow of %s, %s", s.Name, side.name), side.lines); g != nil {
			list = append(list, g)
		}
	}
	return list
}

func (w *writer) graph(input string, g *graph) {
	w.writef(`<figure><figcaption>%s</figcaption><section class="wide" tabindex="0" aria-label="%s, in %s, to scroll"><svg class="graph" role="img" aria-label="%s, in %s" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n",
		g.Label, g.Label, input, g.Label, input, g.Width, g.Height, g.Width, g.Height)
	// All edges in one direction are one path, because the page of a batch has tens of thousands of
	// them.
	for _, back := range []bool{false, true} {
		var d strings.Builder
		for _, e := range g.Edges {
			if e.Back == back {
				x, y := e.X2-e.X1, e.Y2-e.Y1
				fmt.Fprintf(&d, "M%d %dc0 %d %d %d %d %d", e.X1, e.Y1, e.C1-e.Y1, x, e.C2-e.Y1, x, y)
			}
		}
		if d.Len() > 0 {
			w.writef("<path%s d=\"%s\"/>\n", textIf(back, ` class="back"`), d.String())
		}
	}
	for _, b := range g.Boxes {
		w.writef(`<g class="%s" transform="translate(%d %d)"`, strings.TrimSpace(b.Rate+" "+b.Fate), b.X, b.Y)
		w.writeKey(b.Key)
		w.writef(`><title>%s</title><rect width="128" height="20"/><rect class="bar" width="4" height="20"/><text x="8" y="14">%s</text></g>`+"\n", b.Whole, b.Text)
	}
	w.writef("</svg></section></figure>\n")
}
