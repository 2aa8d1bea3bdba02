package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// interpret executes straight-line micro-operations over all lanes, for operations without an assembly
// kernel (package lanes). Each case is a loop over arrays of a fixed length, which the compiler compiles
// without bounds checks. Kernels compute the same bits; TestKernels compares them.
//
// Operations without rounding (copies, comparisons, minima) end with continue. They skip the code behind
// the switch, which applies the numerics to a rounded result: random roundings and flushing of denormals.
func (m *machine) interpret(ops []uop) {
	plain := m.num.plain()
	for i := range ops {
		u := &ops[i]
		d := &m.r[u.dst]
		a, b, c := &m.r[u.src[0]], &m.r[u.src[1]], &m.r[u.src[2]]
		switch u.code {
		case uCopy:
			*d = *a
			continue
		case uNeg:
			for i := range d {
				d[i] = -a[i]
			}
			continue
		case uAbs:
			for i := range d {
				d[i] = abs32(a[i])
			}
			continue
		case uAdd:
			for i := range d {
				d[i] = a[i] + b[i]
			}
		case uSub:
			for i := range d {
				d[i] = a[i] - b[i]
			}
		// Products depend on the numerics: plain ones are IEEE 754, others are computed lane by lane.
		case uMul, uMad, uMsub, uNmsub, uDp2, uDp3, uDp4, uLrp, uCross:
			if plain {
				m.products(u, d, a, b, c)
			} else {
				m.productsUnder(u, d, a, b, c)
			}
		case uMin:
			for i := range d {
				d[i] = min32(a[i], b[i])
			}
			continue
		case uMax:
			for i := range d {
				d[i] = max32(a[i], b[i])
			}
			continue
		case uSlt:
			for i := range d {
				d[i] = oneIf(a[i] < b[i])
			}
			continue
		case uSge:
			for i := range d {
				d[i] = oneIf(a[i] >= b[i])
			}
			continue
		// cmp takes the second operand where the first is >= 0: not for NaN.
		case uCmp:
			for i := range d {
				x, y := b[i], c[i]
				if a[i] >= 0 {
					y = x
				}
				d[i] = y
			}
			continue
		case uSat:
			for i := range d {
				d[i] = saturate(a[i])
			}
			continue
		case uRange:
			for i := range d {
				d[i] = m.num.clampRange(a[i])
			}
			continue
		case uDiv:
			for i := range d {
				d[i] = a[i] / b[i]
			}
			continue
		// Lanes form quads: 0 and 1 are the upper row, 2 and 3 the lower one.
		case uDsx:
			for i := 0; i < Lanes; i += 2 {
				v := a[i+1] - a[i]
				d[i], d[i+1] = v, v
			}
		case uDsy:
			for i := 0; i < Lanes; i += 4 {
				l, r := a[i+2]-a[i], a[i+3]-a[i+1]
				d[i], d[i+1], d[i+2], d[i+3] = l, r, l, r
			}
		case uGatherConst, uGatherLoop, uGatherReg, uScatterReg:
			m.gather(u, d, a)
			continue
		// w is the mask of active lanes, limited to lanes where the predicate holds in a predicated
		// statement.
		case uBlend:
			m.blend(d, a, m.write[u.comp])
			continue
		case uSetp:
			bits, w := compare(u.cmp, a, b), m.write[u.comp]
			m.pred[u.comp] = m.pred[u.comp]&^w | bits&w
			continue
		case uKill:
			m.killed |= negative(a) & m.write[u.comp]
			continue
		case uFetch:
			m.fetch(&m.sh.fetches[u.aux])
			continue
		default:
			special(u.code, d, a, b, c)
		}
		// Exact operations have continued above, or exact reports them.
		if m.num.Scatter != 0 && !u.code.exact() {
			m.num.scatter(d)
		}
		if m.num.FlushDenormals {
			flushAll(d)
		}
	}
}

// exact reports whether an operation computes its result without rounding.
func (c ucode) exact() bool {
	switch c {
	case uFloor, uRound, uSgn:
		return true
	}
	return false
}

// products executes the multiplying operations in plain IEEE arithmetic. Conversions to float32 keep the
// compiler from fusing a product with a sum, which the Go specification otherwise allows.
func (m *machine) products(u *uop, d, a, b, c *Vec) {
	switch u.code {
	case uMul:
		for i := range d {
			d[i] = a[i] * b[i]
		}
	case uMad:
		for i := range d {
			d[i] = float32(a[i]*b[i]) + c[i]
		}
	case uMsub:
		for i := range d {
			d[i] = float32(a[i]*b[i]) - c[i]
		}
	case uNmsub:
		for i := range d {
			d[i] = c[i] - float32(a[i]*b[i])
		}
	// a*(b-c) + c, the form of the reference page, not a*b + (1-a)*c.
	case uLrp:
		for i := range d {
			d[i] = float32(a[i]*float32(b[i]-c[i])) + c[i]
		}
	case uCross:
		e := &m.r[u.src[3]]
		for i := range d {
			d[i] = float32(a[i]*b[i]) - float32(c[i]*e[i])
		}
	case uDp2:
		e, f := &m.r[u.src[3]], &m.r[u.src[4]]
		for i := range d {
			d[i] = (float32(a[i]*b[i]) + float32(c[i]*e[i])) + f[i]
		}
	case uDp3:
		e, f, g := &m.r[u.src[3]], &m.r[u.src[4]], &m.r[u.src[5]]
		for i := range d {
			d[i] = (float32(a[i]*b[i]) + float32(c[i]*e[i])) + float32(f[i]*g[i])
		}
	case uDp4:
		e, f, g := &m.r[u.src[3]], &m.r[u.src[4]], &m.r[u.src[5]]
		h, j := &m.r[u.src[6]], &m.r[u.src[7]]
		for i := range d {
			d[i] = ((float32(a[i]*b[i]) + float32(c[i]*e[i])) + float32(f[i]*g[i])) + float32(h[i]*j[i])
		}
	}
}

