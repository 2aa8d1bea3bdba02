package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// Pair is the two programs that a draw was written with. Its methods are those of
// ir.Stages, but for how errors grow, which package verify/rounding adds.
type Pair struct{ Vertex, Pixel *d3d9.Program }

// Link is [Link] of the pair.
func (p Pair) Link(added ...ir.Varying) (*ir.Linkage, error) {
	return Link(p.Vertex, p.Pixel, added...)
}

// CanMirror reports whether r is a float constant: integers and booleans are for flow
// control, which does not move.
func (p Pair) CanMirror(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Const }

// FreeConstants is [FreeConstants] of the vertex program.
func (p Pair) FreeConstants(vertex *ir.Func) []uint16 { return FreeConstants(p.Vertex, vertex) }

// FreePixelConstants is [FreeConstants] of the pixel program.
func (p Pair) FreePixelConstants(pixel *ir.Func) []uint16 { return FreeConstants(p.Pixel, pixel) }
