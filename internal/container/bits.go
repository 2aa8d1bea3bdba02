package container

import (
	"iter"
	"math/bits"
)

// Bits is a set of numbers from 0 to a fixed bound.
type Bits []uint64

// NewBits makes an empty set of numbers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether i is in the set.
func (s Bits) Has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// Insert adds i.
func (s Bits) Insert(i int32) { s[i>>6] |= 1 << (i & 63) }

// Remove removes i.
func (s Bits) Remove(i int32) { s[i>>6] &^= 1 << (i & 63) }

// Clone returns a copy of the set.
func (s Bits) Clone() Bits { return append(Bits(nil), s...) }

// Len returns the number of elements.
func (s Bits) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the elements in order.
func (s Bits) All() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(int32(64*i + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Union adds the elements of t and reports whether there were new ones.
func (s Bits) Union(t Bits) bool {
	grew := false
	for i, w := range t {
		if w&^s[i] != 0 {
			s[i] |= w
			grew = true
		}
	}
	return grew
}
