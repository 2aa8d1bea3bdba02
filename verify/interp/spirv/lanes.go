package spirv

import "math/bits"

// laneOp is an operation on each lane of vectors alone. Exactly one of run, total and partial is set; partial reports
// whether the result is defined.
type laneOp struct {
	operands int
	run      func(m *machine, in *instr)
	total    func(a, b, c uint32) uint32
	partial  func(a, b, c uint32) (uint32, bool)
}

// totalLanes executes an operation that is defined everywhere.
func (m *machine) totalLanes(in *instr) {
	f := in.total
	for k := range in.n {
		d, a, b, c := &m.s[in.dst+k], &m.s[in.a+k*in.sa], &m.s[in.b+k*in.sb], &m.s[in.c+k*in.sc]
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			d[l] = f(a[l], b[l], c[l])
		}
	}
}

// partialLanes executes an operation whose result can be undefined. Without a filling, the result is then the word
// that the operation returns.
func (m *machine) partialLanes(in *instr) {
	for k := range in.n {
		d, a, b, c := &m.s[in.dst+k], &m.s[in.a+k*in.sa], &m.s[in.b+k*in.sb], &m.s[in.c+k*in.sc]
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			w, defined := in.partial(a[l], b[l], c[l])
			if !defined && m.env.Fill != 0 {
				w = m.undefined(in.dst+k, l)
			}
			d[l] = w
		}
	}
}

// addLanes, subLanes and mulLanes are the most frequent operations.
func addLanes(m *machine, in *instr) {
	m.floats(in, func(d, a, b *Vec) {
		for l := range d {
			d[l] = word(float(a[l]) + float(b[l]))
		}
	})
}

func subLanes(m *machine, in *instr) {
	m.floats(in, func(d, a, b *Vec) {
		for l := range d {
			d[l] = word(float(a[l]) - float(b[l]))
		}
	})
}

func mulLanes(m *machine, in *instr) {
	m.floats(in, func(d, a, b *Vec) {
		for l := range d {
			d[l] = word(float(a[l]) * float(b[l]))
		}
	})
}

// floats executes f over whole vectors and keeps the results of active lanes.
func (m *machine) floats(in *instr, f func(d, a, b *Vec)) {
	for k := range in.n {
		d, a, b := &m.s[in.dst+k], &m.s[in.a+k*in.sa], &m.s[in.b+k*in.sb]
		if m.mask == allLanes {
			f(d, a, b)
			continue
		}
		var all Vec
		f(&all, a, b)
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			d[l] = all[l]
		}
	}
}

// arrange copies words from places all over. Undefined ones have the place -1.
func (m *machine) arrange(in *instr) {
	for k, from := range in.args {
		if from < 0 {
			m.fill(in.dst+int32(k), 1)
		} else {
			m.copyWords(in.dst+int32(k), from, 1)
		}
	}
}

// extractDynamic reads a component by a dynamic index. It is undefined if the index is out of range.
func (m *machine) extractDynamic(in *instr) {
	m.each(in, func(l int) uint32 {
		if k := m.s[in.b][l]; k < uint32(in.args[0]) {
			return m.s[in.a+int32(k)][l]
		}
		return m.undefined(in.dst, l)
	})
}

// insertDynamic replaces the component with a dynamic index.
func (m *machine) insertDynamic(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		at := m.s[in.c][l]
		for k := range in.n {
			switch {
			case at >= uint32(in.n):
				m.s[in.dst+k][l] = m.undefined(in.dst+k, l)
			case uint32(k) == at:
				m.s[in.dst+k][l] = m.s[in.b][l]
			default:
				m.s[in.dst+k][l] = m.s[in.a+k][l]
			}
		}
	}
}

// anyOf and allOf reduce a vector of booleans.
func (m *machine) anyOf(in *instr) {
	m.each(in, func(l int) uint32 {
		w := uint32(0)
		for k := range in.args[0] {
			w |= m.s[in.a+k][l]
		}
		return w
	})
}

func (m *machine) allOf(in *instr) {
	m.each(in, func(l int) uint32 {
		w := uint32(1)
		for k := range in.args[0] {
			w &= m.s[in.a+k][l]
		}
		return w
	})
}

