package preshader

// InputsOf returns the number of inputs of op, for tests in package preshader_test.
func InputsOf(op Op) int { return ops[op].inputs }

// Constants of the package, for tests in package preshader_test.
const (
	Exp     = exp
	Log     = log
	Asin    = asin
	Acos    = acos
	Atan    = atan
	Atan2   = atan2
	Div     = div
	Movc    = movc
	Dot     = dot
	Noise   = noise
	DotSwiz = dotSwiz

	SectionOutputs = sectionOutputs
	Constants      = constants
)
