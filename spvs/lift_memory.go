package spvs

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// maxIndex is the largest Index of a register.
const maxIndex = math.MaxUint16

// load reads the lanes that a pointer names.
func (l *lifter) load(q *pointer) []*ir.Value {
	v := q.v
	if !q.shape.isValue() || l.err != nil {
		l.unsupported("the type is not a value of numbers with 32 bits")
		return nil
	}
	switch {
	case v.memory:
		return l.loadArray(q)
	case v.isBlock():
		return l.loadBlock(q)
	case v.class == spirv.StorageClassInput, v.class == spirv.StorageClassOutput, v.class == spirv.StorageClassPrivate,
		v.class == spirv.StorageClassFunction:
	default:
		l.unsupported("loads from the storage class " + v.class.String() + " are not supported")
		return nil
	}
	if q.component != 0 {
		whole := l.variableLanes(v, q.lane, q.vector)
		return []*ir.Value{l.pick(whole, q.component, q.shape.scalar)}
	}
	return l.variableLanes(v, q.lane, q.shape.lanes)
}

// variableLanes returns lanes of a variable that is not in memory.
func (l *lifter) variableLanes(v *variable, first, n int) []*ir.Value {
	if v.class == spirv.StorageClassInput {
		return l.inputs(v, first, n)
	}
	pl := l.place(v)
	if first+n > int(pl.count) {
		l.unsupported("the variable has no lanes of 32 bits")
		return nil
	}
	return l.slots(place{pl.first + int32(first), int32(n)})
}

// pick selects a lane by a dynamic index. The result is undefined if the index is out of range.
func (l *lifter) pick(lanes []*ir.Value, index spirv.ID, t Scalar) *ir.Value {
	at := l.index(index)
	v := l.undef()
	l.note([]*ir.Value{v}, t)
	for k := len(lanes) - 1; k >= 0 && l.err == nil; k-- {
		is := l.scalar(Bool, ir.OpIEq, at, l.f.Const(uint32(k)))
		v = l.scalar(t, ir.OpSel, is, lanes[k], v)
	}
	return v
}

// replace returns lanes with x in place of the lane that a dynamic index selects. All lanes are undefined if the index
// is out of range.
func (l *lifter) replace(lanes []*ir.Value, index spirv.ID, x *ir.Value, t Scalar) []*ir.Value {
	at := l.index(index)
	inside := l.scalar(Bool, ir.OpULt, at, l.f.Const(uint32(len(lanes))))
	list := make([]*ir.Value, len(lanes))
	for k, v := range lanes {
		is := l.scalar(Bool, ir.OpIEq, at, l.f.Const(uint32(k)))
		list[k] = l.scalar(t, ir.OpSel, inside, l.scalar(t, ir.OpSel, is, x, v), l.undef())
	}
	return list
}

// index returns the value of a dynamic index.
func (l *lifter) index(id spirv.ID) *ir.Value {
	lanes := l.lanes(id)
	if len(lanes) != 1 {
		l.unsupported("an index is not a scalar")
		return l.f.Const(0)
	}
	return lanes[0]
}

// store writes the lanes that a pointer names.
func (l *lifter) store(q *pointer, lanes []*ir.Value) {
	v := q.v
	switch {
	case l.err != nil:
		return
	case !q.shape.isValue() || len(lanes) != q.shape.lanes:
		l.unsupported("the type is not a value of numbers with 32 bits")
		return
	case v.memory:
		l.storeArray(q, lanes)
		return
	case v.isBlock() && !l.x.readOnly(v):
		l.storeBlock(q, lanes)
		return
	case v.class == spirv.StorageClassOutput, v.class == spirv.StorageClassPrivate,
		v.class == spirv.StorageClassFunction:
	default:
		l.unsupported("stores to the storage class " + v.class.String() + " are not supported")
		return
	}
	pl := l.place(v)
	first, n := pl.first+int32(q.lane), len(lanes)
	if q.component != 0 {
		n = q.vector
	}
	if q.lane+n > int(pl.count) {
		l.unsupported("the variable has no lanes of 32 bits")
		return
	}
	if q.component != 0 {
		lanes = l.replace(l.slots(place{first, int32(n)}), q.component, lanes[0], q.shape.scalar)
	}
	l.setSlots(place{first, int32(n)}, lanes)
}

// begins writes the initial value of a variable where its lifetime begins: the initializer, or an undefined value.
func (l *lifter) begins(v *variable) {
	switch v.class {
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassOutput:
	default:
		l.unsupported("a variable of the storage class " + v.class.String() + " is in a function")
		return
	}
	if in := &l.x.Insts[v.at]; len(in.Args) > 1 {
		first := len(*l.Code)
		l.store(pointerTo(v), l.lanes(spirv.ID(in.Args[1])))
		l.recordStores(v.at, first, nil, pointerTo(v))
		return
	}
	if v.memory {
		return
	}
	pl := l.place(v)
	for slot := pl.first; slot < pl.first+pl.count; slot++ {
		if l.Current(slot) != nil {
			l.SetSlot(slot, l.undefinedSlot(slot))
		}
	}
}

