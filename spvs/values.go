package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// laneKey identifies lanes of a type.
func laneKey(typ spirv.ID, lanes []ir.Lane) string {
	b := make([]byte, 0, 4+6*len(lanes))
	b = appendWord(b, uint32(typ))
	for _, l := range lanes {
		switch {
		case l.V == nil:
			b = append(b, 'n')
		case l.V.Kind == ir.Literal:
			b = append(b, 'l', byte(l.Mod))
			b = appendWord(b, l.V.Bits)
		default:
			b = append(b, 'v', byte(l.Mod))
			b = appendWord(b, uint32(l.V.ID))
		}
	}
	return string(b)
}

// isFixed reports whether a lane needs no instruction: it is a literal, undefined or not read.
func isFixed(l ir.Lane) bool {
	return l.V == nil || l.V.Kind == ir.Literal || l.V.Kind == ir.Undef
}

// operand returns an id of a type with these lanes. Lanes without a value may be anything.
func (w *writer) operand(typ spirv.ID, lanes []ir.Lane) spirv.ID {
	list := make([]ir.Lane, len(lanes))
	for i, l := range lanes {
		list[i] = w.resolve(l)
	}
	return w.form(typ, list)
}

// form is operand for lanes that are no moves.
func (w *writer) form(typ spirv.ID, lanes []ir.Lane) spirv.ID {
	if id := w.constant(typ, lanes); id != 0 {
		return id
	}
	key := laneKey(typ, lanes)
	if h := w.find(key); h != nil {
		return h.id
	}
	k, n := w.e.kindOf(typ)
	if n == 0 {
		return w.formAggregate(typ, lanes, key)
	}
	if id := w.heldAs(typ, lanes); id != 0 {
		return id
	}
	if w.isPlain(k, lanes) {
		if n == 1 {
			return w.formScalar(k, lanes[0])
		}
		return w.formVector(typ, k, lanes, key)
	}
	return w.convert(typ, k, lanes, key)
}

// constant returns the constant with these lanes, or 0 if some lane is no literal.
func (w *writer) constant(typ spirv.ID, lanes []ir.Lane) spirv.ID {
	undefined := true
	for _, l := range lanes {
		if !isFixed(l) {
			return 0
		}
		undefined = undefined && (l.V == nil || l.V.Kind == ir.Undef)
	}
	if undefined {
		return w.e.undef(typ)
	}
	k, n := w.e.kindOf(typ)
	if n == 1 {
		return w.e.word(k, literalBits(k, lanes[0]))
	}
	var parts []uint32
	for i := range w.e.parts(typ) {
		part := w.e.part(typ, i)
		size := w.e.lanes(part)
		parts = append(parts, uint32(w.constant(part, lanes[:size])))
		lanes = lanes[size:]
	}
	return w.e.intern(spirv.OpConstantComposite, typ, parts...)
}

// literalBits returns the bits of a literal under its modifiers.
func literalBits(k Scalar, l ir.Lane) uint32 {
	if l.Mod&ir.Not != 0 {
		return ^l.V.Bits
	}
	return l.Mod.Apply(l.V.Bits)
}

// isPlain reports whether no lane needs a conversion or a modifier to be read as kind k.
func (w *writer) isPlain(k Scalar, lanes []ir.Lane) bool {
	for _, l := range lanes {
		if !isFixed(l) && (l.Mod != 0 || w.heldKind(l.V) != k && w.holder(l.V, k) == nil) {
			return false
		}
	}
	return true
}

// holder returns an id of which one lane is v read as kind k, and that may be used here. It prefers scalars.
func (w *writer) holder(v *ir.Value, k Scalar) *held {
	var best *held
	list := w.by[v]
	for i := len(list) - 1; i >= 0; i-- {
		h := list[i]
		if !h.reads(v, k) || !h.isOpen() {
			continue
		}
		if len(h.lanes) == 1 && w.isVector(h) {
			return h
		}
		if best == nil {
			best = h
		}
	}
	return best
}

