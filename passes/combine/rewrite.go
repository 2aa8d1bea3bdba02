package combine

import (
	"go/constant"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// legal reports whether in can be written without a move: otherwise the rewrite may cost as much as it saves.
func (c *combiner) legal(in *ir.Instr) bool {
	if d := c.f.Dialect; !d.Supports(in.Op) || !d.Encodable(in) {
		return false
	}
	for s := range in.Src {
		from := [4]int8{-1, -1, -1, -1}
		leaf, temp := false, false
		for i, l := range in.Src[s] {
			switch {
			case l.V == nil:
			case l.V.Kind == ir.Undef:
				return false // the contents of some register, and another statement may use another register for it
			case isLeaf(l.V):
				leaf = true
			default:
				temp = true
				from[i] = int8(l.V.ReadComponent())
			}
		}
		if leaf && temp || temp && !(in.Src[s].Together() && c.swizzles.CanRead(in.Op, s, from)) {
			return false
		}
	}
	return true
}

// become replaces in by to, if that can be written and a step is granted. Out stays.
func (c *combiner) become(in *ir.Instr, to ir.Instr) bool {
	c.doing = "made " + to.Op.String()
	if !c.legal(&to) || !c.shouldRewrite(in) {
		return false
	}
	old := in.Src
	c.replace(in, to)
	c.takeDead(in, old)
	return true
}

// takeDead merges the locations of dead operands into in, which does their work.
func (c *combiner) takeDead(in *ir.Instr, src []ir.Operand) {
	for s := range src {
		for _, l := range src[s] {
			if l.V != nil && l.V.Def != nil && c.dead[l.V.Def] {
				in.TakeIn(l.V.Def, merged)
				c.takeDead(in, l.V.Def.Src)
			}
		}
	}
}

// merged is the code of all rewrites of the pass.
const merged = "combined"

// allowed reports whether in may be rewritten keeping bits.
func (c *combiner) allowed(in *ir.Instr) bool { return c.ctx.Allows(passes.Bits, in) }

func (c *combiner) shouldRewrite(in *ir.Instr) bool {
	if c.stop || !c.grant(in, merged, c.doing) {
		c.stop = c.ctx.Stopped()
		return false
	}
	c.rewrites++
	return true
}

// replace replaces in by to and buries unread instructions. The counts of readers stay exact throughout.
func (c *combiner) replace(in *ir.Instr, to ir.Instr) {
	c.grow()
	old := in.Src
	*in = to
	eachOperandLane(in, func(l ir.Lane) {
		c.reads[l.V.ID]++
		c.addReader(l.V, in)
	})
	c.dropReads(old)
}

// dropReads removes the reads of src.
func (c *combiner) dropReads(src []ir.Operand) {
	for s := range src {
		for _, l := range src[s] {
			if l.V == nil {
				continue
			}
			if c.reads[l.V.ID]--; c.reads[l.V.ID] == 0 && l.V.Def != nil {
				c.killUnread(l.V.Def)
			}
		}
	}
}

// killUnread marks in dead if it has no readers, and drops its reads. Dead instructions are swept at the end of a
// round.
func (c *combiner) killUnread(in *ir.Instr) {
	if c.dead[in] || in.Op.Has(ir.Effect) || len(in.Sub) > 0 || in.IsPredicated() || c.readsOf(in) > 0 {
		return
	}
	c.dead[in] = true
	c.dropReads(in.Src)
}

// insert puts a new instruction before in.
func (c *combiner) insert(add, in *ir.Instr) {
	c.added[in] = append(c.added[in], add)
	c.places[add] = c.places[in]
	c.account(add)
}

// account counts the reads of a new instruction.
func (c *combiner) account(add *ir.Instr) {
	c.grow()
	eachOperandLane(add, func(l ir.Lane) {
		c.reads[l.V.ID]++
		c.addReader(l.V, add)
	})
}

// sweep removes the instructions without readers from r and inserts the new ones.
func (c *combiner) sweep(r *ir.Region) {
	if len(c.dead) == 0 && len(c.added) == 0 {
		return
	}
	code := make([]*ir.Instr, 0, len(r.Code))
	for _, in := range r.Code {
		code = append(code, c.added[in]...)
		if !c.dead[in] {
			code = append(code, in)
		}
		for _, sub := range in.Sub {
			c.sweep(sub)
		}
	}
	r.Code = code
}

// fused returns the class that fusing a product and a sum keeps.
func (c *combiner) fused() passes.Class { return sums[0].Keeps(c.f.Dialect) }

// Literal, Def, Readers, Legal and Known make c the host of rules.

func (c *combiner) Literal(l ir.Lane) (uint32, bool) {
	if l.V.Kind != ir.Literal {
		return 0, false
	}
	return l.Mod.Apply(l.V.Bits), true
}

func (c *combiner) DefinitionOf(o ir.Operand, root *ir.Instr) *ir.Instr { return c.source(&o, root) }

func (c *combiner) Readers(in *ir.Instr) int32 { return c.readsOf(in) }

// Legal reports whether in can be written. Code that moves is written by other programs, so it is always
// legal.
func (c *combiner) Legal(in *ir.Instr) bool { return c.moves(in) || c.legal(in) }

// Known returns facts about a lane for the conditions of rows: bounds, its rate, and whether it is a mask.
func (c *combiner) Known(name string, l ir.Lane) constant.Value {
	switch name {
	case "low":
		low, _ := bounds(l, 0)
		return constant.MakeFloat64(low)
	case "high":
		_, high := bounds(l, 0)
		return constant.MakeFloat64(high)
	case "rate":
		return constant.MakeFloat64(c.rated(l))
	case "mask":
		return constant.MakeBool(isMask(l))
	case "infinite":
		return constant.MakeBool(mayBeInfinite(l.V))
	}
	panic("combine: nothing named " + name + " is known")
}

// maxSearched bounds the instructions that are searched for poles (assumed).
const maxSearched = 64

// mayBeInfinite reports whether v may be infinite for finite inputs: whether it depends on a logarithm or a
// reciprocal, or on too many instructions to search.
func mayBeInfinite(v *ir.Value) bool {
	seen := map[*ir.Instr]bool{}
	for work := []*ir.Value{v}; len(work) > 0; {
		v, work = work[len(work)-1], work[:len(work)-1]
		d := v.Def
		switch {
		case d == nil && v.Kind != ir.Param || seen[d] || d != nil && d.Op.Has(ir.IsFetch):
			continue
		case d == nil || len(seen) == maxSearched || d.Out[v.Lane] != v || !d.Op.HasFormula():
			return true
		}
		switch d.Op {
		case ir.OpLog, ir.OpLogp, ir.OpLogpVec, ir.OpRcp, ir.OpRsq, ir.OpPow:
			return true
		}
		seen[d] = true
		eachOperandLane(d, func(l ir.Lane) { work = append(work, l.V) })
	}
	return false
}

// stays is the rate of values that cannot move.
const stays = 100

// rated returns the rate of a lane for [regrouped].
func (c *combiner) rated(l ir.Lane) float64 {
	if l.Mod&ir.Abs != 0 {
		return stays
	}
	switch c.rate(l.V) {
	case ir.Constant:
		return 0.5
	case ir.Invariant:
		return 1
	case ir.Affine:
		return 2
	}
	return stays
}

// moves reports whether all operands of in can move.
func (c *combiner) moves(in *ir.Instr) bool {
	ok := c.rate != nil
	eachOperandLane(in, func(l ir.Lane) { ok = ok && c.rated(l) < stays })
	return ok
}

// isMask reports whether l is all ones or zero.
func isMask(l ir.Lane) bool {
	d := l.V.Def
	return l.Mod == 0 && d != nil && d.Out[l.V.Lane] == l.V && comparisons[d.Op]
}

// comparisons return all ones or zero, so their complement is the opposite comparison.
var comparisons = map[ir.Op]bool{
	ir.OpIEq: true, ir.OpINe: true, ir.OpILt: true, ir.OpIGe: true, ir.OpULt: true, ir.OpUGe: true,
	ir.OpFEq: true, ir.OpFNe: true, ir.OpFLt: true, ir.OpFGe: true, ir.OpDEq: true, ir.OpDNe: true, ir.OpDLt: true, ir.OpDGe: true,
}
