package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// carry turns products of loop counters into carried values: where i grows by one on each trip, i*w + z grows
// by w. It is strength reduction of induction variables (Cocke and Kennedy, "An Algorithm for Reduction of
// Operator Strength", CACM 20(11), 1977; Aho et al., section 9.1.5), exact modulo 2^32:
//
//	loop i = 0, i+1 { .. imad r1.x, i, w, z .. }     t = z;  loop { .. t ..; t = t + w }
func (c *combiner) carry() {
	c.f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op == ir.OpLoop && len(in.Src) == 0 && !c.stop && c.allowed(in) {
				c.carryIn(in)
			}
		}
	})
}

// counter is an induction variable: a carried value that each trip adds a literal to.
type counter struct {
	start ir.Lane
	step  uint32
}

// progress is (counter + by)*times + plus, where only the counter changes in a loop.
type progress struct {
	counter
	by          uint32
	times, plus ir.Lane
}

// carryIn rewrites the progresses of one loop. It lists the sites first, as each rewrite adds to the body.
func (c *combiner) carryIn(loop *ir.Instr) {
	body := loop.Sub[0]
	counters := countersOf(loop)
	if len(counters) == 0 {
		return
	}
	// Values that are defined inside: parameters, the counter of the loop, results of all instructions.
	inside := map[*ir.Value]bool{}
	var define func(r *ir.Region)
	define = func(r *ir.Region) {
		for _, p := range r.Params {
			inside[p] = true
		}
		if r.Index != nil {
			inside[r.Index] = true
		}
		for _, in := range r.Code {
			in.EachDef(func(v *ir.Value) { inside[v] = true })
			for _, sub := range in.Sub {
				define(sub)
			}
		}
	}
	define(body)
	var sites []*ir.Instr
	body.Walk(func(in *ir.Instr) {
		if _, _, ok := c.progressOf(in, counters, inside); ok {
			sites = append(sites, in)
		}
	})
	for _, in := range sites {
		if p, lane, ok := c.progressOf(in, counters, inside); ok && !c.stop && !c.dead[in] {
			c.carryOne(loop, in, lane, p)
		}
	}
}

// countersOf returns the counters of loop: parameters whose next value is the parameter plus a literal.
func countersOf(loop *ir.Instr) map[*ir.Value]counter {
	counters := map[*ir.Value]counter{}
	body := loop.Sub[0]
	for k, p := range body.Params {
		next := body.Results[k]
		def := next.Def
		if def == nil || def.Op != ir.OpIAdd || def.IsPredicated() || def.Out[next.Lane] != next {
			continue
		}
		for s := range 2 {
			x, y := def.Src[s][next.Lane], def.Src[1-s][next.Lane]
			if x.V == p && x.Mod == 0 && y.V.Kind == ir.Literal && y.Mod == 0 {
				counters[p] = counter{rules.Origin(ir.Lane{V: loop.Args[k]}), y.V.Bits}
				break
			}
		}
	}
	return counters
}

// progressOf reads in, which has one lane, as a progress. It requires a product and a sum: less costs no more
// than the sum of a carried value. times and plus must be loop-invariant: defined outside the loop, and not
// indexed reads, whose address may change.
func (c *combiner) progressOf(in *ir.Instr, counters map[*ir.Value]counter, inside map[*ir.Value]bool) (p progress,
	lane int, ok bool) {
	if in.Mask() == 0 || in.Mask()&(in.Mask()-1) != 0 || in.IsPredicated() || !c.allowed(in) {
		return p, 0, false
	}
	for in.Out[lane] == nil {
		lane++
	}
	// A value that does not change in the loop.
	fixed := func(l ir.Lane) bool { return l.Mod == 0 && !inside[l.V] && !l.V.IsLoaded() }
	// A product of such a value and a counter, possibly plus a literal, in either order.
	product := func(a, b ir.Lane) bool {
		for range 2 {
			x, by, okX := plusLiteral(a)
			if k, isCounter := counters[x.V]; okX && isCounter && fixed(b) {
				p.counter, p.by, p.times = k, by, b
				return true
			}
			a, b = b, a
		}
		return false
	}
	switch in.Op {
	case ir.OpIMad:
		p.plus = in.Src[2][lane]
		return p, lane, fixed(p.plus) && product(in.Src[0][lane], in.Src[1][lane])
	case ir.OpIAdd:
		for k := range 2 {
			o := ir.Operand{}
			o[lane] = in.Src[k][lane]
			def := c.soleSource(&o, in)
			p.plus = in.Src[1-k][lane]
			if def == nil || o[lane].Mod != 0 || !fixed(p.plus) {
				continue
			}
			l := o[lane].V.Lane
			switch def.Op {
			case ir.OpIMul:
				if product(def.Src[0][l], def.Src[1][l]) {
					return p, lane, true
				}
			case ir.OpIShl:
				n := def.Src[1][l]
				if n.V.Kind == ir.Literal && n.Mod == 0 && product(def.Src[0][l], c.literalLane(1<<(n.V.Bits&31))) {
					return p, lane, true
				}
			}
		}
	}
	return p, lane, false
}

