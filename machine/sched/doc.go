// Package sched makes programs of the hardware (package asm/r600) of programs on virtual registers
// (package mir).
//
// [Schedule] cuts a program into straight-line runs (flow.go) and schedules each by list scheduling
// over its dependence graph (graph.go, queue.go, run.go). Operations are packed into groups under
// every rule that a group is under: slots and literals (pack.go), channels (channel.go), read ports
// (ports.go), clauses and their windows of the constant cache (clause.go); what fits no group is
// taken apart (relieve.go). Then values get their registers: when they are alive (live.go,
// segments.go), and where (color.go). The schedule is written out (write.go); [Stats] is what AMD's
// shader analyzer counts.
//
// Channels are chosen while packing, since slots write to their own channel; registers are chosen
// after it, by interval coloring of each channel. A register number thus never keeps operations
// from a group. The price is that scheduling can only estimate how many registers it will need
// (Options.Registers, Hoist, Ahead).
//
// The rules are those of the instruction set documents (R600-Family Instruction Set Architecture,
// chapter "ALU Clauses"; its successors for R700 and Evergreen), as far as they are documented, and
// as the open drivers have them.
package sched
