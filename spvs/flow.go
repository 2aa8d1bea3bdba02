package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// isWritten reports whether code of a region becomes instructions.
func (w *writer) isWritten(r *ir.Region) bool { return slices.ContainsFunc(r.Code, w.isNeeded) }

// isNeeded reports whether an instruction is written where it stands.
func (w *writer) isNeeded(in *ir.Instr) bool {
	switch {
	case in.Op.Has(ir.Effect):
		return in.Op == ir.OpBreak || w.needs.Reached[in]
	case in.Op.Has(ir.Structured):
		return w.needs.Reached[in]
	}
	return slices.ContainsFunc(in.Out[:], w.isLive)
}

// never reports whether control does not reach the end of a region.
func never(r *ir.Region) bool {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpBreak:
			if len(in.Src) == 0 {
				return true
			}
		case ir.OpDiscard:
			if in.Imm == 0 && isAlways(in) {
				return true
			}
		case ir.OpIf:
			if never(in.Sub[0]) && never(in.Sub[1]) {
				return true
			}
		}
	}
	return false
}

// isAlways reports whether the condition of a discard is the literal true.
func isAlways(in *ir.Instr) bool {
	for _, l := range in.Src[0] {
		if l.V != nil {
			return l.V.Kind == ir.Literal && l.V.Bits != 0 && l.Mod == 0
		}
	}
	return false
}

// condition returns a boolean id for a condition, and whether the branches are exchanged. known is 1 or 0 if the
// condition is a literal, else -1.
func (w *writer) condition(l ir.Lane) (id spirv.ID, swapped bool, known int) {
	l = w.resolve(l)
	if isFixed(l) {
		if l.V.Kind == ir.Literal && (l.V.Bits != 0) != (l.Mod&ir.Not != 0) {
			return 0, false, 1
		}
		return 0, false, 0
	}
	swapped = l.Mod&ir.Not != 0
	l.Mod &^= ir.Not
	return w.form(w.e.scalar(Bool), []ir.Lane{l}), swapped, -1
}

// terminate ends the current block. The header of a loop has its merge instruction before the terminator.
func (w *writer) terminate(op spirv.Op, args ...spirv.ID) {
	if l := w.innermost(); l != nil && l.header == w.cur && len(w.cur.ends) == 0 {
		w.end(spirv.OpLoopMerge, w.loopControl(l)...)
	}
	words := make([]uint32, len(args))
	for i, a := range args {
		words[i] = uint32(a)
	}
	w.end(op, words...)
}

func (w *writer) innermost() *loopText {
	if len(w.loops) == 0 {
		return nil
	}
	return w.loops[len(w.loops)-1]
}

// loopControl returns the operands of OpLoopMerge. The controls are those of the input.
func (w *writer) loopControl(l *loopText) []uint32 {
	args := []uint32{uint32(l.exit), uint32(l.next), 0}
	if at := l.in.Orig; at >= 0 {
		if in := &w.p.Module.Insts[at]; in.Op == spirv.OpLoopMerge {
			args = append(args[:2], in.Args[2:]...)
		}
	}
	return args
}

// conditional writes a branch.
func (w *writer) conditional(in *ir.Instr) (ended bool) {
	if !w.needs.Reached[in] {
		return false
	}
	id, swapped, known := w.condition(in.Src[0][0])
	yes, no := in.Sub[0], in.Sub[1]
	if swapped {
		yes, no = no, yes
	}
	switch {
	case known >= 0:
		side := in.Sub[1-known]
		ended = w.region(side)
		for k, v := range in.Results {
			w.alias[v] = ir.Lane{V: side.Results[k]}
		}
		return ended
	case w.onlyBreaks(yes) && !never(no):
		return w.leaveIf(id, false, yes, no, in)
	case w.onlyBreaks(no) && !never(yes):
		return w.leaveIf(id, true, no, yes, in)
	}
	return w.branch(in, id, yes, no)
}

// onlyBreaks reports whether a region only leaves the innermost loop.
func (w *writer) onlyBreaks(r *ir.Region) bool {
	for _, in := range r.Code {
		if in.Op == ir.OpBreak && len(in.Src) == 0 {
			return true
		}
		if w.isNeeded(in) {
			return false
		}
	}
	return false
}

