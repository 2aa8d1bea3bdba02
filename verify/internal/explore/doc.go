// Package explore searches for inputs at the decision boundaries of programs. A [Survey] evaluates a
// function on numbers, on both sides of every branch, and records its comparisons. An [Explorer] solves for
// the leaves (inputs and constants) that make the operands equal. This is directed testing (Godefroid,
// Klarlund and Sen, DART, PLDI 2005) with a numerical solver. A wrong result only costs an execution.
package explore
