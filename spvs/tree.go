package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// statement is the part of a node that this dialect adds: instructions, or a condition. Other nodes have the instruction that
// they come from.
type statement struct {
	kind statementKind
	fr   *frame
	// first and last are the range of instructions of statementRun. Of other nodes, first is the instruction that the node
	// comes from.
	first, last int
	cond        cond // of conditionals
	// from and block are the edge of statementPhis, by numbers in the function. callee is the frame of statementBind and
	// statementResult.
	from, block int
	callee      *frame
}

type (
	node  = flow.Node[statement]
	label = flow.Label
)

// statementKind is the kind of statements of a node of the kind [flow.Code].
type statementKind uint8

const (
	statementRun    statementKind = iota // instructions in order
	statementPhis                        // the values of the phis of a block, read at the same moment
	statementBind                        // the arguments of a call
	statementResult                      // the result of a call
	statementReturn                      // the value of OpReturnValue
)

// cond is a condition: an id, or an id that equals one of the cases.
type cond struct {
	id    spirv.ID
	cases []uint32
}

// frame is a function that is inlined at one call. The ids of a function have one place each, for all of its frames:
// functions do not call themselves.
type frame struct {
	fn *function
	// pointers are the targets of pointers, from parameters, access chains and copies.
	pointers map[spirv.ID]*pointer
	// handles are images and samplers.
	handles map[spirv.ID]*handle
	visited []bool         // blocks
	targets map[int]*label // blocks that are ends of constructs
	ret     *label
}

func newFrame(fn *function) *frame {
	return &frame{fn: fn, pointers: map[spirv.ID]*pointer{}, handles: map[spirv.ID]*handle{}}
}

// The limits of the tree: instructions after inlining, and nested constructs and calls.
const (
	maxInlined = 1 << 16
	maxDeep    = 512
	maxCopied  = 1 << 12 // by cases that fall through: their number grows with the square of the cases
)

// builder builds the tree of an entry point.
type builder struct {
	*places
	end    *label // of the main function
	labels int
	nodes  int
	deep   int
	copied int               // instructions that were copied
	edges  int               // operands of phis at edges
	loops  int               // enclosing loops
	calls  map[spirv.ID]bool // functions that are being inlined
	err    *asm.Diag
}

// fail records the first error.
func (b *builder) fail(at int, code asm.Code, format string, args ...any) {
	if b.err == nil {
		b.err = b.x.errorAt(at, code, format, args...)
	}
}

func (b *builder) label() *label {
	b.labels++
	return &label{Depth: b.loops, Index: b.labels}
}

// enter counts nesting. ok is false if it is too deep, or after an error.
func (b *builder) enter(at int) bool {
	if b.deep++; b.deep > maxDeep {
		b.fail(at, "too-large", "control flow and calls nest more than %d deep", maxDeep)
	}
	return b.err == nil
}

// tree returns the tree of a function in a new frame: one block, which returns leave.
func (b *builder) tree(fr *frame) node {
	n := node{Kind: flow.Block, Item: statement{fr: fr, first: fr.fn.at}, To: b.label()}
	if b.end == nil {
		b.end = n.To
	}
	fr.ret, fr.targets, fr.visited = n.To, map[int]*label{}, make([]bool, len(fr.fn.blocks))
	if len(fr.fn.blocks) == 0 {
		b.fail(fr.fn.at, "not-supported", "the function has no body")
		return n
	}
	n.A = b.walk(fr, 0, n.To)
	return n
}

// walk returns the code from a block up to the end of the construct around it. Control reaches next at its end.
func (b *builder) walk(fr *frame, at int, next *label) (list []node) {
	defer func() { b.deep-- }()
	if !b.enter(fr.fn.blocks[at].first) {
		return nil
	}
	for at >= 0 && b.err == nil {
		blk := &fr.fn.blocks[at]
		if fr.visited[at] {
			if b.copied += 1 + blk.last - blk.first; b.copied > maxCopied {
				b.fail(blk.last, "too-large", "cases that fall through need more than %d copied instructions", maxCopied)
				return nil
			}
		}
		fr.visited[at] = true
		if b.nodes += 1 + blk.last - blk.first; b.nodes > maxInlined {
			b.fail(blk.last, "too-large", "more than %d instructions after inlining", maxInlined)
			return nil
		}
		merge := b.mergeOf(blk)
		if merge != nil && merge.Op == spirv.OpLoopMerge {
			list, at = b.loop(fr, at, list)
			continue
		}
		list = b.code(fr, blk, list)
		if merge == nil {
			return b.terminator(fr, at, next, list)
		}
		to, ok := fr.fn.labels[spirv.ID(merge.Args[0])]
		if !ok || fr.targets[to] != nil {
			b.fail(blk.merge, "not-supported", "%%%d cannot be the merge block", merge.Args[0])
			return nil
		}
		end := b.label()
		fr.targets[to] = end
		body := b.terminator(fr, at, end, nil)
		delete(fr.targets, to)
		list = append(list, node{Kind: flow.Block, Item: statement{fr: fr, first: blk.merge}, To: end, A: body})
		if at = to; !end.Reached {
			at = -1
		}
	}
	return list
}

