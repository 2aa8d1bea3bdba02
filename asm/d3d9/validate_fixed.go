package d3d9

// fixed is the state of the checks of a ps_1_x program. ps_1_x has no declarations and no flow
// control, but an order: texture instructions before arithmetic, in ps_1_4 in each of two phases
// (MSDN, "ps_1_1, ps_1_2, ps_1_3" and "ps_1_4"). One walk over the statements suffices, because
// execution follows their order.
type fixed struct {
	*validator
	// components written so far, and components that became undefined
	have, lost map[Reg]Mask
	phase      int // 0 or 1; a program without phase has only the second one
	// this phase has had an arithmetic instruction, after which texture instructions are invalid
	arithmetic bool
	// cost of each phase
	slots [2]Cost
	// number of each op so far, for ops whose number is limited
	counts map[Op]int
	// registers that texture instructions of this phase wrote, as a bit set
	loaded uint8
	// rows of a matrix since the last complete matrix
	pads int
	// bumped are the t# that texbem or texbeml has read, as a bit set.
	bumped uint8
	coords coordinates
}

// fixed checks the program. It reports faults of the whole program, such as too many slots, last.
func (v *validator) fixed() {
	f := fixed{validator: v, have: map[Reg]Mask{}, lost: map[Reg]Mask{}, counts: map[Op]int{}, phase: 1}
	for i := range v.p.Insts {
		if v.p.Insts[i].Op == OpPhase {
			f.phase = 0
		}
	}
	for i := range v.p.Insts {
		f.statement(i, &v.p.Insts[i])
	}
	if f.pads > 0 {
		v.report(-1, codeOrder, "a matrix lacks its last row")
	}
	for _, c := range f.slots {
		// ps_1_4 has the slots of ps_1_1 in each phase, and two more for textures.
		arithmetic, texture := 8, 4
		if v.m == PS14 {
			texture = 6
		}
		if c.Arithmetic > arithmetic {
			v.report(-1, codeArithmetic, "%d arithmetic slots: %s has %d%s", c.Arithmetic, v.m, arithmetic, f.phaseSuffix())
		}
		if c.Texture > texture {
			v.report(-1, codeTexture, "%d texture slots: %s has %d%s", c.Texture, v.m, texture, f.phaseSuffix())
		}
	}
	// r0 is the result of ps_1_x.
	switch have := f.have[Reg{File: Temp}]; {
	case have == MaskAll:
	case have == 0:
		v.report(-1, codeOutputMissing, "r0, which is the result, is not written")
	default:
		f.checkWritten(-1, Reg{File: Temp}, MaskAll)
	}
}

// phaseSuffix returns the suffix " in a phase" for messages about limits of ps_1_4.
func (f *fixed) phaseSuffix() string {
	if f.m == PS14 {
		return " in a phase"
	}
	return ""
}

// statement checks one statement, then records its writes.
func (f *fixed) statement(i int, in *Inst) {
	switch {
	case in.Op == OpPhase:
		f.beginPhase(i)
		return
	case in.Op.Kind() == Trivia:
		return
	case in.Op.Kind() == Declaration:
		f.checkDeclaration(i, in)
		return
	case in.Op == OpNop:
		return
	}
	f.executes = true
	a, t := in.Slots(f.m, false)
	f.slots[f.phase].Arithmetic += a
	f.slots[f.phase].Texture += t
	f.destination(i, in)
	for k := range in.Sources() {
		f.source(i, in, k)
	}
	f.checkPorts(i, in)
	f.checkOverlap(i, in)
	f.counted(i, in)
	switch {
	case in.Op.Kind() == TextureOp:
		f.texture(i, in)
	default:
		f.arithmetic = true
		f.checkPair(i, in)
	}
	// Both instructions of a pair read the old values: the second may not see the first's result.
	if next := i + 1; next < len(f.p.Insts) && f.p.Insts[next].CoIssue {
		return
	}
	if in.CoIssue && i > 0 {
		f.write(&f.p.Insts[i-1])
	}
	f.write(in)
}

// beginPhase begins the second phase, which loses alpha of all registers (MSDN, "phase - ps").
func (f *fixed) beginPhase(i int) {
	if f.phase == 1 {
		f.report(i, codePhase, "the program has more than one phase instruction")
	}
	f.phase, f.arithmetic, f.loaded = 1, false, 0
	for r := range uint16(6) { // even a never-written alpha is lost
		f.markUndefined(Reg{File: Temp, Index: r}, MaskW)
	}
}