// leaveIf writes a branch of which one side leaves the loop, and the other side behind it.
func (w *writer) leaveIf(id spirv.ID, negated bool, out, rest *ir.Region, in *ir.Instr) bool {
	i := slices.IndexFunc(out.Code, func(in *ir.Instr) bool { return in.Op == ir.OpBreak })
	w.exitLoop(out.Code[i], id, negated)
	for k, v := range in.Results {
		w.alias[v] = ir.Lane{V: rest.Results[k]}
	}
	return w.region(rest)
}

// leave writes a break.
func (w *writer) leave(in *ir.Instr) (ended bool) {
	if len(in.Src) == 0 {
		w.exitLoop(in, 0, false)
		return true
	}
	id, swapped, known := w.condition(in.Src[0][0])
	switch known {
	case 0:
		return false
	case 1:
		w.exitLoop(in, 0, false)
		return true
	}
	w.exitLoop(in, id, swapped)
	return false
}

// exitLoop branches to the end of the innermost loop, if a condition holds, or if it does not. Control continues in a new
// block. Without a condition, it always branches.
func (w *writer) exitLoop(in *ir.Instr, id spirv.ID, negated bool) {
	l := w.innermost()
	w.arguments(l.phis, in.Args)
	l.only, l.from = in, common(l.from, w.cur)
	if id == 0 {
		w.terminate(spirv.OpBranch, l.exit)
		return
	}
	next := w.e.fresh()
	if negated {
		w.terminate(spirv.OpBranchConditional, id, next, l.exit)
	} else {
		w.terminate(spirv.OpBranchConditional, id, l.exit, next)
	}
	w.start(next, w.cur)
}

// branch writes a branch with a merge block.
func (w *writer) branch(in *ir.Instr, id spirv.ID, yes, no *ir.Region) bool {
	if l := w.innermost(); l != nil && l.header == w.cur && len(w.cur.ends) == 0 {
		label := w.e.fresh()
		w.terminate(spirv.OpBranch, label)
		w.start(label, w.cur)
	}
	sides := []*ir.Region{yes, no}
	ends := []bool{never(yes), never(no)}
	phis := []*phi(nil)
	if !ends[0] && !ends[1] {
		phis = w.phisOf(in.Results, [][]*ir.Value{yes.Results, no.Results})
	}
	merge := w.e.fresh()
	targets := [2]spirv.ID{merge, merge}
	for i, r := range sides {
		if w.isWritten(r) || ends[i] {
			targets[i] = w.e.fresh()
		}
	}
	if targets[0] == merge && targets[1] == merge {
		w.selections(in, id, yes, no)
		return false
	}
	header := w.cur
	for i, r := range sides {
		if targets[i] == merge {
			w.arguments(phis, r.Results)
		}
	}
	w.end(spirv.OpSelectionMerge, uint32(merge), w.selectionControl(in))
	w.end(spirv.OpBranchConditional, uint32(id), uint32(targets[0]), uint32(targets[1]))
	var idom *basic
	order := []int{0, 1}
	if ends[1] { // the side that reaches the merge block is last, so that its ids stay usable
		order = []int{1, 0}
	}
	for _, i := range order {
		if targets[i] == merge {
			idom = common(idom, header)
			continue
		}
		w.start(targets[i], header)
		if w.region(sides[i]) {
			continue
		}
		w.arguments(phis, sides[i].Results)
		w.terminate(spirv.OpBranch, merge)
		idom = common(idom, w.cur)
	}
	for i, r := range sides {
		if ends[1-i] && !ends[i] {
			for k, v := range in.Results {
				w.alias[v] = ir.Lane{V: r.Results[k]}
			}
		}
	}
	if idom == nil {
		w.start(merge, header)
		w.end(spirv.OpUnreachable)
		return true
	}
	w.start(merge, idom)
	w.finish(phis, in.Results)
	return false
}

// selectionControl returns the control of the input's branch.
func (w *writer) selectionControl(in *ir.Instr) uint32 {
	if in.Orig >= 0 {
		if m := &w.p.Module.Insts[in.Orig]; m.Op == spirv.OpSelectionMerge && len(m.Args) > 1 {
			return m.Args[1]
		}
	}
	return 0
}

// selections writes the results of a branch without code.
func (w *writer) selections(in *ir.Instr, id spirv.ID, yes, no *ir.Region) {
	for _, p := range w.phisOf(in.Results, [][]*ir.Value{yes.Results, no.Results}) {
		n := len(p.index)
		cond := id
		if n > 1 {
			b := w.e.vector(Bool, n)
			words := slices.Repeat([]uint32{uint32(id)}, n)
			cond, _ = w.append(spirv.OpCompositeConstruct, b, words...)
		}
		a := w.form(p.typ, w.pick(p, yes.Results))
		b := w.form(p.typ, w.pick(p, no.Results))
		w.results(p, in.Results, spirv.OpSelect, []uint32{uint32(cond), uint32(a), uint32(b)})
	}
}

