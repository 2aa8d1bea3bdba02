package vsps

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// source returns the current value of a register component. Constants that the program defines are
// literals, others are uniforms; inputs are leaves; other registers hold their last written value.
func (l *lifter) source(r d3d9.Reg, comp int) *ir.Value {
	home := ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(comp)}
	switch r.File {
	// The literal keeps its register as home, so that emission finds the def again.
	case d3d9.Const, d3d9.ConstInt, d3d9.ConstBool:
		if imm, ok := l.literals[r]; ok {
			if fixedPoint(l.model) {
				return l.f.LiteralAt(clampedConstant(imm[comp]), home)
			}
			// A definition beyond the registers of the dialect has no home.
			if int(r.Index) >= l.limits.MaxConst {
				home = ir.Reg{}
			}
			return l.f.LiteralAt(imm[comp], home)
		}
		return l.f.Leaf(ir.Uniform, home)
	case d3d9.Input, d3d9.Texture, d3d9.Misc:
		return l.f.Leaf(ir.Input, home)
	// aL is the counter of the innermost loop, or of the caller's in a subroutine.
	case d3d9.Loop:
		for i := len(l.loops) - 1; i >= 0; i-- {
			if l.loops[i].index != nil { // a rep does not count aL
				return l.loops[i].index
			}
		}
		return l.f.Leaf(ir.Undef, home)
	}
	return l.readReg(home)
}

// operand lifts the lanes in mask of a source: lane i reads component swizzle[i].
func (l *lifter) operand(s d3d9.Src, mask uint8) (o ir.Operand) {
	mod := laneMod(s.Mod)
	if s.Rel.File != d3d9.NoFile {
		return l.indexed(s, mask, mod)
	}
	for lane := range 4 {
		if mask>>lane&1 != 0 {
			o[lane] = ir.Lane{V: l.source(s.Reg, s.Swz.ComponentAt(lane)), Mod: mod}
		}
	}
	return o
}

// laneMod translates a modifier that is a flag on lanes in the IR. The modifiers that compute
// (_bias, _bx2) exist only in ps_1_x, whose lift translates them to instructions.
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

// indexed lifts c[a0.x + n] and v[aL + n] to a load, which emission folds back into the operand.
// The load defines each component read once, even if the swizzle repeats it.
func (l *lifter) indexed(s d3d9.Src, mask uint8, mod ir.LaneMod) (o ir.Operand) {
	index := l.source(d3d9.Reg{File: s.Rel.File}, s.Rel.Swz.ComponentAt(0))
	ld := &ir.Instr{Op: ir.OpLoad, Orig: -1, Base: ir.Reg{File: ir.File(s.File), Index: s.Index},
		Src: []ir.Operand{ir.Splat(ir.Lane{V: index})}}
	for lane := range 4 {
		if mask>>lane&1 == 0 {
			continue
		}
		c := s.Swz.ComponentAt(lane)
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

// statement lifts one statement other than flow control. Declarations and definitions were read
// before; the header copies comments.
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
		// Fetches have special operands (sampler, swizzled channels).
	}
	if res, ok := fetchOp(in.Op); ok {
		l.fetch(i, res)
		return nil
	}
	op, ok := simple[in.Op]
	srcs := in.Sources()
	// Operations whose meaning depends on the model or the destination.
	switch in.Op {
	// sub is an add with the second source negated: this gives the same bits, and passes have one
	// op fewer. Emission writes sub if the statement did.
	case d3d9.OpSub:
		op, ok = ir.OpAdd, true
	case d3d9.OpMov:
		// mov to a0 rounds down in vs_1_1. Later only mova writes a0, rounding to the nearest
		// integer.
		if in.Dst.File == d3d9.Addr {
			op = ir.OpMova
			if m.Major == 1 {
				op = ir.OpMovaFloor
			}
		}
	// expp and logp write four different values in vs_1_1, and later one with partial precision
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
	// The formula and the mask determine the lanes read, so that add r0.x does not depend on r1.y.
	case d3d9.OpSinCos:
		op, ok = ir.OpSinCos, true
	case d3d9.OpSgn:
		srcs = srcs[:1] // the scratch registers are undefined afterwards
	}
	if !ok {
		return asm.Errorf(in.Pos, "unsupported-op", "%s is not supported in %s", in.Op, m)
	}
	out := l.instr(i, op)
	mask := uint8(in.Dst.Mask)
	// A destination with one component (oFog, oPts, depth) uses x.
	if isScalar(in.Dst.File, in.Dst.Index) {
		mask = 1
	}
	out.Src = l.operands.allocZeroed(len(srcs))[:0]
	for k, s := range srcs {
		// A scalar source is read in lane 0. A replicate swizzle has the same component everywhere;
		// for an identity swizzle, which old files have, implementations use the last one (.w).
		if in.Op.IsScalar() {
			s.Swz = d3d9.Replicate(s.Swz.ComponentAt(3))
			// ReadsFor returns the lanes that the formula reads for the written lanes: add r0.x
			// reads only x, dp3 three lanes.
		}
		o := l.operand(s, out.ReadsFor(k, mask))
		if in.Op == d3d9.OpSub && k == 1 {
			o.EachLane(func(_ int, ln *ir.Lane) { ln.Mod ^= ir.Neg })
		}
		out.Src = append(out.Src, o)
	}
	l.define(out, in, func(lane int) int { return lane })
	l.clobber(in)
	return nil
}

