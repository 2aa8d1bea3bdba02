package preshader

import (
	"cmp"
	"maps"
	"slices"
)

// generator emits instructions that compute values. Each writes a new temporary. Their number is
// unlimited, so the generator never reuses one.
type generator struct {
	literals []float64
	insts    []Inst
	at       map[*Value][]uint32 // temporary components that hold a value
	holds    map[uint32]*Value   // value in each temporary component, each written once
	// the first free temporary
	next uint32
}

// generate returns instructions, and their literals, that compute values for components of outputs.
// It computes equal values once, and combines several values with the same operation on adjacent
// operands into one instruction. ok is false if a literal is not a float32, because D3DX rounds
// literals when it copies them but not when it reads them. ok is also false for operations that do
// not work component by component.
func generate(outs map[uint32]*Value) (literals []float64, insts []Inst, ok bool) {
	return Extend(&Program{}, nil, outs)
}

// Extend returns the instructions of p followed by new ones that compute outs, and the literals of
// both. The values of outs belong to v. The new instructions reuse the temporaries of p. ok is
// false if p cannot be traced, or a value cannot be computed (see generate).
func Extend(p *Program, v *Values, outs map[uint32]*Value) (literals []float64, insts []Inst, ok bool) {
	g := generator{literals: slices.Clone(p.Literals), insts: slices.Clone(p.Insts), at: map[*Value][]uint32{},
		holds: map[uint32]*Value{}}
	if len(p.Insts) > 0 {
		t := tracer{p: p, values: v, temps: map[uint32]*Value{}, outs: map[uint32]*Value{}}
		for i := range p.Insts {
			if t.step(&p.Insts[i]) != nil {
				return nil, nil, false
			}
		}
		for _, at := range slices.Sorted(maps.Keys(t.temps)) {
			g.recordValue(at, t.temps[at])
			g.next = max(g.next, at/4+1)
		}
	}
	for _, x := range outs { // in any order
		if !Generable(x) {
			return nil, nil, false
		}
	}
	// Operands of other values come last, because they have to be copied from a temporary anyway.
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
		g.computeInto(Output, r.at, r.values)
	}
	return g.literals, g.insts, true
}

// run is a sequence of values for adjacent components of one register.
type run struct {
	at     uint32
	values []*Value
}

// depth returns the largest depth of the run's values.
func (r *run) depth(known map[*Value]int) (d int) {
	for _, x := range r.values {
		d = max(d, depth(x, known))
	}
	return d
}

// depth returns the length of the longest chain of operations in x.
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

// Generable reports whether generate can compute x.
func Generable(x *Value) bool { return generable(x, map[*Value]bool{}) }

// generable checks x and all values that it depends on, each once.
func generable(x *Value, known map[*Value]bool) bool {
	if ok, seen := known[x]; seen {
		return ok
	}
	ok := x.Kind == FromInput || x.Kind == FromLiteral && isFloat32(x.Literal) ||
		x.Kind == Computed && x.Op != dot && x.Op != dotSwiz && x.Op != Mov
	for _, a := range x.Args {
		ok = ok && generable(a, known)
	}
	known[x] = ok
	return ok
}

// recordValue records that a component of a temporary holds a value.
func (g *generator) recordValue(at uint32, x *Value) {
	g.at[x], g.holds[at] = append(g.at[x], at), x
}

// computeInto computes values into components from at on. It greedily combines as many values as possible
// into each instruction: those that are adjacent somewhere, or have the same operation.
func (g *generator) computeInto(table Table, at uint32, values []*Value) {
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

// together returns the largest number of leading values that one instruction can compute: a copy of
// the operand source, if that has a table, or else an operation.
func (g *generator) together(values []*Value) (n int, source Operand) {
	for n := len(values); n > 0; n-- {
		if o, ok := g.findOperand(values[:n]); ok {
			return n, o
		}
		same := !slices.ContainsFunc(values[:n], func(x *Value) bool {
			_, known := g.findOperand([]*Value{x})
			return x.Kind != Computed || x.Op != values[0].Op || known
		})
		if same {
			return n, Operand{}
		}
	}
	return 1, Operand{}
}

// apply returns the instruction that computes values of one operation. It emits the computation of
// missing inputs first.
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
		g.orderOperands(args)
	}
	// Only instructions with two inputs may have a scalar one, because MojoShader does not run
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

// orderOperands swaps the operands of sums and products, separately for each component, so that they match
// adjacent available values or the kind of the first component.
func (g *generator) orderOperands(args [][]*Value) {
	swap := func(i int) { args[0][i], args[1][i] = args[1][i], args[0][i] }
	for i := 1; i < len(args[0]); i++ { // similar to the first component
		if similarity(args[0][i], args[0][0])+similarity(args[1][i], args[1][0]) < similarity(args[1][i], args[0][0])+
			similarity(args[0][i], args[1][0]) {
			swap(i)
		}
	}
	if uniform(args[1]) && !uniform(args[0]) {
		args[0], args[1] = args[1], args[0]
	}
}

// similarity returns the similarity of two values, which measures how well they fit into one vector.
func similarity(a, b *Value) int {
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

// uniform reports whether all values are equal.
func uniform(list []*Value) bool {
	return !slices.ContainsFunc(list, func(x *Value) bool { return x != list[0] })
}

// operand returns a place where the values are adjacent, and computes them there if necessary.
func (g *generator) operand(values []*Value) Operand {
	if o, ok := g.findOperand(values); ok {
		return o
	}
	at := 4 * g.next
	// Use the whole first free register, whatever the number of values.
	g.next++
	g.computeInto(Temp, at, values)
	for i, x := range values {
		g.recordValue(at+uint32(i), x)
	}
	return Operand{Table: Temp, Offset: at}
}

// findOperand returns a place where the values are in one register: among the literals, which it extends,
// the inputs, or the temporaries.
func (g *generator) findOperand(values []*Value) (o Operand, ok bool) {
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
		if fits(first.Input) && all(func(i int,
			x *Value) bool {
			return x.Kind == FromInput && x.Input == first.Input+uint32(i)
		}) {
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

// literal returns the offset of the literals within one register of their table, and appends them
// if they are not there.
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
