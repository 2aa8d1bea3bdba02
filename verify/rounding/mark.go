package rounding

// mark is a state of a graph to which it can go back.
type mark struct {
	nodes, drawn, live int
	table              []place
	site               cause
}

// changed is a term from before a mark as it was then.
type changed struct {
	ref
	node
}

// mark begins to remember what changes.
func (g *graph) mark() mark {
	g.marked = len(g.nodes)
	return mark{len(g.nodes), len(g.drawn), g.live, append([]place(nil), g.table...), g.site}
}

// rewind forgets the terms since a mark, the last one made.
func (g *graph) rewind(m *mark) {
	for i := len(g.changed) - 1; i >= 0; i-- { // the oldest is what it was
		g.nodes[g.changed[i].ref] = g.changed[i].node
	}
	clear(g.nodes[m.nodes:])
	clear(g.changed)
	g.nodes, g.drawn, g.live, g.changed, g.site = g.nodes[:m.nodes], g.drawn[:m.drawn], m.live, g.changed[:0], m.site
	g.table = append(g.table[:0], m.table...)
}
