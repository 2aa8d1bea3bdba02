package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// varyingNames are the registers of models below 3 that stand for semantics: those that
// a vertex program of the pair writes, and those that its pixel program reads.
type varyingNames struct{ out, in map[semantic]d3d9.Reg }

// nameVaryings gives each semantic that p's pixel program reads registers: its own
// where it has some below 3, that is COLOR0 and 1 and TEXCOORD0 to 7, else a texture
// coordinate that no other one has. Models below 3 have eight of these.
func nameVaryings(p Pair, pixel d3d9.Profile) (varyingNames, asm.Diags) {
	n := varyingNames{out: map[semantic]d3d9.Reg{}, in: map[semantic]d3d9.Reg{}}
	rast := map[semantic]uint16{{d3d9.UsagePosition, 0}: d3d9.PosIndex, {d3d9.UsagePSize, 0}: d3d9.PointIndex, {d3d9.UsageFog, 0}: d3d9.FogIndex}
	for sem, index := range rast {
		n.out[sem] = d3d9.Reg{File: d3d9.RastOut, Index: index}
	}
	limit := pixel.Model.Limits().Regs[d3d9.Texture]
	var diags asm.Diags
	var taken [64]bool
	var others []*d3d9.Inst
	set := func(sem semantic, index uint16) {
		taken[index] = true
		n.out[sem], n.in[sem] = d3d9.Reg{File: d3d9.TexOut, Index: index}, d3d9.Reg{File: d3d9.Texture, Index: index}
	}
	if p.Vertex.Model.Major < 3 { // a partner, which keeps its registers
		for i := range p.Vertex.Insts {
			if in := &p.Vertex.Insts[i]; in.HasDst && in.Dst.File == d3d9.TexOut {
				taken[in.Dst.Index] = true
			}
		}
	}
	for i := range p.Pixel.Insts {
		in := &p.Pixel.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File != d3d9.Input {
			continue
		}
		switch sem := (semantic{in.Decl.Usage, in.Decl.Index}); {
		case sem.usage == d3d9.UsageColor && sem.index < 2:
			n.out[sem], n.in[sem] = d3d9.Reg{File: d3d9.AttrOut, Index: uint16(sem.index)}, d3d9.Reg{File: d3d9.Input, Index: uint16(sem.index)}
			if sem.index == 0 && reads(p.Pixel, in.Dst)&^writes(p.Vertex, sem) != 0 {
				diags = append(diags, asm.Errorf(in.Pos, "fit-input", "the vertex program does not write all of what is read of %s: that is 0, and white with %s", in.Dst.Reg, pixel.Name))
			}
		case sem.usage == d3d9.UsageColor: // which may be shaded flat, other than coordinates
			diags = append(diags, asm.Errorf(in.Pos, "fit-interpolators", "%s has two colours, and %s is another one", pixel.Name, in.Dst.Reg))
		case sem.usage == d3d9.UsageTexCoord && int(sem.index) < limit:
			set(sem, uint16(sem.index))
		default:
			others = append(others, in)
		}
	}
	for _, in := range others {
		sem := semantic{in.Decl.Usage, in.Decl.Index}
		if free := slices.Index(taken[:limit], false); free >= 0 {
			set(sem, uint16(free))
			continue
		}
		diags = append(diags, asm.Errorf(in.Pos, "fit-interpolators", "%s has %d texture coordinates, and none is left for %s", pixel.Name, limit, in.Dst.Reg))
		set(sem, 0)
	}
	return n, diags
}

// reads are the components of an input, as it is declared, that a pixel program reads.
func reads(p *d3d9.Program, input d3d9.Dst) (mask d3d9.Mask) {
	for i := range p.Insts {
		in := &p.Insts[i]
		for k, s := range in.Sources() {
			if s.Reg == input.Reg && s.Rel.File == d3d9.NoFile || s.File == input.File && s.Rel.File != d3d9.NoFile {
				mask |= in.Components(k, d3d9.TexVolume) // a type that nothing reads more for
			}
		}
	}
	return mask & input.Mask
}

// writes are the components of a colour that a vertex program writes, perhaps on some path only.
func writes(p *d3d9.Program, sem semantic) (mask d3d9.Mask) {
	named, dst := d3d9.MaskAll, d3d9.Reg{File: d3d9.AttrOut, Index: uint16(sem.index)}
	if p.Model.Major >= 3 {
		named = 0
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		switch {
		case !in.HasDst:
		case in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output && (semantic{in.Decl.Usage, in.Decl.Index}) == sem:
			named, dst = in.Dst.Mask, in.Dst.Reg
		case in.Op != d3d9.OpDcl && in.Dst.Reg == dst, in.Dst.File == dst.File && in.Dst.Rel.File != d3d9.NoFile:
			mask |= in.Dst.Mask
		}
	}
	return mask & named
}

