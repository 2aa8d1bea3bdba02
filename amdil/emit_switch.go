package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// switchChain is a chain of conditionals that compare one word with literals, to be written as a switch.
// Lifting converts switches to chains, and passes see only chains. Each arm is the then side of a conditional
// in the else side of the previous one:
//
//	if x == 1 { A } else { if x == 2 || x == 3 { B } else { C } }
//	switch x; case 1; A; break; case 2; case 3; B; break; default; C; endswitch
type switchChain struct {
	// on is the word that all tests compare.
	on ir.Lane
	// otherwise is the else side of the last arm: the default.
	arms      []arm
	otherwise *ir.Region
}

type arm struct {
	in    *ir.Instr // the conditional: its first side is the arm
	cases []uint32
}

// minArms is the least number of arms for a new switch (assumed: fewer are as short as conditionals).
const minArms = 3

// switchChain returns the switch that begins with the conditional at code[i], and the tests that it replaces.
// An arm may not leave a loop, since break inside of a switch leaves the switch.
func (p *folder) switchChain(code []*ir.Instr, i int) (*switchChain, []*ir.Instr) {
	head := code[i]
	c := &switchChain{}
	var all []*ir.Instr
	// seen are the literals of the arms so far. A second test of one never holds, and a case may occur once.
	seen := map[uint32]bool{}
	for {
		in := code[i]
		// Every round takes one arm: the conditional at code[i], and then the last instruction of its else
		// side.
		on, cases, tests := p.splitTests(in)
		if len(tests) == 0 || len(c.arms) > 0 && on != c.on {
			break
		}
		fits := !p.leaves(in.Sub[0])
		// Only its test may precede a further arm, and nothing else may read the test.
		for _, x := range code[:i] {
			if len(c.arms) > 0 {
				fits = fits && slices.Contains(tests, x) && p.uses[x.Out[lowest(x.Mask())].ID] == 1
			}
		}
		for _, k := range cases {
			fits = fits && !seen[k]
			seen[k] = true
		}
		// The chain so far is a switch, with this conditional in its default.
		if !fits {
			break
		}
		c.on = on
		c.arms = append(c.arms, arm{in, cases})
		all = append(all, tests...)
		c.otherwise = in.Sub[1]
		code = in.Sub[1].Code
		// The chain continues in an else side that ends with a conditional.
		if i = len(code) - 1; i < 0 || code[i].Op != ir.OpIf {
			break
		}
	}
	// A switch of the input stays one even with a single arm.
	wasSwitch := head.Orig >= 0 && p.orig.Insts[head.Orig].Op == il.OpSwitch
	if len(c.arms) == 0 || !wasSwitch && len(c.arms) < minArms || p.leaves(c.otherwise) {
		return nil, nil
	}
	return c, all
}

// splitTests decomposes the condition of in: x == k, or the or of such tests of the same x. It returns none for any
// other condition. A test whose word is folded into operands (a negation, an element of an array) does not
// count: a switch reads one word of a register.
func (p *folder) splitTests(in *ir.Instr) (on ir.Lane, cases []uint32, tests []*ir.Instr) {
	ok := in.Cond == ir.CondNone
	var visit func(l ir.Lane)
	visit = func(l ir.Lane) {
		d := l.V.Def
		if d == nil || l.Mod != 0 || d.Mask()&(d.Mask()-1) != 0 || d.Mods != 0 || d.Op != ir.OpIEq && d.Op != ir.OpIOr {
			ok = false
			return
		}
		a, b := d.Src[0][l.V.Lane], d.Src[1][l.V.Lane]
		if d.Op == ir.OpIOr {
			visit(a)
			visit(b)
			tests = append(tests, d)
			return
		}
		if a.V.Kind == ir.Literal {
			a, b = b, a
		}
		if b.V.Kind != ir.Literal || a.V.IsLeaf() && a.V.Kind != ir.Uniform && a.V.Kind != ir.Input || a.Mod|b.Mod != 0 ||
			on.V != nil && on != a || a.V.Def != nil &&
			(a.V.Def.Op == ir.OpINeg || a.V.Def.Op == ir.OpMemLoad && p.folds.loads[a.V.Def]) {
			ok = false
			return
		}
		on = a
		cases = append(cases, b.V.Bits)
		tests = append(tests, d)
	}
	visit(in.Src[0][0])
	if !ok {
		return on, nil, nil
	}
	return on, cases, tests
}

// leaves reports whether r has a break of the enclosing loop, which cannot be written within a switch.
func (p *folder) leaves(r *ir.Region) bool {
	if found, known := p.left[r]; known {
		return found
	}
	found := false
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpBreak:
			found = true
		case ir.OpIf:
			found = found || p.leaves(in.Sub[0]) || p.leaves(in.Sub[1])
		}
	}
	p.left[r] = found
	return found
}

