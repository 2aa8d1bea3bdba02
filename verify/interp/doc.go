// Package interp executes Direct3D 9 programs from bytecode or text: vs_1_1 to vs_3_0 and ps_1_1 to ps_3_0.
// It is the ground truth for the optimizer, and therefore shares nothing with it but the syntax of package
// d3d9.
//
// Compile turns a program into a Shader. Draw runs a pair over a Case, from vertex attributes to pixels;
// Shader.Run runs one program over given invocations.
//
// # Execution
//
// A batch is Lanes invocations (16 quads of pixels). Every component of a register is a Vec over the batch
// and every instruction a loop over Vecs, so a swizzle costs nothing. A branch masks out lanes; these still
// take part in derivatives, with their last values. Registers hold 0 until they are written. Killed
// fragments continue, because derivatives of their neighbours need them. numerics.go defines the
// arithmetic. A step limit bounds the instructions of a batch and of a run (Env.Steps), so every run ends.
//
// # From vertices to fragments
//
// Inputs match outputs by semantic, component by component. Below 3_0, oD# and v# are colours, and oT# and
// t# are texture coordinates. Colours are clamped to 0..1 at the vertices if the pixel program is older
// than ps_3_0. A component that the vertex program does not write reads 0, or 1 for the first colour of the
// older models. A vertex input without an attribute in the case reads 0.
//
// Triangles are clipped to 0 <= z <= w and w > 0 and snapped to 1/256 pixel for coverage. Varyings are
// interpolated with perspective in float64 and rounded once. Pixel centres lie at half integers; the
// top-left rule decides on edges. vPos is the whole pixel (x, y, 0, 0), vFace 1 for a triangle clockwise on
// the screen and -1 otherwise. dsx and dsy are differences within the quad, per row and per column, y
// downwards.
//
// # Cases
//
// A case is text with one statement a line. Blanks and commas separate words, and # starts a comment:
//
//	size W H                       target size, 4 4 by default
//	clear r g b a                  value of pixels that no triangle covers
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
// FILTER is nearest, linear or trilinear (which builds mip levels by averaging). ADDRESS is wrap or clamp,
// and always clamp on a cube. DATA is "data f...", four floats a texel, x fastest, or "rand SEED". The
// generator starts with r = SEED*2654435761+1; each float takes r = r*1664525+1013904223 and has the value
// (r>>8)/2^24. Missing values are zero; a sampler without a texture reads (0,0,0,1).
package interp
