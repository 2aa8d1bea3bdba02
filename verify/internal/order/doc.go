// Package order reasons about loop counters: which conditions cannot hold in a trip of a loop, because
// those that would have ended the loop before it do not ([Judge]). It is what tells that the trips of a
// loop unrolled by four would not have ended the loop that makes one: from i+3 < n follows i < n,
// if i+3 does not wrap round. Facts are intervals and differences by literals; there is no solver.
package order
