package lanes

// Vec is one component of a register over the lanes of a batch.
type Vec [64]float32

// Code is the code of an operation in a form with some operands in scalars.
type Code uint16

// Op is an operation of a program. Dst and Src are locations of a Vec in the register file or of a number
// among the scalars. Kernels rely on this layout.
type Op struct {
	Code Code
	Comp uint8 // component whose lanes Blend writes
	Dst  int32
	Src  [8]int32
}

// VecLocation returns the location of a Vec in the register file, AtScalar that of a scalar.
func VecLocation(slot int32) int32 { return slot * 256 }
func AtScalar(i int32) int32       { return i * 4 }

// form is an operation with a bit mask of its scalar operands.
type form struct {
	code    Code
	scalars uint8
}

// ScalarForm returns the code of an operation with scalar operands in the given bits, if such a kernel exists.
func ScalarForm(c Code, scalars uint8) (Code, bool) {
	if scalars == 0 {
		return c, true
	}
	f, ok := forms[form{c, scalars}]
	return f, ok
}

// Saturating returns the operation that saturates the result of c, if it exists.
func Saturating(c Code) (Code, bool) {
	s, ok := saturating[c]
	return s, ok
}

// Set is an instruction set for kernels.
type Set uint8

// The sets in increasing order of preference. None has no kernels.
const (
	None Set = iota
	AVX2
	AVX512
)

func (s Set) String() string { return [...]string{"none", "AVX2", "AVX512"}[s] }

// BestSet returns the best set that this processor supports.
func BestSet() (best Set) {
	for _, s := range Sets() {
		best = s
	}
	return best
}