// emitSwitch adds the statements of a switch: nested conditionals that all pass their values to the results
// of the first one, so that inner results need no registers.
func (b *emitter) emitSwitch(c *switchChain) error {
	outer := c.arms[0].in
	// The parameters of the last EndIf are the results of the switch. Inner conditionals have none: see
	// sides.
	list := b.registers(outer.Results)
	last := b.statement(il.OpEndSwitch, nil)
	last.kind, last.params = regalloc.EndIf, b.paramsOf(outer.Results, list)
	to := make([]*ir.Value, len(list))
	every := make([]int, len(list))
	for i, k := range list {
		to[i], every[i] = outer.Results[k], i
	}
	results := to // of the current conditional
	// sides returns the values of the outer results at the end of one side of in: results of in are replaced
	// by the values that the side passes.
	sides := func(in *ir.Instr, side int) []*ir.Value {
		vs := slices.Clone(results)
		for i, v := range vs {
			if k := slices.Index(in.Results, v); k >= 0 {
				vs[i] = in.Sub[side].Results[k]
			}
		}
		return vs
	}
	// An If and an Else for each arm, nested: the Else ends the arm, and the last one begins the default.
	var head *stmt
	for i, arm := range c.arms {
		s := b.statement(il.OpSwitch, arm.in)
		s.kind, s.cases = regalloc.If, arm.cases
		if head == nil {
			head = s
			s.src = []operand{b.source(&ir.Operand{c.on}, il.Scalar, false)}
		}
		s.head = head
		b.appendStmt(s)
		if err := b.region(arm.in.Sub[0]); err != nil {
			return err
		}
		mid := b.statement(il.OpBreak, nil)
		mid.kind, mid.head, mid.into, mid.last = regalloc.Else, head, last, i == len(c.arms)-1
		mid.args = b.argsOf(sides(arm.in, 0), to, every)
		b.appendStmt(mid)
		results = sides(arm.in, 1)
	}
	// The default, then an EndIf for each arm, as the allocator needs them. Only the first one, which passes
	// the values of the default, is written (writer.emitSwitchPart).
	if err := b.region(c.otherwise); err != nil {
		return err
	}
	for i := range c.arms {
		s := last
		if i < len(c.arms)-1 {
			s = b.statement(il.OpEndSwitch, nil)
			s.kind = regalloc.EndIf
		}
		s.head = head
		if i == 0 {
			s.last, s.into = true, last
			s.args = b.argsOf(results, to, every)
		}
		b.appendStmt(s)
	}
	return nil
}

// emitSwitchPart writes a part of a switch. The If parts are cases, the Else parts the break before the next
// case, and the last EndIf the end.
func (w *writer) emitSwitchPart(s *stmt) error {
	orig := s.head.orig
	if orig >= 0 && w.orig.Insts[orig].Op != il.OpSwitch {
		orig = -1
	}
	switch {
	case s.kind == regalloc.If:
		if s == s.head {
			in, err := w.conditionTest(s, il.OpSwitch, il.OpSwitch)
			if err != nil {
				return err
			}
			w.appendFor(in, s)
			w.open = append(w.open, opened{})
		}
		for _, k := range s.cases {
			in := il.Inst{Op: il.OpCase, NImm: 1}
			in.Imm[0] = k
			at, known := w.cases[caseOf{orig, k}]
			if !known {
				at = -1
			}
			w.appendInst(in, at)
		}
		return nil
	case s.kind == regalloc.EndIf && !s.last:
		return nil
	}
	if _, err := w.emitPhiMoves(s); err != nil {
		return err
	}
	top := &w.open[len(w.open)-1]
	if s.kind == regalloc.Else {
		w.appendInst(il.Inst{Op: il.OpBreak}, -1)
		if s.last {
			top.mid = len(w.out)
			w.appendInst(il.Inst{Op: il.OpDefault}, -1)
		}
		return nil
	}
	ends := blockEnd{-1, -1}
	if orig >= 0 {
		ends = w.ends[orig]
	}
	// Remove an empty default; a break before the end stays if the input had one.
	if n := len(w.out) - 1; n == top.mid {
		w.out = w.out[:n]
	} else if ends.end > 0 && w.orig.Insts[ends.end-1].Op == il.OpBreak {
		w.appendInst(il.Inst{Op: il.OpBreak}, ends.end-1)
	}
	w.open = w.open[:len(w.open)-1]
	w.appendInst(il.Inst{Op: il.OpEndSwitch}, ends.end)
	return nil
}
