package merge

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// content is a web to be placed. Times are in half points, as in intervals.
type content struct {
	v     int32 // one of its values
	start int32 // first live point
	size  int32 // sum of its live ranges: a measure of how hard the web is to place
}

// contents lists the webs, in the order of values.
func (b *bins) contents() []content {
	var list []content
	at := make([]int32, len(b.value)) // by web: its index in the list plus one
	for i, spans := range b.live {
		if len(spans) == 0 || b.value[i] == nil {
			continue
		}
		w := b.webs.WebIndex(int32(i))
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

// maxTried bounds the registers that a web is tried in. No machine has more, so nothing is lost.
// For thousands of registers the work would be quadratic.
const maxTried = 1 << 8

// place joins webs until no two fit into one register, and returns one value of each register. It
// is first fit. The order is either by start, which is optimal for intervals of one component, or
// by falling size. The latter is first fit decreasing (Johnson et al., "Worst-Case Performance
// Bounds for Simple One-Dimensional Packing Algorithms", SIAM J. Comput. 3(4), 1974). Either order
// may win.
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
		// Join fails if the webs interfere in one component under every assignment of components
		// that their instructions allow.
		for _, r := range regs[:min(len(regs), maxTried)] {
			if b.webs.Join(r, x.v) {
				continue next
			}
		}
		regs = append(regs, x.v)
	}
	return regs
}

// temporaries counts the registers that hold a value to be read. A value that is only written out
// can mostly be computed in the output register.
func (b *bins) temporaries(regs []int32) (n int) {
	read := make([]bool, len(b.value)) // by web
	b.f.Walk(func(in *ir.Instr) {
		reads(in, func(v *ir.Value) {
			if b.known(v) {
				read[b.webs.WebIndex(int32(v.ID))] = true
			}
		})
	})
	for _, r := range regs {
		if read[b.webs.WebIndex(r)] {
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
			sizes[b.webs.WebIndex(int32(i))]++
			n++
		}
	}
	// The lists share one array, as there are many attempts.
	lists, all := make([][]*ir.Value, len(b.value)), make([]*ir.Value, n)
	for i, v := range b.value {
		if v == nil {
			continue
		}
		w := b.webs.WebIndex(int32(i))
		if lists[w] == nil {
			lists[w], all = all[:0:sizes[w]], all[sizes[w]:]
		}
		lists[w] = append(lists[w], v)
	}
	return lists
}

// apply moves values to their new registers, asking step before each register. It returns false if
// step refuses; earlier moves stay, and the function is valid.
func (b *bins) apply(regs []int32, step passes.Grant) bool {
	values := b.members()
	taken := map[ir.Reg]bool{}
	for _, r := range regs {
		members := values[b.webs.WebIndex(r)]
		reg := b.selectRegister(members, taken)
		taken[reg] = true
		asked := false
		// A changed home also permutes the lanes of the instruction, so that lane and component
		// agree again.
		for _, v := range members {
			to := reg
			to.Comp = uint8(b.webs.ComponentOf(int32(v.ID)))
			if b.stays(v) || v.Home == to && v.ReadComponent() == int(to.Comp) {
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

// selectRegister selects the register of members: the free register that most of them come from.
func (b *bins) selectRegister(members []*ir.Value, taken map[ir.Reg]bool) ir.Reg {
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
	// Otherwise, the lowest free number.
	for taken[best] {
		best.Index++
	}
	return best
}

// permute moves the lanes of in to the components of their values. Unwritten lanes take the
// remaining components.
func (b *bins) permute(in *ir.Instr) {
	if in.Mask() == 0 || !permutable(in) {
		return
	}
	to := [4]uint8{0, 1, 2, 3}
	var used uint8
	for i, v := range in.Out {
		if v != nil {
			to[i] = uint8(b.webs.ComponentOf(int32(v.ID)))
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
