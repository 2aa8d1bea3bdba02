package draw

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// unknownTrips is the assumed trip count of a loop that the host counts or a condition ends.
const unknownTrips = 8

// lifter translates a function of the IR to a graph, in one walk in program order.
type lifter struct {
	*graph
	// leaf returns the value of a leaf: inputs of a pixel program depend on the vertex program.
	leaf func(g *graph, v *ir.Value) arg
	// guards: a choice keeps reciprocals of zero, and of its root, finite.
	guards bool
	vals   []arg    // by ir.ID, -1 for none
	loops  []*frame // the enclosing loops
	needs  []bool   // by ir.ID: live values, if branches may be flattened
}

// frame is a loop that is being lifted.
type frame struct {
	// leaves holds its exits and the conditions on the way to them.
	leaves []arg
}

// liftGraph returns the graph of f in memory m.
func liftGraph(m *memory, f *ir.Func, leaf func(g *graph, v *ir.Value) arg, how linking) *graph {
	g := m.graph(f.NumValues())
	g.vectors, g.scalar, g.budget = how == vectorial, how == translated, f.Budget.Poller()
	l := &lifter{graph: g, leaf: leaf, guards: how == translated || how == vectorial, vals: m.values(f.NumValues())}
	if (l.scalar || l.vectors) && slices.ContainsFunc(f.Body.Code, func(in *ir.Instr) bool { return in.Sub != nil }) {
		l.needs = f.Needs(true).Live
	}
	l.liftCode(f.Body.Code)
	for _, o := range f.Outs {
		g.outs = append(g.outs, output{o.Reg, l.value(o.V)})
	}
	return g
}

// ownLeaf returns the node of a leaf without linking.
func ownLeaf(g *graph, v *ir.Value) arg {
	switch v.Kind {
	case ir.Literal:
		return g.literal(v.Bits)
	case ir.Uniform:
		return g.addNode(node{kind: uniform, reg: v.Home})
	case ir.Input:
		return g.addNode(node{kind: input, reg: v.Home})
	}
	return g.addNode(node{kind: unknown, reg: v.Home})
}

func (l *lifter) value(v *ir.Value) arg {
	if l.vals[v.ID].n < 0 {
		l.vals[v.ID] = l.leaf(l.graph, v)
	}
	return l.vals[v.ID]
}

// readLane returns a lane of a source. A missing value, as after a break, is unknown.
func (l *lifter) readLane(x ir.Lane) arg {
	if x.V == nil {
		return l.addNode(node{kind: unknown})
	}
	return l.withModifier(l.value(x.V), x.Mod)
}

func (l *lifter) liftCode(code []*ir.Instr) {
	for _, in := range code {
		l.budget.Poll()
		l.vector++
		l.instrs = append(l.instrs, in)
		l.width = 0
		for _, v := range in.Out {
			if v != nil {
				l.width++
			}
		}
		l.instr(in)
	}
}

func (l *lifter) instr(in *ir.Instr) {
	switch {
	case in.Op == ir.OpIf:
		l.conditional(in)
	case in.Op == ir.OpLoop:
		l.liftLoop(in)
	case in.Op == ir.OpBreak:
		l.leave(in)
	case in.Op == ir.OpKill, in.Op == ir.OpDiscard:
		l.effects = append(l.effects, l.addNode(node{kind: kill}, l.distinct(in)...).n)
	case in.Op.Has(ir.IsFetch):
		l.fetch(in)
	case in.Op.Has(ir.Memory):
		l.access(in)
	default:
		l.wholes = l.vectors && l.addsSome(in)
		for lane, v := range in.Out {
			if v != nil {
				l.lane, l.step = int32(lane), 0
				l.write(in, lane, l.compute(in, lane))
			}
		}
		l.wholes = false
	}
}

// addsSome reports whether in adds 0 in some lanes, but not in all. Compilers of vector instructions simplify
// all lanes or none.
func (l *lifter) addsSome(in *ir.Instr) bool {
	from := 0
	switch in.Op {
	case ir.OpAdd:
	case ir.OpMad:
		from = 2
	default:
		return false
	}
	for _, src := range in.Src[from:] {
		zeros, others := false, false
		for lane, v := range in.Out {
			if v != nil {
				zero := l.isZero(src[lane].V)
				zeros, others = zeros || zero, others || !zero
			}
		}
		if zeros && others {
			return true
		}
	}
	return false
}

