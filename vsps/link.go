package vsps

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// semantic is the key for matching registers. Below 3.0 texture coordinates and colours represent
// the registers oT#/t# and oD#/v#, so that programs of 3.0 and 2.0 can be matched, as drivers do.
type semantic struct {
	usage d3d9.Usage
	index uint8
}

// Limits of new semantics: 16 usage indices; TEXCOORD8 and up need 3.0 on both sides.
const maxSemantic = 16

// Link matches a vertex and a pixel program like Direct3D 9: by register number below 3.0, by usage
// and index in 3.0 ("Shader Model 3: Vertex Shader Outputs"). added are varyings that passes have
// inserted between them. A varying of only one program has no register in the other.
//
// Links are linear if interpolation is the perspective-correct affine combination at the pixel's
// centre, on which code motion relies. Colours below 3.0 are clamped, and colours of 3.0 and
// centroid inputs are not sampled at the centre, so these are not linear. Link omits registers that
// several semantics share.
func Link(vs, ps *d3d9.Program, added ...ir.Varying) (*ir.Linkage, error) {
	if vs.Model.Stage != d3d9.Vertex || ps.Model.Stage != d3d9.Pixel {
		return nil, asm.Errorf(firstPos(ps), "wrong-pair",
			"a pair must be a vertex program and a pixel program, not %s and %s", vs.Model, ps.Model)
	}
	outs, outShared := semanticsOf(vs)
	ins, inShared := semanticsOf(ps)
	for _, v := range added {
		sem := semantic{d3d9.UsageTexCoord, v.Semantic}
		if v.Out.File != 0 {
			outs.order = append(outs.order, port{sem: sem, reg: v.Out})
		}
		if v.In.File != 0 {
			ins.order = append(ins.order, port{sem: sem, reg: v.In})
		}
	}
	l := &ir.Linkage{Whole: ps.Model.Major < 3}
	if vs.Model.Major < 3 {
		l.Dense = ir.File(d3d9.TexOut)
	}
	for _, in := range ins.order {
		v := ir.Link{In: in.reg, Linear: !in.centroid, Shared: inShared[in.reg], Half: in.half,
			Named: in.sem.usage == d3d9.UsageColor || in.sem.usage == d3d9.UsageTexCoord && in.sem.index < 4}
		if in.sem.usage != d3d9.UsageTexCoord && !isPlain(in.sem.usage) {
			v.Linear = false
		}
		for _, out := range outs.order {
			if out.sem == in.sem {
				v.Out = out.reg
				v.Shared = v.Shared || outShared[out.reg]
			}
		}
		l.Links = append(l.Links, v)
	}
	for _, out := range outs.order {
		switch out.sem.usage {
		case d3d9.UsagePosition, d3d9.UsagePositionT, d3d9.UsagePSize, d3d9.UsageFog, d3d9.UsageDepth:
		default:
			if !outShared[out.reg] {
				l.Outputs = append(l.Outputs, out.reg)
			}
		}
	}
	if !fixedPoint(ps.Model) {
		l.Free = freeVaryings(vs, ps, outs, ins)
	}
	l.Open = openTexCoords(ps, outs, ins, outShared)
	return l, nil
}

// openTexCoords returns texture coordinates that the vertex program writes and the pixel program does not
// declare, with new registers: in an effect another pixel program may read them.
func openTexCoords(ps *d3d9.Program, outs, ins ports, shared map[ir.Reg]bool) (list []ir.Varying) {
	file := d3d9.Texture
	if ps.Model.Major >= 3 {
		file = d3d9.Input
	}
	n := ps.Model.Limits().Regs[file]
	next := uint16(0)
	for _, out := range outs.order {
		if out.sem.usage != d3d9.UsageTexCoord || ins.has(out.sem) || shared[out.reg] {
			continue
		}
		in := ir.Reg{File: ir.File(file), Index: uint16(out.sem.index)}
		if file == d3d9.Input {
			for in.Index = next; ins.usesRegister(in); in.Index++ {
			}
			next = in.Index + 1
		}
		if int(in.Index) < n {
			list = append(list, ir.Varying{Out: out.reg, In: in, Semantic: out.sem.index})
		}
	}
	return list
}

// isPlain reports whether u is interpolated without state of its own. (Colours may be flat; a
// position is not interpolated as it is written.)
func isPlain(u d3d9.Usage) bool {
	switch u {
	case d3d9.UsageNormal, d3d9.UsageTangent, d3d9.UsageBinormal, d3d9.UsageBlendWeight, d3d9.UsageBlendIndices:
		return true
	}
	return false
}

// port is a register of a program that the rasterizer reads or sets, with its semantic.
type port struct {
	sem      semantic
	reg      ir.Reg
	centroid bool
	half     bool
}

