package fetches

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
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
	base     [maxCoords]affine.Base
}

// spot is a point at which several resources may be read.
type spot struct {
	base    [maxCoords]affine.Base
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
		var base [maxCoords]affine.Base
		base, l.offsets = g.coordinates(in)
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

// coordinates splits each coordinate of in into the base of its form and the added number. It ignores rounding, as
// offsets only sort.
func (g *gatherer) coordinates(in *ir.Instr) (base [maxCoords]affine.Base, offsets [maxCoords]float64) {
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
			a := g.forms.Of(in.Src[0][i], integer)
			base[i] = g.forms.Base(a)
			offsets[i] += a.Plus
		}
	}
	return base, offsets
}