// write records the components that in writes. texkill writes none. The rows of a matrix before the
// last and the depth instructions leave undefined values.
func (f *fixed) write(in *Inst) {
	switch in.Op {
	case OpTexKill:
	case OpTexDepth, OpTexM3x2pad, OpTexM3x3pad, OpTexM3x2depth:
		f.markUndefined(in.Dst.Reg, MaskAll)
	default:
		f.have[in.Dst.Reg] |= in.Dst.Mask
		f.lost[in.Dst.Reg] &^= in.Dst.Mask
		if in.Dst.File == Texture {
			f.bumped &^= 1 << in.Dst.Index
		}
	}
}

// markUndefined records that components of r are undefined.
func (f *fixed) markUndefined(r Reg, m Mask) {
	f.have[r] &^= m
	f.lost[r] |= m
}

// destination checks the register written: its file, mask and modifiers. Texture instructions have
// no modifiers. texkill and texdepth read their destination field.
func (f *fixed) destination(i int, in *Inst) {
	d := &in.Dst
	if !CanWrite(f.m, in.Op, d.File) {
		f.report(i, codeDstFile, "%s cannot write %s in %s", in.Op, d.Reg, f.m)
		return
	}
	if !MaskFits(f.m, in.Op, d) {
		f.report(i, codeMask, "%s cannot write .%s of %s in %s", in.Op, letters(d.Mask), d.Reg, f.m)
	}
	if in.Op.Kind() == TextureOp && (d.Mods != 0 || d.Shift != 0) {
		f.report(i, codeSaturate, "%s has neither _sat nor a shift in %s", in.Op, f.m)
	}
	// x8, d4 and d8 came with ps_1_4.
	if (d.Shift > 2 || d.Shift < -1) && f.m != PS14 {
		f.report(i, codeSaturate, "%s shifts only by x2, x4 and d2", f.m)
	}
	if in.Op == OpTexKill && d.File == Temp || in.Op == OpTexDepth {
		m := maskXYZ
		if in.Op == OpTexDepth {
			m = maskXY
		}
		f.checkWritten(i, d.Reg, m)
	}
}

// source checks source k: its file, swizzle and modifier, and that its components have been
// written. In ps_1_4, only the second phase may read colours, and only there may texld take
// coordinates from an r#, which the first phase computed.
func (f *fixed) source(i int, in *Inst, k int) {
	s := &in.Src[k]
	switch {
	case !CanRead(f.m, in.Op, k, s.File):
		f.report(i, codeSrcFile, "source %d of %s cannot be %s in %s", k+1, in.Op, s.Reg, f.m)
		return
	case s.File == Input && f.phase == 0 && f.m == PS14:
		f.report(i, codePhase, "%s cannot be read before the last phase", s.Reg)
	case in.Op == OpTexld14 && s.File == Temp && f.phase == 0:
		f.report(i, codePhase, "texld cannot read %s before the second phase", s.Reg)
	}
	if !SwizzleFits(f.m, in.Op, k, s.Swz) && !(s.Swz == Replicate(2) && BlueFits(f.m, in.Op, in.Dst.Mask)) {
		f.report(i, codeSwizzle, "source %d of %s cannot have this swizzle in %s", k+1, in.Op, f.m)
	}
	switch {
	case !ModAllowed(f.m, in.Op, k, s.Mod):
		f.report(i, codeSrcMod, "source %d of %s cannot have this modifier in %s", k+1, in.Op, f.m)
	case s.File == Const && s.Mod != ModNone && f.m == PS14:
		f.report(i, codeSrcMod, "%s has no modifiers on constants", f.m)
	case s.File == Const && s.Mod != ModNone:
		f.report(i, constantModifier, "the value of %s under a modifier is undefined in %s", s.Reg, f.m)
	}
	f.checkBump(i, in, s.Reg)
	f.checkCoordinate(i, in)
	// Before ps_1_4, cnd tests only r0.a (MSDN, "cnd - ps").
	if in.Op == OpCnd && k == 0 && f.m != PS14 && (s.Reg != (Reg{File: Temp}) || s.Swz != Replicate(3)) {
		f.report(i, codeScalar, "the first source of cnd must be r0.a in %s", f.m)
	}
	f.checkWritten(i, s.Reg, in.fixedReads(k))
}

