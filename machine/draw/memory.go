package draw

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/vsps"
)

// memory allocates the parts of a draw. Draw.Close returns it for reuse: pricing runs for every
// version of a program, and allocation would be a large part of its cost.
type memory struct {
	lifted     vsps.Memory
	graphs     []*graph
	used       int // graphs in use
	args       container.Slab[arg]
	flags      container.Slab[bool]
	bytes      container.Slab[uint8]
	ints       container.Slab[int32]
	floats     container.Slab[float64]
	operands   container.Slab[operand]
	components container.Slab[component]
	registers  container.Slab[register]
	lists      container.Slab[[]arg]
	sources    container.Slab[source]
	vals       []arg            // of a lifter
	counts     map[source]int32 // of numbers
	similar    map[alike][]int32
	groupOps   []groupOp
	groupVals  []value
	vectorOps  []vectorOp
	groups     groupScheduler
}

var memories = sync.Pool{New: func() any { return &memory{counts: map[source]int32{}, similar: map[alike][]int32{}} }}

// numbers returns an empty map, valid until the next call.
func (m *memory) numbers() map[source]int32 {
	clear(m.counts)
	return m.counts
}

// newMemory returns empty memory from the pool.
func newMemory() *memory {
	m := memories.Get().(*memory)
	m.used = 0
	m.lifted.Again()
	m.args.Again(64)
	m.flags.Again(64)
	m.bytes.Again(64)
	m.ints.Again(64)
	m.floats.Again(64)
	m.operands.Again(64)
	m.components.Again(64)
	m.registers.Again(64)
	m.lists.Again(64)
	m.sources.Again(64)
	return m
}

// zeroed returns n zeroed elements of s.
func zeroed[T any](s *container.Slab[T], n int) []T {
	piece := s.Alloc(n)
	clear(piece)
	return piece
}

// graph returns an empty graph for about n nodes.
func (m *memory) graph(n int) *graph {
	if m.used == len(m.graphs) {
		m.graphs = append(m.graphs, new(graph))
	}
	g := m.graphs[m.used]
	m.used++
	size := 1 << bits.Len(uint(n))
	clear(g.instrs)
	*g = graph{memory: m, nodes: g.nodes[:0], instrs: append(g.instrs[:0], nil), known: slices.Grow(g.known[:0], size)[:size], undo: g.undo[:0],
		outs: g.outs[:0], effects: g.effects[:0], rates: append(g.rates[:0], everyTime), outer: append(g.outer[:0], 0)}
	clear(g.known)
	return g
}

// copyArgs returns a copy of args.
func (m *memory) copyArgs(args []arg) []arg {
	if len(args) == 0 {
		return nil
	}
	kept := m.args.Alloc(len(args))
	copy(kept, args)
	return kept
}

// values returns a lifter's table for n values, all unknown.
func (m *memory) values(n int) []arg {
	m.vals = slices.Grow(m.vals[:0], n)[:n]
	for i := range m.vals {
		m.vals[i] = arg{n: -1}
	}
	return m.vals
}