// discard writes the end of an invocation, or its change to a helper invocation.
func (w *writer) discard(in *ir.Instr) (ended bool) {
	op := spirv.OpKill
	if in.Orig >= 0 && w.p.Module.Insts[in.Orig].Op == spirv.OpTerminateInvocation {
		op = spirv.OpTerminateInvocation
	}
	if in.Imm == 1 {
		op = spirv.OpDemoteToHelperInvocation
	}
	id, swapped, known := w.condition(in.Src[0][0])
	if known == 0 {
		return false
	}
	ends := op != spirv.OpDemoteToHelperInvocation
	if known == 1 {
		if ends {
			w.terminate(op)
		} else {
			w.append(op, 0)
		}
		return ends
	}
	then, merge := w.e.fresh(), w.e.fresh()
	if l := w.innermost(); l != nil && l.header == w.cur && len(w.cur.ends) == 0 {
		label := w.e.fresh()
		w.terminate(spirv.OpBranch, label)
		w.start(label, w.cur)
	}
	w.end(spirv.OpSelectionMerge, uint32(merge), 0)
	if swapped {
		w.terminate(spirv.OpBranchConditional, id, merge, then)
	} else {
		w.terminate(spirv.OpBranchConditional, id, then, merge)
	}
	header := w.cur
	w.start(then, header)
	if ends {
		w.terminate(op)
	} else {
		w.append(op, 0)
		w.terminate(spirv.OpBranch, merge)
	}
	w.start(merge, header)
	return false
}

// breaksAtTop reports whether the only break of a loop dominates the code behind it.
func (w *writer) breaksAtTop(body *ir.Region) bool {
	return slices.ContainsFunc(body.Code, func(in *ir.Instr) bool {
		return in.Op == ir.OpBreak || in.Op == ir.OpIf && (w.onlyBreaks(in.Sub[0]) || w.onlyBreaks(in.Sub[1]))
	})
}

// loop writes a loop, which only breaks end.
func (w *writer) loop(in *ir.Instr) (ended bool) {
	if !w.needs.Reached[in] {
		return false
	}
	if len(in.Src) > 0 || in.Sub[0].Index != nil {
		w.fail("a loop has a counter")
		return true
	}
	body := in.Sub[0]
	once := never(body) // the body never starts again
	l := &loopText{in: in, before: w.cur, order: w.firstOrder(body), exit: w.e.fresh(), next: w.e.fresh()}
	var outs [][]*ir.Value
	body.EachBreak(func(b *ir.Instr) {
		outs = append(outs, b.Args)
	})
	for k, v := range body.Results { // invariant values
		if p := body.Params[k]; once || w.resolve(ir.Lane{V: v}).V == p || v == in.Args[k] {
			w.alias[p] = ir.Lane{V: in.Args[k]}
		}
	}
	carried := w.phisOf(body.Params, [][]*ir.Value{in.Args, body.Results})
	w.arguments(carried, in.Args)
	label := w.e.fresh()
	w.terminate(spirv.OpBranch, label)
	w.inside++
	l.header = w.start(label, w.cur)
	w.finish(carried, body.Params)
	if len(outs) != 1 || !w.breaksAtTop(body) {
		l.phis = w.phisOf(in.Results, outs)
	}
	w.loops = append(w.loops, l)
	if w.region(body) {
		w.start(l.next, l.header)
	} else {
		w.terminate(spirv.OpBranch, l.next)
		w.start(l.next, w.cur)
	}
	if !once {
		w.arguments(carried, body.Results)
	}
	w.end(spirv.OpBranch, uint32(label))
	w.loops = w.loops[:len(w.loops)-1]
	w.inside--
	w.patch(l.header, carried)
	if l.from == nil {
		w.start(l.exit, l.header)
		w.end(spirv.OpUnreachable)
		return true
	}
	w.start(l.exit, l.from)
	if l.phis == nil {
		for k, v := range in.Results {
			w.alias[v] = ir.Lane{V: l.only.Args[k]}
		}
	}
	w.finish(l.phis, in.Results)
	return false
}
