package codemotion

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// placement returns the slots that the selection made saves, and the most that any selection can save. If all
// selections were tried, the best one gives the maximum.
func (m *mover) placement(all []*candidate, made *selection) passes.Placement {
	saved := m.saved(made)
	if m.every {
		return passes.Placement{Saved: saved, Most: m.saved(m.best)}
	}
	return passes.Placement{Saved: saved, Most: m.boundSavings(all, saved)}
}

// saved returns the slots that a selection saves: dead instructions, and moves that bring inputs into one
// register. It subtracts one for an output that no instruction computes any more, and the moves that operands
// need to read the registers of the selection. Other moves that register allocation needs when code is written
// do not count, neither here nor in the bound.
func (m *mover) saved(made *selection) (slots int) {
	if made == nil {
		return 0
	}
	s := newSavings(m.pixel)
	for i, c := range made.picks {
		slots += s.adjustReaders(c, -1) - m.moved(c) - made.fills[i].moves
	}
	return slots
}

// moved returns the number of moves for interpolated outputs. Below 3.0 all outputs are written by moves.
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

// unit is one slot in the scale of profits and prices. Prices are whole 64ths of a slot, so that the flow
// network has integers.
const unit = 64

// boundSavings bounds the slots that any selection of all can save, by Lagrangian relaxation. The register
// constraints are relaxed to one number: the room for components, or for candidates of which no two fit in
// one register. A price p then replaces this constraint. Over all selections,
//
//	max { saved : takes <= room }  <=  max { saved - p*takes } + p*room      for every p >= 0
//
// The right side is a best closure ([closure.maxProfit]) plus p*room. It is convex in p, and room less the room
// taken by the best closure is its slope. So it lies above the tangents found so far, and the search
// continues where the falling and the rising tangent meet (G. Handler and I. Zang, "A dual algorithm for the
// constrained shortest path problem", Networks 10, 1980). Each scarce resource gives a bound, and the least
// bound counts (Fisher, "The Lagrangian Relaxation Method for Solving Integer Programming Problems",
// Management Science 27(1), 1981). A selection that saves as much is therefore optimal.
func (m *mover) boundSavings(all []*candidate, saved int) int {
	if m.bounded != nil && m.bounded.Saved == saved {
		return m.bounded.Most
	}
	c, chosen := m.closure(all, false)
	most := max(saved, c.maxProfit(0)/unit)
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
	m.bounded = &passes.Placement{Saved: saved, Most: max(most, saved)}
	return m.bounded.Most
}

// tangent is the value and slope of the bound at a price.
type tangent struct{ price, value, slope int }

// valueAtZero returns the value of the tangent at price 0.
func (t *tangent) valueAtZero() int { return t.value - t.slope*t.price }

// boundAt returns the bound at a price: the profit of the best closure, plus the price of all the room.
func (c *closure) boundAt(price, room int) tangent {
	value := c.maxProfit(price) + price*room
	takes := 0
	for i, charged := range c.charged {
		if charged && price < c.ceiling && c.chosen(int32(i)) {
			takes++
		}
	}
	return tangent{price, value, room - takes}
}

// least returns the least bound over all prices in slots, or most if that is smaller.
func (c *closure) least(room, most int) int {
	falls := c.boundAt(0, room)
	rises := tangent{price: math.MaxInt32, value: math.MaxInt32 * room, slope: room} // nothing chosen
	most = min(most, falls.value/unit)
	for falls.slope < 0 && c.net.work < maxFlow {
		// The intersection is a lower bound of the function.
		apart, steep := falls.valueAtZero()-rises.valueAtZero(), rises.slope-falls.slope
		if falls.valueAtZero()*steep+falls.slope*apart >= most*unit*steep {
			return most
		}
		price := max(apart/steep, falls.price+1)
		if price >= rises.price {
			return most
		}
		next := c.boundAt(price, room)
		if most = min(most, next.value/unit); next.slope < 0 {
			falls = next
		} else {
			rises = next
		}
	}
	return most
}

// scarce is a limited resource: its room, and the lanes or candidates that take one unit of it.
type scarce struct {
	room  int
	lanes bool                    // every different lane takes one
	takes func(c *candidate) bool // or candidates take one
	turns bool                    // they may be reversed instead, for one move
}

// prices lists the scarce resources: components, registers, and first components of registers. Registers are
// scarce for candidates of three and more lanes, two of them unshared. First components are scarce where
// coordinates have to be in the components that they are read from.
func (m *mover) prices(all []*candidate) []scarce {
	dense := m.dense
	m.dense, m.savings = true, newSavings(m.pixel)
	// Dense packing may use components that become unread, so its room bounds any selection.
	bins := m.freeInterpolators(all)
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
	// A lane that only one candidate reads and no register carries needs its own component.
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
	return []scarce{{room: components, lanes: true}, {room: registers, takes: wide},
		{room: firsts, takes: first, turns: true}}
}

// interpolated returns the lanes that registers carry now.
func (m *mover) interpolated() map[ir.Lane]bool {
	lanes := map[ir.Lane]bool{}
	for _, b := range m.freeInterpolators([]*candidate{{fixed: true}}) { // all of them
		for _, l := range b.lanes {
			lanes[l] = true
		}
	}
	return lanes
}

// closure returns the closure problem for all candidates, where a slot has profit unit. If lanes is set, a
// lane that no register carries costs the price. An instruction dies if all its readers do: its node brings
// its slots and requires theirs. chosen are the nodes of candidates.
func (m *mover) closure(all []*candidate, lanes bool) (c *closure, chosen []int32) {
	c = &closure{ceiling: math.MaxInt}
	never := c.node(math.MinInt32 / 2)
	carried := m.interpolated()
	takes := map[ir.Lane]int32{}
	reader := map[use]int{} // candidates by operand
	outs := map[int]int32{} // and by output
	for i, x := range all {
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
				reader[use{in: u.in, src: u.src}] = i
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
			i, ok := reader[use{in: in, src: s}]
			for k, l := range in.Src[s] {
				by := instrs[in]
				if ok && all[i].lanes[k].V != nil { // a part has some of the lanes
					by = chosen[i]
				}
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
