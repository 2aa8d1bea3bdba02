package spvs

import (
	mathbits "math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// term is a multiple of a value in an address.
type term struct {
	lane ir.Lane
	by   uint32
}

// address is a part of a variable that is selected by a sum: terms, and a number. For blocks it counts bytes, for other
// variables registers.
type address struct {
	o      object
	terms  []term
	opaque bool // a term may hide a factor
	arrays int  // on the way so far
	number int
	args   []uint32 // indices so far
}

// maxTerms bounds the terms of an address.
const maxTerms = 8

// linear adds by times a value to the address, as far as that is a sum of products with literals.
func (w *writer) linear(a *address, l ir.Lane, by uint32) {
	l = w.resolve(l)
	if l.V.Kind == ir.Literal {
		a.number += int(int32(by * l.V.Bits))
		return
	}
	if in := l.V.Def; in != nil && l.Mod == 0 && len(a.terms) < maxTerms {
		arg := func(k int) ir.Lane { return w.resolve(in.Src[k][l.V.Lane]) }
		switch in.Op {
		case ir.OpIAdd:
			w.linear(a, arg(0), by)
			w.linear(a, arg(1), by)
			return
		case ir.OpIShl:
			if n := arg(1); n.V.Kind == ir.Literal && n.V.Bits < 32 {
				w.linear(a, arg(0), by<<n.V.Bits)
				return
			}
			a.opaque = true
		case ir.OpIMul, ir.OpIMad:
			x, y := arg(0), arg(1)
			if x.V.Kind == ir.Literal {
				x, y = y, x
			}
			if y.V.Kind == ir.Literal {
				w.linear(a, x, by*y.V.Bits)
				if in.Op == ir.OpIMad {
					w.linear(a, arg(2), by)
				}
				return
			}
			a.opaque = true
		}
	}
	i := slices.IndexFunc(a.terms, func(t term) bool { return t.lane == l })
	if i < 0 {
		a.terms = append(a.terms, term{lane: l})
		i = len(a.terms) - 1
	}
	a.terms[i].by += by
}

// addressOf returns the address of lane 0 of an access to a block or to an array of the program. ok is false for others.
func (w *writer) addressOf(in *ir.Instr) (a address, ok bool) {
	var v *variable
	unit := uint32(1)
	switch {
	case in.Op == ir.OpLoad:
		b, known := w.blocks[in.Base.File]
		if !known {
			return a, false
		}
		v, unit, a.number = b.v, 16, int(in.Base.Index)*16
		if v.arrayed {
			a.args = append(a.args, uint32(w.e.index(uint32(b.element))))
		}
	case in.Base.File == Array:
		v = w.x.newVariable(int(w.x.defs[w.p.Arrays[in.Base.Index]]))
		w.declare(v)
	case in.Base.File == BlockState:
		i := slices.IndexFunc(w.p.Blocks, func(b Block) bool { return b.Memory == in.Base.Index })
		if i < 0 {
			return a, false
		}
		v = w.x.newVariable(int(w.x.defs[w.p.Blocks[i].ID]))
		if second := in.Src[0][1]; second.V != nil {
			a.args = append(a.args, uint32(w.operand(w.e.scalar(Int), []ir.Lane{second})))
		}
	default:
		return a, false
	}
	a.o = object{pointer: *pointerTo(v)}
	w.linear(&a, in.Src[0][0], unit)
	return a, true
}

// descend follows the address to a scalar or a vector. What is left of the number selects a component.
func (w *writer) descend(a *address) bool {
	for a.number >= 0 {
		s, block := a.o.shape, a.o.v.isBlock()
		n, stride := 0, 1
		switch s.kind {
		case scalarType, vectorType:
			return len(a.terms) == 0 && (block || a.number == 0)
		case structType:
			for k := range s.members {
				if at := w.offset(a.o, k); at <= a.number && at >= w.offset(a.o, n) {
					n = k
				}
			}
			a.number -= w.offset(a.o, n)
			a.args = append(a.args, uint32(w.e.index(uint32(n))))
		case arrayType, matrixType:
			if rows := a.o.rowStride; s.kind == matrixType && block && rows != 4 && rows > 0 { // the rows are in order
				n = a.number % rows / 4
				a.number -= 4 * n
				a.args = append(a.args, uint32(w.e.index(uint32(n))))
				break
			}
			a.arrays++
			if stride = w.offset(a.o, 1); stride <= 0 || a.opaque && a.arrays > 1 {
				return false
			}
			a.args = append(a.args, w.indexOf(a, stride))
		default:
			return false
		}
		a.o = w.x.child(a.o, n)
	}
	return false
}

// offset returns the offset of a part of an object: in bytes for blocks, in registers for others.
func (w *writer) offset(o object, k int) int {
	if o.v.isBlock() {
		c := w.x.child(o, k)
		return c.byte - o.byte
	}
	if o.shape.kind == structType {
		return o.shape.registerAt[k]
	}
	return k * o.shape.elem.registers
}

// indexOf returns the index of an array with a stride. It takes its part out of the address.
func (w *writer) indexOf(a *address, stride int) uint32 {
	n := a.number / stride
	a.number -= n * stride
	var sum spirv.ID
	k := Int
	rest := a.terms[:0:0]
	for _, t := range a.terms {
		if t.by%uint32(stride) != 0 {
			rest = append(rest, t)
			continue
		}
		typ := w.e.scalar(k)
		id := w.operand(typ, []ir.Lane{t.lane})
		if by := t.by / uint32(stride); by != 1 {
			id, _ = w.append(spirv.OpIMul, typ, uint32(id), uint32(w.e.word(k, by)))
		}
		if sum != 0 {
			id, _ = w.append(spirv.OpIAdd, typ, uint32(sum), uint32(id))
		}
		sum = id
	}
	a.terms = rest
	switch {
	case sum == 0:
		return uint32(w.e.index(uint32(n)))
	case n != 0:
		sum, _ = w.append(spirv.OpIAdd, w.e.scalar(k), uint32(sum), uint32(w.e.word(k, uint32(n))))
	}
	return uint32(sum)
}

// access writes a load or a store of memory by its address. It reports false if it cannot: then the instruction of the
// module says more than the IR, or the address does not select lanes of one vector.
func (w *writer) access(in *ir.Instr) bool {
	if in.Orig < 0 || in.Op != ir.OpLoad && in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore {
		return false
	}
	o := &w.p.Module.Insts[in.Orig]
	if o.Op == spirv.OpLoad && len(o.Args) > 1 || o.Op == spirv.OpStore && len(o.Args) > 2 ||
		has(w.x.decorations[o.Result], spirv.DecorationNonUniform) {
		return false
	}
	start, ok := w.addressOf(in)
	if !ok {
		return false
	}
	for mask := in.Accessed(); mask != 0; {
		a := start
		a.args, a.terms = slices.Clone(a.args), slices.Clone(a.terms)
		done := w.accessVector(in, a, mask)
		if done == 0 {
			return false
		}
		mask &^= done
	}
	return true
}

// accessVector accesses the lanes of in that are in the same scalar or vector as the first lane in mask. It returns the
// lanes that it accessed, 0 if it cannot.
func (w *writer) accessVector(in *ir.Instr, a address, mask uint8) (done uint8) {
	first := mathbits.TrailingZeros8(mask)
	block := a.o.v.isBlock()
	if block {
		a.number += 4 * first
	}
	if !w.descend(&a) {
		return 0
	}
	component, step := first, a.o.componentStride()
	if block {
		component = a.number / step
	}
	lanes := make([]ir.Lane, a.o.shape.lanes)
	for i := first; i < 4; i++ {
		at := component + i - first
		if mask>>i&1 == 0 || at >= len(lanes) || block && step != 4 && i > first {
			continue
		}
		if done |= 1 << i; in.Op == ir.OpMemStore {
			lanes[at] = w.resolve(in.Src[1][i])
		} else {
			lanes[at] = ir.Lane{V: in.Out[i]}
		}
	}
	base := append([]uint32{uint32(a.o.v.id)}, a.args...)
	if in.Op == ir.OpMemStore {
		w.storeLanes(&a, base, lanes)
		return done
	}
	id, _ := w.append(spirv.OpLoad, a.o.shape.id, uint32(w.chainOf(a.o.v.class, a.o.shape.id, base)))
	w.record("", &held{id: id, typ: a.o.shape.id, kind: a.o.shape.scalar, lanes: lanes, block: w.cur})
	return done
}

// storeLanes stores a whole vector, or its components that have a value.
func (w *writer) storeLanes(a *address, base []uint32, lanes []ir.Lane) {
	s := a.o.shape
	if !slices.ContainsFunc(lanes, func(l ir.Lane) bool { return l.V == nil }) {
		w.append(spirv.OpStore, 0, uint32(w.chainOf(a.o.v.class, s.id, base)), uint32(w.form(s.id, lanes)))
		return
	}
	for k, l := range lanes {
		if l.V != nil {
			args := append(slices.Clone(base), uint32(w.e.index(uint32(k))))
			part := s.elem.id
			w.append(spirv.OpStore, 0, uint32(w.chainOf(a.o.v.class, part, args)), uint32(w.form(part, []ir.Lane{l})))
		}
	}
}
