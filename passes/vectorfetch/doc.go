// Package vectorfetch makes fetches of single numbers that lie side by side one fetch of a
// vector, where the host can bind a resource as one of vectors (Jang, Do, Pien and Kaeli,
// "Architecture-aware optimization targeting multithreaded stream computing", 2009: vector
// types).
//
//	sample_resource(0) r1.x, r0.xy         mul r9.x, r0.x, 0.25
//	add r0.z, r0.x, 1                      sample_resource(0) r1, r9.x, r0.y
//	sample_resource(0) r2.x, r0.zy         (r1.x and r1.y for r1.x and r2.x, if 4 divides r0.x - 0.5)
//
// Two fetches are of one element if their coordinates are the same linear form but for
// whole numbers, and it is known modulo the width where in an element each is
// ([ir.ModuloValues]). Both are exact as long as coordinates are below 2^24 texels, as
// those of textures are. The host changes how the resource is bound, which is why the
// pass runs on request only and the report names the packing.
package vectorfetch
