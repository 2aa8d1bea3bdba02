package vectorize

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pack is the pass "pack".
var Pack = &passes.Pass{
	Name: "pack",
	Doc: `compute chains of operations on single components together, as vectors

It joins two to four independent instructions that do the same operation on single components, and the alike
instructions that compute their operands. Moves bring other operands into one register. It keeps only joins that save
slots. Predicated instructions and blocks of more than 1024 instructions stay.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for k, f := range u.Funcs() {
			if c.Settled(k) {
				continue
			}
			p := &chainPacker{c: c, u: u, k: k, vain: map[string]int{}}
			for r := range regionsOf(f) {
				p.region(r)
			}
		}
		return nil
	},
}

// longest bounds the length of the code, since all transitive dependences are stored. maxWork bounds the
// attempts, counted in priced instructions.
const (
	longest = 1024
	maxWork = 1 << 14
)

// patience is the number of unprofitable prices for packs of one shape in a kernel. Packs of one shape save
// equally many instructions and take equally many moves. They differ in how the slots around them fill, and
// one price takes a compiler run. Shaders have no limit, because their prices are counts.
const patience = 4

// chainPacker packs function k of a unit.
type chainPacker struct {
	c       *passes.Ctx
	u       *passes.Unit
	k       int
	before  *passes.Cost   // of the unit, nil until the first use
	regions []*ir.Region   // of the function, nil after it was replaced
	vain    map[string]int // number of unprofitable packs by shape
}

// regionsOf lists the regions of f.
func regionsOf(f *ir.Func) (list []*ir.Region) {
	f.EachRegion(func(r *ir.Region) { list = append(list, r) })
	return list
}

// currentRegion returns region r of the current function.
func (p *chainPacker) currentRegion(r int) *ir.Region {
	if p.regions == nil {
		p.regions = regionsOf(p.u.Funcs()[p.k])
	}
	return p.regions[r]
}

// adoptIfCheaper prices t, and adopts it if it costs less than the unit and in may be rewritten. Every pack is priced
// separately.
func (p *chainPacker) adoptIfCheaper(t *passes.Unit, in *ir.Instr) bool {
	if p.before == nil {
		before, err := p.c.Measure(p.u)
		if err != nil {
			before = passes.Unfit
		}
		p.before = &before
	}
	after, err := p.c.Measure(t)
	if err != nil || !p.saves(after) || !p.c.ShouldRewrite(in, packed, "computed together with others") {
		return false
	}
	p.c.Adopt(p.u, t)
	p.before, p.regions = &after, nil
	return true
}

// saves reports whether a unit that costs after is cheaper. If prices count slots, only slots count: adjacent
// texture reads do not justify splitting instructions that later passes would have joined.
func (p *chainPacker) saves(after passes.Cost) bool {
	before := *p.before
	if p.c.Static && before != passes.Unfit {
		return passes.Cost{after[0], after[1]}.Less(passes.Cost{before[0], before[1]})
	}
	return after.Less(before)
}

// packed is the code of the pass's rewrites.
const packed = "packed"

// region makes profitable packs in region r: from the last instruction up, widest packs first, as those save
// most.
func (p *chainPacker) region(r int) {
	c, code := p.c, p.currentRegion(r)
	if len(code.Code) > longest || !c.Spend(len(code.Code)) {
		return
	}
	g, work := newGraph(code), 0
	tried := map[[4]int32]bool{} // for the current code
	// try packs list, and reports whether that pays.
	try := func(list []int32) bool {
		if work > maxWork || c.Stopped() || !g.planPacks(list) {
			return false
		}
		work += len(g.code)
		pack := [4]int32{-1, -1, -1, -1}
		if copy(pack[:], list); tried[pack] {
			return false
		}
		tried[pack] = true
		shape := g.shape()
		if p.vain[shape] == patience && p.u.Kernel != nil {
			return false
		}
		t := c.TrialOf(p.u, p.k)
		if !c.Spend(len(g.code)) || !g.apply(regionsOf(t.Funcs()[p.k])[r]) || !p.adoptIfCheaper(t, g.code[list[0]]) {
			p.vain[shape]++
			return false
		}
		clear(tried)
		g = newGraph(p.currentRegion(r))
		return true
	}
	for i := len(g.code) - 1; i >= 0; i = min(i-1, len(g.code)-1) {
		near, loose := g.alike(int32(i), true), g.alike(int32(i), false)
		for width := 4; width > 1; width-- {
			if len(near) >= width && try(near[len(near)-width:]) ||
				len(loose) >= width && !slices.Equal(near, loose) && try(loose[len(loose)-width:]) {
				i += 2 // others may still be packed with it
				break
			}
		}
	}
}
