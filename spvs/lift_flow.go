package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// newFlow returns the part of the lifter that handles control flow.
func (l *lifter) newFlow() *flow.Lifter[statement] {
	return &flow.Lifter[statement]{F: l.f, Code: &l.f.Body.Code, FlagSlot: l.flag, Statement: l.statements, Condition: l.condition,
		Unwritten: l.unwritten, Fail: l.fail,
		Enter:  func(n *node) { l.at = n.Item.first },
		Begin:  func(op ir.Op) *ir.Instr { return l.begin(op) },
		Or:     func(a, b *ir.Value) *ir.Value { return l.scalar(Bool, ir.OpIOr, a, b) },
		Failed: func() bool { return l.err != nil },
		New: func(kind ir.Kind, slot int32) *ir.Value {
			v := l.f.NewValue(kind, l.homes[slot])
			l.note([]*ir.Value{v}, l.slotTypes[slot])
			return v
		}}
}

// statements lifts statements.
func (l *lifter) statements(node *node) {
	n := &node.Item
	switch n.kind {
	case statementRun:
		for l.at = n.first; l.at < n.last && l.err == nil; l.at++ {
			l.instruction(n.fr, &l.x.Insts[l.at])
		}
	case statementPhis:
		l.phis(n)
	case statementBind:
		for i, id := range n.callee.fn.params {
			l.copyTo(id, spirv.ID(l.x.Insts[n.first].Args[1+i]))
		}
	case statementReturn:
		l.copyTo(l.x.Insts[n.fr.fn.at].Result, spirv.ID(l.x.Insts[n.first].Args[0]))
	case statementResult:
		l.result(n)
	}
}

// phis writes the phis of a block. It reads all operands first.
func (l *lifter) phis(n *statement) {
	to := &n.fr.fn.blocks[n.block]
	var lanes [][]*ir.Value
	for i := to.first; i < to.phis; i++ {
		id, _ := l.incoming(n, i)
		if l.x.typeOf(l.x.Insts[i].Result).isValue() {
			lanes = append(lanes, l.lanes(id))
		} else if l.x.Insts[i].Op == spirv.OpPhi {
			l.at = i
			l.unsupported("its type has no value")
			return
		} else {
			lanes = append(lanes, nil)
		}
	}
	for k, list := range lanes {
		if pl, ok := l.id(l.x.Insts[to.first+k].Result); ok {
			l.setSlots(pl, l.rounded(list, l.isRelaxed(l.x.Insts[to.first+k].Result)))
		}
	}
}

// setSlots writes lanes to slots.
func (l *lifter) setSlots(pl place, lanes []*ir.Value) {
	if len(lanes) != int(pl.count) {
		l.unsupported("a value has the wrong type")
		return
	}
	for k, v := range lanes {
		l.SetSlot(pl.first+int32(k), v)
	}
}

// slots returns the values of slots.
func (l *lifter) slots(pl place) []*ir.Value {
	list := make([]*ir.Value, pl.count)
	for k := range list {
		list[k] = l.Slot(pl.first + int32(k))
	}
	return list
}

// copyTo writes the lanes of an id to those of another that crosses blocks.
func (l *lifter) copyTo(to, from spirv.ID) {
	if pl, ok := l.id(to); ok {
		l.setSlots(pl, l.rounded(l.lanes(from), l.isRelaxed(to)))
	}
}

// result defines the result of a call.
func (l *lifter) result(n *statement) {
	if pl, ok := l.id(l.x.Insts[n.callee.fn.at].Result); ok {
		in := &l.x.Insts[n.first]
		l.define(in, l.rounded(l.slots(pl), l.isRelaxed(in.Result)))
	}
}

// condition computes a condition.
func (l *lifter) condition(n *node) ir.Lane {
	c := &n.Item.cond
	lanes := l.lanes(c.id)
	switch {
	case len(lanes) != 1:
		l.unsupported("the condition is not a scalar")
		return ir.Lane{V: l.Truth(false)}
	case c.cases != nil:
		return ir.Lane{V: l.oneOf(lanes[0], c.cases)}
	}
	return ir.Lane{V: lanes[0]}
}

// oneOf computes whether a word is one of the cases.
func (l *lifter) oneOf(x *ir.Value, cases []uint32) *ir.Value {
	if x.Kind == ir.Literal {
		return l.Truth(slices.Contains(cases, x.Bits))
	}
	var tests []*ir.Value
	for _, k := range cases {
		tests = append(tests, l.scalar(Bool, ir.OpIEq, x, l.f.Const(k)))
	}
	return l.AnyOf(tests)
}
