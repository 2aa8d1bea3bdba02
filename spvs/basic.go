package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// basic is a basic block of a new body. Its first instructions are phis.
type basic struct {
	label spirv.ID
	phis  []spirv.Inst
	code  []*item
	ends  []spirv.Inst // the merge instruction, if any, and the terminator
	idom  *basic
	depth int
	loops int  // around the block
	open  bool // it dominates the current block
}

// item is an instruction in a block. It moves to an outer block if a sibling of its block needs it too.
type item struct {
	spirv.Inst
	moved bool
}

// held is an id with known lanes.
type held struct {
	id    spirv.ID
	typ   spirv.ID
	kind  Scalar // of the lanes, NoScalar if they differ: then kinds has them
	kinds []Scalar
	lanes []ir.Lane
	block *basic // nil for global ids
	item  *item  // nil if the instruction must not move
}

// isOpen reports whether the id may be used in the current block.
func (h *held) isOpen() bool { return h.block == nil || h.block.open }

// reads reports whether the id has v as a lane of kind k.
func (h *held) reads(v *ir.Value, k Scalar) bool {
	if h.kinds == nil {
		return h.kind == k
	}
	return slices.ContainsFunc(h.lanes, func(l ir.Lane) bool { return l.V == v && l.Mod == 0 }) &&
		h.kinds[slices.Index(h.lanes, ir.Lane{V: v})] == k
}

// body builds the blocks of a function.
type body struct {
	e      *editor
	blocks []*basic // in the order of the text
	cur    *basic
	inside int                   // loops around the current block
	byKey  map[string]*held      // by type and lanes, or by other content
	byID   map[spirv.ID]*held    // results in the new body
	by     map[*ir.Value][]*held // ids with a value among their lanes
}

func newBody(e *editor) *body {
	return &body{e: e, byKey: map[string]*held{}, byID: map[spirv.ID]*held{}, by: map[*ir.Value][]*held{}}
}

// start begins a new block, which idom dominates directly.
func (b *body) start(label spirv.ID, idom *basic) *basic {
	for idom != nil && !idom.open { // its ids are not usable any more
		idom = idom.idom
	}
	for c := b.cur; c != nil && c != idom; c = c.idom {
		c.open = false
	}
	x := &basic{label: label, idom: idom, open: true, loops: b.inside}
	if idom != nil {
		x.depth = idom.depth + 1
	}
	b.blocks = append(b.blocks, x)
	b.cur = x
	return x
}

// common returns the block that dominates both blocks and is nearest to them. nil stands for an unreachable block.
func common(x, y *basic) *basic {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	for x != y {
		if x.depth < y.depth {
			x, y = y, x
		}
		x = x.idom
	}
	return x
}

// append adds an instruction to the current block. It returns the result.
func (b *body) append(op spirv.Op, typ spirv.ID, args ...uint32) (spirv.ID, *item) {
	id := spirv.ID(0)
	if info := op.Info(); info.HasResult() {
		id = b.e.fresh()
	}
	return id, b.appendAs(op, typ, id, args)
}

func (b *body) appendAs(op spirv.Op, typ, id spirv.ID, args []uint32) *item {
	x := &item{Inst: spirv.Inst{Op: op, Type: typ, Result: id, Args: args}}
	b.cur.code = append(b.cur.code, x)
	return x
}

// end sets the terminator of the current block.
func (b *body) end(op spirv.Op, args ...uint32) {
	b.cur.ends = append(b.cur.ends, spirv.Inst{Op: op, Args: args})
}

// find returns the id with this key if it may be used here. A pure instruction in a block beside the current one moves to
// the block that dominates both.
func (b *body) find(key string) *held {
	h := b.byKey[key]
	switch {
	case h == nil, h.block != nil && h.block.open && h.block.depth > b.cur.depth: // it is behind the current block
		return nil
	case h.isOpen() || b.hoist(h):
		return h
	}
	return nil
}

// hoist moves the instruction of h, and the instructions that it needs, to the nearest block that is open.
func (b *body) hoist(h *held) bool {
	if h.item == nil {
		return false
	}
	to := h.block
	for to != nil && !to.open {
		to = to.idom
	}
	if to == nil || to == b.cur {
		return false
	}
	ok, least := true, 0 // the operands are known from this depth on
	eachID(&h.item.Inst, func(id spirv.ID) {
		from := b.byID[id]
		if from == nil || from.block == nil || !ok {
			return
		}
		if !from.block.open && !b.hoist(from) || from.block.depth > to.depth {
			ok = false
		}
		least = max(least, from.block.depth)
	})
	if !ok {
		return false
	}
	for to.loops > b.cur.loops && to.depth > least { // not into a loop whose end was reached
		to = to.idom
	}
	copied := *h.item
	h.item.moved = true
	h.item, h.block = &copied, to
	to.code = append(to.code, h.item)
	return true
}

// record makes an id known under a key, if it has one. item is nil if its instruction must not move.
func (b *body) record(key string, h *held) spirv.ID {
	if key != "" {
		b.byKey[key] = h
	}
	b.byID[h.id] = h
	if h.kind == NoScalar && len(h.lanes) > 0 {
		h.kinds = b.e.scalars(h.typ, nil)
	}
	for _, l := range h.lanes {
		if l.V == nil || l.Mod != 0 || l.V.Kind == ir.Literal || l.V.Kind == ir.Undef {
			continue
		}
		if list := b.by[l.V]; len(list) == 0 || list[len(list)-1] != h {
			b.by[l.V] = append(list, h)
		}
	}
	return h.id
}

// insts returns the instructions of all blocks in order, with their labels. Variables come first.
func (b *body) insts(variables []spirv.Inst) (list []spirv.Inst) {
	for i, x := range b.blocks {
		list = append(list, spirv.Inst{Op: spirv.OpLabel, Result: x.label})
		if i == 0 {
			list = append(list, variables...)
		}
		list = append(list, x.phis...)
		for _, in := range x.code {
			if !in.moved {
				list = append(list, in.Inst)
			}
		}
		list = append(list, x.ends...)
	}
	return list
}
