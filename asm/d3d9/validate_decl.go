package d3d9

// declarations are what the dcl statements of a program say, as far as they have been
// walked. All arrays are indexed by register number, of which no declared file has more
// than 16.
type declarations struct {
	mask [numFiles][16]Mask // components declared
	tex  [16]TexType        // of the samplers
	// fixed and varying are the o# with a semantic for the rasteriser alone
	// (position, point size, fog) and with any other.
	fixed, varying uint16
	semantics      [2][sampleSemantics]uint16 // usage indices taken by v# and by o#
	position       uint16                     // the o# of the position
	// there was a dcl
	any bool
}

// sampleSemantics is the number of usages.
const sampleSemantics = int(UsageSample) + 1

// add takes in one dcl, unless its register cannot exist. Two of one register, for
// different components, add up.
func (d *declarations) add(in *Inst) {
	r := in.Dst.Reg
	if int(r.Index) >= len(d.mask[r.File]) {
		return
	}
	d.any = true
	d.mask[r.File][r.Index] |= in.Dst.Mask
	switch r.File {
	case Sampler:
		d.tex[r.Index] = in.Decl.Tex
	case Output:
		if in.Decl == (Decl{Usage: UsagePosition}) {
			d.position = r.Index
		}
		switch in.Decl.Usage {
		case UsagePosition, UsagePSize, UsageFog:
			d.fixed |= 1 << r.Index
		default:
			d.varying |= 1 << r.Index
		}
	}
}

// of is the mask that r was declared with.
func (d *declarations) of(r Reg) Mask { return d.mask[r.File][r.Index] }

// texture is the texture type of the sampler that in reads, which is always its second
// source; TexUnknown for all other instructions.
func (d *declarations) texture(in *Inst) TexType {
	if s := in.Src[1]; in.Op.Kind() == TextureOp && s.File == Sampler && int(s.Index) < len(d.tex) {
		return d.tex[s.Index]
	}
	return TexUnknown
}

// needsDecl reports whether registers of f need a dcl. A vs_1_1 program without
// any is one of Direct3D 8, whose v# the application binds.
func (v *validator) needsDecl(f File) bool {
	switch f {
	case Input:
		return v.m.Major > 1 || v.decls.any
	case Texture, Sampler, Output, Misc:
		return true
	}
	return false
}

// checkDeclaration checks dcl, def, defi and defb, which come before the first
// instruction. Definitions may repeat: the last one of a register wins.
func (v *validator) checkDeclaration(i int, in *Inst) {
	r := in.Dst.Reg
	if v.executes {
		v.report(i, codeLate, "%s of %s after the first instruction", in.Op, r)
	}
	if v.outOfRange(i, r, 1) || in.Op != OpDcl {
		return
	}
	switch {
	case r == Reg{Misc, VPosIndex} && in.Dst.Mask&^maskXY != 0:
		v.report(i, codeDeclaration, "vPos has components x and y only")
	case r.File == Sampler && (in.Decl.Tex == TexUnknown || in.Decl.Tex == Tex1D):
		v.report(i, codeDeclaration, "%s needs a texture type: 2d, cube or volume", r)
	case in.Dst.Mods != 0 && (r.File == Sampler || r.File == Misc):
		v.report(i, codeDeclaration, "the declaration of %s takes no modifiers", r)
	case v.decls.of(r)&in.Dst.Mask != 0:
		v.report(i, codeDuplicate, "%s is declared twice", r)
	}
	if v.m.declForm(r.File) == declSemantic {
		v.checkSemantic(i, in)
	}
	v.decls.add(in)
}

// checkSemantic checks the semantic of a v# or o#: each is declared once on either side
// of the pipeline, and those that the rasteriser takes have the components that it
// takes (MSDN, "dcl_usage").
func (v *validator) checkSemantic(i int, in *Inst) {
	d, r := in.Decl, in.Dst.Reg
	side := 0
	if r.File == Output {
		side = 1
	}
	taken := &v.decls.semantics[side][d.Usage]
	if *taken>>d.Index&1 != 0 {
		v.report(i, codeDuplicate, "%s%d is declared twice", d.Usage, d.Index)
	}
	*taken |= 1 << d.Index

	position := d == Decl{Usage: UsagePosition}
	switch {
	case r.File == Output && position && in.Dst.Mask != MaskAll:
		v.report(i, codeDeclaration, "the position output takes all components of its register")
	case r.File == Output && d.Usage == UsagePSize && in.Dst.Mask.Count() != 1 && in.Dst.Mask != MaskAll:
		v.report(i, codeDeclaration, "the point size is one component")
	case v.m.Stage == Pixel && (position || d == Decl{Usage: UsagePSize}):
		v.report(i, codeDeclaration, "a pixel program cannot read %s", d.Usage)
	}
}