// isZero reports whether v is 0, as a literal or as a computed value. It adds no node.
func (l *lifter) isZero(v *ir.Value) bool {
	switch {
	case v == nil:
		return false
	case v.Kind == ir.Literal:
		return v.Bits<<1 == 0
	case l.vals[v.ID].n < 0:
		return false
	}
	x, ok := l.number(l.vals[v.ID])
	return ok && x == 0
}

// compute builds the nodes for a lane of in. Dot products, which vector hardware has, stay one
// node; all other ops are built from their formulas.
func (l *lifter) compute(in *ir.Instr, lane int) arg {
	src := func(s, k int) arg { return l.readLane(in.Src[s][k]) }
	switch in.Op {
	case ir.OpSetp:
		return l.foldCall(ir.CondPrim(in.Cond), src(0, lane), src(1, lane))
	case ir.OpLoad:
		return l.addNode(node{kind: load, reg: in.Base, bits: uint32(lane)}, src(0, 0))
	case ir.OpDp2Add:
		return l.Add(l.liftDot(in, 2), src(2, 0))
	case ir.OpDp3:
		return l.liftDot(in, 3)
	case ir.OpDp4:
		return l.liftDot(in, 4)
	case ir.OpLrp:
		if l.scalar {
			return l.liftLerp(in, lane)
		}
	case ir.OpNrm:
		length := l.dotOf([]arg{src(0, 0), src(0, 1), src(0, 2), src(0, 0), src(0, 1), src(0, 2)})
		return l.Mul(src(0, lane), l.foldCall(ir.PrimRsq, length))
	}
	// Translators to GLSL guard reciprocals: Direct3D 9's are finite for zero.
	if (in.Op == ir.OpRcp || in.Op == ir.OpRsq) && l.guards {
		zero := l.foldCall(ir.PrimEQ, l.withModifier(src(0, 0), ir.Abs), l.Const(0))
		return l.choose(zero, l.Const(math.MaxFloat32), ir.Eval(ir.Algebra[arg](l.graph), in.Op, lane, src))
	}
	return ir.Eval(ir.Algebra[arg](l.graph), in.Op, lane, src)
}

func (l *lifter) liftDot(in *ir.Instr, n int) arg {
	var few [maxArgs]arg
	args := few[:0]
	for s := range 2 {
		for i := range n {
			args = append(args, l.readLane(in.Src[s][i]))
		}
	}
	return l.dotOf(args)
}

// dotOf returns a dot product. Products with zero are omitted, and a single product is a
// multiplication.
func (l *lifter) dotOf(args []arg) arg {
	n := len(args) / 2
	if n == 4 && l.scalar {
		for i, x := range []arg{args[3], args[7]} {
			if one, ok := l.number(x); ok && one == 1 {
				sum := args[7-4*i]
				for k := 2; k >= 0; k-- {
					sum = l.Add(l.Mul(args[k], args[4+k]), sum)
				}
				return sum
			}
		}
	}
	var few [2][maxArgs]arg
	a, b := few[0][:0], few[1][:0]
	for i := range n {
		x, xok := l.number(args[i])
		y, yok := l.number(args[n+i])
		if xok && x == 0 || yok && y == 0 {
			continue
		}
		a, b = append(a, args[i]), append(b, args[n+i])
	}
	switch len(a) {
	case 0:
		return l.Const(0)
	case 1:
		return l.Mul(a[0], b[0])
	}
	return l.addNode(node{kind: dot}, append(a, b...)...)
}

// liftLerp builds a lane of x(1-t) + yt in the form of Mesa's compiler (nir_lower_flrp.c). If lanes
// have t and another operand in common, the shared part is computed once.
func (l *lifter) liftLerp(in *ir.Instr, lane int) arg {
	src := func(k int) (t, y, x arg) {
		return l.readLane(in.Src[0][k]), l.readLane(in.Src[1][k]), l.readLane(in.Src[2][k])
	}
	t, y, x := src(lane)
	var sameX, sameY bool
	for k, v := range in.Out {
		if v != nil && k != lane {
			u, b, a := src(k)
			sameX, sameY = sameX || u == t && a == x, sameY || u == t && b == y
		}
	}
	isOne := func(a arg) bool {
		f, ok := l.number(a)
		return ok && f*f == 1
	}
	isHalf := func(a arg) bool {
		f, ok := l.number(a)
		return ok && f == 0.5
	}
	rest := func() arg { return l.Add(l.Const(1), l.Neg(t)) }
	switch {
	case isHalf(t):
		return l.Mul(t, l.Add(y, x))
	case isOne(x):
		return l.Add(l.Mul(y, t), l.Add(x, l.Neg(l.Mul(x, t))))
	case isOne(y):
		return l.Add(l.Mul(x, rest()), l.Mul(y, t))
	case sameX:
		return l.Add(l.Mul(y, t), l.Add(l.Mul(l.Neg(x), t), x))
	case sameY, l.nodes[t.n].kind == literal:
		return l.Add(l.Mul(x, rest()), l.Mul(y, t))
	}
	return l.Add(l.Mul(l.Add(y, l.Neg(x)), t), x)
}

