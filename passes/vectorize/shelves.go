package vectorize

import "math/bits"

// shelves keep the latest instructions of every key. Instructions with equal keys may be joined, judged by
// op, modifiers and registers. It is a hash table without removal, so that a search looks at few instructions
// however long the program is.
type shelves struct {
	index map[uint64]int32 // by the hash of a key, or the next free number after it
	keys  []key
	lists []shelf
}

// shelf holds the latest instructions of one key, the last one last.
type shelf struct {
	n     int
	nodes [window]int32
}

// reset empties the shelves and keeps their memory.
func (s *shelves) reset() {
	clear(s.index)
	s.keys, s.lists = s.keys[:0], s.lists[:0]
}

// shelfOf returns the number of the shelf of k, adding one if needed.
func (s *shelves) shelfOf(k *key) int32 {
	for h := k.hash(); ; h++ {
		i, ok := s.index[h]
		switch {
		case !ok:
			i = int32(len(s.keys))
			s.index[h] = i
			s.keys, s.lists = append(s.keys, *k), append(s.lists, shelf{})
			return i
		case s.keys[i] == *k:
			return i
		}
	}
}

// list returns the nodes of the shelf.
func (l *shelf) list() []int32 { return l.nodes[:l.n] }

// add appends a node, and drops the first one if there is no room.
func (l *shelf) add(n int32) {
	if l.n == window {
		copy(l.nodes[:], l.nodes[1:])
		l.n--
	}
	l.nodes[l.n] = n
	l.n++
}

// hash mixes most fields of a key.
func (k *key) hash() uint64 {
	h := mix(uint64(k.op)|uint64(k.mods)<<16|uint64(k.res.Unit)<<24|uint64(k.imm)<<32, uint64(k.base.Index))
	for i := range k.src {
		s := &k.src[i]
		h = mix(h, uint64(s.kind)|uint64(s.mod)<<4|uint64(s.reg.File)<<8|uint64(s.reg.Index)<<16|uint64(uint32(s.id))<<32)
	}
	return h
}

// mix multiplies to 128 bits and folds them (the mixing step of wyhash).
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}
