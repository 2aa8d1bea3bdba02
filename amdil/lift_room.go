package amdil

import (
	"sync"

	"github.com/shaderlift/shaderlift/internal/container"
)

// room is memory that successive lifts reuse. It holds the tree, and the lifted function refers to none of
// it.
type room struct {
	nodes            container.Slab[node]
	open             []node // of the blocks that are being read
	accesses, writes []int32
}

var unused = sync.Pool{New: func() any { return new(room) }}

func (r *room) begin() {
	r.nodes.Again(64)
	r.open = r.open[:0]
}

// copyNodes returns a copy of a list of nodes.
func (r *room) copyNodes(of []node) []node {
	list := r.nodes.Alloc(len(of))
	copy(list, of)
	return list
}
