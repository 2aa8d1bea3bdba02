// Package mir is the machine IR: programs of hardware operations on single-channel virtual
// registers, in regions of structured control flow. Package lower makes them from kernels, package
// draw from Direct3D 9 programs, and package sched packs them into instruction groups.
//
// Package asm/r600 defines the operations, their slots in each family and their operands. This
// package adds the constraints that hold before placement: which values share a register
// ([Code.Tie]), which channel a value needs or prefers, and which memory accesses keep their order
// ([Access]). The method [Code.Complete] checks a program for a chip.
package mir
