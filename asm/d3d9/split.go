package d3d9

// Translatable returns the mask that all clients accept for op, although Direct3D accepts any mask,
// or 0 for most ops. MojoShader assigns all four components of lit and dst, and three of crs, to
// the components in the mask. GLSL compilers refuse this if the mask has fewer. fxc names all of
// them.
func (op Op) Translatable() Mask {
	switch op {
	case OpLit, OpDst:
		return MaskAll
	case OpCrs:
		return maskXYZ
	}
	return 0
}

// ClobberedBySplit reports whether a cmp or cnd changes its result if it is split into one
// statement for each component that its selector reads, as MojoShader translates it. This happens
// if one of the statements writes a component that another one reads. The function ignores the
// order of the statements: in some order, a later reader finds the new value. Direct3D itself reads
// all operands before it writes, and no compiler of Microsoft's emits such a statement.
func (in *Inst) ClobberedBySplit() bool {
	if in.Op != OpCmp && in.Op != OpCnd {
		return false
	}
	selector := in.Src[0].Swz
	for _, s := range in.Sources() {
		if s.Reg != in.Dst.Reg {
			continue
		}
		for lane := range 4 {
			read := s.Swz.ComponentAt(lane)
			if in.Dst.Mask.Has(lane) && in.Dst.Mask.Has(read) && selector.ComponentAt(lane) != selector.ComponentAt(read) {
				return true
			}
		}
	}
	return false
}
