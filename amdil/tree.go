package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// statement is the part of a node that this dialect adds: the statement that it is or comes from, and its condition.
type statement struct {
	inst *il.Inst
	at   int32 // index of inst
	cond *cond // of conditionals and breaks; nil means always
}

type (
	node  = flow.Node[statement]
	label = flow.Label
)

// cond is the condition of a branch. kind selects the fields that are set; nil always holds.
type cond struct {
	kind   condKind
	negate bool
	src    *il.Src  // a word, true if any bit is set
	rel    *il.Inst // compares its two sources as floats
	cases  []uint32 // the word is one of these
}

type condKind uint8

const (
	condWord condKind = iota
	condRel
	condCase
)

// maxNodes bounds the nodes after inlining calls and after copying cases that fall through. It equals the
// limit on statements of a kernel.
const maxNodes = il.MaxStatements

// maxCopied bounds the copies for cases that fall through: their number grows with the square of the cases.
const maxCopied = 1 << 12

// builder builds the tree of a kernel, in one walk that follows calls.
type builder struct {
	k      *il.Kernel
	room   *room
	pos    int // the next statement
	funcs  map[uint32]int
	labels int
	nodes  int
	copied int // by cases that fall through
	loops  int // enclosing loops
	// The meaning of break, continue and return here: a jump to a label, or the break of a loop.
	leave *label // nil: the loop
	next  *label
	ret   *label
	err   *asm.Diag
}

// tree returns the tree of k: one block, which return statements leave.
func tree(k *il.Kernel, room *room) (node, error) {
	b := &builder{k: k, room: room, funcs: map[uint32]int{}}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op.Role() == il.Func {
			b.funcs[in.Imm[0]] = i
		}
	}
	b.ret = b.label()
	main := node{Kind: flow.Block, To: b.ret}
	main.A = b.block()
	if b.err != nil {
		return node{}, asm.Diags{b.err}
	}
	return main, nil
}

func (b *builder) label() *label {
	b.labels++
	return &label{Depth: b.loops, Index: b.labels}
}

func (b *builder) fail(in *il.Inst, code asm.Code, format string, args ...any) {
	if b.err == nil {
		b.err = asm.Errorf(in.Pos, code, format, args...)
	}
	b.pos = len(b.k.Insts)
}

// block reads statements up to one that ends the block, and does not consume that one. It ignores
// declarations.
func (b *builder) block() []node {
	from := len(b.room.open)
	b.statements()
	list := b.room.copyNodes(b.room.open[from:])
	b.room.open = b.room.open[:from]
	return list
}

// statements appends the nodes of a block to the open list.
func (b *builder) statements() {
	for b.pos < len(b.k.Insts) {
		in := &b.k.Insts[b.pos]
		switch in.Op.Role() {
		case il.Else, il.EndIf, il.EndLoop, il.Case, il.EndSwitch, il.EndFunc, il.EndMain, il.End, il.Func:
			return
		}
		if b.nodes++; b.nodes > maxNodes {
			b.fail(in, "too-large", "more than %d statements after inlining", maxNodes)
			return
		}
		at := b.pos
		b.pos++
		if in.Op.Kind() != il.Declaration {
			b.statement(in, int32(at))
		}
	}
}

// statement appends the node for the statement in, which has been read. Constructs read on to their end.
func (b *builder) statement(in *il.Inst, at int32) {
	n := node{Item: statement{inst: in, at: at}}
	switch in.Op.Role() {
	case il.If:
		n.Kind, n.Item.cond = flow.If, condition(in)
		n.A = b.block()
		if b.nextRole() == il.Else {
			b.pos++
			n.B = b.block()
		}
		b.pos++
	// break leaves the loop itself; continue is a jump to the end of its body.
	case il.Loop:
		if in.NSrc > 0 {
			b.fail(in, "not-supported", "loops over an integer register are not supported")
			return
		}
		leave, next := b.leave, b.next
		b.loops++
		b.leave, b.next = nil, b.label()
		n.Kind, n.To = flow.Loop, b.next
		n.A = b.block()
		b.loops--
		b.leave, b.next = leave, next
		b.pos++
	case il.Switch:
		n.Kind, n.To = flow.Block, b.label()
		n.A = b.cases(in, at, n.To)
		b.pos++
	// Within a switch, break is a jump to its end.
	case il.Break:
		if n.Kind = flow.Break; b.leave != nil {
			n.Kind, n.To = flow.Jump, b.leave
		}
		n = makeConditional(n, condition(in))
	case il.Continue:
		n.Kind, n.To = flow.Jump, b.next
		n = makeConditional(n, condition(in))
	case il.Return:
		n.Kind, n.To = flow.Jump, b.ret
		n = makeConditional(n, condition(in))
	case il.Call:
		n = b.inlineCall(in, at)
		if c := condition(in); c != nil {
			n = node{Kind: flow.If, Item: statement{in, at, c}, A: []node{n}}
		}
	}
	b.room.open = append(b.room.open, n)
}

