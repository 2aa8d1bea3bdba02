package groupfetch

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the grouping of fetches.
var Pass = &passes.Pass{
	Name: "group-fetches",
	Doc: `bring fetches together, those of one resource next to each other

In straight-line code, fetches move up to the first of their group, and what computes
their coordinates moves before them. In a group, fetches of one resource follow each
other, resources in the order in which they first appear: of an unrolled matrix
product all of B, then all of A. Runs from one resource meet lines of the cache that
the one before has brought; a full clause waits once for all its fetches. The price is
registers: what is fetched early waits.

window=N gathers N fetches in a group; window=0 tries whole blocks, then 32, 16 and 8
fetches, and keeps what the cost model likes best, or the code as it is.

Nothing moves across a branch, a loop, a break, a discarded invocation, a fence or a
store. A fetch whose coordinates need a fetch of its group, a read of memory or of an
indexed register, or a conditional write begins a group of its own.`,
	Class:   passes.Terms,
	Options: []passes.Option{{Name: "window", Default: "0", Doc: "fetches to a group, 0 to try"}},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		window := c.Int("window")
		if window == 0 && c.Measure != nil {
			var err error
			if window, err = best(c, u); err != nil || window < 0 {
				return err
			}
		}
		explain(c, u, window)
		group(u, window, c.Step)
		return nil
	},
}

// windows are what window=0 tries; 0 is without bound.
var windows = []int{0, 32, 16, 8}

// best is the window that costs least, -1 if none costs less than the code as it is.
func best(c *passes.Ctx, u *passes.Unit) (window int, err error) {
	least, err := c.Measure(u)
	if err != nil {
		return -1, err
	}
	window = -1
	for _, n := range windows {
		t := u.Clone()
		if !group(t, n, func(*ir.Instr) bool { return true }) {
			continue
		}
		if cost, err := c.Measure(t); err == nil && cost.Less(least) {
			window, least = n, cost
		}
	}
	if window < 0 {
		c.Remarkf(asm.Pos{}, "cost", "no fetches are grouped: nothing tried costs less")
	}
	return window, nil
}

// group gathers fetches n at a time, or all of a block if n is 0, where step agrees, and
// reports whether that changes anything.
func group(u *passes.Unit, n int, step func(*ir.Instr) bool) (changed bool) {
	eachBlock(u, func(code []*ir.Instr, _ *ir.Instr) {
		b := newBlock(code, n)
		if plans := b.plans(nil); len(plans) > 0 && step(code[plans[0].at]) {
			b.apply(plans)
			changed = true
		}
	})
	return changed
}

// explain remarks on fetches that have to stay apart.
func explain(c *passes.Ctx, u *passes.Unit, n int) {
	apart := false // the block before has fetches, and a boundary follows it
	eachBlock(u, func(code []*ir.Instr, before *ir.Instr) {
		newBlock(code, n).plans(func(in *ir.Instr) {
			c.Remarkf(in.Pos, "dependent", "this fetch begins a group: where it looks is known only after those before")
		})
		has := slices.ContainsFunc(code, func(in *ir.Instr) bool { return in.Op.Has(ir.IsFetch) })
		if has && apart && before != nil {
			c.Remarkf(before.Pos, "boundary", "fetches do not move across this")
		}
		apart = has || apart && before != nil && !has
	})
}

// eachBlock calls visit for the runs of instructions that nothing divides, and with what
// comes before each.
func eachBlock(u *passes.Unit, visit func(code []*ir.Instr, before *ir.Instr)) {
	for _, f := range u.Funcs() {
		var walk func(r *ir.Region, before *ir.Instr)
		walk = func(r *ir.Region, before *ir.Instr) {
			from := 0
			for i, in := range r.Code {
				if !isBoundary(in) {
					continue
				}
				visit(r.Code[from:i], before)
				for _, sub := range in.Sub {
					walk(sub, in)
				}
				from, before = i+1, in
			}
			visit(r.Code[from:], before)
		}
		walk(f.Body, nil)
	}
}

