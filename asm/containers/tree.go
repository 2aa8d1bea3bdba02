package containers

// tree is a canonical Huffman code: codes are ordered by length, then by symbol. The lengths alone
// determine the code, and counting decodes it: the codes of length n are the numbers from first(n)
// on, where first(n+1) = 2*(first(n) + count(n)).
type tree struct {
	count   [maxLength + 1]int // codes of each length
	symbols []uint16           // in code order
}

// buildCode builds the code with the given lengths, 0 for symbols without a code. It reports whether the
// code is complete (Kraft's sum is 1) or empty.
func (t *tree) buildCode(lengths []uint8) bool {
	*t = tree{symbols: t.symbols[:0]}
	for _, n := range lengths {
		t.count[n]++
	}
	t.count[0] = 0
	room := 1
	var next [maxLength + 2]int
	for n := 1; n <= maxLength; n++ {
		room = room<<1 - t.count[n]
		if room < 0 {
			return false
		}
		next[n+1] = next[n] + t.count[n]
	}
	total := next[maxLength+1]
	if total == 0 {
		return true
	}
	for len(t.symbols) < total {
		t.symbols = append(t.symbols, 0)
	}
	for symbol, n := range lengths {
		if n > 0 {
			t.symbols[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	return room == 0
}

// symbol returns the next symbol, or -1 if the tree is empty.
func (t *tree) symbol(b *bitReader) int {
	if len(t.symbols) == 0 {
		return -1
	}
	// Try lengths from the shortest on. code is the next n bits, first is the lowest code of length
	// n, and at counts the codes of lower lengths.
	code, first, at := 0, 0, 0
	word := int(b.peekBits(maxLength))
	for n := 1; n <= maxLength; n++ {
		code |= word >> (maxLength - n) & 1
		if k := code - first; k < t.count[n] {
			b.skipBits(uint(n))
			return int(t.symbols[at+k])
		}
		at += t.count[n]
		first = (first + t.count[n]) << 1
		code <<= 1
	}
	return -1
}
