// Package interp executes Direct3D 9 programs as they are written, bytecode or
// text: vs_1_1 to vs_3_0 and ps_1_1 to ps_3_0. It is the ground truth the optimizer
// is held against and so shares nothing with it but the syntax of package d3d9.
//
// Compile turns a program into a Shader. Draw runs a pair over a Case, from vertex
// attributes to pixels; Shader.Run runs one program over invocations given directly.
//
// # Execution
//
// A batch is Lanes invocations (16 quads of pixels). Every component of a register
// is a Vec over the batch and every instruction a loop over Vecs, so a swizzle costs
// nothing. Lanes that a branch leaves aside are masked out; they still take part in
// derivatives, with the values they had. Registers read before they are written
// hold 0. Killed fragments run on, for the sake of their neighbours' derivatives.
// What the arithmetic computes is said in numerics.go. Nothing runs for ever: the
// instructions a batch and a run may execute are bounded (Env.Steps).
//
// # From vertices to fragments
//
// Outputs meet inputs by semantic, component by component; below 3_0 oD# and v# are
// colours and oT# and t# texture coordinates. Colours are clamped to 0..1 at the
// vertices if the pixel program is older than ps_3_0. A component the vertex program
// does not write reads 0, but 1 of the first colour of the older models. A vertex
// input the case has no attribute for reads 0.
//
// Triangles are clipped to 0 <= z <= w and w > 0, snapped to 1/256 pixel for
// coverage, and interpolated with perspective in float64, rounded once. Pixel centres
// lie at half integers; the top-left rule decides on edges. vPos is the whole pixel
// (x, y, 0, 0), vFace 1 for a triangle clockwise on the screen and -1 otherwise.
// dsx and dsy are differences within the quad, per row and per column, y downwards.
//
// # Cases
//
// A case is text, one thing a line; blanks and commas separate, # starts a comment:
//
//	size W H                       target size, 4 4 by default
//	clear r g b a                  what pixels hold that nothing is drawn to
//	offset X Y                     pixels by which to move the picture right and down;
//	                               0.5 0.5 puts pixel centres at whole numbers
//	prim strip|tris|fan            strip by default
//	attr USAGE INDEX COMPS f...    an attribute, vertex after vertex; usages as in dcl
//	vc N x y z w                   float constant of the vertex program; pc of the pixel program
//	vi N x y z w                   integer constant; pi
//	vb N 0|1                       boolean constant; pb
//	tex S W H FILTER ADDRESS DATA  2-D texture on sampler S; vtex of the vertex program
//	texcube S N FILTER ADDRESS DATA     cube texture, faces of N by N: +X -X +Y -Y +Z -Z; vtexcube
//	texvol S W H D FILTER ADDRESS DATA  volume texture; vtexvol
//
// FILTER is nearest, linear or trilinear (which builds mip levels by averaging);
// ADDRESS is wrap or clamp, and always clamp on a cube; DATA is "data f...", four
// floats a texel, x fastest, or "rand SEED": r = SEED*2654435761+1, then for each float
// r = r*1664525+1013904223, value (r>>8)/2^24. What is not given is zero; a sampler
// without a texture reads (0,0,0,1).
package interp
