package d3d9

// writes are the output components that a program writes on any path.
type writes struct {
	mask     [numFiles][16]Mask
	relative bool // to an o# selected at run time
}

// checkWrite checks a write to an output and records it. Temporaries are checked elsewhere
// (validate_init.go).
func (v *validator) checkWrite(i int, in *Inst) {
	d := &in.Dst
	switch {
	case d.Rel.File != NoFile:
		v.written.relative = true
		return
	case v.outOfRange(i, d.Reg, 1), d.File == Temp:
		return
	case d.File == Output:
		v.checkRead(i, d.Reg, d.Rel, d.Mask)
	case v.m.Stage == Pixel && v.m.Major == 2 && pixelOutputs.has(d.File):
		v.checkMovOut(i, in)
	default:
		v.checkScalarOut(i, in)
	}
	v.written.mask[d.File][d.Index] |= d.Mask
}

// checkScalarOut checks the sources of a write to oFog or oPts. These outputs have one component,
// so each source of a component-wise instruction selects one. The assembler of D3DX refuses the
// first of these:
//
//	mad oFog, -r3, c9.z, c9.w
//	mad oFog, -r3.x, c9.z, c9.w
func (v *validator) checkScalarOut(i int, in *Inst) {
	if d := in.Dst.Reg; d.File != RastOut || !d.IsScalarOutput() {
		return
	}
	for k, s := range in.Sources() {
		if !s.Swz.IsReplicate() && ReadsByMask(in.Op, k) {
			v.report(i, codeScalarOut, "source %d of %s must be one component, because %s has only one", k+1, in.Op, in.Dst.Reg)
		}
	}
}

// checkMovOut checks the only form in which ps_2_0 and ps_2_x write results: a plain mov of a whole
// register, once. It allows _pp, which the page on outputs forbids but compilers emit.
func (v *validator) checkMovOut(i int, in *Inst) {
	d, s := &in.Dst, &in.Src[0]
	switch {
	case d.Mask != MaskAll || d.Mods&^PartialPrecision != 0 || s.Mod != ModNone || in.HasPred:
		v.report(i, codeOutputWrite, "the mov to %s takes no mask, modifier or predicate", d.Reg)
	case d.File == ColorOut && s.Swz != Identity:
		v.report(i, codeOutputWrite, "the mov to %s takes no swizzle", d.Reg)
	case d.File == DepthOut && !s.Swz.IsReplicate():
		v.report(i, codeOutputWrite, "the mov to oDepth must choose one component")
	case v.written.mask[d.File][d.Index] != 0:
		v.report(i, codeOutputWrite, "%s is written twice", d.Reg)
	}
}

// checkOutputs checks that a program writes the required outputs. It requires a write on some path,
// not on every path.
func (v *validator) checkOutputs() {
	w := &v.written.mask
	switch {
	case v.m.Stage == Vertex && v.m.Major >= 3:
		v.checkPosition()
	case v.m.Stage == Vertex:
		v.checkPositionMask(Reg{RastOut, PosIndex})
		if low, high, gap := firstGap(&w[TexOut]); gap {
			v.report(-1, outputGap, "oT%d is written but oT%d is not", high, low)
		}
		for r, m := range w[TexOut] {
			if m&(m+1) != 0 {
				v.report(-1, unwrittenOutput, "oT%d is written as .%s: components must start at x without a gap", r, letters(m))
			}
		}
	case v.m.Major == 2:
		if w[ColorOut][0] == 0 {
			v.report(-1, codeOutputMissing, "oC0 is not written")
		}
		v.checkColors()
	case w[ColorOut] == [16]Mask{} && w[DepthOut] == [16]Mask{}:
		v.report(-1, codeOutputMissing, "no color and no depth is written")
	}
}

// checkPosition checks that a vs_3_0 program has a position.
func (v *validator) checkPosition() {
	if v.decls.semantics[1][UsagePosition]&1 == 0 {
		v.report(-1, codeOutputMissing, "no output is declared position")
		return
	}
	if !v.written.relative {
		v.checkPositionMask(Reg{Output, uint16(v.decls.position)})
	}
}

// checkPositionMask checks that all components of the position r are written.
func (v *validator) checkPositionMask(r Reg) {
	switch left := MaskAll &^ v.written.mask[r.File][r.Index]; left {
	case 0:
	case MaskAll:
		v.report(-1, codeOutputMissing, "the position %s is not written", r)
	default:
		v.report(-1, unwrittenOutput, "%s.%s, which is part of the position, is not written", r, letters(left))
	}
}

// checkColors checks that a program writes all colors below the highest written one (MSDN,
// "Multiple-element Textures").
func (v *validator) checkColors() {
	if low, high, gap := firstGap(&v.written.mask[ColorOut]); gap {
		v.report(-1, codeOutputMask, "oC%d is written but oC%d is not", high, low)
	}
}

// firstGap returns the lowest register that is not written and the lowest written one above it, if
// any.
func firstGap(written *[16]Mask) (low, high int, gap bool) {
	low = -1
	for r, m := range written {
		switch {
		case m == 0 && low < 0:
			low = r
		case m != 0 && low >= 0:
			return low, r, true
		}
	}
	return 0, 0, false
}
