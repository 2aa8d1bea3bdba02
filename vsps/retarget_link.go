package vsps

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// varyingNames are the registers of models below 3 for semantics: those that a vertex program of
// the pair writes, and those that its pixel program reads.
type varyingNames struct{ out, in map[semantic]varyingReg }

// varyingReg is the register for a semantic. It has no file if nothing reads the semantic.
type varyingReg struct {
	d3d9.Reg
	share share
}

// share is the part of a register that a semantic occupies. The zero value means all of it.
type share struct {
	mask  d3d9.Mask    // the components of the semantic that are read
	order d3d9.Swizzle // component c of the semantic is component order(c) of the register
	guest bool         // another semantic owns the register
	// pad and span are those of an owner: the components below the last used one that no semantic uses, and all up to
	// that one.
	pad, span d3d9.Mask
}

// nameVaryings assigns a register to each semantic that p's pixel program reads. COLOR0 and 1 keep
// theirs. The others become the texture coordinates from 0 on, since models below 3 allow no gap in
// oT#. With a vertex program below version 3, TEXCOORD0 to 7 keep their numbers. Models below 3
// have eight texture coordinates: if these do not suffice, narrow semantics share one (see shares).
func nameVaryings(p Pair, pixel d3d9.Profile) (varyingNames, asm.Diags) {
	n := varyingNames{out: map[semantic]varyingReg{}, in: map[semantic]varyingReg{}}
	rast := map[semantic]uint16{{d3d9.UsagePosition, 0}: d3d9.PosIndex, {d3d9.UsagePSize, 0}: d3d9.PointIndex,
		{d3d9.UsageFog, 0}: d3d9.FogIndex}
	for sem, index := range rast {
		n.out[sem] = varyingReg{Reg: d3d9.Reg{File: d3d9.RastOut, Index: index}}
	}
	limit := pixel.Model.Limits().Regs[d3d9.Texture]
	var diags asm.Diags
	var taken [64]bool
	var others []*d3d9.Inst
	set := func(sem semantic, index uint16, s share) {
		taken[index] = true
		n.out[sem], n.in[sem] = varyingReg{d3d9.Reg{File: d3d9.TexOut, Index: index},
			s}, varyingReg{d3d9.Reg{File: d3d9.Texture, Index: index}, s}
	}
	partner := p.Vertex.Model.Major < 3 // it keeps its registers
	if partner {
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
			n.out[sem] = varyingReg{Reg: d3d9.Reg{File: d3d9.AttrOut, Index: uint16(sem.index)}}
			n.in[sem] = varyingReg{Reg: d3d9.Reg{File: d3d9.Input, Index: uint16(sem.index)}}
			if sem.index == 0 && reads(p.Pixel, in.Dst)&^writes(p.Vertex, sem) != 0 {
				diags = append(diags, asm.Errorf(in.Pos, "fit-input",
					"the pixel program reads components of %s that the vertex program does not write: they are 0, but 1 with %s", in.Dst.Reg, pixel.Name))
			}
		case sem.usage == d3d9.UsageColor: // may be flat-shaded, unlike coordinates
			diags = append(diags, asm.Errorf(in.Pos, "fit-interpolators", "%s has only two colours, so %s does not fit",
				pixel.Name, in.Dst.Reg))
		case partner && sem.usage == d3d9.UsageTexCoord && int(sem.index) < limit:
			set(sem, uint16(sem.index), share{})
		default:
			others = append(others, in)
		}
	}
	slices.SortStableFunc(others, func(a, b *d3d9.Inst) int { // in the order of their numbers
		return cmp.Compare(coordinate(a), coordinate(b))
	})
	free := 0
	for _, used := range taken[:limit] {
		if !used {
			free++
		}
	}
	shares := p.shares(others, free)
	for _, in := range others {
		sem := semanticOf(in)
		if _, named := n.in[sem]; named {
			continue
		}
		s, narrow := shares[sem]
		if narrow && (s.host != nil || s.mask == 0) {
			continue // it shares the register of its host, or nothing reads it
		}
		free := slices.Index(taken[:limit], false)
		if free < 0 {
			diags = append(diags, asm.Errorf(in.Pos, "fit-interpolators",
				"%s has %d texture coordinates, and none is free for %s", pixel.Name, limit, in.Dst.Reg))
			free = 0
		}
		set(sem, uint16(free), s.share)
	}
	for _, in := range others {
		if s := shares[semanticOf(in)]; s.host != nil {
			set(semanticOf(in), n.in[semanticOf(s.host)].Index, s.share)
		}
	}
	return n, diags
}

