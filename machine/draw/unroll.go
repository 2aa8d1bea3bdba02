package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Limits of loops that Mesa's compilers unroll (nir_opt_loop_unroll.c): trips times operations, for
// each trip that a driver allows. Those of R300 and R600 allow so many (r300_screen.c,
// r600_pipe_common.c).
const (
	unrollCost  = 26
	vectorTrips = 32
	scalarTrips = 255
)

// unrolls reports whether the compiler makes the trips of a loop one after the other: the program says
// how many there are, and none but the body itself ends them, in one place.
func (l *lifter) unrolls(loop *ir.Instr) bool {
	limit := 0
	switch {
	case l.scalar:
		limit = scalarTrips
	case l.vectors:
		limit = vectorTrips
	}
	if !counted(loop) || trips(loop) > limit {
		return false
	}
	cost, ok := unrolled(loop)
	return ok && cost <= limit*unrollCost
}

// trips is how often a counted loop runs.
func trips(loop *ir.Instr) int { return ir.LoopCount(loop.Src[0][0].V.Bits) }

// unrolled is how many operations the trips of a loop are. Loops within it stay, and so does one that
// ends in several places, or within a branch.
func unrolled(loop *ir.Instr) (cost int, ok bool) {
	code, ends := loop.Sub[0].Code, 0
	for _, in := range code {
		switch {
		case in.Op == ir.OpBreak:
			ends++
		case in.Sub != nil && (loops(in) || breaks([]*ir.Instr{in})):
			return 0, false
		}
	}
	return trips(loop) * operations(code), ends <= 1
}

// loops reports whether an instruction is a loop or has one.
func loops(in *ir.Instr) bool {
	return in.Op == ir.OpLoop || slices.ContainsFunc(in.Sub, func(r *ir.Region) bool { return slices.ContainsFunc(r.Code, loops) })
}

// operations counts what code computes, component by component.
func operations(code []*ir.Instr) (n int) {
	for _, in := range code {
		in.EachDef(func(*ir.Value) { n++ })
		for _, r := range in.Sub {
			n += operations(r.Code)
		}
	}
	return n
}

// unroll lifts the trips of a loop one after the other.
func (l *lifter) unroll(in *ir.Instr) {
	for i, a := range l.trips(in, trips(in), l.values(in.Args)) {
		l.vals[in.Results[i].ID] = a
	}
}

func (l *lifter) values(list []*ir.Value) []arg {
	out := make([]arg, len(list))
	for i, v := range list {
		out[i] = l.value(v)
	}
	return out
}

// trips lifts the last trips of a loop, to which params are handed, and returns its results.
func (l *lifter) trips(in *ir.Instr, left int, params []arg) []arg {
	if left == 0 {
		return params
	}
	body := in.Sub[0]
	for i, p := range body.Params {
		l.vals[p.ID] = params[i]
	}
	if body.Index != nil {
		l.vals[body.Index.ID] = l.node(node{kind: unknown, bits: uint32(left)})
	}
	for k, exit := range body.Code {
		if exit.Op != ir.OpBreak {
			continue
		}
		l.load(body.Code[:k])
		l.code(body.Code[:k])
		return l.unless(in, exit, func(certain bool) []arg {
			l.load(body.Code[k+1:])
			l.code(body.Code[k+1:])
			if !certain {
				l.times(often{estimated: 1, single: 1})
			}
			return l.trips(in, left-1, l.values(body.Results))
		})
	}
	l.load(body.Code)
	l.code(body.Code)
	return l.trips(in, left-1, l.values(body.Results))
}

// load has the constants of the host that code reads be known from there on, those too that this trip
// does not need.
func (l *lifter) load(code []*ir.Instr) {
	for _, in := range code {
		for _, o := range in.Src {
			o.Each(func(_ int, x *ir.Lane) {
				if x.V != nil && x.V.Kind == ir.Uniform {
					l.value(x.V)
				}
			})
		}
		for _, r := range in.Sub {
			l.load(r.Code)
		}
	}
}

// unless is what a break hands on, or else what rest does, which is told if it is certain to run.
func (l *lifter) unless(loop, exit *ir.Instr, rest func(certain bool) []arg) []arg {
	c, ok := l.condition(exit)
	if !ok {
		return l.values(exit.Args)
	}
	if holds, known := l.decided(c); known && holds {
		return l.values(exit.Args)
	} else if known {
		return rest(true)
	}
	out := l.values(exit.Args)
	at, kills := l.node(node{kind: branch}, c), len(l.effects)
	first := int32(len(l.nodes))
	var results []arg
	l.within(everyTime, func() { results = rest(false) })
	flat := l.flatten(first, at)
	if len(l.effects) > kills {
		l.effects = append(l.effects, at.n)
	}
	for i, b := range results {
		if l.needs[loop.Results[i].ID] {
			out[i] = l.join(flat, at, c, out[i], b)
		}
	}
	return out
}

// Up to so many operations of both sides of a branch Mesa's compilers compute, and choose between
// results (nir_opt_peephole_select.c): that of GLSL, and so R520's, and that of R600 if no side is the
// first to read a constant of the host.
const (
	fewFlat  = 8
	manyFlat = 200
)

// flatten has what was lifted from a node on, the sides of the branch before it, be computed in any case if
// the compiler does so.
func (l *lifter) flatten(first int32, at arg) bool {
	if !l.scalar && !l.vectors {
		return false
	}
	count, last := 0, int32(-1)
	for i := range l.nodes[first:] {
		switch n := &l.nodes[first+int32(i)]; n.kind {
		case add, mul, dot, call, choose:
			if n.prim == ir.PrimSat {
				continue
			}
			if key := n.vector<<8 | int32(n.step); l.scalar || n.kind == dot || key != last {
				count++
				last = key
			}
		case literal, uniform, input, unknown:
		default:
			return false
		}
	}
	if count > fewFlat && (!l.scalar || count > manyFlat || l.loads(first)) {
		return false
	}
	block := l.nodes[at.n].block
	l.nodes[at.n] = node{kind: unknown, block: block}
	l.block = block
	for i := first; int(i) < len(l.nodes); i++ {
		n := &l.nodes[i]
		n.block = block
		if n.kind < add || !n.shared(n.args) {
			continue
		}
		if link := l.find(n, n.args); *link <= 0 {
			*link, n.next = i+1, 0
			l.undo = append(l.undo, i)
		}
	}
	return true
}

// loads reports whether a node from one on is the first of a constant's register.
func (l *lifter) loads(first int32) bool {
	return slices.ContainsFunc(l.nodes[first:], func(n node) bool {
		if n.kind != uniform {
			return false
		}
		of := node{kind: uniform, reg: wholeReg(n.reg)}
		for ; of.reg.Comp < 4; of.reg.Comp++ {
			if known := *l.find(&of, nil) - 1; known >= 0 && known < first {
				return false
			}
		}
		return true
	})
}
