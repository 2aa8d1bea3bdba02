package codemotion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// valueNumbers gives equal names to values of a pixel program and of one of its vertex programs that are the
// same term. It finds candidates that the vertex program computes already. This is value numbering across the
// interpolation: a linear input has the name of the vertex value it interpolates.
type valueNumbers struct {
	*mover
	// names are the names of values of the vertex program: equal names, equal values.
	names map[*ir.Value]string
	// terms are the names by term: operation, modifiers and names of operands.
	terms map[string]string
	// moved caches image: names of pixel values, empty where the vertex program has no such value.
	moved map[*ir.Value]string
}

// newImages names the values of the vertex program, in program order (value numbering).
func newImages(m *mover) *valueNumbers {
	x := &valueNumbers{m, map[*ir.Value]string{}, map[string]string{}, map[*ir.Value]string{}}
	m.vertex.Walk(func(in *ir.Instr) {
		for i, v := range in.Out {
			if v == nil || !in.Op.HasFormula() || in.IsPredicated() {
				continue
			}
			if from := copied(v); from != nil {
				x.names[v] = x.valueName(from)
			} else if t, ok := formatTerm(in, i, x.valueName); ok {
				if x.terms[t] == "" {
					x.terms[t] = fmt.Sprint("t", v.ID)
				}
				x.names[v] = x.terms[t]
			}
		}
	})
	return x
}

// valueName returns the name of a vertex value. A value that is not a term of named values is named by its ID.
func (x *valueNumbers) valueName(v *ir.Value) string {
	switch {
	case v.Kind == ir.Literal:
		return fmt.Sprint("l", v.Bits)
	case v.Kind == ir.Uniform:
		return fmt.Sprint("u", v.Home)
	case x.names[v] != "":
		return x.names[v]
	}
	return fmt.Sprint("v", v.ID)
}

// image returns the name of the vertex value that a pixel value equals, or "". Linear inputs are the bridge:
// in exact arithmetic, interpolating an affine term gives that term of interpolated inputs.
func (x *valueNumbers) image(v *ir.Value) string {
	if name, known := x.moved[v]; known {
		return name
	}
	name := ""
	switch v.Kind {
	case ir.Literal:
		name = x.valueName(v)
	case ir.Input:
		if out, linear := linked(x.link, v.Home); linear && x.vertex.OutputValue(out) != nil {
			name = x.valueName(x.vertex.OutputValue(out))
		}
	case ir.Uniform:
		k := slices.IndexFunc(x.unit.Uploads, func(u passes.Upload) bool { return u.From == v.Home.Index })
		if x.mirrored && k >= 0 {
			name = fmt.Sprint("u", ir.Reg{File: v.Home.File, Index: x.unit.Uploads[k].To, Comp: v.Home.Comp})
		}
	case ir.Result:
		if from := copied(v); from != nil {
			name = x.image(from)
		} else if x.movable[v.ID] {
			if t, ok := formatTerm(v.Def, int(v.Lane), x.image); ok {
				name = x.terms[t]
			}
		}
	}
	x.moved[v] = name
	return name
}

// holds reports whether the vertex value v equals lane l of the pixel program, including its modifier.
func (x *valueNumbers) holds(v *ir.Value, l ir.Lane) bool {
	name := x.image(l.V)
	if name != "" && l.Mod != 0 { // a modifier is a move
		move := &ir.Instr{Op: ir.OpMov, Src: []ir.Operand{ir.Splat(ir.Lane{V: l.V, Mod: l.Mod})}}
		t, _ := formatTerm(move, 0, x.image)
		name = x.terms[t]
	}
	return name != "" && name == x.valueName(v)
}

// copied returns the value that v is a move of, or nil.
func copied(v *ir.Value) *ir.Value {
	if from, ok := v.CopyOf(ir.Half); ok && from.Mod == 0 {
		return from.V
	}
	return nil
}

// original follows all moves from v to the original value.
func original(v *ir.Value) *ir.Value {
	for from := copied(v); from != nil; from = copied(v) {
		v = from
	}
	return v
}

// formatTerm spells the operation of a lane with the names of its operands; not ok if an operand has no name. It
// ignores half precision: names identify values.
func formatTerm(in *ir.Instr, lane int, name func(*ir.Value) string) (text string, ok bool) {
	var b strings.Builder
	fmt.Fprint(&b, in.Op, " ", in.Mods&^ir.Half)
	if in.Op.Info().Shape == ir.Positional {
		fmt.Fprint(&b, " ", lane)
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i, l := range in.Src[s] {
			if reads>>i&1 == 0 {
				continue
			}
			n := ""
			if l.V != nil {
				n = name(l.V)
			}
			if n == "" {
				return "", false
			}
			fmt.Fprint(&b, " ", n, "/", l.Mod)
		}
		b.WriteString(";")
	}
	return b.String(), true
}
