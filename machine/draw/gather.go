package draw

import "slices"

// gather puts values into one register, for a fetch or an output, each by a move. Most of the moves
// go away as in Mesa's compiler (copy propagation in sfn_optimizer.cpp): forward, where all values
// can be, or are, in one register; or else backward, a value at a time, by what computes it.
type gather struct {
	values [4]operand
	moves  [4]int32 // that are left, or -1
	n      int
	uses   int   // instructions that read it
	lanes  uint8 // that its values are in
}

// gather adds one, with its moves.
func (w *grouper) gather(set []operand) int32 {
	g := gather{n: min(len(set), 4), moves: [4]int32{-1, -1, -1, -1}}
	copy(g.values[:], set)
	at := int32(len(w.gathers))
	for k := range g.n {
		g.moves[k] = w.add(anySlot, 0, g.values[k])
		w.lanes[k]++
		x := w.value(g.moves[k], int8(k), together)
		w.values[x.value].gather = at
	}
	w.gathers = append(w.gathers, g)
	return at
}

// whole reports whether operands are the components of one register, from the first on and all that
// is read of it: what was interpolated or fetched is read there.
func (w *grouper) whole(set []operand) bool {
	if len(set) == 0 || set[0].value < 0 {
		return false
	}
	of := w.values[set[0].value].register
	for k, x := range set {
		if x.value < 0 {
			return false
		}
		if v := &w.values[x.value]; v.hold&inLane == 0 || v.register != of || int(v.lane) != k {
			return false
		}
	}
	if of < 0 {
		return len(set) == 4
	}
	for reg, first := range w.registers {
		if first == of {
			return int(w.widths[reg]) == len(set)
		}
	}
	return false
}

// settle removes moves until none can be any more, and has operations know who reads them.
func (w *grouper) settle() {
	uses := zeroed(&w.s.ints, len(w.values))
	w.each(func(_ int32, v int32) { uses[v]++ })
	for progress := true; progress; {
		progress = false
		for k := range w.gathers {
			progress = w.forward(int32(k)) || progress
		}
		for k := len(w.gathers) - 1; k >= 0; k-- {
			progress = w.backward(int32(k), uses) || progress
		}
		for k := range w.gathers { // fetches and exports select 0 and 1 themselves
			g := &w.gathers[k]
			for c, x := range g.values {
				if g.moves[c] >= 0 && x.written() {
					w.drop(g, c)
					progress = true
				}
			}
		}
	}
	for _, f := range w.fetched {
		o := &w.ops[f.op]
		for _, g := range f.gathers[:f.n] {
			if g >= 0 {
				o.sources = append(o.sources, w.read(&w.gathers[g])...)
			}
		}
	}
	for k := range w.gathers {
		g := &w.gathers[k]
		for _, x := range w.read(g) {
			v := &w.values[x.value]
			g.lanes |= 1 << v.lane
			v.unread++ // for exports, which run at last
		}
	}
	for _, f := range w.fetched {
		for _, g := range f.gathers[:f.n] {
			if g >= 0 {
				for _, x := range w.read(&w.gathers[g]) {
					w.values[x.value].unread--
				}
			}
		}
	}
	clear(uses)
	w.each(func(_ int32, v int32) { uses[v]++ })
	for v := range w.values {
		w.values[v].users = w.s.ints.Take(int(uses[v]))[:0]
	}
	w.each(func(i int32, v int32) {
		x := &w.values[v]
		x.users = append(x.users, i)
		x.unread++
	})
}

// each calls do for every operation and value that it reads.
func (w *grouper) each(do func(i, v int32)) {
	for i := range w.ops {
		if o := &w.ops[i]; !o.gone {
			for k, x := range o.sources {
				if x.value >= 0 && !slices.ContainsFunc(o.sources[:k], func(y operand) bool { return y.value == x.value }) {
					do(int32(i), x.value)
				}
			}
		}
	}
}

// read is what a gather's register holds.
func (w *grouper) read(g *gather) (list []operand) {
	for k, x := range g.values[:g.n] {
		switch {
		case g.moves[k] >= 0:
			list = append(list, operand{value: w.ops[g.moves[k]].value, pair: -1})
		case x.value >= 0:
			list = append(list, x)
		}
	}
	return list
}

func (w *grouper) drop(g *gather, k int) {
	w.ops[g.moves[k]].gone = true
	g.moves[k] = -1
}

// forward has the reader of a gather read the values where they are, if they are in one register or
// can all be put into one. The first stays in its lane.
func (w *grouper) forward(at int32) bool {
	g := &w.gathers[at]
	if g.uses > 1 {
		return false
	}
	var lanes [4]int8
	used, register, movable, left := uint8(0), int32(-1), true, false
	for k, x := range g.values[:g.n] {
		if g.moves[k] < 0 {
			if x.written() {
				continue
			}
			return false
		}
		if x.value < 0 {
			return false
		}
		v := &w.values[x.value]
		lanes[k] = v.lane
		switch {
		case !left:
			register = v.register
		case v.register == register:
		case !movable || v.hold != loose:
			return false
		default:
			register = -1
			for lanes[k] = 0; used>>lanes[k]&1 != 0; lanes[k]++ {
			}
		}
		left = true
		used |= 1 << lanes[k]
		movable = movable && v.hold == loose
	}
	if !left {
		return false
	}
	for k, x := range g.values[:g.n] {
		if g.moves[k] < 0 {
			continue
		}
		w.drop(g, k)
		w.join(x.value, at, lanes[k])
	}
	return true
}

// join puts a value into the register of a gather.
func (w *grouper) join(i, at int32, lane int8) {
	v := &w.values[i]
	switch v.hold {
	case loose:
		v.hold = together
	case inLane:
		v.hold = settled
	default:
		return
	}
	v.lane, v.gather, v.register = lane, at, 1<<24|at
}

// backward has operations compute values in the register of a gather that nothing else reads.
func (w *grouper) backward(at int32, uses []int32) (progress bool) {
	g := &w.gathers[at]
	for k := g.n - 1; k >= 0; k-- {
		x := g.values[k].value
		if g.moves[k] < 0 || x < 0 || uses[x] > 1 {
			continue
		}
		if v := &w.values[x]; v.op >= 0 && (v.hold == loose || v.hold == inLane && int(v.lane) == k) {
			w.drop(g, k)
			w.join(x, at, int8(k))
			progress = true
		}
	}
	return progress
}
