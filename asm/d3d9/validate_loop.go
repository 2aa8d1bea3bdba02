package d3d9

// checkLoopConstant checks the defi of a loop or rep (MSDN, "loop - vs", "rep - vs"): 0 to 255
// trips, a start of 0 to 255, and a step of -128 to 127.
func (v *validator) checkLoopConstant(i int, in *Inst) {
	if in.Op != OpLoop && in.Op != OpRep {
		return
	}
	r := in.Src[in.NSrc-1].Reg
	imm, defined := v.decls.loops[r]
	if !defined {
		return
	}
	trips, start, step, last := int32(imm[0]), int32(imm[1]), int32(imm[2]), int32(imm[3])
	wrong := trips < 0 || trips > 255
	if in.Op == OpLoop {
		wrong = wrong || start < 0 || start > 255 || step < -128 || step > 127 || last != 0
	}
	if wrong {
		v.report(i, loopConstant, "%s takes %s out of its range: %d, %d, %d, %d", in.Op, r, trips, start, step, last)
	}
}
