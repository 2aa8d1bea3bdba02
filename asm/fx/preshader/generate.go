package preshader

import (
	"cmp"
	"maps"
	"slices"
)

// generator writes instructions that compute values. Each goes into a new temporary:
// there are no limits on these, so none is used again.
type generator struct {
	literals []float64
	insts    []Inst
	at       map[*Value][]uint32 // components of temporaries that hold a value
	holds    map[uint32]*Value   // what each holds; none is written twice
	// the first temporary that is free
	next uint32
}

// generate makes instructions, and their literals, that compute values for components of
// outputs. Equal values are computed once, several at a time where they are the same
// operation on what stands next to each other. It is not ok where a literal is no float32:
// D3DX rounds it where it is copied, and not where it is read; and where an operation does
// not go component by component.
func generate(outs map[uint32]*Value) (literals []float64, insts []Inst, ok bool) {
	return Extend(&Program{}, nil, outs)
}

// Extend makes instructions to stand behind those of p, whose values are v's, with the
// literals of both. What temporaries of p hold at its end is used again. It is not ok
// if p cannot be traced, or a value cannot be computed (see generate).
func Extend(p *Program, v *Values, outs map[uint32]*Value) (literals []float64, insts []Inst, ok bool) {
	g := generator{literals: slices.Clone(p.Literals), insts: slices.Clone(p.Insts), at: map[*Value][]uint32{}, holds: map[uint32]*Value{}}
	if len(p.Insts) > 0 {
		t := tracer{p: p, values: v, temps: map[uint32]*Value{}, outs: map[uint32]*Value{}}
		for i := range p.Insts {
			if t.step(&p.Insts[i]) != nil {
				return nil, nil, false
			}
		}
		for _, at := range slices.Sorted(maps.Keys(t.temps)) {
			g.hold(at, t.temps[at])
			g.next = max(g.next, at/4+1)
		}
	}
	for _, x := range outs { // any
		if !Generable(x) {
			return nil, nil, false
		}
	}
	// What others are made of comes last, since it has to be copied from a temporary anyway.
	var runs []run
	for _, at := range slices.Sorted(maps.Keys(outs)) {
		last := len(runs) - 1
		if last >= 0 && runs[last].at+uint32(len(runs[last].values)) == at && at%4 != 0 {
			runs[last].values = append(runs[last].values, outs[at])
		} else {
			runs = append(runs, run{at, []*Value{outs[at]}})
		}
	}
	depths := map[*Value]int{}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.depth(depths), a.depth(depths)) })
	for _, r := range runs {
		g.into(Output, r.at, r.values)
	}
	return g.literals, g.insts, true
}

// run is values for components next to each other, of one register.
type run struct {
	at     uint32
	values []*Value
}

// depth is the largest one of its values.
func (r *run) depth(known map[*Value]int) (d int) {
	for _, x := range r.values {
		d = max(d, depth(x, known))
	}
	return d
}

// depth is the length of the longest chain of operations in x.
func depth(x *Value, known map[*Value]int) (d int) {
	if d, ok := known[x]; ok {
		return d
	}
	for _, a := range x.Args {
		d = max(d, 1+depth(a, known))
	}
	known[x] = d
	return d
}

// Generable reports whether generate makes instructions for x.
func Generable(x *Value) bool { return generable(x, map[*Value]bool{}) }

// generable walks x with everything that it depends on, each value once.
func generable(x *Value, known map[*Value]bool) bool {
	if ok, seen := known[x]; seen {
		return ok
	}
	ok := x.Kind == FromInput || x.Kind == FromLiteral && isFloat32(x.Literal) || x.Kind == Computed && x.Op != Dot && x.Op != DotSwiz && x.Op != Mov
	for _, a := range x.Args {
		ok = ok && generable(a, known)
	}
	known[x] = ok
	return ok
}

// hold notes that a component of a temporary holds a value.
func (g *generator) hold(at uint32, x *Value) {
	g.at[x], g.holds[at] = append(g.at[x], at), x
}

// into computes values into components from at on, with as few instructions as it can:
// as many values at a time as stand next to each other somewhere, or are of the same
// operation.
func (g *generator) into(table Table, at uint32, values []*Value) {
	for len(values) > 0 {
		n, source := g.together(values)
		in := Inst{Op: Mov, Components: n, Inputs: []Operand{source}}
		if source.Table == 0 {
			in = g.apply(values[:n])
		}
		in.Output = Operand{Table: table, Offset: at}
		g.insts = append(g.insts, in)
		at, values = at+uint32(n), values[n:]
	}
}

