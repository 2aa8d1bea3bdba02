package preshader

import (
	"fmt"
	"math"
)

// Value is what a component holds, as an expression of inputs and literals. Values of
// one [Trace] that are the same expression are the same Value, whatever the client:
// hash consing, so that values compare by pointer. They do not change.
type Value struct {
	Kind    ValueKind
	Input   uint32  // of FromInput: which component
	Literal float64 // of FromLiteral
	// Of Computed: the operation, which of its results it is where they are not all of one
	// kind, as those of dot are not, and what it is applied to.
	Op   Op
	Lane int
	Args []*Value
	// in the order of making, so arguments have lower ones
	id int
}

// ValueKind tells where a value comes from.
type ValueKind uint8

// The kinds.
const (
	Computed ValueKind = iota
	FromInput
	FromLiteral
)

// Values makes values, equal ones once. The zero value is ready for use.
type Values struct{ known map[string]*Value }

// Input is a component of the inputs.
func (v *Values) Input(n uint32) *Value { return v.one(&Value{Kind: FromInput, Input: n}) }

// Literal is a number.
func (v *Values) Literal(x float64) *Value { return v.one(&Value{Kind: FromLiteral, Literal: x}) }

// Apply is an operation on values. What both clients compute of literals alone, bit for
// bit, is a literal: the operation is one whose result IEEE 754 fixes, and the result a
// float32, so that it makes no difference whether it is rounded to one. Sums and
// products have their arguments in the order of ids, as both commute in IEEE 754;
// nothing is reassociated, which would round differently.
func (v *Values) Apply(op Op, lane int, args ...*Value) *Value {
	if (op == Add || op == Mul) && args[0].id > args[1].id { // either way round, in any client
		args = []*Value{args[1], args[0]}
	}
	x := &Value{Op: op, Lane: lane, Args: args}
	switch {
	case op == Mov && (args[0].Kind != FromLiteral || isFloat32(args[0].Literal)):
		return args[0] // D3DX rounds to a float32, which this is to where it counts
	case op == Neg && args[0].Kind == Computed && args[0].Op == Neg:
		return args[0].Args[0]
	case exactOps[op]:
		var a [3]float64
		for i, y := range args {
			if y.Kind != FromLiteral || !isFloat32(y.Literal) {
				return v.one(x)
			}
			a[i] = y.Literal
		}
		if r := ops[op].eval[D3DX](a[0], a[1], a[2]); isFloat32(r) {
			return v.Literal(r)
		}
	}
	return v.one(x)
}

// Import is x, a value of other inputs, whose places here input tells; known are values
// that have been imported, which keeps the walk over shared parts linear. The error
// says which input has none.
func (v *Values) Import(x *Value, input func(uint32) (uint32, bool), known map[*Value]*Value) (y *Value, err error) {
	if y := known[x]; y != nil {
		return y, nil
	}
	switch x.Kind {
	case FromInput:
		n, ok := input(x.Input)
		if !ok {
			return nil, fmt.Errorf("component %d of the inputs is no parameter", x.Input)
		}
		y = v.Input(n)
	case FromLiteral:
		y = v.Literal(x.Literal)
	case Computed:
		args := make([]*Value, len(x.Args))
		for i, a := range x.Args {
			if args[i], err = v.Import(a, input, known); err != nil {
				return nil, err
			}
		}
		y = v.Apply(x.Op, x.Lane, args...)
	}
	known[x] = y
	return y, nil
}

// exactOps are the operations whose result is what IEEE 754 says in either client.
// Functions such as sin are not among them, as libraries differ in the last bits.
var exactOps = map[Op]bool{Mov: true, Neg: true, Rcp: true, Frc: true, Min: true, Max: true, Lt: true, Ge: true, Add: true, Mul: true, Cmp: true}

// isFloat32 reports whether x is a finite float32.
func isFloat32(x float64) bool {
	return float64(float32(x)) == x && !math.IsInf(x, 0)
}

// one is the value equal to x that was made first, or x. Literals are compared by their
// bits, so that 0 and -0 differ.
func (v *Values) one(x *Value) *Value {
	key := fmt.Sprint(x.Kind, x.Input, math.Float64bits(x.Literal), uint16(x.Op), x.Lane)
	for _, a := range x.Args {
		key += fmt.Sprint(" ", a.id)
	}
	if old := v.known[key]; old != nil {
		return old
	}
	if v.known == nil {
		v.known = map[string]*Value{}
	}
	x.id = len(v.known)
	v.known[key] = x
	return x
}

