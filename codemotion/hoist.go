package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// hoistable reports whether the vertex program can compute in (C1). It asks about the
// op and its modifiers with every operand in a temporary: which registers leaves become
// is known later, and moves make them readable. sincos needs constants of its own; it
// stays.
func hoistable(d ir.Dialect, in *ir.Instr) bool {
	return !in.Precise && expressible(d, in) // what feeds the depth stays
}

// expressible reports whether a program of d can compute in.
func expressible(d ir.Dialect, in *ir.Instr) bool {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Convergent) || in.Op == ir.OpSinCos {
		return false
	}
	as := ir.Instr{Op: in.Op, Mods: in.Mods, Src: make([]ir.Operand, len(in.Src))}
	if !d.Has(in.Op) {
		if in.Op != ir.OpDp2Add && in.Op != ir.OpLrp {
			return false
		}
		as.Op = ir.OpMad // what they become
	}
	for s := range in.Src { // from temporaries: what leaves become is known later
		for _, l := range in.Src[s] {
			as.Src[s][0].V = &temporary
			as.Src[s][0].Mod |= l.Mod & ir.Abs
		}
	}
	return d.Encodable(&as)
}

// temporary stands for any value that code computes.
var temporary = ir.Value{Kind: ir.Result}

// hoister copies pixel values into the vertex program. An upload is a constant of the
// pixel stage that the host has to set in the vertex stage as well.
type hoister struct {
	*mover
	need map[*ir.Instr]uint8 // lanes wanted of each pixel instruction
	done map[*ir.Value]*ir.Value
	free []uint16
	up   []passes.Upload
}

// without leaves out of free constants of the vertex or the pixel program those that uploads set
// or tell of.
func without(free []uint16, uploads []passes.Upload, pixel bool) []uint16 {
	return slices.DeleteFunc(free, func(c uint16) bool {
		return slices.ContainsFunc(uploads, func(u passes.Upload) bool {
			return u.Lowered == pixel && u.To == c || u.Lowered != pixel && u.From == c
		})
	})
}

// want notes that v and all it depends on are needed, lane by lane. Lanes that an
// instruction needs for a second lane are added.
func (h *hoister) want(v *ir.Value) {
	if v.Kind != ir.Result || h.need[v.Def]>>v.Lane&1 != 0 {
		return
	}
	before := h.need[v.Def]
	h.need[v.Def] |= 1 << v.Lane
	for s := range v.Def.Src {
		lanes := v.Def.ReadsFor(s, h.need[v.Def]) &^ v.Def.ReadsFor(s, before)
		if before == 0 {
			lanes = v.Def.ReadsFor(s, h.need[v.Def])
		}
		for i, l := range v.Def.Src[s] {
			if lanes>>i&1 != 0 {
				h.want(l.V)
			}
		}
	}
}

// run appends the wanted instructions to the vertex program in pixel program
// order, as the vectors they are. It fails if the constants run out.
func (h *hoister) run() bool {
	ok := true
	h.pixel.Walk(func(in *ir.Instr) {
		if mask := h.need[in]; mask != 0 && ok {
			ok = h.clone(in, mask)
		}
	})
	return ok
}

// clone copies the lanes in mask of in. Partial precision is dropped, which is always
// right.
func (h *hoister) clone(in *ir.Instr, mask uint8) bool {
	out := &ir.Instr{Op: in.Op, Mods: in.Mods &^ ir.Half, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, len(in.Src))}
	for s := range in.Src {
		reads := in.ReadsFor(s, mask)
		for i, l := range in.Src[s] {
			if reads>>i&1 != 0 {
				v := h.value(l.V)
				if v == nil {
					return false
				}
				out.Src[s][i] = ir.Lane{V: v, Mod: l.Mod}
				if also := h.output(l.V).Also; also != nil {
					out.Also = out.Also.Merged(also.Pos, also.Code, also)
				}
			}
		}
	}
	code := h.vertex.Body
	switch {
	case in.Op == ir.OpDp2Add:
		// Vertex models have no dp2add, and no lrp in vs_1_1: they are written by the
		// sums that they are.
		inner := &ir.Instr{Op: ir.OpMad, Orig: -1, Pos: in.Pos, Also: in.Also, Src: []ir.Operand{{out.Src[0][1]}, {out.Src[1][1]}, {out.Src[2][0]}}}
		t := h.vertex.Define(inner, 0, ir.Reg{})
		code.Code = append(code.Code, inner)
		a, b := out.Src[0][0], out.Src[1][0]
		out = &ir.Instr{Op: ir.OpMad, Mods: out.Mods, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
		for i := range 4 {
			if mask>>i&1 != 0 {
				out.Src[0][i], out.Src[1][i], out.Src[2][i] = a, b, ir.Lane{V: t}
			}
		}
	case in.Op == ir.OpLrp && !h.vertex.Dialect.Has(ir.OpLrp):
		// a*(b - c) + c
		diff := &ir.Instr{Op: ir.OpAdd, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 2)}
		mad := &ir.Instr{Op: ir.OpMad, Mods: out.Mods, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
		for i := range 4 {
			if mask>>i&1 != 0 {
				a, b, c := out.Src[0][i], out.Src[1][i], out.Src[2][i]
				diff.Src[0][i], diff.Src[1][i] = b, ir.Lane{V: c.V, Mod: c.Mod ^ ir.Neg}
				t := h.vertex.Define(diff, i, ir.Reg{})
				mad.Src[0][i], mad.Src[1][i], mad.Src[2][i] = a, ir.Lane{V: t}, c
			}
		}
		code.Code = append(code.Code, diff)
		out = mad
	}
	for i, v := range in.Out {
		if mask>>i&1 != 0 {
			h.done[v] = h.vertex.Define(out, i, ir.Reg{})
		}
	}
	code.Code = append(code.Code, out)
	return true
}

// output is what of the vertex program v is interpolated from, nothing if v is no input.
func (h *hoister) output(v *ir.Value) (o ir.Output) {
	if v.Kind == ir.Input {
		reg, _ := linked(h.link, v.Home)
		for _, o := range h.vertex.Outs {
			if o.Reg == reg {
				return o
			}
		}
	}
	return o
}

// value is what v is in the vertex program: for an input, what is written to the
// output it is interpolated from; for a host constant, the constant mirrored into
// the vertex stage. It is nil if no constant register is left.
func (h *hoister) value(v *ir.Value) *ir.Value {
	switch v.Kind {
	case ir.Literal:
		return h.vertex.Const(v.Bits)
	case ir.Input:
		return h.output(v).V
	case ir.Uniform:
		k := slices.IndexFunc(h.up, func(u passes.Upload) bool { return u.Lowered && u.To == v.Home.Index })
		if k >= 0 {
			return h.vertex.Leaf(ir.Uniform, ir.Reg{File: v.Home.File, Index: h.up[k].From, Comp: v.Home.Comp})
		}
		k = slices.IndexFunc(h.up, func(u passes.Upload) bool { return !u.Lowered && u.From == v.Home.Index })
		if k < 0 {
			if len(h.free) == 0 {
				return nil
			}
			k = len(h.up)
			h.up = append(h.up, passes.Upload{From: v.Home.Index, To: h.free[0]})
			h.free = h.free[1:]
		}
		return h.vertex.Leaf(ir.Uniform, ir.Reg{File: v.Home.File, Index: h.up[k].To, Comp: v.Home.Comp})
	}
	return h.done[v]
}
