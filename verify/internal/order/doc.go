// Package order reasons about loop counters: which conditions cannot hold in a trip of a
// loop, because those that would have ended the loop before it do not ([Judge]).
package order
