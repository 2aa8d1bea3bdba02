package words

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// maxFree bounds the number of terms searched for dependences.
const maxFree = 1 << 14

// varies reports whether x may differ between trips of the loop.
func (o *order) varies(x symbolic.Term) bool { return o.dependsOnTrip(x, int32(^uint32(0)>>1)) }

// dependsOnTrip reports whether x depends on the trips of the loop, or of a nested loop. Loops at a depth of at
// least closed have ended and do not count: TagExit closes them. Terms beyond maxFree count as dependent.
func (o *order) dependsOnTrip(x symbolic.Term, closed int32) bool {
	depth, args := int32(uint32(o.t.Aux(x))), o.t.Operands(x)
	switch o.t.Tag(x) {
	case symbolic.TagCarried, symbolic.TagCounter, symbolic.TagLoop:
		if int(depth) >= o.depth && depth < closed {
			return true
		}
		if o.t.Tag(x) != symbolic.TagLoop {
			return false
		}
	case symbolic.TagExit:
		closed = min(closed, depth)
	}
	if len(args) == 0 || int(closed) <= o.depth {
		return false
	}
	key := [2]int32{int32(x), closed}
	if known, ok := o.bound[key]; ok {
		return known
	}
	known := len(o.bound) > maxFree || slices.ContainsFunc(args,
		func(y symbolic.Term) bool { return o.dependsOnTrip(y, closed) })
	o.bound[key] = known
	return known
}

// uniform reports whether all invocations that make a trip agree on the conditions. It searches the values
// that the loop carries for inputs that differ between invocations. Constants, literals and inputs that are
// alike do not differ.
func (o *order) uniform(conds []symbolic.Term) bool {
	seen := map[symbolic.Term]bool{}
	work := slices.Clone(conds)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		if seen[x] = true; len(seen) > maxFree {
			return false
		}
		if k, carried := o.index[x]; carried {
			work = append(work, o.trip.Initial[k], o.trip.Next[k])
			continue
		}
		switch o.t.Tag(x) {
		case symbolic.TagBits, symbolic.TagUniform:
		case symbolic.TagInput:
			if !o.alike(o.t.Aux(x)) {
				return false
			}
		case symbolic.TagOp:
			if x != o.t.Always() && ir.Op(uint8(o.t.Aux(x))).Has(ir.Convergent) {
				return false
			}
			work = append(work, o.t.Operands(x)...)
		case symbolic.TagNeg, symbolic.TagAbs, symbolic.TagNot, symbolic.TagSat, symbolic.TagAnd, symbolic.TagChoose,
			symbolic.TagCompare, symbolic.TagPrim, symbolic.TagTruth, symbolic.TagMask, symbolic.TagSum, symbolic.TagProduct,
			symbolic.TagField, symbolic.TagQuotient, symbolic.TagXor, symbolic.TagBoth, symbolic.TagSigned, symbolic.TagLess:
			work = append(work, o.t.Operands(x)...)
		default:
			return false
		}
	}
	return true
}
