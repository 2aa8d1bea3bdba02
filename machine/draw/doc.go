// Package draw prices a Direct3D 9 draw, a pair of programs, on GPUs: the time of a pixel, and the
// part of the GPU that takes it.
//
// Instruction slots of the shader models cost nothing on any GPU. Drivers compile further, so
// savings that they find themselves are worth nothing. Function [New] therefore builds a graph of
// scalar operations of each program, as after the clean-up passes of a compiler. Literals are
// folded and equal operations shared. Copies, swizzles, signs, dead code, 0 and 1 are removed.
//
// Knowledge about varyings depends on the API. Vulkan, to which Direct3D 9 is translated on GCN and
// RDNA, compiles both programs together. A component that is equal at all vertices is then known to
// the pixel program. The same holds on R600 to Evergreen. Their driver for OpenGL also moves affine
// computations on components without an OpenGL name to the vertex program. On R300 to R520 only
// literals are known. Elsewhere every component is interpolated.
//
// A [Target] prices that graph in one of three ways. GCN, RDNA, NVIDIA, Intel and phones run
// single-component operations; operations of Midgard have up to four components. R600 to Evergreen
// run groups of up to five operations. R300 to R520 run instructions of three components and a
// scalar. Each charge is a row of a table with its source. Older GPUs are driven by OpenGL, and
// receive the output of translators: reciprocals that are finite also for zero.
//
// Groups are filled and instructions paired as Mesa's compiler does it, and not optimally as
// package machine does for kernels. A version that is shorter only under the best schedule does not
// gain. For R600 to Evergreen the model also copies the compiler's operations, its lanes of values
// and its read cycles. For more than half of a corpus the number of groups is exact. It depends on
// the lane of the first value, so prices are averages. For R300 to R520 the price includes moves of
// components that are in different registers, or in an order that instructions cannot read. The
// parts of a GPU work in parallel, so the time of a pixel is that of the busiest part. It depends
// on a [Scene]: the format of texels, the kind of write, and the number of pixels for each vertex.
//
// The model omits registers and latency hiding, caches and early depth tests, and primitives except
// on NVIDIA's GPUs.
//
// The prices were compared with the counts of Mesa 25.0.7's compilers for these GPUs:
// docs/targets.md. Across programs, counts and prices correlate at 0.95 and more (Spearman). The
// model predicts changes between versions of a pixel program less well: 0.55 to 0.73 for GCN and
// RDNA, 0.64 to 0.76 for R420 to Cypress. There, changes of one or two instructions without a cause
// in the program count as well. Times on an NVIDIA GPU were within a quarter of the formula, and
// within 3 % for half of 166 programs.
package draw
