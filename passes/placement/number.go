package placement

import "github.com/shaderlift/shaderlift/ir"

// numbering finds equal coordinates: equal values, or results of the same instruction on equal operands. One
// level of value numbering is enough: the pass gvn does deeper ones.
type numbering struct {
	f     *ir.Func
	place map[*ir.Instr]int // in the block
	known map[key]*ir.Value
}

// maxSources bounds the sources of an instruction that is recomputed.
const maxSources = 3

// key identifies the value of a lane of an instruction.
type key struct {
	op   ir.Op
	mods ir.Mods
	args [4 * maxSources]ir.Lane
	bits [4 * maxSources]uint64 // of literals, regardless of their home
}

// number returns the representative of all values equal to v, and the first position in the block where it
// can be computed.
func (n *numbering) number(v *ir.Value) (*ir.Value, int) {
	in := v.Def
	if !n.again(v) {
		return v, n.after(v)
	}
	k, ready := key{op: in.Op, mods: in.Mods}, 0
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<v.Lane)
		at := 4 * s
		for i, l := range in.Src[s] {
			if reads>>i&1 == 0 {
				continue
			}
			ready = max(ready, n.after(l.V))
			if k.args[at] = l; l.V.Kind == ir.Literal {
				k.args[at].V, k.bits[at] = nil, 1<<32|uint64(l.V.Bits)
			}
			at++
		}
	}
	if first := n.known[k]; first != nil {
		return first, ready
	}
	n.known[k] = v
	return v, ready
}

// after returns the position in the block after the definition of v.
func (n *numbering) after(v *ir.Value) int {
	if v.Def != nil {
		if i, ok := n.place[v.Def]; ok {
			return i + 1
		}
	}
	return 0
}

// again reports whether the definition of v may be repeated, lane by lane, for one slot.
func (n *numbering) again(v *ir.Value) bool {
	in := v.Def
	if in == nil || len(in.Sub) > 0 || !in.Op.HasFormula() || in.Op.Info().Shape == ir.Positional || in.IsPredicated() ||
		in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special) || len(in.Src) > maxSources || n.f.Dialect.Slots(in) != 1 {
		return false
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && l.V.IsLoaded() {
				return false // its address may have changed since
			}
		}
	}
	return true
}

// kind is the key of coordinates that one instruction can compute: op, modifiers and the registers of
// operands. Lanes of equal kind share one instruction.
type kind struct {
	alone bool // shares no instruction
	op    ir.Op
	mods  ir.Mods
	from  [maxSources]origin
}

// origin is the source of an operand.
type origin struct {
	kind ir.Kind
	mod  ir.LaneMod
	reg  ir.Reg
	def  *ir.Instr
}

// originOf returns the origin of a lane, without its component.
func originOf(l ir.Lane) origin {
	o := origin{kind: l.V.Kind, mod: l.Mod, def: l.V.Def}
	if l.V.Kind == ir.Input || l.V.Kind == ir.Uniform {
		o.reg = l.V.Home
		o.reg.Comp = 0
	}
	return o
}

// recipe returns an instruction, and its lane, that recomputes v: its definition, or a move of a leaf. It
// returns nil if there is none.
func (n *numbering) recipe(v *ir.Value) (in *ir.Instr, lane int) {
	switch {
	case v.IsLeaf():
		return &ir.Instr{Op: ir.OpMov, Orig: -1, Src: []ir.Operand{{{V: v}}}}, 0
	case n.again(v):
		return v.Def, int(v.Lane)
	}
	return nil, 0
}

// recipeKind returns the kind of the instruction that brings v to its reader.
func (n *numbering) recipeKind(v *ir.Value) kind {
	if in, lane := n.recipe(v); in != nil {
		return kindOf(in, lane)
	}
	return kind{op: ir.OpMov, from: [maxSources]origin{{def: v.Def}}}
}

// kindOf returns the kind of a lane of in.
func kindOf(in *ir.Instr, lane int) kind {
	k := kind{op: in.Op, mods: in.Mods, alone: in.Op.Info().Shape != ir.Lanewise}
	for s := range in.Src {
		if l := in.Src[s][lane]; l.V != nil {
			k.from[s] = originOf(l)
		}
	}
	return k
}
