package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// pairVec computes a double in all lanes of a batch from up to three doubles. Each double is two slices
// with the low words first: d and s list low and high by operand. The common operations are written out
// below, because a call per lane costs more than the operation.
type pairVec func(d *[2][]uint32, s *[6][]uint32)

// joined returns the double with these words.
func joined(lo, hi uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }

// eachPair returns a loop that calls f for every lane.
func eachPair(f pairFn) pairVec {
	return func(d *[2][]uint32, s *[6][]uint32) {
		for i := range d[0] {
			w := f(joined(s[0][i], s[1][i]), joined(s[2][i], s[3][i]), joined(s[4][i], s[5][i]))
			d[0][i], d[1][i] = uint32(w), uint32(w>>32)
		}
	}
}

// daddVec, dmulVec and dmadVec are eachPair written out. Slices are cut to one length, which lets the
// compiler drop bounds checks.
func daddVec(d *[2][]uint32, s *[6][]uint32) {
	n := len(d[0])
	d0, d1, a0, a1, b0, b1 := d[0], d[1][:n], s[0][:n], s[1][:n], s[2][:n], s[3][:n]
	for i := range d0 {
		w := dadd(joined(a0[i], a1[i]), joined(b0[i], b1[i]), 0)
		d0[i], d1[i] = uint32(w), uint32(w>>32)
	}
}

func dmulVec(d *[2][]uint32, s *[6][]uint32) {
	n := len(d[0])
	d0, d1, a0, a1, b0, b1 := d[0], d[1][:n], s[0][:n], s[1][:n], s[2][:n], s[3][:n]
	for i := range d0 {
		w := dmul(joined(a0[i], a1[i]), joined(b0[i], b1[i]), 0)
		d0[i], d1[i] = uint32(w), uint32(w>>32)
	}
}

func dmadVec(d *[2][]uint32, s *[6][]uint32) {
	n := len(d[0])
	d0, d1, a0, a1, b0, b1, c0, c1 := d[0], d[1][:n], s[0][:n], s[1][:n], s[2][:n], s[3][:n], s[4][:n], s[5][:n]
	for i := range d0 {
		w := dmad(joined(a0[i], a1[i]), joined(b0[i], b1[i]), joined(c0[i], c1[i]))
		d0[i], d1[i] = uint32(w), uint32(w>>32)
	}
}

// wholePairs returns the lanes of whole pairs: x and y if either is in lanes, likewise z and w.
func wholePairs(lanes il.Lanes) il.Lanes { return lanes | lanes&5<<1 | lanes&10>>1 }

// pairs returns an instruction that applies fn to each pair, xy and zw. A mask with one word of a pair
// computes both; store writes only that word.
func pairs(fn pairVec) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) (results [4]slot) {
		lanes = wholePairs(lanes)
		n := len(l.in.Sources())
		var s [3][4]slot
		for i := range n {
			s[i] = l.operand(i, lanes)
		}
		for c := 0; c < 4; c += 2 {
			if !lanes.Has(c) {
				continue
			}
			u := uop{pair: fn, nd: 2, ns: 6}
			for i := range 3 {
				// Steps read six sources; missing ones repeat the last.
				u.s[2*i], u.s[2*i+1] = s[min(i, n-1)][c], s[min(i, n-1)][c+1]
			}
			l.emitPair(u, c, &results)
		}
		return results
	}
}

// emitPair adds a step that leaves a pair in temporaries.
func (l *lowering) emitPair(u uop, c int, results *[4]slot) {
	results[c], results[c+1] = l.allocateTemp(), l.allocateTemp()
	u.d[0], u.d[1] = results[c], results[c+1]
	l.emit(u)
}

// pairsOrZero returns an instruction on pairs that _zeroop affects.
func pairsOrZero(f func(il.ZeroOp) func(a, b, c uint64) uint64) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) [4]slot { return pairs(eachPair(f(l.in.Ctl.Zero)))(l, lanes) }
}