// together is how many of values one instruction makes, the first ones, as many as
// possible: a copy of the operand, if it has a table, or else an operation.
func (g *generator) together(values []*Value) (n int, source Operand) {
	for n := len(values); n > 0; n-- {
		if o, ok := g.find(values[:n]); ok {
			return n, o
		}
		same := !slices.ContainsFunc(values[:n], func(x *Value) bool {
			_, known := g.find([]*Value{x})
			return x.Kind != Computed || x.Op != values[0].Op || known
		})
		if same {
			return n, Operand{}
		}
	}
	return 1, Operand{}
}

// apply is the instruction that computes values of one operation. What its inputs still
// lack is computed before it.
func (g *generator) apply(values []*Value) Inst {
	in := Inst{Op: values[0].Op, Components: len(values)}
	var args [][]*Value
	for k := range values[0].Args {
		var list []*Value
		for _, x := range values {
			list = append(list, x.Args[k])
		}
		args = append(args, list)
	}
	if commutes := in.Op == Add || in.Op == Mul; commutes {
		g.turn(args)
	}
	// Only instructions of two inputs may have a scalar one, as MojoShader runs no
	// others.
	for k, list := range args {
		if k == 0 && len(args) == 2 && len(list) > 1 && uniform(list) {
			in.Scalar = true
			list = list[:1]
		}
		in.Inputs = append(in.Inputs, g.operand(list))
	}
	return in
}

// turn turns the operands of sums and products round, each component by itself, so that they
// are what is at hand next to each other, or one component of the first.
func (g *generator) turn(args [][]*Value) {
	swap := func(i int) { args[0][i], args[1][i] = args[1][i], args[0][i] }
	for i := 1; i < len(args[0]); i++ { // like the first component
		if rank(args[0][i], args[0][0])+rank(args[1][i], args[1][0]) < rank(args[1][i], args[0][0])+rank(args[0][i], args[1][0]) {
			swap(i)
		}
	}
	if uniform(args[1]) && !uniform(args[0]) {
		args[0], args[1] = args[1], args[0]
	}
}

// rank is how much alike two values are: where one may stand in a vector with the other.
func rank(a, b *Value) int {
	switch {
	case a == b:
		return 3
	case a.Kind != b.Kind:
		return 0
	case a.Kind == FromInput && a.Input/4 == b.Input/4, a.Kind == Computed && a.Op == b.Op:
		return 2
	case a.Kind == FromLiteral:
		return 2
	}
	return 1
}

// uniform reports whether all values are the same.
func uniform(list []*Value) bool {
	return !slices.ContainsFunc(list, func(x *Value) bool { return x != list[0] })
}

// operand is where values stand next to each other; if they do not yet, they are computed.
func (g *generator) operand(values []*Value) Operand {
	if o, ok := g.find(values); ok {
		return o
	}
	at := 4 * g.next
	// The first free register, all of it, whatever is needed.
	g.next++
	g.into(Temp, at, values)
	for i, x := range values {
		g.hold(at+uint32(i), x)
	}
	return Operand{Table: Temp, Offset: at}
}

// find is where values stand in one register: among the literals, which grow for them,
// the inputs, or the temporaries.
func (g *generator) find(values []*Value) (o Operand, ok bool) {
	n := len(values)
	fits := func(at uint32) bool { return int(at%4)+n <= 4 }
	all := func(is func(i int, x *Value) bool) bool {
		for i, x := range values {
			if !is(i, x) {
				return false
			}
		}
		return true
	}
	first := values[0]
	switch first.Kind {
	case FromLiteral:
		if !all(func(_ int, x *Value) bool { return x.Kind == FromLiteral }) {
			return o, false
		}
		return Operand{Table: Literal, Offset: g.literal(values)}, true
	case FromInput:
		if fits(first.Input) && all(func(i int, x *Value) bool { return x.Kind == FromInput && x.Input == first.Input+uint32(i) }) {
			return Operand{Table: Input, Offset: first.Input}, true
		}
	}
	for _, at := range g.at[first] {
		if fits(at) && all(func(i int, x *Value) bool { return g.holds[at+uint32(i)] == x }) {
			return Operand{Table: Temp, Offset: at}, true
		}
	}
	return o, false
}

// literal is where literals stand in one register of their table, which grows if they do not.
func (g *generator) literal(values []*Value) uint32 {
	n := len(values)
	same := func(at int) bool {
		for i, x := range values {
			if y := g.literals[at+i]; y != x.Literal || isNegative(y) != isNegative(x.Literal) {
				return false
			}
		}
		return true
	}
	for at := range len(g.literals) {
		if at%4+n <= 4 && at+n <= len(g.literals) && same(at) {
			return uint32(at)
		}
	}
	for len(g.literals)%4+n > 4 {
		g.literals = append(g.literals, 0)
	}
	for _, x := range values {
		g.literals = append(g.literals, x.Literal)
	}
	return uint32(len(g.literals) - n)
}