// fixedReads returns the components of source k that an instruction of ps_1_x reads. These are the
// components of its texture coordinates or matrix rows. For arithmetic, the write mask selects
// them.
func (in *Inst) fixedReads(k int) Mask {
	s := &in.Src[k]
	switch in.Op {
	case OpTexReg2ar:
		return MaskX | MaskW
	case OpTexReg2gb:
		return MaskY | MaskZ
	case OpTexBem:
		return maskXY
	case OpBem:
		if k == 0 {
			return s.Swz.reads(in.Dst.Mask)
		}
		return s.Swz.reads(maskXY)
	case OpTexld14, OpTexCrd:
		// texcrd r0.xy reads two coordinates.
		if s.Mod == ModNone && in.Dst.Mask == maskXY {
			return s.Swz.reads(maskXY)
		}
		return s.Swz.reads(maskXYZ)
	}
	if in.Op.Kind() == TextureOp {
		return maskXYZ
	}
	if rule := ruleTable[in.Op].lanes[k]; rule != nil {
		return s.Swz.reads(rule.read(in.Dst.Mask))
	}
	return s.Swz.reads(in.Dst.Mask)
}

// checkWritten checks that the components that an instruction reads were written. A t# of ps_1_4 is a
// coordinate, which the vertex program writes. In other models a t# is undefined until a texture
// instruction writes it.
func (f *fixed) checkWritten(i int, r Reg, m Mask) {
	if r.File != Temp && (r.File != Texture || f.m == PS14) {
		return
	}
	missing := m &^ f.have[r]
	undefined := missing & f.lost[r]
	if r.File == Texture {
		undefined = missing
	}
	if undefined != 0 {
		f.report(i, codeUndefined, "%s.%s is read, but its value is undefined", r, letters(undefined))
	}
	if never := missing &^ undefined; never != 0 {
		f.report(i, Uninitialized, "%s.%s is read before it is written", r, letters(never))
	}
}

// counted checks instructions whose number is limited: one bem and one texdepth, three cmp in
// ps_1_2 and ps_1_3, and four dp4 (MSDN pages of these instructions). It reports each once.
func (f *fixed) counted(i int, in *Inst) {
	f.counts[in.Op]++
	n, most := f.counts[in.Op], 0
	switch {
	case in.Op == OpBem:
		most = 1
		if f.phase == 1 {
			f.report(i, codePhase, "bem is allowed only in the first phase")
		}
	case in.Op == OpCmp && f.m != PS14:
		most = 3
	case in.Op == OpDp4 && f.m != PS14:
		most = 4
	case in.Op == OpTexDepth:
		most = 1
	}
	if most > 0 && n == most+1 {
		f.report(i, codeRepeats, "%s allows at most %d %s", f.m, most, in.Op)
	}
}

// checkPair checks the second of two instructions that are issued together: one writes only alpha, the
// other everything but alpha. The first must not be the second of another pair.
//
//	mul r0.rgb, t0, v0
//	+mov r0.a, t1.a
func (f *fixed) checkPair(i int, in *Inst) {
	if !in.CoIssue {
		return
	}
	if i == 0 || f.p.Insts[i-1].Op.Kind() != Arithmetic || f.p.Insts[i-1].CoIssue {
		f.report(i, codePair, "%s has no instruction to pair with", in.Op)
		return
	}
	if first := &f.p.Insts[i-1]; !PairFits(f.m, first, in) {
		f.report(i, codePair, "%s and %s cannot be issued together", first.Op, in.Op)
	}
}

