// Package leafprop forwards constants and inputs to all readers of a move of them, even if the reader cannot
// take them directly.
//
//	mov r0.w, c0.x;  texldl r1, r0, s0       one move for both, if emission
//	mov r2.w, c0.x;  texldl r3, r2, s0       can place it once
//
// Leaves never change, so reading them instead of a copy keeps the terms. The pass undoes the moves of a
// legalizing compiler, and emission adds them again with more context.
package leafprop
