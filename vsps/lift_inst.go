package vsps

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// source is the value that a component of a register holds now. Constants that the
// program defines are literals, others uniforms; inputs are leaves; the rest is what
// was written last.
func (l *lifter) source(r d3d9.Reg, comp int) *ir.Value {
	home := ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(comp)}
	switch r.File {
	// The literal keeps its register as home, so emission finds the def again.
	case d3d9.Const, d3d9.ConstInt, d3d9.ConstBool:
		if imm, ok := l.literals[r]; ok {
			if fixedPoint(l.model) {
				return l.f.LiteralAt(clampedConstant(imm[comp]), home)
			}
			// A definition beyond the registers of what is written has no home there.
			if int(r.Index) >= l.limits.MaxConst {
				home = ir.Reg{}
			}
			return l.f.LiteralAt(imm[comp], home)
		}
		return l.f.Leaf(ir.Uniform, home)
	case d3d9.Input, d3d9.Texture, d3d9.Misc:
		return l.f.Leaf(ir.Input, home)
	// aL is the counter of the innermost loop; in a called subroutine that of the
	// caller.
	case d3d9.Loop:
		for i := len(l.loops) - 1; i >= 0; i-- {
			if l.loops[i].index != nil { // a rep does not count aL
				return l.loops[i].index
			}
		}
		return l.f.Leaf(ir.Undef, home)
	}
	return l.get(home)
}

// operand lifts the lanes in mask of a source: lane i reads component swizzle[i].
func (l *lifter) operand(s d3d9.Src, mask uint8) (o ir.Operand) {
	mod := laneMod(s.Mod)
	if s.Rel.File != d3d9.NoFile {
		return l.indexed(s, mask, mod)
	}
	for lane := range 4 {
		if mask>>lane&1 != 0 {
			o[lane] = ir.Lane{V: l.source(s.Reg, s.Swz.At(lane)), Mod: mod}
		}
	}
	return o
}

// laneMod translates a modifier that is a flag on lanes in the IR. The modifiers that compute
// something (_bias, _bx2) exist in ps_1_x only, where the lift makes instructions of them.
func laneMod(m d3d9.SrcMod) ir.LaneMod {
	switch m {
	case d3d9.ModNeg:
		return ir.Neg
	case d3d9.ModAbs:
		return ir.Abs
	case d3d9.ModAbsNeg:
		return ir.Abs | ir.Neg
	case d3d9.ModNot:
		return ir.Not
	}
	return 0
}

// indexed lifts c[a0.x + n] and v[aL + n]: a load that emission folds back into the
// operand. The load defines the components that are read, each once, whatever the
// swizzle repeats.
func (l *lifter) indexed(s d3d9.Src, mask uint8, mod ir.LaneMod) (o ir.Operand) {
	index := l.source(d3d9.Reg{File: s.Rel.File}, s.Rel.Swz.At(0))
	ld := &ir.Instr{Op: ir.OpLoad, Orig: -1, Base: ir.Reg{File: ir.File(s.File), Index: s.Index},
		Src: []ir.Operand{ir.Splat(ir.Lane{V: index})}}
	for lane := range 4 {
		if mask>>lane&1 == 0 {
			continue
		}
		c := s.Swz.At(lane)
		if ld.Out[c] == nil {
			l.f.Define(ld, c, ir.Reg{File: ir.File(s.File), Index: s.Index, Comp: uint8(c)})
		}
		o[lane] = ir.Lane{V: ld.Out[c], Mod: mod}
	}
	if ld.Mask() != 0 {
		l.emit(ld)
	}
	return o
}

// simple maps the ops that lift one to one.
var simple = map[d3d9.Op]ir.Op{
	d3d9.OpMov: ir.OpMov, d3d9.OpAdd: ir.OpAdd, d3d9.OpMul: ir.OpMul, d3d9.OpMad: ir.OpMad,
	d3d9.OpDp3: ir.OpDp3, d3d9.OpDp4: ir.OpDp4, d3d9.OpDp2add: ir.OpDp2Add, d3d9.OpMin: ir.OpMin, d3d9.OpMax: ir.OpMax,
	d3d9.OpSlt: ir.OpSlt, d3d9.OpSge: ir.OpSge, d3d9.OpCmp: ir.OpCmp, d3d9.OpLrp: ir.OpLrp,
	d3d9.OpFrc: ir.OpFrc, d3d9.OpAbs: ir.OpAbs, d3d9.OpRcp: ir.OpRcp, d3d9.OpRsq: ir.OpRsq,
	d3d9.OpExp: ir.OpExp, d3d9.OpLog: ir.OpLog, d3d9.OpPow: ir.OpPow, d3d9.OpNrm: ir.OpNrm,
	d3d9.OpCrs: ir.OpCrs, d3d9.OpLit: ir.OpLit, d3d9.OpDst: ir.OpDst, d3d9.OpSgn: ir.OpSgn,
	d3d9.OpDsx: ir.OpDsx, d3d9.OpDsy: ir.OpDsy, d3d9.OpMova: ir.OpMova, d3d9.OpSetp: ir.OpSetp,
}