// compared compares two doubles, the first of each source.
func compared(f func(x, y float64) bool) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) [4]slot {
		a, b := l.operand(0, 3), l.operand(1, 3)
		return l.replicate(lanes, func() slot {
			d := l.allocateTemp()
			l.emit(uop{d: [4]slot{d}, s: [6]slot{a[0], a[1], b[0], b[1]}, nd: 1, ns: 4, ext: func(m *machine, u *uop) {
				d, a0, a1, b0, b1 := m.slotWords(u.d[0]), m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2]), m.slotWords(u.s[3])
				for i := range d {
					d[i] = boolMask(f(number(joined(a0[i], a1[i])), number(joined(b0[i], b1[i]))))
				}
			}})
			return d
		})
	}
}

// narrowed converts a double, the first of the source, to a word.
func narrowed(f func(float64) uint32) func(l *lowering, lanes il.Lanes) [4]slot {
	return func(l *lowering, lanes il.Lanes) [4]slot {
		a := l.operand(0, 3)
		return l.replicate(lanes, func() slot {
			d := l.allocateTemp()
			l.emit(uop{d: [4]slot{d}, s: [6]slot{a[0], a[1]}, nd: 1, ns: 2, ext: func(m *machine, u *uop) {
				d, lo, hi := m.slotWords(u.d[0]), m.slotWords(u.s[0]), m.slotWords(u.s[1])
				for i := range d {
					d[i] = f(number(joined(lo[i], hi[i])))
				}
			}})
			return d
		})
	}
}

// widened converts words to doubles: x to the first pair, y to the second.
func widened(f func(uint32) float64) func(l *lowering, lanes il.Lanes) [4]slot {
	fn := eachPair(func(a, _, _ uint64) uint64 { return double(f(uint32(a))) })
	return func(l *lowering, lanes il.Lanes) (results [4]slot) {
		lanes = wholePairs(lanes)
		a := l.operand(0, lanes&1|lanes>>1&2)
		for c := 0; c < 4; c += 2 {
			if lanes.Has(c) {
				x := a[c/2]
				l.emitPair(uop{pair: fn, nd: 2, ns: 6, s: [6]slot{x, x, x, x, x, x}}, c, &results)
			}
		}
		return results
	}
}

// scaledPairs implements dldexp: a double times a power of two. The exponent is an integer in the first
// lane of the pair of the second source.
func scaledPairs(l *lowering, lanes il.Lanes) (results [4]slot) {
	lanes = wholePairs(lanes)
	a, e := l.operand(0, lanes), l.operand(1, lanes)
	fn := eachPair(func(a, e, _ uint64) uint64 { return scaled(a, uint32(e)) })
	for c := 0; c < 4; c += 2 {
		if lanes.Has(c) {
			l.emitPair(uop{pair: fn, nd: 2, ns: 6, s: [6]slot{a[c], a[c+1], e[c], e[c], e[c], e[c]}}, c, &results)
		}
	}
	return results
}

// fractionExponent splits the first double of the source, as the hardware manual describes. A fraction of
// at least 1/2 is stored in z and w, an exponent in y, and 0 in x. Infinities and NaNs are unchanged, with
// exponent 0.
func fractionExponent(l *lowering, lanes il.Lanes) (results [4]slot) {
	a := l.operand(0, 3)
	var d [4]slot
	for c := range d {
		d[c] = l.allocateTemp()
		if lanes.Has(c) {
			results[c] = d[c]
		}
	}
	l.emit(uop{d: d, s: [6]slot{a[0], a[1]}, nd: 4, ns: 2, ext: func(m *machine, u *uop) {
		lo, hi := m.slotWords(u.s[0]), m.slotWords(u.s[1])
		x, y, z, w := m.slotWords(u.d[0]), m.slotWords(u.d[1]), m.slotWords(u.d[2]), m.slotWords(u.d[3])
		for i := range lo {
			f, e := math.Frexp(number(joined(lo[i], hi[i])))
			bits := double(f)
			x[i], y[i], z[i], w[i] = 0, uint32(e), uint32(bits), uint32(bits>>32)
		}
	}})
	return results
}
