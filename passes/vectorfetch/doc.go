// Package vectorfetch combines fetches of adjacent numbers into one fetch of a vector, if the host can bind
// the resource as one of vectors. The source is Jang, Do, Pien and Kaeli, "Architecture-aware optimization
// targeting multithreaded stream computing", 2009 (vector types).
//
//	sample_resource(0) r1.x, r0.xy         mul r9.x, r0.x, 0.25
//	add r0.z, r0.x, 1                      sample_resource(0) r1, r9.x, r0.y
//	sample_resource(0) r2.x, r0.zy         (r1.x and r1.y for r1.x and r2.x, if 4 divides r0.x - 0.5)
//
// Two fetches belong to one element under two conditions. Their coordinates are the same linear form up to
// whole numbers, and the position of each in its element is known modulo the width ([ir.ModuloValues]). Both
// are exact for coordinates below 2^24 texels, as textures have. The host changes the binding of the
// resource, so the pass runs on request only and the report names the packing.
package vectorfetch