// statement lifts one statement that is no flow control. Declarations and definitions were read
// before; comments are copied by the header.
func (l *lifter) statement(i int) error {
	in := &l.prog.Insts[i]
	m := l.model
	switch {
	case in.Op == d3d9.OpNop, in.Op == d3d9.OpComment, in.Op.Kind() == d3d9.Declaration:
		return nil
	case in.Op == d3d9.OpTexKill:
		l.kill(i)
		return nil
	case in.Op.IsMatrix():
		l.matrix(i)
		return nil
	}
	if in.HasDst && in.Dst.Rel.File != d3d9.NoFile {
		return asm.Errorf(in.Pos, "indexed-output", "writes to indexed outputs are not supported")
		// Fetches have operands of their own (sampler, swizzled channels).
	}
	if res, ok := fetchOp(in.Op); ok {
		l.fetch(i, res)
		return nil
	}
	op, ok := simple[in.Op]
	srcs := in.Sources()
	// The operations whose meaning depends on the model or the destination.
	switch in.Op {
	// sub is add with the second source negated: the same bits, and one op fewer for
	// passes to know. Emission writes sub where the statement did.
	case d3d9.OpSub:
		op, ok = ir.OpAdd, true
	case d3d9.OpMov:
		// mov to a0 takes the floor in vs_1_1. Later only mova writes a0, rounding to the nearest
		// integer.
		if in.Dst.File == d3d9.Addr {
			op = ir.OpMova
			if m.Major == 1 {
				op = ir.OpMovaFloor
			}
		}
	// expp and logp write four different values in vs_1_1 and one with partial precision later
	// ("expp - vs", "logp - vs").
	case d3d9.OpExpp:
		op, ok = ir.OpExpp, true
		if m.Major == 1 {
			op = ir.OpExppVec
		}
	case d3d9.OpLogp:
		op, ok = ir.OpLogp, true
		if m.Major == 1 {
			op = ir.OpLogpVec
		}
	// Which lanes are read follows from the formula and the mask, so that add r0.x does
	// not depend on r1.y.
	case d3d9.OpSinCos:
		op, ok = ir.OpSinCos, true
	case d3d9.OpSgn:
		srcs = srcs[:1] // the two scratch registers hold nothing afterwards
	}
	if !ok {
		return asm.Errorf(in.Pos, "unsupported-op", "%s is not supported in %s", in.Op, m)
	}
	out := l.instr(i, op)
	mask := uint8(in.Dst.Mask)
	// A destination with one component (oFog, oPts, depth) takes x.
	if isScalar(in.Dst.File, in.Dst.Index) {
		mask = 1
	}
	out.Src = l.operands.take(len(srcs))[:0]
	for k, s := range srcs {
		// A scalar source is read in lane 0. A replicate swizzle has the same component
		// everywhere; of an identity swizzle, which old files have, implementations
		// take the last (.w).
		if in.Op.IsScalar() {
			s.Swz = d3d9.Replicate(s.Swz.At(3))
			// ReadsFor says which lanes the formula reads for the lanes that are written: add r0.x
			// reads x only, dp3 three.
		}
		o := l.operand(s, out.ReadsFor(k, mask))
		if in.Op == d3d9.OpSub && k == 1 {
			o.Each(func(_ int, ln *ir.Lane) { ln.Mod ^= ir.Neg })
		}
		out.Src = append(out.Src, o)
	}
	l.define(out, in, func(lane int) int { return lane })
	l.clobber(in)
	return nil
}

// instr makes an instruction of statement i, without operands.
func (l *lifter) instr(i int, op ir.Op) *ir.Instr {
	in := &l.prog.Insts[i]
	out := &l.instrs.take(1)[0]
	*out = ir.Instr{Op: op, Orig: int32(i), Pos: in.Pos, Cond: ir.Cond(in.Cmp)}
	if in.Dst.Mods&d3d9.Saturate != 0 {
		out.Mods |= ir.Sat
	}
	if in.Dst.Mods&d3d9.PartialPrecision != 0 {
		out.Mods |= ir.Half
	}
	return out
}

