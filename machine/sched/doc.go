// Package sched turns programs on virtual registers (package mir) into programs of the hardware
// (package asm/r600).
//
// [Schedule] cuts a program into straight-line runs (flow.go). It schedules each by list scheduling
// over its dependence graph (graph.go, queue.go, run.go). Operations are packed into groups under
// every rule of the hardware. The rules cover slots and literals (pack.go), channels (channel.go),
// read ports (ports.go), and clauses with their windows of the constant cache (clause.go).
// Operations that fit no group are split (relieve.go). Then register allocation computes live
// ranges (live.go, segments.go) and assigns registers (color.go). Finally the schedule is written
// out (write.go). [Stats] holds the counts of AMD's shader analyzer.
//
// Packing selects channels, since slots write to their own channel. Register numbers are assigned
// after packing, by interval colouring of each channel, so they never keep operations out of a
// group. The price is that scheduling can only estimate the number of registers (registerTarget,
// hoist, ahead).
//
// The rules come from the instruction set documents (R600-Family Instruction Set Architecture,
// chapter "ALU Clauses"; its successors for R700 and Evergreen), and from the open drivers where
// the documents are silent.
package sched
