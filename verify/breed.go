package verify

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// This file searches for inputs that show a difference found by rung 3, if neither random inputs nor solved
// ones do. Such a difference lies behind several decisions. Inputs are then fuzzed with coverage guidance, as
// in AFL: constants, inputs and textures are set to notable numbers. A setting that makes a program do
// something new is kept and varied further. Inputs that leave different words in registers of the two
// versions also count. They infect the state, and only propagation is missing (Voas, PIE, 1992).

// notable are numbers at which programs often branch, the most frequent first.
var notable = []float32{0, 1, 0.5, -1, 2, 0.25, 0.75, -0.5, 3, 4, -2, 0.1, 0.9, 8, 10, 100, 255, -3, 0.01, 1.5, -0.25, 16, -100, 1000}

const fewNotable = 5

// wholly is a pseudo-component: it represents the whole content of a texture, an input or a memory, filled
// with notable numbers.
const wholly = 4

// breeder generates assignments, deterministically from its stream.
type breeder struct {
	symbolic.Stream
	bases  int // inputs that assignments can change
	leaves []explore.Leaf
	// value draws a number for a leaf, and base returns its value in one of the bases. shy, if set, reports
	// leaves that are rarely changed.
	value func(l explore.Leaf) uint32
	base  func(base int, l explore.Leaf) uint32
	shy   func(l explore.Leaf) bool
	kept  []specimen
	// infected are inputs that left different numbers in the two versions, but not in outputs. They are
	// sorted by spread; the last has the largest.
	infected []specimen
	queue    []specimen // tried first
}

// specimen is a fuzzing input: an assignment to leaves of a base.
type specimen struct {
	base int
	set  explore.Assignment
	// spread is the number of registers that differ at the end.
	spread int
}

// recent is the number of latest specimens that are chosen more often.
const recent = 12

// parent chooses the specimen to vary.
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

// maxInfected is the maximum number of infected specimens.
const maxInfected = 8

// keepSpecimen keeps a specimen that covers something new or infects the state.
func (b *breeder) keepSpecimen(s specimen, fresh bool) {
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

// spread counts the registers that differ.
func spread(b, a []uint64) (n int) {
	for k := range b[:min(len(b), len(a))] {
		if b[k] != a[k] {
			n++
		}
	}
	return n
}

// maxSettings is the maximum number of settings in an assignment.
const maxSettings = 64

// breed returns the next specimen: one from the queue, else a variation of a parent in one to four settings,
// sometimes crossed with another specimen.
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
			s.setLeaf(other)
		}
	}
	for range 1 + b.Below(4)*b.Below(2) {
		l := b.chooseLeaf()
		if l.Kind == ir.Result && b.Below(2) == 0 {
			l.Reg.Comp = wholly
		}
		if l.Reg.Comp != wholly && b.Below(4) == 0 { // the whole register
			v := b.chooseWord(s, l)
			for _, o := range b.leaves {
				if o.Kind == l.Kind && o.Space == l.Space && o.Reg.File == l.Reg.File && o.Reg.Index == l.Reg.Index {
					s.setLeaf(explore.Setting{Leaf: o, Bits: v})
					if b.Below(2) == 0 {
						v = b.chooseWord(s, o)
					}
				}
			}
			continue
		}
		s.setLeaf(explore.Setting{Leaf: l, Bits: b.chooseWord(s, l)})
	}
	return s
}

// chooseLeaf chooses the leaf to set, seldom a shy one.
func (b *breeder) chooseLeaf() explore.Leaf {
	l := b.leaves[b.Below(len(b.leaves))]
	if b.shy != nil && b.shy(l) && b.Below(3) > 0 {
		l = b.leaves[b.Below(len(b.leaves))]
	}
	return l
}

// setLeaf sets a leaf.
func (s *specimen) setLeaf(to explore.Setting) {
	for i := range s.set {
		if s.set[i].Leaf == to.Leaf {
			s.set[i] = to
			return
		}
	}
	s.set = append(s.set, to)
}

// chooseWord chooses a value for a leaf: the value of another leaf, its own value shifted or scaled, or mostly a
// notable number.
func (b *breeder) chooseWord(s specimen, l explore.Leaf) uint32 {
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

// remembered memoizes f by base and leaf.
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
