package kernel

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// stmt is a run of instructions without control flow, or a statement of control flow. AMD IL has structured
// control flow, so the compiled program is a tree of statements. kind determines which fields are set.
type stmt struct {
	kind stmtKind
	id   int     // its number from 0 on, which Options.Seen uses
	pos  asm.Pos // of the first instruction, for errors
	// direct runs if all live lanes are active, masked if only some are; count is the number of their
	// instructions. A statement of control flow computes its operands in direct.
	direct, masked []uop
	count          int
	cond           condition // of an if, switch, break, continue, return, call or discard
	body, other    []stmt    // the block of an if or loop, and that of its else
	// cases lists the cases of sSwitch in the order of the text: lanes fall through from one to the next.
	cases []caseLabel
	// callee is the number of the function that sCall calls.
	callee  int
	counter slot // trip count of a loop, or noSlot
	effect  bool // if instructions are apart: it may write to memory
}

type stmtKind uint8

const (
	sCode stmtKind = iota
	sIf
	sLoop
	sSwitch
	sBreak
	sContinue
	sReturn
	sCall
	sDiscard
	sBarrier
)

// condition tests each lane with the words in slots s: one for the logical forms, two for a comparison,
// four for kill. For a switch, s[0] is the value.
type condition struct {
	kind condKind
	rel  il.RelOp
	s    [4]slot
}

type condKind uint8

const (
	condAlways  condKind = iota
	condNotZero          // any bit
	condZero
	condRel      // of floats
	condNegative // any of four floats
)

// caseLabel holds the statements from a case or default up to the next one.
type caseLabel struct {
	value     uint32
	isDefault bool
	body      []stmt
}

// compileProgram compiles the main program and the functions behind it. It first numbers the functions, since calls
// may go forward or backward.
func (c *compiler) compileProgram() {
	var bodies []int
	for i := range c.k.Insts {
		if in := &c.k.Insts[i]; in.Op.Role() == il.Func {
			c.labels[in.Imm[0]] = len(bodies)
			bodies = append(bodies, i+1)
		}
	}
	c.main = c.block()
	c.funcs = make([][]stmt, len(bodies))
	for i, at := range bodies {
		c.pc = at
		c.funcs[i] = c.block()
	}
}

// block compiles statements up to one that ends the block, and leaves that one unread. A fence between
// threads is a barrier only in compute kernels. Memory fences have no effect here, because every access
// completes at once.
func (c *compiler) block() (list []stmt) {
	for c.pc < len(c.k.Insts) && c.err == nil {
		in := &c.k.Insts[c.pc]
		switch in.Op.Role() {
		case il.Else, il.EndIf, il.EndLoop, il.Case, il.EndSwitch, il.Func, il.EndFunc, il.EndMain, il.End:
			return list
		}
		c.pc++
		switch {
		case in.Op.Kind() == il.Declaration:
		case in.Op == il.OpFence:
			if in.Ctl.Fence&il.FenceThreads != 0 && c.stage == il.Compute {
				c.grouped = true
				list = append(list, c.number(stmt{kind: sBarrier, pos: in.Pos, count: 1}))
			}
		case in.Op.Role() != il.NoRole:
			list = append(list, c.compileFlow(in))
		default:
			list = c.append(list, in)
		}
	}
	return list
}

// append adds an instruction without control flow to the preceding run. A run counts as one step and
// executes without mask checks in between. In a program for traces every instruction is a separate
// statement.
func (c *compiler) append(list []stmt, in *il.Inst) []stmt {
	direct, masked := c.statement(in)
	if n := len(list); n > 0 && list[n-1].kind == sCode && !c.apart {
		s := &list[n-1]
		s.direct, s.masked = append(s.direct, direct...), append(s.masked, masked...)
		s.count++
		return list
	}
	return append(list, c.number(stmt{pos: in.Pos, direct: slices.Clone(direct), masked: slices.Clone(masked), count: 1,
		effect: c.apart && (rowOf(in.Op).effect || in.HasDst && in.Dst.File == il.Global)}))
}

