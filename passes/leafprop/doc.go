// Package leafprop forwards constants and inputs into whatever reads a move of them,
// whether or not the reader can take them directly.
//
//	mov r0.w, c0.x;  texldl r1, r0, s0       one move for both, if emission
//	mov r2.w, c0.x;  texldl r3, r2, s0       can place it once
//
// Leaves never change, so reading them instead of a copy keeps the terms. It is the
// inverse of what a legalizing compiler did, and emission does it again, with more in
// sight.
package leafprop
