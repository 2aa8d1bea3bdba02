package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// object is a part of a variable, and the constant indices that select it.
type object struct {
	pointer
	path []uint32
	file ir.File // of the registers of a block
}

// child returns part n of an object.
func (x *index) child(o object, n int) object {
	s := o.shape
	c := object{o.pointer, append(o.path[:len(o.path):len(o.path)], uint32(n)), o.file}
	switch s.kind {
	case structType:
		part, lane, _ := s.part(uint32(n))
		c.lane += lane
		c.shape = part
		x.memberLayout(&c.pointer, x.members[member{s.id, uint32(n)}])
		return c
	case vectorType:
		c.byte += n * o.componentStride()
	case arrayType:
		stride, _ := number(x.decorations[s.id], spirv.DecorationArrayStride)
		c.byte += n * int(stride)
	case matrixType:
		c.byte += n * o.columnStride
	}
	c.shape = s.elem
	c.lane += n * c.shape.lanes
	return c
}

// parts returns the number of parts of a type.
func (s *shape) parts() int {
	if s.kind == structType {
		return len(s.members)
	}
	return s.count
}

// at returns the part of o that contains a lane, or a byte of a block. ok is false if there is none.
func (x *index) at(o object, lane, byte int) (c object, ok bool) {
	s := o.shape
	n := 0
	switch {
	case s.kind == structType && o.v.isBlock():
		best := -1
		for i := range s.members {
			m := x.child(o, i)
			if m.byte <= byte && m.byte > best {
				best, n, ok = m.byte, i, true
			}
		}
		return x.child(o, n), ok
	case s.kind == structType:
		for n+1 < len(s.members) && o.lane+s.laneAt[n+1] <= lane {
			n++
		}
		return x.child(o, n), len(s.members) > 0
	case s.elem == nil:
		return o, false
	case o.v.isBlock():
		offset := byte - o.byte
		switch {
		case s.kind == matrixType && o.columnStride > o.rowStride:
			n = offset / o.columnStride
		case s.kind == matrixType && o.rowStride > 0:
			n = offset % o.rowStride / 4
		case s.kind == arrayType:
			if stride, _ := number(x.decorations[s.id], spirv.DecorationArrayStride); stride > 0 {
				n = offset / int(stride)
			}
		default:
			n = offset / o.componentStride()
		}
	default:
		n = (lane - o.lane) / s.elem.lanes
	}
	if n < 0 || n >= s.count && s.count > 0 {
		return o, false
	}
	return x.child(o, n), true
}

// regs appends the registers of the lanes of an object.
func (w *writer) regs(o object, list []ir.Reg) []ir.Reg {
	if o.shape.kind == scalarType {
		if !o.v.isBlock() {
			return append(list, o.v.regs[o.lane])
		}
		return append(list, ir.Reg{File: o.file, Index: uint16(o.byte / 16), Comp: uint8(o.byte % 16 / 4)})
	}
	for n := range o.shape.parts() {
		list = w.regs(w.x.child(o, n), list)
	}
	return list
}

// leafLanes returns the leaves of an object. Lanes that the program does not read have no value.
func (w *writer) leafLanes(o object) []ir.Lane {
	list := w.regs(o, nil)
	lanes := make([]ir.Lane, len(list))
	for i, r := range list {
		lanes[i] = ir.Lane{V: w.leaves[r]}
	}
	return lanes
}

// objects returns the parts of a variable that contain a leaf, the largest first.
func (w *writer) objects(v *ir.Value) (list []object) {
	var o object
	lane, byte := 0, 0
	if p, ok := w.places[v.Home]; ok {
		o, lane = object{pointer: *pointerTo(p.v)}, p.lane
	} else if b, ok := w.blocks[v.Home.File]; ok {
		o, byte = object{pointer: *pointerTo(b.v), file: v.Home.File}, int(v.Home.Index)*16+int(v.Home.Comp)*4
		if b.v.arrayed {
			o.path = []uint32{uint32(b.element)}
		}
	} else {
		return nil
	}
	list = append(list, o)
	for o.shape.kind != scalarType {
		c, ok := w.x.at(o, lane, byte)
		if !ok {
			return nil
		}
		o = c
		list = append(list, o)
	}
	return list
}

// loadLeaf loads a leaf, with the vector that contains it if the program reads several lanes of that.
func (w *writer) loadLeaf(v *ir.Value) {
	if v.Home.File == SpecConst {
		id := w.specs[int(v.Home.Index)]
		t := w.x.typeOf(id)
		w.record("", &held{id: id, typ: t.id, kind: t.scalar, lanes: []ir.Lane{{V: v}}})
		return
	}
	list := w.objects(v)
	if len(list) == 0 {
		w.fail("no variable holds %v", w.f.Dialect.RegName(v.Home))
		return
	}
	o := list[len(list)-1]
	if len(list) > 1 {
		vector := list[len(list)-2]
		if vector.shape.kind == vectorType && (len(vector.path) == 0 || w.readLanes(vector) > 1) {
			o = vector
		}
	}
	w.load(o, w.leafLanes(o))
}

