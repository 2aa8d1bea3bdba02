//go:build !nod3d9

package asm

// BuiltD3D9 reports whether the build supports Direct3D 9.
const BuiltD3D9 = true
