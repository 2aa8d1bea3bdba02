//go:build !nod3d9

package lang

// D3D9 tells that there is Direct3D 9.
const D3D9 = true
