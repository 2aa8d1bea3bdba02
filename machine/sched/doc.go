// Package sched makes programs of the hardware (package asm/r600) of programs on virtual
// registers (package mir).
//
// [Schedule] packs the operations of each straight piece of code into groups, by list
// scheduling over its dependences (graph.go, queue.go, run.go) under every rule that a group
// is under: slots and literals (pack.go), channels (channel.go), read ports (ports.go),
// clauses and their windows of the constant cache (clause.go). Then values get their registers: when
// they are alive (live.go, segments.go), and where (color.go). [Scheduled] is the program and
// what it was made of, [Stats] what AMD's shader analyzer counts.
package sched
