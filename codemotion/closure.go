package codemotion

// closure is a choice among things each of which brings some profit, or takes some, and
// requires others. Its best choice is a least cut (J.-C. Picard, "Maximal closure of a
// graph and applications to combinatorial problems", Management Science 22, 1976):
// source to what brings, what takes to sink, each with its profit, and requirements
// without bound. Profit of the best = sum of what brings - least cut.
type closure struct {
	profit []int
	needs  [][2]int32 // a node, and one that it requires
	// charged are the nodes that take a price as well, as far as it goes up to the ceiling.
	charged []bool
	ceiling int
	net     network
}

// node adds a thing and returns its number; require notes that node is chosen only with
// needed.
func (c *closure) node(profit int) int32 {
	c.profit, c.charged = append(c.profit, profit), append(c.charged, false)
	return int32(len(c.profit) - 1)
}

func (c *closure) require(node, needed int32) {
	c.needs = append(c.needs, [2]int32{node, needed})
}

// edge is one of a network, which has every edge twice, there and back, one after the other.
type edge struct {
	to, room int32
	next     int32 // of those from the same node, or -1
}

// network is a graph with what may still flow.
type network struct {
	edges []edge
	out   []int32 // the first edge by node, or -1
	level []int32
	next  []int32 // edges by node that have not been tried
	queue []int32
	work  int // edges that have been looked at
}

// maxFlow bounds how many edges are looked at for all prices of a choice together: of
// the corpora none comes near, and thousands of instructions that read each other's
// operands would take minutes. Cut off, the flow is smaller and the bound larger, but
// still a bound.
const maxFlow = 1 << 22

// begin empties n, which is to have so many nodes.
func (n *network) begin(nodes int32) {
	n.edges, n.out = n.edges[:0], n.out[:0]
	for range nodes {
		n.out = append(n.out, -1)
	}
}

func (n *network) connect(from, to int32, room int) {
	k := int32(len(n.edges))
	n.edges = append(n.edges, edge{to, int32(room), n.out[from]}, edge{from, 0, n.out[to]})
	n.out[from], n.out[to] = k, k+1
}

// most is the profit of the best choice at a price. Where it takes too long to find, it
// is more: what any flow leaves is a bound. The flow is Dinic's ("Algorithm for
// solution of a problem of maximum flow in networks with power estimation", 1970):
// phases of shortest paths.
func (c *closure) most(price int) (profit int) {
	const unbounded = 1 << 30
	source, sink := int32(len(c.profit)), int32(len(c.profit)+1)
	n := &c.net
	n.begin(sink + 1)
	for i, p := range c.profit {
		if c.charged[i] {
			p -= min(price, c.ceiling)
		}
		switch {
		case p > 0:
			profit += p
			n.connect(source, int32(i), p)
		case p < 0:
			n.connect(int32(i), sink, -p)
		}
	}
	for _, x := range c.needs {
		n.connect(x[0], x[1], unbounded)
	}
	// Each phase saturates the shortest ways.
	for n.work < maxFlow && n.levels(source, sink) { // after Dinic
		n.next = append(n.next[:0], n.out...)
		for n.work < maxFlow {
			flow := n.push(source, sink, unbounded)
			if flow == 0 {
				break
			}
			profit -= int(flow)
		}
	}
	return profit
}

// chosen reports whether a node was in the best choice, once that is known.
func (c *closure) chosen(node int32) bool {
	return node >= 0 && c.net.work < maxFlow && c.net.level[node] >= 0
}

// levels finds how far nodes are from the source, and whether the sink is reached,
// breadth first over edges with room.
func (n *network) levels(source, sink int32) bool {
	n.level = n.level[:0]
	for range n.out {
		n.level = append(n.level, -1)
	}
	n.level[source] = 0
	n.queue = append(n.queue[:0], source)
	for k := 0; k < len(n.queue); k++ {
		from := n.queue[k]
		for e := n.out[from]; e >= 0; e = n.edges[e].next {
			n.work++
			if to := n.edges[e].to; n.edges[e].room > 0 && n.level[to] < 0 {
				n.level[to] = n.level[from] + 1
				n.queue = append(n.queue, to)
			}
		}
	}
	return n.level[sink] >= 0
}

// push sends up to most along a shortest way, depth first, and remembers by node which
// edges lead nowhere in this phase.
func (n *network) push(from, sink, most int32) int32 {
	if from == sink {
		return most
	}
	for ; n.next[from] >= 0; n.next[from] = n.edges[n.next[from]].next {
		e := n.next[from]
		n.work++
		if to := n.edges[e].to; n.edges[e].room > 0 && n.level[to] == n.level[from]+1 {
			if sent := n.push(to, sink, min(most, n.edges[e].room)); sent > 0 {
				n.edges[e].room -= sent
				n.edges[e^1].room += sent
				return sent
			}
		}
	}
	return 0
}
