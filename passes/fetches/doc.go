// Package fetches has the passes for fetches: [Group] brings them together, [Vectorize] combines them, and [Words]
// combines accesses to memory.
//
// # Groups
//
// Group brings fetches together, so that they fill clauses and access the texture cache in
// sequence.
//
//	sample r0, r8            sample r0, r8
//	mad r2, r0, r1, r2       sample r3, r9
//	sample r3, r9            mad r2, r0, r1, r2
//	mad r2, r3, r1, r2       mad r2, r3, r1, r2
//
// It is step 2 of the matrix product in AMD's tutorial at PLDI 2008. On R600 to Evergreen, fetches are issued
// in clauses of 8 or 16 ("R600-Family Instruction Set Architecture", texture clauses), and each clause takes
// a clause switch. Neighbouring fetches of one resource hit cache lines that the first has loaded. In
// Direct3D 9, a run of texture reads is one phase of R300.
//
// Fetches have no effect and a block contains no store, so a fetch may be anywhere after its operands. The
// pass only moves fetches up, never past the definitions of their coordinates, and keeps the order of all
// other instructions.
//
// # Vectors
//
// Vectorize combines fetches of adjacent numbers into one fetch of a vector, if the host can bind
// the resource as one of vectors. The source is Jang, Do, Pien and Kaeli, "Architecture-aware optimization
// targeting multithreaded stream computing", 2009 (vector types).
//
//	sample_resource(0) r1.x, r0.xy         mul r9.x, r0.x, 0.25
//	add r0.z, r0.x, 1                      sample_resource(0) r1, r9.x, r0.y
//	sample_resource(0) r2.x, r0.zy         (r1.x and r1.y for r1.x and r2.x, if 4 divides r0.x - 0.5)
//
// Two fetches belong to one element under two conditions. Their coordinates have one form up to whole
// numbers (package internal/affine), and the position of each in its element is known modulo the width
// ([ir.ModuloValues]). Both are exact for coordinates below 2^24 texels, as textures have. The host changes
// the binding of the resource, so the pass runs on request only and the report names the packing.
package fetches