// mergeOf returns the merge instruction of a block, or nil.
func (b *builder) mergeOf(blk *block) *spirv.Inst {
	if blk.merge < 0 {
		return nil
	}
	return &b.x.Insts[blk.merge]
}

// loop appends the loop with the header at. It returns the merge block, or -1 if nothing leaves the loop for it.
//
//	block M { loop { block C { header and body }; continue construct } }
func (b *builder) loop(fr *frame, at int, list []node) ([]node, int) {
	blk := &fr.fn.blocks[at]
	in := b.mergeOf(blk)
	merge, okMerge := fr.fn.labels[spirv.ID(in.Args[0])]
	cont, okCont := fr.fn.labels[spirv.ID(in.Args[1])]
	if !okMerge || !okCont || merge == cont || fr.targets[merge] != nil || fr.targets[at] != nil ||
		fr.targets[cont] != nil {
		b.fail(blk.merge, "not-supported", "the loop is not structured")
		return list, -1
	}
	end := b.label()
	fr.targets[merge] = end
	b.loops++
	again := b.label()
	fr.targets[at] = again
	body := node{Kind: flow.Block, Item: statement{fr: fr, first: blk.merge}, To: again}
	if cont != at {
		body.To = b.label()
		fr.targets[cont] = body.To
	}
	body.A = b.terminator(fr, at, body.To, b.code(fr, blk, nil))
	loop := node{Kind: flow.Loop, Item: body.Item, To: again, A: body.A}
	if cont != at {
		delete(fr.targets, cont)
		loop.A = []node{body}
		if body.To.Reached && b.err == nil {
			loop.A = append(loop.A, b.walk(fr, cont, again)...)
		}
	}
	delete(fr.targets, at)
	b.loops--
	delete(fr.targets, merge)
	list = append(list, node{Kind: flow.Block, Item: statement{fr: fr, first: blk.merge}, To: end, A: []node{loop}})
	if !end.Reached {
		return list, -1
	}
	return list, merge
}

// code appends the instructions of a block, without those of control flow. Calls are inlined.
func (b *builder) code(fr *frame, blk *block, list []node) []node {
	end := blk.last
	if blk.merge >= 0 {
		end = blk.merge
	}
	first := blk.phis
	for i := blk.phis; i < end && b.err == nil; i++ {
		if b.x.Insts[i].Op == spirv.OpFunctionCall {
			list = b.straight(fr, blk, first, i, list)
			operands(&b.x.Insts[i], func(_ int, id spirv.ID) { b.use(blk, id) })
			list = b.call(fr, i, list)
			first = i + 1
		}
	}
	return b.straight(fr, blk, first, end, list)
}

// straight appends a range of instructions without calls.
func (b *builder) straight(fr *frame, blk *block, first, last int, list []node) []node {
	if first == last || b.err != nil {
		return list
	}
	b.err = b.run(fr, blk, first, last)
	return append(list, node{Item: statement{fr: fr, first: first, last: last}})
}

// call appends an inlined call.
func (b *builder) call(fr *frame, at int, list []node) []node {
	in := &b.x.Insts[at]
	id := spirv.ID(in.Args[0])
	fn := b.x.functions[id]
	if fn == nil || b.calls[id] || len(in.Args)-1 != len(fn.params) {
		b.fail(at, "not-supported", "the called function is unknown, calls itself, or has other parameters")
		return list
	}
	callee := newFrame(fn)
	if b.err != nil {
		return list
	}
	if b.err = b.link(fr, callee, at); b.err != nil || !b.enter(at) {
		return list
	}
	b.calls[id] = true
	list = append(list, node{Item: statement{kind: statementBind, fr: fr, first: at, callee: callee}}, b.tree(callee),
		node{Item: statement{kind: statementResult, fr: fr, first: at, callee: callee}})
	b.calls[id] = false
	b.deep--
	return list
}

