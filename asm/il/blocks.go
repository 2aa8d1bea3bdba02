package il

import "github.com/shaderlift/shaderlift/asm"

// block is an if, loop, switch or function that is open. A new kind needs a Role that
// opens and one that closes it.
type block struct {
	at int // its first statement
	// If, Loop, Switch or Func
	role      Role
	otherwise bool // has had its else or default
	// of a switch: the values of its cases, nil before the first label
	cases map[uint32]bool
}

// blockChecker walks the statements of a kernel once, with a stack of open blocks.
// Functions are blocks of the outermost level.
type blockChecker struct {
	k    *Kernel
	open []block
	// loops among the open blocks, for continue
	inLoop int
	// loops and switches, for break
	inExit int
	// ended tells that the last statement of the main program, or of a function, was
	// a return outside all blocks, so that a function can begin.
	ended bool
	// endmain or a first function was seen: only functions may follow
	mainDone bool
	done     bool // end was seen
	// by label, the statement that begins the function
	funcs map[uint32]int
	// astray tells that a statement did not fit what is around it. Which of the two is at
	// fault nobody knows, so nothing more is said before the next function.
	astray bool
	diags  asm.Diags
}

// checkBlocks checks that blocks nest, that every call has its function and that the
// kernel is ended where it should be; eof is where it stops.
//
// Functions follow the main program, which ends with endmain or with a return outside
// all blocks, and run to the end of the kernel. AMD's compilers leave out endfunc
// after the final return of a function, so it may be missing there.
func checkBlocks(k *Kernel, eof asm.Pos) asm.Diags {
	c := blockChecker{k: k, funcs: map[uint32]int{}}
	for i := range k.Insts {
		if len(c.diags) >= maxDiags {
			return c.diags
		}
		c.statement(i)
	}
	if len(c.diags) > 0 {
		return c.diags
	}
	if !c.done {
		c.diags = append(c.diags, asm.Errorf(eof, "missing-end", "the kernel has no end"))
		return c.diags
	}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op.Role() == Call && len(c.diags) < maxDiags {
			if _, ok := c.funcs[in.Imm[0]]; !ok {
				c.fail(i, "unknown-function", "there is no func %d", in.Imm[0])
			}
		}
	}
	return c.diags
}

// fail reports a fault of a statement. All faults of blocks are told, up to maxDiags, but
// not what they lead to.
func (c *blockChecker) fail(at int, code asm.Code, format string, args ...any) {
	if c.astray {
		return
	}
	c.diags = append(c.diags, asm.Errorf(c.k.Insts[at].Pos, code, format, args...))
}

// misfit reports a statement that may not stand in the innermost block.
func (c *blockChecker) misfit(at int) {
	opener := &c.k.Insts[c.open[len(c.open)-1].at]
	c.fail(at, "unbalanced", "%s inside the %s of line %d", c.k.Insts[at].Op, opener.Op, opener.Pos.Line)
	c.astray = true
}

// top is the innermost block, NoRole outside all.
func (c *blockChecker) top() Role {
	if len(c.open) == 0 {
		return NoRole
	}
	return c.open[len(c.open)-1].role
}