func semanticOf(dcl *d3d9.Inst) semantic { return semantic{dcl.Decl.Usage, dcl.Decl.Index} }

// coordinate returns the number of a declared TEXCOORD, and a larger number for other usages.
func coordinate(in *d3d9.Inst) int {
	if in.Decl.Usage == d3d9.UsageTexCoord {
		return int(in.Decl.Index)
	}
	return math.MaxInt
}

// reads returns the components of a declared input that a pixel program reads.
func reads(p *d3d9.Program, input d3d9.Dst) (mask d3d9.Mask) {
	for i := range p.Insts {
		in := &p.Insts[i]
		for k, s := range in.Sources() {
			if s.Reg == input.Reg && s.Rel.File == d3d9.NoFile || s.File == input.File && s.Rel.File != d3d9.NoFile {
				mask |= in.Components(k, d3d9.TexVolume) // the type with the most coordinates
			}
		}
	}
	return mask & input.Mask
}

// writes returns the components of a colour that a vertex program writes on some path.
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

// seam maps the v# of a pixel or the o# of a vertex program of version 3 to registers of lower
// models. A register with one semantic is renamed. A register that packs several semantics goes
// through a temporary, and so does a mask with a gap, which oT# may not have:
//
//	dcl_texcoord0 o1.xy; dcl_texcoord1 o1.zw      o1 becomes r9, and at the end
//	                                              mov oT0.xy, r9;  mov oT1.xy, r9.zw
type seam struct {
	names       map[d3d9.Reg]d3d9.Reg
	parts       map[d3d9.Reg][]part
	fill, drain []d3d9.Inst // statements that copy inputs to temporaries, and temporaries to outputs
}

// part is a declaration: the name of some components of a register.
type part struct {
	at   *d3d9.Inst
	name varyingReg
}

// seamOf returns the seam of p; temp allocates temporaries.
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
		// oFog and oPts have one component, so writes to them go through a temporary.
		whole := parts[0].name.File != d3d9.RastOut || parts[0].name.Index == d3d9.PosIndex
		gap := file == d3d9.Output && mask&(mask+1) != 0 // components of oT# start at x
		// A share of a register stays in place if it is read in the order of the register.
		direct := parts[0].name.share == share{} || file == d3d9.Input && !parts[0].name.share.moved()
		if len(parts) == 1 && whole && !gap && direct && parts[0].name.File != d3d9.NoFile {
			q.names[reg] = parts[0].name.Reg
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
				in.Dst, in.Src[0].Reg = d3d9.Dst{Reg: t, Mask: d.at.Dst.Mask}, d.name.Reg
				if d.name.share.moved() {
					in.Dst.Mask, in.Src[0].Swz = d.name.share.mask, d.name.share.order
				}
				q.fill = append(q.fill, in)
			case d.name.share != share{}:
				in.Dst, in.Src[0].Reg = d3d9.Dst{Reg: d.name.Reg}, t
				in.Dst.Mask, in.Src[0].Swz = d.name.share.written()
				q.drain = append(q.drain, in)
			default:
				if mask := d.at.Dst.Mask & mask; mask != 0 {
					in.Dst, in.Src[0].Reg = d3d9.Dst{Reg: d.name.Reg}, t
					in.Dst.Mask, in.Src[0].Swz = fromX(mask, d.name.Reg)
					q.drain = append(q.drain, in)
				}
			}
		}
	}
	return q
}

// fromX returns a mask without a gap that covers mask, and the source components: in a gap any
// readable one. A register of one component uses the first. ("oT#: the union of masks must be .x,
// .xy, .xyz or .xyzw".)
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

// renameReg returns the register that replaces r.
func (q *seam) renameReg(r d3d9.Reg) d3d9.Reg {
	if name, ok := q.names[r]; ok {
		return name
	}
	return r
}

// declared reports whether r has its own declarations below version 3.
func (q *seam) declared(r d3d9.Reg) bool { return q.parts[r] != nil }

// declare returns the declarations that replace in.
func (q *seam) declare(in *d3d9.Inst) (list []d3d9.Inst) {
	for _, d := range q.parts[in.Dst.Reg] {
		if d.at.Decl == in.Decl && d.at.Dst == in.Dst && d.name.File != d3d9.NoFile && in.Dst.File == d3d9.Input &&
			!d.name.share.guest {
			c := *in
			c.Dst.Reg, c.Decl = d.name.Reg, d3d9.Decl{}
			if d.name.share != (share{}) { // the declaration of all
				c.Dst.Mask = d.name.share.span
			}
			list = append(list, c)
		}
	}
	return list
}
