package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// Instructions on vectors. Products are legacy products, with 0 times anything 0, unless marked _ieee.

// product returns the sum of the products of the first n components, from x on. It uses a product and then
// mads, which fixes the order of roundings.
func (l *lowering) product(a, b [4]slot, n int) slot {
	mul, mad := vecFn(mulVec), vecFn(madVec)
	if l.in.Ctl.IEEE {
		mul, mad = mulIEEEVec, madIEEEVec
	}
	sum := l.emitVector(mul, a[0], b[0])
	for c := 1; c < n; c++ {
		l.emit(vecUop(mad, sum, a[c], b[c], sum))
	}
	return sum
}

// dot returns the dot product of the first n components, in every lane.
func dot(n int) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) [4]slot {
		need := il.Lanes(1)<<n - 1
		a, b := l.operand(0, need), l.operand(1, need)
		return l.replicate(lanes, func() slot { return l.product(a, b, n) })
	}
}

// dotAdd implements dp2add: the dot product of two components plus a scalar.
func dotAdd(l *lowering, lanes il.Lanes) [4]slot {
	a, b, c := l.operand(0, 3), l.operand(1, 3), l.scalar(2)
	return l.replicate(lanes, func() slot {
		sum := l.product(a, b, 2)
		l.emit(vecUop(addVec, sum, sum, c))
		return sum
	})
}

// cross returns the cross product, with 0 in w.
func cross(l *lowering, lanes il.Lanes) (results [4]slot) {
	a, b := l.operand(0, 7), l.operand(1, 7)
	for c := range 3 {
		if lanes.Has(c) {
			i, j := (c+1)%3, (c+2)%3
			results[c] = l.emitVector(subVec, l.emitVector(mulVec, a[i], b[j]), l.emitVector(mulVec, a[j], b[i]))
		}
	}
	if lanes.Has(3) {
		results[3] = l.emitVector(moveVec, l.literal(0))
	}
	return results
}

// squareRoot returns a square root, computed in float64.
func (l *lowering) squareRoot(x slot) slot { return l.emitVector(rootVec, x) }

// length returns the length of (x, y, z).
func length(l *lowering, lanes il.Lanes) [4]slot {
	a := l.operand(0, 7)
	return l.replicate(lanes, func() slot { return l.squareRoot(l.product(a, a, 3)) })
}

// distance returns the length of the difference of two vectors (x, y, z).
func distance(l *lowering, lanes il.Lanes) [4]slot {
	a, b := l.operand(0, 7), l.operand(1, 7)
	return l.replicate(lanes, func() slot {
		var d [4]slot
		for c := range 3 {
			d[c] = l.emitVector(subVec, a[c], b[c])
		}
		return l.squareRoot(l.product(d, d, 3))
	})
}

// normal divides all four components by the length of (x, y, z); _zeroop defines the result for length 0.
func normal(l *lowering, lanes il.Lanes) (results [4]slot) {
	a := l.operand(0, lanes|7)
	rsq := l.emitVector(each1(reciprocalRoot(l.in.Ctl.Zero)), l.product(a, a, 3))
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.emitVector(mulVec, a[c], rsq)
		}
	}
	return results
}

// reflection returns a - (2 a.b) b.
func reflection(l *lowering, lanes il.Lanes) (results [4]slot) {
	a, b := l.operand(0, lanes|7), l.operand(1, lanes|7)
	twice := l.emitVector(mulVec, l.product(a, b, 3), l.float(2))
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.emitVector(subVec, a[c], l.emitVector(mulVec, twice, b[c]))
		}
	}
	return results
}

// lighting implements lit: 1, the diffuse max(x, 0), the specular z of x, y and w, and 1.
func lighting(l *lowering, lanes il.Lanes) (results [4]slot) {
	a := l.operand(0, 0b1011)
	for c := range 4 {
		if !lanes.Has(c) {
			continue
		}
		switch c {
		case 1:
			results[c] = l.emitVector(maxVec, a[0], l.literal(0))
		case 2:
			results[c] = l.emitVector(each3(specular), a[0], a[1], a[3])
		default:
			results[c] = l.emitVector(moveVec, l.float(1))
		}
	}
	return results
}

// derivative returns the difference between two lanes of a quad at distance step: 1 across, 2 down. Both
// lanes of such a pair get the same result. Inactive lanes take part with the contents of their registers.
func derivative(step int) func(l *lowering, lanes il.Lanes) [4]slot {
	fn := func(d, a, _, _ []uint32) {
		for i := range d {
			d[i] = resultWord(float(a[i|step]) - float(a[i&^step]))
		}
	}
	return func(l *lowering, lanes il.Lanes) (results [4]slot) {
		if l.stage != il.Pixel {
			l.fail(l.in, "unsupported-op", "%s needs the quads of a pixel kernel", l.in.Op)
			return results
		}
		// The kernel then runs in quads, and discarded lanes continue.
		l.quads = true
		a := l.operand(0, lanes)
		for c := range 4 {
			if lanes.Has(c) {
				results[c] = l.emitVector(fn, a[c])
				l.code[len(l.code)-1].cross = true
			}
		}
		return results
	}
}

// insertion has four operands, which no vecFn takes.
func insertion(l *lowering, lanes il.Lanes) (results [4]slot) {
	var s [4][4]slot
	for i := range s {
		s[i] = l.operand(i, lanes)
	}
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.allocateTemp()
			l.emit(uop{ext: insertFields, d: [4]slot{results[c]}, s: [6]slot{s[0][c], s[1][c], s[2][c], s[3][c]}, nd: 1, ns: 4})
		}
	}
	return results
}

func insertFields(m *machine, u *uop) {
	d, width, offset, field, a := m.slotWords(u.d[0]), m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2]), m.slotWords(u.s[3])
	for i := range d {
		d[i] = bitInsert(width[i], offset[i], field[i], a[i])
	}
}
