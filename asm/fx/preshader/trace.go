package preshader

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Value is the content of a component, as an expression of inputs and literals. One [Trace] uses
// hash consing: equal expressions are the same Value, for all clients, so that values compare by
// pointer. Values are immutable.
type Value struct {
	Kind    ValueKind
	Input   uint32  // of FromInput: the component
	Literal float64 // of FromLiteral
	// For Computed: the operation, its arguments, and the result lane if its results differ, as
	// those of dot do.
	Op   Op
	Lane int
	Args []*Value
	// in the order of creation, so arguments have lower ids
	id int
}

// ValueKind is the origin of a value.
type ValueKind uint8

// The kinds.
const (
	Computed ValueKind = iota
	FromInput
	FromLiteral
)

// Values creates values, equal ones once. The zero value is ready for use.
type Values struct{ known map[string]*Value }

// Input returns the value of an input component.
func (v *Values) Input(n uint32) *Value { return v.intern(&Value{Kind: FromInput, Input: n}) }

// Literal returns the value of a number.
func (v *Values) Literal(x float64) *Value { return v.intern(&Value{Kind: FromLiteral, Literal: x}) }

// Apply returns the value of an operation. It folds an operation on literals if both clients
// compute the same bits. IEEE 754 must determine the result, and it must be a float32, so that
// rounding does not change it. It sorts the arguments of sums and products by id, because both
// commute in IEEE 754. It never reassociates, which would round differently.
func (v *Values) Apply(op Op, lane int, args ...*Value) *Value {
	if (op == Add || op == Mul) && args[0].id > args[1].id { // commutative in every client
		args = []*Value{args[1], args[0]}
	}
	x := &Value{Op: op, Lane: lane, Args: args}
	switch {
	case op == Mov && (args[0].Kind != FromLiteral || isFloat32(args[0].Literal)):
		return args[0] // D3DX rounds to float32, which happens to the result anyway
	case op == Neg && args[0].Kind == Computed && args[0].Op == Neg:
		return args[0].Args[0]
	case exactOps[op]:
		var a [3]float64
		for i, y := range args {
			if y.Kind != FromLiteral || !isFloat32(y.Literal) {
				return v.intern(x)
			}
			a[i] = y.Literal
		}
		if r := ops[op].eval[D3DX](a[0], a[1], a[2]); isFloat32(r) {
			return v.Literal(r)
		}
	}
	return v.intern(x)
}

// Import returns x, a value over other inputs, in terms of v's inputs; input maps their numbers.
// known holds the imported values, which keeps the walk over shared parts linear. The error names
// an input without a counterpart.
func (v *Values) Import(x *Value, input func(uint32) (uint32, bool), known map[*Value]*Value) (y *Value, err error) {
	if y := known[x]; y != nil {
		return y, nil
	}
	switch x.Kind {
	case FromInput:
		n, ok := input(x.Input)
		if !ok {
			return nil, fmt.Errorf("component %d of the inputs is not a parameter", x.Input)
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

// exactOps are the operations whose result IEEE 754 determines in every client. Functions such as
// sin are excluded, because libraries differ in the last bits.
var exactOps = map[Op]bool{Mov: true, Neg: true, Rcp: true, Frc: true, Min: true, Max: true, Lt: true, Ge: true,
	Add: true, Mul: true, Cmp: true}

// isFloat32 reports whether x is a finite float32.
func isFloat32(x float64) bool {
	return float64(float32(x)) == x && !math.IsInf(x, 0)
}

// intern returns the existing value equal to x, or x. It compares literals by their bits, so that 0
// and -0 differ.
func (v *Values) intern(x *Value) *Value {
	key := binary.NativeEndian.AppendUint32(append(make([]byte, 0, 64), byte(x.Kind)), x.Input)
	key = binary.NativeEndian.AppendUint64(key, math.Float64bits(x.Literal))
	key = binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint16(key, uint16(x.Op)), uint64(x.Lane))
	for _, a := range x.Args {
		key = binary.NativeEndian.AppendUint64(key, uint64(a.id))
	}
	if old := v.known[string(key)]; old != nil {
		return old
	}
	if v.known == nil {
		v.known = map[string]*Value{}
	}
	x.id = len(v.known)
	v.known[string(key)] = x
	return x
}

// NotNegative reports whether x is provably not negative, so that both clients compute the same
// root: x is a sum of squares, or an absolute value, max(x, -x). The result false is inconclusive.
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

// Trace returns the values of the float output components that p writes, by offset, before rounding
// to float32. It returns an error if p writes other outputs, reads outputs or unwritten
// temporaries, uses an index, or has an operation that a client does not support.
func Trace(p *Program, v *Values) (map[uint32]*Value, error) {
	t := tracer{p: p, values: v, temps: map[uint32]*Value{}, outs: map[uint32]*Value{}}
	for i := range p.Insts {
		if err := t.step(&p.Insts[i]); err != nil {
			return nil, fmt.Errorf("instruction %d of the preshader: %w", i, err)
		}
	}
	return t.outs, nil
}

// tracer holds the values of temporaries and outputs during symbolic execution.
type tracer struct {
	p           *Program
	values      *Values
	temps, outs map[uint32]*Value
}

// step executes one instruction. It computes all results before it stores one.
func (t *tracer) step(in *Inst) error {
	results, err := t.results(in)
	if err != nil {
		return err
	}
	table := map[Table]map[uint32]*Value{Temp: t.temps, Output: t.outs}[in.Output.Table]
	if table == nil {
		return fmt.Errorf("its output is not a float")
	}
	for i, x := range results {
		table[in.Output.Offset+uint32(i)] = x
	}
	return nil
}

// results returns the results of an instruction, by component. The results of dot depend on all
// components of its inputs: the arguments are all pairs, and Lane distinguishes the results.
func (t *tracer) results(in *Inst) ([]*Value, error) {
	row, lanewise := ops[in.Op], true
	if in.Op == dot {
		lanewise = false
	} else if row.eval[D3DX] == nil || row.eval[MojoShader] == nil {
		return nil, fmt.Errorf("not every client runs %s", in.Op)
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

// load returns the value of component i of an operand.
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
	return nil, fmt.Errorf("it reads a component that is not written")
}

// Eval returns the float32 that a client computes for x. It rounds intermediate results like
// temporaries in [Run].
func (x *Value) Eval(input func(uint32) float32, client Client) float32 {
	return float32(x.evalOnce(input, client, map[*Value]float64{}))
}

// evalOnce computes x and its operands, each value once.
func (x *Value) evalOnce(input func(uint32) float32, client Client, known map[*Value]float64) (r float64) {
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
		a[i] = y.evalOnce(input, client, known)
	}
	if x.Op == dot {
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

// isNegative reports the sign bit, which is also set for -0.
func isNegative(x float64) bool { return math.Signbit(x) }