// write defines lane as a, with the saturation and predicate of in.
func (l *lifter) write(in *ir.Instr, lane int, a arg) {
	if in.Mods&ir.Sat != 0 {
		a = l.saturated(a)
	}
	if p := in.Pred[lane]; p.V != nil {
		a = l.choose(l.readLane(p), a, l.readLane(ir.Lane{V: in.Keep[lane]}))
	}
	l.vals[in.Out[lane].ID] = a
}

// distinct returns the lanes that a kill tests, each once.
func (l *lifter) distinct(in *ir.Instr) []arg {
	var args []arg
	in.Src[0].EachLane(func(_ int, x *ir.Lane) {
		if a := l.readLane(*x); !slices.Contains(args, a) {
			args = append(args, a)
		}
	})
	return args
}

func (l *lifter) fetch(in *ir.Instr) {
	var few [3 * 4]arg
	args := few[:0]
	for s := range in.Src {
		in.Src[s].EachLane(func(_ int, x *ir.Lane) { args = append(args, l.readLane(*x)) })
	}
	all := l.addNode(node{kind: fetch, op: in.Op, res: in.Res}, args...)
	for lane, v := range in.Out {
		if v != nil {
			l.lane = int32(lane)
			l.write(in, lane, l.addNode(node{kind: part, bits: uint32(lane)}, all))
		}
	}
}

// access lifts an access to memory. Stores and atomic operations are effects. Only loads of initial contents are shared.
func (l *lifter) access(in *ir.Instr) {
	var args []arg
	for s := range in.Src {
		in.Src[s].EachLane(func(_ int, x *ir.Lane) { args = append(args, l.readLane(*x)) })
	}
	number := uint32(l.vector) << 2
	if in.Op == ir.OpMemLoad && in.Args[0].IsLeaf() {
		number = 0
	}
	if in.Op.Has(ir.Effect) {
		l.effects = append(l.effects, l.addNode(node{kind: load, reg: in.Base, bits: number}, args...).n)
	}
	for lane, v := range in.Out {
		if v != nil {
			l.write(in, lane, l.addNode(node{kind: load, reg: in.Base, bits: number | uint32(lane)}, args...))
		}
	}
}

// condition returns the condition of an if or a break.
func (l *lifter) condition(in *ir.Instr) (a arg, ok bool) {
	switch len(in.Src) {
	case 0:
		return a, false
	case 1:
		return l.readLane(in.Src[0][0]), true
	}
	return l.foldCall(ir.CondPrim(in.Cond), l.readLane(in.Src[0][0]), l.readLane(in.Src[1][0])), true
}

// conditional lifts both sides of a branch. The branch is an effect of the program if it contains a
// kill, and an exit of the loop if it contains a break.
func (l *lifter) conditional(in *ir.Instr) {
	c, _ := l.condition(in)
	if holds, ok := l.decided(c); ok {
		l.always(in, holds)
		return
	}
	at := l.addNode(node{kind: branch}, c)
	kills, leaves := len(l.effects), l.leaves()
	ends := make([][]arg, len(in.Sub))
	first := int32(len(l.nodes))
	for i, r := range in.Sub {
		l.within(everyTime, func() {
			l.liftCode(r.Code)
			for _, v := range r.Results {
				ends[i] = append(ends[i], l.value(v))
			}
		})
	}
	flat := l.flatten(first, at)
	// A branch without effects matters only through its results.
	if len(l.effects) > kills {
		l.effects = append(l.effects, at.n)
	}
	if l.leaves() > leaves {
		f := l.loops[len(l.loops)-1]
		f.leaves = append(f.leaves, at)
	}
	for i, v := range in.Results {
		l.vals[v.ID] = ends[0][i]
		if l.needs == nil || l.needs[v.ID] {
			l.vals[v.ID] = l.joinBranch(flat, at, c, ends[0][i], ends[1][i])
		}
	}
}