// statement takes in one statement. ended of the statement before it is needed by func
// and end alone, so it is forgotten with each.
func (c *blockChecker) statement(i int) {
	in := &c.k.Insts[i]
	role := in.Op.Role()
	if in.Op.Kind() == Declaration && !c.done {
		return // its scope is the kernel, wherever it stands
	}
	// Where no statement may stand, but for a few.
	switch {
	case c.done:
		c.fail(i, "after-end", "%s after the end", in.Op)
		c.astray = true
		return
	case c.top() == Switch && c.open[len(c.open)-1].cases == nil && role != Case && role != EndSwitch:
		c.fail(i, "outside-case", "%s before the first case of a switch", in.Op)
		return
	case c.mainDone && len(c.open) == 0 && role != Func && role != End:
		c.fail(i, "outside-function", "%s after the main program, outside a function", in.Op)
		c.astray = true
		return
	}
	ended := c.ended
	c.ended = false
	switch role {
	case If, Loop, Switch:
		c.push(i, role)
		if len(c.open) == MaxNesting+1 {
			c.fail(i, "nesting-too-deep", "blocks nest more than %d deep: the hardware's stack has no room for that", MaxNesting)
		}
	case Else:
		if !c.within(i, If, "if") {
			return
		}
		b := &c.open[len(c.open)-1]
		if b.otherwise {
			c.misfit(i)
		}
		b.otherwise = true
	case EndIf:
		c.pop(i, If, "if")
	case EndLoop:
		c.pop(i, Loop, "whileloop")
	case EndSwitch:
		c.pop(i, Switch, "switch")
	case Case:
		c.label(i, in)
	case Break:
		if c.inExit == 0 {
			c.fail(i, "outside-loop", "%s outside a loop and a switch", in.Op)
		}
	case Continue:
		if c.inLoop == 0 {
			c.fail(i, "outside-loop", "%s outside a loop", in.Op)
		}
	// A return under a condition does not end anything.
	case Return:
		unconditional := in.NSrc == 0
		c.ended = unconditional && (len(c.open) == 0 || len(c.open) == 1 && c.top() == Func)
	case EndMain:
		switch {
		case len(c.open) > 0:
			c.misfit(i)
		case c.mainDone:
			c.fail(i, "unbalanced", "endmain after the main program")
		}
		c.mainDone = true
	case Func:
		c.function(i, in, ended)
	case EndFunc:
		c.pop(i, Func, "func")
	case End:
		c.close(ended)
		c.done = true
		if len(c.open) > 0 {
			c.misfit(i)
		}
	}
}

// push opens a block.
func (c *blockChecker) push(i int, role Role) {
	c.open = append(c.open, block{at: i, role: role})
	c.count(role, 1)
}

// count keeps the numbers of open loops and exits.
func (c *blockChecker) count(role Role, by int) {
	switch role {
	case Loop:
		c.inLoop += by
		c.inExit += by
	case Switch:
		c.inExit += by
	}
}

// pop closes the innermost block, which has to be of a role.
func (c *blockChecker) pop(i int, role Role, opener string) {
	if !c.within(i, role, opener) {
		return
	}
	c.open = c.open[:len(c.open)-1]
	c.count(role, -1)
}

// within reports whether the innermost block has a role, which a statement needs.
func (c *blockChecker) within(i int, role Role, opener string) bool {
	switch c.top() {
	case role:
		return true
	case NoRole, Func:
		c.fail(i, "unbalanced", "%s without %s", c.k.Insts[i].Op, opener)
	default:
		c.misfit(i)
	}
	return false
}

// close ends the function that is open, if its last statement returned.
func (c *blockChecker) close(ended bool) {
	if ended && c.top() == Func {
		c.open = c.open[:len(c.open)-1]
	}
}

// label checks a case or default.
func (c *blockChecker) label(i int, in *Inst) {
	if c.top() != Switch {
		c.fail(i, "outside-switch", "%s is not directly in a switch", in.Op)
		return
	}
	b := &c.open[len(c.open)-1]
	if b.cases == nil {
		b.cases = map[uint32]bool{}
	}
	switch {
	case in.Op == OpCase && b.cases[in.Imm[0]]:
		c.fail(i, "duplicate-case", "this switch has a case %d already", int32(in.Imm[0]))
	case in.Op == OpDefault && b.otherwise:
		c.fail(i, "duplicate-case", "this switch has a default already")
	case in.Op == OpDefault:
		b.otherwise = true
	default:
		b.cases[in.Imm[0]] = true
	}
}

// function begins a function, after a main program or function that is complete:
// endmain, endfunc, or a return outside all blocks.
//
//	call 1
//	endmain            ; or ret
//	func 1
//	ret
//	endfunc            ; may be left out
//	end
func (c *blockChecker) function(i int, in *Inst, ended bool) {
	c.close(ended)
	switch {
	case len(c.open) > 0:
		c.misfit(i)
	case !c.mainDone && !ended:
		c.fail(i, "unbalanced", "func %d begins before what precedes it has ended", in.Imm[0])
	}
	// Whatever came before it, this is a function.
	c.open, c.inLoop, c.inExit, c.astray, c.mainDone = nil, 0, 0, false, true
	if first, ok := c.funcs[in.Imm[0]]; ok {
		c.fail(i, "duplicate-function", "func %d is at line %d already", in.Imm[0], c.k.Insts[first].Pos.Line)
	}
	c.funcs[in.Imm[0]] = i
	c.push(i, Func)
}