// instr returns a new instruction for statement i, without operands.
func (l *lifter) instr(i int, op ir.Op) *ir.Instr {
	in := &l.prog.Insts[i]
	out := &l.instrs.allocZeroed(1)[0]
	*out = ir.Instr{Op: op, Orig: int32(i), Pos: in.Pos, Cond: ir.Cond(in.Cmp)}
	if in.Dst.Mods&d3d9.Saturate != 0 {
		out.Mods |= ir.Sat
	}
	if in.Dst.Mods&d3d9.PartialPrecision != 0 {
		out.Mods |= ir.Half
	}
	return out
}

// define assigns new values to the written lanes and appends the instruction. channel maps
// component c of the destination to a lane of the instruction. This is c itself, except for fetches
// with a swizzled sampler, where two components may come from one lane. The environment changes
// after the sources were read, so mov r0.xy, r0.yx swaps.
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
		mask = d3d9.MaskX // whatever the mask
	}
	for c := range 4 {
		if !mask.Has(c) || !out.Op.Writes(channel(c)) {
			continue
		}
		lane := channel(c)
		if out.Out[lane] == nil {
			l.f.Define(out, lane, reg(c))
		}
		// The predicate has its own swizzle, by component of the destination. Keep is the value of
		// a lane if the predicate is false, so the instruction always defines a new value, as SSA
		// demands.
		if in.HasPred {
			p := ir.Lane{V: l.source(d3d9.Reg{File: d3d9.Predicate}, in.Pred.Swz.ComponentAt(c)), Mod: laneMod(in.Pred.Mod)}
			out.Pred[lane] = p
			out.Keep[lane] = l.readReg(reg(c))
		}
		writes = append(writes, write{reg(c), out.Out[lane]})
	}
	l.emit(out)
	for _, w := range writes {
		l.writeReg(w.reg, w.v)
	}
}

// clobber invalidates registers that a macro of shader model 2 destroys besides its written lanes.
// sincos leaves x, y and z undefined, sgn its scratch registers ("sincos - vs", "sgn - vs": the
// contents of the temporaries are undefined after). Undef is stricter than keeping the old value,
// because a program that reads it is wrong.
func (l *lifter) clobber(in *d3d9.Inst) {
	undef := func(r d3d9.Reg, c int) {
		l.writeReg(ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(c)}, l.f.Leaf(ir.Undef, ir.Reg{}))
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
			break // not a macro any more: the registers are only syntax
		}
		for _, s := range in.Sources()[1:] {
			for c := range 4 {
				undef(s.Reg, c)
			}
		}
	}
}

// kill lifts texkill. Its mask has the tested components.
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
				k.Pred[c] = ir.Lane{V: l.source(d3d9.Reg{File: d3d9.Predicate}, in.Pred.Swz.ComponentAt(c)),
					Mod: laneMod(in.Pred.Mod)}
			}
		}
	}
	l.emit(k)
}

// matrix lifts m4x4 and similar macros as dot products, one for each row, even if the mask has more
// lanes (old files omit it):
//
//	m4x3 r0.xyz, v0, c0    dp4 r0.x, v0, c0;  dp4 r0.y, v0, c1;  dp4 r0.z, v0, c2
//
// It reads all rows before it writes the first.
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
		mask = d3d9.MaskX // whatever the mask
	}
	// All rows read the vector with the same swizzle.
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
		// A row is not statement i; emission must not reuse its text.
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

// fetch lifts a texture read. A sampler without a declaration counts as 2D (an assumption; shader
// models with samplers require one).
func (l *lifter) fetch(i int, op ir.Op) {
	in := &l.prog.Insts[i]
	out := l.instr(i, op)
	unit := in.Src[1]
	dim, ok := l.dims[unit.Index]
	if !ok {
		dim = ir.Dim2D
	}
	out.Res = ir.Resource{Unit: uint8(unit.Index), Dim: dim}
	// Sources in the order of the IR: coordinates, then gradients; the sampler (source 1) is the
	// resource.
	for k, s := range in.Sources() {
		if k != 1 {
			out.Src = append(out.Src, l.operand(s, out.Reads(len(out.Src))))
		}
	}
	if in.HasPred && !straight(unit.Swz, in.Dst.Mask) {
		// The predicate applies to components of the destination, but the lanes of a fetch are
		// channels: fetch first, then move under the predicate.
		l.fetchApart(i, out, unit.Swz)
		return
	}
	l.define(out, in, unit.Swz.ComponentAt)
}

// straight reports whether s keeps the components in mask in place.
func straight(s d3d9.Swizzle, mask d3d9.Mask) bool {
	for c := range 4 {
		if mask.Has(c) && s.ComponentAt(c) != c {
			return false
		}
	}
	return true
}

// fetchApart translates (p0) texld r0.xy, t0, s0.yx to a fetch into new values and a predicated
// move.
func (l *lifter) fetchApart(i int, out *ir.Instr, channels d3d9.Swizzle) {
	in := &l.prog.Insts[i]
	mv := &ir.Instr{Op: ir.OpMov, Mods: out.Mods, Orig: -1, Pos: in.Pos, Src: make([]ir.Operand, 1)}
	out.Orig = -1
	for c := range 4 {
		if !in.Dst.Mask.Has(c) {
			continue
		}
		lane := channels.ComponentAt(c)
		if out.Out[lane] == nil {
			l.f.Define(out, lane, ir.Reg{})
		}
		mv.Src[0][c] = ir.Lane{V: out.Out[lane]}
	}
	l.emit(out)
	l.define(mv, in, func(c int) int { return c })
}

// markPrecise marks all computations of a position, fog, point size or depth. Draws that must agree
// bit for bit (a depth pre-pass) break if only one of them is rewritten. Below 3.0 these have
// separate registers; in 3.0 declarations identify them.
func markPrecise(p *d3d9.Program, f *ir.Func) {
	fixed := map[d3d9.Reg]bool{} // vs_3_0: outputs that the pixel program does not read
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
