package rules

import (
	"go/ast"
	"go/constant"
	"math/bits"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
)

// Rewrite is a possible replacement of an instruction.
type Rewrite struct {
	To ir.Instr
	// Takes are the instructions below the root whose work it includes.
	Takes []*ir.Instr
	// Before are new instructions to insert before it. Their results are not yet values of the function.
	Before []*ir.Instr
}

// Rewrites returns the replacement of in by r.
func (m *Matcher) Rewrite(r *Compiled, in *ir.Instr) (w Rewrite, ok bool) {
	for i := range r.root {
		if !m.match(r, &r.root[i], in) {
			continue
		}
		for _, to := range r.to {
			if !m.holds(to.where) {
				continue
			}
			if w, ok = m.makeRewrite(to.call, r.root[i].sat); ok {
				return w, true
			}
		}
	}
	return w, false
}

// makeRewrite builds one replacement. It must save slots if it takes more than one instruction. Its modifiers are
// those that all instructions of the pattern have. Partial precision needs all of the pattern to be partial,
// and applies to the result alone, since new intermediate values were not partial before.
func (m *Matcher) makeRewrite(to *ast.CallExpr, sat bool) (w Rewrite, ok bool) {
	b := &builder{Matcher: m, mods: m.in.Mods, mask: m.in.Mask(), alone: m.in.Op.Info().Shape == ir.Replicated}
	if sat {
		b.mods &^= ir.Sat
	}
	for _, def := range m.defs {
		b.mods &= def.Mods | ir.Sat
	}
	w.To = *m.in
	w.To.Mods = b.mods
	if !b.instr(&w.To, to) || w.To.Mods&ir.Sat != 0 && w.To.Op.Has(ir.Integers) && !m.in.Op.Has(ir.Integers) {
		return w, false
	}
	w.Before = b.before
	if len(w.Before) > 0 && !m.Free && !m.savesSlots(&w) {
		return w, false
	}
	for _, def := range w.Before {
		if !m.Host.Legal(def) {
			return w, false
		}
	}
	w.Takes = slices.Clone(m.defs)
	return w, m.Host.Legal(&w.To)
}

// savesSlots reports whether w takes fewer slots than the code it replaces, including instructions that die with
// it.
func (m *Matcher) savesSlots(w *Rewrite) bool {
	slots := m.Func.Dialect.Slots
	n := slots(&w.To) - slots(m.in)
	for _, in := range w.Before {
		n += slots(in)
	}
	for _, in := range m.dies {
		n -= slots(in)
	}
	return n < 0
}

// builder builds one replacement.
type builder struct {
	*Matcher
	mods   ir.Mods
	mask   uint8 // the mask of the root
	alone  bool  // in one lane or in all alike
	before []*ir.Instr
}

// instr makes in the operation of call. The results of in stay.
func (b *builder) instr(in *ir.Instr, call *ast.CallExpr) bool {
	var sat bool
	in.Op, sat = operator(call.Fun.(*ast.Ident).Name)
	if b.ieee {
		in.Op = in.Op.IEEE()
	}
	if sat {
		in.Mods |= ir.Sat
	}
	in.Src = make([]ir.Operand, len(call.Args))
	for s, arg := range call.Args {
		o, ok := b.operand(arg, in.Reads(s), in.Op.Info().Shape == ir.Replicated && in.Reads(s) == 1)
		if !ok {
			return false
		}
		in.Src[s] = o
	}
	return true
}

// operand builds an operand for a set of lanes. An operand for a scalar source is the same in all lanes.
func (b *builder) operand(e ast.Expr, lanes uint8, scalar bool) (o ir.Operand, ok bool) {
	if _, bound := e.(*ast.Ident); !bound && b.isLiteral(e) {
		for i := range o {
			if lanes>>i&1 == 0 {
				continue
			}
			w, ok := b.literalBits(b.eval(e, i))
			if !ok {
				return o, false
			}
			o[i].V = b.Func.Const(w)
		}
		return o, true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.operand(e.X, lanes, scalar)
	case *ast.Ident:
		return spreadLanes(b.bound[b.rule.slots[e.Name]], lanes, scalar)
	case *ast.SelectorExpr:
		l := b.bound[b.rule.slots[e.X.(*ast.Ident).Name]][strings.Index("xyzw", e.Sel.Name)]
		return spreadLanes(ir.Splat(l), lanes, scalar)
	case *ast.UnaryExpr:
		o, ok = b.operand(e.X, lanes, scalar)
		return apply(o, ir.Neg), ok
	case *ast.BinaryExpr:
		o, ok = b.operand(e.Y, lanes, scalar)
		return b.signed(e.X, o), ok
	}
	call := e.(*ast.CallExpr)
	switch call.Fun.(*ast.Ident).Name {
	case "mag":
		o, ok = b.operand(call.Args[0], lanes, scalar)
		return apply(o, ir.Abs), ok
	case "pick":
		return b.selectLanes(call.Args, lanes, scalar)
	}
	return b.inner(call, lanes, scalar)
}