// seam is the v# of a pixel or the o# of a vertex program of version 3 as registers of
// models below: what has one semantic is renamed, what is packed of several goes
// through a temporary, and so do masks with a gap, which oT# may not have:
//
//	dcl_texcoord0 o1.xy; dcl_texcoord1 o1.zw      o1 becomes r9, and at the end
//	                                              mov oT0.xy, r9;  mov oT1.xy, r9.zw
type seam struct {
	names       map[d3d9.Reg]d3d9.Reg
	parts       map[d3d9.Reg][]part
	fill, drain []d3d9.Inst // temporaries from inputs, and outputs from temporaries
}

// part is what a declaration says: some components of a register have a name.
type part struct {
	at   *d3d9.Inst
	name d3d9.Reg // of no file if nobody reads it
}

// seamOf finds those of p; temp makes temporaries.
func seamOf(p *d3d9.Program, names varyingNames, temp func() d3d9.Reg) seam {
	q := seam{names: map[d3d9.Reg]d3d9.Reg{}, parts: map[d3d9.Reg][]part{}}
	file, table := d3d9.Input, names.in
	if p.Model.Stage == d3d9.Vertex {
		file, table = d3d9.Output, names.out
	}
	var order []d3d9.Reg
	written := map[d3d9.Reg]d3d9.Mask{}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.HasDst && in.Dst.File == file && in.Op != d3d9.OpDcl {
			written[in.Dst.Reg] |= in.Dst.Mask
		}
		if in.Op != d3d9.OpDcl || in.Dst.File != file {
			continue
		}
		if q.parts[in.Dst.Reg] == nil {
			order = append(order, in.Dst.Reg)
		}
		q.parts[in.Dst.Reg] = append(q.parts[in.Dst.Reg], part{in, table[semantic{in.Decl.Usage, in.Decl.Index}]})
	}
	for _, reg := range order {
		parts, mask := q.parts[reg], written[reg]
		// oFog and oPts have one component, so what is written to them goes through a
		// temporary.
		whole := parts[0].name.File != d3d9.RastOut || parts[0].name.Index == d3d9.PosIndex
		gap := file == d3d9.Output && mask&(mask+1) != 0 // components of oT# start at x
		if len(parts) == 1 && whole && !gap && parts[0].name.File != d3d9.NoFile {
			q.names[reg] = parts[0].name
			continue
		}
		t := temp()
		q.names[reg] = t
		for _, d := range parts {
			in := d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Pos: d.at.Pos}
			in.Src[0] = d3d9.Src{Swz: d3d9.Identity}
			switch {
			case d.name.File == d3d9.NoFile:
			case file == d3d9.Input:
				in.Dst, in.Src[0].Reg = d3d9.Dst{Reg: t, Mask: d.at.Dst.Mask}, d.name
				q.fill = append(q.fill, in)
			default:
				if mask := d.at.Dst.Mask & mask; mask != 0 {
					in.Dst, in.Src[0].Reg = d3d9.Dst{Reg: d.name}, t
					in.Dst.Mask, in.Src[0].Swz = fromX(mask, d.name)
					q.drain = append(q.drain, in)
				}
			}
		}
	}
	return q
}

// fromX is a mask without a gap that covers mask, and which components to write it
// from: in a gap anything that is there. A register of one component has the first.
// ("oT#: the union of masks must be .x, .xy, .xyz or .xyzw".)
func fromX(mask d3d9.Mask, to d3d9.Reg) (d3d9.Mask, d3d9.Swizzle) {
	first, last := 0, 3
	for !mask.Has(first) {
		first++
	}
	for !mask.Has(last) {
		last--
	}
	if isScalar(to.File, to.Index) {
		return d3d9.MaskX, d3d9.Replicate(first)
	}
	var from [4]int
	for c := range from {
		if from[c] = first; mask.Has(c) {
			from[c] = c
		}
	}
	return d3d9.MaskAll >> (3 - last), d3d9.MakeSwizzle(from[0], from[1], from[2], from[3])
}

// reg is the register that stands for r.
func (q *seam) reg(r d3d9.Reg) d3d9.Reg {
	if name, ok := q.names[r]; ok {
		return name
	}
	return r
}

// declared reports whether r has declarations of its own below version 3.
func (q *seam) declared(r d3d9.Reg) bool { return q.parts[r] != nil }

// declare is what becomes of the declaration in.
func (q *seam) declare(in *d3d9.Inst) (list []d3d9.Inst) {
	for _, d := range q.parts[in.Dst.Reg] {
		if d.at.Decl == in.Decl && d.at.Dst == in.Dst && d.name.File != d3d9.NoFile && in.Dst.File == d3d9.Input {
			c := *in
			c.Dst.Reg, c.Decl = d.name, d3d9.Decl{}
			list = append(list, c)
		}
	}
	return list
}
