package mutate

import "github.com/shaderlift/shaderlift/asm/d3d9"

// d3d9InterfaceKinds change the interface of a program: vertex attributes, interpolators, samplers,
// precision and the shader model. Most changes affect no execution, because both versions are executed with
// the declarations of one. The judge must compare the declarations.
var d3d9InterfaceKinds = []Kind{
	{Name: "precision-added", Declared: true, Doc: "an instruction of a pixel program becomes _pp",
		d3d9: (*d3d9Site).precisionAdded},
	{Name: "precision-moved", Declared: true, Doc: "_pp moves from an instruction to another",
		d3d9: (*d3d9Site).precisionMoved},
	{Name: "precision-input", Declared: true, Doc: "an interpolated input becomes _pp", d3d9: (*d3d9Site).precisionInput},
	{Name: "centroid", Declared: true, Doc: "an input is no longer sampled at the centroid, or now is",
		d3d9: (*d3d9Site).centroid},
	{Name: "sampler-type", Declared: true, Doc: "a sampler is declared for another type of texture",
		d3d9: (*d3d9Site).samplerType},
	{Name: "sampler", Doc: "a fetch reads another sampler", d3d9: (*d3d9Site).sampler},
	{Name: "usage", Declared: true, Doc: "an input or output has another usage", d3d9: (*d3d9Site).usage},
	{Name: "usage-index", Declared: true, Doc: "an input or output has another usage index", d3d9: (*d3d9Site).usageIndex},
	{Name: "usages-exchanged", Declared: true, Doc: "two inputs, or two outputs, exchange usage and index",
		d3d9: (*d3d9Site).usagesExchanged},
	{Name: "model", Declared: true, Doc: "the pixel program becomes ps_3_0 while the vertex program stays below",
		d3d9: (*d3d9Site).model},
}

// precisionAdded permits an implementation to compute with less precision than the original allows.
func (m *d3d9Site) precisionAdded() bool {
	in := m.statement()
	if m.p.Model.Stage != d3d9.Pixel || !in.HasDst || !computes(in) && in.Op.Kind() != d3d9.TextureOp ||
		in.Dst.Mods&d3d9.PartialPrecision != 0 {
		return false
	}
	in.Dst.Mods |= d3d9.PartialPrecision
	return true
}

func (m *d3d9Site) precisionMoved() bool {
	in := m.statement()
	if in.Op.Kind() == d3d9.Declaration || in.Dst.Mods&d3d9.PartialPrecision == 0 {
		return false
	}
	for n, first := 0, m.r.IntN(len(m.p.Insts)); n < len(m.p.Insts); n++ {
		o := &m.p.Insts[(first+n)%len(m.p.Insts)]
		if computes(o) && o.Dst.Mods&d3d9.PartialPrecision == 0 {
			o.Dst.Mods |= d3d9.PartialPrecision
			in.Dst.Mods &^= d3d9.PartialPrecision
			return true
		}
	}
	return false
}

// input reports whether the statement declares an interpolated input.
func (m *d3d9Site) input() bool {
	in := m.statement()
	return in.Op == d3d9.OpDcl && m.p.Model.Stage == d3d9.Pixel &&
		(in.Dst.File == d3d9.Input || in.Dst.File == d3d9.Texture)
}

func (m *d3d9Site) precisionInput() bool {
	if !m.input() || m.statement().Dst.Mods&d3d9.PartialPrecision != 0 {
		return false
	}
	m.statement().Dst.Mods |= d3d9.PartialPrecision
	return true
}

// centroid toggles centroid sampling, which only matters at the edges of multisampled triangles.
func (m *d3d9Site) centroid() bool {
	if !m.input() {
		return false
	}
	m.statement().Dst.Mods ^= d3d9.Centroid
	return true
}

func (m *d3d9Site) samplerType() bool {
	in := m.statement()
	if in.Op != d3d9.OpDcl || in.Dst.File != d3d9.Sampler {
		return false
	}
	old := in.Decl.Tex
	in.Decl.Tex = choose(m.r, d3d9.Tex2D, d3d9.TexCube, d3d9.TexVolume)
	return in.Decl.Tex != old
}

func (m *d3d9Site) sampler() bool {
	in := m.statement()
	if in.Op.Kind() != d3d9.TextureOp || in.NSrc < 2 || in.Src[1].File != d3d9.Sampler {
		return false
	}
	old := in.Src[1].Index
	in.Src[1].Index = uint16(m.r.IntN(int(old) + 3))
	return in.Src[1].Index != old
}

// semantic reports whether the statement declares the usage of a register: inputs of vertex programs, and
// in version 3 outputs and the inputs of pixel programs.
func (m *d3d9Site) semantic(in *d3d9.Inst) bool {
	switch {
	case in.Op != d3d9.OpDcl:
		return false
	case in.Dst.File == d3d9.Output:
		return true
	case in.Dst.File != d3d9.Input:
		return false
	}
	return m.p.Model.Stage == d3d9.Vertex || m.p.Model.Major >= 3
}

func (m *d3d9Site) usage() bool {
	in := m.statement()
	if !m.semantic(in) {
		return false
	}
	old := in.Decl.Usage
	in.Decl.Usage = choose(m.r, d3d9.UsageTexCoord, d3d9.UsageColor, d3d9.UsageNormal, d3d9.UsageTangent,
		d3d9.UsagePosition)
	return in.Decl.Usage != old
}

func (m *d3d9Site) usageIndex() bool {
	in := m.statement()
	if !m.semantic(in) {
		return false
	}
	old := in.Decl.Index
	in.Decl.Index = uint8(m.r.IntN(8))
	return in.Decl.Index != old
}

// usagesExchanged exchanges the usages of two registers of the same file.
func (m *d3d9Site) usagesExchanged() bool {
	in := m.statement()
	if !m.semantic(in) {
		return false
	}
	for n, first := 0, m.r.IntN(len(m.p.Insts)); n < len(m.p.Insts); n++ {
		o := &m.p.Insts[(first+n)%len(m.p.Insts)]
		if o != in && m.semantic(o) && o.Dst.File == in.Dst.File && o.Decl != in.Decl {
			o.Decl, in.Decl = in.Decl, o.Decl
			return true
		}
	}
	return false
}

// model converts a pixel program of version 2 to ps_3_0, register by register: t# become v#, and v# become
// v8 and up, with the same semantics. Direct3D 9 draws ps_3_0 only with vs_3_0, so the pair is no longer
// usable. It applies once, at the first statement.
func (m *d3d9Site) model() bool {
	if m.p.Model.Stage != d3d9.Pixel || m.p.Model.Major != 2 || m.pair.Vertex == nil || m.i > 0 {
		return false
	}
	m.p.Model = d3d9.PS30
	m.p.Head = ""
	rename := func(r *d3d9.Reg) {
		switch r.File {
		case d3d9.Input:
			r.Index += 8
		case d3d9.Texture:
			r.File = d3d9.Input
		}
	}
	for i := range m.p.Insts {
		in := &m.p.Insts[i]
		if in.Op == d3d9.OpDcl {
			switch in.Dst.File {
			case d3d9.Input:
				in.Decl = d3d9.Decl{Usage: d3d9.UsageColor, Index: uint8(in.Dst.Index)}
			case d3d9.Texture:
				in.Decl = d3d9.Decl{Usage: d3d9.UsageTexCoord, Index: uint8(in.Dst.Index)}
			}
		}
		if in.HasDst {
			rename(&in.Dst.Reg)
		}
		for k := range in.Src[:in.NSrc] {
			rename(&in.Src[k].Reg)
		}
	}
	return true
}
