package rounding

// mark is a saved state of a graph.
type mark struct {
	nodes, drawn, live int
	table              []place
	site               cause
}

// changed is a term from before a mark, with its value at the mark.
type changed struct {
	ref
	node
}

// startRecording starts recording changes.
func (g *graph) startRecording() mark {
	g.marked = len(g.nodes)
	return mark{len(g.nodes), len(g.drawn), g.live, append([]place(nil), g.table...), g.site}
}

// rewind removes the terms since the last mark.
func (g *graph) rewind(m *mark) {
	for i := len(g.changed) - 1; i >= 0; i-- { // restore the oldest value last
		g.nodes[g.changed[i].ref] = g.changed[i].node
	}
	clear(g.nodes[m.nodes:])
	clear(g.changed)
	g.nodes, g.drawn, g.live, g.changed, g.site = g.nodes[:m.nodes], g.drawn[:m.drawn], m.live, g.changed[:0], m.site
	g.table = append(g.table[:0], m.table...)
}
