package unroll

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// counter is the induction variable of a loop, with the comparison that ends the loop.
type counter struct {
	*exit
	cmp     *ir.Instr          // the comparison that the loop exits by
	side    int                // the source of cmp that depends on the counter
	value   *ir.Value          // the compared value: the counter plus a literal, before any conversion
	bound   ir.Lane            // the other source, which is loop-invariant
	inside  map[*ir.Value]bool // values that the loop defines or carries
	param   *ir.Value          // the carried value that counts
	index   int                // its number
	float   bool               // the counter is a float
	convert bool               // the counter is an integer, converted to float for the comparison
	step    float64            // the sum of the literals that a trip adds to the counter
	steps   []*ir.Value        // the other values that a trip adds, or subtracts unless upward
	upward  bool               // large counters meet the test
	strict  bool               // a counter equal to the bound does not meet the test
	equal   bool               // only a counter equal to the bound meets the test; a trip adds or subtracts 1
}

// counted returns the induction variable of the loop in, or an error if there is none. The rules
// are:
//
//   - The loop exits if an order comparison of floats or integers holds, or if it fails.
//   - One side of the comparison is a carried value of that type, perhaps with literals added, or an
//     integer with literals added and then converted to float.
//   - Each trip adds to the carried value: literals or, for an integer, loop-invariant values.
//   - The other side is defined outside the loop.
//   - The additions move the counter away from the bound, so that the exit stays met once it is met.
//   - Alternatively, the loop exits if integers are equal, and a trip adds or subtracts 1. Then the
//     difference, which wraps around like the counter, is the number of trips left.
//
// With an order comparison, the last rule but one implies the result of an earlier test from a
// later one. For floats this holds whatever the rounding, as long as nothing is added in the other
// direction. Integers wrap around: see limits.
func (e *exit) counted(in *ir.Instr) (*counter, error) {
	c := &counter{exit: e}
	if e.test.V == nil {
		return nil, fmt.Errorf("it runs once")
	}
	if c.cmp = e.test.V.Def; c.cmp == nil || c.cmp.Mods != 0 || c.cmp.IsPredicated() {
		return nil, fmt.Errorf("its exit is not a comparison")
	}
	switch c.cmp.Op {
	case ir.OpFLt, ir.OpILt, ir.OpULt:
		c.strict = true
	case ir.OpFGe, ir.OpIGe, ir.OpUGe:
	case ir.OpIEq, ir.OpINe:
		c.equal = true
		if (c.cmp.Op == ir.OpIEq) == (c.test.Mod&ir.Not != 0) {
			return nil, fmt.Errorf("it runs while its counter equals a value")
		}
	case ir.OpFEq, ir.OpFNe:
		return nil, fmt.Errorf("its exit tests for equality, which a counter may step over")
	default:
		return nil, fmt.Errorf("its exit is not a comparison")
	}
	less := c.strict // the test is that source 0 is less
	if c.test.Mod&ir.Not != 0 {
		c.strict, less = !c.strict, !less
	}
	body := in.Sub[0]
	c.inside = definedIn(body)
	err := fmt.Errorf("its exit does not compare a counter with an invariant value")
	lane := int(e.test.V.Lane)
	for c.side = range 2 {
		if c.bound = c.cmp.Src[1-c.side][lane]; c.inside[c.bound.V] {
			continue
		}
		c.bound.V = affine.Origin(c.bound.V)
		if !c.follow(body, c.cmp.Src[c.side][lane]) {
			continue
		}
		c.upward = less == (c.side == 1)
		err = c.advances(body)
		if c.equal && err != nil {
			c.upward = !c.upward
			err = c.advances(body)
		}
		if c.equal && (math.Abs(c.step) != 1 || len(c.steps) > 0) {
			err = fmt.Errorf("its exit tests for equality, which a counter may step over")
		}
		if err == nil {
			return c, nil
		}
	}
	return nil, err
}

// definedIn returns the values that a loop defines or carries.
func definedIn(body *ir.Region) map[*ir.Value]bool {
	m := map[*ir.Value]bool{}
	add := func(v *ir.Value) { m[v] = true }
	for _, p := range body.Params {
		add(p)
	}
	body.Walk(func(in *ir.Instr) {
		in.EachDef(add)
		for _, sub := range in.Sub {
			for _, p := range sub.Params {
				add(p)
			}
		}
	})
	return m
}

// follow traces an operand of the comparison back to a carried value, through additions of
// literals, moves and at most one conversion to float. These operations are monotonic, so an order
// relation of the counter also holds for the compared value.
func (c *counter) follow(body *ir.Region, l ir.Lane) bool {
	asFloat := c.cmp.Op == ir.OpFLt || c.cmp.Op == ir.OpFGe
	v := l.V
	if l.Mod != 0 || !asFloat && c.bound.Mod != 0 {
		return false
	}
	c.convert = false
	if in := v.Def; in != nil && in.Mods == 0 && (in.Op == ir.OpIToF || in.Op == ir.OpUToF) {
		c.convert = true
		if l := in.Src[0][v.Lane]; l.Mod == 0 {
			v = l.V
		}
	}
	if c.float = asFloat && !c.convert; c.convert && !asFloat {
		return false
	}
	c.value = v
	for c.inside[v] && v.Def != nil {
		a, ok := affine.Addition(v, affine.IsLiteral)
		if !ok || a.By.V != nil && a.Float != c.float {
			return false
		}
		v = a.From
	}
	for k, p := range body.Params {
		if p == v {
			c.param, c.index = p, k
			return true
		}
	}
	return false
}

// unsigned reports whether the counter is compared as an unsigned integer.
func (c *counter) unsigned() bool {
	if c.convert {
		return c.cmp.Src[c.side][c.test.V.Lane].V.Def.Op == ir.OpUToF
	}
	return c.cmp.Op == ir.OpULt || c.cmp.Op == ir.OpUGe
}

// advances collects the additions of a trip to the counter. It returns an error unless all of them
// lead away from the bound.
func (c *counter) advances(body *ir.Region) error {
	c.step, c.steps = 0, nil
	away := 1.0
	if !c.upward {
		away = -1
	}
	for v := body.Results[c.index]; v != c.param; {
		a, ok := affine.Addition(v, func(v *ir.Value) bool { return !c.inside[v] })
		switch {
		case !ok:
			return fmt.Errorf("the compared value is not a counter")
		case a.By.V == nil:
		case a.Float != c.float:
			return fmt.Errorf("its counter is used as a float and as an integer")
		case a.By.V.Kind == ir.Literal:
			if x := a.Amount() * away; !(x >= 0) || math.IsInf(x, 0) {
				return fmt.Errorf("its counter moves towards the bound after the exit is met")
			}
			c.step += a.Amount()
		case c.float || a.Minus == c.upward:
			return fmt.Errorf("the direction of its counter is not known")
		default:
			c.steps = append(c.steps, a.By.V)
		}
		v = a.From
	}
	if c.step == 0 && len(c.steps) == 0 {
		return fmt.Errorf("its counter does not change")
	}
	return nil
}
