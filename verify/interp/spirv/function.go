package spirv

// function is a translated function. Its values have fixed slots, because shaders have no recursion.
type function struct {
	index  int
	params []uint32 // ids
	slots  []int32  // of the parameters
	result span     // slots of the returned value
	locals []*variable
	blocks []block // in an order in which lanes meet again (see order)
	done   bool
}

// block is a basic block.
type block struct {
	code []instr
	end  terminator
}

// terminator ends a block.
type terminator struct {
	op     uint16
	slot   int32          // of the condition, the selector or the returned value
	edges  []edge         // the targets; of a switch the default first
	cases  map[uint32]int // of a switch: edges by literal
	number map[uint32]int // edges by label, while the function is compiled
	at     int32          // word of the instruction
}

// edge leads to a block and copies the operands of its phis.
type edge struct {
	target int
	moves  []move
}

// move copies n slots, through staging slots unless staging is -1.
type move struct{ dst, src, staging, n int32 }

// rawBlock is a block of the module.
type rawBlock struct {
	label       uint32
	first, last int      // instructions behind the label; last is the terminator
	next        []uint32 // successors, the merge block and the continue target first
	position    int      // in the order of execution, -1 if it cannot be reached
}

// function translates the function with an id, once. caller is the calling instruction.
func (c *compiler) function(id uint32, caller *inst) *function {
	start, ok := c.starts[id]
	if !ok {
		return nil
	}
	in := &c.m.insts[start]
	if f := c.functions[id]; f != nil {
		if !f.done {
			c.fail(in, "not-supported", "a function calls itself")
		}
		return f
	}
	if c.depth++; c.depth > maxCallDepth {
		c.fail(in, "not-supported", "calls are nested more than %d deep", maxCallDepth)
	}
	f := &function{index: len(c.p.functions)}
	c.functions[id] = f
	c.p.functions = append(c.p.functions, f)
	if t := c.typeOf(in.typ); t.slots > 0 {
		f.result = span{c.alloc(in, t.slots), int32(t.slots)}
	}
	raw, at := c.blocks(f, start+1)
	order := c.order(raw, at)
	for i := range raw {
		for k := raw[i].first; raw[i].position >= 0 && k < raw[i].last && c.m.insts[k].op == opPhi; k++ {
			c.result(&c.m.insts[k])
		}
	}
	f.blocks = make([]block, order)
	outer := c.code
	for i := range raw {
		if raw[i].position >= 0 {
			c.block(f, &raw[i], raw, at)
		}
	}
	c.code = outer
	for i := range raw {
		if raw[i].position >= 0 {
			c.phis(f, &raw[i], raw, at)
		}
	}
	for i := range f.blocks {
		f.blocks[i].end.number = nil
	}
	f.done = true
	c.depth--
	return f
}

// blocks splits a function into blocks, and numbers them by label.
func (c *compiler) blocks(f *function, i int) (list []rawBlock, at map[uint32]int) {
	at = map[uint32]int{}
	open := false
	for ; i < len(c.m.insts); i++ {
		in := &c.m.insts[i]
		switch in.op {
		case opFunctionEnd:
			c.require(in, !open && len(list) > 0)
			return list, at
		case opFunctionParameter:
			slot, _ := c.result(in)
			f.params, f.slots = append(f.params, in.result), append(f.slots, slot)
		case opLabel:
			c.require(in, !open)
			at[in.result] = len(list)
			list = append(list, rawBlock{label: in.result, first: i + 1, position: -1})
			open = true
		default:
			if !open {
				continue
			}
			b := &list[len(list)-1]
			next, ends := successors(in)
			b.next = append(b.next, next...)
			if ends {
				b.last, open = i, false
			}
		}
	}
	c.fail(&c.m.insts[i-1], "truncated", "a function does not end")
	return nil, nil
}

// successors returns the labels that an instruction names, and whether it ends the block.
func successors(in *inst) (labels []uint32, ends bool) {
	a := in.args
	switch in.op {
	case opSelectionMerge:
		return a[:min(1, len(a))], false
	case opLoopMerge:
		return a[:min(2, len(a))], false
	case opBranch:
		return a[:min(1, len(a))], true
	case opBranchConditional:
		if len(a) >= 3 {
			return a[1:3], true
		}
		return nil, true
	case opSwitch:
		if len(a) < 2 {
			return nil, true
		}
		labels = append(labels, a[1])
		for i := 3; i < len(a); i += 2 {
			labels = append(labels, a[i])
		}
		return labels, true
	case opKill, opReturn, opReturnValue, opUnreachable, opTerminate:
		return nil, true
	}
	return nil, false
}