// define gives the written lanes their values and appends the instruction. channel
// tells which lane of the instruction supplies component c of the destination: c itself
// but for fetches through a swizzled sampler, where two components may come from one
// lane. The environment is changed after the sources were read, so mov r0.xy, r0.yx
// swaps.
func (l *lifter) define(out *ir.Instr, in *d3d9.Inst, channel func(c int) int) {
	reg := func(c int) ir.Reg {
		return ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: uint8(c)}
	}
	type write struct {
		reg ir.Reg
		v   *ir.Value
	}
	var writes []write
	mask := in.Dst.Mask
	if isScalar(in.Dst.File, in.Dst.Index) {
		mask = d3d9.MaskX // whatever the mask says
	}
	for c := range 4 {
		if !mask.Has(c) || !out.Op.Writes(channel(c)) {
			continue
		}
		lane := channel(c)
		if out.Out[lane] == nil {
			l.f.Define(out, lane, reg(c))
		}
		// The predicate has its own swizzle, by component of the destination. Keep is the value
		// that a lane has where the predicate is false, so the instruction defines a new value in
		// any case, as SSA demands.
		if in.HasPred {
			p := ir.Lane{V: l.source(d3d9.Reg{File: d3d9.Predicate}, in.Pred.Swz.At(c)), Mod: laneMod(in.Pred.Mod)}
			out.Pred[lane] = p
			out.Keep[lane] = l.get(reg(c))
		}
		writes = append(writes, write{reg(c), out.Out[lane]})
	}
	l.emit(out)
	for _, w := range writes {
		l.set(w.reg, w.v)
	}
}

// clobber forgets what a macro of shader model 2 destroys besides its written lanes:
// sincos leaves x, y and z undefined, sgn its scratch registers ("sincos - vs", "sgn -
// vs": the contents of the temporaries are undefined after). Undef is stronger than to
// keep the old value: a program that reads it is wrong.
func (l *lifter) clobber(in *d3d9.Inst) {
	undef := func(r d3d9.Reg, c int) {
		l.set(ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(c)}, l.f.Leaf(ir.Undef, ir.Reg{}))
	}
	switch in.Op {
	case d3d9.OpSinCos:
		if l.model.Major == 2 {
			for c := range 3 {
				if !in.Dst.Mask.Has(c) {
					undef(in.Dst.Reg, c)
				}
			}
		}
	case d3d9.OpSgn:
		if l.model.Major >= 3 {
			break // no longer a macro: the registers are there for the form
		}
		for _, s := range in.Sources()[1:] {
			for c := range 4 {
				undef(s.Reg, c)
			}
		}
	}
}

// kill lifts texkill. How many components it tests is in its mask by now.
func (l *lifter) kill(i int) {
	in := &l.prog.Insts[i]
	k := l.instr(i, ir.OpKill)
	k.Mods = 0
	var o ir.Operand
	for c := range 4 {
		if in.Dst.Mask.Has(c) {
			o[c] = ir.Lane{V: l.source(in.Dst.Reg, c)}
		}
	}
	k.Src = []ir.Operand{o}
	if in.HasPred {
		for c := range 4 {
			if in.Dst.Mask.Has(c) {
				k.Pred[c] = ir.Lane{V: l.source(d3d9.Reg{File: d3d9.Predicate}, in.Pred.Swz.At(c)), Mod: laneMod(in.Pred.Mod)}
			}
		}
	}
	l.emit(k)
}

// matrix lifts m4x4 and kin as the dot products they stand for, one a row even if the
// mask names more lanes (old files leave it off):
//
//	m4x3 r0.xyz, v0, c0    dp4 r0.x, v0, c0;  dp4 r0.y, v0, c1;  dp4 r0.z, v0, c2
//
// All rows are read before the first is written.
func (l *lifter) matrix(i int) {
	in := &l.prog.Insts[i]
	op, lanes, mask := ir.OpDp4, uint8(0xf), in.Dst.Mask
	switch in.Op {
	case d3d9.OpM4x3:
		mask &= 7
	case d3d9.OpM3x4:
		op, lanes = ir.OpDp3, 7
	case d3d9.OpM3x3:
		op, lanes, mask = ir.OpDp3, 7, mask&7
	case d3d9.OpM3x2:
		op, lanes, mask = ir.OpDp3, 7, mask&3
	}
	if isScalar(in.Dst.File, in.Dst.Index) {
		mask = d3d9.MaskX // whatever the mask says
	}
	// The vector is read once for all rows, with the same swizzle.
	vec := l.operand(in.Src[0], lanes)
	rows := make([]ir.Operand, 4)
	for r := range 4 {
		if mask.Has(r) {
			s := in.Src[1]
			s.Index += uint16(r)
			rows[r] = l.operand(s, lanes)
		}
	}
	for r := range 4 {
		if !mask.Has(r) {
			continue
		}
		one := *in
		one.Dst.Mask = 1 << r
		out := l.instr(i, op)
		// No row is statement i itself; emission must not take its text.
		out.Orig = -1
		out.Src = []ir.Operand{vec, rows[r]}
		l.define(out, &one, func(c int) int { return c })
	}
}