// always lifts the side of a conditional that is always taken.
func (l *lifter) always(in *ir.Instr, then bool) {
	side := in.Sub[1]
	if then {
		side = in.Sub[0]
	}
	l.liftCode(side.Code)
	for i, v := range in.Results {
		l.vals[v.ID] = l.value(side.Results[i])
	}
}

// leaves returns the number of exits found so far in the innermost loop.
func (l *lifter) leaves() int {
	if len(l.loops) == 0 {
		return 0
	}
	return len(l.loops[len(l.loops)-1].leaves)
}

// joinBranch returns the value after a branch: a or b by condition c, or a choice if both were computed.
// If one was never written, it returns the other.
func (l *lifter) joinBranch(flat bool, at, c, a, b arg) arg {
	switch {
	case a == b, l.nodes[b.n].kind == unknown:
		return a
	case l.nodes[a.n].kind == unknown:
		return b
	case flat:
		return l.choose(c, a, b)
	}
	if l.vectors { // the branch takes instructions
		c = at
	}
	return l.addNode(node{kind: joined}, c, a, b)
}

// counted reports whether the program states the trip count of a loop, apart from breaks.
func counted(loop *ir.Instr) bool {
	return len(loop.Src) > 0 && loop.Src[0][0].V != nil && loop.Src[0][0].V.Kind == ir.Literal
}

// mayEnd reports whether a loop may end after one trip.
func mayEnd(loop *ir.Instr) bool { return !counted(loop) || breaks(loop.Sub[0].Code) }

// breaks reports whether code leaves its enclosing loop.
func breaks(code []*ir.Instr) bool {
	return slices.ContainsFunc(code, func(in *ir.Instr) bool {
		return in.Op == ir.OpBreak || in.Op == ir.OpIf &&
			slices.ContainsFunc(in.Sub, func(r *ir.Region) bool { return breaks(r.Code) })
	})
}

// liftLoop lifts the body once, with its frequency multiplied by the trip count.
func (l *lifter) liftLoop(in *ir.Instr) {
	if l.unrolls(in) {
		l.unroll(in)
		return
	}
	trips := often{estimated: unknownTrips, shortest: 1, single: 1}
	if counted(in) {
		trips[estimated] = float64(max(1, ir.LoopCount(in.Src[0][0].V.Bits)))
	}
	if !mayEnd(in) {
		trips[shortest] = trips[estimated]
	}
	// The loop must stay if it kills, or if its results are live.
	at := l.addNode(node{kind: repeat})
	kills := len(l.effects)
	f := &frame{}
	body := in.Sub[0]
	params := make([]arg, len(body.Params))
	l.loops = append(l.loops, f)
	l.within(trips, func() {
		for i, p := range body.Params {
			params[i] = l.addNode(node{kind: carried}, l.value(in.Args[i]))
			l.vals[p.ID] = params[i]
		}
		if body.Index != nil {
			l.vals[body.Index.ID] = l.addNode(node{kind: carried})
		}
		l.liftCode(body.Code)
		for i, v := range body.Results {
			n := &l.nodes[params[i].n]
			n.args = append(n.args, l.value(v))
		}
	})
	l.loops = l.loops[:len(l.loops)-1]
	l.nodes[at.n].args = f.leaves
	if len(l.effects) > kills {
		l.effects = append(l.effects, at.n)
	}
	// A result is the last update of the body, or the argument of one of the breaks.
	results := make([][]arg, len(in.Results))
	for i := range results {
		results[i] = append(results[i], at)
		if i < len(params) {
			results[i] = append(results[i], params[i])
		}
	}
	for _, e := range f.leaves {
		for i, a := range l.nodes[e.n].args[1:] {
			results[i] = append(results[i], a)
		}
	}
	for i, v := range in.Results {
		l.vals[v.ID] = l.addNode(node{kind: joined}, results[i]...)
	}
}

func (l *lifter) leave(in *ir.Instr) {
	c, ok := l.condition(in)
	if !ok {
		c = l.literal(1)
	}
	args := []arg{c}
	for _, v := range in.Args {
		args = append(args, l.value(v))
	}
	if k := len(l.loops); k > 0 {
		f := l.loops[k-1]
		f.leaves = append(f.leaves, l.addNode(node{kind: branch}, args...))
	}
}
