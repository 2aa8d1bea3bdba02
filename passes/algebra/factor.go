package algebra

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Factor is the pass "factor".
var Factor = &passes.Pass{
	Name: "factor",
	Doc: `multiply once by factors that several products share

For (x*u)*k and (y*u)*k it computes the product u*k once. Instead of a vector that is scaled or normalized for a
single dot product, it scales the dot product. Clamped or predicated instructions, values with other readers and code
that feeds a position stay. It keeps the rewrites of a kind only if they save slots.`,
	Class: passes.Real,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		// Each rewrite is tried separately: find lists the instructions to rewrite, take rewrites a copy. A
		// shared product lives longer, so if registers are too few for all of them, half as many are tried,
		// and so on.
		for _, way := range []struct {
			what  string
			tries int
			find  func(*factorer) []*ir.Instr
			take  func(*factorer)
		}{
			{"a product is shared", maxTries, (*factorer).common, (*factorer).share},
			{"scaled after the dot product", 1, (*factorer).scaled, (*factorer).unscale},
		} {
			for i := range u.Funcs() {
				found := way.find(&factorer{c: c, f: u.Funcs()[i], most: math.MaxInt})
				if len(found) == 0 {
					continue
				}
				before, err := c.Measure(u)
				if err != nil {
					before = passes.Unfit
				}
				for most, tries := len(found), 0; most > 0 && tries < way.tries; most, tries = most/2, tries+1 {
					t := c.TrialOf(u, i)
					way.take(&factorer{c: c, f: t.Funcs()[i], most: most})
					if after, err := c.Measure(t); err == nil && after.Less(before) {
						if c.ShouldRewrite(found[0], shared, way.what) {
							c.Adopt(u, t)
						}
						break
					}
				}
			}
		}
		return nil
	},
}

// maxTries bounds how often fewer products are shared, since each takes a register from its first reader to
// its last.
const maxTries = 4

// shared is the code of the pass's rewrites.
const shared = "factored"

// factorer rewrites one function. Each attempt uses a new one.
type factorer struct {
	c    *passes.Ctx
	f    *ir.Func
	most int     // largest number of products to share in a region, those with most readers first
	uses []int32 // by value: lanes that read it, nil until the first use
}

// op returns op with the rules of IEEE 754 where the function multiplies by them.
func (x *factorer) op(op ir.Op) ir.Op { return opIn(usesIEEE(x.f), op) }

// opIn returns op, or the same op with the rules of IEEE 754.
func opIn(ieee bool, op ir.Op) ir.Op {
	if ieee {
		return op.IEEE()
	}
	return op
}

// usesIEEE reports whether products or dot products of f have the rules of IEEE 754.
func usesIEEE(f *ir.Func) (ieee bool) {
	f.Walk(func(in *ir.Instr) {
		switch in.Op.Legacy() {
		case ir.OpMul, ir.OpMad, ir.OpDp2, ir.OpDp3, ir.OpDp4, ir.OpDp2Add:
			ieee = ieee || in.Op != in.Op.Legacy()
		}
	})
	return ieee
}

// maker returns the instruction with one of ops whose results only o reads, and the modifier under which o
// reads them. The caller may do its work in the reader: the instruction dies, and no other reader changes.
// All lanes of o must come from it under one modifier, which must be a sign: an absolute value cannot be
// moved past a sum.
func (x *factorer) maker(o *ir.Operand, ops ...ir.Op) (by *ir.Instr, mod ir.LaneMod) {
	if def := first(o).V.Def; def == nil || !slices.Contains(ops, def.Op.Legacy()) {
		return nil, 0
	}
	if x.uses == nil {
		x.uses = x.f.UseCounts()
	}
	read := int32(0)
	for _, l := range o {
		if l.V == nil {
			continue
		}
		if by != nil && (l.V.Def != by || l.Mod != mod) || l.V.Def == nil || l.V.Def.Out[l.V.Lane] != l.V ||
			x.uses[l.V.ID] != 1 {
			return nil, 0
		}
		by, mod = l.V.Def, l.Mod
		read++
	}
	if mod&ir.Abs != 0 || by.Mods&ir.Sat != 0 || by.IsPredicated() || !x.c.Allows(passes.Real, by) {
		return nil, 0
	}
	// o must read all its results, or another reader is left.
	for _, v := range by.Out {
		if v != nil {
			read -= x.uses[v.ID]
		}
	}
	for s := range by.Src {
		for _, l := range by.Src[s] {
			if l.V != nil && l.V.IsLoaded() {
				return nil, 0 // its address may change in between
			}
		}
	}
	if read != 0 {
		return nil, 0
	}
	return by, mod
}

// through returns source s of def as the lanes of o select it. def is lane-wise.
func through(o *ir.Operand, def *ir.Instr, s int) (out ir.Operand) {
	for i, l := range o {
		if l.V != nil {
			out[i] = def.Src[s][l.V.Lane]
		}
	}
	return out
}

// apply applies a modifier to all lanes of o.
func apply(o ir.Operand, m ir.LaneMod) ir.Operand {
	o.EachLane(func(_ int, l *ir.Lane) { l.Mod = l.Mod.ComposeWith(m) })
	return o
}
