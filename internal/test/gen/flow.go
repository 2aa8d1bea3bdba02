package gen

import "github.com/shaderlift/shaderlift/asm/d3d9"

// sub is a subroutine and the conditions under which it was generated. Later calls must meet them too: it
// reads the components of entry, and at is its nesting.
type sub struct {
	code          []d3d9.Inst
	entry, writes env // components required before a call, and written after it
	at            context
	open          bool // not complete yet
}

// label returns an operand l#.
func label(i int) d3d9.Src {
	return d3d9.Src{Reg: d3d9.Reg{File: d3d9.Label, Index: uint16(i)}, Swz: d3d9.Identity}
}

// block adds about n instructions. It ends early where control leaves.
func (g *gen) block(n int) {
	g.r.Repeat(n, func() bool {
		if n <= 0 || g.left <= 0 {
			return false
		}
		before := len(g.code)
		if g.statement(n) {
			return false
		}
		added := max(len(g.code)-before, 1)
		n -= added
		g.left -= added
		return true
	})
}

// statement adds one statement or block; n is the requested number. It reports whether control ends there.
// The shares are percentages; Last makes arithmetic the simplest choice for shrinking.
func (g *gen) statement(n int) (left bool) {
	switch k := g.r.Last(100); {
	case k < 3:
		g.address()
	case k < 7:
		g.addSetp()
	case k < 9:
		g.addTexkill()
	case k < 19:
		g.fetch()
	case k < 24 && n > 2:
		g.conditional(n)
	case k < 27 && n > 3:
		g.addLoop(n)
	case k < 30 && n > 2:
		g.addCall(n)
	case k < 34 && g.now.loops > 0:
		return g.leave()
	case k < 35:
		g.emit(d3d9.Inst{Op: d3d9.OpNop})
	default:
		for range 6 {
			if g.arithmetic() {
				break
			}
		}
	}
	return false
}

// address sets components of a0 from any source: by mova, or in vs_1_1 by mov.
func (g *gen) address() {
	if g.m.Stage != d3d9.Vertex {
		return
	}
	in := d3d9.Inst{Op: d3d9.OpMova, HasDst: true, NSrc: 1,
		Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Addr}, Mask: d3d9.Mask(1 + g.r.IntN(15))}}
	if g.m.Major == 1 {
		in.Op, in.Dst.Mask = d3d9.OpMov, d3d9.MaskX
	}
	if in.HasPred = d3d9.CanPredicate(g.m) && g.env.pred != 0 && g.env.addr != 0 && g.chance(20); in.HasPred {
		in.Dst.Mask = g.env.addr
		g.predicate(&in)
	}
	if g.sources(&in) && g.emit(in) && !in.HasPred {
		g.write(in.Dst.Reg, in.Dst.Mask)
	}
}

// comparison picks a comparison.
func (g *gen) comparison() d3d9.Cmp { return d3d9.Cmp(1 + g.r.IntN(6)) }

// addSetp sets components of the predicate by comparing any sources.
func (g *gen) addSetp() {
	in := d3d9.Inst{Op: d3d9.OpSetp, Cmp: g.comparison(), HasDst: true, NSrc: 2,
		Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Predicate}, Mask: d3d9.Mask(1 + g.r.IntN(15))}}
	if in.Op.Exists(g.m) && g.sources(&in) && g.emit(in) {
		g.write(in.Dst.Reg, in.Dst.Mask)
	}
}

// condition generates the operands of if and callnz from src on: a boolean constant, a predicate or, if
// compare is set, a comparison. static reports a boolean constant; ok reports that the model's limits allow
// the condition here.
func (g *gen) condition(in *d3d9.Inst, src int, compare bool) (static, ok bool) {
	not := d3d9.ModNone
	if g.chance(30) {
		not = d3d9.ModNot
	}
	in.NSrc = uint8(src + 1)
	switch k := g.r.IntN(3); {
	// if_cc depends on values, so neighbouring pixels may diverge.
	case k == 0 && compare && g.now.dynamic < g.lim.DynamicIf:
		in.Op, in.Cmp, in.NSrc = d3d9.OpIfc, g.comparison(), 2
		return false, in.Op.Exists(g.m) && g.sources(in)
	case k == 1 && g.env.pred != 0 && g.now.dynamic < g.lim.DynamicIf:
		in.Src[src] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Predicate}, Swz: d3d9.Replicate(g.component(g.env.pred)), Mod: not}
		return false, true
	}
	in.Src[src] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.ConstBool, Index: uint16(g.r.IntN(maxBools))}, Swz: d3d9.Identity,
		Mod: not}
	return true, g.now.static < g.lim.StaticIf && g.static+2 <= g.lim.StaticFlow && g.lim.Regs[d3d9.ConstBool] > 0
}

// conditional adds an if, possibly with an else. It reserves slots for else and endif. Components that both
// sides write are written after it.
func (g *gen) conditional(n int) {
	in := d3d9.Inst{Op: d3d9.OpIf}
	static, ok := g.condition(&in, 0, true)
	if !ok || !g.hasRoom([2]int{8, 0}) || !g.emit(in) {
		return
	}
	g.reserved[0] += 2
	outer := g.now
	g.now.conditional = true
	if static {
		g.now.static++
		g.static++
	} else {
		g.now.dynamic++
		g.now.varying = true
	}
	before := g.env
	g.block(1 + g.r.IntN(n/2+1))
	then := g.env
	g.env = before
	if g.chance(50) {
		if static {
			g.static++
		}
		g.emit2(d3d9.OpElse)
		g.block(1 + g.r.IntN(n/2+1))
	}
	// Paths merge: only components written on both remain.
	g.env = g.env.intersect(then)
	g.emit2(d3d9.OpEndIf)
	g.now = outer
	g.reserved[0] -= 2
}