// isLiteral reports whether e depends on literals alone.
func (b *builder) isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return isUpper(e.Name) || b.rule.signs[e.Name] != 0
	case *ast.SelectorExpr:
		return false
	case *ast.CallExpr:
		if functions[e.Fun.(*ast.Ident).Name] == nil {
			return false
		}
	}
	return !slices.ContainsFunc(parts(e), func(part ast.Expr) bool { return !b.isLiteral(part) })
}

// spreadLanes returns o for a set of lanes: a scalar in all of them. A scalar source requires equal lanes.
func spreadLanes(o ir.Operand, lanes uint8, scalar bool) (ir.Operand, bool) {
	first, same, n := ir.Lane{}, true, LanesOf(&o)
	for _, l := range o {
		if l.V != nil {
			same = same && (first.V == nil || l == first)
			first = l
		}
	}
	if scalar {
		return ir.Splat(first), same
	}
	for i := range o {
		switch {
		case lanes>>i&1 == 0:
			o[i] = ir.Lane{}
		case o[i].V == nil && n > 1:
			return o, false
		case o[i].V == nil:
			o[i] = first
		}
	}
	return o, first.V != nil
}

// apply applies a modifier to all lanes of o.
func apply(o ir.Operand, m ir.LaneMod) ir.Operand {
	for i := range o {
		if o[i].V != nil {
			o[i].Mod = o[i].Mod.ComposeWith(m)
		}
	}
	return o
}

// signed returns o times e in each lane, which is 1 or -1.
func (b *builder) signed(e ast.Expr, o ir.Operand) ir.Operand {
	for i := range o {
		if x := b.eval(e, i); o[i].V != nil && x.Kind() != constant.Unknown && constant.Sign(x) < 0 {
			o[i].Mod = o[i].Mod.ComposeWith(ir.Neg)
		}
	}
	return o
}

// selectLanes returns its second argument in the lanes where the first one holds, and else the third.
func (b *builder) selectLanes(args []ast.Expr, lanes uint8, scalar bool) (o ir.Operand, ok bool) {
	o, ok = b.operand(args[1], lanes, scalar)
	other, ok2 := b.operand(args[2], lanes, scalar)
	for i := range o {
		if x := b.eval(args[0], i); lanes>>i&1 != 0 && !constant.BoolVal(x) {
			o[i] = other[i]
		}
	}
	return o, ok && ok2
}

// inner makes a new instruction, or finds an equal one, and reads it.
func (b *builder) inner(call *ast.CallExpr, lanes uint8, scalar bool) (o ir.Operand, ok bool) {
	op, _ := operator(call.Fun.(*ast.Ident).Name)
	mask := b.mask
	if b.alone || op.Info().Shape == ir.Replicated {
		mask = 1 << bits.TrailingZeros8(mask)
	}
	in := &ir.Instr{Mods: b.mods &^ (ir.Sat | ir.Half), Precise: b.in.Precise, Orig: -1, Pos: b.in.Pos}
	for i, v := range b.in.Out {
		if mask>>i&1 != 0 {
			in.Out[i] = &ir.Value{Kind: ir.Result, Lane: uint8(i), Def: in, Home: v.Home}
		}
	}
	if !b.instr(in, call) {
		return o, false
	}
	k := slices.IndexFunc(b.before, func(x *ir.Instr) bool {
		return x.Op == in.Op && x.Mods == in.Mods &&
			slices.Equal(x.Src, in.Src)
	})
	if k < 0 {
		b.before, k = append(b.before, in), len(b.before)
	}
	for i, v := range b.before[k].Out {
		if v != nil {
			o[i].V = v
		}
	}
	return spreadLanes(o, lanes, scalar)
}

// Define makes the results of new instructions values of the function.
func (w *Rewrite) Define(f *ir.Func) {
	for _, in := range w.Before {
		in.EachDef(func(v *ir.Value) { v.ID = f.NewValue(v.Kind, v.Home).ID })
	}
}
