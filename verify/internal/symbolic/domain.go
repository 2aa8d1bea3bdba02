package symbolic

import "github.com/shaderlift/shaderlift/ir"

// Domain is a space of symbolic values that functions are executed in. The same walk proves programs
// equal in each of them; they differ in how much algebra they know: [Terms] nearly none, the field of
// package reals that of a commutative ring, Words that of integers modulo 2^32. Adding laws to a
// domain proves more; a law that does not hold proves what is wrong.
//
// Values are functions of the input. Every operation is one as well: equal arguments give equal
// results, whatever was computed in between, or else what it gives is a weaker, more opaque value.
type Domain[T any] interface {
	// Literal is the constant with these bits, and Bits asks whether x is one.
	Literal(bits uint32) T
	Bits(x T) (uint32, bool) // see Literal
	// Opaque applies a function known only by its name, (tag, aux), to args. Equal names and
	// arguments give equal results; others do not, but for collisions in the field, which its error
	// probability counts. args is not kept.
	Opaque(tag Tag, aux uint64, args []T) T
	// Apply computes one lane of an op that has a formula, result modifiers included.
	Apply(in *ir.Instr, lane int, src *Sources[T]) T
	// Modify applies source modifiers.
	Modify(x T, m ir.LaneMod) T
	// Saturate clamps to 0..1.
	Saturate(x T) T

	// Boolean reads a value as a condition.
	Boolean(x T) T
	// Truth is whether a condition holds, where that is known.
	Truth(c T) (value, known bool)
	// Compare is the condition that c holds of a and b.
	Compare(c ir.Cond, a, b T) T
	// Conditions are values of their own kind, made by Boolean, Compare and what is below.
	Not(c T) T          // where c does not hold
	And(a, b T) T       // where both hold
	Always() T          // everywhere
	Choose(c, a, b T) T // a where c holds, else b

	// Vertices is how many vertices make an interpolated value, and Interpolate
	// makes it of theirs.
	Vertices() int
	Interpolate(k Interpolation, v []T) T // see Vertices

	// Same reports whether two values are equal for sure; then they have one ID.
	Same(a, b T) bool
	ID(x T) uint64 // see Same
	// Trips bounds the trip count that stands in for an unknown one, where loops are
	// sampled rather than proved.
	Trips(count T) int
	// Computed is told every value that an instruction gives, for domains that
	// keep account of partial precision, and returns what becomes of it.
	Computed(x T, in *ir.Instr) T
}

// Weigher is a domain that tells how many bytes it holds.
type Weigher interface {
	Weight() int // bytes
}

// Laborer is a domain whose operations take more than one step each.
type Laborer interface {
	Worked() int // steps since it was asked last
}

// Sources are the lanes an instruction reads, source modifiers applied.
type Sources[T any] [4][4]T

// Tag is the kind of an uninterpreted function.
type Tag uint8

// The kinds; those without a word are named for what of the IR they stand for.
const (
	TagInput Tag = iota + 1
	TagUniform
	TagUndef
	TagUnwritten // a varying that the vertex program does not write
	TagFresh     // a value assumed to be anything
	TagVertex    // tells vertices apart
	TagBits      // a literal without a value
	TagOp
	TagHalf
	TagNeg
	TagAbs
	TagNot
	TagSat
	TagAnd
	TagChoose
	TagCompare
	TagPrim
	TagFetch
	TagLoad
	TagLane
	TagKill
	TagLoop
	TagCarried
	TagCounter
	TagExit
	TagInterpolate
	TagBarycentric
	TagHost // what the host computes, see package preshader
	// Of kernels.
	TagTruth // whether any bit of a word is set
	TagMask  // all ones where a condition holds, else 0
	TagSum
	TagProduct
	TagMemory // what a memory op reads, and the state that it leaves
	TagState  // all that a loop carries
	TagField  // bits of a word
	TagQuotient
	TagXor
	TagSigned // shifted, keeping the sign
	TagLess
	TagEnding // what may never end
	TagWhole  // an integer that a float became
)

// FetchHalf marks a texture instruction of partial precision.
const FetchHalf = 1 << 32

// Interpolation is how a varying is interpolated. Values interpolated differently
// have nothing in common but where they come from.
type Interpolation uint8

// The ways, which add up.
const (
	// InterpColor: colours may be interpolated flat or without perspective, at the application's choice.
	InterpColor Interpolation = 1 << iota
	// InterpClamp: colours of the models before 3_0 are clamped to 0..1, as the vertex program hands them over.
	InterpClamp
	InterpCentroid
	InterpHalf
)

// Name tells apart inputs of unknown origin by how they are interpolated. Precision is
// accounted for elsewhere.
func (k Interpolation) Name() uint64 { return uint64(k&^InterpHalf) << 50 }
