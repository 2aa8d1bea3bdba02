package spirv

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

// checker checks a module.
type checker struct {
	m        *Module
	x        *index
	diags    asm.Diags
	operands []operand
	// open reports that the module has instructions which the tables do not cover, and which may define ids.
	open      bool
	section   class    // the last section
	models    int      // memory models
	globals   int      // variables
	depth     []uint16 // by id: nesting of structures in a type
	forwarded map[ID]bool
	functions []function
	defined   bool  // a function has a body
	f         *body // the function of the current instruction, or nil
	bodies    body  // memory of f
}

// Check reports errors in the structure of a module: the order of its sections (2.4), the definitions of ids, the
// operands that the grammar states, types, functions and blocks (2.16.1), and the universal limits (2.17). It does not
// check capabilities, and the types of operands only as far as listed in checkTypes. Instructions and operands that the
// tables do not cover are accepted. The error is an asm.Diags with at most 20 entries.
func (m *Module) Check() error {
	c := &checker{m: m}
	c.header()
	if len(m.Insts) > maxInsts {
		c.errorAt(asm.Pos{File: m.Name}, "too-large", "a module has at most %d instructions", maxInsts)
	}
	if len(c.diags) > 0 {
		return c.diags
	}
	c.x = newIndex(m)
	c.depth, c.forwarded = make([]uint16, len(c.x.first)), map[ID]bool{}
	c.bodies.merges = map[ID]bool{}
	for i := range m.Insts {
		c.open = c.open || m.Insts[i].Op.Info() == nil
	}
	for i := range m.Insts {
		if len(c.diags) >= maxDiags {
			return c.diags
		}
		c.inst(i)
	}
	c.end()
	return c.diags.Err()
}

// errorAt adds a diagnostic.
func (c *checker) errorAt(pos asm.Pos, code asm.Code, format string, args ...any) {
	if len(c.diags) < maxDiags {
		c.diags = append(c.diags, asm.Errorf(pos, code, format, args...))
	}
}

// errorf adds a diagnostic at the instruction of a number.
func (c *checker) errorf(i int, code asm.Code, format string, args ...any) {
	in := &c.m.Insts[i]
	name := in.Op.String()
	if !c.m.text {
		name = fmt.Sprintf("instruction %d, %s", i, name)
	}
	c.errorAt(c.m.Pos(in), code, "%s: %s", name, fmt.Sprintf(format, args...))
}

// header checks the fields of the header.
func (c *checker) header() {
	pos := func(word int) asm.Pos {
		if c.m.text {
			return asm.Pos{File: c.m.Name, Line: 1, Col: 1}
		}
		return asm.Pos{File: c.m.Name, Offset: 4 * word}
	}
	if v := c.m.Version; v&0xff0000ff != 0 || v>>16 != 1 || v>>8&0xff > 6 {
		c.errorAt(pos(1), "unknown-version", "%d.%d is not a version of SPIR-V", v>>16, v>>8&0xff)
	}
	if c.m.Bound == 0 || c.m.Bound > maxBound {
		c.errorAt(pos(3), "universal-limit", "the bound of ids is %d; it must be from 1 to %d", c.m.Bound, maxBound)
	}
}

// inst checks an instruction.
func (c *checker) inst(i int) {
	in := &c.m.Insts[i]
	info := in.Op.Info()
	if info != nil {
		c.ids(i, info)
	}
	if n := in.words(); n > maxWords {
		c.errorf(i, "instruction-size", "it has %d words; at most %d fit", n, maxWords)
	}
	c.layout(i, info)
	if info == nil {
		return
	}
	if info.class == classType {
		c.checkType(i)
	}
	c.limits(i)
	if c.f != nil {
		c.inFunction(i, info)
	}
}

// ids checks the result, its type, and the operands of an instruction.
func (c *checker) ids(i int, info *Info) {
	in := &c.m.Insts[i]
	if info.HasResult() {
		switch {
		case in.Result == 0 || uint32(in.Result) >= c.m.Bound:
			c.errorf(i, "id-range", "its result is id %d; ids are from 1 to %d", in.Result, c.m.Bound-1)
		case c.x.first[in.Result] != int32(i+1):
			c.errorf(i, "duplicate-id", "id %d has a definition already", in.Result)
		}
	}
	if info.HasType() && c.isDefined(i, in.Type, false) && !c.isType(in.Type) {
		c.errorf(i, "wrong-operand", "its result type, id %d, is not a type", in.Type)
	}
	var bad *mismatch
	if c.operands, bad = c.x.operands(in, c.operands[:0]); bad != nil && bad != unknown {
		c.errorf(i, bad.code, "%s", bad.text)
		return
	}
	for _, o := range c.operands {
		if o.kind == kindID {
			c.isDefined(i, ID(in.Args[o.at]), c.mayPrecede(in, o.at))
		}
	}
}

// isDefined checks that an operand is an id with a definition: before the instruction, unless forward is true. It
// returns false if the definition is unknown.
func (c *checker) isDefined(i int, id ID, forward bool) bool {
	switch {
	case id == 0 || uint32(id) >= c.m.Bound:
		c.errorf(i, "id-range", "an operand is id %d; ids are from 1 to %d", id, c.m.Bound-1)
	case c.x.def(id) == nil:
		if !c.open {
			c.errorf(i, "undefined-id", "id %d has no definition", id)
		}
	case !forward && c.x.first[id] > int32(i):
		c.errorf(i, "undefined-id", "id %d has its definition further down", id)
	default:
		return true
	}
	return false
}

// mayPrecede reports whether an operand may precede the definition of its id (2.4, 2.16.1).
func (c *checker) mayPrecede(in *Inst, at int) bool {
	switch in.Op {
	case OpName, OpMemberName, OpEntryPoint, OpExecutionMode, OpExecutionModeId, OpSelectionMerge, OpLoopMerge, OpBranch,
		OpPhi, OpTypeForwardPointer, OpEnqueueKernel, OpGetKernelNDrangeSubGroupCount,
		OpGetKernelNDrangeMaxSubGroupSize, OpGetKernelWorkGroupSize, OpGetKernelPreferredWorkGroupSizeMultiple:
		return true
	case OpBranchConditional, OpSwitch:
		return at > 0
	case OpFunctionCall:
		return at == 0
	case OpTypeStruct, OpTypeArray, OpTypeRuntimeArray:
		return c.forwarded[ID(in.Args[at])]
	case OpTypePointer:
		return c.forwarded[in.Result] || c.forwarded[ID(in.Args[at])]
	case OpExtInst:
		return at > 0 && c.x.describesSource(in)
	}
	return in.Op.Info().class == classAnnotation
}

// isType reports whether id is a type, or may be one.
func (c *checker) isType(id ID) bool {
	in := c.x.def(id)
	return in == nil || in.Op.Info().class == classType
}

// end checks the module as a whole.
func (c *checker) end() {
	switch {
	case c.f != nil:
		c.errorf(c.f.first, "unbalanced", "the function has no end")
	case c.models != 1:
		c.errorAt(asm.Pos{File: c.m.Name}, "misplaced-instruction", "a module has one OpMemoryModel; this one has %d",
			c.models)
	}
	if len(c.diags) == 0 {
		c.calls()
	}
}
