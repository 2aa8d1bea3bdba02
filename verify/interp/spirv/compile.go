package spirv

import (
	"github.com/shaderlift/shaderlift/asm"
)

// The limits of a program. A batch takes 256 bytes for a slot.
const (
	maxTotalSlots = 1 << 18
	maxCallDepth  = 128
)

// compiler translates an entry point.
type compiler struct {
	m         *module
	p         *Program
	spec      map[uint32]uint32 // values of specialization constants by SpecId
	types     map[uint32]*typ
	slots     []int32 // by id: first slot of the value plus 1, 0 if it has none yet
	pointers  map[uint32]pointer
	variables map[uint32]*variable
	functions map[uint32]*function
	starts    map[uint32]int // functions by id: index of OpFunction
	sets      map[uint32]string
	code      *[]instr // the block under construction
	constants *machine // executes specialization constant operations
	depth     int      // of calls
}

// Compile translates an entry point of a binary module, or the only one if entry is empty. The map holds values of
// specialization constants by SpecId; constants that are not there keep their defaults. Compile reports modules that
// it cannot execute as errors with the code not-supported.
func Compile(data []byte, entry string, spec map[uint32]uint32) (p *Program, err error) {
	makeTables.Do(fillTables)
	m, err := readModule(data)
	if err != nil {
		return nil, err
	}
	c := &compiler{m: m, p: &Program{resources: map[Resource]int{}}, spec: spec, types: map[uint32]*typ{},
		slots: make([]int32, len(m.def)), pointers: map[uint32]pointer{}, variables: map[uint32]*variable{},
		functions: map[uint32]*function{}, starts: map[uint32]int{}, sets: map[uint32]string{}}
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(*failure)
			if !ok {
				panic(r)
			}
			p, err = nil, failure.err
		}
	}()
	at, err := c.findEntry(entry)
	if err != nil {
		return nil, err
	}
	c.globals()
	for _, id := range at.interfaces {
		if in := m.lookup(id); in != nil && in.op == opVariable && len(in.args) > 0 &&
			(in.args[0] == classInput || in.args[0] == classOutput) {
			c.variable(in)
		}
	}
	c.p.main = c.function(at.function, nil)
	if c.p.main == nil || len(c.p.main.params) > 0 {
		return nil, errorAt(at.word, "bad-operand", "the entry point is not a function without parameters")
	}
	c.interfaces()
	if c.p.Stage == Compute {
		c.group(at)
	}
	return c.p, nil
}

// group reads the size of a work group: a constant with the decoration WorkgroupSize, or the execution mode.
func (c *compiler) group(at entryPoint) {
	for _, v := range c.p.variables {
		c.p.Shared = c.p.Shared || v.class == classWorkgroup
	}
	c.p.Group = [3]uint32{1, 1, 1}
	for i := range c.m.insts {
		in := &c.m.insts[i]
		n, ok := find(c.m.decorations[in.result], decorationBuiltIn)
		slot := int(c.slots[min(int(in.result), len(c.slots)-1)]) - 1
		switch {
		case in.op == opExecutionMode && len(in.args) == 5 && in.args[0] == at.function && in.args[1] == modeLocalSize:
			copy(c.p.Group[:], in.args[2:])
		case in.op == opExecutionModeID && len(in.args) > 0 && in.args[0] == at.function:
			c.fail(in, "not-supported", "execution modes with constants are not supported")
		case in.result != 0 && ok && n == workgroupSize && slot >= 0 && slot+3 <= len(c.p.initial):
			copy(c.p.Group[:], c.p.initial[slot:])
			return
		}
	}
}

// failure carries an error from the depth of the compiler to Compile.
type failure struct{ err error }

// fail ends the compilation with an error at an instruction.
func (c *compiler) fail(in *inst, code asm.Code, format string, args ...any) {
	panic(&failure{errorAt(in.at, code, format, args...)})
}

// require ends the compilation if an instruction is malformed.
func (c *compiler) require(in *inst, ok bool) {
	if !ok {
		c.fail(in, "bad-operand", "opcode %d has operands that do not fit", in.op)
	}
}

// entryPoint is one OpEntryPoint.
type entryPoint struct {
	function   uint32
	interfaces []uint32
	word       int
}

// findEntry finds the entry point with a name, or the only one, and reads its execution modes.
func (c *compiler) findEntry(name string) (found entryPoint, err error) {
	var names []string
	for i := range c.m.insts {
		in := &c.m.insts[i]
		if in.op != opEntryPoint || len(in.args) < 3 {
			continue
		}
		s, n := text(in.args[2:])
		if name == "" || name == s {
			names = append(names, s)
			found = entryPoint{in.args[1], in.args[2+n:], in.at}
			c.p.Stage, c.p.Name = Stage(in.args[0]), s
		}
	}
	switch {
	case len(names) == 0 || found.function == 0:
		return found, asm.Errorf(asm.Pos{}, "bad-operand", "the module has no such entry point")
	case len(names) > 1:
		return found, asm.Errorf(asm.Pos{}, "not-supported", "the module has several such entry points: %q", names)
	case c.p.Stage != Vertex && c.p.Stage != Fragment && c.p.Stage != Compute:
		return found, errorAt(found.word, "not-supported", "the interpreter executes vertex, fragment and compute entry points only")
	}
	return found, nil
}

// globals reads types, constants and the starts of functions.
func (c *compiler) globals() {
	inside := false
	for i := range c.m.insts {
		in := &c.m.insts[i]
		switch {
		case in.op == opFunction:
			c.starts[in.result], inside = i, true
		case in.op == opFunctionEnd:
			inside = false
		case inside:
		case in.op >= opTypeVoid && in.op < opTypeForwardPointer && in.result != 0:
			c.addType(in)
		case in.op == opExtInstImport:
			c.sets[in.result], _ = text(in.args)
		case in.op == opUndef || in.op >= opConstantTrue && in.op <= opSpecConstantOp:
			c.addConstant(in)
		}
	}
	c.constants = nil
}