// number assigns a number to a statement.
func (c *compiler) number(s stmt) stmt {
	s.id = c.stmts
	c.stmts++
	return s
}

// nested compiles the block that instruction in opens. Compilation and execution are recursive, so its
// depth is bounded.
func (c *compiler) nested(in *il.Inst) []stmt {
	if c.depth++; c.depth > maxDepth {
		c.fail(in, "nesting-depth", "blocks are nested more than %d deep", maxDepth)
	}
	list := c.block()
	c.depth--
	return list
}

// nextRole returns the role of the next statement; the end of the text has the role of end.
func (c *compiler) nextRole() il.Role {
	if c.pc < len(c.k.Insts) {
		return c.k.Insts[c.pc].Op.Role()
	}
	return il.End
}

// compileFlow compiles a statement of control flow and the blocks that it opens.
func (c *compiler) compileFlow(in *il.Inst) stmt {
	s := c.number(stmt{pos: in.Pos, count: 1})
	c.condition(in, &s)
	switch in.Op.Role() {
	case il.If:
		s.kind, s.body = sIf, c.nested(in)
		if c.nextRole() == il.Else {
			c.pc++
			s.other = c.nested(in)
		}
		c.pc++
	case il.Loop:
		s.kind, s.body = sLoop, c.nested(in)
		c.pc++
	case il.Switch:
		s.kind = sSwitch
		for c.nextRole() == il.Case || c.skipped() {
			label := &c.k.Insts[c.pc]
			c.pc++
			if label.Op.Kind() == il.Declaration {
				continue
			}
			s.cases = append(s.cases, caseLabel{label.Imm[0], label.Op == il.OpDefault, c.nested(in)})
		}
		c.pc++
	case il.Break:
		s.kind = sBreak
	case il.Continue:
		s.kind = sContinue
	case il.Return:
		s.kind = sReturn
	case il.Call:
		s.kind, s.callee = sCall, c.labels[in.Imm[0]]
	case il.Discard:
		s.kind, c.discards = sDiscard, true
	default:
		c.fail(in, "unsupported-op", "%s cannot be executed", in.Op)
	}
	return s
}

// skipped reports whether the next statement is a declaration, which may precede the first case.
func (c *compiler) skipped() bool {
	return c.pc < len(c.k.Insts) && c.k.Insts[c.pc].Op.Kind() == il.Declaration
}

// condition compiles the operands of a statement of control flow into s.direct.
func (c *compiler) condition(in *il.Inst, s *stmt) {
	l := lowering{compiler: c, in: in}
	switch in.Op {
	case il.OpIfLogicalNZ, il.OpBreakLogicalNZ, il.OpContinueLogicalNZ, il.OpCallLogicalNZ, il.OpRetLogicalNZ,
		il.OpDiscardLogicalNZ:
		s.cond.kind = condNotZero
	case il.OpIfLogicalZ, il.OpBreakLogicalZ, il.OpContinueLogicalZ, il.OpCallLogicalZ, il.OpRetLogicalZ,
		il.OpDiscardLogicalZ:
		s.cond.kind = condZero
	case il.OpIfNZ, il.OpCallNZ:
		s.cond.kind, s.cond.rel = condRel, il.RelNE
		s.cond.s[1] = c.literal(0)
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		s.cond.kind, s.cond.rel = condRel, in.Ctl.Rel
	case il.OpKill:
		s.cond.kind = condNegative
		s.cond.s = l.operand(0, il.AllLanes)
	}
	if in.Op != il.OpKill {
		for i := range in.Sources() {
			s.cond.s[i] = l.scalar(i)
		}
	}
	if in.Op.Role() == il.Loop {
		s.counter = noSlot
		if in.NSrc > 0 {
			s.counter = c.allocate(1) // a copy, since the body must not change it
			l.emit(copyUop(s.counter, s.cond.s[0]))
		}
	}
	s.direct = l.code
}
