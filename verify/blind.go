package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// What executions are blind to, they do not test: a statement that none of them reached,
// and what no launch by itself shows. Where no proof vouches for the sides a verdict of
// tested would say nothing about either.

// indexed says which of the vertex programs, if they are not the same, writes outputs by an
// index: draws show the values that an index had, and not where others would write.
func (c *checker) indexed() string {
	if identical(c.before.Vertex, c.after.Vertex) {
		return ""
	}
	for i, p := range []*d3d9.Program{c.before.Vertex, c.after.Vertex} {
		for k := range p.Insts {
			if in := &p.Insts[k]; in.HasDst && in.Dst.Rel.File != d3d9.NoFile {
				return fmt.Sprintf("no draw shows all that statement %d:%d of %s may write by an index", in.Pos.Line, in.Pos.Col, [...]string{"before", "after"}[i])
			}
		}
	}
	return ""
}

// reached notes the statements that executions of both sides that were compared reached.
func (c *kernelChecker) reached(seen [2][]bool) {
	for i := range seen {
		if c.seen[i] == nil {
			c.seen[i] = make([]bool, len(seen[i]))
		}
		for k, yes := range seen[i] {
			c.seen[i][k] = c.seen[i][k] || yes
		}
	}
}

// blindness says what about the sides the executions do not show, if anything: what no launch can
// show, a statement that none reached, or a mutant that they do not kill. The last is not asked if
// rung 3 found the sides equal.
func (c *kernelChecker) blindness() string {
	if what := unshown(c.before, c.after); what != "" {
		return what
	}
	programs, err := c.compile()
	if err != nil {
		return err.Error()
	}
	for i, p := range programs {
		if c.seen[i] == nil {
			continue
		}
		if at, found := p.Unseen(c.seen[i]); found {
			return fmt.Sprintf("no execution reached statement %d:%d of %s", at.Line, at.Col, [...]string{"before", "after"}[i])
		}
	}
	if c.field.outcome == equal { // over the reals, on both sides of every decision
		return ""
	}
	return c.inadequacy(programs)
}

// unshown says which of the things that no launch shows after has in another way: fences
// that it lacks or has elsewhere, loads that it lets come from a cache, and ways to sample a
// texture.
func unshown(before, after *il.Kernel) string {
	had, has := traitsOf(before), traitsOf(after)
	what := ""
	note := func(text string) {
		if what == "" || text < what {
			what = text
		}
	}
	for t, n := range had {
		if t.must && has[t] < n {
			note("no execution shows that " + t.what + " is missing")
		}
	}
	for t := range has {
		if !t.must && had[t] == 0 {
			note("no execution shows " + t.what)
		}
	}
	return what
}

// trait is something that no launch shows, and whether it has to be there as often as it
// was; else it may not be there if it was not.
type trait struct {
	what string
	must bool
}

// traitsOf counts them. A fence is told by its kind and by the accesses to memory that it separates.
func traitsOf(k *il.Kernel) map[trait]int {
	m := map[trait]int{}
	for i := range k.Insts {
		switch in := &k.Insts[i]; {
		case in.Op == il.OpFence:
			m[trait{fmt.Sprintf("a fence of kind %d between %s and %s", in.Ctl.Fence, access(k, i, -1), access(k, i, 1)), true}]++
		case in.Ctl.Cached:
			m[trait{fmt.Sprint("a cached load of view ", in.Ctl.ID), false}]++
		case in.Op.Kind() == il.Fetch && in.Op != il.OpLoad && in.Op != il.OpResInfo:
			m[trait{fmt.Sprint(in.Op, " of resource ", in.Ctl.ID, " by sampler ", in.Ctl.Sampler), false}]++
		}
	}
	return m
}

// access is the access to memory that is next to statement i, before it in the text if step is
// -1 and behind it if that is 1: what a fence there keeps apart.
func access(k *il.Kernel, i, step int) string {
	for i += step; i >= 0 && i < len(k.Insts); i += step {
		in := &k.Insts[i]
		switch {
		case in.Op == il.OpFence:
		case in.Op.Kind() == il.MemoryOp:
			return fmt.Sprint(in.Op, " ", in.Ctl.ID)
		case in.HasDst && in.Dst.File == il.Global && in.Op.Kind() != il.Declaration:
			return "a store to g"
		case slices.ContainsFunc(in.Sources(), func(s il.Src) bool { return s.File == il.Global }):
			return "a load of g"
		}
	}
	return "nothing"
}