// plusLiteral reads l as a value plus a literal.
func plusLiteral(l ir.Lane) (x ir.Lane, by uint32, ok bool) {
	if l.Mod != 0 {
		return l, 0, false
	}
	def := l.V.Def
	if def == nil || def.Op != ir.OpIAdd && def.Op != ir.OpISub || def.IsPredicated() || def.Out[l.V.Lane] != l.V {
		return l, 0, true
	}
	a, b := def.Src[0][l.V.Lane], def.Src[1][l.V.Lane]
	switch isWord := func(l ir.Lane) bool { return l.V.Kind == ir.Literal && l.Mod == 0 }; {
	case isWord(b) && a.Mod == 0 && def.Op == ir.OpISub:
		return a, -b.V.Bits, true
	case isWord(b) && a.Mod == 0:
		return a, b.V.Bits, true
	case isWord(a) && b.Mod == 0 && def.Op == ir.OpIAdd:
		return b, a.V.Bits, true
	}
	return l, 0, true
}

// carryOne makes loop carry the value p of a lane of in. It starts with (start + by)*times + plus and grows
// by step*times. Literal parts are computed here, the rest before the loop.
func (c *combiner) carryOne(loop, in *ir.Instr, lane int, p progress) {
	body := loop.Sub[0]
	if !c.shouldRewrite(in) {
		return
	}
	home := in.Out[lane].Home
	make1 := func(op ir.Op, a, b ir.Lane) (*ir.Instr, ir.Lane) {
		x := &ir.Instr{Op: op, Orig: -1, Pos: in.Pos, Src: make([]ir.Operand, 2)}
		x.Src[0][lane], x.Src[1][lane] = a, b
		return x, ir.Lane{V: c.f.Define(x, lane, home)}
	}
	// Computed before the loop, or known.
	before := func(op ir.Op, a, b ir.Lane) ir.Lane {
		if l, ok := c.known(op, a, b); ok {
			return l
		}
		x, l := make1(op, a, b)
		c.insert(x, loop)
		return l
	}
	start := before(ir.OpIAdd, p.start, c.literalLane(p.by))
	start = before(ir.OpIAdd, before(ir.OpIMul, start, p.times), p.plus)
	step := before(ir.OpIMul, p.times, c.literalLane(p.step))

	carried, last := c.f.NewValue(ir.Param, home), c.f.NewValue(ir.Result, home)
	last.Def = loop
	next, sum := make1(ir.OpIAdd, ir.Lane{V: carried}, step)
	loop.Args, loop.Results = append(loop.Args, start.V), append(loop.Results, last)
	body.Params, body.Results = append(body.Params, carried), append(body.Results, sum.V)
	// A break passes the value at the start of the trip, as for any carried value.
	body.EachBreak(func(br *ir.Instr) { br.Args = append(br.Args, carried) })
	body.Code = append(body.Code, next)
	// The tables have no room for the new values yet.
	c.grow()
	c.reads[start.V.ID]++
	c.reads[sum.V.ID]++
	c.account(next)
	c.replace(in, withOp(in, ir.OpMov, in.Mods, spread(in, ir.Lane{V: carried})))
}

// known returns the result of op, a sum or a product, if that is a literal or an operand.
func (c *combiner) known(op ir.Op, a, b ir.Lane) (ir.Lane, bool) {
	for range 2 {
		if b.V.Kind != ir.Literal {
			a, b = b, a
			continue
		}
		w := b.V.Bits
		switch {
		case a.V.Kind == ir.Literal && op == ir.OpIMul:
			return c.literalLane(a.V.Bits * w), true
		case a.V.Kind == ir.Literal:
			return c.literalLane(a.V.Bits + w), true
		case op == ir.OpIMul && w == 0:
			return c.literalLane(0), true
		case op == ir.OpIMul && w == 1, op == ir.OpIAdd && w == 0:
			return a, true
		}
		break
	}
	return a, false
}
