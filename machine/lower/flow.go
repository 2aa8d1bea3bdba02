package lower

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// copies are parallel copies where control flow meets: all sources are read before any destination
// is written. They stand for what SSA calls the arguments of block parameters, and become moves
// once it is known which values share a register.
type copies struct {
	mir.Item // nil: it is one until the draft is finished
	dst      []mir.Val
	src      []mir.Arg
	depth    int // of loops around
	line     int
}

// newCopies are copies with room for n.
func (l *lowerer) newCopies(depth, n int) *copies {
	return &copies{dst: l.room.copied.Take(n)[:0], src: l.room.sources.Take(n)[:0], depth: depth, line: l.line}
}

// merged is what a construct defines where control flow meets: the parameters of a loop
// and the results.
type merged struct{ params, results []mir.Val }

// loopState is a loop being lowered.
type loopState struct {
	in      *ir.Instr
	results []mir.Val // by result: the value that breaks copy to; 0 if there is no need
}

// branch lowers an if. A condition that is a literal leaves one arm, inlined. Results that both
// arms leave the same, or only one of them reaches, need no copies; others are joined by copies at
// the ends of both arms. An arm in which nothing is done comes second.
func (l *lowerer) branch(in *ir.Instr) {
	if !l.need.Reached[in] {
		return
	}
	if in.Cond != ir.CondNone || len(in.Src) == 0 {
		l.fail("not-supported", "a conditional with a comparison of its own")
		return
	}
	lane := in.Src[0][0]
	c := l.value(lane.V)
	item := &mir.If{Line: l.line}
	arms := [2]*mir.Region{&item.Then, &item.Else}
	if c.Kind != mir.LiteralArg && c.Kind != mir.NoArg {
		other := len(in.Sub[0].Code) == 0 && len(in.Sub[1].Code) > 0
		if other {
			arms[0], arms[1] = arms[1], arms[0]
		}
		item.Cond = l.predicate(c, lane.Mod&ir.Not != 0 != other)
	}
	var ends [2][]mir.Arg
	var over [2]bool
	for i, r := range in.Sub {
		// A literal condition: this arm is never taken.
		if item.Cond == nil && (i == 0) != (c.Bits != 0 == (lane.Mod&ir.Not == 0)) {
			over[i] = true
			continue
		}
		arm := func() {
			l.code(r.Code)
			over[i] = l.ended
			ends[i] = l.room.sources.Take(len(r.Results))
			for k, v := range r.Results {
				ends[i][k] = l.value(v)
			}
		}
		if item.Cond == nil {
			arm()
			continue
		}
		l.within(arms[i], arm)
	}
	l.ended = over[0] && over[1]
	if l.ended {
		if item.Cond != nil {
			l.add(item)
		}
		return
	}
	m := &merged{}
	var at [2]*copies
	// State of memories is a value of the IR but of no register.
	for k, v := range in.Results {
		if !l.need.Live[v.ID] || amdil.IsState(v.Home) {
			continue
		}
		one := 0
		if over[0] {
			one = 1
		}
		if over[0] || over[1] || ends[0][k] == ends[1][k] {
			l.args[v.ID] = ends[one][k]
			continue
		}
		to := l.join(v)
		m.results = append(m.results, to)
		for i := range at {
			if ends[i][k].Kind == mir.NoArg {
				continue
			}
			if at[i] == nil {
				at[i] = l.newCopies(l.depth, len(in.Results)-k)
			}
			at[i].dst, at[i].src = append(at[i].dst, to), append(at[i].src, ends[i][k])
		}
	}
	if item.Cond == nil {
		return
	}
	for i := range at {
		if at[i] != nil {
			*arms[i] = append(*arms[i], at[i])
		}
	}
	l.add(item)
	l.defined[item] = m
	l.block()
}

// join makes a new value for v, which copies define where control flow meets.
func (l *lowerer) join(v *ir.Value) mir.Val {
	to := l.newVal()
	l.define(v, mir.V(to))
	return to
}

