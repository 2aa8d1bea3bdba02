package words

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// facts holds comparisons that hold or fail under a condition, and derives bounds from them. Everywhere,
// down negates all numbers, so that the least becomes the greatest.
type facts struct {
	*order
	list []fact
}

// fact states that p holds or fails for a and b.
type fact struct {
	p     ir.Prim
	a, b  symbolic.Term
	holds bool
}

// facts returns the consequences of c, or of its negation.
func (o *order) facts(c symbolic.Term, holds bool) facts {
	f := facts{order: o}
	add := func(c symbolic.Term, holds bool) {
		if p, a, b, same, ok := o.comparison(c); ok {
			f.list = append(f.list, fact{p, a, b, same == holds})
		}
	}
	if all := o.Recipe(c); all != nil && all.Tag == symbolic.TagAnd && holds {
		for _, p := range all.Parts {
			add(p.X, true)
		}
		return f
	}
	add(c, holds)
	return f
}

// limits holds the least and greatest number of a kind.
type limits struct{ bottom, top int64 }

func rangeOf(k kind, down bool) limits {
	r := limits{math.MinInt32, math.MaxInt32}
	if k == unsigned {
		r = limits{0, math.MaxUint32}
	}
	if down {
		return limits{-r.top, -r.bottom}
	}
	return r
}

// number returns the number with these bits, negated if down.
func number(k kind, down bool, bits uint32) int64 {
	x := int64(bits)
	if k == signed {
		x = int64(int32(bits))
	}
	if down {
		return -x
	}
	return x
}

// upperBound returns an upper bound of v in order k. Bounds come from literals, from comparisons with literals,
// and from values that differ from v by a small amount.
func (f *facts) upperBound(k kind, down bool, v symbolic.Term) int64 {
	if bits, ok := f.Bits(v); ok {
		return number(k, down, bits)
	}
	r := rangeOf(k, down)
	high := r.top
	less := ir.PrimILt
	if k == unsigned {
		less = ir.PrimULt
	}
	for _, x := range f.list {
		value, most, ok := f.bounded(x, k, down)
		if x.p != less || !ok {
			continue
		}
		// The value minus v is not negative.
		if least, gain, ok := f.sumRange(f.minus(v, value, down)); ok && least >= 0 && most+gain <= r.top {
			high = min(high, most+gain)
		}
	}
	return high
}

// bounded reads a fact as a literal upper bound: value is at most most.
func (f *facts) bounded(x fact, k kind, down bool) (value symbolic.Term, most int64, ok bool) {
	value, bound := x.a, x.b
	if x.holds == down {
		value, bound = bound, value
	}
	bits, ok := f.Bits(bound)
	if most = number(k, down, bits); x.holds {
		most-- // the operands are not equal
	}
	return value, most, ok
}

// highFloat returns an upper bound of the float v, if v is certainly a number. A failed comparison of
// floats gives no bound, since every comparison with NaN fails.
func (f *facts) highFloat(down bool, v symbolic.Term) (high float64, ok bool) {
	signed := func(bits uint32) float64 {
		if down {
			return -symbolic.Double(bits)
		}
		return symbolic.Double(bits)
	}
	if bits, ok := f.Bits(v); ok {
		x := signed(bits)
		return x, x == x
	}
	high = math.Inf(1)
	for _, x := range f.list {
		small, large := x.a, x.b
		switch {
		case !x.holds:
			continue
		case x.p == ir.PrimFGe:
			small, large = large, small
		case x.p != ir.PrimFLt:
			continue
		}
		if down {
			small, large = large, small
		}
		if bits, isBits := f.Bits(large); isBits && small == v && symbolic.Double(bits) == symbolic.Double(bits) {
			high, ok = min(high, signed(bits)), true
		}
	}
	return high, ok
}

// below returns an upper bound of the operand of exit, which compares with bound, while exit is not taken.
// possible is false if no value remains. A converted counter is compared after rounding: possible integers
// end at the last one whose float is below the bound.
func (f *facts) below(exit *test, bound symbolic.Term, r limits) (high int64, possible bool) {
	if !exit.converted {
		high = f.upperBound(exit.kind, exit.down, bound) - exit.closed()
		return high, high >= r.bottom
	}
	x, ok := f.highFloat(exit.down, bound)
	switch {
	case !ok || x > float64(r.top):
		return r.top, true
	case math.IsInf(x, -1): // all integers are beyond
		return r.bottom, false
	case x < 0 && x > -smallestNormal:
		x = 0 // it counts as 0
	}
	if exit.strict {
		x = float64(math.Nextafter32(float32(x), float32(math.Inf(1))))
	}
	// The next integer converts exactly, so no integer beyond it converts to less.
	return min(r.top, int64(math.Ceil(max(x, -math.MaxUint32)))-1), true
}

// sumRange returns the range of a sum, computed without wrapping. ok is false if the range may exceed 33 bits.
// A part without a known bound may have any value.
func (f *facts) sumRange(x symbolic.Term) (least, most int64, ok bool) {
	k, parts := f.Polynomial(x, 0)
	least, most = int64(int32(k)), int64(int32(k))
	for _, p := range parts {
		high := int64(math.MaxUint32)
		for _, x := range f.list {
			if v, bound, ok := f.bounded(x, unsigned, false); ok && x.p == ir.PrimULt && v == p.X {
				high = min(high, bound)
			}
		}
		if high > math.MaxInt32 {
			return 0, 0, false
		}
		// Both factors are less than 2^31, and there are few parts.
		if by := int64(int32(p.By)); by < 0 {
			least += max(by*high, -1<<40)
		} else {
			most += min(by*high, 1<<40)
		}
	}
	return least, most, most < 1<<33 && least > -1<<33
}
