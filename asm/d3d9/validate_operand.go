package d3d9

import (
	"fmt"
	"math/bits"
	"slices"
)

// outOfRange reports the last of several registers if it exceeds the most generous device of the
// model. It returns whether it did, so that callers skip the checks that depend on the number.
func (v *validator) outOfRange(i int, r Reg, rows int) bool {
	n := v.lim.Regs[r.File]
	if r.File == Const {
		n = v.lim.MaxConst
	}
	last := int(r.Index) + rows - 1
	if last < n {
		return false
	}
	code := codeRange
	switch { // fewer registers would be valid
	case r.File == Temp:
		code = codeTemps
	case r.File == Input && v.m.Stage == Pixel:
		code = codeInputs
	}
	v.report(i, code, "%s is out of range: %s has %d", Reg{r.File, uint16(last)}, v.m, n)
	return true
}

// checkDestination checks the destination register, its mask and its modifiers. A wrong file ends
// the check, because the other rules depend on it.
func (v *validator) checkDestination(i int, in *Inst) {
	if !in.HasDst {
		return
	}
	d := &in.Dst
	if !CanWrite(v.m, in.Op, d.File) {
		v.report(i, codeDstFile, "%s cannot write %s in %s", in.Op, d.Reg, v.m)
		return
	}
	if !MaskFits(v.m, in.Op, d) {
		v.report(i, codeMask, "%s cannot write .%s of %s in %s", in.Op, letters(d.Mask), d.Reg, v.m)
	}
	if d.Mods&Saturate != 0 && !SatAllowed(v.m, in.Op) {
		v.report(i, codeSaturate, "%s has no _sat in %s", in.Op, v.m)
	}
	if in.Op == OpTexKill {
		v.checkRead(i, d.Reg, d.Rel, v.killed(in))
		return
	}
	v.checkWrite(i, in)
}

// checkSource checks source k: its register, swizzle and modifier. Operands of control flow, such
// as b0 or a label, are names, so the rules of values do not apply to them.
func (v *validator) checkSource(i int, in *Inst, k int) {
	s := &in.Src[k]
	if !CanRead(v.m, in.Op, k, s.File) {
		v.report(i, codeSrcFile, "source %d of %s cannot be %s in %s", k+1, in.Op, s.Reg, v.m)
		return
	}
	if s.Rel.File == NoFile && v.outOfRange(i, s.Reg, in.SourceRegisters(k)) {
		return
	}
	if in.Op.Kind() == Flow && ruleTable[in.Op].src[k] != 0 { // not a value
		if s.File == Predicate && !s.Swz.IsReplicate() {
			v.report(i, codePredicate, "%s tests one component of p0", in.Op)
		}
		return
	}
	if !SwizzleFits(v.m, in.Op, k, s.Swz) {
		// A scalar operand needs one component; other operands of early models allow few swizzles.
		code, want := codeSwizzle, "cannot have this swizzle"
		if scalarOperand(in.Op, k) {
			code, want = codeScalar, "must be one component"
		}
		v.report(i, code, "source %d of %s %s in %s", k+1, in.Op, want, v.m)
	}
	if !ModAllowed(v.m, in.Op, k, s.Mod) {
		v.report(i, codeSrcMod, "source %d of %s cannot have this modifier in %s", k+1, in.Op, v.m)
	}
	v.checkRead(i, s.Reg, s.Rel, in.Components(k, v.decls.texture(in)))
}

// checkRead checks that the dcl of a register has all components that are read. It skips relative
// addresses, which may reach any register of the file.
func (v *validator) checkRead(i int, r Reg, rel Rel, m Mask) {
	if !v.needsDecl(r.File) || rel.File != NoFile {
		return
	}
	have := v.decls.declaredMask(r)
	if have == 0 && r.File == Misc {
		v.report(i, UndeclaredBuiltin, "%s is read without a declaration", r)
		if m &^= maskXY; r.Index == VPosIndex && m != 0 {
			v.report(i, codeComponent, "%s has no component %s", r, letters(m))
		}
		return
	}
	switch {
	case have == 0 && !slices.Contains(v.undeclared, r):
		v.undeclared = append(v.undeclared, r)
		v.report(i, codeUndeclared, "%s is not declared; add %s %s before the first instruction", r, v.declaration(r), r)
	case have == 0: // reported once
	case m&^have != 0:
		v.report(i, codeComponent, "%s is declared without component %s", r, letters(m&^have))
	}
}

