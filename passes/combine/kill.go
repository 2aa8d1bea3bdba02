package combine

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// kill replaces a kill on choices between constants by a kill on their conditions.
//
//	cmp r0, r1.x, c0.x, c0.y   ; 0, -1     add r1, ...
//	texkill r0                        ->    texkill r1
//
// A choice u >= 0 ? p : q with p >= 0 and q < 0 is negative where u is. A sum of choices whose p is 0 is negative
// where any of their conditions is. A kill tests all its lanes, so it can test several conditions. It reads one
// register without a swizzle: the instructions that compute the conditions write the lanes that are missing.
func (c *combiner) kill(in *ir.Instr) bool {
	t := &killTest{combiner: c, in: in}
	lanes := 0
	for _, l := range in.Src[0] {
		if l.V != nil {
			lanes++
			t.add(l)
		}
	}
	if len(t.through) == 0 || len(t.lanes) == 0 || len(t.lanes) > lanes || !t.place() {
		return false
	}
	if c.doing = "made a test of its conditions"; !c.shouldRewrite(in) {
		return false
	}
	old, src := in.Src, in.Src[0]
	for i, by := range t.at {
		if by.V == nil {
			continue
		}
		if src[i] = by; by.V.Def.Out[i] != by.V {
			src[i].V = c.writeAlso(by.V, i)
		}
	}
	to := withOp(in, in.Op, in.Mods, src)
	c.replace(in, to)
	c.takeDead(in, old)
	return true
}

// killTest is a set of lanes: a fragment is killed where any of them is negative.
type killTest struct {
	*combiner
	in      *ir.Instr
	lanes   []ir.Lane
	through []*ir.Instr // the instructions that it looked through
	at      [4]ir.Lane  // the lane that each lane of the kill tests
}

// add adds the conditions under which l is negative.
func (t *killTest) add(l ir.Lane) {
	before, through := len(t.lanes), len(t.through)
	if t.look(l, false) {
		return
	}
	t.lanes, t.through = t.lanes[:before], t.through[:through]
	if !slices.Contains(t.lanes, l) {
		t.lanes = append(t.lanes, l)
	}
}

// look adds the conditions under which l is negative, if l is computed from choices. A part of a sum must be
// zero where it is not negative.
func (t *killTest) look(l ir.Lane, part bool) bool {
	d := l.V.Def
	if d == nil || d.Out[l.V.Lane] != l.V || d.IsPredicated() || d.Mods != 0 || l.Mod&ir.Abs != 0 ||
		!t.onlyReaders(d) {
		return false
	}
	source := func(k int, mod ir.LaneMod) ir.Lane {
		s := d.Src[k][l.V.Lane]
		s.Mod = s.Mod.ComposeWith(mod)
		return s
	}
	t.through = append(t.through, d)
	switch d.Op {
	case ir.OpAdd:
		return t.look(source(0, l.Mod), true) && t.look(source(1, l.Mod), true)
	case ir.OpCmp:
		p, ok1 := literal(source(1, l.Mod))
		q, ok2 := literal(source(2, l.Mod))
		if !ok1 || !ok2 || q >= 0 || p < 0 || part && p != 0 {
			return false
		}
		t.add(source(0, 0))
		return true
	}
	return false
}

// onlyReaders reports whether only the kill and the instructions that the test looked through read d.
func (t *killTest) onlyReaders(d *ir.Instr) bool {
	read := t.readsOf(d) - readsFrom(t.in, d)
	for i, by := range t.through {
		if !slices.Contains(t.through[:i], by) {
			read -= readsFrom(by, d)
		}
	}
	return read == 0 && (d.Precise == t.in.Precise)
}

// place assigns a condition to each lane of the kill, each at least once. Conditions stay in their components
// where possible.
func (t *killTest) place() bool {
	used := make([]bool, len(t.lanes))
	for k, l := range t.lanes {
		d := l.V.Def
		if d == nil || l.Mod != 0 || d.Out[l.V.Lane] != l.V {
			return false
		}
		if t.in.Src[0][l.V.Lane].V != nil && t.at[l.V.Lane].V == nil {
			t.at[l.V.Lane], used[k] = l, true
		}
	}
	for i := range t.at {
		if t.in.Src[0][i].V == nil || t.at[i].V != nil {
			continue
		}
		k := max(slices.Index(used, false), 0)
		if !t.canWiden(t.lanes[k].V, i) {
			return false
		}
		t.at[i], used[k] = t.lanes[k], true
	}
	return !slices.Contains(used, false)
}

// canWiden reports whether the instruction that computes v can also write it to lane i.
func (c *combiner) canWiden(v *ir.Value, i int) bool {
	d := v.Def
	if !d.Op.HasFormula() || d.Op.Info().Shape == ir.Positional || d.IsPredicated() || d.Out[i] != nil || c.dead[d] {
		return false
	}
	to := *d
	to.Out[i], to.Src = v, slices.Clone(d.Src)
	copyLane(&to, int(v.Lane), i)
	return c.legal(&to)
}

// writeAlso makes the instruction that computes v write it to lane i too.
func (c *combiner) writeAlso(v *ir.Value, i int) *ir.Value {
	d := v.Def
	home := v.Home
	home.Comp = uint8(i)
	w := c.f.Define(d, i, home)
	copyLane(d, int(v.Lane), i)
	d.Orig = -1
	c.grow()
	for s := range d.Src {
		if l := d.Src[s][i]; l.V != nil && d.Op.Info().Shape == ir.Lanewise {
			c.reads[l.V.ID]++
		}
	}
	return w
}

// copyLane makes lane i of a lanewise instruction compute the same as lane from.
func copyLane(in *ir.Instr, from, i int) {
	if in.Op.Info().Shape == ir.Lanewise {
		for s := range in.Src {
			in.Src[s][i] = in.Src[s][from]
		}
	}
}
