package d3d9

// fixed is what the checks of a program of ps_1_x go through it with. There are no
// declarations and no flow control, but an order: texture instructions before
// arithmetic, in ps_1_4 in each of two phases (MSDN, "ps_1_1, ps_1_2, ps_1_3" and
// "ps_1_4"). One walk over the statements is enough, as all of them are executed in
// their order.
type fixed struct {
	*validator
	// components written so far; empty again where a register's content is lost
	have  map[Reg]Mask
	phase int // 0 or 1; all of a program without phase is the second one
	// an arithmetic instruction was seen in this phase, after which no texture
	// instruction may come
	arithmetic bool
	// what each phase costs
	slots [2]Cost
	// how often each op was there, for those of which there may be few
	counts map[Op]int
	// registers that texture instructions of this phase wrote, a bit each
	loaded uint8
	// rows of a matrix since the instruction that ended the last one
	pads int
}

// fixed checks the program. Faults of the whole program, such as too many slots, are
// told last.
func (v *validator) fixed() {
	f := fixed{validator: v, have: map[Reg]Mask{}, counts: map[Op]int{}, phase: 1}
	for i := range v.p.Insts {
		if v.p.Insts[i].Op == OpPhase {
			f.phase = 0
		}
	}
	for i := range v.p.Insts {
		f.statement(i, &v.p.Insts[i])
	}
	if f.pads > 0 {
		v.report(-1, codeOrder, "a matrix has no last row")
	}
	for _, c := range f.slots {
		// ps_1_4 has the slots of ps_1_1 in each phase, and two more for textures.
		arithmetic, texture := 8, 4
		if v.m == PS14 {
			texture = 6
		}
		if c.Arithmetic > arithmetic {
			v.report(-1, codeArithmetic, "%d arithmetic slots: %s has %d%s", c.Arithmetic, v.m, arithmetic, f.each())
		}
		if c.Texture > texture {
			v.report(-1, codeTexture, "%d texture slots: %s has %d%s", c.Texture, v.m, texture, f.each())
		}
	}
	// r0 is the result of ps_1_x.
	if missing := MaskAll &^ f.have[Reg{File: Temp}]; missing != 0 {
		v.report(-1, codeOutputMissing, "r0.%s, which is part of the result, is not written", letters(missing))
	}
}

// each says in messages what the limits are of.
func (f *fixed) each() string {
	if f.m == PS14 {
		return " in a phase"
	}
	return ""
}

// statement checks one statement, then notes what it writes.
func (f *fixed) statement(i int, in *Inst) {
	switch {
	case in.Op == OpPhase:
		f.next(i)
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
		f.pair(i, in)
	}
	// A pair reads what was there before either instruction: the second may not see the first.
	if next := i + 1; next < len(f.p.Insts) && f.p.Insts[next].CoIssue {
		return
	}
	if in.CoIssue && i > 0 {
		f.write(&f.p.Insts[i-1])
	}
	f.write(in)
}

// next begins the second phase, in which alpha of all registers is lost (MSDN, "phase -
// ps").
func (f *fixed) next(i int) {
	if f.phase == 1 {
		f.report(i, codePhase, "there is one phase too many")
	}
	f.phase, f.arithmetic, f.loaded = 1, false, 0
	for r := range f.have {
		if r.File == Temp {
			f.have[r] &= maskXYZ
		}
	}
}

// write notes the components that in writes. texkill writes none; the rows of a matrix
// before the last and the depth instructions leave nothing that may be read.
func (f *fixed) write(in *Inst) {
	switch in.Op {
	case OpTexKill:
	case OpTexDepth, OpTexM3x2pad, OpTexM3x3pad, OpTexM3x2depth:
		f.have[in.Dst.Reg] = 0
	default:
		f.have[in.Dst.Reg] |= in.Dst.Mask
	}
}

// destination checks the register written: its file, mask and modifiers. Texture
// instructions have no modifiers. texkill and texdepth read what they name.
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
		f.report(i, codeSaturate, "%s shifts by x2, x4 and d2 only", f.m)
	}
	if in.Op == OpTexKill && d.File == Temp || in.Op == OpTexDepth {
		m := maskXYZ
		if in.Op == OpTexDepth {
			m = maskXY
		}
		f.read(i, d.Reg, m)
	}
}