// terminator appends the end of a block.
func (b *builder) terminator(fr *frame, at int, next *label, list []node) []node {
	blk := &fr.fn.blocks[at]
	in := &b.x.Insts[blk.last]
	operands(in, func(_ int, id spirv.ID) { b.use(blk, id) })
	switch in.Op {
	case spirv.OpBranch:
		return b.edge(fr, at, in.Args[0], next, list)
	case spirv.OpBranchConditional:
		n := node{Kind: flow.If, Item: statement{fr: fr, first: blk.last, cond: cond{id: spirv.ID(in.Args[0])}}}
		if blk.merge >= 0 {
			n.Item.first = blk.merge
		}
		n.A = b.edge(fr, at, in.Args[1], next, nil)
		n.B = b.edge(fr, at, in.Args[2], next, nil)
		return append(list, n)
	case spirv.OpSwitch:
		return append(list, b.cases(fr, at, next)...)
	case spirv.OpReturn:
		return b.jump(fr, blk.last, fr.ret, next, list)
	case spirv.OpReturnValue:
		list = append(list, node{Item: statement{kind: statementReturn, fr: fr, first: blk.last}})
		return b.jump(fr, blk.last, fr.ret, next, list)
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpUnreachable:
		// Nothing that a discarded invocation computes can be observed, so code after the discard may run, unless it
		// may not end.
		list = append(list, node{Item: statement{fr: fr, first: blk.last, last: blk.last + 1}})
		if in.Op == spirv.OpUnreachable || b.loops > 0 {
			return b.jump(fr, blk.last, b.end, next, list)
		}
		return list
	}
	b.fail(blk.last, "not-supported", "%v is not supported", in.Op)
	return list
}

// edge appends the edge from a block to another. The other block follows unless it is the end of a construct around.
func (b *builder) edge(fr *frame, from int, to uint32, next *label, list []node) []node {
	last := fr.fn.blocks[from].last
	at, ok := fr.fn.labels[spirv.ID(to)]
	if !ok || at == 0 {
		b.fail(last, "not-supported", "%%%d is not a block that can be branched to", to)
		return list
	}
	if blk := &fr.fn.blocks[at]; blk.phis > blk.first {
		b.phis(&fr.fn.blocks[from], blk)
		list = append(list, node{Item: statement{kind: statementPhis, fr: fr, first: last, from: from, block: at}})
	}
	if end := fr.targets[at]; end != nil {
		return b.jump(fr, last, end, next, list)
	}
	return append(list, b.walk(fr, at, next)...)
}

// maxEdges bounds the operands of phis at all edges.
const maxEdges = 1 << 22

// phis records that the phis of a block cross blocks, and their operands for the edge from a block.
func (b *builder) phis(from, to *block) {
	for i := to.first; i < to.phis; i++ {
		in := &b.x.Insts[i]
		if b.edges += len(in.Args); b.edges > maxEdges {
			b.fail(i, "too-large", "the phis of the program have too many operands")
			return
		}
		if in.Op != spirv.OpPhi {
			continue
		}
		b.crossing[in.Result] = true
		for k := 0; k+1 < len(in.Args); k += 2 {
			if spirv.ID(in.Args[k+1]) == from.label {
				b.use(from, spirv.ID(in.Args[k]))
			}
		}
	}
}

// jump appends a jump to the end of a construct. None is needed if control reaches it anyway.
func (b *builder) jump(fr *frame, at int, to, next *label, list []node) []node {
	to.Reached = true
	if to == next {
		return list
	}
	return append(list, node{Kind: flow.Jump, Item: statement{fr: fr, first: at}, To: to})
}

// cases returns a switch as a chain of conditionals, with the default last. A case that falls through contains a copy
// of the next one.
func (b *builder) cases(fr *frame, at int, next *label) []node {
	blk := &fr.fn.blocks[at]
	in := &b.x.Insts[blk.last]
	otherwise := in.Args[1]
	if len(in.Args)%2 != 0 {
		b.fail(blk.last, "not-supported", "a selector of OpSwitch has 32 bits")
		return nil
	}
	var targets []uint32
	values := map[uint32][]uint32{}
	b.nodes += len(in.Args)
	for k := 2; k+1 < len(in.Args); k += 2 {
		to := in.Args[k+1]
		if to == otherwise {
			continue
		}
		if values[to] == nil {
			targets = append(targets, to)
		}
		values[to] = append(values[to], in.Args[k])
	}
	if len(targets) > maxDeep {
		b.fail(blk.last, "too-large", "a switch has more than %d cases", maxDeep)
		return nil
	}
	first := blk.last
	if blk.merge >= 0 {
		first = blk.merge
	}
	chain := b.edge(fr, at, otherwise, next, nil)
	for _, to := range slices.Backward(targets) {
		c := cond{id: spirv.ID(in.Args[0]), cases: values[to]}
		chain = []node{{Kind: flow.If, Item: statement{fr: fr, first: first, cond: c}, A: b.edge(fr, at, to, next, nil), B: chain}}
	}
	return chain
}
