// Package selectlanes combines lanes of several registers by selects on literals.
//
//	add r0.xy, t0, c0                  add r0.xy, t0, c0
//	add r1.xy, t0, c1                  add r1.xy, t0, c1
//	texld r2, r0, s0                   cmp r3.xy, c2, r1, r0     c2: 1, -1
//	mov r0.x, r1                       texld r2, r0, s0
//	texld r0, r0, s0                   texld r0, r3, s0
//	texld r1, r1, s0                   texld r1, r1, s0
//
// An operand is read from one register. Lanes that were computed in several registers are moved into one.
// This takes a statement for each register if all of them are read again. If one of them is overwritten
// instead, it breaks up runs of fetches. A select passes its operands unchanged, including NaN and signed
// zeros, so one select builds the operand in a new register. On GPUs moves are free, so the pass is only for
// prices that count slots.
package selectlanes