func isBoundary(in *ir.Instr) bool { return in.Op.Has(ir.Structured) || in.Op.Has(ir.Effect) }

// block is a run of instructions that nothing divides.
type block struct {
	code   []*ir.Instr
	window int
	index  map[*ir.Instr]int
}

func newBlock(code []*ir.Instr, window int) *block {
	b := &block{code, window, make(map[*ir.Instr]int, len(code))}
	for i, in := range code {
		b.index[in] = i
	}
	return b
}

// plan is what goes where the first fetch of a group is: first what computes
// coordinates, then the fetches.
type plan struct {
	at      int
	slice   []int
	fetches []int
}

// plans lists the groups of b, none if nothing would move. It calls dependent, if that
// is not nil, with fetches that cannot join those before.
func (b *block) plans(dependent func(*ir.Instr)) (list []plan) {
	var p plan
	moved := map[int]bool{}
	changed := false
	end := func() {
		if len(p.fetches) > 1 {
			changed = b.order(&p) || changed
			list = append(list, p)
		}
	}
	for i, in := range b.code {
		if !in.Op.Has(ir.IsFetch) {
			continue
		}
		if len(p.fetches) > 0 && (b.window == 0 || len(p.fetches) < b.window) {
			if slice, ok := b.slice(in, p.at, moved); ok {
				for _, s := range slice {
					moved[s] = true
				}
				p.slice = append(p.slice, slice...)
				p.fetches = append(p.fetches, i)
				continue
			}
			if dependent != nil {
				dependent(in)
			}
		}
		end()
		p = plan{at: i, fetches: []int{i}}
	}
	if end(); !changed {
		return nil
	}
	return list
}

// slice lists what must move before at for in to move there, in order.
func (b *block) slice(in *ir.Instr, at int, moved map[int]bool) (list []int, ok bool) {
	seen := map[int]bool{}
	ok = true
	var need func(in *ir.Instr)
	need = func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) {
			i, here := b.index[l.V.Def]
			if l.V.Def == nil || !here || i < at || seen[i] || moved[i] || !ok {
				return
			}
			d := b.code[i]
			if !d.Op.HasFormula() || d.IsPredicated() || d.Op.Has(ir.Convergent) || d.Op == ir.OpMova || d.Op == ir.OpMovaFloor {
				ok = false
				return
			}
			seen[i] = true
			list = append(list, i)
			need(d)
		})
	}
	need(in)
	return list, ok
}

// order puts a group in order and reports whether that, or gathering it, moves anything.
func (b *block) order(p *plan) bool {
	slices.Sort(p.slice)
	first := map[uint8]int{}
	for _, i := range p.fetches {
		if unit := b.code[i].Res.Unit; first[unit] == 0 {
			first[unit] = len(first) + 1
		}
	}
	was := slices.Clone(p.fetches)
	slices.SortStableFunc(p.fetches, func(x, y int) int {
		return cmp.Compare(first[b.code[x].Res.Unit], first[b.code[y].Res.Unit])
	})
	return !slices.Equal(was, p.fetches) || was[len(was)-1]-was[0] >= len(was)
}

// apply rebuilds the block.
func (b *block) apply(plans []plan) {
	gone := make([]bool, len(b.code))
	for _, p := range plans {
		for _, i := range slices.Concat(p.slice, p.fetches) {
			gone[i] = true
		}
	}
	out := make([]*ir.Instr, 0, len(b.code))
	for i, in := range b.code {
		if len(plans) > 0 && plans[0].at == i {
			for _, k := range slices.Concat(plans[0].slice, plans[0].fetches) {
				out = append(out, b.code[k])
			}
			plans = plans[1:]
		}
		if !gone[i] {
			out = append(out, in)
		}
	}
	copy(b.code, out)
}
