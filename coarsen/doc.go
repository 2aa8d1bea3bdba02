// Package coarsen has one invocation of a kernel do the work of several neighbouring ones
// (Volkov, "Unrolling parallel loops", 2011).
//
// The dataflow of the kernel is copied for each of them, with its own position, and runs in
// lockstep. How often a value has to be there follows from what it depends on: a value that
// only the coordinate across decides is there once a column of the tile, one that no
// coordinate decides once in all, loop counters included. That is what is gained: a row of
// the tile shares what a row of a matrix is fetched for.
//
// What the host has to launch instead, and where it finds which result, is what the package
// [tile] says. A unit that has been coarsened carries its tile.
package coarsen
