// Package copyprop lets instructions read what a move copied instead of the copy,
// and saturation move into the instruction whose result it clamps.
// and saturation move into the instruction whose result it clamps.
//
//	mov r1, -r0.yxzw          add r2, -r0.yxzw, c0
//	add r2, r1, c0
//
//	mul r0, r1, r2            mul_sat r3, r1, r2
//	mov_sat r3, r0
//
// A copy has the value of its source wherever the copy is visible, since the source is
// defined before it and SSA values never change. So terms are kept, and only encoding
// is a question: an operand reads one register, under one modifier, within the read
// ports. The exception are relative reads, which are loads of what the address register
// holds at the time; they stay.
package copyprop
