package kernel

import "math/bits"

// mask is a set of lanes.
type mask []uint64

func (a mask) empty() bool {
	for _, w := range a {
		if w != 0 {
			return false
		}
	}
	return true
}

func (a mask) has(lane int) bool { return a[lane>>6]>>(lane&63)&1 != 0 }

func (a mask) set(lane int)   { a[lane>>6] |= 1 << (lane & 63) }
func (a mask) unset(lane int) { a[lane>>6] &^= 1 << (lane & 63) }

func (a mask) add(b mask) {
	for i := range a {
		a[i] |= b[i]
	}
}

func (a mask) remove(b mask) {
	for i := range a {
		a[i] &^= b[i]
	}
}

// contains reports whether every lane of b is in a.
func (a mask) contains(b mask) bool {
	for i := range a {
		if b[i]&^a[i] != 0 {
			return false
		}
	}
	return true
}

// eachLane calls f for the lanes in order.
func (a mask) eachLane(f func(lane int) bool) {
	for i, w := range a {
		for ; w != 0; w &= w - 1 {
			if !f(64*i + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}
