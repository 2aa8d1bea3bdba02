package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// tidy leaves out what nothing depends on, until there is no more of it, and links what is left. Each
// pass makes work for the others (a dead computation empties a branch, whose condition is dead then),
// so that they are repeated to the fixpoint. It ends because units and sets only get fewer. It reports
// whether the flow could be linked.
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

// countSets is the measure of progress besides the number of statements.
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

// entry are the places that some path reads before it sets them: the inputs of the program.
func (f *flat) entry() map[string]bool {
	list := blocks(f)
	in, _ := liveness(f, list, f.exitSet())
	return in[0]
}

// dropDead is dead code elimination: it leaves out assignments to places that are not live behind them,
// and statements that assign nothing any more. Conditions, kills and effects are never dead, as
// flow and exits.
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

// drop takes statements out. It makes the numbers in next stale, so that link has to follow.
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

// decide leaves out branches that a literal decides against, with their statements of flow; loops that
// make no trip; the break at the end of the only trip; and calls that a literal forbids.
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
		// No trip; trips is one more.
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

// dropEmpty leaves out branches and switches in which nothing is left, and loops in which nothing is left
// but breaks, where the dialect ends loops. An endless empty loop of AMD IL has an effect: nothing
// behind it happens.
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

// dropCounted leaves out loops that set nothing which is read behind them and that end: always in
// Direct3D 9, in AMD IL where a counter reaches a bound.
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

// useless reports whether the loop sets nothing that is live behind it, and leaves by its end alone. What
// it sets and reads itself, in the next trip, does not matter.
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
	// A call comes back where every loop ends, and does no more than functions do. Functions follow the
	// main program in the text; all of them count.
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

// dropUncalled leaves out calls of functions that return at once, and functions that nothing calls.
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

// alive are the numbers of the statements that are left of program i of a subject that was taken apart:
// those that something depends on. It is nil where that cannot be told.
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
