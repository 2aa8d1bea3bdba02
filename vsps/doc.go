// Package vsps carries Direct3D 9 programs into the IR and back, and knows what
// a vertex and a pixel program of each shader model may do and exchange.
//
// [Lift] reads one concrete program into an ir.Func: masked writes become
// per-lane values, matrix macros become dot products, subroutines are inlined,
// flow control becomes regions. [Emit] goes the other way: it inserts the moves
// that one register per operand, the read ports and the swizzle rules force,
// allocates registers and writes statements; what did not change keeps its
// spelling. [Link] matches the outputs of a vertex program to the inputs of a
// pixel program.
package vsps
