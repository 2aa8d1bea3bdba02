package draw

import "slices"

// gather is a set of values that moves put into one register, for a fetch or an output. Most of the
// moves are removed as in Mesa's compiler (copy propagation in sfn_optimizer.cpp). Forward
// propagation applies if all values can be, or are, in one register. Otherwise backward propagation
// makes the operations compute single values there.
type gather struct {
	values [4]operand
	moves  [4]int32 // remaining moves, or -1
	n      int
	uses   int   // instructions that read it
	lanes  uint8 // lanes of its values
}

// gather adds a gather with its moves.
func (w *grouper) gather(set []operand) int32 {
	g := gather{n: min(len(set), 4), moves: [4]int32{-1, -1, -1, -1}}
	copy(g.values[:], set)
	at := int32(len(w.gathers))
	for k := range g.n {
		g.moves[k] = w.addOp(anySlot, 0, g.values[k])
		w.lanes[k]++
		x := w.value(g.moves[k], int8(k), together)
		w.values[x.value].gather = at
	}
	w.gathers = append(w.gathers, g)
	return at
}

// whole reports whether operands are the components of one register, from the first on, and all
// that is read of it. Interpolated or fetched values are then read in place.
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

// settle removes moves until no more can be removed, and records the users of each value.
func (w *grouper) settle() {
	uses := zeroed(&w.s.ints, len(w.values))
	w.eachRead(func(_ int32, v int32) { uses[v]++ })
	for progress := true; progress; {
		progress = false
		for k := range w.gathers {
			progress = w.forward(int32(k)) || progress
		}
		for k := len(w.gathers) - 1; k >= 0; k-- {
			progress = w.backward(int32(k), uses) || progress
		}
		for k := range w.gathers { // fetches and exports can select 0 and 1
			g := &w.gathers[k]
			for c, x := range g.values {
				if g.moves[c] >= 0 && x.written() {
					w.dropMove(g, c)
					progress = true
				}
			}
		}
	}
	for _, f := range w.fetched {
		o := &w.ops[f.op]
		for _, g := range f.gathers[:f.n] {
			if g >= 0 {
				o.sources = append(o.sources, w.gatherContents(&w.gathers[g])...)
			}
		}
	}
	for k := range w.gathers {
		g := &w.gathers[k]
		for _, x := range w.gatherContents(g) {
			v := &w.values[x.value]
			g.lanes |= 1 << v.lane
			v.unread++ // for exports, which run last
		}
	}
	for _, f := range w.fetched {
		for _, g := range f.gathers[:f.n] {
			if g >= 0 {
				for _, x := range w.gatherContents(&w.gathers[g]) {
					w.values[x.value].unread--
				}
			}
		}
	}
	clear(uses)
	w.eachRead(func(_ int32, v int32) { uses[v]++ })
	for v := range w.values {
		w.values[v].users = w.s.ints.Alloc(int(uses[v]))[:0]
	}
	w.eachRead(func(i int32, v int32) {
		x := &w.values[v]
		x.users = append(x.users, i)
		x.unread++
	})
}

// eachRead calls do for every operation and each value that it reads.
func (w *grouper) eachRead(do func(i, v int32)) {
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

// gatherContents returns the contents of a gather's register.
func (w *grouper) gatherContents(g *gather) (list []operand) {
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

func (w *grouper) dropMove(g *gather, k int) {
	w.ops[g.moves[k]].gone = true
	g.moves[k] = -1
}

// forward makes the reader of a gather read the values in place, if they are in one register or can
// all be put into one. The first stays in its lane.
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
		w.dropMove(g, k)
		w.joinGather(x.value, at, lanes[k])
	}
	return true
}

// joinGather puts a value into the register of a gather.
func (w *grouper) joinGather(i, at int32, lane int8) {
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

// backward makes operations compute values directly in the register of a gather, if nothing else
// reads them.
func (w *grouper) backward(at int32, uses []int32) (progress bool) {
	g := &w.gathers[at]
	for k := g.n - 1; k >= 0; k-- {
		x := g.values[k].value
		if g.moves[k] < 0 || x < 0 || uses[x] > 1 {
			continue
		}
		if v := &w.values[x]; v.op >= 0 && (v.hold == loose || v.hold == inLane && int(v.lane) == k) {
			w.dropMove(g, k)
			w.joinGather(x, at, int8(k))
			progress = true
		}
	}
	return progress
}
