// Package draw prices what a draw of Direct3D 9 runs, a pair of programs, on GPUs: how long a
// pixel takes, and what of the GPU takes so long.
//
// Instruction slots of the shader models cost nothing on any GPU. Drivers compile on, and
// what they do by themselves is worth nothing: so [New] makes a graph of scalar operations of
// each program in which literals are folded, equal operations shared, and copies, swizzles,
// signs, what nothing reads, 0 and 1 are gone. Where the API compiles both programs together
// (Vulkan, which Direct3D 9 is translated to on GCN and RDNA) a component that all vertices
// send alike is known to the pixel program. So it is on R600 to Evergreen, whose driver for OpenGL
// also moves to the vertex program what is affine in components that have no name of OpenGL; of
// R300 to R520 literals are known. Elsewhere it has to be interpolated.
//
// A [Target] prices that graph in one of three ways: an operation on one component at a time
// (GCN, RDNA, NVIDIA, Intel), groups of up to five (R600 to Evergreen), or instructions of three
// components and a scalar (R300 to R520). What it charges is a row of a table, each with its
// source. The older ones are driven by OpenGL, and get what translators make of the programs:
// reciprocals that are finite also of zero.
//
// Groups are filled and instructions paired as Mesa's compiler does it, and not as well as can
// be, as package machine does for kernels: a version that is shorter in the best schedule is not
// in that. Operations of R600 to Evergreen are its own as well, with the lanes that it gives to
// values and the cycles in which it reads them; of more than half of a corpus the number of groups
// is its. As it hangs on the lane that the first value gets, prices are averages. The moves are
// counted that instructions of R300 to R520 take for components that are in
// different registers, or in an order that they do not read. The parts of a GPU work side by side,
// so that the time of a pixel is that of the part that has most to do, in a [Scene]: what texels
// are, what is written, and how many pixels a vertex stands for.
//
// Not modelled: registers and how they hide latency, caches and early depth tests; primitives
// but on NVIDIA's GPUs.
//
// The prices were held against compilers of these GPUs, Mesa 25.0.7's, which count what they
// emit: docs/targets.md. Across programs counts and prices rank alike, 0.95 and more
// (Spearman). Of what a version of a pixel program changes the model knows less, 0.71 to
// 0.78 for GCN and RDNA, 0.67 to 0.74 for R420 to Cypress, where changes of one or two
// instructions that a compiler makes for no reason in the program count as well. Times on a
// GPU of NVIDIA were within a quarter of what the formula says, and within 3 % for half of
// 166 programs.
package draw
