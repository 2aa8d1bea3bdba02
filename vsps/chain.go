package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// chains follows the chains of dependent reads, as [d3d9.DependentReads] counts them, through
// statements whose registers are chosen already. It is the hook of the allocator for
// programs that would get too long a chain otherwise.
type chains struct {
	a *assigner
	// reg is the temporary that a value was given, -1 if that is not known yet.
	reg []int32
	// next is, by temporary, the level in the chain of dependent reads of a fetch whose coordinates
	// come from it, as [d3d9.DependentReads] counts levels: one more behind each fetch.
	next []int
	at   int // the first statement that is not in next
}

func newChains(a *assigner) *chains {
	c := &chains{a: a, reg: make([]int32, a.b.n), next: make([]int, a.limit(uint8(d3d9.Temp)))}
	for v := range c.reg {
		c.reg[v] = -1
	}
	return c
}

// choose takes for values, the first of which is computed next, the register with the shortest
// chain. A value that is written whole by arithmetic begins a new chain (see [d3d9.DependentReads]:
// the counter goes by registers, not by values), and takes the register with the longest one,
// leaving the short ones for others. fits tells which registers are free. It returns -1 if none is.
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

// follow updates next for statement s: the destination depends on all that s reads and, if it is
// written in part only, on what it held; behind a fetch the chain is one longer.
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
