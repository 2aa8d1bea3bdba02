package effect

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
)

// operates reports whether x is not just a parameter, a literal, or the negation of one.
func operates(x *preshader.Value) bool {
	return x.Kind == preshader.Computed && !(x.Op == preshader.Neg && !operates(x.Args[0]))
}

// laneValue returns the value that a lane reads.
func (h *hoister) laneValue(l ir.Lane) *preshader.Value {
	if l.V == nil {
		return nil
	}
	x := h.value(l.V)
	if x != nil && l.Mod&ir.Abs != 0 {
		x = algebra{&h.values}.Call(ir.PrimAbs, []*preshader.Value{x})
	}
	if x != nil && l.Mod&ir.Neg != 0 {
		x = h.values.Apply(preshader.Neg, 0, x)
	}
	return x
}

// algebra builds preshader expressions; it returns nil if clients disagree on an operation.
type algebra struct{ values *preshader.Values }

// hostOps are the formula primitives that preshaders support.
var hostOps = map[ir.Prim]preshader.Op{
	ir.PrimMin: preshader.Min, ir.PrimMax: preshader.Max, ir.PrimSlt: preshader.Lt, ir.PrimSge: preshader.Ge, ir.PrimSelGE: preshader.Cmp,
	ir.PrimFrc: preshader.Frc, ir.PrimRcp: preshader.Rcp, ir.PrimRsq: preshader.Rsq, ir.PrimSin: preshader.Sin, ir.PrimCos: preshader.Cos,
}

// apply builds an operation. Clients disagree on rsq of a negative number.
func (a algebra) apply(op preshader.Op, args ...*preshader.Value) *preshader.Value {
	if slices.Contains(args, nil) || op == preshader.Rsq && !args[0].NotNegative() {
		return nil
	}
	return a.values.Apply(op, 0, args...)
}

func (a algebra) Const(f float32) *preshader.Value           { return a.values.Literal(float64(f)) }
func (a algebra) Add(x, y *preshader.Value) *preshader.Value { return a.apply(preshader.Add, x, y) }
func (a algebra) Mul(x, y *preshader.Value) *preshader.Value { return a.apply(preshader.Mul, x, y) }
func (a algebra) Neg(x *preshader.Value) *preshader.Value    { return a.apply(preshader.Neg, x) }

func (a algebra) Call(p ir.Prim, args []*preshader.Value) *preshader.Value {
	op, ok := hostOps[p]
	switch {
	case p == ir.PrimAbs && args[0] != nil && args[0].Kind == preshader.FromLiteral: // max(0, -0) would be -0
		return a.values.Literal(math.Abs(args[0].Literal))
	case p == ir.PrimAbs:
		return a.apply(preshader.Max, args[0], a.Neg(args[0]))
	case !ok:
		return nil
	}
	return a.apply(op, slices.Clone(args)...)
}

// value returns the expression of v over constants alone; nil if it is unknown or must not be hoisted.
func (h *hoister) value(v *ir.Value) *preshader.Value {
	switch v.Kind {
	case ir.Literal:
		if x := float64(math.Float32frombits(v.Bits)); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return h.values.Literal(x)
		}
	case ir.Uniform:
		if v.Home.File != ir.File(d3d9.Const) {
			return nil
		}
		for _, g := range h.given {
			if g.index == v.Home.Index {
				return g.holds[v.Home.Comp]
			}
		}
		if x := h.computed[4*uint32(v.Home.Index)+uint32(v.Home.Comp)]; x != nil {
			return x
		}
		for i := range h.table {
			c := &h.table[i]
			if c.CoversRegister(d3d9.Reg{File: d3d9.Const, Index: v.Home.Index}) {
				return h.parameter(c.Name, int(v.Home.Index)-c.Index, v.Home.Comp)
			}
		}
	case ir.Result:
		return h.known[v]
	}
	return nil
}

// parameter returns a component of a parameter.
func (h *hoister) parameter(name string, row int, comp uint8) *preshader.Value {
	for _, c := range h.inputs {
		if c.Name == name && row < c.Count {
			return h.values.Input(uint32(4*(c.Index+row)) + uint32(comp))
		}
	}
	return nil
}
