package local

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// wavefronts are the sizes of wavefronts on which kernels may rely, the smallest first. A wavefront of one invocation
// orders nothing.
var wavefronts = [...]int{1, 16, 32, 64}

// access is an access to local memory between two barriers, by the invocations in mask.
type access struct {
	store
	isStore bool
}

// removeBarriers removes each barrier whose neighbouring phases do not conflict.
func (k *keeper) removeBarriers() {
	body := k.t.f.Body
	var phases [][]access
	var fences []*ir.Instr
	last := []access{}
	for _, in := range body.Code {
		if in.Op == ir.OpFence {
			phases, fences, last = append(phases, last), append(fences, in), nil
			continue
		}
		last = k.accesses(last, in, k.t.everyone())
	}
	phases = append(phases, last)
	wave := k.ordering(phases)
	if wave == 0 {
		return
	}
	before, gone := usage{by: map[word]users{}}, map[*ir.Instr]bool{}
	before.add(phases[0], wave)
	outside := k.outside()
	loads := false // since the last barrier that stays
	for i, in := range fences {
		loads = loads || outside[i].loads
		if before.conflicts(phases[i+1], wave) || k.ordersOthers(in) || loads && outside[i+1].stores ||
			!k.shouldRewrite(in, "needless", "removed") {
			before, loads = usage{by: map[word]users{}}, false
		} else {
			gone[in] = true
			for n, v := range in.Results {
				k.replaced[v] = ir.Lane{V: in.Args[n]}
			}
		}
		before.add(phases[i+1], wave)
	}
	body.Code = slices.DeleteFunc(slices.Clone(body.Code), func(in *ir.Instr) bool { return gone[in] })
	k.t.f.Replace(k.replaced)
}

// accesses appends the accesses of in, and of the code inside it, by the invocations in mask.
func (k *keeper) accesses(list []access, in *ir.Instr, mask table) []access {
	if in.Op == ir.OpIf {
		cond := k.t.condition(in)
		for side, sub := range in.Sub {
			for _, inner := range sub.Code {
				list = k.accesses(list, inner, mask.and(cond, side == 1))
			}
		}
		return list
	}
	if !k.t.isLocal(in) {
		return list
	}
	add := func(lane int) {
		memory, at := k.t.access(in, lane)
		list = append(list, access{store{memory, at, mask, in}, in.Op == ir.OpMemStore})
	}
	if in.Op == ir.OpMemStore {
		in.Src[1].EachLane(func(lane int, _ *ir.Lane) { add(lane) })
		return list
	}
	for i, v := range in.Out {
		if v != nil {
			add(i)
		}
	}
	return list
}

// word is a word of a local memory.
type word struct {
	memory ir.Reg
	number uint32
}

// each calls f for every word that a accesses, with the invocation. It returns false if the words are not known.
func (a *access) each(f func(w word, t int)) bool {
	for t, at := range a.at {
		if a.mask[t] != 0 {
			f(word{a.memory, at / 4}, t)
		}
	}
	return a.at != nil
}

// ordering returns the size of the smallest wavefront that orders the accesses of each phase: one invocation stores to
// a word, and others load it before, in the same wavefront. It returns 0 if there is none.
func (k *keeper) ordering(phases [][]access) (wave int) {
	type first struct{ by, at int }
	at := 0 // index in wavefronts
	for _, list := range phases {
		stores := map[word]first{}
		races := false
		for i := range list {
			known := list[i].each(func(w word, t int) {
				s, ok := stores[w]
				switch {
				case !list[i].isStore:
				case !ok:
					stores[w] = first{t, i}
				case s.by != t:
					races = true
				}
			})
			races = races || !known
		}
		for i := range list {
			list[i].each(func(w word, t int) {
				s, ok := stores[w]
				if !ok || s.by == t || list[i].isStore {
					return
				}
				for at < len(wavefronts) && s.by/wavefronts[at] != t/wavefronts[at] {
					at++
				}
				races = races || i > s.at || at == len(wavefronts)
			})
		}
		if races {
			return 0
		}
	}
	return wavefronts[at]
}

// usage records the wavefronts that access words between two barriers that stay.
type usage struct {
	by      map[word]users
	unknown bool // an address is not known
}

// users are the wavefronts that access a word: the number of the wavefront plus one, 0 for none, -1 for several.
type users struct{ any, stored int }

// merge adds a wavefront to others.
func merge(old, wave int) int {
	if old == 0 || old == wave+1 {
		return wave + 1
	}
	return -1
}

// add records the accesses of a phase.
func (u *usage) add(phase []access, wave int) {
	for i := range phase {
		known := phase[i].each(func(w word, t int) {
			old := u.by[w]
			old.any = merge(old.any, t/wave)
			if phase[i].isStore {
				old.stored = merge(old.stored, t/wave)
			}
			u.by[w] = old
		})
		u.unknown = u.unknown || !known
	}
}

// conflicts reports whether invocations of different wavefronts access a word in u and in the phase after it, and one
// of them stores to it.
func (u *usage) conflicts(phase []access, wave int) (found bool) {
	for i := range phase {
		known := phase[i].each(func(w word, t int) {
			other := u.by[w].stored
			if phase[i].isStore {
				other = u.by[w].any
			}
			found = found || other != 0 && other != t/wave+1
		})
		found = found || !known
	}
	return found || u.unknown
}

// ordersOthers reports whether a store to memory that outlives the group precedes the barrier, so that other
// invocations may wait for it.
func (k *keeper) ordersOthers(fence *ir.Instr) bool {
	launch := k.t.f.Dialect.Launch()
	for _, v := range fence.Args {
		if v.Kind != ir.Input && !launch.Grouped(v.Home) && v.Def.Op != ir.OpFence {
			return true
		}
	}
	return false
}

// uses tells which accesses a phase has to memory that outlives the group.
type uses struct{ loads, stores bool }

// outside returns the accesses of each phase to memory that outlives the group. A store behind a barrier must not
// overtake a load before it, because another invocation may store to the loaded word. With restricted views, only loads
// from memory that the kernel stores to count.
func (k *keeper) outside() []uses {
	launch, stored, list := k.t.f.Dialect.Launch(), map[ir.Reg]bool{}, []uses{{}}
	outlives := func(in *ir.Instr) bool {
		return in.Op.Has(ir.Memory) && len(in.Args) > 0 && launch.Everywhere(in.Args[0].Home)
	}
	k.t.f.Walk(func(in *ir.Instr) { stored[in.Base] = stored[in.Base] || in.Op == ir.OpMemStore && outlives(in) })
	visit := func(in *ir.Instr) {
		if last := &list[len(list)-1]; outlives(in) {
			last.loads = last.loads || in.Op == ir.OpMemLoad && (stored[in.Base] || !k.restrict)
			last.stores = last.stores || in.Op == ir.OpMemStore
		}
	}
	for _, top := range k.t.f.Body.Code {
		if visit(top); top.Op == ir.OpFence {
			list = append(list, uses{})
		}
		for _, sub := range top.Sub {
			sub.Walk(visit)
		}
	}
	return list
}
