package spirv

// variable is a variable of the module. Its words are slots from slot on, bytes of a buffer, or descriptors.
type variable struct {
	number   int
	id       uint32
	class    uint32
	t        *typ
	slot     int32
	initial  int32    // slot of the initializer, -1 without one
	resource Resource // of buffers, images and samplers
	index    int      // of the resource in the program
	size     uint32   // least bytes of a buffer
	readOnly bool     // no invocation can write it
}

// pointer is a pointer. The address counts slots from the start of a variable, bytes in a buffer (with the number of
// the descriptor from bit elementShift on), or descriptors. It is offset plus the word in slot dyn.
type pointer struct {
	v      *variable // if nil, slot number holds the number of the variable
	number int32
	offset uint32
	dyn    int32 // or -1
	t      *typ  // of the object
	class  uint32
	layout matrixLayout
	texel  *imageAccess // of OpImageTexelPointer
}

// elementShift is the position of the descriptor's number in an address of a buffer. badAddress marks an index out of
// range; the sum of an address with a smaller number stays out of range.
const (
	elementShift = 22
	badAddress   = 1 << 31
)

// pointsToSlots reports whether a storage class has slots.
func pointsToSlots(class uint32) bool {
	switch class {
	case classInput, classOutput, classPrivate, classFunction, classWorkgroup:
		return true
	}
	return false
}

// pointsToBuffer reports whether a storage class has bytes in buffers.
func pointsToBuffer(class uint32) bool {
	return class == classUniform || class == classStorageBuffer || class == classPushConstant
}

// variable returns the variable that an instruction declares.
func (c *compiler) variable(in *inst) *variable {
	if v := c.variables[in.result]; v != nil {
		return v
	}
	t := c.typeOf(in.typ)
	class := c.literal(in, 0)
	if t.kind != kindPointer || t.elem.kind == kindUnsupported {
		c.fail(in, "not-supported", "a variable has a type that the interpreter does not know")
	}
	c.require(in, class == t.class)
	v := &variable{number: len(c.p.variables), id: in.result, class: class, t: t.elem, initial: -1}
	list := c.m.decorations[in.result]
	switch {
	case pointsToSlots(class):
		if _, perVertex := find(list, decorationPerVertex); perVertex {
			c.fail(in, "not-supported", "inputs without interpolation are not supported")
		}
		v.slot = c.alloc(in, v.t.slots)
		if len(in.args) > 1 {
			v.initial = c.sized(in, 1, v.t.slots)
		}
	case pointsToBuffer(class), class == classUniformConstant:
		v.resource.Push = class == classPushConstant
		v.resource.Set, _ = find(list, decorationSet)
		v.resource.Binding, _ = find(list, decorationBinding)
		v.describe()
		index, ok := c.p.resources[v.resource]
		if !ok {
			index = len(c.p.resources)
			c.p.resources[v.resource] = index
		}
		v.index = index
	default:
		c.fail(in, "not-supported", "the storage class %d is not supported", class)
	}
	c.variables[in.result] = v
	c.p.variables = append(c.p.variables, v)
	return v
}

// describe sets the extent of a buffer. Descriptors of an array have the type of the elements.
func (v *variable) describe() {
	t := v.t
	for (t.kind == kindArray || t.kind == kindRuntimeArray) && t.stride == 0 {
		t = t.elem
	}
	v.readOnly = v.class != classStorageBuffer && !t.storage
	v.size = t.extent(matrixLayout{})
	if t.kind == kindStruct && len(t.members) > 0 {
		if k := len(t.members) - 1; t.members[k].kind == kindRuntimeArray {
			v.size = max(v.size, BufferSize)
		}
	}
}

