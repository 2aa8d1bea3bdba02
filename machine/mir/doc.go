// Package mir is the machine IR: programs of hardware operations on virtual registers of
// one channel, in regions of structured control flow. Package lower makes them of kernels,
// package draw of Direct3D 9 programs, and package sched takes them apart into groups.
//
// What an operation is, the slots that it takes in a family and the operands it has are
// facts of package asm/r600. Here is what is said of them before anything has a place:
// which value is where, which share a register ([Code.Tie]), which channel they want, and
// which accesses to memory keep their order ([Access]). [Code.Complete] checks a program
// for a chip.
package mir
