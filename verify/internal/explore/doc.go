// Package explore searches for inputs at the decision boundaries of programs. A [Survey] evaluates a
// function on numbers, on both sides of every branch, and records its comparisons. An [Explorer] solves for
// the leaves (inputs and constants) that make the operands equal. This is directed testing (Godefroid,
// Klarlund and Sen, DART, PLDI 2005) with a numerical solver. A wrong result only costs an execution.
//
// A [Fuzzer] generates inputs that may show a difference between two programs, if neither random inputs nor
// solved ones do. Such a difference lies behind several decisions. Inputs are fuzzed with coverage guidance, as
// in AFL: constants, inputs and textures are set to notable numbers. A setting that makes a program do
// something new is kept and varied further. Inputs that leave different words in registers of the two
// versions also count. They infect the state, and only propagation is missing (Voas, PIE, 1992).
package explore
