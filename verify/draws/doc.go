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
//
// A try goes like this (random.go). The profile of each program lists the constants and samplers that
// the host sets (profile.go, or host.go where constants depend on others). Values are drawn in one of
// several styles (values.go). Random vertices go through the vertex program; those in view are a
// cloud, and the four nearest to the corners of the screen, with one between them, become a mesh
// (mesh.go). Where these span too little, positions are aimed by an affine model of the program
// (aim.go), or the rows of its last matrix are changed (frame.go). The draw is executed and scored
// (judge.go), and later tries change some values of the best one: a random local search.
package draws
