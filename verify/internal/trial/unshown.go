package trial

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
)

// Some effects are shown by no launch. Without a proof,
// the verdict Tested would say nothing about either.

// IndexedWrites reports a vertex program that writes outputs by an index, if the programs differ. Draws show
// only the index values that occurred, not where other values would write.
func IndexedWrites(before, after *d3d9.Program) string {
	if iface.Identical(before, after) {
		return ""
	}
	for i, p := range []*d3d9.Program{before, after} {
		for k := range p.Insts {
			if in := &p.Insts[k]; in.HasDst && in.Dst.Rel.File != d3d9.NoFile {
				return fmt.Sprintf("no draw shows all possible indexed writes of statement %d:%d of %s", in.Pos.Line, in.Pos.Col,
					[...]string{"before", "after"}[i])
			}
		}
	}
	return ""
}

// Unshown describes a change of after that no launch shows: a fence that it lacks or moves, a load that may
// now come from a cache, or another way to sample a texture.
func Unshown(before, after *il.Kernel) string {
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

// trait is a property that no launch shows. If must, after needs it as often as before; otherwise after may
// have it only if before has it.
type trait struct {
	what string
	must bool
}

// traitsOf counts the traits of k. The key of a fence is its kind and the memory accesses that it separates.
func traitsOf(k *il.Kernel) map[trait]int {
	m := map[trait]int{}
	for i := range k.Insts {
		switch in := &k.Insts[i]; {
		case in.Op == il.OpFence:
			m[trait{fmt.Sprintf("a fence of kind %d between %s and %s", in.Ctl.Fence, access(k, i, -1), access(k, i, 1)),
				true}]++
		case in.Ctl.Cached:
			m[trait{fmt.Sprint("a cached load of view ", in.Ctl.ID), false}]++
		case in.Op.Kind() == il.Fetch && in.Op != il.OpLoad && in.Op != il.OpResInfo:
			m[trait{fmt.Sprint(in.Op, " of resource ", in.Ctl.ID, " by sampler ", in.Ctl.Sampler), false}]++
		}
	}
	return m
}

// access describes the memory access nearest to statement i, before it in the text if step is -1, behind it
// if step is 1.
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
