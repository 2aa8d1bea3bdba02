package spirv

// instr is one instruction of the machine. It computes n slots from dst on, from up to three operands. An operand
// advances by its stride for each slot.
type instr struct {
	run        func(m *machine, in *instr)
	dst, n     int32
	a, b, c    int32
	sa, sb, sc int32
	cost       int32 // steps
	at         int32 // word of the module
	args       []int32
	total      func(a, b, c uint32) uint32
	partial    func(a, b, c uint32) (uint32, bool)
	vector     func(x, out []float32) bool
	from, to   pointer
	image      *imageAccess
	call       *function
}

// instruction translates an instruction with a result, a store, or a call.
func (c *compiler) instruction(in *inst) {
	if op, ok := laneOps[in.op]; ok {
		c.lanes(in, op, 0)
		return
	}
	switch in.op {
	case 0, opControlBarrier, opMemoryBarrier, opBeginInterlock, opEndInterlock:
	case opUndef:
		slot, t := c.result(in)
		c.emit(in, instr{run: (*machine).fillSlots, dst: slot, n: int32(t.slots)})
	case opCopyObject, opCopyLogical, 400 + 1: // and OpExpectKHR's predecessors keep the words
		c.alias(in, 0, 0)
	case opCompositeExtract:
		c.extract(in)
	case opCompositeConstruct, opVectorShuffle, opCompositeInsert, opTranspose:
		c.compose(in)
	case opExtractDynamic, opInsertDynamic:
		c.dynamic(in)
	case opSelect:
		c.selectLanes(in)
	case opAny, opAll:
		slot, _ := c.result(in)
		a, t := c.value(in, 0)
		run := (*machine).anyOf
		if in.op == opAll {
			run = (*machine).allOf
		}
		c.emit(in, instr{run: run, dst: slot, n: 1, a: a, args: []int32{int32(t.slots)}})
	case opExtInst:
		c.extended(in)
	case opFunctionCall:
		c.call(in)
	case opDemote:
		c.emit(in, instr{run: (*machine).demote})
	case opIsHelperInvocation:
		slot, _ := c.result(in)
		c.emit(in, instr{run: (*machine).isHelper, dst: slot, n: 1})
	default:
		c.otherInstruction(in)
	}
}

// otherInstruction translates products, memory accesses, derivatives and images.
func (c *compiler) otherInstruction(in *inst) {
	switch op := in.op; {
	case op >= opVectorTimesScalar && op <= opDot:
		c.product(in)
	case op >= opBitFieldInsert && op <= opBitFieldUExtract:
		c.bitField(in)
	case op >= opAddCarry && op <= opSMulExtended:
		c.wide(in)
	case op >= opDPdx && op <= opFwidthCoarse:
		slot, t := c.result(in)
		c.emit(in, instr{run: derivatives[(op-opDPdx)%3], dst: slot, n: int32(t.slots), a: c.sized(in, 0, t.slots)})
	case op == opLoad || op == opStore || op == opCopyMemory || op == opAccessChain || op == opInBoundsAccessChain ||
		op == opArrayLength:
		c.memory(in)
	case op >= opAtomicLoad && op <= opAtomicXor:
		c.atomic(in)
	case op >= opSampledImage && op <= opQuerySamples, op == opImageTexelPointer, op >= opSparseSample && op <= opSparseResident,
		op == opSparseRead:
		c.imageOp(in)
	default:
		c.fail(in, "not-supported", "opcode %d is not supported", op)
	}
}

// alias lets the result share slots with an operand, from slot offset on. This is right because a definition dominates
// its uses: no use of the result can follow a new execution of the operand without one of the result.
func (c *compiler) alias(in *inst, operand int, offset int32) {
	if p, ok := c.pointerOf(in.args[operand]); ok {
		c.pointers[in.result] = p
		return
	}
	slot, from := c.value(in, operand)
	t := c.typeOf(in.typ)
	c.require(in, int(offset)+t.slots <= from.slots)
	c.define(in, slot+offset)
}

