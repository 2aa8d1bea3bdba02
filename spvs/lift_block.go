package spvs

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// Block is a buffer or push constants, or one descriptor of an array of buffers.
type Block struct {
	// File is the file of its registers. It is 0 if only the state File BlockState with the index Memory is used.
	File   ir.File
	Memory uint16
	ID     spirv.ID // of the variable
	Type   spirv.ID // of the block
	Class  spirv.StorageClass
	// Set, Binding and Element name the descriptor. Push constants have none.
	Set, Binding uint32
	Element      int
}

// blockKey is a block that the program uses as registers.
type blockKey struct {
	v       *variable
	element int
}

// resourceKey returns the identity of a resource: its descriptor.
func (x *index) resourceKey(v *variable) string {
	if v.class == spirv.StorageClassPushConstant {
		return "push"
	}
	list := x.decorations[v.id]
	if v.isBlock() && has(list, spirv.DecorationAliased) {
		return "aliased"
	}
	set, _ := number(list, spirv.DecorationDescriptorSet)
	binding, _ := number(list, spirv.DecorationBinding)
	return fmt.Sprintf("%d.%d", set, binding)
}

// elementKey returns the identity of a descriptor in an array of them.
func (x *index) elementKey(v *variable, element int) string {
	if v.arrayed {
		return fmt.Sprintf("%s[%d]", x.resourceKey(v), element)
	}
	return x.resourceKey(v)
}

// constantKey returns the identity of a specialization constant.
func constantKey(model spirv.ExecutionModel, id uint32) string {
	return fmt.Sprintf("%v %d", model, id)
}

// home returns the home of the state of a variable in memory.
func (p *places) home(v *variable) ir.Reg {
	switch {
	case v.isBlock():
		return ir.Reg{File: BlockState, Index: uint16(p.names.number(nameMemory, p.x.resourceKey(v)))}
	case v.class == spirv.StorageClassWorkgroup:
		key := fmt.Sprint("workgroup ", v.array, v.shape.kind, v.shape.lanes)
		return ir.Reg{File: ImageState, Index: uint16(p.names.number(nameMemory, key))}
	case v.class == spirv.StorageClassUniformConstant:
		return ir.Reg{File: ImageState, Index: uint16(p.names.number(nameMemory, p.x.resourceKey(v)))}
	}
	return ir.Reg{File: Array, Index: uint16(v.array)}
}

// block returns the file of a block, and adds it to the list of the program.
func (l *lifter) block(v *variable, element int, registers bool) ir.File {
	k := blockKey{v, element}
	n, known := l.blocks[k]
	if !known {
		n = len(l.blockList)
		l.blocks[k] = n
		list := l.x.decorations[v.id]
		b := Block{ID: v.id, Type: v.shape.id, Class: v.class, Element: element, Memory: l.home(v).Index}
		b.Set, _ = number(list, spirv.DecorationDescriptorSet)
		b.Binding, _ = number(list, spirv.DecorationBinding)
		l.blockList = append(l.blockList, b)
	}
	if registers && l.blockList[n].File == 0 {
		number := l.names.number(nameBlock, l.x.elementKey(v, element))
		if number >= maxBlocks {
			l.fail("too-large", "the programs use more than %d blocks", maxBlocks)
			number = 0
		}
		l.blockList[n].File = firstBlock + ir.File(number)
	}
	return l.blockList[n].File
}

// piece is a scalar or a vector in a block: its first byte, the bytes between components, its first lane, and the
// number of lanes.
type piece struct{ byte, stride, lane, n int }

// eachPiece visits the scalars and vectors of a type in a block.
func (x *index) eachPiece(p *pointer, lane int, visit func(piece)) {
	s := p.shape
	switch s.kind {
	case scalarType, vectorType:
		visit(piece{p.byte, p.componentStride(), lane, s.lanes})
		return
	}
	count := s.count
	if s.kind == structType {
		count = len(s.members)
	}
	for k := range count {
		q := *p
		if s.kind == structType {
			q.shape = s.members[k]
			x.memberLayout(&q, x.members[member{s.id, uint32(k)}])
			x.eachPiece(&q, lane+s.laneAt[k], visit)
			continue
		}
		stride := p.columnStride
		if s.kind == arrayType {
			bytes, _ := number(x.decorations[s.id], spirv.DecorationArrayStride)
			stride = int(bytes)
		}
		q.shape, q.byte = s.elem, p.byte+k*stride
		x.eachPiece(&q, lane+k*s.elem.lanes, visit)
	}
}