// PairFits reports whether two instructions can be issued together in m, a ps_1_x model. One uses
// the vector pipe, as dp3 always does, the other the alpha pipe. dp4 and bem take both pipes. A dp3
// to alpha alone is for ps_1_4, and leaves the alpha pipe free for a write of another register. A
// pair reads at most three registers of a file (MSDN, "Read Port Limit"). A second cnd that writes
// color ignores its condition before ps_1_4 (Wine, on hardware), so it cannot be part of a pair.
func PairFits(m Model, a, b *Inst) bool {
	for _, in := range []*Inst{a, b} {
		if in.Op.Kind() != Arithmetic || in.Op == OpDp4 || in.Op == OpBem || in.Op == OpNop {
			return false
		}
	}
	scalar := func(in *Inst) bool { return in.Dst.Mask == MaskW && in.Op != OpDp3 }
	vector := func(in *Inst) bool { return !in.Dst.Mask.Has(3) || in.Op == OpDp3 && in.Dst.Mask == MaskW && m == PS14 }
	if a.Dst.Reg == b.Dst.Reg && a.Dst.Mask&b.Dst.Mask != 0 {
		return false
	}
	if b.Op == OpCnd && m != PS14 && b.Dst.Mask != MaskW || filePorts(a, b) > 3 {
		return false
	}
	return vector(a) && scalar(b) || scalar(a) && vector(b)
}

// filePorts returns the largest number of different registers of one file that two instructions read together.
func filePorts(a, b *Inst) (most int) {
	var read [6]Src
	srcs := append(append(read[:0], a.Sources()...), b.Sources()...)
	var count [numFiles]int
	for k, s := range srcs {
		if !readBefore(srcs[:k], s) {
			count[s.File]++
			most = max(most, count[s.File])
		}
	}
	return most
}

// texture checks the order of texture instructions and of matrix rows. Up to ps_1_3, an instruction
// of texture stage n writes t(n), so a program loads registers in order, each once, and from lower
// ones. The rows of a matrix are in successive stages:
//
//	texm3x3pad t1, t0
//	texm3x3pad t2, t0
//	texm3x3tex t3, t0
func (f *fixed) texture(i int, in *Inst) {
	d := in.Dst.Index
	if f.arithmetic && in.Op != OpTexDepth {
		f.report(i, codeOrder, "%s follows arithmetic instructions", in.Op)
	}
	switch in.Op {
	case OpTexDepth:
		if in.Dst.Reg != (Reg{Temp, 5}) || f.phase == 0 {
			f.report(i, codePhase, "texdepth needs r5 and the last phase")
		}
		return
	case OpTexKill:
		if f.m == PS14 && f.phase == 0 {
			f.report(i, codePhase, "texkill is allowed only in the last phase")
		}
		return
	}
	if f.loaded>>d&1 != 0 {
		// ps_1_4 may load a register once in each phase.
		f.report(i, codeOrder, "%s is loaded twice", in.Dst.Reg)
	}
	f.loaded |= 1 << d
	rows := 0
	switch in.Op {
	case OpTexM3x2pad, OpTexM3x3pad:
		f.pads++
	case OpTexM3x2tex, OpTexM3x2depth:
		rows = 1
	case OpTexM3x3, OpTexM3x3tex, OpTexM3x3spec, OpTexM3x3vspec:
		rows = 2
	}
	if f.m == PS14 {
		return
	}
	// A bit above that of d.
	if k := f.loaded >> (d + 1); k != 0 {
		f.report(i, codeOrder, "%s is loaded after a later one", in.Dst.Reg)
	}
	if in.NSrc > 0 && in.Src[0].File == Texture && in.Src[0].Index >= d {
		f.report(i, codeOrder, "%s cannot depend on %s", in.Dst.Reg, in.Src[0].Reg)
	}
	if in.Op == OpTexM3x2pad || in.Op == OpTexM3x3pad {
		return
	}
	// The rows before this one: exactly as many as it needs, without another texture instruction
	// between them.
	if f.pads != rows || int(d) < rows || rows > 0 && !f.hasMatrixRows(i, rows) {
		f.report(i, codeOrder, "%s does not follow the %d rows before it", in.Op, rows)
	}
	f.pads = 0
}

// hasMatrixRows reports whether the n matrix rows before statement i are in the registers directly below its
// own.
func (f *fixed) hasMatrixRows(i, n int) bool {
	want := OpTexM3x3pad
	if n == 1 {
		want = OpTexM3x2pad
	}
	d := f.p.Insts[i].Dst.Index
	for k := i - 1; k >= 0 && n > 0; k-- {
		in := &f.p.Insts[k]
		if in.Op.Kind() == Trivia {
			continue
		}
		if d--; in.Op != want || in.Dst.Index != d {
			return false
		}
		n--
	}
	return n == 0
}
