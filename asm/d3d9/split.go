package d3d9

// Translatable is the mask with which all clients take op where Direct3D takes any, 0 for most.
// MojoShader assigns all four components that lit and dst make, and the three of crs, to those
// that the mask names, which compilers of GLSL refuse if they are fewer. fxc names them all.
func (op Op) Translatable() Mask {
	switch op {
	case OpLit, OpDst:
		return MaskAll
	case OpCrs:
		return maskXYZ
	}
	return 0
}

// ClobberedBySplit reports whether a cmp or cnd gives another result where it is carried
// out as one statement for each component that its selector reads, as MojoShader
// translates it: one of the statements then writes a component that another one reads.
// Every reader but the first in some order would find the new value there, so the order
// is not asked. Direct3D itself reads all operands before it writes, and no compiler of
// Microsoft's writes such a statement.
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
			read := s.Swz.At(lane)
			if in.Dst.Mask.Has(lane) && in.Dst.Mask.Has(read) && selector.At(lane) != selector.At(read) {
				return true
			}
		}
	}
	return false
}
