// Package split specializes a kernel for conditions that depend only on constants. It makes a
// kernel for each combination of outcomes, so that the host decides once instead of every
// invocation. The source is Daga, Scogland and Feng, "Architecture-aware mapping and optimization
// on a 1600-core GPU", 2011.
//
// [Split] finds the branches of a kernel whose conditions are lane-wise functions of constant
// buffers and literals. It replaces the operands of such branches by their values and changes
// nothing else; passes remove the dead code. A [Table] maps constants to kernels: the host
// evaluates its expressions, or [Table.Choose] does.
package split
