// Package copyprop forwards the sources of moves: [Pass] to readers that can take them, and [Leaves] constants
// and inputs to all readers.
//
// # Copy propagation
//
// [Pass] makes instructions read the source of a move instead of the copy. It also moves saturation
// into the instruction whose result it clamps.
//
//	mov r1, -r0.yxzw          add r2, -r0.yxzw, c0
//	add r2, r1, c0
//
//	mul r0, r1, r2            mul_sat r3, r1, r2
//	mov_sat r3, r0
//
// A copy has the value of its source wherever the copy is visible, since the source is defined before it and
// SSA values never change. So terms are kept, and only encoding is a question: an operand reads one register,
// under one modifier, within the read ports. Relative reads are the exception: they depend on the current
// address register, so they stay.
//
// # Leaves
//
// Leaves forwards constants and inputs to all readers of a move of them, even if the reader cannot
// take them directly.
//
//	mov r0.w, c0.x;  texldl r1, r0, s0       one move for both, if emission
//	mov r2.w, c0.x;  texldl r3, r2, s0       can place it once
//
// Leaves never change, so reading them instead of a copy keeps the terms. The pass undoes the moves of a
// legalizing compiler, and emission adds them again with more context.
package copyprop
