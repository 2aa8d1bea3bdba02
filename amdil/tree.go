package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// node is a statement of the tree. Its address is its key in the maps of liveness, so lists are never copied.
type node struct {
	kind nodeKind
	inst *il.Inst // of a statement; for others, the statement that produced the node
	at   int32    // index of inst
	// For nodeInst, indices into the accesses of liveness: start of its reads, start of its writes, and end.
	reads, writes, end int32

	cond *cond  // of nodeIf and nodeBreak; nil means always
	a, b []node // of nodeIf: the sides; of nodeLoop and nodeBlock: a is the body
	to   *label // of nodeJump and nodeFlag; of nodeBlock: its end; of nodeLoop: the end of its body
	set  bool   // of nodeFlag
}

type nodeKind uint8

const (
	nodeInst  nodeKind = iota
	nodeIf             // if cond a else b
	nodeLoop           // a forever
	nodeBreak          // leaves the innermost loop, where cond holds
	nodeBlock          // a, which jumps can leave
	nodeJump           // to the end of a block or of the body of a loop
	nodeFlag           // sets the flag that a jump is pending
)

// label is a target of jumps.
type label struct {
	depth int // enclosing loops
	index int // of its flag
}

// cond is the condition of a branch. kind selects the fields that are set; nil always holds.
type cond struct {
	kind   condKind
	negate bool
	src    *il.Src  // a word, true if any bit is set
	rel    *il.Inst // compares its two sources as floats
	cases  []uint32 // the word is one of these
	flags  []*label // any of these jumps is pending
}

type condKind uint8

const (
	condWord condKind = iota
	condRel
	condCase
	condFlags
)

// maxNodes bounds the nodes after inlining calls and after copying cases that fall through. It equals the
// limit on statements of a kernel.
const maxNodes = il.MaxStatements

// maxCopied bounds the copies for cases that fall through: their number grows with the square of the cases.
const maxCopied = 1 << 12

// maxDeep bounds the nesting of branches once cases and early exits are branches, because liveness keeps a
// set for each. The largest switch known has nine cases.
const maxDeep = 1 << 10

// deepest returns the nesting depth of list, up to maxDeep.
func deepest(list []node, around int) (depth int) {
	depth = around
	if around > maxDeep {
		return depth
	}
	for i := range list {
		if n := &list[i]; len(n.a)+len(n.b) > 0 {
			depth = max(depth, deepest(n.a, around+1), deepest(n.b, around+1))
		}
	}
	return depth
}

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
	main := node{kind: nodeBlock, to: b.ret}
	main.a = b.block()
	if b.err != nil {
		return node{}, asm.Diags{b.err}
	}
	return main, nil
}

func (b *builder) label() *label {
	b.labels++
	return &label{depth: b.loops, index: b.labels}
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
	n := node{kind: nodeInst, inst: in, at: at}
	switch in.Op.Role() {
	case il.If:
		n.kind, n.cond = nodeIf, condition(in)
		n.a = b.block()
		if b.nextRole() == il.Else {
			b.pos++
			n.b = b.block()
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
		n.kind, n.to = nodeLoop, b.next
		n.a = b.block()
		b.loops--
		b.leave, b.next = leave, next
		b.pos++
	case il.Switch:
		n.kind, n.to = nodeBlock, b.label()
		n.a = b.cases(in, at, n.to)
		b.pos++
	// Within a switch, break is a jump to its end.
	case il.Break:
		if n.kind = nodeBreak; b.leave != nil {
			n.kind, n.to = nodeJump, b.leave
		}
		n = makeConditional(n, condition(in))
	case il.Continue:
		n.kind, n.to = nodeJump, b.next
		n = makeConditional(n, condition(in))
	case il.Return:
		n.kind, n.to = nodeJump, b.ret
		n = makeConditional(n, condition(in))
	case il.Call:
		n = b.inlineCall(in, at)
		if c := condition(in); c != nil {
			n = node{kind: nodeIf, inst: in, at: at, cond: c, a: []node{n}}
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
	if n.kind == nodeBreak || c == nil {
		n.cond = c
		return n
	}
	return node{kind: nodeIf, inst: n.inst, at: n.at, cond: c, a: []node{n}}
}

// inlineCall inlines a function. Registers are global in the language, so a call is a block that return leaves.
// il.Check rejects recursion.
func (b *builder) inlineCall(in *il.Inst, at int32) node {
	pos, leave, next, ret := b.pos, b.leave, b.next, b.ret
	n := node{kind: nodeBlock, inst: in, at: at, to: b.label()}
	b.pos, b.ret = b.funcs[in.Imm[0]]+1, n.to
	n.a = b.block()
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
			chain = []node{{kind: nodeIf, inst: in, at: at, cond: &cond{kind: condCase, src: &in.Src[0], cases: g.cases},
				a: g.body, b: chain}}
		}
	}
	return chain
}

// endsInJump reports whether control cannot reach the end of list.
func endsInJump(list []node) bool {
	if len(list) == 0 {
		return false
	}
	switch n := &list[len(list)-1]; n.kind {
	case nodeJump:
		return true
	case nodeBreak:
		return n.cond == nil
	case nodeIf:
		return endsInJump(n.a) && endsInJump(n.b)
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