// emit2 adds a statement with reserved slots.
func (g *gen) emit2(op d3d9.Op) {
	in := d3d9.Inst{Op: op}
	g.used[0] += g.slotCost(&in)[0]
	g.code = append(g.code, in)
}

// addLoop adds a rep or a loop. It may make no trip, so the writes of its body do not count after it.
// Components written before it must remain valid in its next trip, so macros may not spoil them (head).
func (g *gen) addLoop(n int) {
	reg := d3d9.Src{Reg: d3d9.Reg{File: d3d9.ConstInt, Index: uint16(g.r.IntN(maxInts))}, Swz: d3d9.Identity}
	// rep takes i#; loop also takes aL, which counts by start and step.
	in, end := d3d9.Inst{Op: d3d9.OpRep, NSrc: 1, Src: [4]d3d9.Src{reg}}, d3d9.OpEndRep
	if g.chance(50) {
		in, end = d3d9.Inst{Op: d3d9.OpLoop, NSrc: 2,
			Src: [4]d3d9.Src{{Reg: d3d9.Reg{File: d3d9.Loop}, Swz: d3d9.Identity}, reg}}, d3d9.OpEndLoop
	}
	if !in.Op.Exists(g.m) || g.now.loops >= g.lim.Loops || g.static >= g.lim.StaticFlow || !g.hasRoom([2]int{8, 0}) ||
		!g.emit(in) {
		return
	}
	g.reserved[0] += 2
	outer, head, before := g.now, g.head, g.env
	g.head = g.head.union(g.env)
	g.static++
	g.now.loops++
	g.now.conditional, g.now.varying = true, true // a break may follow
	if in.Op == d3d9.OpLoop {
		g.now.indexed, g.now.reach = true, -1
		// The maximum of aL, since inputs may be indexed with it.
		if k := g.ints[reg.Index]; k.known {
			g.now.reach = k.first + k.step*max(k.count-1, 0)
		}
	}
	g.block(1 + g.r.IntN(n/2+1))
	g.env = before
	g.emit2(end)
	g.now, g.head = outer, head
	g.reserved[0] -= 2
}

// leave adds a break and reports whether it is unconditional. The code behind an unconditional break is on
// no path, and there everything counts as written.
func (g *gen) leave() bool {
	in := d3d9.Inst{Op: d3d9.OpBreakc, Cmp: g.comparison(), NSrc: 2}
	if !in.Op.Exists(g.m) || g.now.sub {
		return false
	}
	switch k := g.r.IntN(3); {
	case k == 0:
		if g.emit(d3d9.Inst{Op: d3d9.OpBreak}) {
			g.env = everything()
			return true
		}
		return false
	case k == 1 && g.env.pred != 0:
		in = d3d9.Inst{Op: d3d9.OpBreakp, NSrc: 1,
			Src: [4]d3d9.Src{{Reg: d3d9.Reg{File: d3d9.Predicate}, Swz: d3d9.Replicate(g.component(g.env.pred))}}}
		if g.chance(40) {
			in.Src[0].Mod = d3d9.ModNot
		}
	case g.now.dynamic >= g.lim.DynamicIf || !g.sources(&in):
		return false
	}
	g.emit(in)
	return false
}

// addCall adds a call of a subroutine. After an unconditional call, the components that the subroutine writes
// are written.
func (g *gen) addCall(n int) {
	in := d3d9.Inst{Op: d3d9.OpCall, NSrc: 1}
	if !in.Op.Exists(g.m) || g.now.calls >= g.lim.Calls || g.static+2 > g.lim.StaticFlow || !g.hasRoom([2]int{6, 0}) {
		return
	}
	outer, static := g.now, true
	g.now.calls++
	if g.chance(40) {
		in.Op = d3d9.OpCallnz
		var ok bool
		if static, ok = g.condition(&in, 1, false); !ok {
			g.now = outer
			return
		}
		if !static {
			g.now.dynamic++
			g.now.varying = true
		}
	}
	before := g.env
	if k, ok := g.callee(n); ok {
		in.Src[0] = label(k)
		g.now = outer
		if g.emit(in) {
			if static {
				g.static++
			}
			if g.env = before; in.Op == d3d9.OpCall {
				g.env = before.union(g.subs[k].writes)
			}
			return
		}
	}
	g.now, g.env = outer, before
}

// callee returns a subroutine that may be called here, or generates one under the conditions of this place.
// Subroutines call only later ones, so none is recursive.
func (g *gen) callee(n int) (int, bool) {
	for k, s := range g.subs {
		if !s.open && k > g.current() && g.now.within(s.at) && g.env.covers(s.entry) && g.chance(60) {
			return k, true
		}
	}
	if len(g.subs) >= 8 || !g.hasRoom([2]int{12, 0}) {
		return 0, false
	}
	s := &sub{entry: g.env, at: g.now, open: true}
	k := len(g.subs)
	g.subs = append(g.subs, s)
	// The body is generated immediately.
	code := g.code
	g.code = nil
	g.reserved[0] += 4 // ret, and the call
	at := g.now
	g.now.sub, g.now.reach = true, -1
	g.block(1 + g.r.IntN(n/2+1))
	g.now = at
	s.code, g.code = g.code, code
	s.writes = g.env
	g.reserved[0] -= 4
	// The ret of the subroutine.
	g.used[0]++
	s.open = false
	return k, true
}

// current returns the number of the subroutine under construction, or -1 for the main program. Only later
// ones may be called from it.
func (g *gen) current() int {
	last := -1
	for k, s := range g.subs {
		if s.open {
			last = k
		}
	}
	return last
}
