package explore

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// A Leaf identifies a component of an input or constant of either stage.
type Leaf struct {
	Space uint64
	Kind  ir.Kind
	Reg   ir.Reg
}

// Assignment gives leaves values that differ from those of the current draw or launch.
type Assignment []Setting

// Setting is a leaf and its value.
type Setting struct {
	Leaf Leaf
	Bits uint32
}

// Lookup returns the value of l in a, if there is one.
func (a Assignment) Lookup(l Leaf) (uint32, bool) {
	for _, s := range a {
		if s.Leaf == l {
			return s.Bits, true
		}
	}
	return 0, false
}

func (a Assignment) withSettings(s ...Setting) Assignment { return append(slices.Clip(a), s...) }

// Explorer searches for values of leaves at the decision boundaries of programs. It makes both operands of
// a comparison equal, and then adjacent or far apart.
//
// It solves for one leaf at a time by the secant method, on the numbers that the programs compute. The
// method takes one or two steps for sums, products and conversions, whatever their operands. Sums and
// products of integers are solved by division modulo 2^32. An evaluation costs about the instructions of
// both programs; Work bounds all of them together.
type Explorer struct {
	// The caller sets Evaluate and Base. Evaluations append to Leaves. Work and First are state.
	Evaluate func(a Assignment, brief bool) *Survey // both sides, nil if there is nothing to evaluate
	Base     func(l Leaf) uint32                    // value of a leaf without an assignment
	Leaves   []Leaf                                 // in the order met
	Work     int                                    // instructions left to be evaluated
	First    int                                    // number of listed assignments for comparisons of only one side
}

// NewExplorer returns an explorer for work instructions. Base asks base once for each leaf.
func NewExplorer(work int, base func(l Leaf) uint32) *Explorer {
	known := map[Leaf]uint32{}
	return &Explorer{Work: work, Base: func(l Leaf) uint32 {
		bits, ok := known[l]
		if !ok {
			bits = base(l)
			known[l] = bits
		}
		return bits
	}}
}

// Limits of the search.
const (
	maxLeaves      = 96
	maxComparisons = 256
	leavesTried    = 4 // of a comparison
	secantSteps    = 5
)

// candidate is a comparison that depends on a leaf. at is its index in the base survey, leaf the index in
// Leaves; lone and rank are sort keys.
type candidate struct {
	at, leaf int
	mode     sense // how the leaf is read
	lone     bool
	rank     int
}

// Explore lists assignments worth an execution. The most promising come first: those for comparisons that
// only one side makes.
func (x *Explorer) Explore() []Assignment {
	base := x.survey(nil)
	if base == nil || len(base.met) == 0 {
		return nil
	}
	// The lists hold three cases each: operands equal, adjacent, and far apart.
	var lists [2][3][]Assignment // lone comparisons and others: exact, adjacent, far
	for _, c := range x.candidates(base) {
		s, ok := x.solve(base, c)
		if !ok {
			continue
		}
		for k, bits := range neighbours(c.mode, s.Bits) {
			a := x.reach(base.met[c.at].under, Assignment{{s.Leaf, bits}}, slices.Concat(lists[0][0], lists[1][0]))
			to := &lists[1]
			if c.lone {
				to = &lists[0]
			}
			to[(k+1)/2] = append(to[(k+1)/2], a)
		}
	}
	lone, rest := lists[0], lists[1]
	first := distinct(slices.Concat(lone[0], lone[1]))
	x.First = len(first)
	return distinct(slices.Concat(first, x.branches(base, slices.Concat(first, rest[0], rest[1])), lone[2], rest[0],
		rest[1], rest[2]))
}

// branches combines known settings to reach sides of branches that no single setting reaches. For every
// side under two or more decisions it combines settings that bring it nearer.
func (x *Explorer) branches(base *Survey, known []Assignment) (list []Assignment) {
	for _, under := range base.sides {
		if len(under) < 2 || base.missed(under) == 0 {
			continue
		}
		a := x.reach(under, nil, known)
		if s := x.decisions(a); len(a) > 1 && s != nil && s.missed(under) == 0 {
			list = append(list, a)
		}
	}
	return list
}

// missed returns the number of decisions in under from the first wrong one on, or 0 if control reaches the
// side.
func (s *Survey) missed(under []decision) int {
	for k, d := range under {
		if s.Holds[d.Turn] != (d.side == 0) {
			return len(under) - k
		}
	}
	return 0
}

// distinct removes duplicates and keeps the order.
func distinct(list []Assignment) []Assignment {
	var out []Assignment
	for _, a := range list {
		if !slices.ContainsFunc(out, func(b Assignment) bool { return slices.Equal(a, b) }) {
			out = append(out, a)
		}
	}
	return out
}

// survey evaluates the programs, unless the work is exhausted.
func (x *Explorer) survey(a Assignment) *Survey { return x.evaluate(a, false) }

// decisions works like survey, but the result is brief.
func (x *Explorer) decisions(a Assignment) *Survey { return x.evaluate(a, true) }

func (x *Explorer) evaluate(a Assignment, brief bool) *Survey {
	if x.Work <= 0 {
		return nil
	}
	s := x.Evaluate(a, brief)
	x.Work -= s.work + 16
	return s
}

