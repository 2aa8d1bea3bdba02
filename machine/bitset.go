package machine

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32)    { b[i>>6] &^= 1 << (i & 63) }

func (b bitset) clone() bitset { return append(bitset(nil), b...) }

// or adds the members of c and reports whether b grew.
func (b bitset) or(c bitset) bool {
	grew := false
	for i, w := range c {
		if w&^b[i] != 0 {
			b[i] |= w
			grew = true
		}
	}
	return grew
}