// lanes translates an operation on each lane of its operands, which start at operand first.
func (c *compiler) lanes(in *inst, op laneOp, first int) {
	slot, t := c.result(in)
	code := instr{run: (*machine).totalLanes, dst: slot, n: int32(t.slots), total: op.total, partial: op.partial,
		sa: 1, sb: 1, sc: 1}
	switch {
	case op.run != nil:
		code.run = op.run
	case op.partial != nil:
		code.run = (*machine).partialLanes
	}
	operands := [3]*int32{&code.a, &code.b, &code.c}
	for i := range op.operands {
		*operands[i] = c.sized(in, first+i, t.slots)
	}
	for i := op.operands; i < 3; i++ {
		*operands[i] = slot
	}
	c.emit(in, code)
}

// part returns the first slot and the type of the part of t that literal indices select.
func (c *compiler) part(in *inst, t *typ, indices []uint32) (offset int32, _ *typ) {
	for _, i := range indices {
		switch t.kind {
		case kindVector, kindMatrix, kindArray:
			c.require(in, int(i) < t.count)
			t = t.elem
			offset += int32(int(i) * t.slots)
		case kindStruct:
			c.require(in, int(i) < len(t.members))
			offset += int32(t.starts[i])
			t = t.members[i]
		default:
			c.require(in, false)
		}
	}
	return offset, t
}

// extract translates OpCompositeExtract.
func (c *compiler) extract(in *inst) {
	_, t := c.value(in, 0)
	offset, e := c.part(in, t, in.args[1:])
	c.require(in, e.slots == c.typeOf(in.typ).slots)
	c.alias(in, 0, offset)
}

// compose translates instructions that only arrange words. args lists the source of each slot, -1 for undefined ones.
func (c *compiler) compose(in *inst) {
	slot, t := c.result(in)
	args := make([]int32, 0, t.slots)
	add := func(from int32, n int) {
		c.require(in, len(args)+n <= t.slots)
		for i := range n {
			args = append(args, from+int32(i))
		}
	}
	switch in.op {
	case opCompositeConstruct:
		for i := range in.args {
			from, e := c.value(in, i)
			add(from, e.slots)
		}
	case opVectorShuffle:
		a, ta := c.value(in, 0)
		b, tb := c.value(in, 1)
		for _, i := range in.args[2:] {
			switch k := int64(i); {
			case i == 1<<32-1:
				args = append(args, -1)
			case k < int64(ta.slots):
				add(a+int32(i), 1)
			default:
				c.require(in, k < int64(ta.slots+tb.slots))
				add(b+int32(int(i)-ta.slots), 1)
			}
		}
	case opCompositeInsert:
		object, e := c.value(in, 0)
		whole := c.sized(in, 1, t.slots)
		at, old := c.part(in, t, in.args[2:])
		c.require(in, old.slots == e.slots)
		add(whole, t.slots)
		for i := range int32(e.slots) {
			args[at+i] = object + i
		}
	case opTranspose:
		from := c.sized(in, 0, t.slots)
		c.require(in, t.kind == kindMatrix)
		for i := range t.slots {
			column, row := i/t.elem.count, i%t.elem.count
			add(from+int32(row*t.count+column), 1)
		}
	}
	c.require(in, len(args) == t.slots)
	c.emit(in, instr{run: (*machine).arrange, dst: slot, n: int32(t.slots), args: args})
}

// dynamic translates accesses to a component of a vector by a dynamic index.
func (c *compiler) dynamic(in *inst) {
	slot, t := c.result(in)
	a, from := c.value(in, 0)
	c.require(in, from.kind == kindVector)
	if in.op == opExtractDynamic {
		c.require(in, t.slots == 1)
		c.emit(in, instr{run: (*machine).extractDynamic, dst: slot, n: 1, a: a, b: c.sized(in, 1, 1),
			args: []int32{int32(from.slots)}})
		return
	}
	c.require(in, t.slots == from.slots)
	c.emit(in, instr{run: (*machine).insertDynamic, dst: slot, n: int32(t.slots), a: a, b: c.sized(in, 1, 1),
		c: c.sized(in, 2, 1)})
}

