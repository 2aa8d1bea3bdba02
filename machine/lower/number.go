package lower

import (
	"github.com/shaderlift/shaderlift/machine/mir"
)

// numbering is a local value numbering of a basic block: a hash table with linear probing. It
// replaces a map because most blocks are short and some are long. Starting a block must cost
// nothing, whatever was in the table before. Entries are small, and a short block uses only the
// first of them, so that they stay in the cache.
type numbering struct {
	places []numberedPlace
	mask   uint32 // a power of two less one: the entries in use, at least half of them empty
	list   []numbered
	piece  uint32 // entries of other blocks are empty
}

// numberedPlace is the index of an operation in the list, with a part of its hash.
type numberedPlace struct{ piece, tag, at uint32 }

type numbered struct {
	key unitKey
	val mir.Val // 0 if none, or if it was withdrawn
}

// fewestPlaces is the minimum number of entries of a block.
const fewestPlaces = 64

// begin starts an empty block.
func (n *numbering) begin() {
	n.list = n.list[:0]
	n.resetTable(fewestPlaces)
}

// resetTable empties the table and sets its size.
func (n *numbering) resetTable(places int) {
	if len(n.places) < places {
		n.places = make([]numberedPlace, places)
	}
	n.mask = uint32(places - 1)
	if n.piece++; n.piece == 0 { // after wraparound
		clear(n.places)
		n.piece = 1
	}
}

// at returns the entry of a key, a new one without a value if there is none.
func (n *numbering) at(key *unitKey) *numbered {
	if 2*len(n.list) > int(n.mask) {
		n.resetTable(2 * int(n.mask+1))
		for i := range n.list {
			p, _ := n.place(&n.list[i].key)
			p.at = uint32(i)
		}
	}
	p, known := n.place(key)
	if !known {
		p.at = uint32(len(n.list))
		n.list = append(n.list, numbered{key: *key})
	}
	return &n.list[p.at]
}

// place returns the entry of a key. If there is none, it claims an empty entry.
func (n *numbering) place(key *unitKey) (p *numberedPlace, known bool) {
	h := key.hash()
	tag := uint32(h >> 32)
	for i := uint32(h) & n.mask; ; i = (i + 1) & n.mask {
		switch p := &n.places[i]; {
		case p.piece != n.piece:
			p.piece, p.tag = n.piece, tag
			return p, false
		case p.tag == tag && n.list[p.at].key == *key:
			return p, true
		}
	}
}

// find returns the value of a key, 0 if there is none.
func (n *numbering) find(key *unitKey) mir.Val { return n.at(key).val }

// number returns the value of a key, after setting it to v if there is none.
func (n *numbering) number(key *unitKey, v mir.Val) (of mir.Val, known bool) {
	s := n.at(key)
	if s.val != 0 {
		return s.val, true
	}
	s.val = v
	return v, false
}

// set sets the value of a key; 0 withdraws it.
func (n *numbering) set(key *unitKey, v mir.Val) { n.at(key).val = v }

// hash mixes the words of a key by multiplication (Knuth, The Art of Computer Programming, volume
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
