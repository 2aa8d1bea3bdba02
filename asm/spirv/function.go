package spirv

// function is a function of a module: the numbers of OpFunction and OpFunctionEnd, and its number of parameters.
type function struct{ first, last, parameters int32 }

// body is the function that the checker reads.
type body struct {
	first, last int
	parameters  int
	variables   int
	unknown     bool    // the last instruction is not in the tables
	blocks      []block // in order
	inBlock     bool
	merge       int         // number of the merge instruction that waits for its branch, or 0
	state       int         // part of the current block
	merges      map[ID]bool // labels of the merge blocks of enclosing constructs
	phis        bool
}

// Parts of a block, in order.
const (
	inPhis = iota
	inVariables
	inBody
)

// block is a basic block: the numbers of its label and its terminator.
type block struct{ first, last int32 }

// isTerminator reports whether an instruction ends a block (2.2.5).
func isTerminator(op Op) bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpKill, OpReturn, OpReturnValue, OpUnreachable, OpTerminateInvocation,
		OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// enter starts a function.
func (c *checker) enter(i int) {
	if c.f != nil {
		c.errorf(i, "unbalanced", "the function before it has no end")
	}
	c.bodies = body{first: i, blocks: c.bodies.blocks[:0], merges: c.bodies.merges}
	c.f = &c.bodies
	clear(c.f.merges)
	c.mustBe(i, 1, "a function type", OpTypeFunction)
}

// inFunction checks an instruction of a function, or its start or end.
func (c *checker) inFunction(i int, info *Info) {
	f, in := c.f, &c.m.Insts[i]
	if f.merge != 0 && in.Op != OpNop {
		c.checkMerge(i)
	}
	unknown := f.unknown
	f.unknown = false
	switch {
	case in.Op == OpFunction:
	case in.Op == OpFunctionParameter:
		if len(f.blocks) > 0 {
			c.errorf(i, "misplaced-instruction", "parameters precede the first block")
		}
		f.parameters++
	case in.Op == OpFunctionEnd:
		c.endBlock(i, unknown)
		c.leave(i)
	case in.Op == OpLabel:
		c.endBlock(i, unknown)
		f.blocks = append(f.blocks, block{int32(i), int32(i)})
		f.inBlock, f.state = true, inPhis
		delete(f.merges, in.Result)
	case info.class == classAnywhere && in.Op != OpVariable && in.Op != OpUndef && in.Op != OpExtInst:
		if isTerminator(in.Op) {
			c.terminate(i)
		}
	case !f.inBlock && !c.x.describesSource(in):
		c.errorf(i, "misplaced-instruction", "it is outside a block")
	default:
		c.inBlock(i)
	}
}

// inBlock checks an instruction within a block.
func (c *checker) inBlock(i int) {
	f, in := c.f, &c.m.Insts[i]
	switch in.Op {
	case OpPhi:
		if f.phis = true; f.state != inPhis || len(f.blocks) == 1 {
			c.errorf(i, "misplaced-instruction",
				"it must be at the start of a block other than the first of its function")
		}
		return
	case OpVariable:
		if f.state == inBody || len(f.blocks) != 1 {
			c.errorf(i, "misplaced-instruction", "variables of a function are at the start of its first block")
		}
		if StorageClass(argument(in, 0)) != StorageClassFunction {
			c.errorf(i, "wrong-operand", "a variable in a function has the storage class Function")
		}
		f.state = inVariables
		return
	case OpExtInst:
		if c.x.describesSource(in) {
			return
		}
	case OpSelectionMerge, OpLoopMerge:
		f.merge = i
		if f.merges[argument(in, 0)] = true; len(f.merges) > maxNesting {
			c.errorf(i, "universal-limit", "control flow nests deeper than %d", maxNesting)
		}
	case OpFunctionCall:
		c.mustBe(i, 0, "a function", OpFunction)
	}
	f.state = inBody
	if isTerminator(in.Op) {
		c.terminate(i)
	}
}

// checkMerge checks that the branch of a merge instruction is next.
func (c *checker) checkMerge(i int) {
	switch op := c.m.Insts[i].Op; {
	case op == OpBranchConditional, op == OpBranch && c.m.Insts[c.f.merge].Op == OpLoopMerge,
		op == OpSwitch && c.m.Insts[c.f.merge].Op == OpSelectionMerge:
	default:
		c.errorf(c.f.merge, "misplaced-instruction", "the branch of the construct must be the next instruction")
	}
	c.f.merge = 0
}

// terminate ends the current block.
func (c *checker) terminate(i int) {
	if !c.f.inBlock {
		c.errorf(i, "misplaced-instruction", "it is outside a block")
		return
	}
	c.f.blocks[len(c.f.blocks)-1].last = int32(i)
	c.f.inBlock = false
}

// endBlock checks that no block is open before instruction i. An unknown instruction may have ended it.
func (c *checker) endBlock(i int, unknown bool) {
	if c.f.inBlock && !unknown {
		c.errorf(int(c.f.blocks[len(c.f.blocks)-1].first), "unbalanced", "the block has no terminator")
	}
	if c.f.inBlock {
		c.f.blocks[len(c.f.blocks)-1].last = int32(i - 1)
	}
	c.f.inBlock = false
}

// leave checks a function at its end.
func (c *checker) leave(i int) {
	f := c.f
	f.last = i
	c.f = nil
	t := c.x.def(argument(&c.m.Insts[f.first], 1))
	if t != nil && t.Op == OpTypeFunction && len(t.Args)-1 != f.parameters {
		c.errorf(f.first, "wrong-operand", "it has %d parameters; its type has %d", f.parameters, len(t.Args)-1)
	}
	c.functions = append(c.functions, function{int32(f.first), int32(i), int32(f.parameters)})
	if len(f.blocks) == 0 && c.defined {
		c.errorf(f.first, "misplaced-instruction", "declarations of functions precede definitions")
	}
	c.defined = c.defined || len(f.blocks) > 0
	for b := range f.blocks {
		c.flow(f, b)
	}
	if f.phis {
		c.phis(f)
	}
}