// declaration returns an instruction that may declare r, with a common texture type or a semantic that is free. It
// takes the semantic.
func (v *validator) declaration(r Reg) string {
	switch {
	case r.File == Sampler:
		return "dcl_2d"
	case v.m.Stage == Pixel && v.m.Major < 3:
		return "dcl"
	}
	used := &v.decls.semantics[0]
	if r.File == Output {
		used = &v.decls.semantics[1]
	}
	if v.m.Stage == Vertex && used[UsagePosition]&1 == 0 {
		used[UsagePosition] |= 1
		return "dcl_position"
	}
	n := bits.TrailingZeros16(^used[UsageTexCoord])
	used[UsageTexCoord] |= 1 << n
	return fmt.Sprintf("dcl_texcoord%d", n)
}

// checkOverlap checks that the destination differs from the sources that the instruction reads
// after writing part of its result. In hardware, crs, nrm, the matrix macros and similar ops are
// several instructions.
//
//	m4x4 r0, r0, c0   // its second row would read the result of the first
func (v *validator) checkOverlap(i int, in *Inst) {
	for k, s := range in.Sources() {
		if MayReuse(v.m, in.Op, k) || s.File != in.Dst.File {
			continue
		}
		// Any row of a matrix.
		if d := int(in.Dst.Index) - int(s.Index); d >= 0 && d < in.SourceRegisters(k) {
			v.report(i, codeOverlap, "the destination of %s cannot be its source %d", in.Op, k+1)
		}
	}
	if in.Op == OpSgn && in.Src[1].Reg == in.Src[2].Reg {
		v.report(i, codeOverlap, "sgn needs two different scratch registers")
	}
	if in.Op == OpSinCos && in.NSrc == 3 && in.Src[1].Reg == in.Src[2].Reg {
		v.report(i, codeOverlap, "sincos needs two different constants")
	}
}

// checkPorts counts the different registers of each file that an instruction reads. Register files
// have few read ports (MSDN, "Register Read Port Limit"): in most models, an instruction may read
// c0 twice, but not c0 and c1. Two relative addresses are the same register if they have the same
// spelling. The count excludes the matrix macros and the constants of sincos, which are several
// instructions.
func (v *validator) checkPorts(i int, in *Inst) {
	if ruleTable[in.Op].rows > 0 || in.Op == OpSinCos {
		return
	}
	srcs := in.Sources()
	consts := 0
	for k, s := range srcs {
		if s.File == Const {
			consts++
		}
		// n is the number of different registers of this file among sources 0 to k.
		n := 0
		for j, t := range srcs[:k+1] {
			if t.File == s.File && !readBefore(srcs[:j], t) {
				n++
			}
		}
		if limit := v.lim.ports[s.File]; limit > 0 && n > limit && !readBefore(srcs[:k], s) {
			v.report(i, codePorts, "%s reads %d different registers of the file of %s: %s allows %d", in.Op, n, s.Reg, v.m,
				limit)
			return
		}
	}
	// A limit of reads counts the same register again.
	if consts > v.lim.ConstReads {
		v.report(i, codeConstReads, "%s reads constants %d times: %s allows %d", in.Op, consts, v.m, v.lim.ConstReads)
	}
}

// readBefore reports whether one of srcs is the register of s. It ignores swizzles and modifiers:
// one read serves both.
func readBefore(srcs []Src, s Src) bool {
	for _, t := range srcs {
		if t.Reg == s.Reg && t.Rel == s.Rel {
			return true
		}
	}
	return false
}

// checkPredicate checks the predicate of a predicated instruction: p0 with the identity or a
// replicate swizzle.
func (v *validator) checkPredicate(i int, in *Inst) {
	if !in.HasPred {
		return
	}
	replicate := in.Pred.Swz.IsReplicate()
	switch {
	case in.Op == OpSinCos && v.m.Major < 3 && !replicate:
		v.report(i, codePredicate, "the predicate of sincos must be one component")
	case !replicate && in.Pred.Swz != Identity:
		v.report(i, codePredicate, "the swizzle of a predicate must be one component")
	}
}