// selectLanes translates OpSelect. A scalar condition selects all lanes.
func (c *compiler) selectLanes(in *inst) {
	if c.typeOf(in.typ).kind == kindPointer {
		c.fail(in, "not-supported", "pointers that depend on control flow are not supported")
	}
	slot, t := c.result(in)
	cond, tc := c.value(in, 0)
	stride := int32(0)
	if tc.kind == kindVector {
		c.require(in, tc.slots == t.slots)
		stride = 1
	}
	c.emit(in, instr{run: (*machine).totalLanes, dst: slot, n: int32(t.slots), a: cond, sa: stride,
		b: c.sized(in, 1, t.slots), sb: 1, c: c.sized(in, 2, t.slots), sc: 1, total: selectWord})
}

// bitField translates accesses to bit fields. The offset and the count are the same for all lanes of a vector.
func (c *compiler) bitField(in *inst) {
	slot, t := c.result(in)
	n := int32(t.slots)
	last := len(in.args) - 1
	c.require(in, last >= 2)
	code := instr{run: (*machine).partialLanes, dst: slot, n: n, a: c.sized(in, 0, t.slots), sa: 1,
		b: c.sized(in, last-1, 1), c: c.sized(in, last, 1), partial: unsignedField}
	switch in.op {
	case opBitFieldSExtract:
		code.partial = signedField
	case opBitFieldInsert:
		mask, moved := code, code
		mask.dst, mask.partial = c.alloc(in, t.slots), lowBits
		moved.dst, moved.partial = c.alloc(in, t.slots), laneOps[opShiftLeft].partial
		moved.a = c.sized(in, 1, t.slots)
		c.emit(in, mask)
		c.emit(in, moved)
		code = instr{run: (*machine).totalLanes, dst: slot, n: n, a: code.a, sa: 1, b: moved.dst, sb: 1, c: mask.dst, sc: 1,
			total: func(base, insert, mask uint32) uint32 { return base&^mask | insert&mask }}
	}
	c.emit(in, code)
}

// call translates a call. Arguments are copied to the parameters.
func (c *compiler) call(in *inst) {
	code := c.code
	f := c.function(c.literal(in, 0), in)
	c.code = code
	c.require(in, f != nil && len(f.params) == len(in.args)-1)
	for i, slot := range f.slots {
		t := c.typeOf(c.m.lookup(f.params[i]).typ)
		if p, ok := c.pointerOf(in.args[i+1]); ok {
			c.require(in, t.kind == kindPointer && t.class == p.class && t.elem.slots == p.t.slots)
			c.emit(in, instr{run: (*machine).pointerWords, dst: slot, n: 2, from: p})
			continue
		}
		c.emit(in, instr{run: (*machine).copySlots, dst: slot, n: int32(t.slots), a: c.sized(in, i+1, t.slots)})
	}
	slot, t := c.result(in)
	c.require(in, int(f.result.n) == t.slots)
	c.emit(in, instr{run: (*machine).callFunction, dst: slot, n: int32(t.slots), call: f})
}

// extended translates an instruction of GLSL.std.450. Non-semantic instructions have no effect.
func (c *compiler) extended(in *inst) {
	set, op := c.sets[c.literal(in, 0)], c.literal(in, 1)
	if len(set) > 12 && set[:12] == "NonSemantic." {
		return
	}
	if set != "GLSL.std.450" {
		c.fail(in, "not-supported", "the instruction set %q is not supported", set)
	}
	if o, ok := glslOps[op]; ok {
		c.lanes(in, o, 2)
		return
	}
	c.glslVector(in, op)
}
