package verify

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Where rung 3 found a difference, and neither inputs drawn at random nor those solved for show it, it
// lies behind several decisions. Then inputs are bred, as coverage-guided fuzzers do (AFL): of settings
// of constants, inputs and textures to notable numbers those are kept that make a program do something
// that it has not done yet, and varied further. Besides, inputs count that leave different words in
// registers of the two sides: they infect the state, and what is missing is that it propagates (Voas,
// PIE, 1992).

// notable are numbers at which programs turn, the first few in particular.
var notable = []float32{0, 1, 0.5, -1, 2, 0.25, 0.75, -0.5, 3, 4, -2, 0.1, 0.9, 8, 10, 100, 255, -3, 0.01, 1.5, -0.25, 16, -100, 1000}

const fewNotable = 5

// wholly is the component that stands for all that a texture, an input or a memory holds: it
// is made up of notable numbers.
const wholly = 4

// breeder makes up assignments. All that it does follows from its stream.
type breeder struct {
	symbolic.Stream
	bases  int // inputs that assignments can change
	leaves []explore.Leaf
	// value draws a number for a leaf, base is what one of the bases gives it, and shy, if set, tells
	// the leaves that had better stay as they are.
	value func(l explore.Leaf) uint32
	base  func(base int, l explore.Leaf) uint32
	shy   func(l explore.Leaf) bool
	kept  []specimen
	// infected are those that have left different numbers on the sides, though not where
	// they show, the last ones leaving the most.
	infected []specimen
	queue    []specimen // to come first
}

// specimen is an assignment to leaves of a base.
type specimen struct {
	base int
	set  explore.Assignment
	// spread is how many registers differ in the end.
	spread int
}

// recent is how many of the last specimens are chosen more often.
const recent = 12

// parent is one to be varied.
func (b *breeder) parent() specimen {
	n := len(b.kept)
	switch {
	case n == 0 || b.Below(8) == 0:
		return specimen{base: b.Below(b.bases)}
	case len(b.infected) > 0 && b.Below(2) == 0:
		return b.infected[b.Below(len(b.infected))]
	case b.Below(2) == 0:
		return b.kept[n-1-b.Below(min(n, recent))]
	}
	return b.kept[b.Below(n)]
}

// maxInfected bounds how many of the infected are kept.
const maxInfected = 8

// note keeps what has done something new.
func (b *breeder) note(s specimen, fresh bool) {
	if fresh {
		b.kept = append(b.kept, s)
	}
	switch n := len(b.infected); {
	case s.spread == 0:
	case n < maxInfected:
		b.infected = append(b.infected, s)
	case fresh || s.spread >= b.infected[0].spread:
		b.infected[0] = s
	default:
		return
	}
	slices.SortStableFunc(b.infected, func(s, t specimen) int { return cmp.Compare(s.spread, t.spread) })
}

// spread is how many registers differ.
func spread(b, a []uint64) (n int) {
	for k := range b[:min(len(b), len(a))] {
		if b[k] != a[k] {
			n++
		}
	}
	return n
}

// maxSettings bounds an assignment.
const maxSettings = 64

// breed is a new specimen: one of the queue, else a variation of a parent, at times crossed with
// another, in one to four settings.
func (b *breeder) breed() specimen {
	if len(b.queue) > 0 {
		s := b.queue[0]
		b.queue = b.queue[1:]
		return s
	}
	s := b.parent()
	s.set = slices.Clone(s.set)
	if len(s.set) > maxSettings {
		s.set = s.set[:0]
	}
	if len(b.kept) > 0 && b.Below(6) == 0 {
		for _, other := range b.kept[b.Below(len(b.kept))].set {
			s.put(other)
		}
	}
	for range 1 + b.Below(4)*b.Below(2) {
		l := b.leaf()
		if l.Kind == ir.Result && b.Below(2) == 0 {
			l.Reg.Comp = wholly
		}
		if l.Reg.Comp != wholly && b.Below(4) == 0 { // all of the register
			v := b.word(s, l)
			for _, o := range b.leaves {
				if o.Kind == l.Kind && o.Space == l.Space && o.Reg.File == l.Reg.File && o.Reg.Index == l.Reg.Index {
					s.put(explore.Setting{Leaf: o, Bits: v})
					if b.Below(2) == 0 {
						v = b.word(s, o)
					}
				}
			}
			continue
		}
		s.put(explore.Setting{Leaf: l, Bits: b.word(s, l)})
	}
	return s
}

// leaf is one to be set: seldom one of those that had better stay as they are.
func (b *breeder) leaf() explore.Leaf {
	l := b.leaves[b.Below(len(b.leaves))]
	if b.shy != nil && b.shy(l) && b.Below(3) > 0 {
		l = b.leaves[b.Below(len(b.leaves))]
	}
	return l
}

// put sets a leaf.
func (s *specimen) put(to explore.Setting) {
	for i := range s.set {
		if s.set[i].Leaf == to.Leaf {
			s.set[i] = to
			return
		}
	}
	s.set = append(s.set, to)
}

// word is a value for a leaf: what another leaf holds, its own value moved a little or scaled, or
// mostly a notable number.
func (b *breeder) word(s specimen, l explore.Leaf) uint32 {
	if l.Reg.Comp == wholly {
		return uint32(b.Next())
	}
	holds := func(l explore.Leaf) uint32 {
		if bits, ok := s.set.Lookup(l); ok {
			return bits
		}
		return b.base(s.base, l)
	}
	switch b.Below(8) {
	case 0:
		return holds(b.leaves[b.Below(len(b.leaves))])
	case 1, 2:
		x := math.Float32frombits(holds(l))
		by := [...]float32{-x, 2 * x, x / 2, x + 1, x - 1, 1 - x, 16 * x, x / 16, x + 0.01, x * x}
		return math.Float32bits(by[b.Below(len(by))])
	}
	return b.value(l)
}

// remembered is f, asked once for each base and leaf.
func remembered(f func(base int, l explore.Leaf) uint32) func(base int, l explore.Leaf) uint32 {
	type key struct {
		base int
		leaf explore.Leaf
	}
	known := map[key]uint32{}
	return func(base int, l explore.Leaf) uint32 {
		w, ok := known[key{base, l}]
		if !ok {
			w = f(base, l)
			known[key{base, l}] = w
		}
		return w
	}
}
