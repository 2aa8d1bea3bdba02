package draws

import "github.com/shaderlift/shaderlift/asm/d3d9"

// Pair is the vertex and pixel program of a draw; a lone program leaves the other nil.
type Pair struct{ Vertex, Pixel *d3d9.Program }
