// Package order reasons about loop counters. [Judge] finds conditions that cannot hold in a trip of a loop,
// because the exit conditions of the loop do not hold. For example, it shows that the trips of a loop
// unrolled by four would not have left the original loop: i+3 < n implies i < n, if i+3 does not wrap.
// Facts are intervals and differences by literals; there is no solver.
package order
