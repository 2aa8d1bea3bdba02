package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// node is a statement of the tree. Its address is its identity in the maps of liveness,
// so lists are not copied once made.
type node struct {
	kind nodeKind
	inst *il.Inst // of a statement; what made the node, of others
	at   int32    // index of inst
	// Of nodeInst: where the slots that it reads begin in the accesses of liveness, those that it
	// writes, and where they end.
	reads, writes, end int32

	cond *cond  // of nodeIf and nodeBreak; nil if that is always
	a, b []node // of nodeIf: the sides; of nodeLoop and nodeBlock: a is the body
	to   *label // of nodeJump and nodeFlag; of nodeBlock its end, of nodeLoop the end of its body
	set  bool   // of nodeFlag
}

type nodeKind uint8

const (
	nodeInst  nodeKind = iota
	nodeIf             // if cond a else b
	nodeLoop           // a for ever
	nodeBreak          // leaves the innermost loop, where cond holds
	nodeBlock          // a, which jumps can leave
	nodeJump           // to the end of a block or of the body of a loop
	nodeFlag           // sets the flag that a jump is under way
)

// label is a place that jumps go to.
type label struct {
	depth int // loops around it
	index int // of its flag
}

// cond is what decides a branch. kind tells which of the fields are set; nil is what always holds.
type cond struct {
	kind   condKind
	negate bool
	src    *il.Src  // a word, true if any bit is set
	rel    *il.Inst // compares its two sources as floats
	cases  []uint32 // the word is one of these
	flags  []*label // any of these jumps is under way
}

type condKind uint8

const (
	condWord condKind = iota
	condRel
	condCase
	condFlags
)

// maxNodes bounds what inlining calls may make. A case that runs into the next one is
// written out with what it runs into as well. The bound is that of a kernel's own
// statements.
const maxNodes = il.MaxStatements

// maxCopied bounds the copies that are made for that: they grow with the square of the cases.
const maxCopied = 1 << 12

// maxDeep bounds how deep branches nest once cases and early exits are branches: what lives
// on is noted for each of them. The largest switch known has nine cases.
const maxDeep = 1 << 10

// deepest is how deep list nests, as far as maxDeep.
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

// builder makes the tree of a kernel, in one walk that follows calls.
type builder struct {
	k      *il.Kernel
	room   *room
	pos    int // the next statement
	funcs  map[uint32]int
	labels int
	nodes  int
	copied int // into cases that run into others
	loops  int // around the statement at hand
	// What break, continue and return mean at the statement at hand: a jump to a label,
	// or the break of a loop.
	leave *label // nil: the loop
	next  *label
	ret   *label
	err   *asm.Diag
}

// tree makes the tree of k, a block that returns end.
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

// block reads statements up to one that ends the block, which is left to be read.
// Declarations may stand anywhere and mean nothing here.
func (b *builder) block() []node {
	from := len(b.room.open)
	b.statements()
	list := b.room.list(b.room.open[from:])
	b.room.open = b.room.open[:from]
	return list
}

// statements appends the nodes of a block to what is open.
func (b *builder) statements() {
	for b.pos < len(b.k.Insts) {
		in := &b.k.Insts[b.pos]
		switch in.Op.Role() {
		case il.Else, il.EndIf, il.EndLoop, il.Case, il.EndSwitch, il.EndFunc, il.EndMain, il.End, il.Func:
			return
		}
		if b.nodes++; b.nodes > maxNodes {
			b.fail(in, "too-large", "more than %d statements once calls are inlined", maxNodes)
			return
		}
		at := b.pos
		b.pos++
		if in.Op.Kind() != il.Declaration {
			b.statement(in, int32(at))
		}
	}
}

// statement appends what the statement in means, which has been read. Constructs read
// on to their end.
func (b *builder) statement(in *il.Inst, at int32) {
	n := node{kind: nodeInst, inst: in, at: at}
	switch in.Op.Role() {
	case il.If:
		n.kind, n.cond = nodeIf, condition(in)
		n.a = b.block()
		if b.role() == il.Else {
			b.pos++
			n.b = b.block()
		}
		b.pos++
	// break leaves the loop itself; continue is a jump to the end of its body.
	case il.Loop:
		if in.NSrc > 0 {
			b.fail(in, "not-supported", "loops over an integer register are not understood")
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
	// Within a switch break is a jump to its end.
	case il.Break:
		if n.kind = nodeBreak; b.leave != nil {
			n.kind, n.to = nodeJump, b.leave
		}
		n = jump(n, condition(in))
	case il.Continue:
		n.kind, n.to = nodeJump, b.next
		n = jump(n, condition(in))
	case il.Return:
		n.kind, n.to = nodeJump, b.ret
		n = jump(n, condition(in))
	case il.Call:
		n = b.call(in, at)
		if c := condition(in); c != nil {
			n = node{kind: nodeIf, inst: in, at: at, cond: c, a: []node{n}}
		}
	}
	b.room.open = append(b.room.open, n)
}

// role is that of the next statement, declarations aside.
func (b *builder) role() il.Role {
	for b.pos < len(b.k.Insts) && b.k.Insts[b.pos].Op.Kind() == il.Declaration {
		b.pos++
	}
	if b.pos < len(b.k.Insts) {
		return b.k.Insts[b.pos].Op.Role()
	}
	return il.End
}

// jump makes n, which breaks or jumps, conditional.
func jump(n node, c *cond) node {
	if n.kind == nodeBreak || c == nil {
		n.cond = c
		return n
	}
	return node{kind: nodeIf, inst: n.inst, at: n.at, cond: c, a: []node{n}}
}

// call inlines a function: registers are global in the language, so a call is a block
// that return leaves. il.Check has refused recursion.
func (b *builder) call(in *il.Inst, at int32) node {
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

// cases reads a switch up to its end: a chain of conditionals, what matches no case
// last. A case that runs into the next one contains it (the language allows it, and
// compilers write it for shared code), backwards, so that each has been completed by
// what it runs into.
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
	for b.role() == il.Case {
		var g group
		for b.role() == il.Case {
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
		if g := &groups[i]; !ends(g.body) {
			g.body = slices.Concat(g.body, groups[i+1].body)
			if b.copied += len(groups[i+1].body); b.copied > maxCopied {
				b.fail(in, "too-large", "more than %d statements are copied where cases run into the next one", maxCopied)
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
			chain = []node{{kind: nodeIf, inst: in, at: at, cond: &cond{kind: condCase, src: &in.Src[0], cases: g.cases}, a: g.body, b: chain}}
		}
	}
	return chain
}

// ends reports whether control cannot come to the end of list.
func ends(list []node) bool {
	if len(list) == 0 {
		return false
	}
	switch n := &list[len(list)-1]; n.kind {
	case nodeJump:
		return true
	case nodeBreak:
		return n.cond == nil
	case nodeIf:
		return ends(n.a) && ends(n.b)
	}
	return false
}

// condition is what the statement in depends on, nil if on nothing.
func condition(in *il.Inst) *cond {
	switch in.Op {
	case il.OpIfLogicalNZ, il.OpIfNZ, il.OpBreakLogicalNZ, il.OpContinueLogicalNZ, il.OpRetLogicalNZ, il.OpCallLogicalNZ, il.OpCallNZ:
		return &cond{kind: condWord, src: &in.Src[0]}
	case il.OpIfLogicalZ, il.OpBreakLogicalZ, il.OpContinueLogicalZ, il.OpRetLogicalZ, il.OpCallLogicalZ:
		return &cond{kind: condWord, src: &in.Src[0], negate: true}
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		return &cond{kind: condRel, rel: in}
	}
	return nil
}
