package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// hoistable reports whether the vertex program can compute in (C1). It checks the op and its modifiers with
// every operand in a temporary, because the registers of leaves are known later, and moves make them
// readable. An OpSinCos stays, because it needs special constants.
func hoistable(d ir.Dialect, in *ir.Instr) bool {
	return !in.Precise && !in.Decides && expressible(d, in) // code that feeds the depth or an exact decision stays
}

// expressible reports whether a program of d can compute in.
func expressible(d ir.Dialect, in *ir.Instr) bool {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Convergent) || in.Op == ir.OpSinCos {
		return false
	}
	as := ir.Instr{Op: in.Op, Mods: in.Mods, Src: make([]ir.Operand, len(in.Src))}
	if !d.Supports(in.Op) {
		if in.Op != ir.OpDp2Add && in.Op != ir.OpLrp {
			return false
		}
		as.Op = ir.OpMad // their expansion
	}
	for s := range in.Src { // from temporaries: the registers of leaves are known later
		for _, l := range in.Src[s] {
			as.Src[s][0].V = &temporary
			as.Src[s][0].Mod |= l.Mod & ir.Abs
		}
	}
	return d.Encodable(&as)
}

// temporary represents any computed value.
var temporary = ir.Value{Kind: ir.Result}

// hoister copies pixel values into the vertex program. An upload is a constant of the pixel stage that the
// host also has to set in the vertex stage.
type hoister struct {
	*mover
	need map[*ir.Instr]uint8 // lanes wanted of each pixel instruction
	done map[*ir.Value]*ir.Value
	free []uint16
	up   []passes.Upload
}

// without removes from free constants of the vertex or the pixel program those that uploads set or read.
func without(free []uint16, uploads []passes.Upload, pixel bool) []uint16 {
	return slices.DeleteFunc(free, func(c uint16) bool {
		return slices.ContainsFunc(uploads, func(u passes.Upload) bool {
			return u.Lowered == pixel && u.To == c || u.Lowered != pixel && u.From == c
		})
	})
}

// needValue adds v and its operands to need, lane by lane. If an instruction needs a second lane, only the
// additional operand lanes are followed.
func (h *hoister) needValue(v *ir.Value) {
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
				h.needValue(l.V)
			}
		}
	}
}

// run appends the wanted instructions to the vertex program in pixel program order, as vectors. It fails if
// the constants run out.
func (h *hoister) run() bool {
	ok := true
	h.pixel.Walk(func(in *ir.Instr) {
		if mask := h.need[in]; mask != 0 && ok {
			ok = h.clone(in, mask)
		}
	})
	return ok
}

// copyLanes returns a copy of the lanes in mask of in, with the values that value returns for its operands. It
// returns nil if value does. It drops partial precision, which is always right.
func copyLanes(in *ir.Instr, mask uint8, value func(*ir.Value) *ir.Value) *ir.Instr {
	out := &ir.Instr{Op: in.Op, Mods: in.Mods &^ ir.Half, Orig: -1, Pos: in.Pos, Also: in.Also,
		Src: make([]ir.Operand, len(in.Src))}
	for s := range in.Src {
		reads := in.ReadsFor(s, mask)
		for i, l := range in.Src[s] {
			if reads>>i&1 != 0 {
				v := value(l.V)
				if v == nil {
					return nil
				}
				out.Src[s][i] = ir.Lane{V: v, Mod: l.Mod}
			}
		}
	}
	return out
}

// clone copies the lanes in mask of in.
func (h *hoister) clone(in *ir.Instr, mask uint8) bool {
	merged := in.Also
	out := copyLanes(in, mask, func(v *ir.Value) *ir.Value {
		w := h.value(v)
		if w != nil {
			if also := h.output(v).Also; also != nil {
				merged = merged.Merged(also.Pos, also.Code, also)
			}
		}
		return w
	})
	if out == nil {
		return false
	}
	out.Also = merged
	code := h.vertex.Body
	switch {
	case in.Op == ir.OpDp2Add:
		// Vertex models have no dp2add, and vs_1_1 has no lrp: both are expanded to their sums.
		inner := &ir.Instr{Op: ir.OpMad, Orig: -1, Pos: in.Pos, Also: in.Also,
			Src: []ir.Operand{{out.Src[0][1]}, {out.Src[1][1]}, {out.Src[2][0]}}}
		t := h.vertex.Define(inner, 0, ir.Reg{})
		code.Code = append(code.Code, inner)
		a, b := out.Src[0][0], out.Src[1][0]
		out = &ir.Instr{Op: ir.OpMad, Mods: out.Mods, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
		for i := range 4 {
			if mask>>i&1 != 0 {
				out.Src[0][i], out.Src[1][i], out.Src[2][i] = a, b, ir.Lane{V: t}
			}
		}
	case in.Op == ir.OpLrp && !h.vertex.Dialect.Supports(ir.OpLrp):
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

// output returns the output that v is interpolated from, or the zero Output if v is not an input.
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

// value returns the vertex value of v. For an input, that is the value of the output it is interpolated from.
// For a host constant, it is the constant mirrored into the vertex stage, or nil if no constant register is
// left.
func (h *hoister) value(v *ir.Value) *ir.Value {
	switch v.Kind {
	case ir.Literal:
		return h.vertex.Const(v.Bits)
	case ir.Input:
		return h.output(v).V
	case ir.Uniform:
		if h.unit.Stages.Common(v.Home) {
			return h.vertex.Leaf(ir.Uniform, v.Home)
		}
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
