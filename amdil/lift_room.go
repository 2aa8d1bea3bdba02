package amdil

import (
	"sync"

	"github.com/shaderlift/shaderlift/internal/slab"
)

// room is memory that kernels are lifted in one after the other: it holds the tree, of which nothing
// is left in the function.
type room struct {
	nodes            slab.Slab[node]
	open             []node // of the blocks that are being read
	accesses, writes []int32
}

var unused = sync.Pool{New: func() any { return new(room) }}

func (r *room) begin() {
	r.nodes.Again(64)
	r.open = r.open[:0]
}

// list is a list of its own with the same nodes.
func (r *room) list(of []node) []node {
	list := r.nodes.Take(len(of))
	copy(list, of)
	return list
}
