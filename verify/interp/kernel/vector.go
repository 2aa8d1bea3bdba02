package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// Instructions on vectors. Products are legacy ones, with 0 times anything 0, unless
// spelt _ieee.

// product is the sum of the products of the first n components, from x on: a product, and a mad for
// each other one, so that the order of roundings is fixed.
func (l *lowering) product(a, b [4]slot, n int) slot {
	mul, mad := vecFn(mulVec), vecFn(madVec)
	if l.in.Ctl.IEEE {
		mul, mad = mulIEEEVec, madIEEEVec
	}
	sum := l.vec(mul, a[0], b[0])
	for c := 1; c < n; c++ {
		l.emit(vecUop(mad, sum, a[c], b[c], sum))
	}
	return sum
}

// dot is the product of the first n components, in every lane; dotAdd that of two and a scalar.
func dot(n int) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) [4]slot {
		need := il.Lanes(1)<<n - 1
		a, b := l.operand(0, need), l.operand(1, need)
		return l.replicate(lanes, func() slot { return l.product(a, b, n) })
	}
}

// dotAdd is the product of two components and a scalar: dp2add.
func dotAdd(l *lowering, lanes il.Lanes) [4]slot {
	a, b, c := l.operand(0, 3), l.operand(1, 3), l.scalar(2)
	return l.replicate(lanes, func() slot {
		sum := l.product(a, b, 2)
		l.emit(vecUop(addVec, sum, sum, c))
		return sum
	})
}

// cross is the cross product; it leaves 0 in w.
func cross(l *lowering, lanes il.Lanes) (results [4]slot) {
	a, b := l.operand(0, 7), l.operand(1, 7)
	for c := range 3 {
		if lanes.Has(c) {
			i, j := (c+1)%3, (c+2)%3
			results[c] = l.vec(subVec, l.vec(mulVec, a[i], b[j]), l.vec(mulVec, a[j], b[i]))
		}
	}
	if lanes.Has(3) {
		results[3] = l.vec(moveVec, l.literal(0))
	}
	return results
}

// root is a square root, computed in float64.
func (l *lowering) root(x slot) slot { return l.vec(rootVec, x) }

// length is that of x, y and z.
func length(l *lowering, lanes il.Lanes) [4]slot {
	a := l.operand(0, 7)
	return l.replicate(lanes, func() slot { return l.root(l.product(a, a, 3)) })
}

// distance is the length of the difference of x, y and z.
func distance(l *lowering, lanes il.Lanes) [4]slot {
	a, b := l.operand(0, 7), l.operand(1, 7)
	return l.replicate(lanes, func() slot {
		var d [4]slot
		for c := range 3 {
			d[c] = l.vec(subVec, a[c], b[c])
		}
		return l.root(l.product(d, d, 3))
	})
}

// normal divides by the length of x, y and z, all four components alike; _zeroop says what it gives for 0.
func normal(l *lowering, lanes il.Lanes) (results [4]slot) {
	a := l.operand(0, lanes|7)
	rsq := l.vec(each1(reciprocalRoot(l.in.Ctl.Zero)), l.product(a, a, 3))
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.vec(mulVec, a[c], rsq)
		}
	}
	return results
}

// reflection is a - (2 a.b) b.
func reflection(l *lowering, lanes il.Lanes) (results [4]slot) {
	a, b := l.operand(0, lanes|7), l.operand(1, lanes|7)
	twice := l.vec(mulVec, l.product(a, b, 3), l.float(2))
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.vec(subVec, a[c], l.vec(mulVec, twice, b[c]))
		}
	}
	return results
}

// lighting is lit: 1, the diffuse max(x, 0), the specular z of x, y and w, and 1.
func lighting(l *lowering, lanes il.Lanes) (results [4]slot) {
	a := l.operand(0, 0b1011)
	for c := range 4 {
		if !lanes.Has(c) {
			continue
		}
		switch c {
		case 1:
			results[c] = l.vec(maxVec, a[0], l.literal(0))
		case 2:
			results[c] = l.vec(each3(specular), a[0], a[1], a[3])
		default:
			results[c] = l.vec(moveVec, l.float(1))
		}
	}
	return results
}

// derivative is the difference between the two lanes of a quad that step apart: 1 across, 2 down. Both
// lanes of such a pair get the same. Lanes that are not active take part with what their registers
// hold.
func derivative(step int) func(l *lowering, lanes il.Lanes) [4]slot {
	fn := func(d, a, _, _ []uint32) {
		for i := range d {
			d[i] = word(float(a[i|step]) - float(a[i&^step]))
		}
	}
	return func(l *lowering, lanes il.Lanes) (results [4]slot) {
		if l.stage != il.Pixel {
			l.fail(l.in, "unsupported-op", "%s needs the quads of a pixel kernel", l.in.Op)
			return results
		}
		// The kernel runs in quads then, and discarded lanes go on.
		l.quads = true
		a := l.operand(0, lanes)
		for c := range 4 {
			if lanes.Has(c) {
				results[c] = l.vec(fn, a[c])
				l.code[len(l.code)-1].cross = true
			}
		}
		return results
	}
}

// insertion takes four operands, which no vecFn does.
func insertion(l *lowering, lanes il.Lanes) (results [4]slot) {
	var s [4][4]slot
	for i := range s {
		s[i] = l.operand(i, lanes)
	}
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.temp()
			l.emit(uop{ext: insertFields, d: [4]slot{results[c]}, s: [6]slot{s[0][c], s[1][c], s[2][c], s[3][c]}, nd: 1, ns: 4})
		}
	}
	return results
}

func insertFields(m *machine, u *uop) {
	d, width, offset, field, a := m.vec(u.d[0]), m.vec(u.s[0]), m.vec(u.s[1]), m.vec(u.s[2]), m.vec(u.s[3])
	for i := range d {
		d[i] = bitInsert(width[i], offset[i], field[i], a[i])
	}
}