// nextRole returns the role of the next statement that is not a declaration.
func (b *builder) nextRole() il.Role {
	for b.pos < len(b.k.Insts) && b.k.Insts[b.pos].Op.Kind() == il.Declaration {
		b.pos++
	}
	if b.pos < len(b.k.Insts) {
		return b.k.Insts[b.pos].Op.Role()
	}
	return il.End
}

// makeConditional makes n, a break or jump, conditional.
func makeConditional(n node, c *cond) node {
	if n.Kind == flow.Break || c == nil {
		n.Item.cond, n.Always = c, c == nil
		return n
	}
	return node{Kind: flow.If, Item: statement{n.Item.inst, n.Item.at, c}, A: []node{n}}
}

// inlineCall inlines a function. Registers are global in the language, so a call is a block that return leaves.
// il.Check rejects recursion.
func (b *builder) inlineCall(in *il.Inst, at int32) node {
	pos, leave, next, ret := b.pos, b.leave, b.next, b.ret
	n := node{Kind: flow.Block, Item: statement{inst: in, at: at}, To: b.label()}
	b.pos, b.ret = b.funcs[in.Imm[0]]+1, n.To
	n.A = b.block()
	if b.err == nil {
		b.pos = pos
	}
	b.leave, b.next, b.ret = leave, next, ret
	return n
}

// cases reads a switch up to its end and returns a chain of conditionals, with the default last. A case that
// falls through contains the next one (the language allows it, and compilers write it for shared code). Cases
// are processed backwards, so that the next one is complete.
func (b *builder) cases(in *il.Inst, at int32, end *label) []node {
	leave := b.leave
	b.leave = end
	defer func() { b.leave = leave }()
	type group struct {
		cases     []uint32
		otherwise bool
		body      []node
	}
	var groups []group
	for b.nextRole() == il.Case {
		var g group
		for b.nextRole() == il.Case {
			if c := &b.k.Insts[b.pos]; c.Op == il.OpDefault {
				g.otherwise = true
			} else {
				g.cases = append(g.cases, c.Imm[0])
			}
			b.pos++
		}
		g.body = b.block()
		groups = append(groups, g)
	}
	for i := len(groups) - 2; i >= 0; i-- {
		if g := &groups[i]; !endsInJump(g.body) {
			g.body = slices.Concat(g.body, groups[i+1].body)
			if b.copied += len(groups[i+1].body); b.copied > maxCopied {
				b.fail(in, "too-large", "cases that continue into the next one need more than %d copied statements", maxCopied)
				return nil
			}
		}
	}
	var chain []node
	for _, g := range groups {
		if g.otherwise {
			chain = g.body
		}
	}
	for _, g := range slices.Backward(groups) {
		if !g.otherwise {
			c := &cond{kind: condCase, src: &in.Src[0], cases: g.cases}
			chain = []node{{Kind: flow.If, Item: statement{in, at, c}, A: g.body, B: chain}}
		}
	}
	return chain
}

// endsInJump reports whether control cannot reach the end of list.
func endsInJump(list []node) bool {
	if len(list) == 0 {
		return false
	}
	switch n := &list[len(list)-1]; n.Kind {
	case flow.Jump:
		return true
	case flow.Break:
		return n.Always
	case flow.If:
		return endsInJump(n.A) && endsInJump(n.B)
	}
	return false
}

// condition returns the condition of the statement in, or nil if it has none.
func condition(in *il.Inst) *cond {
	switch in.Op {
	case il.OpIfLogicalNZ, il.OpIfNZ, il.OpBreakLogicalNZ, il.OpContinueLogicalNZ, il.OpRetLogicalNZ, il.OpCallLogicalNZ,
		il.OpCallNZ:
		return &cond{kind: condWord, src: &in.Src[0]}
	case il.OpIfLogicalZ, il.OpBreakLogicalZ, il.OpContinueLogicalZ, il.OpRetLogicalZ, il.OpCallLogicalZ:
		return &cond{kind: condWord, src: &in.Src[0], negate: true}
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		return &cond{kind: condRel, rel: in}
	}
	return nil
}
