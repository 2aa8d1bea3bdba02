package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// tidy leaves out what nothing depends on, until there is no more of it, and links what
// is left. It reports whether the flow could be followed.
func (f *flat) tidy() bool {
	for {
		n, sets := len(f.units), f.countSets()
		f.decide()
		if !f.link() {
			return false
		}
		f.dropDead()
		f.dropEmpty()
		f.dropCounted()
		f.dropUncalled()
		if len(f.units) == n && f.countSets() == sets {
			return f.link()
		}
	}
}

func (f *flat) countSets() (n int) {
	for i := range f.units {
		n += len(f.units[i].sets)
	}
	return n
}

func (f *flat) exitSet() map[string]bool {
	m := map[string]bool{}
	for _, p := range f.exits {
		m[p] = true
	}
	return m
}

// entry are the places that are read before they are set.
func (f *flat) entry() map[string]bool {
	list := blocks(f)
	in, _ := liveness(f, list, f.exitSet())
	return in[0]
}

// dropDead leaves out what sets places that are not read later.
func (f *flat) dropDead() {
	list := blocks(f)
	_, out := liveness(f, list, f.exitSet())
	dead := make([]bool, len(f.units))
	for i, b := range list {
		f.before(b, out[i], func(u int, live map[string]bool) {
			unit := &f.units[u]
			unit.sets = slices.DeleteFunc(slices.Clone(unit.sets), func(s set) bool { return !live[s.to] })
			dead[u] = len(unit.sets) == 0
		})
	}
	f.drop(dead)
}

func (f *flat) drop(dead []bool) {
	i := -1
	f.units = slices.DeleteFunc(f.units, func(unit) bool { i++; return dead[i] })
}

// closing is the statement that ends the block opened at i, and its else, or -1.
func (f *flat) closing(i int) (end, middle int) {
	depth := 0
	middle = -1
	for j := i; j < len(f.units); j++ {
		switch f.units[j].role {
		case il.If, il.Loop, il.Switch:
			depth++
		case il.Else:
			if depth == 1 {
				middle = j
			}
		case il.EndIf, il.EndLoop, il.EndSwitch:
			if depth--; depth == 0 {
				return j, middle
			}
		}
	}
	return -1, -1
}

// decide leaves out branches that a literal decides against, loops that make no trip, and
// breaks at the end of the only trip.
func (f *flat) decide() {
	dead := make([]bool, len(f.units))
	cut := func(from, to int) {
		for k := from; k <= to; k++ {
			dead[k] = true
		}
	}
	for i := range f.units {
		u := &f.units[i]
		end, middle := -1, -1
		if u.role == il.If && u.taken > 0 || u.role == il.Loop && u.trips > 0 {
			end, middle = f.closing(i)
		}
		switch {
		case end < 0:
		case u.role == il.Loop && u.trips == 1:
			cut(i, end)
		case u.role == il.Loop && u.trips == 2 && f.units[end-1].role == il.Break:
			dead[end-1] = true
		case u.role == il.If && u.taken == 1:
			dead[i] = true
			if middle < 0 {
				middle = end
			}
			cut(middle, end)
		case u.role == il.If && u.taken == 2:
			if middle < 0 {
				middle = end
			}
			cut(i, middle)
			dead[end] = true
		}
		if u.role == il.Call && u.taken == 2 {
			dead[i] = true
		}
	}
	f.drop(dead)
}

// dropEmpty leaves out blocks in which nothing is left, and loops that end by themselves
// in which nothing is left but ways out.
func (f *flat) dropEmpty() {
	dead := make([]bool, len(f.units))
	for i := range f.units {
		switch f.units[i].role {
		case il.If:
			j := i + 1
			if j < len(f.units) && f.units[j].role == il.Else {
				j++
			}
			if j < len(f.units) && f.units[j].role == il.EndIf {
				for k := i; k <= j; k++ {
					dead[k] = true
				}
			}
		case il.Switch:
			j := i + 1
			for j < len(f.units) && (f.units[j].role == il.Case || f.units[j].role == il.Break) {
				j++
			}
			if j < len(f.units) && f.units[j].role == il.EndSwitch {
				for k := i; k <= j; k++ {
					dead[k] = true
				}
			}
		case il.Loop:
			j := i + 1
			for j < len(f.units) && f.units[j].role == il.Break {
				j++
			}
			if f.ends && j < len(f.units) && f.units[j].role == il.EndLoop {
				for k := i; k <= j; k++ {
					dead[k] = true
				}
			}
		}
	}
	f.drop(dead)
}

// dropCounted leaves out loops whose results nothing reads and that end, by counting where
// the dialect does not see to it.
func (f *flat) dropCounted() {
	if !f.link() {
		return
	}
	list := blocks(f)
	in, _ := liveness(f, list, f.exitSet())
	live := map[int]map[string]bool{len(f.units): f.exitSet()}
	for i, b := range list {
		live[b.from] = in[i]
	}
	dead := make([]bool, len(f.units))
	for i := range f.units {
		if f.units[i].role != il.Loop || dead[i] {
			continue
		}
		if end, _ := f.closing(i); end > 0 && (f.ends || f.counts(i, end)) && f.useless(i, end, live[end+1]) {
			for k := i; k <= end; k++ {
				dead[k] = true
			}
		}
	}
	f.drop(dead)
}

// useless reports whether the loop sets nothing that is live behind it, and leaves by its
// end alone.
func (f *flat) useless(from, end int, live map[string]bool) bool {
	calls := false
	for i := from; i <= end; i++ {
		switch f.units[i].role {
		case il.Return:
			return false
		case il.Call:
			if calls = true; !f.ends {
				return false
			}
		}
		if f.units[i].setsAny(live) {
			return false
		}
	}
	// Where every loop ends a call comes back, and did no more than functions do.
	in := false
	for i := range f.units {
		in = in || f.units[i].role == il.Func
		if calls && in && f.units[i].setsAny(live) {
			return false
		}
	}
	return true
}

func (u *unit) setsAny(places map[string]bool) bool {
	return slices.ContainsFunc(u.sets, func(s set) bool { return places[s.to] })
}

// dropUncalled leaves out calls of functions that do nothing, and functions that nothing
// calls.
func (f *flat) dropUncalled() {
	dead := make([]bool, len(f.units))
	called := map[string]bool{}
	empty := map[string]bool{}
	for i := range f.units {
		if f.units[i].role == il.Func && i+1 < len(f.units) && f.units[i+1].role == il.Return && f.units[i+1].sure {
			empty[f.units[i].label] = true
		}
	}
	for i := range f.units {
		if u := &f.units[i]; u.role == il.Call {
			if dead[i] = empty[u.label]; !dead[i] {
				called[u.label] = true
			}
		}
	}
	out := false
	for i := range f.units {
		switch f.units[i].role {
		case il.Func:
			out = !called[f.units[i].label]
		case il.End:
			out = false
		}
		dead[i] = dead[i] || out
	}
	f.drop(dead)
}

// alive are the statements of a subject that something depends on, and nil where that
// cannot be told.
func alive(list []*flat, i int) map[int]bool {
	if i >= len(list) {
		return nil
	}
	m := map[int]bool{}
	for _, u := range list[i].units {
		m[u.inst] = true
	}
	return m
}
