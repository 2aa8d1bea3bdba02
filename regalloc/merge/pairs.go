package merge

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// alike is a key: instructions of a region with equal keys are candidates to be combined. They are
// independent, since all have the same distance from the start of the region. Their results have
// the same kind of reader.
type alike struct {
	op    ir.Op
	mods  ir.Mods
	level int32
	use   ir.Op // the first operation that reads the result
	out   bool  // passed on as a block argument
	// kinds holds the kind of the first lane of each source.
	kinds [3]ir.Kind
	// fixed holds the registers of sources that are leaves.
	fixed [3]ir.Reg
}

// pairer joins the registers of instructions that are alike.
type pairer struct {
	*bins
	level  []int32      // by value: longest chain of instructions of its region that leads to it
	home   []*ir.Region // by value: the region that defines it
	reader []ir.Op      // by value: the first operation that reads it
	out    []bool       // by value: passed on as a block argument
	mixed  func(*ir.Instr)

	together int // instructions that were joined with others
}

// pairs joins the operands and results of instructions that are alike, and counts the instructions.
// It calls mixed with instructions that differ from another one only in precision. It is greedy in
// program order: an instruction joins the last one that is alike and has free lanes.
//
//	i = i + 1;  j = j + 1 in a loop      i and j in .x and .y of one register, so one add
func (b *bins) pairs(mixed func(*ir.Instr)) int {
	if !b.free {
		return 0 // components would have to suit every reader
	}
	n := b.f.NumValues()
	p := &pairer{bins: b, level: make([]int32, n), home: make([]*ir.Region, n), reader: make([]ir.Op, n),
		out: make([]bool, n), mixed: mixed}
	seen := make([]bool, n)
	b.f.Walk(func(in *ir.Instr) {
		reads(in, func(v *ir.Value) {
			if !seen[v.ID] {
				seen[v.ID], p.reader[v.ID] = true, in.Op
			}
		})
	})
	eachHanded(b.f, func(from, to *ir.Value) {
		if !from.IsLeaf() {
			p.out[from.ID] = true
		}
	})
	b.f.EachRegion(p.region) // inner ones first
	return p.together
}

// region pairs the instructions of r. The level of a value is the length of the longest chain of
// instructions of r that leads to it.
func (p *pairer) region(r *ir.Region) {
	for _, in := range r.Code {
		in.EachDef(func(v *ir.Value) { p.home[v.ID] = r })
	}
	open := map[alike]*ir.Instr{}
	for _, in := range r.Code {
		level := int32(0)
		reads(in, func(v *ir.Value) {
			if p.home[v.ID] == r {
				level = max(level, p.level[v.ID])
			}
		})
		in.EachDef(func(v *ir.Value) { p.level[v.ID] = level + 1 })
		if in.Mask() == 0 || !permutable(in) || in.Op.Info().Shape != ir.Lanewise || in.Op.Has(ir.Convergent) ||
			len(in.Src) > 3 {
			continue
		}
		k := p.joinKey(in, level)
		other := open[k]
		half := k
		half.mods ^= ir.Half
		if open[half] != nil {
			p.mixed(in)
		}
		if other == nil || bits.OnesCount8(in.Mask())+bits.OnesCount8(other.Mask()) > 4 || !p.bring(other, in) {
			open[k] = in
			continue
		}
		p.together++
		if bits.OnesCount8(in.Mask())+bits.OnesCount8(other.Mask()) == 4 {
			delete(open, k)
		}
	}
}

func first(o *ir.Operand) *ir.Value {
	for _, l := range o {
		if l.V != nil {
			return l.V
		}
	}
	return nil
}

// joinKey returns the properties that must agree for in to be joined with others.
func (p *pairer) joinKey(in *ir.Instr, level int32) alike {
	k := alike{op: in.Op, mods: in.Mods, level: level}
	for _, v := range in.Out {
		if v != nil {
			k.use, k.out = p.reader[v.ID], p.out[v.ID]
			break
		}
	}
	for s := range in.Src {
		if v := first(&in.Src[s]); v != nil {
			k.kinds[s] = v.Kind
			switch {
			case !v.IsLeaf():
				k.kinds[s] = ir.Result
			case v.Kind != ir.Literal:
				k.fixed[s] = v.Home
				k.fixed[s].Comp = 0
			}
		}
	}
	return k
}

// bring joins the webs of the results of x and y, and those of their sources, if possible. Sources
// that cannot share a register keep theirs; the instructions may then remain separate.
func (p *pairer) bring(x, y *ir.Instr) bool {
	vx, vy := outOf(x), outOf(y)
	if !p.webs.Join(int32(vx.ID), int32(vy.ID)) {
		return false
	}
	for s := range x.Src {
		a, b := first(&x.Src[s]), first(&y.Src[s])
		if a != nil && b != nil && p.known(a) && p.known(b) {
			p.webs.Join(int32(a.ID), int32(b.ID))
		}
	}
	return true
}

func outOf(in *ir.Instr) *ir.Value {
	for _, v := range in.Out {
		if v != nil {
			return v
		}
	}
	return nil
}
