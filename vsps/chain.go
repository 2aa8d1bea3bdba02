package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// chains computes the lengths of chains of dependent reads, like [d3d9.DependentReads], for
// statements with assigned registers. It is an allocator hook for programs whose chains would
// otherwise get too long.
type chains struct {
	a *assigner
	// reg is the temporary assigned to a value, or -1 if unknown.
	reg []int32
	// next maps a temporary to the level of a fetch whose coordinates come from it, counted as in
	// [d3d9.DependentReads]: each fetch adds one.
	next []int
	at   int // the first statement not yet in next
}

func newChains(a *assigner) *chains {
	c := &chains{a: a, reg: make([]int32, a.b.n), next: make([]int, a.limit(uint8(d3d9.Temp)))}
	for v := range c.reg {
		c.reg[v] = -1
	}
	return c
}

// choose selects the register with the shortest chain for values; the first of them is computed
// next. A value that arithmetic writes completely begins a new chain (see [d3d9.DependentReads],
// which counts by register, not by value). It gets the register with the longest chain, which
// leaves the short ones for others. fits reports whether a register is free. choose returns -1 if
// none is.
func (c *chains) choose(members []int32, fits func(reg int) bool) int {
	first := int32(len(c.a.b.stmts))
	for _, v := range members {
		if int(v) < len(c.a.def) && c.a.def[v] >= 0 {
			first = min(first, c.a.def[v])
		}
	}
	// Advance to the statement of the first definition, so that next describes the registers before
	// it.
	whole := false
	for ; c.at < int(first); c.at++ {
		c.follow(c.a.b.stmts[c.at])
	}
	if int(first) < len(c.a.b.stmts) {
		s := c.a.b.stmts[first]
		whole = !s.irop.Has(ir.IsFetch) && s.mask() == 0xf
	}
	best := -1
	for r, n := range c.next {
		if (best < 0 || whole && n > c.next[best] || !whole && n < c.next[best]) && fits(r) {
			best = r
		}
	}
	for _, v := range members {
		c.reg[v] = int32(best)
	}
	return best
}

// follow updates next for statement s. The destination depends on all registers that s reads, and
// on its old value if it is partly written. A fetch makes the chain longer by one.
func (c *chains) follow(s *stmt) {
	n := 0
	for k := range s.src {
		for _, l := range s.src[k] {
			if l.kind == laneTemp && c.reg[l.v] >= 0 {
				n = max(n, c.next[c.reg[l.v]])
			}
		}
	}
	to := int32(-1)
	for _, v := range s.out {
		if v >= 0 {
			to = c.reg[v]
		}
	}
	if to < 0 {
		return
	}
	texture := s.irop.Has(ir.IsFetch)
	if texture || s.mask() != 0xf {
		n = max(n, c.next[to])
	}
	if c.next[to] = max(n, 1); texture {
		c.next[to] = n + 1
	}
}