// source checks source k: its file, swizzle and modifier, and that what it reads has
// been written. In ps_1_4, colours are read in the second phase only, and texld takes
// coordinates out of r# only there: they have to have been computed in the first.
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
	if !ModAllowed(f.m, in.Op, k, s.Mod) {
		f.report(i, codeSrcMod, "source %d of %s cannot have this modifier in %s", k+1, in.Op, f.m)
	}
	// cnd tests nothing but r0.a before ps_1_4 (MSDN, "cnd - ps").
	if in.Op == OpCnd && k == 0 && f.m != PS14 && (s.Reg != (Reg{File: Temp}) || s.Swz != Replicate(3)) {
		f.report(i, codeScalar, "the first source of cnd is r0.a in %s", f.m)
	}
	f.read(i, s.Reg, in.fixedReads(k))
}

// fixedReads are the components of source k that an instruction of ps_1_x reads: what
// its texture coordinates or its rows need, and for arithmetic instructions what the
// write mask asks for.
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
		// texcrd r0.xy of two coordinates.
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

// read checks that the components were written that an instruction reads. t# of ps_1_4 are
// coordinates, which the vertex program writes.
func (f *fixed) read(i int, r Reg, m Mask) {
	if r.File != Temp && (r.File != Texture || f.m == PS14) {
		return
	}
	if missing := m &^ f.have[r]; missing != 0 {
		f.report(i, codeUninitialized, "%s.%s is read before it is written", r, letters(missing))
	}
}

// counted checks instructions of which there may be few: one bem and one texdepth,
// three cmp in ps_1_2 and ps_1_3, and four dp4 (their pages). Each is reported once.
func (f *fixed) counted(i int, in *Inst) {
	f.counts[in.Op]++
	n, most := f.counts[in.Op], 0
	switch {
	case in.Op == OpBem:
		most = 1
		if f.phase == 1 {
			f.report(i, codePhase, "bem is for the first phase")
		}
	case in.Op == OpCmp && f.m != PS14:
		most = 3
	case in.Op == OpDp4 && f.m != PS14:
		most = 4
	case in.Op == OpTexDepth:
		most = 1
	}
	if most > 0 && n == most+1 {
		f.report(i, codeRepeats, "%s has %d %s at most", f.m, most, in.Op)
	}
}

// pair checks the second of two instructions that are issued together: one writes alpha
// alone, the other none of it. The first must not be the second of another pair.
//
//	mul r0.rgb, t0, v0
//	+mov r0.a, t1.a
func (f *fixed) pair(i int, in *Inst) {
	if !in.CoIssue {
		return
	}
	if i == 0 || f.p.Insts[i-1].Op.Kind() != Arithmetic || f.p.Insts[i-1].CoIssue {
		f.report(i, codePair, "%s is paired with nothing", in.Op)
		return
	}
	if first := &f.p.Insts[i-1]; !PairFits(f.m, first, in) {
		f.report(i, codePair, "%s and %s cannot be issued together", first.Op, in.Op)
	}
}

// PairFits reports whether two instructions can be issued together in m, one of ps_1_x:
// one in the pipe of vectors, which dp3 is always in, the other in that of alpha. dp4 and bem take both pipes. A dp3 to alpha alone is for
// ps_1_4, and leaves the pipe of alpha free for a write of another register's.
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
	return vector(a) && scalar(b) || scalar(a) && vector(b)
}

// texture checks where texture instructions stand, and the rows of matrices: up to
// ps_1_3, an instruction of texture stage n writes t(n), so registers are loaded in
// order, each once, and out of lower ones. The rows of a matrix are in successive
// stages:
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
			f.report(i, codePhase, "texdepth takes r5 in the last phase")
		}
		return
	case OpTexKill:
		if f.m == PS14 && f.phase == 0 {
			f.report(i, codePhase, "texkill is for the last phase")
		}
		return
	}
	if f.loaded>>d&1 != 0 {
		// In ps_1_4 a register may be loaded once in each phase.
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
	// The rows before this one: as many as it needs, with no other texture instruction
	// between.
	if f.pads != rows || int(d) < rows || rows > 0 && !f.rows(i, rows) {
		f.report(i, codeOrder, "%s does not follow the %d rows before it", in.Op, rows)
	}
	f.pads = 0
}

// rows reports whether the n rows of a matrix before statement i are in the registers
// right before its.
func (f *fixed) rows(i, n int) bool {
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
