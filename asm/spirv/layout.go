package spirv

// layout checks the order of sections, and enters functions.
func (c *checker) layout(i int, info *Info) {
	if info == nil {
		if c.f != nil {
			c.f.unknown = true
		}
		return
	}
	in, s := &c.m.Insts[i], info.class
	switch {
	case in.Op == OpFunction:
		c.enter(i)
	case c.f != nil && s != classAnywhere && s != classBody:
		c.errorf(i, "misplaced-instruction", "it cannot be in a function")
	case c.f == nil && (s == classBody || in.Op == OpExtInst && !c.x.describesSource(in)):
		c.errorf(i, "misplaced-instruction", "it must be in a function")
	case c.f == nil && (in.Op == OpVariable || in.Op == OpUndef), s == classConstant:
		s = classType
	}
	if s == classAnywhere || c.f != nil && s != classBody {
		return
	}
	if s < c.section {
		c.errorf(i, "misplaced-instruction", "it belongs further up: before the instructions of a later section")
	}
	c.section = max(c.section, s)
	if s == classMemoryModel {
		c.models++
	}
}

// argument returns an argument of an instruction as an id, or 0 if it is missing.
func argument(in *Inst, at int) ID {
	if at < len(in.Args) {
		return ID(in.Args[at])
	}
	return 0
}

// Limits of a module (2.17).
const (
	maxMembers   = 16383
	maxStructs   = 255 // nesting
	maxGlobals   = 65535
	maxLocals    = 524287
	maxArguments = 255
	maxCases     = 16383
	maxIndices   = 255
	maxNesting   = 1023 // of control flow
)

// limits checks the limits of single instructions.
func (c *checker) limits(i int) {
	in := &c.m.Insts[i]
	n, most, name := 0, 0, ""
	switch in.Op {
	case OpTypeStruct:
		n, most, name = len(in.Args), maxMembers, "members"
	case OpTypeFunction:
		n, most, name = len(in.Args)-1, maxArguments, "parameters"
	case OpFunctionCall:
		n, most, name = len(in.Args)-1, maxArguments, "arguments"
	case OpSwitch:
		t, _ := c.x.literal(in)
		n, most, name = (len(in.Args)-2)/(t.words()+1), maxCases, "cases"
	case OpAccessChain, OpInBoundsAccessChain, OpCompositeExtract:
		n, most, name = len(in.Args)-1, maxIndices, "indices"
	case OpPtrAccessChain, OpInBoundsPtrAccessChain, OpCompositeInsert:
		n, most, name = len(in.Args)-2, maxIndices, "indices"
	case OpVariable:
		if c.f != nil {
			c.f.variables++
			n, most, name = c.f.variables, maxLocals, "variables in its function"
		} else {
			c.globals++
			n, most, name = c.globals, maxGlobals, "variables in its module"
		}
	}
	if n > most {
		c.errorf(i, "universal-limit", "it has %d %s; the limit is %d", n, name, most)
	}
}

// checkType checks the operands of a type: types and constants of the right kinds, and the nesting of structures.
// Cycles are impossible except through pointers, because definitions precede uses of other types.
func (c *checker) checkType(i int) {
	in := &c.m.Insts[i]
	if len(in.Args) == 0 && in.Op != OpTypeFunction {
		return
	}
	depth := uint16(0)
	switch in.Op {
	case OpTypeForwardPointer:
		c.forwarded[argument(in, 0)] = true
		c.mustBe(i, 0, "a pointer type", OpTypePointer)
	case OpTypeVector:
		c.mustBe(i, 0, "a scalar type", OpTypeBool, OpTypeInt, OpTypeFloat)
		c.count(i, 2, 16)
	case OpTypeMatrix:
		c.mustBe(i, 0, "a vector type", OpTypeVector)
		c.count(i, 2, 4)
	case OpTypeArray:
		depth = c.typeOperand(i, 0)
		if n := c.x.def(argument(in, 1)); n != nil && n.Op.Info().class != classConstant {
			c.errorf(i, "wrong-operand", "its length, id %d, is not a constant", n.Result)
		}
	case OpTypePointer:
		c.typeOperand(i, 1)
	case OpTypeStruct, OpTypeFunction:
		for at := range in.Args {
			depth = max(depth, c.typeOperand(i, at))
		}
		depth++
	case OpTypeRuntimeArray, OpTypeImage, OpTypeSampledImage:
		depth = c.typeOperand(i, 0)
	case OpTypeInt, OpTypeFloat:
		if _, ok := c.x.number(in.Result); !ok {
			c.errorf(i, "wrong-operand", "numbers of %d bits do not exist", in.Args[0])
		}
	}
	if depth > maxStructs && in.Op == OpTypeStruct {
		c.errorf(i, "universal-limit", "structures nest deeper than %d", maxStructs)
	}
	if int64(in.Result) < int64(len(c.depth)) {
		c.depth[in.Result] = min(depth, maxStructs+1)
	}
}

// typeOperand checks that an operand is a type, and returns the nesting of structures in it.
func (c *checker) typeOperand(i, at int) uint16 {
	id := argument(&c.m.Insts[i], at)
	if !c.isType(id) {
		c.errorf(i, "wrong-operand", "id %d is not a type", id)
	}
	if int64(id) >= int64(len(c.depth)) {
		return 0
	}
	return c.depth[id]
}

// count checks the number of components or columns.
func (c *checker) count(i int, least, most uint32) {
	if n := uint32(argument(&c.m.Insts[i], 1)); n < least || n > most {
		c.errorf(i, "wrong-operand", "it has %d components; the count must be from %d to %d", n, least, most)
	}
}

// mustBe checks that the definition of an operand has one of the opcodes.
func (c *checker) mustBe(i, at int, kind string, ops ...Op) {
	id := argument(&c.m.Insts[i], at)
	in := c.x.def(id)
	if in == nil {
		return // unknown, or reported
	}
	for _, op := range ops {
		if in.Op == op {
			return
		}
	}
	c.errorf(i, "wrong-operand", "id %d is %s, not %s", id, in.Op, kind)
}
