package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// What executions are blind to, they do not test: a statement that none of them reached,
// and what no launch by itself shows. Where no proof vouches for the sides a verdict of
// tested would say nothing about either.

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

// blindness says what about the sides the executions do not show, if anything.
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
	return ""
}

// unshown says which of the things that no launch shows after has in another way: fences
// that it lacks, loads that it lets come from a cache, and ways to sample a texture.
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

func traitsOf(k *il.Kernel) map[trait]int {
	m := map[trait]int{}
	for i := range k.Insts {
		switch in := &k.Insts[i]; {
		case in.Op == il.OpFence:
			m[trait{fmt.Sprint("a fence of kind ", in.Ctl.Fence), true}]++
		case in.Ctl.Cached:
			m[trait{fmt.Sprint("a cached load of view ", in.Ctl.ID), false}]++
		case in.Op.Kind() == il.Fetch && in.Op != il.OpLoad && in.Op != il.OpResInfo:
			m[trait{fmt.Sprint(in.Op, " of resource ", in.Ctl.ID, " by sampler ", in.Ctl.Sampler), false}]++
		}
	}
	return m
}