// fetchOp maps the texture instructions with a sampler operand.
func fetchOp(op d3d9.Op) (ir.Op, bool) {
	switch op {
	case d3d9.OpTexld:
		return ir.OpFetch, true
	case d3d9.OpTexldp:
		return ir.OpFetchProj, true
	case d3d9.OpTexldb:
		return ir.OpFetchBias, true
	case d3d9.OpTexldl:
		return ir.OpFetchLod, true
	case d3d9.OpTexldd:
		return ir.OpFetchGrad, true
	}
	return 0, false
}

// fetch lifts a texture read. A sampler without a declaration counts as 2D (assumed;
// shader models with samplers demand one).
func (l *lifter) fetch(i int, op ir.Op) {
	in := &l.prog.Insts[i]
	out := l.instr(i, op)
	unit := in.Src[1]
	dim, ok := l.dims[unit.Index]
	if !ok {
		dim = ir.Dim2D
	}
	out.Res = ir.Resource{Unit: uint8(unit.Index), Dim: dim}
	// Sources as the IR has them: coordinates, then gradients; the sampler (source 1) is the
	// resource.
	for k, s := range in.Sources() {
		if k != 1 {
			out.Src = append(out.Src, l.operand(s, out.Reads(len(out.Src))))
		}
	}
	if in.HasPred && !straight(unit.Swz, in.Dst.Mask) {
		// The predicate goes by component of the destination, the lanes of a fetch are
		// the channels: fetch first, then move under the predicate.
		l.fetchApart(i, out, unit.Swz)
		return
	}
	l.define(out, in, unit.Swz.At)
}

// straight reports whether s leaves the components in mask where they are.
func straight(s d3d9.Swizzle, mask d3d9.Mask) bool {
	for c := range 4 {
		if mask.Has(c) && s.At(c) != c {
			return false
		}
	}
	return true
}

// fetchApart makes of (p0) texld r0.xy, t0, s0.yx a fetch into values of its own and a
// predicated move.
func (l *lifter) fetchApart(i int, out *ir.Instr, channels d3d9.Swizzle) {
	in := &l.prog.Insts[i]
	mv := &ir.Instr{Op: ir.OpMov, Mods: out.Mods, Orig: -1, Pos: in.Pos, Src: make([]ir.Operand, 1)}
	out.Orig = -1
	for c := range 4 {
		if !in.Dst.Mask.Has(c) {
			continue
		}
		lane := channels.At(c)
		if out.Out[lane] == nil {
			l.f.Define(out, lane, ir.Reg{})
		}
		mv.Src[0][c] = ir.Lane{V: out.Out[lane]}
	}
	l.emit(out)
	l.define(mv, in, func(c int) int { return c })
}

// markPrecise marks everything that feeds a position, fog, point size or depth: draws
// that must agree bit for bit (a depth pre-pass) break if only one of them is
// rewritten. Below 3.0 these have registers of their own; in 3.0 declarations tell.
func markPrecise(p *d3d9.Program, f *ir.Func) {
	fixed := map[d3d9.Reg]bool{} // vs_3_0: outputs that are not for the pixel program
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output {
			switch in.Decl.Usage {
			case d3d9.UsagePosition, d3d9.UsagePSize, d3d9.UsageFog, d3d9.UsageDepth:
				fixed[in.Dst.Reg] = true
			}
		}
	}
	var work []*ir.Value
	for _, o := range f.Outs {
		file := d3d9.File(o.Reg.File)
		if file == d3d9.RastOut || file == d3d9.DepthOut || fixed[d3d9.Reg{File: file, Index: o.Reg.Index}] {
			work = append(work, o.V)
		}
	}
	ir.MarkPrecise(f, work)
}
