package codemotion

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// placement is what a selection of all saves beside the most that any selection can. If
// all were tried, the best is the most.
func (m *mover) placement(all []*candidate, made *selection) passes.Placement {
	saved := m.saved(made)
	if m.every {
		return passes.Placement{Saved: saved, Most: m.saved(m.best)}
	}
	return passes.Placement{Saved: saved, Most: m.most(all, saved)}
}

// saved is what a selection saves: slots of instructions that go, and moves that bring
// inputs into one register, less one for an output that nothing computes any more and
// for a value that is turned round. Other moves that registers call for when code is
// written do not count, neither here nor in the bound.
func (m *mover) saved(made *selection) (slots int) {
	if made == nil {
		return 0
	}
	s := newSavings(m.pixel)
	for i, c := range made.picks {
		slots += s.take(c, -1) - m.moved(c)
		for k, l := range c.lanes {
			if c.whole && l.V != nil && int(made.fills[i].comp[k]) != k {
				slots--
				break
			}
		}
	}
	return slots
}

// moved is how many moves an output takes that is interpolated. Below 3.0 all outputs are
// written by moves.
func (m *mover) moved(c *candidate) (n int) {
	if m.link.Whole {
		return 0
	}
	for _, x := range c.uses {
		if x.in == nil {
			n++
		}
	}
	return n
}

// unit is a slot, in what choices bring and prices are told in: prices are whole
// numbers of 64ths, so that the flow network has integers.
const unit = 64

// most bounds what any selection of all can save, by Lagrangian relaxation. What
// registers have room for is relaxed to one number, be it of components or of
// candidates that no two fit in one register, and that to a price p: over all
// selections,
//
//	max { saved : takes <= room }  <=  max { saved - p*takes } + p*room      for every p >= 0
//
// The right side is a best closure ([closure.most]) plus p*room, convex in p, and what the best
// takes is how steep it is there: so it is nowhere below the lines through what is known of it, and
// the least is looked for where the two that fall and rise meet (G. Handler and I. Zang, "A dual
// algorithm for the constrained shortest path problem", Networks 10, 1980). Each scarce thing gives
// a bound, and the least of them counts (Fisher, "The Lagrangian Relaxation Method for Solving
// Integer Programming Problems", Management Science 27(1), 1981). A selection that saves as much is
// therefore best.
func (m *mover) most(all []*candidate, saved int) int {
	c, chosen := m.closure(all, false)
	most := max(saved, c.most(0)/unit)
	for _, p := range m.prices(all) {
		if most == saved {
			break
		}
		of := c
		if p.lanes {
			of, _ = m.closure(all, true)
		} else {
			for i, x := range all {
				c.charged[chosen[i]] = p.takes(x)
			}
			if c.ceiling = math.MaxInt; p.turns {
				c.ceiling = unit
			}
		}
		most = of.least(p.room, most)
	}
	return max(most, saved)
}

// tangent is a function at a price, and how steep it is there.
type tangent struct{ price, value, slope int }

// zero is what the line is worth at no price.
func (t *tangent) zero() int { return t.value - t.slope*t.price }

// at is the bound at a price: the best choice, and what all the room costs.
func (c *closure) at(price, room int) tangent {
	value := c.most(price) + price*room
	takes := 0
	for i, charged := range c.charged {
		if charged && price < c.ceiling && c.chosen(int32(i)) {
			takes++
		}
	}
	return tangent{price, value, room - takes}
}

// least is the least bound of all prices in slots, or most if that is no larger.
func (c *closure) least(room, most int) int {
	falls := c.at(0, room)
	rises := tangent{price: math.MaxInt32, value: math.MaxInt32 * room, slope: room} // nothing chosen
	most = min(most, falls.value/unit)
	for falls.slope < 0 && c.net.work < maxFlow {
		// Where they meet is no price below which the bound is less.
		apart, steep := falls.zero()-rises.zero(), rises.slope-falls.slope
		if falls.zero()*steep+falls.slope*apart >= most*unit*steep {
			return most
		}
		price := max(apart/steep, falls.price+1)
		if price >= rises.price {
			return most
		}
		next := c.at(price, room)
		if most = min(most, next.value/unit); next.slope < 0 {
			falls = next
		} else {
			rises = next
		}
	}
	return most
}

