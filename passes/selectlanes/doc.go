// Package selectlanes brings lanes of several registers together by selects on literals.
//
//	add r0.xy, t0, c0                  add r0.xy, t0, c0
//	add r1.xy, t0, c1                  add r1.xy, t0, c1
//	texld r2, r0, s0                   cmp r3.xy, c2, r1, r0     c2: 1, -1
//	mov r0.x, r1                       texld r2, r0, s0
//	texld r0, r0, s0                   texld r0, r3, s0
//	texld r1, r1, s0                   texld r1, r1, s0
//
// An operand is read from one register. Lanes that were computed in several are moved into one,
// which takes a statement for each register if all of them are read again, and breaks up runs of
// fetches if one of them is written over instead. A select takes what it chooses as it is, NaN and
// zeros with their signs, so one of them makes the operand in a register of its own.
// GPUs move for nothing, so it is for what counts slots.
package selectlanes
