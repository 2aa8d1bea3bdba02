package lower

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// copies is a set of parallel copies where control flow meets: all sources are read before any
// destination is written. It represents block arguments and becomes moves after coalescing.
type copies struct {
	mir.Item // nil: it is an item until the draft is finished
	dst      []mir.Val
	src      []mir.Arg
	depth    int // of enclosing loops
	line     int
}

// newCopies returns an empty set with capacity n.
func (l *lowerer) newCopies(depth, n int) *copies {
	return &copies{dst: l.room.copied.Alloc(n)[:0], src: l.room.sources.Alloc(n)[:0], depth: depth, line: l.line}
}

// merged holds the values that a construct defines where control flow meets: the parameters of a
// loop and the results.
type merged struct{ params, results []mir.Val }

// loopState is a loop being lowered.
type loopState struct {
	in      *ir.Instr
	results []mir.Val // by result: the value that breaks copy to; 0 if unused
}

// branch lowers an if. A literal condition leaves one arm, inlined. Results need no copies if both
// arms give the same, or if only one arm reaches the end. Other results are joined by copies at the
// ends of both arms. An empty arm comes second.
func (l *lowerer) branch(in *ir.Instr) {
	if !l.need.Reached[in] {
		return
	}
	if in.Cond != ir.CondNone || len(in.Src) == 0 {
		l.recordFailure("not-supported", "a conditional with its own comparison is not supported")
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
			l.lowerCode(r.Code)
			over[i] = l.ended
			ends[i] = l.room.sources.Alloc(len(r.Results))
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
			l.emitItem(item)
		}
		return
	}
	m := &merged{}
	var at [2]*copies
	// The state of a memory is a value of the IR without a register.
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
		to := l.joinValue(v)
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
	l.emitItem(item)
	l.defined[item] = m
	l.block()
}

// joinValue returns a new value for v, which copies define where control flow meets.
func (l *lowerer) joinValue(v *ir.Value) mir.Val {
	to := l.newVal()
	l.define(v, mir.V(to))
	return to
}

// lowerLoop lowers a loop, which only breaks end. Parameters that the body passes on unchanged are
// replaced by the initial value. Other parameters are defined by copies before the loop and at its
// end. The results are joined by copies before each break, unless there is only one break.
func (l *lowerer) lowerLoop(in *ir.Instr) {
	if !l.need.Reached[in] {
		return
	}
	if len(in.Src) > 0 {
		l.recordFailure("not-supported", "a loop with its own counter is not supported")
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
		to := l.joinValue(p)
		m.params = append(m.params, to)
		carried = append(carried, k)
		if init.Kind != mir.NoArg {
			enter.dst, enter.src = append(enter.dst, to), append(enter.src, init)
		}
	}
	if len(enter.dst) > 0 {
		l.emitItem(enter)
	}
	// A single break dominates the code after the loop, so its arguments are available there.
	s := &loopState{in: in}
	if len(l.need.Breaks[in]) != 1 {
		s.results = make([]mir.Val, len(in.Results))
		for k, v := range in.Results {
			if l.need.Live[v.ID] && !amdil.IsState(v.Home) {
				s.results[k] = l.joinValue(v)
				m.results = append(m.results, s.results[k])
			}
		}
	}
	l.loops = append(l.loops, s)
	l.depth++
	l.within(&item.Body, func() {
		l.lowerCode(body.Code)
		if l.ended {
			return
		}
		for _, k := range carried {
			if next := l.value(body.Results[k]); next.Kind != mir.NoArg {
				again.dst, again.src = append(again.dst, l.args[body.Params[k].ID].Val), append(again.src, next)
			}
		}
		if len(again.dst) > 0 {
			l.emitItem(again)
		}
	})
	l.depth--
	l.loops = l.loops[:len(l.loops)-1]
	l.emitItem(item)
	l.defined[item] = m
	l.block()
}

// leave lowers a break, conditional or not. A literal condition is decided here.
func (l *lowerer) leave(in *ir.Instr) {
	if in.Cond != ir.CondNone {
		l.recordFailure("not-supported", "a break with its own comparison is not supported")
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
		l.emitItem(out)
	}
	l.emitItem(item)
	l.block()
	l.ended = item.Cond == nil
}

// predicate returns an operation that sets the predicate if c is not zero, or with zero if it is. A
// break is taken if the predicate fails, hence the inverted condition in leave.
func (l *lowerer) predicate(c mir.Arg, zero bool) *mir.ALU {
	op := r600.OpPredSetNEInt
	if zero {
		op = r600.OpPredSetEInt
	}
	return l.effect(op, c, mir.L(0))
}

// discard ends invocations in which a word is not zero.
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
	l.emitItem(l.effect(op, c, mir.L(0)))
}

// lowerKill ends invocations in which any component is below zero.
func (l *lowerer) lowerKill(in *ir.Instr) {
	for i := range in.Src[0] {
		if in.Src[0][i].V != nil {
			l.emitItem(l.effect(r600.OpKillGT, mir.L(0), l.src(in, 0, i)))
		}
	}
}