// readLanes returns the number of lanes of an object that the program reads.
func (w *writer) readLanes(o object) (n int) {
	for _, l := range w.leafLanes(o) {
		if l.V != nil {
			n++
		}
	}
	return n
}

// loadWhole loads an object of a type if its leaves are the lanes, or returns 0.
func (w *writer) loadWhole(typ spirv.ID, lanes []ir.Lane, key string) spirv.ID {
	if lanes[0].V == nil || !lanes[0].V.IsLeaf() || lanes[0].V.Kind == ir.Literal {
		return 0
	}
	for _, o := range w.objects(lanes[0].V) {
		if o.shape.id != typ {
			continue
		}
		if have := w.leafLanes(o); agree(have, lanes) {
			return w.load(o, have)
		}
	}
	return 0
}

// load loads an object.
func (w *writer) load(o object, lanes []ir.Lane) spirv.ID {
	typ := o.shape.id
	key := laneKey(typ, lanes)
	if h := w.find(key); h != nil {
		return h.id
	}
	inner := w.cur
	w.cur = w.outside(lanes)
	defer func() { w.cur = inner }()
	return w.pure(key, lanes, spirv.OpLoad, typ, uint32(w.chain(o)))
}

// chain returns a pointer to an object.
func (w *writer) chain(o object) spirv.ID {
	w.declare(o.v)
	if len(o.path) == 0 {
		return o.v.id
	}
	args := []uint32{uint32(o.v.id)}
	for _, n := range o.path {
		args = append(args, uint32(w.e.index(n)))
	}
	return w.chainOf(o.v.class, o.shape.id, args)
}

// chainOf returns the access chain with these operands, a pointer to a type.
func (w *writer) chainOf(class spirv.StorageClass, to spirv.ID, args []uint32) spirv.ID {
	key := []byte("chain")
	for _, a := range args {
		key = appendWord(key, a)
	}
	if h := w.find(string(key)); h != nil {
		return h.id
	}
	return w.pure(string(key), nil, spirv.OpAccessChain, w.e.pointer(class, to), args...)
}

// index returns the constant of an index of an access chain.
func (e *editor) index(n uint32) spirv.ID {
	for _, signed := range []uint32{1, 0} {
		t := e.intern(spirv.OpTypeInt, 0, 32, signed)
		if id := e.interned[contentKey(&spirv.Inst{Op: spirv.OpConstant, Type: t, Args: []uint32{n}})]; id != 0 {
			return id
		}
	}
	return e.word(Int, n)
}

// store writes lanes to an object. Lanes without a defined value keep the contents of their part: drivers may give an
// undefined component a value, which costs an instruction.
func (w *writer) store(o object, lanes []ir.Lane) {
	missing := 0
	for _, l := range lanes {
		if l.V == nil || l.V.Kind == ir.Undef {
			missing++
		}
	}
	_, n := w.e.kindOf(o.shape.id)
	switch {
	case missing == len(lanes):
	case missing == 0 && (n > 0 || w.find(laneKey(o.shape.id, lanes)) != nil):
		w.append(spirv.OpStore, 0, uint32(w.chain(o)), uint32(w.form(o.shape.id, lanes)))
	default:
		for i := range o.shape.parts() {
			c := w.x.child(o, i)
			at := c.lane - o.lane
			w.store(c, lanes[at:at+c.shape.lanes])
		}
	}
}

// storeOutputs writes the outputs at the end of the program.
func (w *writer) storeOutputs() {
	for _, v := range w.outputs {
		lanes := make([]ir.Lane, len(v.regs))
		for i, r := range v.regs {
			x := w.f.OutputValue(r)
			if x == nil || x.Def != nil && x.Def.Op == ir.OpMemLoad && x.Def.Orig == int32(v.at) { // it is in the variable
				continue
			}
			lanes[i] = w.resolve(ir.Lane{V: x})
		}
		w.store(object{pointer: *pointerTo(v)}, lanes)
	}
}

// ensure makes the value of a lane available as kind k, if it is a leaf that was not loaded, or an instruction that was
// put off.
func (w *writer) ensure(v *ir.Value, k Scalar) {
	switch {
	case w.holder(v, k) != nil:
	case v.IsLeaf():
		w.loadLeaf(v)
	case v.Def != nil && w.deferred[v.Def]:
		w.generic(v.Def)
	}
}

// heldKind returns the kind in which a value can be read without a conversion.
func (w *writer) heldKind(v *ir.Value) Scalar {
	natural := w.kinds.of(v)
	if w.holder(v, natural) == nil {
		w.ensure(v, natural)
		for _, h := range slices.Backward(w.by[v]) {
			if h.isOpen() && h.kind != NoScalar {
				return h.kind
			}
		}
	}
	return natural
}
