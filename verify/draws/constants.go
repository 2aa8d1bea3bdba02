package draws

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// KnownConstant is a component of a constant register with the bits that the host is known to set. A definition in
// the program overrides it.
type KnownConstant struct {
	Stage d3d9.Stage // of Direct3D 9 programs
	Reg   ir.Reg     // as package vsps or amdil lifts it
	Bits  uint32
}

// KnownConstants is the set of constants that the host is known to set. Generators of draws and launches apply it
// after their random values.
type KnownConstants []KnownConstant

// ForStage returns the known constants of a stage, by register. A constant in shared has the value of the other
// stage's constant, whatever is promised for itself.
func (p KnownConstants) ForStage(stage d3d9.Stage, shared map[uint16]uint16) map[ir.Reg]uint32 {
	known := map[ir.Reg]uint32{}
	isShared := func(r ir.Reg) bool {
		_, ok := shared[r.Index]
		return ok && r.File == ir.File(d3d9.Const)
	}
	for _, c := range p {
		if c.Stage == stage && !isShared(c.Reg) {
			known[c.Reg] = c.Bits
		}
		if c.Stage == stage.Other() && c.Reg.File == ir.File(d3d9.Const) {
			for to, from := range shared { // each sets another register
				if from == c.Reg.Index {
					known[ir.Reg{File: c.Reg.File, Index: to, Comp: c.Reg.Comp}] = c.Bits
				}
			}
		}
	}
	return known
}

// ForKernel returns the known constants of a kernel.
func (p KnownConstants) ForKernel() map[ir.Reg]uint32 {
	known := map[ir.Reg]uint32{}
	for _, c := range p {
		known[c.Reg] = c.Bits
	}
	return known
}

// Set writes the constants of a stage to k, which the caller owns.
func (p KnownConstants) Set(k *interp.Constants, stage d3d9.Stage) {
	for _, c := range p {
		n, comp := int(c.Reg.Index), c.Reg.Comp
		if c.Stage != stage {
			continue
		}
		switch file := d3d9.File(c.Reg.File); {
		case file == d3d9.Const:
			var v [4]float32
			if n < len(k.Float) {
				v = k.Float[n]
			}
			v[comp] = math.Float32frombits(c.Bits)
			k.SetFloat(n, v)
		case n >= len(k.Int):
		case file == d3d9.ConstInt:
			k.Int[n][comp] = int32(c.Bits)
		case file == d3d9.ConstBool:
			k.Bool[n] = c.Bits != 0
		}
	}
}

// InDraw returns draw c with the known constants.
func (p KnownConstants) InDraw(c *interp.Case) *interp.Case {
	if len(p) == 0 {
		return c
	}
	d := *c
	d.Vertex.Float, d.Pixel.Float = slices.Clone(c.Vertex.Float), slices.Clone(c.Pixel.Float)
	p.Set(&d.Vertex, d3d9.Vertex)
	p.Set(&d.Pixel, d3d9.Pixel)
	return &d
}

// InLaunch returns launch c with the known constants.
func (p KnownConstants) InLaunch(c *kernel.Case) *kernel.Case {
	if len(p) == 0 {
		return c
	}
	d := *c
	copy(d.Constants[:], WithConstants(c.Constants[:], p))
	return &d
}

// WithConstants returns a copy of constant buffers, by buffer and element, with the known constants set.
func WithConstants(buffers [][][4]uint32, known []KnownConstant) [][][4]uint32 {
	out := make([][][4]uint32, max(len(buffers), kernel.Banks))
	for b := range buffers {
		out[b] = slices.Clone(buffers[b])
	}
	for _, c := range known {
		if il.File(c.Reg.File) != il.ConstBuf {
			continue
		}
		b, i := amdil.Constant(c.Reg)
		for len(out[b]) <= i {
			out[b] = append(out[b], [4]uint32{})
		}
		out[b][i][c.Reg.Comp] = c.Bits
	}
	return out
}