// heldAs returns an id of a type whose lanes are the wanted ones where they matter, or 0.
func (w *writer) heldAs(typ spirv.ID, lanes []ir.Lane) spirv.ID {
	for i, l := range lanes {
		if isFixed(l) || l.Mod != 0 {
			continue
		}
		for _, h := range w.by[l.V] {
			if h.typ == typ && h.isOpen() && h.lanes[i].V == l.V && agree(h.lanes, lanes) {
				return h.id
			}
		}
		return 0
	}
	return 0
}

// agree reports whether the lanes of an id are those that are wanted.
func agree(have, want []ir.Lane) bool {
	for i, l := range want {
		switch {
		case l.V == nil || l.V.Kind == ir.Undef:
		case have[i].V == nil || have[i].Mod != l.Mod:
			return false
		case have[i].V != l.V && (l.V.Kind != ir.Literal || have[i].V.Kind != ir.Literal || have[i].V.Bits != l.V.Bits):
			return false
		}
	}
	return true
}

// pure appends an instruction without effects, whose result has these lanes, and records it.
func (w *writer) pure(key string, lanes []ir.Lane, op spirv.Op, typ spirv.ID, args ...uint32) spirv.ID {
	id, it := w.append(op, typ, args...)
	k, n := w.e.kindOf(typ)
	if n == 0 {
		k = w.laneKind(typ)
	}
	return w.record(key, &held{id: id, typ: typ, kind: k, lanes: lanes, block: w.cur, item: it})
}

// laneKind returns the kind of all lanes of a type, or NoScalar if they differ.
func (w *writer) laneKind(typ spirv.ID) Scalar {
	k, n := w.e.kindOf(typ)
	if n > 0 {
		return k
	}
	in := w.e.global(typ)
	if in == nil || in.Op != spirv.OpTypeStruct {
		if part := w.e.part(typ, 0); part != 0 {
			return w.laneKind(part)
		}
		return NoScalar
	}
	for i, t := range in.Args {
		if p := w.laneKind(spirv.ID(t)); i == 0 {
			k = p
		} else if p != k {
			return NoScalar
		}
	}
	return k
}

// formScalar returns the id of one lane.
func (w *writer) formScalar(k Scalar, l ir.Lane) spirv.ID {
	w.ensure(l.V, k)
	h := w.holder(l.V, k)
	if h == nil {
		w.fail("no id holds a value of %v %d %v", l.V.Home, l.V.ID, l.V.Def)
		return w.e.undef(w.e.scalar(k))
	}
	if len(h.lanes) == 1 && w.isVector(h) {
		return h.id
	}
	i := slices.IndexFunc(h.lanes, func(x ir.Lane) bool { return x.V == l.V && x.Mod == 0 })
	path := w.path(h.typ, i)
	key := laneKey(w.e.scalar(k), []ir.Lane{l})
	return w.pure(key, []ir.Lane{l}, spirv.OpCompositeExtract, w.e.scalar(k), append([]uint32{uint32(h.id)}, path...)...)
}

// path returns the indices of lane i of a composite type.
func (w *writer) path(typ spirv.ID, i int) (path []uint32) {
	for {
		if _, n := w.e.kindOf(typ); n == 1 {
			return path
		}
		for k := range w.e.parts(typ) {
			part := w.e.part(typ, k)
			size := w.e.lanes(part)
			if i < size {
				path, typ = append(path, uint32(k)), part
				break
			}
			i -= size
		}
	}
}

