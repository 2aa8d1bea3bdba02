//go:build !nod3d9

package lang

// D3D9 reports whether the build supports Direct3D 9.
const D3D9 = true