// productsUnder executes the multiplying operations under other numerics (fused multiply-add, zero times
// anything is zero, random roundings), lane by lane. It folds signs of differences into operands, which is
// exact.
func (m *machine) productsUnder(u *uop, d, a, b, c *Vec) {
	// s returns operand k of lane i.
	n := &m.num
	s := func(k, i int) float32 { return m.r[u.src[k]][i] }
	for i := range d {
		switch u.code {
		case uMul:
			d[i] = n.mul(a[i], b[i])
		case uMad:
			d[i] = n.mad(a[i], b[i], c[i])
		case uMsub:
			d[i] = n.mad(a[i], b[i], -c[i])
		case uNmsub:
			d[i] = n.mad(-a[i], b[i], c[i])
		case uLrp:
			d[i] = n.mad(a[i], b[i]-c[i], c[i])
		case uCross:
			// a*b - c*e
			d[i] = n.mad(-c[i], s(3, i), n.mul(a[i], b[i]))
		case uDp2:
			d[i] = n.mad(c[i], s(3, i), n.mul(a[i], b[i])) + s(4, i)
		default:
			sum := n.mad(c[i], s(3, i), n.mul(a[i], b[i]))
			sum = n.mad(s(4, i), s(5, i), sum)
			if u.code == uDp4 {
				sum = n.mad(s(6, i), s(7, i), sum)
			}
			d[i] = sum
		}
	}
}

// special executes the operations whose cost exceeds that of dispatch. numerics.go has their functions.
func special(code ucode, d, a, b, c *Vec) {
	switch code {
	case uFrc:
		for i := range d {
			d[i] = a[i] - floor32(a[i])
		}
	case uFloor:
		for i := range d {
			d[i] = floor32(a[i])
		}
	case uRound:
		for i := range d {
			d[i] = roundAway(a[i])
		}
	case uSgn:
		for i := range d {
			d[i] = sign32(a[i])
		}
	case uRcp:
		for i := range d {
			d[i] = 1 / a[i]
		}
	case uRsq:
		for i := range d {
			d[i] = rsq(a[i])
		}
	case uExp:
		for i := range d {
			d[i] = exp2(a[i])
		}
	case uLog:
		for i := range d {
			d[i] = log2(a[i])
		}
	case uPow:
		for i := range d {
			d[i] = pow(a[i], b[i])
		}
	case uSin:
		for i := range d {
			d[i] = sin32(a[i])
		}
	case uCos:
		for i := range d {
			d[i] = cos32(a[i])
		}
	case uLitZ:
		for i := range d {
			d[i] = litZ(a[i], b[i], c[i])
		}
	case uNormFactor:
		for i := range d {
			d[i] = normFactor(a[i])
		}
	}
}

// oneIf returns the result of slt and sge.
func oneIf(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// blend copies s to d in the lanes of w.
func (m *machine) blend(d, s *Vec, w uint64) {
	if w == allLanes {
		*d = *s
		return
	}
	for i := range d {
		if w>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}

// compare returns the lanes in which the comparison of a and b holds.
func compare(cmp d3d9.Cmp, a, b *Vec) (bits uint64) {
	for i := range a {
		var t bool
		switch x, y := a[i], b[i]; cmp {
		case d3d9.CmpGT:
			t = x > y
		case d3d9.CmpEQ:
			t = x == y
		case d3d9.CmpGE:
			t = x >= y
		case d3d9.CmpLT:
			t = x < y
		case d3d9.CmpNE:
			t = x != y
		case d3d9.CmpLE:
			t = x <= y
		}
		if t {
			bits |= 1 << i
		}
	}
	return bits
}

// negative returns the lanes below zero, which exclude -0 and NaN.
func negative(a *Vec) (bits uint64) {
	for i := range a {
		if a[i] < 0 {
			bits |= 1 << i
		}
	}
	return bits
}

// flushAll replaces denormals by zeros of the same sign.
func flushAll(d *Vec) {
	for i := range d {
		d[i] = flush(d[i])
	}
}

// indexOf converts an address, which is an integer, plus base to an index below n. It returns false for
// addresses that are out of range or NaN.
func indexOf(addr float32, base, n int) (int, bool) {
	// A float beyond 2^20 is not an index of any register file, and NaN fails the comparison.
	if !(math.Abs(float64(addr)) < 1<<20) {
		return 0, false
	}
	i := int(addr) + base
	return i, i >= 0 && i < n
}
