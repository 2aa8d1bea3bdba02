package verify

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/lifted"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Boundary is a comparison of floats that both versions make, equal over the reals, with operands from
// different operations. Rounding may move the inputs at which its outcome changes. A position is not valid
// where that version lacks the comparison.
type Boundary struct {
	Stage         d3d9.Stage // of a pair
	Before, After asm.Pos
}

// Boundaries returns the comparisons whose boundary rounding may move, in the order of the program before.
// Only a version that is proved over the reals has any. The versions are executed again.
func (r *Report) Boundaries() []Boundary {
	if r.boundaries == nil || r.Verdict != ProvedReal {
		return nil
	}
	return r.boundaries()
}

// comparisons are the float comparisons that walks meet. A walk in the domain of terms finds operands that
// are equal bit by bit; a walk in the field finds operands that are equal over the reals.
type comparisons struct {
	shape func(id uint64) uint64 // leaves partial precision out of a term; nil in the field
	at    map[comparisonPlace]*comparison
	order []*comparison
}

// comparisonPlace is a lane of an instruction in the walk of a side.
type comparisonPlace struct {
	at         place
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
	c := w.beliefs.comparisons
	if c == nil {
		return
	}
	at := comparisonPlace{place{in, w.context}, w.beliefs.side, lane}
	x := c.at[at]
	if x == nil {
		x = &comparison{in: in, side: w.beliefs.side}
		if p, ok := w.prog.(*lifted.Program); ok {
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
		ids[i] = w.beliefs.comparisons.shape(w.dom.ID(x))
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
	if w.beliefs.comparisons == nil {
		return
	}
	switch in.Op {
	case ir.OpSlt, ir.OpSge, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFGe, ir.OpSetp:
		w.compares(in, lane, w.src[0][lane], w.src[1][lane])
	case ir.OpCmp, ir.OpSgn, ir.OpSelF:
		w.compares(in, lane, w.src[0][lane], w.dom.Literal(0))
	}
}

// movedBoundaries executes both versions as terms and in the field, with the options of the proof, and
// matches their comparisons. It returns nil if the budget does not suffice.
func (c *ladder) movedBoundaries() (list []Boundary) {
	var err error
	func() {
		defer budget.Catch(&err)
		c.parts[fieldRung] = nil
		c.spend(fieldRung)
		list, err = c.matchBoundaries(c.field.way)
	}()
	if err != nil {
		return nil
	}
	return list
}

func (c *ladder) matchBoundaries(way proofWay) ([]Boundary, error) {
	const salt = 0xb0a7d
	met := &comparisons{at: map[comparisonPlace]*comparison{}}
	opt := way.opt
	opt.reals = false
	if _, _, _, err := termsUnder(c.sides[0], c.sides[1], opt, nil, met); err != nil {
		return nil, err
	}
	met.shape = nil
	f := reals.NewField(symbolic.Mix(c.Seed^salt), c.sides[0].kernel != nil)
	var r *reals.Reals
	if way.opt.reals {
		r = reals.New(f, way.effort)
	}
	for range 2 { // all quantities are known the second time
		assumed := newBeliefs[reals.Element]()
		assumed.comparisons = met
		if _, err := executeAgain(domainOf(f, r, c.sides[:]), c.sides, way, assumed, func(int) { f.Begin() }); err != nil {
			return nil, err
		}
		if r == nil || !r.Again() {
			break
		}
	}
	return met.moved(), nil
}

// moved returns the boundaries that rounding may move. For each compared value it returns a comparison of
// before and one of after with different terms. A comparison of after without an equal one in before is a
// boundary of its own.
func (c *comparisons) moved() (list []Boundary) {
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

// comparePos orders positions.
func comparePos(a, b asm.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Offset-b.Offset, a.Col-b.Col)
}
