package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// Pair is the pair of programs of a draw. Its methods are those of ir.Stages, except the growth of
// errors, which package verify/rounding adds.
type Pair struct{ Vertex, Pixel *d3d9.Program }

// Link calls [Link] for the pair.
func (p Pair) Link(added ...ir.Varying) (*ir.Linkage, error) {
	return Link(p.Vertex, p.Pixel, added...)
}

// Common returns false: each program has constants of its own.
func (p Pair) Common(ir.Reg) bool { return false }

// CanMirror reports whether r is a float constant: integers and booleans are for flow control,
// which does not move.
func (p Pair) CanMirror(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Const }

// FreeConstants calls [FreeConstants] for the vertex program.
func (p Pair) FreeConstants(vertex *ir.Func) []uint16 { return FreeConstants(p.Vertex, vertex) }

// FreePixelConstants calls [FreeConstants] for the pixel program.
func (p Pair) FreePixelConstants(pixel *ir.Func) []uint16 { return FreeConstants(p.Pixel, pixel) }
