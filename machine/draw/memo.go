package draw

import (
	"math"
	"sync"
)

// Memo caches the loads of programs, so that draws with a common program count it once. It also
// keeps the analyses of the last programs. A Memo is not safe for concurrent use.
type Memo struct {
	// Loads holds the loads. Several memos may share it. If nil, the first use makes one.
	Loads *Loads
	sides [2][recent]known // vertex and pixel programs, latest first
}

// Loads caches the loads of programs. It is safe for concurrent use, and keeps at most maxLoads. The zero
// value is empty.
type Loads struct {
	lock  sync.Mutex
	known map[question]answer
}

// maxLoads limits a cache to 4 MB. A pair takes about 60 loads.
const maxLoads = 1 << 14

// find returns the answer to a question, if it is known.
func (l *Loads) find(q question) (a answer, known bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	a, known = l.known[q]
	return a, known
}

// keep stores an answer. A full cache is emptied first.
func (l *Loads) keep(q question, a answer) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.known == nil || len(l.known) == maxLoads {
		l.known = map[question]answer{}
	}
	l.known[q] = a
}

// recent is the number of kept programs: versions are compared with their originals.
const recent = 2

// maxKept is the largest kept program, in nodes of its graphs. A program of 50,000 instructions
// takes more than 100 MB, for the rest of the run.
const maxKept = 1 << 16

// nodes counts the nodes of all graphs of a program.
func (s *side) nodes() (n int) {
	for _, g := range s.memory.graphs[:s.memory.used] {
		n += len(g.nodes)
	}
	return n
}

// known is a program by its fingerprint.
type known struct {
	print [2]uint64
	*side
}

// takeSide removes and returns the program of a fingerprint, which is not in the memo while it is in
// use; nil if unknown.
func (m *Memo) takeSide(i int, print [2]uint64) *side {
	list := &m.sides[i]
	for k := range list {
		if s := list[k].side; s != nil && list[k].print == print {
			list[k].side = nil
			return s
		}
	}
	return nil
}

// store stores a program in a free entry, or else in place of the least recently used one. It
// releases programs without a fingerprint and very large ones.
func (m *Memo) store(i int, print [2]uint64, s *side) {
	if print == [2]uint64{} || s.nodes() > maxKept {
		s.release()
		return
	}
	list := &m.sides[i]
	k := 0
	for k < recent-1 && list[k].side != nil {
		k++
	}
	list[k].side.release()
	copy(list[1:k+1], list[:k])
	list[0] = known{print, s}
}

// Close releases the programs.
func (m *Memo) Close() {
	for i := range m.sides {
		for k := range m.sides[i] {
			m.sides[i][k].side.release()
			m.sides[i][k].side = nil
		}
	}
}

// release returns the memory of s to the pool.
func (s *side) release() {
	if s != nil {
		memories.Put(s.memory)
	}
}

// question identifies a count: the content of a program and the charges of a target. Targets with
// equal charges share answers.
type question struct {
	charges any // scalars or vectors, one for each target, or groups, which some share
	content [2]uint64
}

type answer struct {
	loads
	operations int
}

// stageLoad returns the load of a stage on a target, and its number of operations.
func (m *Memo) stageLoad(t *Target, s *stage) (Load, int) {
	q := question{charges: t.charges(), content: s.content()}
	if m.Loads == nil {
		m.Loads = new(Loads)
	}
	a, known := m.Loads.find(q)
	if !known {
		a.loads, a.operations = t.stageLoad(s)
		m.Loads.keep(q, a)
	}
	return a.loads[s.by], a.operations
}

// charges returns a key that is equal for targets on which programs have the same load.
func (t *Target) charges() any {
	switch {
	case t.vectors != nil:
		return t.vectors
	case t.groups != nil:
		return *t.groups
	}
	return t.scalars
}

// content returns a 128-bit hash of all inputs of loads. Collisions need not be considered.
func (s *stage) content() [2]uint64 {
	if s.hash != [2]uint64{} {
		return s.hash
	}
	h := [2]uint64{0x243f6a8885a308d3, 0x13198a2e03707344}
	word := func(w uint64) {
		h[0] = (h[0] ^ h[0]>>32 ^ w) * 0x9e3779b97f4a7c15
		h[1] = (h[1]^h[1]>>29)*0xbf58476d1ce4e5b9 + w
	}
	flag := func(ok bool) (bit uint64) {
		if ok {
			bit = 1
		}
		return bit
	}
	read := func(a arg) { word(uint64(a.n)<<8 | uint64(a.mod)) }
	word(uint64(s.fusedBy)<<2 | flag(s.pixel)<<1 | flag(s.graph.vectors))
	for i := range s.nodes {
		n := &s.nodes[i]
		word(uint64(n.bits)<<32 | uint64(n.kind)<<24 | uint64(n.prim)<<16 | uint64(n.op)<<8 | uint64(n.width))
		word(uint64(n.reg.Index)<<48 | uint64(n.reg.File)<<40 | uint64(n.reg.Comp)<<32 | uint64(n.res.Unit)<<24 | uint64(n.res.Dim)<<16 | uint64(n.step))
		word(uint64(n.vector)<<32 | uint64(n.block))
		word(uint64(n.rate)<<40 | uint64(len(n.args))<<16 | uint64(n.lane)<<8 | flag(s.live[i]))
		for _, a := range n.args {
			read(a)
		}
	}
	for _, o := range s.outs {
		word(uint64(o.reg.Index)<<48 | uint64(o.reg.File)<<40 | uint64(o.reg.Comp)<<32)
		read(o.arg)
	}
	for _, at := range s.effects {
		word(uint64(at))
	}
	for _, runs := range s.rates {
		for _, x := range runs {
			word(math.Float64bits(x))
		}
	}
	s.hash = h
	return h
}
