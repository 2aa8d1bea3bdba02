// Command shaderlift optimizes compiled GPU programs: Direct3D 9 vertex and pixel programs, as
// assembly text or bytecode.
//
//	shaderlift opt water.vsh,water.psh
//
// optimizes a pair, shows the new text and reports the savings. See shaderlift help and the package
// documentation of github.com/shaderlift/shaderlift.
package main