// pointerOf returns the pointer with an id.
func (c *compiler) pointerOf(id uint32) (pointer, bool) {
	if p, ok := c.pointers[id]; ok {
		return p, true
	}
	in := c.m.lookup(id)
	if in == nil {
		return pointer{}, false
	}
	t := c.typeOf(in.typ)
	if t.kind != kindPointer {
		return pointer{}, false
	}
	p := pointer{dyn: -1, t: t.elem, class: t.class}
	switch {
	case in.op == opVariable:
		p.v = c.variable(in)
		p.t = p.v.t
	case in.op == opFunctionParameter && c.slots[id] != 0:
		p.number, p.dyn = c.slots[id]-1, c.slots[id]
	default:
		return pointer{}, false
	}
	return p, true
}

// pointer returns the pointer that operand i names.
func (c *compiler) pointer(in *inst, i int) pointer {
	c.require(in, i < len(in.args))
	p, ok := c.pointerOf(in.args[i])
	if !ok {
		c.fail(in, "not-supported", "opcode %d uses %%%d, which is no pointer that the interpreter follows", in.op, in.args[i])
	}
	return p
}

// memory translates accesses to variables.
func (c *compiler) memory(in *inst) {
	switch in.op {
	case opAccessChain, opInBoundsAccessChain:
		p := c.pointer(in, 0)
		c.pointers[in.result] = c.chain(in, p, in.args[1:])
	case opArrayLength:
		p := c.pointer(in, 0)
		k := int(c.literal(in, 1))
		c.require(in, p.t.kind == kindStruct && k < len(p.t.members) && p.t.members[k].kind == kindRuntimeArray)
		stride := p.t.members[k].stride
		c.require(in, stride > 0)
		slot, t := c.result(in)
		c.require(in, t.slots == 1)
		c.emit(in, instr{run: (*machine).arrayLength, dst: slot, n: 1, from: p,
			args: []int32{int32(p.t.offsets[k]), int32(stride)}})
	case opLoad:
		c.load(in, c.pointer(in, 0))
	case opStore:
		p := c.pointer(in, 0)
		slot, t := c.value(in, 1)
		c.require(in, t.slots == p.t.slots)
		c.store(in, p, slot)
	case opCopyMemory:
		to, from := c.pointer(in, 0), c.pointer(in, 1)
		c.require(in, to.t.slots == from.t.slots)
		slot := c.alloc(in, to.t.slots)
		c.emit(in, instr{run: loadOf(from), dst: slot, n: int32(from.t.slots), from: from, args: from.words()})
		c.store(in, to, slot)
	}
}

// words returns the distance of each word of the object from its address, or nil if they are consecutive slots.
func (p *pointer) words() []int32 {
	if !pointsToBuffer(p.class) {
		return nil
	}
	return p.t.leaves(p.layout)
}

// fixed reports whether the object has fixed slots in a variable.
func (p *pointer) fixed() bool {
	return p.v != nil && p.dyn < 0 && pointsToSlots(p.class) && p.class != classWorkgroup && uint64(p.offset)+uint64(p.t.slots) <= uint64(p.v.t.slots)
}

// load translates OpLoad. A load from an input at a fixed place is the input itself.
func (c *compiler) load(in *inst, p pointer) {
	t := c.typeOf(in.typ)
	c.require(in, t.slots == p.t.slots && p.texel == nil)
	if p.class == classInput && p.fixed() && p.v.initial < 0 {
		c.define(in, p.v.slot+int32(p.offset))
		return
	}
	slot, _ := c.result(in)
	c.emit(in, instr{run: loadOf(p), dst: slot, n: int32(t.slots), from: p, args: p.words()})
}

// loadOf returns the routine that loads from a pointer.
func loadOf(p pointer) func(*machine, *instr) {
	switch {
	case p.class == classUniformConstant:
		return (*machine).loadHandle
	case p.fixed():
		return (*machine).loadSlots
	case p.v != nil && p.dyn < 0 && p.v.readOnly:
		return (*machine).loadUniform
	}
	return (*machine).loadWords
}

