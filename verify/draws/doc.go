// Package draws generates draws: random but meaningful inputs for any pair of programs. Two versions of a
// pair, or two implementations, can then be compared on nonempty pictures.
//
// [Random] derives from the programs the data that they read (attributes, constants of every kind, textures
// by type). It searches for values under which the picture covers much of the target, varies, and has no
// infinities. Arbitrary code computes positions, so Random runs the vertex program over many random
// vertices and forms triangles from suitable ones. [Judge] measures a picture in the same way. [Upload]
// copies pixel constants to the vertex program of an optimised pair.
//
// The result depends on the programs and the seed alone.
//
// A try has these steps (random.go). The profile of each program lists the constants and samplers that the
// host sets (profile.go, or host.go where constants depend on others). Values are drawn in one of several
// styles (values.go). Random vertices pass through the vertex program, and those in view form a cloud. The
// four nearest to the corners of the screen, with one between them, become a mesh (mesh.go). If these span
// too little, an affine model of the program aims positions (aim.go), or the rows of its last matrix are
// changed (frame.go). The draw is executed and scored (judge.go). Later tries change some values of the
// best one: a random local search.
package draws