// alloc returns the first of n new slots.
func (c *compiler) alloc(in *inst, n int) int32 {
	first := c.p.slots
	if c.p.slots += n; c.p.slots > maxTotalSlots {
		c.fail(in, "step-limit", "the program has more than %d words of values", maxTotalSlots)
	}
	return int32(first)
}

// define gives the result of an instruction a slot.
func (c *compiler) define(in *inst, slot int32) { c.slots[in.result] = slot + 1 }

// result allocates the slots of an instruction's result.
func (c *compiler) result(in *inst) (int32, *typ) {
	t := c.typeOf(in.typ)
	if t.kind == kindUnsupported {
		c.fail(in, "not-supported", "opcode %d has a result type that the interpreter does not know", in.op)
	}
	if in.op == opPhi && c.slots[in.result] != 0 {
		return c.slots[in.result] - 1, t
	}
	slot := c.alloc(in, t.slots)
	c.define(in, slot)
	return slot, t
}

// value returns the slot and the type of the value that operand i names.
func (c *compiler) value(in *inst, i int) (int32, *typ) {
	c.require(in, i < len(in.args))
	id := in.args[i]
	def := c.m.lookup(id)
	if def != nil && c.typeOf(def.typ).kind == kindUnsupported {
		c.fail(in, "not-supported", "opcode %d reads %%%d, which has a type that the interpreter does not know", in.op, id)
	}
	if def == nil || c.slots[id] == 0 {
		c.fail(in, "bad-operand", "opcode %d reads %%%d, which has no value there", in.op, id)
	}
	return c.slots[id] - 1, c.typeOf(def.typ)
}

// sized returns the slot of an operand that must have n words.
func (c *compiler) sized(in *inst, i, n int) int32 {
	slot, t := c.value(in, i)
	c.require(in, t.slots == n)
	return slot
}

// literal returns operand i as a number.
func (c *compiler) literal(in *inst, i int) uint32 {
	c.require(in, i < len(in.args))
	return in.args[i]
}

// emit appends an instruction to the block.
func (c *compiler) emit(in *inst, code instr) {
	c.require(in, int(code.dst)+int(code.n) <= c.p.slots)
	code.at = int32(in.at)
	if code.cost = code.n + 1; code.image != nil || code.vector != nil {
		code.cost *= 16 // as long as that takes
	}
	*c.code = append(*c.code, code)
}

// constantWord returns the first word of a constant.
func (c *compiler) constantWord(id uint32) (uint32, bool) {
	if int(id) >= len(c.slots) || c.slots[id] == 0 || int(c.slots[id]) > len(c.p.initial) {
		return 0, false
	}
	return c.p.initial[c.slots[id]-1], true
}

// addConstant stores the words of a constant in the first slots. An undefined value has an entry in undefined.
func (c *compiler) addConstant(in *inst) {
	t := c.typeOf(in.typ)
	if t.kind == kindUnsupported {
		return // an error only where it is used
	}
	words := make([]uint32, 0, min(t.slots, 64))
	number := func(w uint32) {
		if id, ok := find(c.m.decorations[in.result], decorationSpecID); ok && in.op >= opSpecConstantTrue {
			if given, ok := c.spec[id]; ok {
				w = given
			}
		}
		words = append(words, w)
	}
	switch in.op {
	case opConstantTrue, opSpecConstantTrue:
		number(1)
	case opConstantFalse, opSpecConstantFalse:
		number(0)
	case opConstant, opSpecConstant:
		number(c.literal(in, 0))
	case opConstantComposite, opSpecComposite:
		for i := range in.args {
			slot, e := c.value(in, i)
			if int(slot)+e.slots > len(c.p.initial) || len(words) > t.slots {
				c.require(in, false)
			}
			words = append(words, c.p.initial[slot:int(slot)+e.slots]...)
		}
	case opSpecConstantOp:
		c.specOp(in, t)
		return
	case opUndef:
		c.p.undefined = append(c.p.undefined, span{int32(c.p.slots), int32(t.slots)})
	}
	if in.op == opConstantNull || in.op == opUndef {
		words = make([]uint32, t.slots)
	}
	c.require(in, len(words) == t.slots)
	if t.kind == kindBool && len(words) == 1 {
		words[0] = boolWord(words[0] != 0)
	}
	c.define(in, c.alloc(in, t.slots))
	c.p.initial = append(c.p.initial, words...)
}

// specOp evaluates an operation on constants with the instructions of the machine.
func (c *compiler) specOp(in *inst, t *typ) {
	var code []instr
	op := inst{op: uint16(c.literal(in, 0)), typ: in.typ, result: in.result, args: in.args[1:], at: in.at}
	c.code = &code
	c.instruction(&op)
	if len(code) > 1 || c.slots[in.result] == 0 {
		c.fail(in, "not-supported", "opcode %d is not supported in a constant", op.op)
	}
	if c.constants == nil {
		c.constants = &machine{p: c.p, mask: 1, env: &Env{}}
	}
	m := c.constants
	for i := len(m.s); i < c.p.slots; i++ {
		v := Vec{}
		if i < len(c.p.initial) {
			v[0] = c.p.initial[i]
		}
		m.s = append(m.s, v)
	}
	for i := range code {
		code[i].run(m, &code[i])
	}
	for i := len(c.p.initial); i < c.p.slots; i++ {
		c.p.initial = append(c.p.initial, m.s[i][0])
	}
}

// span is a range of slots.
type span struct{ first, n int32 }