// candidates finds the comparisons that change with each leaf, by moving the leaf by one, as a float and as
// an integer. Surveys meet comparisons in the same order for every input, so indices in them correspond.
// Lone comparisons come first, and each comparison keeps at most leavesTried leaves.
func (x *Explorer) candidates(base *Survey) (list []candidate) {
	lone := base.unmatched()
	met := make([]int, len(base.met))
	for at := range met {
		met[at] = at
	}
	slices.SortStableFunc(met, func(a, b int) int { return -compareBools(lone[a], lone[b]) })
	for i, leaf := range x.Leaves[:min(len(x.Leaves), maxLeaves)] {
		for _, mode := range []sense{asFloat, asInt} {
			s := x.survey(Assignment{{leaf, stepped(mode, x.Base(leaf))}})
			if s == nil {
				break
			}
			for _, at := range met[:min(len(met), maxComparisons)] {
				if at < len(s.met) && base.met[at].difference() != s.met[at].difference() {
					list = append(list, candidate{at, i, mode, lone[at], base.met[at].rank})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(-compareBools(a.lone, b.lone), cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at))
	})
	tried := map[int]int{}
	return slices.DeleteFunc(list, func(c candidate) bool {
		tried[c.at]++
		return tried[c.at] > leavesTried
	})
}

func oneIf(c bool) uint32 {
	if c {
		return 1
	}
	return 0
}

func compareBools(a, b bool) int { return cmp.Compare(oneIf(a), oneIf(b)) }

// stepped returns the next value of a leaf.
func stepped(mode sense, bits uint32) uint32 {
	if mode == asInt {
		return bits + 1
	}
	x := symbolic.Double(bits)
	if !(math.Abs(x) < 1<<20) {
		x = 0
	}
	return asFloat.nearestBits(x + 1)
}

// neighbours returns a value, the adjacent ones, and some farther away.
func neighbours(mode sense, bits uint32) []uint32 {
	if mode == asInt {
		return []uint32{bits, bits + 1, bits - 1, bits + 9, bits - 9}
	}
	x := math.Float32frombits(bits)
	up, down := math.Nextafter32(x, float32(math.Inf(1))), math.Nextafter32(x, float32(math.Inf(-1)))
	far := max(1, float32(math.Abs(float64(x)))/4)
	return []uint32{bits, math.Float32bits(up), math.Float32bits(down), math.Float32bits(x + far),
		math.Float32bits(x - far)}
}

// solve finds a value of a leaf at which the operands of a comparison are equal, or differ by less than a
// thousandth of their size. ok is false if there is none. Integers that depend linearly on the leaf, modulo
// 2^32, are solved exactly by one division.
func (x *Explorer) solve(base *Survey, c candidate) (Setting, bool) {
	leaf := x.Leaves[c.leaf]
	best := Setting{leaf, x.Base(leaf)}
	least := math.Abs(base.met[c.at].difference())
	at := func(bits uint32) (gap float64, equal, ok bool) {
		s := x.survey(Assignment{{leaf, bits}})
		if s == nil || c.at >= len(s.met) {
			return 0, false, false
		}
		m := &s.met[c.at]
		if gap = m.difference(); math.Abs(gap) < least || m.a == m.b {
			best, least = Setting{leaf, bits}, math.Abs(gap)
		}
		return gap, gap == 0, true
	}
	if least == 0 {
		return best, true
	}
	x0, x1 := x.Base(leaf), stepped(c.mode, x.Base(leaf))
	if m := &base.met[c.at]; m.kind != asFloat && c.mode == asInt {
		if s := x.survey(Assignment{{leaf, x1}}); s != nil && c.at < len(s.met) {
			n := &s.met[c.at]
			if by, ok := divided(m.b-m.a, (n.a-n.b)-(m.a-m.b)); ok {
				if _, equal, _ := at(x0 + by); equal {
					return best, true
				}
			}
		}
	}
	g0 := base.met[c.at].difference()
	for range secantSteps {
		g1, equal, ok := at(x1)
		if !ok || equal || g1 == g0 {
			break
		}
		p0, p1 := c.mode.value(x0), c.mode.value(x1)
		next := c.mode.nearestBits(p1 - g1*(p1-p0)/(g1-g0))
		if next == x1 {
			break
		}
		x0, g0, x1 = x1, g1, next
	}
	for _, bits := range neighbours(c.mode, best.Bits)[1:3] {
		if least != 0 {
			at(bits)
		}
	}
	scale := max(1, math.Abs(base.met[c.at].kind.value(base.met[c.at].b)))
	return best, least <= scale/1024
}

// divided returns an n with n*by = x modulo 2^32, if one exists: by is a power of two times an odd number,
// which has an inverse.
func divided(x, by uint32) (n uint32, ok bool) {
	if by == 0 {
		return 0, false
	}
	shift := bits.TrailingZeros32(by)
	if bits.TrailingZeros32(x) < shift && x != 0 {
		return 0, false
	}
	odd := by >> shift
	inverse := odd
	for range 4 { // Newton's iteration
		inverse *= 2 - odd*inverse
	}
	return (x >> shift) * inverse, true
}

// reach adds settings to a that force the decisions in under. It chooses greedily among the settings in
// known and their neighbours.
func (x *Explorer) reach(under []decision, a Assignment, known []Assignment) Assignment {
	missed := func(a Assignment) int {
		if s := x.decisions(a); s != nil {
			return s.missed(under)
		}
		return 0
	}
	if len(under) == 0 {
		return a
	}
	left := missed(a)
	for _, other := range known {
		if left == 0 {
			break
		}
		if _, taken := a.Lookup(other[0].Leaf); taken {
			continue
		}
		for _, mode := range []sense{asFloat, asInt} {
			for _, bits := range neighbours(mode, other[0].Bits) {
				with := a.withSettings(Setting{other[0].Leaf, bits})
				if n := missed(with); n < left {
					a, left = with, n
					break
				}
			}
		}
	}
	return a
}
