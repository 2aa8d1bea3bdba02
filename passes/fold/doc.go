// Package fold evaluates what is known at compile time: arithmetic on literals,
// operations with a neutral operand, branches whose condition is stated, loops
// that never run.
package fold
