package lower

import (
	"github.com/shaderlift/shaderlift/machine/mir"
)

// numbering finds the result of an operation by what it computes, within a straight piece of code:
// a hash table with linear probing. It is not a map because most pieces are short and some are
// long: to begin with the next one has to cost nothing, whatever was there before.
type numbering struct {
	slots []numbered // a power of two, at least half of it empty
	used  int
	piece uint32 // entries of others are empty
}

type numbered struct {
	key   unitKey
	val   mir.Val // 0 where it was taken back
	piece uint32
}

// begin forgets everything.
func (n *numbering) begin() {
	n.used = 0
	if n.piece++; n.piece == 0 { // once round
		clear(n.slots)
		n.piece = 1
	}
}

// at is the place of a key: where it is, or the empty one where it belongs.
func (n *numbering) at(key *unitKey) *numbered {
	if 2*n.used >= len(n.slots) {
		n.grow()
	}
	mask := uint64(len(n.slots) - 1)
	for i := key.hash() & mask; ; i = (i + 1) & mask {
		if s := &n.slots[i]; s.piece != n.piece || s.key == *key {
			return s
		}
	}
}

// find is the value of a key, 0 if there is none.
func (n *numbering) find(key *unitKey) mir.Val {
	if s := n.at(key); s.piece == n.piece {
		return s.val
	}
	return 0
}

// number is the value of a key, v from now on if there is none.
func (n *numbering) number(key *unitKey, v mir.Val) (of mir.Val, known bool) {
	s := n.at(key)
	if s.piece == n.piece && s.val != 0 {
		return s.val, true
	}
	n.put(s, key, v)
	return v, false
}

// set makes v the value of a key; 0 takes it back.
func (n *numbering) set(key *unitKey, v mir.Val) {
	n.put(n.at(key), key, v)
}

func (n *numbering) put(s *numbered, key *unitKey, v mir.Val) {
	if s.piece != n.piece {
		n.used++
	}
	*s = numbered{*key, v, n.piece}
}

func (n *numbering) grow() {
	old := n.slots
	n.slots, n.used = make([]numbered, max(64, 2*len(old))), 0
	for i := range old {
		if s := &old[i]; s.piece == n.piece {
			n.set(&s.key, s.val)
		}
	}
}

// hash mixes the words of a key, by multiplication (Knuth, The Art of Computer Programming, volume
// 3, 6.4).
func (k *unitKey) hash() uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	h := uint64(k.op) << 1
	if k.clamp {
		h++
	}
	for i := range k.args {
		for _, w := range k.args[i] {
			h = (h ^ w) * golden
			h ^= h >> 32
		}
	}
	return h
}
