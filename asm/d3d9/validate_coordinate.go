package d3d9

// coordinates is the state of the rules of texld and texcrd in ps_1_4.
type coordinates struct {
	selector [8]Swizzle // of each t# that was read
	read     [8]bool
	divided  int // reads with _dz
}

// checkCoordinate checks source 0 of a texld or texcrd of ps_1_4 (MSDN, "texld - ps_1_4", "texcrd -
// ps", "Texture Register Modifiers"). A t# may be divided by its w, an r# by its z. All reads of a
// t# select the same components.
//
//	texld r0, t0_dw.xyw
//	texld r1, r1_dz
func (f *fixed) checkCoordinate(i int, in *Inst) {
	if in.Op != OpTexld14 && in.Op != OpTexCrd {
		return
	}
	s := &in.Src[0]
	selector := s.Swz
	if selector == Identity {
		selector = xyz
	}
	switch {
	case s.File == Temp && (selector != xyz || s.Mod == ModDW), s.File == Texture && s.Mod == ModDZ:
		f.report(i, codeSrcMod, "%s cannot read %s with this modifier or selector", in.Op, s.Reg)
	case s.Mod == ModDW && selector != xyw:
		f.report(i, codeSrcMod, "_dw needs the selector .xyw")
	case in.Op == OpTexCrd && s.Mod == ModDW && in.Dst.Mask != maskXY:
		f.report(i, codeMask, "texcrd writes .xy of a coordinate that it divides")
	}
	if s.Mod == ModDZ {
		if f.coords.divided++; f.coords.divided == 3 {
			f.report(i, codeRepeats, "%s allows at most 2 reads with _dz", f.m)
		}
	}
	if s.File != Texture {
		return
	}
	if k := s.Index; f.coords.read[k] && f.coords.selector[k] != selector {
		f.report(i, codeSwizzle, "%s has been read with another selector", s.Reg)
	} else {
		f.coords.read[k], f.coords.selector[k] = true, selector
	}
}

// checkBump checks a read of a t# that texbem or texbeml has read. Only these two may read it again (MSDN, "texbem - ps").
func (f *fixed) checkBump(i int, in *Inst, r Reg) {
	bump := in.Op == OpTexBem || in.Op == OpTexBeml
	if r.File != Texture || f.m == PS14 {
		return
	}
	if f.bumped>>r.Index&1 != 0 && !bump {
		f.report(i, codeOrder, "%s cannot be read after texbem or texbeml has read it", r)
	}
	if bump {
		f.bumped |= 1 << r.Index
	}
}