// globals writes the initial values of variables outside of functions.
func (l *lifter) globals() {
	for _, v := range l.used {
		switch {
		case v.class == spirv.StorageClassPrivate, v.class == spirv.StorageClassOutput:
			l.at = v.at
			l.begins(v)
		case v.class == spirv.StorageClassInput && v.memory:
			if v.shape.isValue() {
				l.at = v.at
				first := len(*l.Code)
				l.storeArray(pointerTo(v), l.inputs(v, 0, v.shape.lanes))
				l.recordStores(v.at, first, nil, pointerTo(v))
			}
		}
	}
}

// eachRegister visits the registers of a value in memory: the number from the start of the value, the first lane, and
// the number of lanes.
func eachRegister(s *shape, register, lane int, visit func(register, lane, n int)) {
	switch s.kind {
	case scalarType, vectorType:
		visit(register, lane, s.lanes)
	case matrixType, arrayType:
		for k := range s.count {
			eachRegister(s.elem, register+k*s.elem.registers, lane+k*s.elem.lanes, visit)
		}
	case structType:
		for k, m := range s.members {
			eachRegister(m, register+s.registerAt[k], lane+s.laneAt[k], visit)
		}
	}
}

// arrayAddress computes the number of a register in an array.
func (l *lifter) arrayAddress(q *pointer) *ir.Value {
	var sum *ir.Value
	for _, s := range q.steps {
		sum = l.addProduct(sum, l.index(s.index), s.registers)
	}
	return sum
}

// addProduct computes sum + index*stride. sum may be nil.
func (l *lifter) addProduct(sum, index *ir.Value, stride int) *ir.Value {
	if stride != 1 {
		index = l.fold(ir.OpIMul, index, l.f.Const(uint32(stride)))
	}
	if sum == nil {
		return index
	}
	return l.fold(ir.OpIAdd, sum, index)
}

// plus computes sum + n. sum may be nil.
func (l *lifter) plus(sum *ir.Value, n int) *ir.Value {
	switch {
	case sum == nil:
		return l.f.Const(uint32(n))
	case n == 0:
		return sum
	}
	return l.fold(ir.OpIAdd, sum, l.f.Const(uint32(n)))
}

// fold computes a sum or a product of integers, at once if both are literals.
func (l *lifter) fold(op ir.Op, a, b *ir.Value) *ir.Value {
	if a.Kind == ir.Literal && b.Kind == ir.Literal {
		if op == ir.OpIMul {
			return l.f.Const(a.Bits * b.Bits)
		}
		return l.f.Const(a.Bits + b.Bits)
	}
	return l.scalar(Int, op, a, b)
}

// loadArray reads a variable in memory.
func (l *lifter) loadArray(q *pointer) (lanes []*ir.Value) {
	home := l.home(q.v)
	sum := l.arrayAddress(q)
	lanes = make([]*ir.Value, q.shape.lanes)
	types := q.shape.scalars(nil)
	if q.vector > 0 { // a component of a vector
		first, n := 0, q.vector
		if q.component == 0 {
			first, n = q.offset, 1
		}
		list := l.memoryLoad(home, home, 0, l.plus(sum, q.register), first, n, types[0])
		if q.component != 0 {
			list[0] = l.pick(list, q.component, types[0])
		}
		return list[:1]
	}
	eachRegister(q.shape, q.register, 0, func(register, lane, n int) {
		if l.err == nil {
			copy(lanes[lane:], l.memoryLoad(home, home, 0, l.plus(sum, register), 0, n, types[lane]))
		}
	})
	return lanes
}

// storeArray writes a variable in memory.
func (l *lifter) storeArray(q *pointer, lanes []*ir.Value) {
	home := l.home(q.v)
	sum := l.arrayAddress(q)
	if q.component != 0 {
		at := l.plus(sum, q.register)
		old := l.memoryLoad(home, home, 0, at, 0, q.vector, q.shape.scalar)
		l.memoryStore(home, home, 0, at, 0, l.replace(old, q.component, lanes[0], q.shape.scalar))
		return
	}
	if q.vector > 0 {
		l.memoryStore(home, home, 0, l.plus(sum, q.register), q.offset, lanes)
		return
	}
	eachRegister(q.shape, q.register, 0, func(register, lane, n int) {
		if l.err == nil {
			l.memoryStore(home, home, 0, l.plus(sum, register), 0, lanes[lane:lane+n])
		}
	})
}

// memoryLoad appends a load of n lanes from first on.
func (l *lifter) memoryLoad(base, state ir.Reg, kind uint32, address *ir.Value, first, n int, t Scalar) []*ir.Value {
	in := l.begin(ir.OpMemLoad, ir.Operand{{V: address}})
	in.Base, in.Imm = base, kind
	in.Args = []*ir.Value{l.Slot(l.state(state))}
	return l.finishAt(in, t, first, n)
}

// memoryStore appends a store of lanes from first on.
func (l *lifter) memoryStore(base, state ir.Reg, kind uint32, address *ir.Value, first int, lanes []*ir.Value) {
	var data ir.Operand
	for i, v := range lanes {
		data[first+i].V = v
	}
	in := l.begin(ir.OpMemStore, ir.Operand{{V: address}}, data)
	in.Base, in.Imm = base, kind
	l.Thread(in, l.state(state))
	*l.Code = append(*l.Code, in)
}
