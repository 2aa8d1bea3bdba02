package merge

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// content is a web that has to be placed. Times are in half points, as spans are.
type content struct {
	v     int32 // one of its values
	start int32 // where it is first live
	size  int32 // for how long its lanes are live together
	// size is a measure of how hard the web is to place: the sum of its live ranges.
}

// contents lists the webs, in the order of values.
func (b *bins) contents() []content {
	var list []content
	at := make([]int32, len(b.value)) // by web: its place in the list plus one
	for i, spans := range b.live {
		if len(spans) == 0 || b.value[i] == nil {
			continue
		}
		w := b.webs.Web(int32(i))
		if at[w] == 0 {
			list = append(list, content{v: int32(i), start: spans[0].From})
			at[w] = int32(len(list))
		}
		x := &list[at[w]-1]
		x.start = min(x.start, spans[0].From)
		for _, s := range spans {
			x.size += s.To - s.From + 1
		}
	}
	return list
}

// maxTried bounds the registers that a web is tried in. No machine has as many: where they
// do not suffice nothing is won, and of thousands the square would be tried.
const maxTried = 1 << 8

// place joins webs until none fits beside another, and returns a value of each
// register. It is first fit: in the order in which webs begin, which is optimal for
// intervals of one component, or by falling size, as first fit decreasing packs bins
// (Johnson et al., "Worst-Case Performance Bounds for Simple One-Dimensional Packing
// Algorithms", SIAM J. Comput. 3(4), 1974); either may win.
func (b *bins) place(largest bool) (regs []int32) {
	list := b.contents()
	slices.SortStableFunc(list, func(x, y content) int {
		if largest && x.size != y.size {
			return cmp.Compare(y.size, x.size)
		}
		return cmp.Compare(x.start, y.start)
	})
next:
	for _, x := range list {
		// Join fails if the webs are live at once in one component, in every assignment of
		// components that their instructions allow.
		for _, r := range regs[:min(len(regs), maxTried)] {
			if b.webs.Join(r, x.v) {
				continue next
			}
		}
		regs = append(regs, x.v)
	}
	return regs
}

// temporaries counts the registers that hold something to be read: what is only written out
// can mostly be computed where it goes.
func (b *bins) temporaries(regs []int32) (n int) {
	read := make([]bool, len(b.value)) // by web
	b.f.Walk(func(in *ir.Instr) {
		reads(in, func(v *ir.Value) {
			if b.known(v) {
				read[b.webs.Web(int32(v.ID))] = true
			}
		})
	})
	for _, r := range regs {
		if read[b.webs.Web(r)] {
			n++
		}
	}
	return n
}

// members lists the values of every web, in order, by the index of the web.
func (b *bins) members() [][]*ir.Value {
	n := 0
	sizes := make([]int, len(b.value))
	for i, v := range b.value {
		if v != nil {
			sizes[b.webs.Web(int32(i))]++
			n++
		}
	}
	// The lists share one array, as attempts are many.
	lists, all := make([][]*ir.Value, len(b.value)), make([]*ir.Value, n)
	for i, v := range b.value {
		if v == nil {
			continue
		}
		w := b.webs.Web(int32(i))
		if lists[w] == nil {
			lists[w], all = all[:0:sizes[w]], all[sizes[w]:]
		}
		lists[w] = append(lists[w], v)
	}
	return lists
}

// apply moves values to where they are to live, asking step before each register. It
// reports false where that says no; what was moved before stays, and is whole.
func (b *bins) apply(regs []int32, step passes.Grant) bool {
	values := b.members()
	taken := map[ir.Reg]bool{}
	for _, r := range regs {
		members := values[b.webs.Web(r)]
		reg := b.name(members, taken)
		taken[reg] = true
		asked := false
		// A home that changes also permutes the lanes of the instruction, so that lane and
		// component agree again.
		for _, v := range members {
			to := reg
			to.Comp = uint8(b.webs.Comp(int32(v.ID)))
			if b.stays(v) || v.Home == to && v.Comp() == int(to.Comp) {
				continue
			}
			if !asked && !step(v.Def, "renamed", "moved to another register") {
				return false
			}
			asked = true
			v.Home = to
			if v.Def != nil {
				b.permute(v.Def)
			}
		}
	}
	return true
}

// name is the register that members are to live in: the one most of them come from that
// is not taken.
func (b *bins) name(members []*ir.Value, taken map[ir.Reg]bool) ir.Reg {
	votes := map[ir.Reg]int{}
	temps := ir.TempFile(b.f.Dialect)
	best := ir.Reg{File: temps}
	for _, v := range members {
		r := register(v.Home)
		if r.File != temps || taken[r] {
			continue
		}
		if votes[r]++; votes[r] > votes[best] {
			best = r
		}
	}
	// Without one, the lowest number.
	for taken[best] {
		best.Index++
	}
	return best
}

// permute moves the lanes of in to the components of their values. Lanes that are not
// written take the components left over.
func (b *bins) permute(in *ir.Instr) {
	if in.Mask() == 0 || !permutable(in) {
		return
	}
	to := [4]uint8{0, 1, 2, 3}
	var used uint8
	for i, v := range in.Out {
		if v != nil {
			to[i] = uint8(b.webs.Comp(int32(v.ID)))
			used |= 1 << to[i]
		}
	}
	for i, v := range in.Out {
		if v == nil {
			to[i] = 0
			for used>>to[i]&1 != 0 {
				to[i]++
			}
			used |= 1 << to[i]
		}
	}
	if err := ir.Permute(in, to); err != nil {
		panic(err)
	}
}
