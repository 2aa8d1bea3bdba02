package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// exhaustive finds the fewest groups for a block of units by trying every choice of units, slots
// and channels for every group.
type exhaustive struct {
	p     *packer
	units []*mir.ALU
	needs [][]int // units whose results each unit reads
	depth []int   // longest path from each unit on, in groups
	when  []int   // group of each unit, or -1
	now   int
	steps int
}

const maxSearch = 30_000

// fewest returns the smallest number of groups below most that the block fits into, or most. It
// gives up, reporting false, if the search takes too long.
func fewest(c *mir.Code, t *chip.Target, most int) (int, bool) {
	x := &exhaustive{}
	writer := map[mir.Val]int{}
	for _, it := range c.Body {
		u, ok := it.(*mir.ALU)
		if !ok {
			continue
		}
		var needs []int
		mir.EachUse(u, func(v mir.Val) {
			if w, ok := writer[v]; ok && !slices.Contains(needs, w) {
				needs = append(needs, w)
			}
		})
		mir.EachDef(u, func(v mir.Val) { writer[v] = len(x.units) })
		x.units = append(x.units, u)
		x.needs = append(x.needs, needs)
	}
	x.depth = make([]int, len(x.units))
	slots, trans := 0, 0
	for i := len(x.units) - 1; i >= 0; i-- {
		x.depth[i] = max(x.depth[i], 1)
		for _, n := range x.needs[i] {
			x.depth[n] = max(x.depth[n], x.depth[i]+1)
		}
		slots += len(x.units[i].Slots)
		if x.units[i].Slots[0].Op.Slots(t.Family) == r600.Trans {
			trans++
		}
	}
	least := max((slots+4)/5, trans, slices.Max(x.depth))
	for n := least; n < most; n++ {
		x.p = new(packer)
		x.p.start(c, t, true)
		x.p.begin()
		x.when = slices.Repeat([]int{-1}, len(x.units))
		x.now = 0
		if x.groups(n, len(x.units)) {
			return n, true
		}
		if x.steps > maxSearch {
			return most, false
		}
	}
	return most, true
}

// groups fills up to n more groups with the remaining units.
func (x *exhaustive) groups(n, left int) bool {
	if left == 0 {
		return true
	}
	for i := range x.units {
		if x.when[i] < 0 && x.depth[i] > n {
			return false
		}
	}
	return n > 0 && x.fill(0, n, left)
}

// fill adds units from i on to the open group, or closes it.
func (x *exhaustive) fill(i, n, left int) bool {
	if x.steps++; x.steps > maxSearch {
		return false
	}
	for ; i < len(x.units); i++ {
		if x.when[i] >= 0 || !x.ready(i) {
			continue
		}
		for _, pl := range x.placements(x.units[i]) {
			g, chans := x.p.g, slices.Clone(x.p.chans)
			if !x.p.operands(x.units[i]) || !x.p.place(x.units[i], pl) {
				x.p.g = g
				continue
			}
			x.when[i] = x.now
			if x.fill(i+1, n, left-1) {
				return true
			}
			x.when[i] = -1
			x.p.g, x.p.chans = g, chans
		}
	}
	if x.p.g.used == 0 {
		return false
	}
	before := *x.p
	results := slices.Clone(x.p.result)
	chans := slices.Clone(x.p.chans)
	x.p.finish()
	x.now++
	if x.groups(n-1, left) {
		return true
	}
	x.now--
	*x.p = before
	x.p.result, x.p.chans = results, chans
	return false
}

func (x *exhaustive) ready(i int) bool {
	for _, n := range x.needs[i] {
		if x.when[n] < 0 || x.when[n] == x.now {
			return false
		}
	}
	return true
}

// placements returns every way to place a unit.
func (x *exhaustive) placements(u *mir.ALU) (all []placement) {
	class := u.Slots[0].Op.Slots(x.p.t.Family)
	switch class {
	case r600.Quad:
		if !u.Slots[0].Op.Reduces() {
			return []placement{{n: 4, slots: [4]int8{0, 1, 2, 3}, chans: [4]int8{0, 1, 2, 3}}}
		}
		for ch := range int8(4) {
			var to [4]mir.Val
			for i := range u.Slots {
				if v := u.Slots[i].Dst; v != 0 {
					to[ch] = v
					if !x.p.mayTake(v, ch) {
						to[ch] = 0
					}
				}
			}
			if to[ch] != 0 {
				all = append(all, placement{n: 4, slots: [4]int8{0, 1, 2, 3}, chans: [4]int8{0, 1, 2, 3}, results: &to})
			}
		}
		return all
	case r600.Pair:
		return []placement{
			{n: 2, slots: [4]int8{0, 1}, chans: [4]int8{0, 1}},
			{n: 2, slots: [4]int8{2, 3}, chans: [4]int8{2, 3}},
		}
	}
	for ch := range int8(4) {
		if class != r600.Trans {
			all = append(all, placement{n: 1, slots: [4]int8{ch}, chans: [4]int8{ch}})
		}
	}
	for ch := range int8(4) {
		if class != r600.Vector {
			all = append(all, placement{n: 1, slots: [4]int8{r600.T}, chans: [4]int8{ch}})
		}
	}
	return all
}

// TestAgainstExhaustive compares the list scheduler with the optimum on small blocks.
func TestAgainstExhaustive(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"rv670", "rv770"} {
		target, _ := chip.ByName(name)
		ours, best, blocks, worse := 0, 0, 0, 0
		for n := 0; blocks < testcorpus.Count(100, 200); n++ {
			rnd := rand.New(rand.NewPCG(uint64(n), 11))
			c := block(rnd, target.Family, 5+rnd.IntN(6))
			s, err := Schedule(c, target, Options{})
			if err != nil {
				t.Fatal(err)
			}
			most := s.Stats.Groups
			if s.Stats.Ops != slotCount(c) {
				continue // an operation that fits no group was split
			}
			least, done := fewest(c, target, most)
			if !done {
				continue
			}
			blocks++
			ours += most
			best += least
			if least < most {
				worse++
			}
		}
		t.Logf("%s: %d groups, best %d; %d of %d blocks worse than the best", name, ours, best, worse, blocks)
		if 100*ours > 105*best {
			t.Errorf("%s: %d groups, more than 5%% above %d", name, ours, best)
		}
	}
}

// block returns straight-line code without redefinitions. It exports values that nothing reads,
// since they would otherwise be removed.
func block(rnd *rand.Rand, f r600.Family, n int) *mir.Code {
	g := newCoder(rnd, f, n)
	for i := range 6 {
		g.vals = append(g.vals, g.c.Input(1+i/3, i%4))
	}
	for range n {
		u := g.unit()
		for i := range u.Slots {
			for j := range u.Slots[i].Args {
				u.Slots[i].Args[j].Rel = 0
			}
		}
		g.c.Body = append(g.c.Body, u)
	}
	return g.c
}

func slotCount(c *mir.Code) int {
	n := 0
	for _, it := range c.Body {
		n += len(it.(*mir.ALU).Slots)
	}
	return n
}
