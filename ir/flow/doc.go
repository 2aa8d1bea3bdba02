// Package flow turns structured code with jumps into regions of package ir. Package spvs uses it:
//
//  1. The dialect builds a tree of [Node]. An early exit from a block (continue, return, the break of a switch) is a jump
//     to its end.
//  2. [Structure] turns jumps into nested branches and, where those do not suffice, flags.
//  3. [Liveness] finds the slots that constructs pass to later code. A slot is a place that holds a value, such as a
//     component of a register.
//  4. [Lifter] walks over the tree with the current value of every slot, and emits conditionals, loops and breaks.
//
// A jump is a flag that is set and tested: structured programming has replaced goto in this way since Boehm and Jacopini
// (CACM 9(5), 1966). Flags that are literals on a path fold away, so a plain continue or return costs nothing if nesting
// alone expresses it.
//
// Package amdil has its own lift of control flow. With this liveness, conditionals with a break pass on other values and
// then need moves (TestLocalFixtures), and a kernel with 10,000 jumps exceeds the steps of the analysis.
package flow
