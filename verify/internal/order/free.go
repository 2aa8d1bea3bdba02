package order

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// maxFree bounds the terms that are looked through for what they depend on.
const maxFree = 1 << 14

// varies reports whether x may be another value on another trip of the loop.
func (o *order) varies(x symbolic.Term) bool { return o.free(x, int32(^uint32(0)>>1)) }

// free reports whether x depends on the trips of the loop, or of one in it. Those of loops at least
// closed loops deep that have ended do not count: TagExit closes them. Terms beyond maxFree are taken
// to depend.
func (o *order) free(x symbolic.Term, closed int32) bool {
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
	known := len(o.bound) > maxFree || slices.ContainsFunc(args, func(y symbolic.Term) bool { return o.free(y, closed) })
	o.bound[key] = known
	return known
}

// uniform reports whether all invocations that make a trip of the loop agree on what the conditions
// are. It looks through the values that the loop carries for inputs that differ between invocations:
// constants and literals do not, of inputs those that are alike.
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
		case symbolic.TagNeg, symbolic.TagAbs, symbolic.TagNot, symbolic.TagSat, symbolic.TagAnd, symbolic.TagChoose, symbolic.TagCompare, symbolic.TagPrim, symbolic.TagTruth, symbolic.TagMask, symbolic.TagSum, symbolic.TagProduct,
			symbolic.TagField, symbolic.TagQuotient, symbolic.TagXor, symbolic.TagSigned, symbolic.TagLess:
			work = append(work, o.t.Operands(x)...)
		default:
			return false
		}
	}
	return true
}
