package order

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// facts are comparisons that hold, or do not, wherever a condition does, and bounds derived from them.
// down says everywhere that numbers are taken negated, so that the least becomes the greatest.
type facts struct {
	*order
	list []fact
}

// fact is that p holds of a and b, or does not.
type fact struct {
	p     ir.Prim
	a, b  symbolic.Term
	holds bool
}

// facts are what follows from c, or from its negation.
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

// limits are the least and greatest number of a kind.
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

// number is the number that bits stand for, negated if down.
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

// high is the greatest that v can be, in order k, as far as is known: a literal is itself, a value below
// a literal bound is bounded, and so is one that differs from such a value by something small.
func (f *facts) high(k kind, down bool, v symbolic.Term) int64 {
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
		// The value differs from v by something that is not negative.
		if least, gain, ok := f.span(f.minus(v, value, down)); ok && least >= 0 && most+gain <= r.top {
			high = min(high, most+gain)
		}
	}
	return high
}

// bounded reads a fact as a literal bound from above: value is at most most.
func (f *facts) bounded(x fact, k kind, down bool) (value symbolic.Term, most int64, ok bool) {
	value, bound := x.a, x.b
	if x.holds == down {
		value, bound = bound, value
	}
	bits, ok := f.Bits(bound)
	if most = number(k, down, bits); x.holds {
		most-- // they are not equal
	}
	return value, most, ok
}

// highFloat is the greatest that the float v can be, if it is a number for sure. That a comparison of
// floats does not hold says nothing, since NaN makes all fail.
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

// below is the greatest that what exit tests can be where it, comparing with bound, is not met; not
// possible if nothing is. A counter that is converted to a float is compared after rounding: the
// integers up to the last one whose float is below the bound.
func (f *facts) below(exit *test, bound symbolic.Term, r limits) (high int64, possible bool) {
	if !exit.converted {
		high = f.high(exit.kind, exit.down, bound) - exit.closed()
		return high, high >= r.bottom
	}
	x, ok := f.highFloat(exit.down, bound)
	switch {
	case !ok || x > float64(r.top):
		return r.top, true
	case math.IsInf(x, -1): // all integers are beyond
		return r.bottom, false
	case x < 0 && x > -smallestNormal:
		x = 0 // as which it counts
	}
	if exit.strict {
		x = float64(math.Nextafter32(float32(x), float32(math.Inf(1))))
	}
	// The next integer is converted exactly, and so are none from there on to anything less.
	return min(r.top, int64(math.Ceil(max(x, -math.MaxUint32)))-1), true
}

// span is between what numbers a sum lies, computed without wrapping round; not ok where they may leave
// 33 bits. A part without a known bound may be anything.
func (f *facts) span(x symbolic.Term) (least, most int64, ok bool) {
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
