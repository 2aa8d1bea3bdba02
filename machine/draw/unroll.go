package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Limits of loops that Mesa's compilers unroll (nir_opt_loop_unroll.c): trips times operations, for
// each trip that a driver allows. vectorTrips and scalarTrips are the limits of R300 and R600
// (r300_screen.c, r600_pipe_common.c).
const (
	unrollCost  = 26
	vectorTrips = 32
	scalarTrips = 255
)

// unrolls reports whether the compiler fully unrolls a loop. The program must state the trip count,
// and at most one break, in the body itself, may end the loop earlier.
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

// trips returns the trip count of a counted loop.
func trips(loop *ir.Instr) int { return ir.LoopCount(loop.Src[0][0].V.Bits) }

// unrolled returns the number of operations of an unrolled loop. A loop that contains loops stays,
// and so does one with several breaks, or with a break in a branch.
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

// loops reports whether an instruction is a loop or contains one.
func loops(in *ir.Instr) bool {
	return in.Op == ir.OpLoop || slices.ContainsFunc(in.Sub,
		func(r *ir.Region) bool { return slices.ContainsFunc(r.Code, loops) })
}

// operations counts the results of code, component by component.
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

// trips lifts the remaining trips of a loop, which start with params, and returns its results.
func (l *lifter) trips(in *ir.Instr, left int, params []arg) []arg {
	if left == 0 {
		return params
	}
	body := in.Sub[0]
	for i, p := range body.Params {
		l.vals[p.ID] = params[i]
	}
	if body.Index != nil {
		l.vals[body.Index.ID] = l.addNode(node{kind: unknown, bits: uint32(left)})
	}
	for k, exit := range body.Code {
		if exit.Op != ir.OpBreak {
			continue
		}
		l.loadConstants(body.Code[:k])
		l.liftCode(body.Code[:k])
		return l.unless(in, exit, func(certain bool) []arg {
			l.loadConstants(body.Code[k+1:])
			l.liftCode(body.Code[k+1:])
			if !certain {
				l.times(often{estimated: 1, single: 1})
			}
			return l.trips(in, left-1, l.values(body.Results))
		})
	}
	l.loadConstants(body.Code)
	l.liftCode(body.Code)
	return l.trips(in, left-1, l.values(body.Results))
}

// loadConstants makes the host constants that code reads known from this point on, including those that this
// trip does not need.
func (l *lifter) loadConstants(code []*ir.Instr) {
	for _, in := range code {
		for _, o := range in.Src {
			o.EachLane(func(_ int, x *ir.Lane) {
				if x.V != nil && x.V.Kind == ir.Uniform {
					l.value(x.V)
				}
			})
		}
		for _, r := range in.Sub {
			l.loadConstants(r.Code)
		}
	}
}

// unless returns the values that a break passes on, or else the results of rest. The argument of
// rest reports whether it is certain to run.
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
	at, kills := l.addNode(node{kind: branch}, c), len(l.effects)
	first := int32(len(l.nodes))
	var results []arg
	l.within(everyTime, func() { results = rest(false) })
	flat := l.flatten(first, at)
	if len(l.effects) > kills {
		l.effects = append(l.effects, at.n)
	}
	for i, b := range results {
		if l.needs[loop.Results[i].ID] {
			out[i] = l.joinBranch(flat, at, c, out[i], b)
		}
	}
	return out
}

// Limits up to which Mesa's compilers compute both sides of a branch and choose between the results
// (nir_opt_peephole_select.c), in operations. fewFlat is for GLSL, and so R520. manyFlat is for
// R600 if no side is the first to read a host constant.
const (
	fewFlat  = 8
	manyFlat = 200
)

// flatten makes the nodes from first on, the sides of the branch before it, unconditional if the
// compiler does so.
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

// loads reports whether a node from first on is the first to read a constant's register.
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
