package placement

import (
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Bounds on the work per fetch. Both are assumed: coordinates of filters have their neighbours near.
const (
	// ahead bounds how many of the next fetches are considered for making early.
	ahead = 32
	// registers bounds how many registers are searched for coordinates that they hold.
	registers = 4
)

// plan is a path through the fetches of a block: their order, and for each the register whose coordinates it
// changes. It is a greedy walk through points, where neighbours share coordinates, as in the travelling
// salesman problem. Three greedy orders are tried and priced.
type plan struct {
	numbering
	block   block
	taps    []*tap
	byInstr map[*ir.Instr]*tap
	order   order
	held    []coords // by register, last used last
	out     []*ir.Instr
	// computed counts the new instructions.
	computed int
}

// order selects the fetches that are made early.
type order uint8

const (
	onTheWay  order = iota // those on the way to the next one
	asTheyAre              // none
	nearest                // those whose coordinates change least
	orders
)

// tap is a fetch whose coordinates are recomputed, like the taps of a filter.
type tap struct {
	in     *ir.Instr
	want   [4]*ir.Value // value numbers of its coordinates, nil for unread ones
	ready  int          // first position in the block where it can be made
	placed bool
}

// coords is the contents of a register: value numbers, and the values that have them.
type coords struct {
	number, value [4]*ir.Value
}

// newPlan returns a plan for the fetches of b, or nil if none of them share coordinates.
func newPlan(f *ir.Func, b block) *plan {
	p := &plan{numbering: numbering{f: f}, block: b}
	for i, in := range b.code() {
		if f.Dialect.Fetches(in) && !in.IsPredicated() && gathers(in) {
			p.taps = append(p.taps, &tap{in: in, ready: i})
		}
	}
	if len(p.taps) < 2 {
		return nil
	}
	p.place = make(map[*ir.Instr]int, b.to-b.from)
	p.byInstr = make(map[*ir.Instr]*tap, len(p.taps))
	for i, in := range b.code() {
		p.place[in] = i
	}
	p.known = map[key]*ir.Value{}
	for _, t := range p.taps {
		t.ready = 0
		p.byInstr[t.in] = t
		for s := range t.in.Src {
			t.in.Src[s].EachLane(func(i int, l *ir.Lane) {
				v := l.V
				if s > 0 {
					t.ready = max(t.ready, p.after(v))
					return
				}
				n, after := p.number(v)
				t.want[i], t.ready = n, max(t.ready, after)
			})
		}
	}
	return p
}

// gathers reports whether the coordinates of in are values without modifiers, at least one of them computed.
func gathers(in *ir.Instr) bool {
	n, computed := 0, false
	plain := true
	in.Src[0].EachLane(func(_ int, l *ir.Lane) {
		n++
		plain = plain && l.Mod == 0
		computed = computed || !l.V.IsLeaf()
	})
	return plain && computed && n > 1
}

// shares reports whether two fetches have some coordinates in common, but not all.
func (p *plan) shares() bool {
	seen := map[*ir.Value]*tap{}
	for _, t := range p.taps {
		for _, n := range t.want {
			if n == nil || n.IsLeaf() {
				continue
			}
			if s := seen[n]; s == nil {
				seen[n] = t
			} else if s.want != t.want {
				return true
			}
		}
	}
	return false
}

// rewrite replaces the code of the block. The caller sweeps dead instructions.
func (p *plan) rewrite() {
	next := 0
	for i, in := range p.block.code() {
		t := p.byInstr[in]
		switch {
		case t == nil:
			p.out = append(p.out, in)
		case !t.placed:
			p.reach(t, p.taps[next+1:], i)
		}
		if t != nil {
			next++
		}
	}
	r := p.block.region
	r.Code = slices.Concat(r.Code[:p.block.from], p.out, r.Code[p.block.to:])
}

// reach makes fetch t at position at of the block, after the later fetches that the order puts before it.
func (p *plan) reach(t *tap, later []*tap, at int) {
	for !t.placed {
		from, cost := p.nearest(t)
		if u := p.before(t, from, cost, later, at); u != nil {
			p.placeFetch(u, from)
			continue
		}
		if cost == p.changes(&coords{}, t) {
			from = -1 // no coordinate stays
		}
		p.placeFetch(t, from)
	}
}

// nearest returns the register from which fetch t changes least, the last one of several, or -1.
func (p *plan) nearest(t *tap) (best, cost int) {
	best = -1
	for i := range p.held {
		if n := p.changes(&p.held[i], t); best < 0 || n <= cost {
			best, cost = i, n
		}
	}
	return best, cost
}

// before returns the first later fetch to make before t from register from, or nil. It can be made at
// position at, where all its operands are defined. "On the way" means that the detour by u costs no more than
// going straight to t.
func (p *plan) before(t *tap, from, cost int, later []*tap, at int) (first *tap) {
	if p.order == asTheyAre || from < 0 {
		return nil
	}
	for _, u := range later[:min(len(later), ahead)] {
		if u.placed || u.ready > at {
			continue
		}
		n := p.changes(&p.held[from], u)
		if p.order == nearest {
			if n < cost {
				first, cost = u, n
			}
			continue
		}
		mid := p.held[from].afterTap(u)
		if m := p.changes(&mid, t); n+m <= cost && m < cost {
			return u
		}
	}
	return first
}

// afterTap returns the contents of c after it takes the coordinates of t.
func (c coords) afterTap(t *tap) coords {
	for i, n := range t.want {
		if n != nil {
			c.number[i] = n
		}
	}
	return c
}

// changes returns the number of instructions that make the coordinates of t from the contents of c.
func (p *plan) changes(c *coords, t *tap) (n int) {
	var kinds [4]kind
	for i, w := range t.want {
		if w == nil || c.number[i] == w {
			continue
		}
		if k := p.recipeKind(w); k.alone || !slices.Contains(kinds[:n], k) {
			kinds[n] = k
			n++
		}
	}
	return n
}

// placeFetch places fetch t with its coordinates in register r, or a new one.
func (p *plan) placeFetch(t *tap, r int) {
	var c coords
	if r >= 0 {
		c = p.held[r]
		p.held = slices.Delete(p.held, r, r+1)
	} else if len(p.held) == registers {
		p.held = slices.Delete(p.held, 0, 1)
	}
	first := len(p.out)
	for i, n := range t.want {
		if n == nil {
			continue
		}
		if c.number[i] != n {
			c.number[i], c.value[i] = n, p.compute(n, i, first)
		}
		t.in.Src[0][i].V = c.value[i]
	}
	p.held = append(p.held, c) // the last one used is last
	p.out = append(p.out, t.in)
	t.placed = true
}

// compute returns a copy of v in the given lane. It extends one of the instructions from first on if
// possible, else it adds a new one.
func (p *plan) compute(v *ir.Value, lane, first int) *ir.Value {
	how, from := p.recipe(v)
	if how == nil {
		return v
	}
	k := kindOf(how, from)
	for _, in := range p.out[first:] {
		if !k.alone && kindOf(in, someLane(in)) == k && p.joinLane(in, lane, how, from) {
			return p.define(in, lane, v)
		}
	}
	in := new(ir.Instr)
	*in = *how
	in.Out, in.Src = [4]*ir.Value{}, slices.Clone(how.Src)
	if !k.alone {
		clear(in.Src)
		p.joinLane(in, lane, how, from)
	}
	p.out = append(p.out, in)
	p.computed++
	return p.define(in, lane, v)
}

// define makes in write another copy of v.
func (p *plan) define(in *ir.Instr, lane int, v *ir.Value) *ir.Value {
	home := ir.Reg{}
	if !v.IsLeaf() {
		home = v.Home
		home.Comp = uint8(lane)
	}
	return p.f.Define(in, lane, home)
}

// joinLane adds a lane to in that computes lane from of how, if one statement can.
func (p *plan) joinLane(in *ir.Instr, lane int, how *ir.Instr, from int) bool {
	old := slices.Clone(in.Src)
	for s := range in.Src {
		in.Src[s][lane] = how.Src[s][from]
	}
	if in.Mask() != 0 && !p.f.Dialect.Encodable(in) {
		in.Src = old
		return false
	}
	return true
}

// someLane returns a lane that in writes.
func someLane(in *ir.Instr) int { return bits.TrailingZeros8(in.Mask()) }