// order numbers the blocks that control can reach, and returns their number. It is the reverse of a postorder that
// visits the merge block and the continue target of a construct first. Therefore the blocks of a construct come before
// its merge block, and the lowest block that lanes wait for is the right one to run next.
func (c *compiler) order(raw []rawBlock, at map[uint32]int) int {
	type visit struct{ block, next int }
	seen := make([]bool, len(raw))
	var post []int
	stack := []visit{{0, 0}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		b := &raw[top.block]
		if top.next == len(b.next) {
			post = append(post, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		label := b.next[top.next]
		top.next++
		k, ok := at[label]
		if !ok {
			c.fail(&c.m.insts[b.last], "bad-operand", "no block has the label %%%d", label)
		}
		if !seen[k] {
			seen[k] = true
			stack = append(stack, visit{k, 0})
		}
	}
	for i, k := range post {
		raw[k].position = len(post) - 1 - i
	}
	return len(post)
}

// block translates the instructions of a block.
func (c *compiler) block(f *function, raw *rawBlock, all []rawBlock, at map[uint32]int) {
	b := &f.blocks[raw.position]
	for i := raw.first; i < raw.last; i++ {
		c.code = &b.code // calls translate other functions
		switch in := &c.m.insts[i]; in.op {
		case opPhi, opSelectionMerge, opLoopMerge, 8, opNoLine:
		case opVariable:
			v := c.variable(in)
			f.locals = append(f.locals, v)
		default:
			c.instruction(in)
		}
	}
	in := &c.m.insts[raw.last]
	b.end = terminator{op: in.op, at: int32(in.at), number: map[uint32]int{}}
	target := func(label uint32) int {
		if k, ok := b.end.number[label]; ok {
			return k
		}
		k := len(b.end.edges)
		b.end.number[label] = k
		b.end.edges = append(b.end.edges, edge{target: all[at[label]].position})
		return k
	}
	labels, _ := successors(in)
	switch in.op {
	case opBranch:
		c.require(in, len(labels) == 1)
		target(labels[0])
	case opBranchConditional:
		c.require(in, len(labels) == 2)
		b.end.slot = c.sized(in, 0, 1)
		target(labels[0])
		if labels[0] == labels[1] {
			b.end.op = opBranch
		}
		target(labels[1])
	case opSwitch:
		c.require(in, len(labels) > 0)
		b.end.slot = c.sized(in, 0, 1)
		b.end.cases = map[uint32]int{}
		target(labels[0])
		for i := 2; i+1 < len(in.args); i += 2 {
			b.end.cases[in.args[i]] = target(in.args[i+1])
		}
	case opReturnValue:
		b.end.slot = c.sized(in, 0, int(f.result.n))
	}
}

// phis adds the operands of phis to the edges that lead to a block. All phis of a block read their operands at the same
// moment, so operands that other phis of the block hold pass through staging slots.
func (c *compiler) phis(f *function, raw *rawBlock, all []rawBlock, at map[uint32]int) {
	last := raw.first
	written := map[int32]bool{} // slots of the phis
	for ; last < raw.last && c.m.insts[last].op == opPhi; last++ {
		in := &c.m.insts[last]
		if c.typeOf(in.typ).kind == kindPointer {
			c.fail(in, "not-supported", "pointers that depend on control flow are not supported")
		}
		for k := range c.typeOf(in.typ).slots {
			written[c.slots[in.result]-1+int32(k)] = true
		}
	}
	for i := raw.first; i < last; i++ {
		in := &c.m.insts[i]
		dst, n := c.slots[in.result]-1, c.typeOf(in.typ).slots
		staging := int32(-1)
		for k := 0; k+1 < len(in.args); k += 2 {
			from, ok := at[in.args[k+1]]
			c.require(in, ok)
			if all[from].position < 0 {
				continue
			}
			end := &f.blocks[all[from].position].end
			e, ok := end.number[raw.label]
			c.require(in, ok)
			m := move{dst: dst, src: c.sized(in, k, n), staging: -1, n: int32(n)}
			for s := range m.n {
				if staging < 0 && written[m.src+s] {
					staging = c.alloc(in, n)
				}
				if written[m.src+s] {
					m.staging = staging
				}
			}
			end.edges[e].moves = append(end.edges[e].moves, m)
		}
	}
}
