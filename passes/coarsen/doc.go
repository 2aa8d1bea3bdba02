// Package coarsen implements thread coarsening: one invocation of a kernel does the work of several
// neighbouring ones (Volkov, "Unrolling parallel loops", 2011).
//
// The pass copies the dataflow of the kernel once for each invocation of a tile, with that
// invocation's position, and the copies run in lockstep. Divergence decides the number of copies of
// a value. A value that depends only on the coordinate across has one copy for each column of the
// tile. A value that depends on no coordinate has one copy in all; most loop counters are of this
// kind. The gain is sharing: in a matrix product, the invocations of a row of the tile fetch an
// element of the matrix row once.
//
// Type [github.com/shaderlift/shaderlift/ir.Tile] describes the launch that the host needs and the place
// of each result. A coarsened unit carries its tile.
package coarsen
