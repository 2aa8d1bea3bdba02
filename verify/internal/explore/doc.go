// Package explore looks for inputs at which programs decide. A [Survey] evaluates a function on
// numbers, both sides of every branch, and notes what it compares; an [Explorer] solves for the leaves
// (inputs and constants) that make the operands equal, which is directed testing (Godefroid, Klarlund
// and Sen, DART, PLDI 2005) with a numerical solver. What it gets wrong costs an execution.
package explore
