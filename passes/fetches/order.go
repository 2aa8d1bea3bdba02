package fetches

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// look is the sort key of a fetch. Fetches are sorted by ranks, which number common properties in order of
// first appearance, and then by offsets. Any order is correct; this one suits the cache.
type look struct {
	fetch   int // its position in the block
	rank    [4]int
	offsets [maxCoords]float64
}

const maxCoords = 4

// The ranks.
const (
	kindRank     = iota // units that read: fetches of different kinds share no clause
	sharedRank          // sets of resources read at the same coordinates
	resourceRank        // resources
	familyRank          // families
)

// resource is the source of a fetch.
type resource struct {
	space ir.Reg // of memory
	unit  uint8
}

// family is the fetches of a resource whose coordinates differ by literals alone.
type family struct {
	resource int
	base     [maxCoords]int
}

// spot is a point at which several resources may be read.
type spot struct {
	base    [maxCoords]int
	offsets [maxCoords]float64
}

// order sorts independent fetches of the block. The keys are the kind of unit, the set of resources that are
// read at the same points, the resource, and the row.
//
//	A[y][k], B[k][x], A[y][k+1], B[k+1][x]  ->  A[y][k], A[y][k+1], B[k][x], B[k+1][x]
func (g *gatherer) order(fetches []int) []int {
	kinds, resources, families := numbers[bool]{}, numbers[resource]{}, numbers[family]{}
	looks := make([]look, len(fetches))
	first := map[spot]int{}
	var shared union
	for i, at := range fetches {
		in := g.code[at]
		l := &looks[i]
		l.fetch = at
		var base [maxCoords]int
		base, l.offsets = g.roots.coordinates(in)
		r := resources.numberOf(resource{in.Base, in.Res.Unit})
		l.rank[kindRank] = kinds.numberOf(in.Op == ir.OpMemLoad || in.Res.Dim == ir.DimBuffer)
		l.rank[resourceRank] = r
		l.rank[familyRank] = families.numberOf(family{r, base})
		shared.grow(r + 1)
		s := spot{base, l.offsets}
		if other, ok := first[s]; ok {
			shared.uniteSets(other, r)
		} else {
			first[s] = r
		}
	}
	for i := range looks {
		looks[i].rank[sharedRank] = shared.find(looks[i].rank[resourceRank])
	}
	slices.SortStableFunc(looks, func(x, y look) int {
		if c := slices.Compare(x.rank[:], y.rank[:]); c != 0 {
			return c
		}
		for i := maxCoords - 1; i >= 0; i-- { // along a row, then the next row
			if c := cmp.Compare(x.offsets[i], y.offsets[i]); c != 0 {
				return c
			}
		}
		return 0
	})
	out := make([]int, len(looks))
	for i := range looks {
		out[i] = looks[i].fetch
	}
	return out
}

// numbers numbers keys in order of appearance, from 0.
type numbers[T comparable] map[T]int

func (n numbers[T]) numberOf(x T) int {
	if _, ok := n[x]; !ok {
		n[x] = len(n)
	}
	return n[x]
}

// union is a union-find over numbers; the least member names a set. find halves paths.
type union []int

// grow adds the numbers below n, each as a separate set.
func (u *union) grow(n int) {
	for len(*u) < n {
		*u = append(*u, len(*u))
	}
}

func (u union) find(x int) int {
	for u[x] != x {
		u[x] = u[u[x]]
		x = u[x]
	}
	return x
}

func (u union) uniteSets(x, y int) {
	x, y = u.find(x), u.find(y)
	u[max(x, y)] = min(x, y)
}

// roots numbers coordinates without their added literals: coordinates with one number differ by a known
// vector.
type roots struct {
	numbers[root]
	known map[lane]sum // cache of split: chains of sums share prefixes
}

// lane is a coordinate, read as an integer or a float, which the bits of a literal do not show.
type lane struct {
	ir.Lane
	integer bool
}

// sum is the number of a root plus literals.
type sum struct {
	id int
	by float64
}

// root is a coordinate without its literals: a value (mov), a product (mad), or the conversion of another
// root.
type root struct {
	op    ir.Op
	a, b  ir.Lane
	inner int
}

