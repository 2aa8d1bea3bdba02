package codemotion

// closure is a choice among things each of which brings some profit, or takes some, and
// requires others. Its best choice is a least cut (J.-C. Picard, "Maximal closure of a graph
// and applications to combinatorial problems", Management Science 22, 1976).
type closure struct {
	profit []int
	needs  [][]int32
}

func (c *closure) node(profit int) int32 {
	c.profit, c.needs = append(c.profit, profit), append(c.needs, nil)
	return int32(len(c.profit) - 1)
}

func (c *closure) require(node, needed int32) {
	c.needs[node] = append(c.needs[node], needed)
}

// edge is one of a network, which has every edge twice, there and back, one after the other.
type edge struct {
	to, room int32
}

// network is a graph with what may still flow.
type network struct {
	edges []edge
	out   [][]int32 // edges by node
	level []int32
	next  []int
}

func (n *network) connect(from, to int32, room int) {
	n.out[from] = append(n.out[from], int32(len(n.edges)))
	n.out[to] = append(n.out[to], int32(len(n.edges)+1))
	n.edges = append(n.edges, edge{to, int32(room)}, edge{from, 0})
}

// most is the profit of the best choice.
func (c *closure) most() (profit int) {
	const unbounded = 1 << 30
	source, sink := int32(len(c.profit)), int32(len(c.profit)+1)
	n := &network{out: make([][]int32, sink+1), level: make([]int32, sink+1), next: make([]int, sink+1)}
	for i, p := range c.profit {
		switch {
		case p > 0:
			profit += p
			n.connect(source, int32(i), p)
		case p < 0:
			n.connect(int32(i), sink, -p)
		}
		for _, k := range c.needs[i] {
			n.connect(int32(i), k, unbounded)
		}
	}
	for n.levels(source, sink) { // after Dinic
		clear(n.next)
		for {
			flow := n.push(source, sink, unbounded)
			if flow == 0 {
				break
			}
			profit -= int(flow)
		}
	}
	return profit
}

// levels finds how far nodes are from the source, and whether the sink is reached.
func (n *network) levels(source, sink int32) bool {
	for i := range n.level {
		n.level[i] = -1
	}
	n.level[source] = 0
	for queue := []int32{source}; len(queue) > 0; queue = queue[1:] {
		for _, e := range n.out[queue[0]] {
			if to := n.edges[e].to; n.edges[e].room > 0 && n.level[to] < 0 {
				n.level[to] = n.level[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return n.level[sink] >= 0
}

// push sends up to most along a shortest way.
func (n *network) push(from, sink, most int32) int32 {
	if from == sink {
		return most
	}
	for ; n.next[from] < len(n.out[from]); n.next[from]++ {
		e := n.out[from][n.next[from]]
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