// scarce is something that there is only so much room for, and which of lanes or
// candidates take one of it.
type scarce struct {
	room  int
	lanes bool                    // different lanes
	takes func(c *candidate) bool // or candidates
	turns bool                    // which may be turned round instead, for a move
}

// prices lists what is scarce: components; registers for candidates of three lanes and more, two
// of them their own; and, where coordinates have to be in the components that they are read
// from, the first components of registers.
func (m *mover) prices(all []*candidate) []scarce {
	dense := m.dense
	m.dense, m.savings = true, newSavings(m.pixel)
	// Dense packing may use what nothing reads any more, so its room is what bounds any
	// selection.
	bins := m.bins(all)
	m.dense = dense
	var components, registers, firsts int
	for _, b := range bins {
		free := 0
		for _, l := range b.lanes {
			if l.V == nil {
				free++
			}
		}
		components += free
		if free >= 2 {
			registers++
		}
		if b.lanes[0].V == nil {
			firsts++
		}
	}
	// A lane that only one candidate reads and no register carries needs a component of
	// its own.
	readers := map[ir.Lane]int{}
	for _, c := range all {
		for _, l := range c.distinct() {
			readers[l]++
		}
	}
	carried := m.interpolated()
	own := func(l ir.Lane) bool { return l.V != nil && readers[l] == 1 && !carried[l] }
	wide := func(c *candidate) bool {
		n := 0
		lanes := c.distinct()
		for _, l := range lanes {
			if own(l) {
				n++
			}
		}
		return n >= 2 && len(lanes) >= 3
	}
	first := func(c *candidate) bool { return c.whole && own(c.lanes[0]) }
	return []scarce{{room: components, lanes: true}, {room: registers, takes: wide}, {room: firsts, takes: first, turns: true}}
}

// interpolated are the lanes that registers have now.
func (m *mover) interpolated() map[ir.Lane]bool {
	lanes := map[ir.Lane]bool{}
	for _, b := range m.bins([]*candidate{{fixed: true}}) { // all of them
		for _, l := range b.lanes {
			lanes[l] = true
		}
	}
	return lanes
}

// closure is the choice among all, where a slot brings unit and, if lanes is set, a
// lane that no register carries takes the price. An instruction goes if all that read
// it do: it brings its slots and requires them. Chosen are the nodes of candidates.
func (m *mover) closure(all []*candidate, lanes bool) (c *closure, chosen []int32) {
	c = &closure{ceiling: math.MaxInt}
	never := c.node(math.MinInt32 / 2)
	carried := m.interpolated()
	takes := map[ir.Lane]int32{}
	reader := map[use]int32{} // candidates by operand, or by first output
	outs := map[int]int32{}   // and by output
	for _, x := range all {
		at := c.node(unit * (x.moves - m.moved(x)))
		chosen = append(chosen, at)
		for _, l := range x.distinct() {
			if !lanes || carried[l] {
				continue
			}
			if _, ok := takes[l]; !ok {
				takes[l] = c.node(0)
				c.charged[takes[l]] = true
			}
			c.require(at, takes[l])
		}
		for _, u := range x.uses {
			if u.in != nil {
				reader[use{in: u.in, src: u.src}] = at
				continue
			}
			for _, k := range u.outs {
				if k >= 0 {
					outs[k] = at
				}
			}
		}
	}
	instrs := map[*ir.Instr]int32{}
	m.pixel.Walk(func(in *ir.Instr) {
		if in.Mask() == 0 { // it has an effect
			instrs[in] = never
		} else {
			instrs[in] = c.node(unit * m.pixel.Dialect.Slots(in))
		}
	})
	goes := func(v *ir.Value, by int32) {
		if v.Def != nil {
			c.require(instrs[v.Def], by)
		}
	}
	m.pixel.Walk(func(in *ir.Instr) {
		n := 0
		for s := range in.Src {
			by, ok := reader[use{in: in, src: s}]
			if !ok {
				by = instrs[in]
			}
			for _, l := range in.Src[s] {
				if l.V != nil {
					n++
					goes(l.V, by)
				}
			}
		}
		in.EachUse(func(l *ir.Lane) { // the sources come first
			if n--; n < 0 {
				goes(l.V, never)
			}
		})
	})
	for k, o := range m.pixel.Outs {
		by, ok := outs[k]
		if !ok {
			by = never
		}
		goes(o.V, by)
	}
	return c, chosen
}
