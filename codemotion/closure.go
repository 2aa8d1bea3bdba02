package codemotion

// closure is a maximum-weight closure problem: nodes with a profit or a cost, each of which requires other
// nodes. Its solution is a minimum cut (J.-C. Picard, "Maximal closure of a graph and applications to
// combinatorial problems", Management Science 22, 1976). Edges lead from the source to nodes with a profit,
// and from nodes with a cost to the sink, with the profit or cost as capacity. Requirements have infinite
// capacity. Best profit = sum of positive profits - minimum cut.
type closure struct {
	profit []int
	needs  [][2]int32 // a node, and one that it requires
	// charged are the nodes that also cost the price, up to ceiling.
	charged []bool
	ceiling int
	net     network
}

// node adds a node and returns its number; require makes node available only together with needed.
func (c *closure) node(profit int) int32 {
	c.profit, c.charged = append(c.profit, profit), append(c.charged, false)
	return int32(len(c.profit) - 1)
}

func (c *closure) require(node, needed int32) {
	c.needs = append(c.needs, [2]int32{node, needed})
}

// edge is one edge of a network. The network stores each edge and its reverse edge next to each other.
type edge struct {
	to, room int32
	next     int32 // next edge of the same node, or -1
}

// network is a residual graph.
type network struct {
	edges []edge
	out   []int32 // the first edge by node, or -1
	level []int32
	next  []int32 // edges by node that have not been tried
	queue []int32
	work  int // edges examined so far
}

// maxFlow bounds the edges examined for all prices of one problem together. No case of the corpora comes near
// it, but thousands of instructions that read each other's operands would take minutes. If the search is cut
// off, the flow is smaller and the bound larger, but still a bound.
const maxFlow = 1 << 22

// begin empties n and adds nodes.
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

// maxProfit returns the profit of the best closure at a price. If the work limit is hit it returns more, because
// any flow gives an upper bound. The flow algorithm is Dinic's ("Algorithm for solution of a problem of
// maximum flow in networks with power estimation", 1970): phases of shortest augmenting paths.
func (c *closure) maxProfit(price int) (profit int) {
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
	// Each phase saturates the shortest paths.
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

// chosen reports whether a node was in the best closure, if the search was finished.
func (c *closure) chosen(node int32) bool {
	return node >= 0 && c.net.work < maxFlow && c.net.level[node] >= 0
}

// levels computes the distances of nodes from the source, breadth first over edges with room. It reports
// whether the sink is reachable.
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

// push sends up to most units along a shortest path, depth first, and records by node which edges are dead
// ends in this phase.
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