// product translates products of vectors and matrices to sums of products of words. args holds the pairs of factors of
// each result, n sums of args/2n products.
func (c *compiler) product(in *inst) {
	slot, t := c.result(in)
	a, ta := c.value(in, 0)
	b, tb := c.value(in, 1)
	var args []int32
	n := t.slots
	c.require(in, n > 0)
	add := func(i, j int) {
		c.require(in, i >= 0 && i < ta.slots && j >= 0 && j < tb.slots)
		args = append(args, a+int32(i), b+int32(j))
	}
	rows := func(m *typ) int {
		c.require(in, m.kind == kindMatrix)
		return m.elem.count
	}
	for i := range n {
		switch in.op {
		case opVectorTimesScalar, opMatrixTimesScalar:
			add(i, 0)
		case opVectorTimesMatrix:
			c.require(in, rows(tb) == ta.slots)
			for k := range ta.slots {
				add(k, i*ta.slots+k)
			}
		case opMatrixTimesVector:
			c.require(in, ta.kind == kindMatrix && ta.count == tb.slots)
			for k := range tb.slots {
				add(k*rows(ta)+i, k)
			}
		case opMatrixTimesMatrix:
			column, row := i/rows(ta), i%rows(ta)
			c.require(in, rows(tb) == ta.count)
			for k := range ta.count {
				add(k*rows(ta)+row, column*rows(tb)+k)
			}
		case opOuterProduct:
			add(i%ta.slots, i/ta.slots)
		case opDot:
			c.require(in, n == 1 && ta.slots == tb.slots)
			for k := range ta.slots {
				add(k, k)
			}
		}
	}
	c.emit(in, instr{run: (*machine).sumProducts, dst: slot, n: int32(n), args: args})
}

// sumProducts adds products from left to right, each rounded.
func (m *machine) sumProducts(in *instr) {
	each := len(in.args) / int(in.n)
	for k := range in.n {
		list := in.args[int(k)*each : int(k+1)*each]
		var sum Vec
		for i := 0; i < len(list); i += 2 {
			a, b := &m.s[list[i]], &m.s[list[i+1]]
			for l := range sum {
				p := float(a[l]) * float(b[l])
				if i > 0 {
					p = float(sum[l]) + float32(p)
				}
				sum[l] = word(p)
			}
		}
		d := &m.s[in.dst+k]
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			d[l] = sum[l]
		}
	}
}

// wide translates operations on integers with a result of two words: OpIAddCarry, OpISubBorrow, OpUMulExtended and
// OpSMulExtended.
func (c *compiler) wide(in *inst) {
	slot, t := c.result(in)
	n := t.slots / 2
	low, high := wideOps[in.op-opAddCarry][0], wideOps[in.op-opAddCarry][1]
	for i, f := range []func(a, b, c uint32) uint32{low, high} {
		c.emit(in, instr{run: (*machine).totalLanes, dst: slot + int32(i*n), n: int32(n), total: f, sa: 1, sb: 1, sc: 1,
			a: c.sized(in, 0, n), b: c.sized(in, 1, n), c: slot})
	}
}

// derivatives holds the routines for the derivatives in x and y, and their sum of magnitudes.
var derivatives = [3]func(*machine, *instr){
	func(m *machine, in *instr) { m.derive(in, func(x, _ float32) float32 { return x }) },
	func(m *machine, in *instr) { m.derive(in, func(_, y float32) float32 { return y }) },
	func(m *machine, in *instr) {
		m.derive(in, func(x, y float32) float32 { return abs32(x) + abs32(y) })
	},
}

// derive computes derivatives as differences in the row and the column of a quad. They are undefined if a fragment of
// the quad is not there.
func (m *machine) derive(in *instr, f func(x, y float32) float32) {
	for k := range in.n {
		v := m.s[in.a+k]
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask)
			dx, dy := difference(&v, l)
			m.s[in.dst+k][l] = word(f(dx, dy))
			if !m.wholeQuad(l) && m.env.Fill != 0 {
				m.s[in.dst+k][l] = m.undefined(in.dst+k, l)
			}
		}
	}
}

// difference returns the differences of a word in the row and the column of a lane.
func difference(v *Vec, l int) (dx, dy float32) {
	row, col := l&^1, l&^2
	return float(v[row|1]) - float(v[row]), float(v[col|2]) - float(v[col])
}

// wholeQuad reports whether the four fragments of a lane's quad execute the instruction.
func (m *machine) wholeQuad(l int) bool { return m.mask>>(l&^3)&15 == 15 }