// coordinates splits each coordinate of in into the number of its root and an offset from literals. It
// ignores rounding, as offsets only sort.
func (r *roots) coordinates(in *ir.Instr) (base [maxCoords]int, offsets [maxCoords]float64) {
	n := in.Res.Dim.Coords()
	if in.Op == ir.OpMemLoad {
		n = maxCoords
		offsets[0] = float64(in.Imm) // for an array: added to the index
	}
	for i, o := range in.Res.Offset {
		offsets[i] = float64(o) / 2
	}
	integer := in.Op.Has(ir.Integers)
	for i := range n {
		if in.Src[0][i].V != nil {
			s := r.split(lane{in.Src[0][i], integer})
			base[i] = s.id
			offsets[i] += s.by
		}
	}
	return base, offsets
}

// sums are the operations that may add a literal.
var sums = map[ir.Op]struct {
	literal int     // the source that may be a literal
	sign    float64 // the sign of the literal
	integer bool
}{
	ir.OpAdd:     {1, 1, false},
	ir.OpIAdd:    {1, 1, true},
	ir.OpISub:    {1, -1, true},
	ir.OpMad:     {2, 1, false},
	ir.OpMadIEEE: {2, 1, false},
	ir.OpIMad:    {2, 1, true},
}

// split splits l into its root and the sum of its literals: x + 1 + 2 into x and 3.
func (r *roots) split(l lane) sum {
	l.Lane = copied(l.Lane)
	s, ok := r.known[l]
	if !ok {
		s = r.splitAnew(l)
		r.known[l] = s
	}
	return s
}

// splitAnew splits one sum, product or conversion, and its operands by split. A conversion of integers to
// floats keeps differences, up to rounding.
func (r *roots) splitAnew(l lane) sum {
	whole := root{op: ir.OpMov, a: l.Lane}
	d := l.V.Def
	switch {
	case l.V.Kind == ir.Literal:
		return sum{r.numberOf(root{}), literal(l)}
	case l.Mod != 0 || d == nil || len(d.Sub) > 0 || d.Mods&ir.Sat != 0 || d.IsPredicated():
		return sum{r.numberOf(whole), 0}
	case d.Op == ir.OpIToF || d.Op == ir.OpUToF:
		inner := r.split(lane{d.Src[0][l.V.Lane], true})
		return sum{r.numberOf(root{op: d.Op, inner: inner.id}), inner.by}
	}
	add, ok := sums[d.Op]
	if !ok || add.integer != l.integer {
		return sum{r.numberOf(whole), 0}
	}
	var src [3]ir.Lane
	for s := range d.Src {
		src[s] = copied(d.Src[s][l.V.Lane])
	}
	// The literal of a sum may be the first source.
	if add.literal == 1 && add.sign > 0 && src[0].V.Kind == ir.Literal {
		src[0], src[1] = src[1], src[0]
	}
	if src[add.literal].V.Kind != ir.Literal {
		return sum{r.numberOf(whole), 0}
	}
	by := add.sign * literal(lane{src[add.literal], l.integer})
	if add.literal == 2 {
		return sum{r.numberOf(root{op: d.Op, a: src[0], b: src[1]}), by}
	}
	s := r.split(lane{src[0], l.integer})
	return sum{s.id, s.by + by}
}

// copied returns the original of l, before moves.
func copied(l ir.Lane) ir.Lane {
	for from, ok := l.V.CopyOf(ir.Half); ok; from, ok = l.V.CopyOf(ir.Half) {
		l = ir.Lane{V: from.V, Mod: from.Mod.ComposeWith(l.Mod)}
	}
	return l
}

// literal returns the value of the literal lane l, including its modifiers.
func literal(l lane) float64 {
	x := float64(math.Float32frombits(l.V.Bits))
	if l.integer {
		x = float64(int32(l.V.Bits))
	}
	if l.Mod&ir.Abs != 0 {
		x = math.Abs(x)
	}
	if l.Mod&ir.Neg != 0 {
		x = -x
	}
	return x
}
