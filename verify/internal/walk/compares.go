package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// comparisons are the float comparisons that walks meet. A walk in the domain of terms finds operands that
// are equal bit by bit; a walk in the field finds operands that are equal over the reals.
type comparisons struct {
	shape func(id uint64) uint64 // leaves partial precision out of a term; nil in the field
	at    map[comparisonPlace]*comparison
	order []*comparison
}

// NewComparisons returns an empty record of comparisons.
func NewComparisons() *comparisons { return &comparisons{at: map[comparisonPlace]*comparison{}} }

// MatchImages makes later walks, in the field, record images of the comparisons instead of their terms.
func (c *comparisons) MatchImages() { c.shape = nil }

// comparisonPlace is a lane of an instruction in the walk of a side.
type comparisonPlace struct {
	at         Place
	side, lane int
}

// comparison is one comparison of two floats in one version.
type comparison struct {
	in    *ir.Instr
	side  int
	stage d3d9.Stage
	terms [2]uint64 // its operands
	image uint64    // of their difference, up to its sign
}

// compares records that a lane of in compares a with b.
func (w *walker[T]) compares(in *ir.Instr, lane int, a, b T) {
	c := w.beliefs.Comparisons
	if c == nil {
		return
	}
	at := comparisonPlace{Place{in, w.context}, w.beliefs.side, lane}
	x := c.at[at]
	if x == nil {
		x = &comparison{in: in, side: w.beliefs.side}
		if p, ok := w.prog.(*Program); ok {
			x.stage = p.Stage
		}
		c.at[at] = x
		c.order = append(c.order, x)
	}
	if c.shape == nil {
		x.image = w.difference(a, b)
		return
	}
	// a < b, b > a and -a > -b are one comparison.
	plus, minus := w.orderedIDs(a, b), w.orderedIDs(w.dom.Modify(a, ir.Neg), w.dom.Modify(b, ir.Neg))
	x.terms = plus
	if slices.Compare(minus[:], plus[:]) < 0 {
		x.terms = minus
	}
}

// orderedIDs returns the numbers of two terms in order.
func (w *walker[T]) orderedIDs(a, b T) (ids [2]uint64) {
	for i, x := range []T{a, b} {
		if bits, ok := w.dom.Bits(x); ok && bits<<1 == 0 {
			x = w.dom.Literal(0) // a comparison does not see the sign of zero
		}
		ids[i] = w.beliefs.Comparisons.shape(w.dom.ID(x))
	}
	if ids[1] < ids[0] {
		ids[0], ids[1] = ids[1], ids[0]
	}
	return ids
}

// difference returns the number of a-b up to its sign.
func (w *walker[T]) difference(a, b T) uint64 {
	var src symbolic.Sources[T]
	src[0][0], src[1][0] = a, w.dom.Modify(b, ir.Neg)
	d := w.dom.Apply(&sumInstr, 0, &src)
	return min(symbolic.Class(w.dom, d), symbolic.Class(w.dom, w.dom.Modify(d, ir.Neg)))
}

// sumInstr is the sum that difference executes.
var sumInstr = ir.Instr{Op: ir.OpAdd, Src: make([]ir.Operand, 2)}

// comparesLane records that a lane of in compares floats, whose operands are in w.src. A choice and a sign
// compare with 0.
func (w *walker[T]) comparesLane(in *ir.Instr, lane int) {
	if w.beliefs.Comparisons == nil {
		return
	}
	switch in.Op {
	case ir.OpSlt, ir.OpSge, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFGe, ir.OpSetp:
		w.compares(in, lane, w.src[0][lane], w.src[1][lane])
	case ir.OpCmp, ir.OpSgn, ir.OpSelF:
		w.compares(in, lane, w.src[0][lane], w.dom.Literal(0))
	}
}

// AnyNew reports whether after makes a comparison of terms that before does not compare.
func (c *comparisons) AnyNew() bool {
	known := map[[2]uint64]bool{} // terms of before
	for _, x := range c.order {
		if x.side == 0 {
			known[x.terms] = true
		}
	}
	return slices.ContainsFunc(c.order, func(x *comparison) bool { return x.side == 1 && !known[x.terms] })
}

// Moved returns the boundaries that rounding may move. For each compared value it returns a comparison of
// before and one of after with different terms. A comparison of after without an equal one in before is a
// boundary of its own.
func (c *comparisons) Moved() (list []Boundary) {
	byImage := map[uint64]*[2][]*comparison{}
	known := map[[2]uint64]bool{} // terms of before
	for _, x := range c.order {
		if byImage[x.image] == nil {
			byImage[x.image] = &[2][]*comparison{}
		}
		sides := byImage[x.image]
		sides[x.side] = append(sides[x.side], x)
		if x.side == 0 {
			known[x.terms] = true
		}
	}
	for _, x := range c.order {
		if x.side == 0 || known[x.terms] {
			continue
		}
		known[x.terms] = true // once
		b := Boundary{Stage: x.stage, After: x.in.Pos}
		if olds := byImage[x.image][0]; len(olds) > 0 {
			b.Before = olds[0].in.Pos
		}
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b Boundary) int {
		return comparePos(a.Before, b.Before)
	})
	return list
}

// Boundary is a comparison of floats that both versions make, and whose outcome rounding may move. A
// position is not valid where that version lacks the comparison.
type Boundary struct {
	Stage         d3d9.Stage // of a pair
	Before, After asm.Pos
}
