package il

import "github.com/shaderlift/shaderlift/asm"

// block is an open if, loop, switch or function. A new kind needs a Role that opens and one that
// closes it.
type block struct {
	at int // its first statement
	// If, Loop, Switch or Func
	role      Role
	otherwise bool // has had its else or default
	// of a switch: the values of its cases, nil before the first label
	cases map[uint32]bool
}

// blockChecker walks the statements of a kernel once, with a stack of open blocks. Functions are
// outermost blocks.
type blockChecker struct {
	k    *Kernel
	open []block
	// number of open loops, for continue
	inLoop int
	// number of open loops and switches, for break
	inExit int
	// ended is set after a return outside all blocks, at the end of the main program or of a
	// function. Then a function can begin.
	ended bool
	// after endmain or a first function: only functions may follow
	mainDone bool
	done     bool // end was seen
	// the first statement of each function, by label
	funcs map[uint32]int
	// astray is set when a statement does not match its context. Either of the two may be wrong, so
	// the checker reports nothing more before the next function.
	astray bool
	diags  asm.Diags
}

// checkBlocks checks that blocks nest, that every call has its function and that the kernel ends
// correctly. eof is the end of the source.
//
// Functions follow the main program, which ends with endmain or with a return outside all blocks,
// and run to the end of the kernel. AMD's compilers omit endfunc after the final return of a
// function, so it is optional there.
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
				c.reportFault(i, "unknown-function", "func %d is not defined", in.Imm[0])
			}
		}
	}
	return c.diags
}

// reportFault reports a fault of a statement. All faults of blocks are reported, up to maxDiags, but not
// their consequences.
func (c *blockChecker) reportFault(at int, code asm.Code, format string, args ...any) {
	if c.astray {
		return
	}
	c.diags = append(c.diags, asm.Errorf(c.k.Insts[at].Pos, code, format, args...))
}

// misfit reports a statement that is not allowed in the innermost block.
func (c *blockChecker) misfit(at int) {
	opener := &c.k.Insts[c.open[len(c.open)-1].at]
	c.reportFault(at, "unbalanced", "%s inside the %s of line %d", c.k.Insts[at].Op, opener.Op, opener.Pos.Line)
	c.astray = true
}

// innermostRole returns the role of the innermost block, or NoRole outside all blocks.
func (c *blockChecker) innermostRole() Role {
	if len(c.open) == 0 {
		return NoRole
	}
	return c.open[len(c.open)-1].role
}

// statement processes one statement. Only func and end need ended of the previous statement, so
// each statement clears it.
func (c *blockChecker) statement(i int) {
	in := &c.k.Insts[i]
	role := in.Op.Role()
	if in.Op.Kind() == Declaration && !c.done {
		return // its scope is the kernel, wherever it occurs
	}
	// Places that allow only a few statements.
	switch {
	case c.done:
		c.reportFault(i, "after-end", "%s after the end", in.Op)
		c.astray = true
		return
	case c.innermostRole() == Switch && c.open[len(c.open)-1].cases == nil && role != Case && role != EndSwitch:
		c.reportFault(i, "outside-case", "%s before the first case of a switch", in.Op)
		return
	case c.mainDone && len(c.open) == 0 && role != Func && role != End:
		c.reportFault(i, "outside-function", "%s after the main program, outside a function", in.Op)
		c.astray = true
		return
	}
	ended := c.ended
	c.ended = false
	switch role {
	case If, Loop, Switch:
		c.openBlock(i, role)
		if len(c.open) == MaxNesting+1 {
			c.reportFault(i, "nesting-too-deep", "blocks nest more than %d deep, which exceeds the stack of the hardware",
				MaxNesting)
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
		c.closeBlock(i, If, "if")
	case EndLoop:
		c.closeBlock(i, Loop, "whileloop")
	case EndSwitch:
		c.closeBlock(i, Switch, "switch")
	case Case:
		c.label(i, in)
	case Break:
		if c.inExit == 0 {
			c.reportFault(i, "outside-loop", "%s outside a loop and a switch", in.Op)
		}
	case Continue:
		if c.inLoop == 0 {
			c.reportFault(i, "outside-loop", "%s outside a loop", in.Op)
		}
	// A conditional return does not end anything.
	case Return:
		unconditional := in.NSrc == 0
		c.ended = unconditional && (len(c.open) == 0 || len(c.open) == 1 && c.innermostRole() == Func)
	case EndMain:
		switch {
		case len(c.open) > 0:
			c.misfit(i)
		case c.mainDone:
			c.reportFault(i, "unbalanced", "endmain after the main program")
		}
		c.mainDone = true
	case Func:
		c.function(i, in, ended)
	case EndFunc:
		c.closeBlock(i, Func, "func")
	case End:
		c.close(ended)
		c.done = true
		if len(c.open) > 0 {
			c.misfit(i)
		}
	}
}

// openBlock opens a block.
func (c *blockChecker) openBlock(i int, role Role) {
	c.open = append(c.open, block{at: i, role: role})
	c.count(role, 1)
}

// count updates the numbers of open loops and exits.
func (c *blockChecker) count(role Role, by int) {
	switch role {
	case Loop:
		c.inLoop += by
		c.inExit += by
	case Switch:
		c.inExit += by
	}
}

// closeBlock closes the innermost block, which must have the given role.
func (c *blockChecker) closeBlock(i int, role Role, opener string) {
	if !c.within(i, role, opener) {
		return
	}
	c.open = c.open[:len(c.open)-1]
	c.count(role, -1)
}

// within reports whether the innermost block has the role that a statement needs, and adds a
// diagnostic if not.
func (c *blockChecker) within(i int, role Role, opener string) bool {
	switch c.innermostRole() {
	case role:
		return true
	case NoRole, Func:
		c.reportFault(i, "unbalanced", "%s without %s", c.k.Insts[i].Op, opener)
	default:
		c.misfit(i)
	}
	return false
}

// close ends the open function if its last statement was a return.
func (c *blockChecker) close(ended bool) {
	if ended && c.innermostRole() == Func {
		c.open = c.open[:len(c.open)-1]
	}
}

// label checks a case or default.
func (c *blockChecker) label(i int, in *Inst) {
	if c.innermostRole() != Switch {
		c.reportFault(i, "outside-switch", "%s is not directly in a switch", in.Op)
		return
	}
	b := &c.open[len(c.open)-1]
	if b.cases == nil {
		b.cases = map[uint32]bool{}
	}
	switch {
	case in.Op == OpCase && b.cases[in.Imm[0]]:
		c.reportFault(i, "duplicate-case", "this switch already has a case %d", int32(in.Imm[0]))
	case in.Op == OpDefault && b.otherwise:
		c.reportFault(i, "duplicate-case", "this switch already has a default")
	case in.Op == OpDefault:
		b.otherwise = true
	default:
		b.cases[in.Imm[0]] = true
	}
}

// function begins a function. The previous function or main program must have ended with endmain,
// endfunc, or a return outside all blocks.
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
		c.reportFault(i, "unbalanced", "func %d begins before the previous block ends", in.Imm[0])
	}
	// Treat it as a function, whatever precedes it.
	c.open, c.inLoop, c.inExit, c.astray, c.mainDone = nil, 0, 0, false, true
	if first, ok := c.funcs[in.Imm[0]]; ok {
		c.reportFault(i, "duplicate-function", "func %d is already defined at line %d", in.Imm[0], c.k.Insts[first].Pos.Line)
	}
	c.funcs[in.Imm[0]] = i
	c.openBlock(i, Func)
}