// convert returns lanes as another kind, or under modifiers. Lanes that need different conversions are converted one by
// one.
func (w *writer) convert(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	var first ir.Lane
	from := NoScalar
	alike, literals := true, false
	for _, l := range lanes {
		if isFixed(l) {
			literals = literals || l.V != nil && l.V.Kind == ir.Literal
			continue
		}
		natural := w.heldKind(l.V)
		if w.holder(l.V, k) != nil {
			natural = k
		}
		if first.V == nil {
			first, from = l, natural
		}
		alike = alike && l.Mod == first.Mod && natural == from
	}
	n := len(lanes)
	if n > 1 && (!alike || literals && first.Mod&ir.Abs != 0) {
		if id := w.oddLane(typ, k, lanes, key); id != 0 {
			return id
		}
		parts := make([]uint32, n)
		for i, l := range lanes {
			parts[i] = uint32(w.form(w.e.scalar(k), []ir.Lane{l}))
		}
		return w.pure(key, lanes, spirv.OpCompositeConstruct, typ, parts...)
	}
	if first.Mod != 0 {
		return w.modify(typ, k, lanes, first.Mod, key)
	}
	base := uint32(w.form(w.e.vector(from, n), lanes))
	switch {
	case k == Bool && from == Float:
		return w.pure(key, lanes, spirv.OpINotEqual, typ, uint32(w.form(w.e.vector(Uint, n), lanes)),
			w.splat(Uint, 0, n))
	case k == Bool:
		return w.pure(key, lanes, spirv.OpINotEqual, typ, base, w.splat(from, 0, n))
	case from == Bool:
		return w.pure(key, lanes, spirv.OpSelect, typ, base, w.splat(k, ^uint32(0), n), w.splat(k, 0, n))
	}
	return w.pure(key, lanes, spirv.OpBitcast, typ, base)
}

// modify returns lanes under a modifier.
func (w *writer) modify(typ spirv.ID, k Scalar, lanes []ir.Lane, mod ir.LaneMod, key string) spirv.ID {
	n := len(lanes)
	under := make([]ir.Lane, n)
	for i, l := range lanes {
		switch {
		case !isFixed(l):
			l.Mod = 0
		case l.V != nil && l.V.Kind == ir.Literal: // undo the modifier
			bits := literalBits(k, l)
			if mod&ir.Not != 0 {
				bits = ^bits
			}
			l = literal(mod.Apply(bits))
		}
		under[i] = l
	}
	if mod&ir.Not != 0 {
		b := w.e.vector(Bool, n)
		id := w.form(b, under)
		id = w.pure(laneKey(b, lanes), lanes, spirv.OpLogicalNot, b, uint32(id))
		if typ == b {
			return id
		}
		return w.pure(key, lanes, spirv.OpSelect, typ, uint32(id), w.splat(k, ^uint32(0), n), w.splat(k, 0, n))
	}
	f := w.e.vector(Float, n)
	id := w.form(f, under)
	if mod&ir.Abs != 0 {
		abs := slices.Clone(lanes)
		for i := range abs {
			abs[i].Mod &^= ir.Neg
		}
		id = w.glsl(laneKey(f, abs), abs, spirv.GLSLFAbs, f, id)
	}
	if mod&ir.Neg != 0 {
		id = w.pure(laneKey(f, lanes), lanes, spirv.OpFNegate, f, uint32(id))
	}
	if typ != f {
		return w.pure(key, lanes, spirv.OpBitcast, typ, uint32(id))
	}
	return id
}

// splat returns the constant of n lanes with these bits.
func (w *writer) splat(k Scalar, bits uint32, n int) uint32 {
	return uint32(w.constant(w.e.vector(k, n), slices.Repeat([]ir.Lane{literal(bits)}, n)))
}

// literal returns a lane with these bits. No function owns the value.
func literal(bits uint32) ir.Lane { return ir.Lane{V: &ir.Value{Kind: ir.Literal, Bits: bits}} }

// glsl appends an instruction of GLSL.std.450 without effects.
func (w *writer) glsl(key string, lanes []ir.Lane, op spirv.GLSL, typ spirv.ID, args ...spirv.ID) spirv.ID {
	words := []uint32{uint32(w.e.glslImport()), uint32(op)}
	for _, a := range args {
		words = append(words, uint32(a))
	}
	return w.pure(key, lanes, spirv.OpExtInst, typ, words...)
}
