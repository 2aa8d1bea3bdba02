package d3d9

// writes are the components of the outputs that a program writes anywhere, on whichever
// path.
type writes struct {
	mask     [numFiles][16]Mask
	relative bool // to an o# chosen when the program runs
}

// checkWrite checks a write to an output and notes it. Temporaries are checked
// elsewhere (validate_init.go).
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
	}
	v.written.mask[d.File][d.Index] |= d.Mask
}

// checkMovOut checks the one form in which ps_2_0 and ps_2_x write results: a
// plain mov of a whole register, once. It may be _pp, which the page on outputs
// forbids but compilers emit.
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

// checkOutputs checks what a program must have written by its end. It asks for a
// write somewhere, not on every path. The pages also forbid to leave out an oT#
// below another, but compilers do.
func (v *validator) checkOutputs() {
	w := &v.written.mask
	switch {
	case v.m.Stage == Vertex && v.m.Major >= 3:
		v.checkPosition()
	case v.m.Stage == Vertex:
		if w[RastOut][PosIndex] != MaskAll {
			v.report(-1, codeOutputMissing, "oPos is not written in full")
		}
		for r, m := range w[TexOut] {
			if m&(m+1) != 0 {
				v.report(-1, codeOutputMask, "oT%d is written as .%s: components must start at x without a gap", r, letters(m))
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
	if p := v.decls.position; v.written.mask[Output][p] != MaskAll && !v.written.relative {
		v.report(-1, codeOutputMissing, "the position output o%d is not written in full", p)
	}
}

// checkColors checks that no color below the highest one written is left out (MSDN,
// "Multiple-element Textures").
func (v *validator) checkColors() {
	gap := -1
	for r, m := range v.written.mask[ColorOut] {
		switch {
		case m == 0 && gap < 0:
			gap = r
		case m != 0 && gap >= 0:
			v.report(-1, codeOutputMask, "oC%d is written but oC%d is not", r, gap)
			return
		}
	}
}
