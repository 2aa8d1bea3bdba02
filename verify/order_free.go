package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// maxFree bounds the terms that are looked through for what they depend on.
const maxFree = 1 << 14

// varies reports whether x may be another value on another trip of the loop.
func (o *order) varies(x term) bool { return o.free(x, int32(^uint32(0)>>1)) }

// free reports whether x depends on the trips of the loop, or of one in it. Those of
// loops at least closed loops deep that have ended do not count.
func (o *order) free(x term, closed int32) bool {
	depth, args := int32(uint32(o.t.aux(x))), o.t.operands(x)
	switch o.t.tag(x) {
	case tagCarried, tagCounter, tagLoop:
		if int(depth) >= o.depth && depth < closed {
			return true
		}
		if o.t.tag(x) != tagLoop {
			return false
		}
	case tagExit:
		closed = min(closed, depth)
	}
	if len(args) == 0 || int(closed) <= o.depth {
		return false
	}
	key := [2]int32{int32(x), closed}
	if is, ok := o.bound[key]; ok {
		return is
	}
	is := len(o.bound) > maxFree || slices.ContainsFunc(args, func(y term) bool { return o.free(y, closed) })
	o.bound[key] = is
	return is
}

// uniform reports whether all invocations that make a trip of the loop agree on what the
// conditions are.
func (o *order) uniform(conds []term) bool {
	seen := map[term]bool{}
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
			work = append(work, o.trip.initial[k], o.trip.next[k])
			continue
		}
		switch o.t.tag(x) {
		case tagBits, tagUniform:
		case tagOp:
			if x != o.t.always() && ir.Op(uint8(o.t.aux(x))).Has(ir.Convergent) {
				return false
			}
			work = append(work, o.t.operands(x)...)
		case tagNeg, tagAbs, tagNot, tagSat, tagAnd, tagChoose, tagCompare, tagPrim, tagTruth, tagMask, tagSum, tagProduct:
			work = append(work, o.t.operands(x)...)
		default:
			return false
		}
	}
	return true
}
