package d3d9

// declarations are the dcl statements walked so far. All arrays are indexed by register number; no
// declared file has more than 16 registers.
type declarations struct {
	mask [numFiles][16]Mask // components declared
	tex  [16]TexType        // of the samplers
	// fixed are the o# with a semantic only for the rasteriser (position, point size, fog); varying
	// are the others.
	fixed, varying uint16
	semantics      [2][sampleSemantics]uint16 // usage indices in use by v# and by o#
	position       uint16                     // the o# of the position
	// there was a dcl
	any bool
	// loops maps registers to the values of their defi.
	loops map[Reg][4]uint32
}

// sampleSemantics is the number of usages.
const sampleSemantics = int(usageSample) + 1

// addDeclaration records one dcl, unless its register cannot exist. Two dcl of one register, for different
// components, are combined.
func (d *declarations) addDeclaration(in *Inst) {
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

// declaredMask returns the declared mask of r.
func (d *declarations) declaredMask(r Reg) Mask { return d.mask[r.File][r.Index] }

// texture returns the texture type of the sampler that in reads, which is always its second source,
// or TexUnknown for all other instructions.
func (d *declarations) texture(in *Inst) TexType {
	if s := in.Src[1]; in.Op.Kind() == TextureOp && s.File == Sampler && int(s.Index) < len(d.tex) {
		return d.tex[s.Index]
	}
	return TexUnknown
}

// needsDecl reports whether registers of f need a dcl. A vs_1_1 program without any dcl is a
// Direct3D 8 program, whose v# the application binds.
func (v *validator) needsDecl(f File) bool {
	switch f {
	case Input:
		return v.m.Major > 1 || v.decls.any
	case Texture, Sampler, Output, Misc:
		return true
	}
	return false
}

// checkDeclaration checks dcl, def, defi and defb, which come before the first instruction.
// Definitions may repeat: the last definition of a register wins.
func (v *validator) checkDeclaration(i int, in *Inst) {
	r := in.Dst.Reg
	if v.executes {
		v.report(i, codeLate, "%s of %s after the first instruction", in.Op, r)
	}
	if in.Op == OpDefI {
		if v.decls.loops == nil {
			v.decls.loops = map[Reg][4]uint32{}
		}
		v.decls.loops[r] = in.Imm
	}
	if v.outOfRange(i, r, 1) || in.Op != OpDcl {
		return
	}
	switch {
	case r == Reg{Misc, VPosIndex} && in.Dst.Mask&^maskXY != 0:
		v.report(i, codeDeclaration, "vPos has only components x and y; declare vPos.xy")
	case r.File == Sampler && (in.Decl.Tex == TexUnknown || in.Decl.Tex == Tex1D):
		v.report(i, codeDeclaration, "%s needs a texture type: 2d, cube or volume", r)
	case in.Dst.Mods != 0 && (r.File == Sampler || r.File == Misc):
		v.report(i, codeDeclaration, "the declaration of %s takes no modifiers", r)
	case v.decls.declaredMask(r)&in.Dst.Mask != 0:
		v.report(i, codeDuplicate, "%s is declared twice", r)
	}
	if v.m.declForm(r.File) == declSemantic {
		v.checkSemantic(i, in)
	}
	v.decls.addDeclaration(in)
}

// checkSemantic checks the semantic of a v# or o#. Each semantic is declared once for inputs and
// once for outputs, and those for the rasteriser have exactly its components (MSDN, "dcl_usage").
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
		v.report(i, codeDeclaration, "the position output must have all components of its register")
	case r.File == Output && d.Usage == UsagePSize && in.Dst.Mask.Count() != 1 && in.Dst.Mask != MaskAll:
		v.report(i, codeDeclaration, "the point size must be one component")
	case v.m.Stage == Pixel && (position || d == Decl{Usage: UsagePSize}):
		v.report(i, codeDeclaration, "a pixel program cannot read %s", d.Usage)
	}
}
