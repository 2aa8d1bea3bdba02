// Package vulkan draws pairs of SPIR-V modules through a Vulkan driver, such as lavapipe, Mesa's software rasterizer. It
// checks the interpreter and optimized modules, and shares no code with either.
//
// [New] builds a small program in C (draw/draw.c) with gcc and the headers of Vulkan: on Debian the packages gcc,
// libvulkan-dev and mesa-vulkan-drivers. [Judge.Draw] draws one triangle in a process of its own, with the attributes and
// resources of a draw of package verify/interp/spirv.
//
// A job is a list of little-endian words: the width, the height and whether
// samplers take the nearest texel; for each stage the name of the entry point (the
// number of words, and the words) and the module (likewise); the attributes; the push constants; the descriptors; and the
// formats of the targets. Comments in draw.c give the rest.
package vulkan
