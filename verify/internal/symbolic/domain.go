package symbolic

import "github.com/shaderlift/shaderlift/ir"

// Domain is a space of symbolic values in which functions are executed. The same walk proves programs equal
// in each domain. Domains differ in the laws that they apply: [Terms] has almost none, the field of package
// reals has those of a commutative ring, Words has those of integers modulo 2^32. A further law proves
// more; a wrong law proves wrong results.
//
// Values are functions of the input, and so is every operation. Equal arguments give equal results,
// independent of earlier computations; otherwise the result is a weaker, more opaque value.
type Domain[T any] interface {
	// Literal returns the constant with these bits. Bits reports whether x is one.
	Literal(bits uint32) T
	Bits(x T) (uint32, bool) // see Literal
	// Opaque applies a function known only by its name, (tag, aux), to args. Results are equal if and only
	// if names and arguments are, except for collisions in the field, which its error probability includes.
	// Opaque does not keep args.
	Opaque(tag Tag, aux uint64, args []T) T
	// Apply computes one lane of an op that has a formula, including result modifiers.
	Apply(in *ir.Instr, lane int, src *Sources[T]) T
	// Modify applies source modifiers.
	Modify(x T, m ir.LaneMod) T
	// Saturate clamps to 0..1.
	Saturate(x T) T

	// Boolean reads a value as a condition.
	Boolean(x T) T
	// Truth reports whether a condition holds, if that is known.
	Truth(c T) (value, known bool)
	// Compare returns the condition that c holds for a and b.
	Compare(c ir.Cond, a, b T) T
	// Conditions are a separate kind of value, made by Boolean, Compare and the following methods.
	Not(c T) T          // where c does not hold
	And(a, b T) T       // where both hold
	Always() T          // everywhere
	Choose(c, a, b T) T // a where c holds, else b

	// Vertices returns the number of vertex values in an interpolated value, and Interpolate computes it
	// from them.
	Vertices() int
	Interpolate(k Interpolation, v []T) T // see Vertices

	// Same reports whether two values are certainly equal; then they have the same ID.
	Same(a, b T) bool
	ID(x T) uint64 // see Same
	// Trips returns a trip count in place of an unknown one, for loops that are sampled rather than proved.
	Trips(count T) int
	// Computed receives every result of an instruction, and returns its value. Domains that track partial
	// precision use it.
	Computed(x T, in *ir.Instr) T
}

// Weigher is a domain that reports its size in bytes.
type Weigher interface {
	Weight() int // bytes
}

// Blurred is a domain in which equal values can be distinct, such as real numbers that floats compute in
// different ways.
type Blurred[T any] interface {
	Class(x T) uint64 // equal for equal values
	Blur(x T) T       // a value that is equal to x and distinct from every other
}

// Class returns the number of the equivalence class of x in dom.
func Class[T any](dom Domain[T], x T) uint64 {
	if b, ok := dom.(Blurred[T]); ok {
		return b.Class(x)
	}
	return dom.ID(x)
}

// Alike reports whether x and y are equal in dom.
func Alike[T any](dom Domain[T], x, y T) bool { return Class(dom, x) == Class(dom, y) }

// Laborer is a domain whose operations take more than one step each.
type Laborer interface {
	Worked() int // steps since the last call
}

// Sources holds the lanes that an instruction reads, with source modifiers applied.
type Sources[T any] [4][4]T

// Tag is the kind of an uninterpreted function.
type Tag uint8

// The kinds. Those without a comment are named after their IR constructs.
const (
	TagInput Tag = iota + 1
	TagUniform
	TagUndef
	TagUnwritten // a varying that the vertex program does not write
	TagFresh     // an arbitrary value
	TagVertex    // distinguishes vertices
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
	tagInterpolate
	TagBarycentric
	TagHost // value computed by the host, see package preshader
	// For kernels.
	TagTruth // whether any bit of a word is set
	TagMask  // all ones where a condition holds, else 0
	TagSum
	TagProduct
	TagMemory // result of a memory op, and the state after it
	TagState  // all values that a loop carries
	TagField  // bits of a word
	TagQuotient
	TagXor
	TagBoth   // bits that are set in all of several words
	TagSigned // an arithmetic shift
	TagLess
	TagEnding // a loop that may not end
	TagWhole  // an integer converted from a float
	TagPinned // a value that must keep its bits
	TagLocal  // a word of local memory, and its state behind a barrier
	TagThread // a function of the number of an invocation in its group
	TagExact  // a float that equals its real number
)

// FetchHalf marks a texture instruction of partial precision.
const FetchHalf = 1 << 32

// Interpolation is the way in which a varying is interpolated. Values with different ways have only their
// source in common.
type Interpolation uint8

// The ways, which may be combined.
const (
	// InterpColor marks colours, which the application may interpolate flat or without perspective.
	InterpColor Interpolation = 1 << iota
	// InterpClamp marks colours of the models before 3_0, which are clamped to 0..1 behind the vertex
	// program.
	InterpClamp
	InterpCentroid
	InterpHalf
	InterpFlat   // the value of one vertex
	InterpLinear // without perspective
	InterpSample // at each sample
)

// Name distinguishes inputs of unknown origin by their interpolation. Precision is handled elsewhere.
func (k Interpolation) Name() uint64 { return uint64(k&^InterpHalf) << 50 }
