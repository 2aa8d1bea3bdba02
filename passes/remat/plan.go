package remat

import (
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Bounds on the work for a fetch. Both are assumed: coordinates of filters have their
// neighbours near.
const (
	// ahead bounds how many of the next fetches are looked at for one on the way.
	ahead = 32
	// registers bounds how many registers are looked at for coordinates that they hold.
	registers = 4
)

// plan is the way from one fetch of a block to the next: the order of fetches, and for
// each the register whose coordinates it changes. It is a greedy walk through points of
// which neighbours share coordinates, as in the travelling salesman problem; three
// greedy orders are tried and priced.
type plan struct {
	numbering
	block   block
	taps    []*tap
	byInstr map[*ir.Instr]*tap
	order   order
	held    []coords // by registers, the last one used last
	out     []*ir.Instr
	// computed counts instructions that were made.
	computed int
}

// order says which fetches are made before their place.
type order uint8

const (
	onTheWay  order = iota // those that lie on the way to the next one
	asTheyAre              // none
	nearest                // those whose coordinates change least
	orders
)

// tap is a fetch whose coordinates are looked at, as the taps of a filter are.
type tap struct {
	in     *ir.Instr
	want   [4]*ir.Value // numbers of its coordinates, nil where it reads none
	ready  int          // place in the block from which on it can be made
	placed bool
}

// coords is what a register holds: numbers, and the values that have them.
type coords struct {
	number, value [4]*ir.Value
}

// newPlan looks for the fetches of b, nil if there are none that share anything.
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
			t.in.Src[s].Each(func(i int, l *ir.Lane) {
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

// gathers reports whether the coordinates of in are values without modifiers, some of them
// computed.
func gathers(in *ir.Instr) bool {
	n, computed := 0, false
	plain := true
	in.Src[0].Each(func(_ int, l *ir.Lane) {
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

// rewrite gives the block its new code. Instructions that nothing reads any more are
// swept by the caller.
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

// reach makes fetch t at place at of the block, after those of the later ones that the order
// puts before it.
func (p *plan) reach(t *tap, later []*tap, at int) {
	for !t.placed {
		from, cost := p.nearest(t)
		if u := p.before(t, from, cost, later, at); u != nil {
			p.make(u, from)
			continue
		}
		if cost == p.changes(&coords{}, t) {
			from = -1 // no coordinate stays
		}
		p.make(t, from)
	}
}

// nearest is the register from which fetch t changes least, of several the last; -1 if there
// is none.
func (p *plan) nearest(t *tap) (best, cost int) {
	best = -1
	for i := range p.held {
		if n := p.changes(&p.held[i], t); best < 0 || n <= cost {
			best, cost = i, n
		}
	}
	return best, cost
}

// before is the first of the later fetches that is to be made before t, from the
// register from; nil if there is none. It can be made at place at, where all its
// operands are defined. "On the way" means that going by u costs no more than going
// straight to t.
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
		mid := p.held[from].with(u)
		if m := p.changes(&mid, t); n+m <= cost && m < cost {
			return u
		}
	}
	return first
}

// with is what c holds once it has the coordinates of t.
func (c coords) with(t *tap) coords {
	for i, n := range t.want {
		if n != nil {
			c.number[i] = n
		}
	}
	return c
}

// changes counts the instructions that make the coordinates of t from what c holds.
func (p *plan) changes(c *coords, t *tap) (n int) {
	var kinds [4]kind
	for i, w := range t.want {
		if w == nil || c.number[i] == w {
			continue
		}
		if k := p.kind(w); k.alone || !slices.Contains(kinds[:n], k) {
			kinds[n] = k
			n++
		}
	}
	return n
}

// make places fetch t, whose coordinates come to be in register r, or a new one.
func (p *plan) make(t *tap, r int) {
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

// compute returns a value like v, in that lane, from an instruction of its own or, if that
// will do, one of those from first on.
func (p *plan) compute(v *ir.Value, lane, first int) *ir.Value {
	how, from := p.recipe(v)
	if how == nil {
		return v
	}
	k := kindOf(how, from)
	for _, in := range p.out[first:] {
		if !k.alone && kindOf(in, someLane(in)) == k && p.join(in, lane, how, from) {
			return p.define(in, lane, v)
		}
	}
	in := new(ir.Instr)
	*in = *how
	in.Out, in.Src = [4]*ir.Value{}, slices.Clone(how.Src)
	if !k.alone {
		clear(in.Src)
		p.join(in, lane, how, from)
	}
	p.out = append(p.out, in)
	p.computed++
	return p.define(in, lane, v)
}

// define makes in write another value like v.
func (p *plan) define(in *ir.Instr, lane int, v *ir.Value) *ir.Value {
	home := ir.Reg{}
	if !v.IsLeaf() {
		home = v.Home
		home.Comp = uint8(lane)
	}
	return p.f.Define(in, lane, home)
}

// join makes in compute, as one more lane, lane from of how, if one statement can.
func (p *plan) join(in *ir.Instr, lane int, how *ir.Instr, from int) bool {
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

// someLane is a lane that in writes.
func someLane(in *ir.Instr) int { return bits.TrailingZeros8(in.Mask()) }
