package explore

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Notable are numbers at which programs often branch, the most frequent first.
var Notable = []float32{0, 1, 0.5, -1, 2, 0.25, 0.75, -0.5, 3, 4, -2, 0.1, 0.9, 8, 10, 100, 255, -3, 0.01, 1.5, -0.25,
	16, -100, 1000}

// FewNotable is the number of the most frequent ones.
const FewNotable = 5

// Whole is a pseudo-component: it represents the whole content of a texture, an input or a memory, filled
// with notable numbers.
const Whole = 4

// Fuzzer generates assignments, deterministically from its stream.
type Fuzzer struct {
	symbolic.Stream
	Bases  int // inputs that assignments can change
	Leaves []Leaf
	// Value draws a number for a leaf, and Base returns its value in one of the bases. Shy, if set, reports
	// leaves that are rarely changed.
	Value func(l Leaf) uint32
	Base  func(base int, l Leaf) uint32
	Shy   func(l Leaf) bool
	kept  []Seed
	// infected are inputs that left different numbers in the two versions, but not in outputs. They are
	// sorted by spread; the last has the largest.
	infected []Seed
	Queue    []Seed // tried first
}

// Seed is a fuzzing input: an assignment to leaves of a base.
type Seed struct {
	Base int
	Set  Assignment
	// Spread is the number of registers that differ at the end.
	Spread int
}

// recent is the number of latest seeds that are chosen more often.
const recent = 12

// parent chooses the seed to vary.
func (b *Fuzzer) parent() Seed {
	n := len(b.kept)
	switch {
	case n == 0 || b.Below(8) == 0:
		return Seed{Base: b.Below(b.Bases)}
	case len(b.infected) > 0 && b.Below(2) == 0:
		return b.infected[b.Below(len(b.infected))]
	case b.Below(2) == 0:
		return b.kept[n-1-b.Below(min(n, recent))]
	}
	return b.kept[b.Below(n)]
}

// maxInfected is the maximum number of infected seeds.
const maxInfected = 8

// Keep keeps a seed that covers something new or infects the state.
func (b *Fuzzer) Keep(s Seed, fresh bool) {
	if fresh {
		b.kept = append(b.kept, s)
	}
	switch n := len(b.infected); {
	case s.Spread == 0:
	case n < maxInfected:
		b.infected = append(b.infected, s)
	case fresh || s.Spread >= b.infected[0].Spread:
		b.infected[0] = s
	default:
		return
	}
	slices.SortStableFunc(b.infected, func(s, t Seed) int { return cmp.Compare(s.Spread, t.Spread) })
}

// CountDiffering counts the registers that differ.
func CountDiffering(b, a []uint64) (n int) {
	for k := range b[:min(len(b), len(a))] {
		if b[k] != a[k] {
			n++
		}
	}
	return n
}

// maxSettings is the maximum number of settings in an assignment.
const maxSettings = 64

// Generate returns the next seed: one from the queue, else a variation of a parent in one to four settings,
// sometimes crossed with another seed.
func (b *Fuzzer) Generate() Seed {
	if len(b.Queue) > 0 {
		s := b.Queue[0]
		b.Queue = b.Queue[1:]
		return s
	}
	s := b.parent()
	s.Set = slices.Clone(s.Set)
	if len(s.Set) > maxSettings {
		s.Set = s.Set[:0]
	}
	if len(b.kept) > 0 && b.Below(6) == 0 {
		for _, other := range b.kept[b.Below(len(b.kept))].Set {
			s.setLeaf(other)
		}
	}
	for range 1 + b.Below(4)*b.Below(2) {
		l := b.chooseLeaf()
		if l.Kind == ir.Result && b.Below(2) == 0 {
			l.Reg.Comp = Whole
		}
		if l.Reg.Comp != Whole && b.Below(4) == 0 { // the whole register
			v := b.chooseWord(s, l)
			for _, o := range b.Leaves {
				if o.Kind == l.Kind && o.Space == l.Space && o.Reg.File == l.Reg.File && o.Reg.Index == l.Reg.Index {
					s.setLeaf(Setting{Leaf: o, Bits: v})
					if b.Below(2) == 0 {
						v = b.chooseWord(s, o)
					}
				}
			}
			continue
		}
		s.setLeaf(Setting{Leaf: l, Bits: b.chooseWord(s, l)})
	}
	return s
}

// chooseLeaf chooses the leaf to set, seldom a shy one.
func (b *Fuzzer) chooseLeaf() Leaf {
	l := b.Leaves[b.Below(len(b.Leaves))]
	if b.Shy != nil && b.Shy(l) && b.Below(3) > 0 {
		l = b.Leaves[b.Below(len(b.Leaves))]
	}
	return l
}

// setLeaf sets a leaf.
func (s *Seed) setLeaf(to Setting) {
	for i := range s.Set {
		if s.Set[i].Leaf == to.Leaf {
			s.Set[i] = to
			return
		}
	}
	s.Set = append(s.Set, to)
}

// chooseWord chooses a value for a leaf: the value of another leaf, its own value shifted or scaled, or mostly a
// notable number.
func (b *Fuzzer) chooseWord(s Seed, l Leaf) uint32 {
	if l.Reg.Comp == Whole {
		return uint32(b.Next())
	}
	holds := func(l Leaf) uint32 {
		if bits, ok := s.Set.Lookup(l); ok {
			return bits
		}
		return b.Base(s.Base, l)
	}
	switch b.Below(8) {
	case 0:
		return holds(b.Leaves[b.Below(len(b.Leaves))])
	case 1, 2:
		x := math.Float32frombits(holds(l))
		by := [...]float32{-x, 2 * x, x / 2, x + 1, x - 1, 1 - x, 16 * x, x / 16, x + 0.01, x * x}
		return math.Float32bits(by[b.Below(len(by))])
	}
	return b.Value(l)
}

// Memoize memoizes f by base and leaf.
func Memoize(f func(base int, l Leaf) uint32) func(base int, l Leaf) uint32 {
	type key struct {
		base int
		leaf Leaf
	}
	known := map[key]uint32{}
	return func(base int, l Leaf) uint32 {
		w, ok := known[key{base, l}]
		if !ok {
			w = f(base, l)
			known[key{base, l}] = w
		}
		return w
	}
}