// NotNegative reports whether x is seen to be none of the numbers whose root clients
// take in two ways: it is a sum of squares, or an absolute value, max(x, -x). False
// means nothing.
func (x *Value) NotNegative() bool {
	switch {
	case x.Kind == FromLiteral:
		return x.Literal >= 0
	case x.Kind == Computed && x.Op == Mul:
		return x.Args[0] == x.Args[1] || x.Args[0].NotNegative() && x.Args[1].NotNegative()
	case x.Kind == Computed && x.Op == Add:
		return x.Args[0].NotNegative() && x.Args[1].NotNegative()
	case x.Kind == Computed && x.Op == Max:
		y := x.Args[1]
		return y.Kind == Computed && y.Op == Neg && y.Args[0] == x.Args[0]
	}
	return false
}

// Trace is the components of float outputs that p writes, by offset, as values. They are
// rounded to float32 when they are written. The error says what of p is not traced: it
// writes other outputs, reads outputs, or what nothing has written, or by an index, or it has
// an operation that a client does not run.
func Trace(p *Program, v *Values) (map[uint32]*Value, error) {
	t := tracer{p: p, values: v, temps: map[uint32]*Value{}, outs: map[uint32]*Value{}}
	for i := range p.Insts {
		if err := t.step(&p.Insts[i]); err != nil {
			return nil, fmt.Errorf("instruction %d of the preshader: %w", i, err)
		}
	}
	return t.outs, nil
}

// tracer is what temporaries and outputs hold while a program is followed.
type tracer struct {
	p           *Program
	values      *Values
	temps, outs map[uint32]*Value
}

// step follows one instruction. All results are there before one is stored.
func (t *tracer) step(in *Inst) error {
	results, err := t.results(in)
	if err != nil {
		return err
	}
	table := map[Table]map[uint32]*Value{Temp: t.temps, Output: t.outs}[in.Output.Table]
	if table == nil {
		return fmt.Errorf("its output is no float")
	}
	for i, x := range results {
		table[in.Output.Offset+uint32(i)] = x
	}
	return nil
}

// results are what an instruction computes, by component. The results of dot depend on
// all components of its inputs: their arguments are the pairs of all of them, and Lane
// tells them apart.
func (t *tracer) results(in *Inst) ([]*Value, error) {
	row, lanewise := ops[in.Op], true
	if in.Op == Dot {
		lanewise = false
	} else if row.eval[D3DX] == nil || row.eval[MojoShader] == nil {
		return nil, fmt.Errorf("%s is not run by every client", in.Op)
	}
	lanes := make([][]*Value, in.Components)
	for i := range lanes {
		for k := range in.Inputs {
			n := i
			if k == 0 && in.Scalar {
				n = 0
			}
			x, err := t.load(&in.Inputs[k], uint32(n))
			if err != nil {
				return nil, err
			}
			lanes[i] = append(lanes[i], x)
		}
	}
	results := make([]*Value, in.Components)
	for i := range results {
		if lanewise {
			results[i] = t.values.Apply(in.Op, 0, lanes[i]...)
			continue
		}
		var all []*Value
		for _, l := range lanes {
			all = append(all, l...)
		}
		results[i] = t.values.Apply(in.Op, i, all...)
	}
	return results, nil
}

// load is the value of component i of an operand.
func (t *tracer) load(o *Operand, i uint32) (*Value, error) {
	at := uint64(o.Offset) + uint64(i)
	switch {
	case o.Relative:
		return nil, fmt.Errorf("it reads by an index")
	case o.Table == Input && at <= math.MaxUint32:
		return t.values.Input(uint32(at)), nil
	case o.Table == Literal && at < uint64(len(t.p.Literals)):
		return t.values.Literal(t.p.Literals[at]), nil
	case o.Table == Temp && at <= math.MaxUint32 && t.temps[uint32(at)] != nil:
		return t.temps[uint32(at)], nil
	}
	return nil, fmt.Errorf("it reads what nothing has written")
}

// Eval is the float32 that a client computes for x. Intermediate results are rounded as
// [Run] rounds temporaries.
func (x *Value) Eval(input func(uint32) float32, client Client) float32 {
	return float32(x.eval(input, client, map[*Value]float64{}))
}

// eval computes x with what it depends on, each value once.
func (x *Value) eval(input func(uint32) float32, client Client, known map[*Value]float64) (r float64) {
	if r, ok := known[x]; ok {
		return r
	}
	defer func() { known[x] = r }()
	switch {
	case x.Kind == FromInput:
		return float64(input(x.Input))
	case x.Kind == FromLiteral:
		return x.Literal
	}
	var a [8]float64
	for i, y := range x.Args {
		a[i] = y.eval(input, client, known)
	}
	if x.Op == Dot {
		if x.Lane == 0 || client == MojoShader {
			for i := 0; i < len(x.Args); i += 2 {
				r += a[i] * a[i+1]
			}
		}
	} else {
		r = ops[x.Op].eval[client](a[0], a[1], a[2])
	}
	if client == D3DX {
		r = float64(float32(r))
	}
	return r
}

// isNegative tells -0 from 0, too.
func isNegative(x float64) bool { return math.Signbit(x) }
