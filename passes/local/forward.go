package local

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// kept is a word of local memory that a register holds: for each invocation that executes the current code, the word at
// its address has the value.
type kept struct {
	memory ir.Reg
	at     table
	value  *ir.Value
}

// store is a store that invocations in mask may make. at is nil if the address is not known.
type store struct {
	memory ir.Reg
	at     table
	mask   table
	in     *ir.Instr
}

// region removes loads of kept words from code that the invocations in mask execute. It returns the words kept at
// its end and the stores in it.
func (k *keeper) region(r *ir.Region, mask table, words []kept) (end []kept, stores []store) {
	words = slices.Clone(words)
	code := r.Code[:0:0]
	for i, in := range r.Code {
		if !k.c.Spend(len(words)) {
			code = append(code, r.Code[i:]...)
			break
		}
		switch {
		case in.Op == ir.OpIf:
			var more []store
			words, more = k.branch(in, mask, words)
			stores = append(stores, more...)
		case !k.t.isLocal(in):
		case in.Op == ir.OpMemLoad:
			if words = k.load(in, mask, words); k.isReplaced(in) {
				continue
			}
		default:
			in.Src[1].EachLane(func(lane int, l *ir.Lane) {
				memory, at := k.t.access(in, lane)
				s := store{memory, at, mask, in}
				stores = append(stores, s)
				words = s.update(words, *l)
			})
		}
		code = append(code, in)
	}
	r.Code = code
	return words, stores
}

// isReplaced reports whether all values that a load defines are replaced.
func (k *keeper) isReplaced(in *ir.Instr) bool {
	for _, v := range in.Out {
		if _, ok := k.replaced[v]; v != nil && !ok {
			return false
		}
	}
	return true
}

// load replaces a load of kept words, or keeps its words.
func (k *keeper) load(in *ir.Instr, mask table, words []kept) []kept {
	var found [4]*ir.Value
	for i, v := range in.Out {
		memory, at := k.t.access(in, i)
		if v == nil || at == nil {
			continue
		}
		for _, w := range words {
			if w.memory == memory && w.at.equals(at, mask) {
				found[i] = w.value
				break
			}
		}
		if found[i] == nil {
			words = append(words, kept{memory, at, v})
		}
	}
	for i, v := range in.Out {
		if v != nil && found[i] == nil {
			return words
		}
	}
	if k.shouldRewrite(in, "forwarded", "replaced by a register") {
		for i, v := range in.Out {
			if v != nil {
				k.join(found[i])
				k.replaced[v] = ir.Lane{V: found[i]}
			}
		}
	}
	return words
}

// equals reports whether two tables agree for all invocations in mask.
func (a table) equals(b, mask table) bool {
	for t := range a {
		if mask[t] != 0 && a[t] != b[t] {
			return false
		}
	}
	return true
}

// branch removes loads from both sides of a branch. A word that both sides keep in different registers becomes a
// result of the branch.
func (k *keeper) branch(in *ir.Instr, mask table, words []kept) (end []kept, stores []store) {
	cond := k.t.condition(in)
	var ends [2][]kept
	var made [2][]store
	for side, sub := range in.Sub {
		begin := words
		if side == 1 { // the invocations of the first side come first
			for _, s := range made[0] {
				begin = s.spoil(begin)
			}
		}
		ends[side], made[side] = k.region(sub, mask.and(cond, side == 1), begin)
	}
	for _, s := range made[1] {
		ends[0] = s.spoil(ends[0])
	}
	for _, w := range words {
		var values [2]*ir.Value
		for side := range ends {
			same := func(o kept) bool { return o.memory == w.memory && slices.Equal(o.at, w.at) }
			if i := slices.IndexFunc(ends[side], same); i >= 0 {
				values[side] = ends[side][i].value
			}
		}
		switch {
		case values[0] == nil || values[1] == nil:
			continue
		case values[0] == values[1]:
			w.value = values[0]
		default:
			w.value = k.t.f.NewValue(ir.Result, values[0].Home)
			k.joins[w.value] = join{in, values}
		}
		end = append(end, w)
	}
	return end, append(made[0], made[1]...)
}

// join is a result of a branch: a word that its sides keep in different registers.
type join struct {
	in     *ir.Instr
	values [2]*ir.Value
}

// join makes v a result of its branch, if it is one.
func (k *keeper) join(v *ir.Value) {
	j, ok := k.joins[v]
	if !ok {
		return
	}
	delete(k.joins, v)
	v.Def = j.in
	j.in.Results = append(j.in.Results, v)
	for side, sub := range j.in.Sub {
		k.join(j.values[side])
		sub.Results = append(sub.Results, j.values[side])
	}
}

// update returns the kept words after a store of the data in l by the invocations that execute the current code.
func (s *store) update(words []kept, l ir.Lane) (after []kept) {
	after = s.spoil(words)
	if s.at == nil {
		return after
	}
	// Only words of the same invocation are left: the whole of a word is stored to, or a part.
	after = slices.DeleteFunc(slices.Clone(after), func(w kept) bool {
		return w.memory == s.memory && w.at.meets(s.at, s.mask)
	})
	if l.Mod == 0 && (l.V.Kind == ir.Literal || !s.races()) {
		after = append(after, kept{s.memory, s.at, l.V})
	}
	return after
}

// races reports whether several invocations store to one word, which then holds the data of one of them.
func (s *store) races() bool {
	seen := map[uint32]bool{}
	for t, a := range s.at {
		if s.mask[t] != 0 && seen[a/4] {
			return true
		}
		seen[a/4] = seen[a/4] || s.mask[t] != 0
	}
	return false
}

// meets reports whether two tables agree for some invocation in mask.
func (a table) meets(b, mask table) bool {
	for t := range a {
		if mask[t] != 0 && a[t] == b[t] {
			return true
		}
	}
	return false
}

// spoil returns the words without those that a store by another invocation may change.
func (s *store) spoil(words []kept) (rest []kept) {
	if s.at == nil {
		return slices.DeleteFunc(slices.Clone(words), func(w kept) bool { return w.memory == s.memory })
	}
	by := map[uint32]int{} // the storing invocation plus one, or -1 for several
	for t, a := range s.at {
		if s.mask[t] == 0 {
			continue
		}
		if by[a/4] == 0 {
			by[a/4] = t + 1
		} else {
			by[a/4] = -1
		}
	}
	for _, w := range words {
		foreign := false
		for t, a := range w.at {
			n := by[a/4]
			foreign = foreign || w.memory == s.memory && n != 0 && n != t+1
		}
		if !foreign {
			rest = append(rest, w)
		}
	}
	return rest
}