// loadBlock reads a block. Constants at known offsets are leaves. A dynamic index in steps of whole registers is
// ir.OpLoad. Other reads, and all reads of buffers that the program can write, are loads from memory.
func (l *lifter) loadBlock(q *pointer) []*ir.Value {
	lanes := make([]*ir.Value, q.shape.lanes)
	types := q.shape.scalars(nil)
	whole := *q
	if q.component != 0 && l.x.readOnly(q.v) {
		whole.shape = &shape{kind: vectorType, lanes: q.vector}
		lanes = make([]*ir.Value, q.vector)
	}
	sum := l.blockAddress(&whole)
	l.x.eachPiece(&whole, 0, func(p piece) {
		if l.err != nil {
			return
		}
		t := types[min(p.lane, len(types)-1)]
		if p.byte%4 != 0 || p.byte > 16*maxIndex {
			l.unsupported("an offset of a block is not a multiple of 4, or too large")
			return
		}
		switch {
		case !l.x.readOnly(q.v) || q.elementID != 0 || sum != nil && !q.wholeRegisters():
			l.loadBytes(q, sum, p, t, lanes)
		case sum == nil:
			file := l.block(q.v, q.element, true)
			for k := range p.n {
				at := p.byte + k*p.stride
				r := ir.Reg{File: file, Index: uint16(at / 16), Comp: uint8(at % 16 / 4)}
				lanes[p.lane+k] = l.f.Leaf(ir.Uniform, r)
			}
			l.note(lanes[p.lane:p.lane+p.n], t)
		default:
			l.loadRegisters(q, sum, p, t, lanes)
		}
	})
	if q.component != 0 && l.x.readOnly(q.v) && l.err == nil {
		return []*ir.Value{l.pick(lanes, q.component, types[0])}
	}
	return lanes
}

// wholeRegisters reports whether all dynamic indices have strides of whole registers.
func (q *pointer) wholeRegisters() bool {
	for _, s := range q.steps {
		if s.bytes%16 != 0 {
			return false
		}
	}
	return true
}

// blockAddress computes the dynamic part of an address: in registers if the block is read-only and all strides allow
// it, else in bytes. It is nil if there is none.
func (l *lifter) blockAddress(q *pointer) *ir.Value {
	unit := 1
	if l.x.readOnly(q.v) && q.elementID == 0 && q.wholeRegisters() {
		unit = 16
	}
	var sum *ir.Value
	for _, s := range q.steps {
		sum = l.addProduct(sum, l.index(s.index), s.bytes/unit)
	}
	if q.component != 0 && !l.x.readOnly(q.v) {
		sum = l.addProduct(sum, l.index(q.component), q.componentStride())
	}
	return sum
}

// loadRegisters reads a piece of a block through an index that counts registers.
func (l *lifter) loadRegisters(q *pointer, sum *ir.Value, p piece, t Scalar, lanes []*ir.Value) {
	file := l.block(q.v, q.element, true)
	for k := 0; k < p.n; {
		at := p.byte + k*p.stride
		comp := at % 16 / 4
		n := 1
		for p.stride == 4 && k+n < p.n && comp+n < 4 {
			n++
		}
		in := l.begin(ir.OpLoad, splat(sum))
		in.Base = ir.Reg{File: file, Index: uint16(at / 16)}
		copy(lanes[p.lane+k:], l.finishAt(in, t, comp, n))
		k += n
	}
}

// loadBytes reads a piece of a block by its address.
func (l *lifter) loadBytes(q *pointer, sum *ir.Value, p piece, t Scalar, lanes []*ir.Value) {
	step, n := 1, p.n
	if p.stride == 4 {
		step = p.n
	}
	l.block(q.v, q.element, false)
	home := l.home(q.v)
	for k := 0; k < n; k += step {
		in := l.begin(ir.OpMemLoad, l.bytes(q, sum, p.byte+k*p.stride))
		in.Base, in.Imm = home, q.uniformity()
		if l.x.readOnly(q.v) {
			in.Args = []*ir.Value{l.f.Leaf(ir.Input, home)}
		} else {
			in.Args = []*ir.Value{l.Slot(l.state(home))}
		}
		copy(lanes[p.lane+k:], l.finish(in, t, step))
	}
}

// uniformity returns a number for accesses through a divergent index. They differ from others.
func (q *pointer) uniformity() uint32 {
	if q.divergent {
		return 1
	}
	return 0
}

// bytes returns the address of a byte of a block. An array of blocks has the number of the block in the second lane.
func (l *lifter) bytes(q *pointer, sum *ir.Value, at int) (address ir.Operand) {
	address[0].V = l.plus(sum, at)
	if q.elementID != 0 {
		address[1].V = l.index(q.elementID)
	} else if q.v.arrayed {
		address[1].V = l.f.Const(uint32(q.element))
	}
	return address
}

// storeBlock writes a buffer.
func (l *lifter) storeBlock(q *pointer, lanes []*ir.Value) {
	l.block(q.v, q.element, false)
	sum := l.blockAddress(q)
	home := l.home(q.v)
	l.x.eachPiece(q, 0, func(p piece) {
		step := 1
		if p.stride == 4 {
			step = p.n
		}
		for k := 0; k < p.n && l.err == nil; k += step {
			in := l.begin(ir.OpMemStore, l.bytes(q, sum, p.byte+k*p.stride), operand(lanes[p.lane+k:p.lane+k+step]))
			in.Base, in.Imm = home, q.uniformity()
			l.Thread(in, l.state(home))
			*l.Code = append(*l.Code, in)
		}
	})
}
