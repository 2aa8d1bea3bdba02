// Package draws makes up draws: random but meaningful inputs for any pair of
// programs, so that two versions of a pair, or two implementations, can be
// compared on pictures that show something.
//
// [Random] reads off the programs what they want (attributes, constants of every
// kind, textures by type) and searches for values under which the picture covers
// much of the target, varies, and is free of infinities. Positions come out of
// arbitrary code, so it runs the vertex program over many random vertices and
// makes its triangles of those that land well. [Judge] measures a picture the same
// way. [Upload] carries pixel constants over to the vertex program of an optimised pair.
//
// Everything depends on the programs and the seed alone.
package draws