// ports are the ports of a program, in the order of declarations or first writes.
type ports struct{ order []port }

func (p *ports) has(sem semantic) bool {
	for _, q := range p.order {
		if q.sem == sem {
			return true
		}
	}
	return false
}

func (p *ports) usesRegister(reg ir.Reg) bool {
	for _, q := range p.order {
		if q.reg == reg {
			return true
		}
	}
	return false
}

// semanticsOf returns the varyings that a program writes or reads. shared are the registers of
// several semantics (dcl_texcoord0 o1.xy, dcl_texcoord1 o1.zw).
func semanticsOf(p *d3d9.Program) (ps ports, shared map[ir.Reg]bool) {
	shared = map[ir.Reg]bool{}
	add := func(d *d3d9.Dst, sem semantic, centroid bool) {
		reg := ir.Reg{File: ir.File(d.File), Index: d.Index}
		for i := range ps.order {
			if q := &ps.order[i]; q.reg == reg {
				if q.sem != sem {
					shared[reg] = true
					break
				}
				q.half = q.half || d.Mods&d3d9.PartialPrecision != 0
				return
			}
		}
		ps.order = append(ps.order, port{sem, reg, centroid, d.Mods&d3d9.PartialPrecision != 0})
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		r := in.Dst.Reg
		if fixedPoint(p.Model) { // the model has no declarations, and code motion ignores it
			for _, r := range []d3d9.Reg{r, in.Src[0].Reg, in.Src[1].Reg, in.Src[2].Reg} {
				switch r.File {
				case d3d9.Texture:
					add(&d3d9.Dst{Reg: r}, semantic{d3d9.UsageTexCoord, uint8(r.Index)}, true)
				case d3d9.Input:
					add(&d3d9.Dst{Reg: r}, semantic{d3d9.UsageColor, uint8(r.Index)}, true)
				}
			}
			continue
		}
		// Below 3_0 there are no output declarations: writes count instead.
		switch {
		case !in.HasDst:
		case in.Op == d3d9.OpDcl && p.Model.Major >= 3 &&
			(r.File == d3d9.Output || r.File == d3d9.Input && p.Model.Stage == d3d9.Pixel):
			add(&in.Dst, semantic{in.Decl.Usage, in.Decl.Index}, in.Dst.Mods&d3d9.Centroid != 0)
		case r.File == d3d9.TexOut, in.Op == d3d9.OpDcl && r.File == d3d9.Texture:
			add(&in.Dst, semantic{d3d9.UsageTexCoord, uint8(r.Index)}, in.Dst.Mods&d3d9.Centroid != 0)
		case r.File == d3d9.AttrOut, in.Op == d3d9.OpDcl && r.File == d3d9.Input && p.Model.Stage == d3d9.Pixel:
			add(&in.Dst, semantic{d3d9.UsageColor, uint8(r.Index)}, true)
		}
	}
	return ps, shared
}

// freeVaryings returns new varyings. Matching by number uses the lowest numbers that neither side uses;
// matching by semantics uses texture coordinate sets: eight if one side is below 3.0, else sixteen.
// Each set and register is used once.
func freeVaryings(vs, ps *d3d9.Program, outs, ins ports) []ir.Varying {
	outFile, inFile := d3d9.TexOut, d3d9.Texture
	if vs.Model.Major >= 3 {
		outFile = d3d9.Output
	}
	if ps.Model.Major >= 3 {
		inFile = d3d9.Input
	}
	nOut, nIn := vs.Model.Limits().Regs[outFile], ps.Model.Limits().Regs[inFile]
	sets := maxSemantic
	if vs.Model.Major < 3 || ps.Model.Major < 3 {
		sets = 8
	}
	var list []ir.Varying
	nextOut, nextIn := 0, 0
	next := func(n *int, limit int, file d3d9.File, used *ports) (ir.Reg, bool) {
		for ; *n < limit; *n++ {
			if reg := (ir.Reg{File: ir.File(file), Index: uint16(*n)}); !used.usesRegister(reg) {
				*n++
				return reg, true
			}
		}
		return ir.Reg{}, false
	}
	for set := range uint8(sets) {
		sem := semantic{d3d9.UsageTexCoord, set}
		if outs.has(sem) || ins.has(sem) {
			continue
		}
		v := ir.Varying{Semantic: set,
			Out: ir.Reg{File: ir.File(outFile), Index: uint16(set)}, In: ir.Reg{File: ir.File(inFile), Index: uint16(set)}}
		ok := true
		if outFile == d3d9.Output {
			v.Out, ok = next(&nextOut, nOut, outFile, &outs)
		}
		if ok && inFile == d3d9.Input {
			v.In, ok = next(&nextIn, nIn, inFile, &ins)
		}
		if !ok {
			break
		}
		list = append(list, v)
	}
	return list
}
