package unroll

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// An integer counter that wraps around before its n-th trip would seem not to have met the exit.
// This cannot happen if the start and the bound are far enough from the end of the range and the
// increments are small enough. Unknown values are tested before the loop. If a test fails, the
// unrolled loop gets a bound that its first test meets, and the remainder loop makes all trips.

// slack bounds the increment of n trips if the increment of one trip is unknown or the range
// differs from the comparison's range. It is a quarter of the range of integers on either side of
// zero.
const slack = 1 << 29

// bounded returns an error if the counter could wrap around.
func (c *counter) bounded(in *ir.Instr, n int) error {
	if c.float || c.equal {
		return nil // floats do not wrap around; an equality test needs only the difference
	}
	if math.Abs(c.step)*float64(n) >= slack {
		return fmt.Errorf("its counter gains %v a trip", c.step)
	}
	if start, ok := c.start(in.Args[c.index]); ok {
		if l := c.limits(n); !l.holds(l.order, l.start, start) {
			return fmt.Errorf("its counter starts too close to the end of its range")
		}
	}
	return nil
}

// start returns the compared value on the first trip, if it is a literal.
func (c *counter) start(first *ir.Value) (bits uint32, ok bool) {
	first = affine.Origin(first)
	bits = first.Bits
	for v := c.value; v != c.param; {
		a, _ := affine.Addition(v, affine.IsLiteral)
		switch {
		case a.By.V == nil:
		case a.Minus:
			bits -= a.By.V.Bits
		default:
			bits += a.By.V.Bits
		}
		v = a.From
	}
	return bits, affine.IsLiteral(first)
}

// limits holds the limits of the start and the bound that prevent wraparound within n trips. If
// both are within [lowest+ahead, highest-ahead] on the side that the counter moves to, so is every
// count up to n trips beyond the bound.
type limits struct {
	order, boundOrder ir.Op // comparisons that are true if source 0 is not less
	start, bound      uint32
	never             uint32 // a bound that the first test meets
	down              bool
}

func (c *counter) limits(n int) limits {
	ahead := int64(math.Abs(c.step)) * int64(n)
	if len(c.steps) > 0 {
		ahead += slack
	}
	l := limits{order: ir.OpIGe, down: !c.upward}
	lowest, highest := int64(math.MinInt32), int64(math.MaxInt32)
	if c.unsigned() {
		l.order, lowest, highest = ir.OpUGe, 0, math.MaxUint32
	}
	l.boundOrder = l.order
	end := highest - ahead
	if l.down {
		end = lowest + ahead
	}
	switch {
	case !c.convert && l.down:
		l.never = uint32(highest)
	case !c.convert:
		l.never = uint32(lowest)
	default:
		const rounding = 1 << 10 // more than the error of a conversion to float
		l.boundOrder, l.never = ir.OpFGe, math.Float32bits(float32(math.Inf(-1)))
		if end -= rounding; l.down {
			end, l.never = end+2*rounding, math.Float32bits(float32(math.Inf(1)))
		}
	}
	l.start, l.bound = uint32(end), uint32(end)
	if c.convert {
		l.bound = math.Float32bits(float32(end))
	}
	return l
}

// operands returns the sources of a comparison that is true if x is within a limit.
func (l *limits) operands(limit, x ir.Lane) []ir.Operand {
	if l.down {
		limit, x = x, limit
	}
	return []ir.Operand{ir.Splat(limit), ir.Splat(x)}
}

// holds reports whether the literal x is within a limit.
func (l *limits) holds(order ir.Op, limit, x uint32) bool {
	if l.down {
		limit, x = x, limit
	}
	w := ir.Words{Fold: true}
	met := ir.Eval(&w, order, 0, func(s, _ int) uint32 { return [2]uint32{limit, x}[s] })
	return met != 0 && w.Fold
}

// guarded returns the bound for a loop that makes n trips at a time, and appends the tests that
// make it safe to before. If exact is false, the bound is met only by a test that is also true on
// equality. Such a test is safe in place of a strict one, but leaves more trips to the remainder
// loop.
func (c *counter) guarded(f *ir.Func, before *[]*ir.Instr, first *ir.Value, n int) (bound ir.Lane, exact bool) {
	bound = c.bound
	if c.float || c.equal {
		return bound, true
	}
	l := c.limits(n)
	var safe *ir.Value
	test := func(op ir.Op, src []ir.Operand) {
		in := &ir.Instr{Op: op, Src: src, Orig: -1, Pos: c.cmp.Pos}
		*before = append(*before, in)
		v := f.Define(in, 0, ir.Reg{})
		if safe != nil {
			in = &ir.Instr{Op: ir.OpIAnd, Src: []ir.Operand{ir.Splat(ir.Lane{V: safe}), ir.Splat(ir.Lane{V: v})}, Orig: -1,
				Pos: c.cmp.Pos}
			*before = append(*before, in)
			v = f.Define(in, 0, ir.Reg{})
		}
		safe = v
	}
	never := ir.Lane{V: f.Const(l.never)}
	// The bound, the start and each step that is not a literal need a test. The bound is safe if
	// all tests hold.
	if bound.V.Kind != ir.Literal || bound.Mod != 0 {
		test(l.boundOrder, l.operands(ir.Lane{V: f.Const(l.bound)}, bound))
	} else if !l.holds(l.boundOrder, l.bound, bound.V.Bits) {
		bound = never
	}
	_, known := c.start(first)
	if !known {
		v := c.slice(f, before, c.value, first)
		test(l.order, l.operands(ir.Lane{V: f.Const(l.start)}, ir.Lane{V: v}))
	}
	for _, by := range c.steps {
		most := ir.Lane{V: f.Const(uint32(slack / (n * len(c.steps))))}
		test(ir.OpUGe, []ir.Operand{ir.Splat(most), ir.Splat(ir.Lane{V: by})})
	}
	if safe != nil {
		sel := &ir.Instr{Op: ir.OpSel, Src: []ir.Operand{ir.Splat(ir.Lane{V: safe}), ir.Splat(bound), ir.Splat(never)},
			Orig: -1, Pos: c.cmp.Pos}
		*before = append(*before, sel)
		bound = ir.Lane{V: f.Define(sel, 0, ir.Reg{})}
	}
	return bound, c.convert || known && len(c.steps) == 0
}
