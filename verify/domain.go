package verify

import "github.com/shaderlift/shaderlift/ir"

// domain is a space of symbolic values that functions are executed in. The same
// walk proves programs equal in each of them; they differ in how much algebra they
// know: [terms] nearly none, [field] that of a commutative ring.
type domain[T any] interface {
	// literal is the constant with these bits; bits asks whether x is one.
	literal(bits uint32) T
	bits(x T) (uint32, bool)
	// call applies a function known only by its name, (tag, aux), to args. Equal
	// names and arguments give equal results, others do not. args is not kept.
	call(tag tag, aux uint64, args []T) T
	// apply computes one lane of an op that has a formula, result modifiers included.
	apply(in *ir.Instr, lane int, src *sources[T]) T
	// modify applies source modifiers.
	modify(x T, m ir.LaneMod) T
	// saturate clamps to 0..1.
	saturate(x T) T

	// Booleans. boolean reads a value as one; choose is a where c holds, else b.
	boolean(x T) T
	truth(c T) (value, known bool)
	compare(c ir.Cond, a, b T) T
	not(c T) T
	and(a, b T) T
	always() T
	choose(c, a, b T) T

	// vertices is how many vertices make an interpolated value, and interpolate
	// makes it of theirs.
	vertices() int
	interpolate(k interpolation, v []T) T

	// same reports whether two values are equal for sure; then they have one id.
	same(a, b T) bool
	id(x T) uint64
	// trips bounds the trip count that stands in for an unknown one, where loops are
	// sampled rather than proved.
	trips(count T) int
	// computed is told every value that an instruction gives, for domains that
	// keep account of partial precision, and returns what becomes of it.
	computed(x T, in *ir.Instr) T
}

// weigher is a domain that tells how many bytes it holds.
type weigher interface{ weight() int }

// laborer is a domain whose operations take more than one step each; worked is how many
// there were since it was asked last.
type laborer interface{ worked() int }

// sources are the lanes an instruction reads, source modifiers applied.
type sources[T any] [4][4]T

// tag is the kind of an uninterpreted function.
type tag uint8

const (
	tagInput tag = iota + 1
	tagUniform
	tagUndef
	tagUnwritten // a varying that the vertex program does not write
	tagFresh     // a value assumed to be anything
	tagVertex    // tells vertices apart
	tagBits      // a literal without a value
	tagOp
	tagHalf
	tagNeg
	tagAbs
	tagNot
	tagSat
	tagAnd
	tagChoose
	tagCompare
	tagPrim
	tagFetch
	tagLoad
	tagLane
	tagKill
	tagLoop
	tagCarried
	tagCounter
	tagExit
	tagInterpolate
	tagClamp
	tagBarycentric
	// Of kernels.
	tagTruth // whether any bit of a word is set
	tagMask  // all ones where a condition holds, else 0
	tagSum
	tagProduct
	tagMemory // what a memory op reads, and the state that it leaves
	tagState  // all that a loop carries
	tagField  // bits of a word
	tagQuotient
	tagXor
	tagSigned // shifted, keeping the sign
	tagLess
	tagEnding // what may never end
)

// fetchHalf marks a texture instruction of partial precision.
const fetchHalf = 1 << 32

// interpolation is how a varying is interpolated. Values interpolated differently
// have nothing in common but where they come from.
type interpolation uint8

const (
	// colours may be interpolated flat or without perspective, at the application's choice.
	interpColor interpolation = 1 << iota
	// colours of the models before 3_0 are clamped to 0..1 on the way.
	interpClamp
	interpCentroid
	interpHalf
)

// name tells apart inputs of unknown origin by how they are interpolated. Precision is
// accounted for elsewhere.
func (k interpolation) name() uint64 { return uint64(k&^interpHalf) << 50 }
