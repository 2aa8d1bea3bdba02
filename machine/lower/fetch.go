package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// sampler returns a lowering for a fetch with coordinates in its first source, and bias or level of
// detail in the fourth lane.
func sampler(op r600.FetchOp) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		if l.wanted(in) {
			l.fetch(in, op, l.coords(in)...)
		}
	}
}

// wanted reports whether any result of in is needed.
func (l *lowerer) wanted(in *ir.Instr) bool {
	for _, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			return true
		}
	}
	return false
}

// coords returns the coordinates of a fetch; those of a cube map are on its face. Layers of arrays
// are rounded, as drivers do.
func (l *lowerer) coords(in *ir.Instr) []mir.Arg {
	coords := make([]mir.Arg, 4)
	for i := range coords {
		coords[i] = mir.L(0)
		if in.Src[0][i].V != nil {
			coords[i] = l.src(in, 0, i)
		}
	}
	if in.Op == ir.OpTexelLoad {
		return coords
	}
	switch in.Res.Dim {
	case ir.DimCube:
		l.cubeCoordinates(coords)
	case ir.Dim1DArray:
		coords[1] = l.op(r600.OpRndNE, coords[1])
	case ir.Dim2DArray:
		coords[2] = l.op(r600.OpRndNE, coords[2])
	}
	return coords
}

// cubeCoordinates replaces a direction by coordinates on the face of a cube map, and the face. CUBE returns,
// by slot, the t and s coordinates, twice the major axis, and the face. s and t become s/|ma| +
// 1.5, the range that the texture unit expects. The sequence is that of the open drivers.
func (l *lowerer) cubeCoordinates(c []mir.Arg) {
	x, y, z := c[0], c[1], c[2]
	f := l.slots(r600.OpCube, [3]mir.Arg{z, y}, [3]mir.Arg{z, x}, [3]mir.Arg{x, z}, [3]mir.Arg{y, z})
	major := mir.V(f[2])
	major.Abs = true
	scale := l.op(r600.OpRecipIEEE, major)
	half := mir.L(math.Float32bits(1.5))
	c[0] = l.op(r600.OpMulAdd, mir.V(f[1]), scale, half)
	c[1] = l.op(r600.OpMulAdd, mir.V(f[0]), scale, half)
	c[2] = mir.V(f[3])
}

// fetch adds a fetch of in's resource.
func (l *lowerer) fetch(in *ir.Instr, op r600.FetchOp, coords ...mir.Arg) *mir.Fetch {
	f := l.newFetch(in, op, coords...)
	l.deliver(in, f)
	return f
}

func (l *lowerer) newFetch(in *ir.Instr, op r600.FetchOp, coords ...mir.Arg) *mir.Fetch {
	f := &mir.Fetch{Op: op, Resource: int(in.Res.Unit), Sampler: int(in.Res.Sampler), Offset: in.Res.Offset,
		Unnormal: in.Res.Unnorm, Line: l.line}
	if op == r600.FetchLD && in.Res.Dim == ir.DimBuffer {
		f.Op = r600.FetchVertex
	}
	for i := range f.Coords {
		f.Coords[i] = mir.Coord{Sel: r600.SelZero}
		if i < len(coords) {
			f.Coords[i] = l.coord(coords[i])
		}
	}
	return f
}

// coord converts a to a coordinate. 0 and 1 are selections of the fetch and take no register.
func (l *lowerer) coord(a mir.Arg) mir.Coord {
	if a.Kind == mir.NoArg {
		return mir.Coord{Sel: r600.SelZero}
	}
	if a.Kind == mir.LiteralArg {
		switch a.Bits {
		case 0:
			return mir.Coord{Sel: r600.SelZero}
		case math.Float32bits(1):
			return mir.Coord{Sel: r600.SelOne}
		}
	}
	return mir.Coord{Val: l.inRegister(a)}
}

// deliver adds fetch f, and defines the needed results of in. Fetches cannot saturate, so moves
// after the fetch do.
func (l *lowerer) deliver(in *ir.Instr, f *mir.Fetch) {
	l.emitItem(f)
	for i, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			f.Dst[i] = l.newVal()
			l.define(v, mir.V(f.Dst[i]))
		}
	}
	if in.Mods&ir.Sat == 0 {
		return
	}
	for _, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			l.args[v.ID] = l.saturated(in, l.args[v.ID], math.MaxInt32)
		}
	}
}

// gradients lowers a fetch with explicit derivatives, which two fetch instructions in the same
// clause set up.
func gradients(l *lowerer, in *ir.Instr) {
	if !l.wanted(in) {
		return
	}
	f := l.newFetch(in, r600.FetchSampleG, l.coords(in)...)
	for s, op := range []r600.FetchOp{r600.FetchSetGradientsH, r600.FetchSetGradientsV} {
		coords := make([]mir.Arg, 4)
		for i := range coords {
			if in.Src[s+1][i].V != nil {
				coords[i] = l.src(in, s+1, i)
			}
		}
		f.Setup = append(f.Setup, l.newFetch(in, op, coords...))
	}
	l.deliver(in, f)
}

// derivative returns a lowering for a difference between neighbours, which the texture units
// compute.
func derivative(op r600.FetchOp) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		if !l.wanted(in) {
			return
		}
		coords := make([]mir.Arg, 4)
		for i, v := range in.Out {
			if v != nil && l.need.Live[v.ID] {
				coords[i] = l.src(in, 0, i)
			}
		}
		l.fetch(in, op, coords...)
	}
}

// rareFetches maps the IL operations behind ir.OpFetchX to fetches.
var rareFetches = map[il.Op]r600.FetchOp{
	il.OpFetch4:     r600.FetchGather4,
	il.OpLod:        r600.FetchLOD,
	il.OpResInfo:    r600.FetchTextureResInfo,
	il.OpSampleInfo: r600.FetchNumSamples,
	il.OpSamplePos:  r600.FetchSamplePos,
	il.OpSampleB:    r600.FetchSampleLB,
	il.OpSampleL:    r600.FetchSampleL,
	il.OpSampleC:    r600.FetchSampleC,
	il.OpSampleCB:   r600.FetchSampleCLB,
	il.OpSampleCL:   r600.FetchSampleCL,
	il.OpSampleCLz:  r600.FetchSampleCLZ,
}

// rareFetch lowers them. The reference value of a comparison follows the coordinates, then a bias
// or level.
func rareFetch(l *lowerer, in *ir.Instr) {
	if !l.wanted(in) {
		return
	}
	access := amdil.Access(in.Imm)
	op, ok := rareFetches[access.Op()]
	if !ok {
		l.recordFailure("not-supported", "%v has no fetch", access.Op())
		return
	}
	coords := l.coords(in)[:min(in.Res.Dim.Coords(), 4)]
	for s := 1; s < len(in.Src); s++ {
		coords = append(coords, l.src(in, s, 0))
	}
	if len(coords) > 4 {
		l.recordFailure("not-supported", "a fetch with %d coordinates is not supported", len(coords))
		return
	}
	l.fetch(in, op, coords...)
	var how il.Inst
	access.Apply(&how)
	if (access.Op() == il.OpResInfo || access.Op() == il.OpSampleInfo) && !how.Ctl.Uint {
		for _, v := range in.Out {
			if v != nil && l.need.Live[v.ID] {
				l.args[v.ID] = l.op(r600.OpIntToFlt, l.args[v.ID])
			}
		}
	}
}