// loop lowers a loop, which only breaks end. Parameters that the body hands on unchanged are the
// initial value itself; others are defined by copies in front of the loop and at its end. The
// results are joined by copies in front of each break, unless there is only one break.
func (l *lowerer) loop(in *ir.Instr) {
	if !l.need.Reached[in] {
		return
	}
	if len(in.Src) > 0 {
		l.fail("not-supported", "a loop that counts by itself")
		return
	}
	body := in.Sub[0]
	item := &mir.Loop{Line: l.line}
	m := &merged{}
	enter, again := l.newCopies(l.depth, len(body.Params)), l.newCopies(l.depth+1, len(body.Params))
	var carried []int
	for k, p := range body.Params {
		if !l.need.Live[p.ID] || amdil.IsState(p.Home) {
			continue
		}
		init := l.value(in.Args[k])
		if body.Results[k] == p {
			l.args[p.ID] = init
			continue
		}
		to := l.join(p)
		m.params = append(m.params, to)
		carried = append(carried, k)
		if init.Kind != mir.NoArg {
			enter.dst, enter.src = append(enter.dst, to), append(enter.src, init)
		}
	}
	if len(enter.dst) > 0 {
		l.add(enter)
	}
	// One break dominates what follows the loop, so what it hands over is there.
	s := &loopState{in: in}
	if len(l.need.Breaks[in]) != 1 {
		s.results = make([]mir.Val, len(in.Results))
		for k, v := range in.Results {
			if l.need.Live[v.ID] && !amdil.IsState(v.Home) {
				s.results[k] = l.join(v)
				m.results = append(m.results, s.results[k])
			}
		}
	}
	l.loops = append(l.loops, s)
	l.depth++
	l.within(&item.Body, func() {
		l.code(body.Code)
		if l.ended {
			return
		}
		for _, k := range carried {
			if next := l.value(body.Results[k]); next.Kind != mir.NoArg {
				again.dst, again.src = append(again.dst, l.args[body.Params[k].ID].Val), append(again.src, next)
			}
		}
		if len(again.dst) > 0 {
			l.add(again)
		}
	})
	l.depth--
	l.loops = l.loops[:len(l.loops)-1]
	l.add(item)
	l.defined[item] = m
	l.block()
}

// leave lowers a break, conditional or not. A condition that is a literal decides here.
func (l *lowerer) leave(in *ir.Instr) {
	if in.Cond != ir.CondNone {
		l.fail("not-supported", "a break with a comparison of its own")
		return
	}
	item := &mir.Break{Line: l.line}
	if len(in.Src) > 0 {
		lane := in.Src[0][0]
		c := l.value(lane.V)
		if c.Kind == mir.LiteralArg || c.Kind == mir.NoArg {
			if (c.Bits != 0) == (lane.Mod&ir.Not != 0) {
				return
			}
		} else {
			item.Cond = l.predicate(c, lane.Mod&ir.Not == 0)
		}
	}
	s := l.loops[len(l.loops)-1]
	out := &copies{depth: l.depth, line: l.line}
	for k, v := range s.in.Results {
		if !l.need.Live[v.ID] || amdil.IsState(v.Home) {
			continue
		}
		a := l.value(in.Args[k])
		if s.results == nil {
			l.args[v.ID] = a
		} else if a.Kind != mir.NoArg {
			out.dst, out.src = append(out.dst, s.results[k]), append(out.src, a)
		}
	}
	if len(out.dst) > 0 {
		l.add(out)
	}
	l.add(item)
	l.block()
	l.ended = item.Cond == nil
}

// predicate is an operation that sets the predicate where c is not zero, or with zero where it is.
// Breaks are taken where the predicate fails, hence the inverted condition in leave.
func (l *lowerer) predicate(c mir.Arg, zero bool) *mir.ALU {
	op := r600.OpPredSetNEInt
	if zero {
		op = r600.OpPredSetEInt
	}
	return l.effect(op, c, mir.L(0))
}

// discard ends invocations where a word is not zero.
func (l *lowerer) discard(in *ir.Instr) {
	lane := in.Src[0][0]
	op := r600.OpKillNEInt
	if lane.Mod&ir.Not != 0 {
		op = r600.OpKillEInt
	}
	c := l.value(lane.V)
	if c.Kind == mir.LiteralArg && (c.Bits != 0) == (lane.Mod&ir.Not != 0) {
		return
	}
	l.add(l.effect(op, c, mir.L(0)))
}

// kill ends invocations where any component is below zero.
func (l *lowerer) kill(in *ir.Instr) {
	for i := range in.Src[0] {
		if in.Src[0][i].V != nil {
			l.add(l.effect(r600.OpKillGT, mir.L(0), l.src(in, 0, i)))
		}
	}
}
