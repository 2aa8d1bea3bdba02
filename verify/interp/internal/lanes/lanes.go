package lanes

// Vec is one component of a register over the lanes of a batch.
type Vec [64]float32

// Code is an operation, in a form that has some operands in scalars.
type Code uint16

// Op is an operation of a program. Dst and Src are places: of a Vec in the register file, or
// of a number among the scalars. Kernels rely on this layout.
type Op struct {
	Code Code
	Comp uint8 // whose lanes Blend writes
	Dst  int32
	Src  [8]int32
}

// At is the place of a Vec in the register file, AtScalar that of a scalar.
func At(slot int32) int32    { return slot * 256 }
func AtScalar(i int32) int32 { return i * 4 }

// form is an operation with a bit for each operand that is a scalar.
type form struct {
	code    Code
	scalars uint8
}

// Form is the code of an operation whose operands in the given bits are scalars, if there is
// such a kernel.
func Form(c Code, scalars uint8) (Code, bool) {
	if scalars == 0 {
		return c, true
	}
	f, ok := forms[form{c, scalars}]
	return f, ok
}

// Saturating is the operation that saturates what c computes, if there is one.
func Saturating(c Code) (Code, bool) {
	s, ok := saturating[c]
	return s, ok
}

// Set is a set of instructions that kernels are made of.
type Set uint8

// The sets, the better ones last. None has no kernels.
const (
	None Set = iota
	AVX2
	AVX512
)

func (s Set) String() string { return [...]string{"none", "AVX2", "AVX512"}[s] }

// Best is the best set that this processor has.
func Best() (best Set) {
	for _, s := range Sets() {
		best = s
	}
	return best
}