// store translates a store of the value in a slot.
func (c *compiler) store(in *inst, p pointer, slot int32) {
	c.require(in, p.class != classUniformConstant && p.class != classInput && p.texel == nil)
	run := (*machine).storeWords
	if p.fixed() {
		run = (*machine).storeSlots
	}
	c.emit(in, instr{run: run, a: slot, n: int32(p.t.slots), to: p, args: p.words()})
}

// chain returns the pointer to a part of an object.
func (c *compiler) chain(in *inst, p pointer, indices []uint32) pointer {
	var terms []int32 // slot, stride and count of each dynamic index
	for _, id := range indices {
		def := c.m.lookup(id)
		c.require(in, def != nil)
		k, constant := c.constantWord(id)
		if p.t.kind == kindStruct {
			c.require(in, constant && int64(k) < int64(len(p.t.members)))
			p.enter(int(k))
			continue
		}
		stride, count := p.stride()
		if p.t.elem == nil || p.t.kind == kindPointer {
			c.require(in, false)
		}
		p.t = p.t.elem
		switch {
		case !constant:
			slot, t := c.value(&inst{op: in.op, args: []uint32{id}, at: in.at}, 0)
			c.require(in, t.slots == 1)
			terms = append(terms, slot, int32(stride), int32(count))
		case count >= 0 && int64(k) >= int64(count) || uint64(k)*uint64(stride) >= badAddress || p.offset >= badAddress:
			p.offset = badAddress
		default:
			p.offset = min(p.offset+k*stride, badAddress)
		}
	}
	if p.offset >= badAddress {
		p.dyn = -1
	} else if terms != nil {
		slot := c.alloc(in, 1)
		c.emit(in, instr{run: (*machine).address, dst: slot, n: 1, a: p.dyn, args: terms})
		p.dyn = slot
	}
	return p
}

// enter makes the pointer one to member k of a struct.
func (p *pointer) enter(k int) {
	t := p.t
	p.t = t.members[k]
	if p.offset >= badAddress {
		return
	}
	if pointsToBuffer(p.class) {
		p.offset = min(p.offset+t.offsets[k], badAddress)
		p.layout = t.layouts[k]
	} else {
		p.offset += uint32(t.starts[k])
	}
}

// stride returns the distance of the elements of an array, vector or matrix, and their number, or -1 if it is
// unknown.
func (p *pointer) stride() (stride uint32, count int) {
	t := p.t
	count = t.count
	if t.kind == kindRuntimeArray {
		count = -1
	}
	switch {
	case p.class == classUniformConstant:
		stride = 1
		for e := t.elem; e != nil && e.kind == kindArray; e = e.elem {
			stride *= uint32(e.count)
		}
	case !pointsToBuffer(p.class):
		if t.elem != nil {
			stride = uint32(t.elem.slots)
		}
	case t.elementStride(p.layout) == 0: // descriptors
		stride = 1 << elementShift
	default:
		stride = t.elementStride(p.layout)
	}
	return stride, count
}

// atomic translates an atomic instruction.
func (c *compiler) atomic(in *inst) {
	p := c.pointer(in, 0)
	c.require(in, p.t.slots == 1 && p.class != classUniformConstant && p.class != classInput)
	code := instr{run: (*machine).atomic, n: 1, to: p, args: p.words()}
	code.total = atomicOps[in.op]
	if in.op == opAtomicStore {
		code.dst = c.alloc(in, 1)
		code.a = c.sized(in, 3, 1)
	} else {
		code.dst, _ = c.result(in)
	}
	if in.op != opAtomicStore && in.op != opAtomicLoad {
		switch {
		case in.op == opAtomicCompare:
			code.a, code.b = c.sized(in, 4, 1), c.sized(in, 5, 1)
		case in.op != opAtomicIncrement && in.op != opAtomicIncrement+1:
			code.a = c.sized(in, 3, 1)
		}
	}
	c.require(in, code.total != nil)
	c.emit(in, code)
}
