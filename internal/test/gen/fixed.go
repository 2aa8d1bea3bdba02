package gen

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// FixedModels lists the fixed-point models, whose programs have a fixed shape.
var FixedModels = []d3d9.Model{d3d9.PS11, d3d9.PS12, d3d9.PS13, d3d9.PS14}

// isFixed reports whether a model is ps_1_x.
func isFixed(m d3d9.Model) bool { return m.Stage == d3d9.Pixel && m.Major == 1 }

// fixedGen is the state of a program of ps_1_x under construction. The program has no flow, so have, the
// written components of a register, replaces env.
type fixedGen struct {
	*gen
	have  map[d3d9.Reg]d3d9.Mask
	phase int        // 0 before the instruction phase of ps_1_4, 1 behind it or without it
	ops   []weighted // arithmetic instructions of the model
	cmps  int        // number of cmp so far, at most three in ps_1_2 and ps_1_3
	// projected marks the t# of ps_1_4 that are divided by w. All reads of a register must select the same
	// components.
	projected [6]bool
	depths    int // reads divided by z, at most two
}

// fixed generates a program: texture instructions, then arithmetic, twice in some programs of ps_1_4.
func (g *gen) fixed() []d3d9.Inst {
	f := &fixedGen{gen: g, have: map[d3d9.Reg]d3d9.Mask{}, phase: 1}
	for k := range f.projected {
		f.projected[k] = g.m == d3d9.PS14 && g.chance(25)
	}
	for _, c := range []weighted{
		{d3d9.OpMov, 10}, {d3d9.OpAdd, 12}, {d3d9.OpSub, 6}, {d3d9.OpMul, 14}, {d3d9.OpMad, 12},
		{d3d9.OpLrp, 6}, {d3d9.OpDp3, 8}, {d3d9.OpDp4, 3}, {d3d9.OpCmp, 4}, {d3d9.OpCnd, 4},
	} {
		if c.op.Exists(g.m) {
			f.ops = append(f.ops, c)
		}
	}
	// Three constants, with values in the range of the model and one beyond it, which is clamped.
	for c := range uint16(3) {
		if g.chance(60) {
			var v [4]float32
			for k := range v {
				v[k] = [...]float32{0, 1, 0.5, -0.5, 0.25, -1, 0.75, 2}[g.r.IntN(8)]
			}
			g.define(c, v)
		}
		g.consts = append(g.consts, c)
	}
	if g.m == d3d9.PS14 && g.chance(50) {
		f.phase = 0
		f.textures()
		f.statements()
		f.addBump()
		g.code = append(g.code, d3d9.Inst{Op: d3d9.OpPhase})
		f.phase = 1
		for r := range f.have {
			// Alpha is lost at the phase marker.
			f.have[r] &= 7
		}
	}
	f.textures()
	f.statements()
	f.depth()
	f.result()
	return append(g.decls, g.code...)
}

// define adds the def of a constant.
func (g *gen) define(c uint16, v [4]float32) {
	in := d3d9.Inst{Op: d3d9.OpDef, HasDst: true,
		Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const, Index: c}, Mask: d3d9.MaskAll}}
	for k := range v {
		in.Imm[k] = math.Float32bits(v[k])
	}
	g.decls = append(g.decls, in)
}

// appendInst appends an instruction with sources as they are.
func (f *fixedGen) appendInst(op d3d9.Op, dst d3d9.Reg, mask d3d9.Mask, srcs ...d3d9.Src) {
	in := d3d9.Inst{Op: op, HasDst: true, NSrc: uint8(len(srcs)), Dst: d3d9.Dst{Reg: dst, Mask: mask}}
	copy(in.Src[:], srcs)
	f.code = append(f.code, in)
}

// texture returns t#.
func texture(n int) d3d9.Reg { return d3d9.Reg{File: d3d9.Texture, Index: uint16(n)} }

// whole returns a read of a register without swizzle.
func whole(r d3d9.Reg) d3d9.Src { return d3d9.Src{Reg: r, Swz: d3d9.Identity} }

// fixedWants lists the coordinates and colours that a program of ps_1_x names, including t# that it reads
// only as results of instructions.
func fixedWants(ps *d3d9.Program) (list []port) {
	named := map[d3d9.Reg]bool{}
	note := func(r d3d9.Reg) {
		if (r.File == d3d9.Texture || r.File == d3d9.Input) && !named[r] {
			named[r] = true
			list = append(list, port{reg: r, mask: d3d9.MaskAll})
		}
	}
	for i := range ps.Insts {
		in := &ps.Insts[i]
		note(in.Dst.Reg)
		for _, s := range in.Sources() {
			note(s.Reg)
		}
	}
	return list
}

// textures generates the texture instructions of a phase, in the order of their registers, as ps_1_1 to
// ps_1_3 require. Instructions that use the result of another one follow the first sample.
func (f *fixedGen) textures() {
	if f.m == d3d9.PS14 {
		f.textures14()
		return
	}
	first := -1 // first register with a texture sample
	for n := 0; n < 4; n++ {
		from := whole(texture(max(first, 0)))
		if f.chance(30) && f.m.Minor >= 2 {
			from.Mod = d3d9.ModSign
		}
		switch k := f.r.IntN(16); {
		// A sample comes first, since most of the others need one.
		case k < 6 || first < 0 && k < 12:
			f.appendInst(d3d9.OpTex, texture(n), d3d9.MaskAll)
		case k < 8:
			f.appendInst(d3d9.OpTexCoord, texture(n), d3d9.MaskAll)
		// texkill does not change t#.
		case k == 8:
			f.appendInst(d3d9.OpTexKill, texture(n), d3d9.MaskAll)
			continue
		// The remaining instructions read another t#.
		case first < 0:
			continue
		case k == 9:
			f.appendInst([...]d3d9.Op{d3d9.OpTexReg2ar, d3d9.OpTexReg2gb}[f.r.IntN(2)], texture(n), d3d9.MaskAll,
				whole(from.Reg))
		case k == 10:
			f.appendInst([...]d3d9.Op{d3d9.OpTexBem, d3d9.OpTexBeml}[f.r.IntN(2)], texture(n), d3d9.MaskAll, whole(from.Reg))
		case k == 11 && f.m.Minor >= 2:
			f.appendInst([...]d3d9.Op{d3d9.OpTexReg2rgb, d3d9.OpTexDp3, d3d9.OpTexDp3tex}[f.r.IntN(3)], texture(n),
				d3d9.MaskAll, from)
		// A matrix takes two or three consecutive stages: its pads, and the instruction that uses the rows.
		case k < 14 && n < 3:
			f.appendInst(d3d9.OpTexM3x2pad, texture(n), d3d9.MaskAll, from)
			n++
			if f.m == d3d9.PS13 && f.chance(20) {
				f.appendInst(d3d9.OpTexM3x2depth, texture(n), d3d9.MaskAll, from)
				continue
			}
			f.appendInst(d3d9.OpTexM3x2tex, texture(n), d3d9.MaskAll, from)
		// Two pads, and one of the instructions that use three rows.
		case n < 2:
			f.appendInst(d3d9.OpTexM3x3pad, texture(n), d3d9.MaskAll, from)
			f.appendInst(d3d9.OpTexM3x3pad, texture(n+1), d3d9.MaskAll, from)
			n += 2
			switch last := f.r.IntN(4); {
			case last == 0:
				f.appendInst(d3d9.OpTexM3x3spec, texture(n), d3d9.MaskAll, from,
					whole(d3d9.Reg{File: d3d9.Const, Index: uint16(f.r.IntN(3))}))
			case last == 1:
				f.appendInst(d3d9.OpTexM3x3vspec, texture(n), d3d9.MaskAll, from)
			case last == 2 && f.m.Minor >= 2:
				f.appendInst(d3d9.OpTexM3x3, texture(n), d3d9.MaskAll, from)
			default:
				f.appendInst(d3d9.OpTexM3x3tex, texture(n), d3d9.MaskAll, from)
			}
		default:
			continue
		}
		// Only the last stage of a matrix has a result.
		f.have[texture(n)] = d3d9.MaskAll
		if first < 0 {
			first = n
		}
	}
}

// textures14 generates the texture instructions of ps_1_4, where texld and texcrd name their source: a
// coordinate or, in the second phase, a temporary.
func (f *fixedGen) textures14() {
	// The selectors of texld and texcrd: .xyz and, with the modifier _dw, .xyw.
	selector := d3d9.MakeSwizzle(0, 1, 2, 2)
	for n := range 6 {
		dst := d3d9.Reg{File: d3d9.Temp, Index: uint16(n)}
		src := whole(texture(f.r.IntN(6)))
		switch k := f.r.IntN(10); {
		case k < 3:
			src.Swz = selector
			if f.projected[src.Index] {
				src.Swz, src.Mod = d3d9.MakeSwizzle(0, 1, 3, 3), d3d9.ModDW
			}
			f.appendInst(d3d9.OpTexld14, dst, d3d9.MaskAll, src)
			f.have[dst] = d3d9.MaskAll
		// A dependent read of a result of the first phase.
		case k < 5 && f.phase == 1:
			src = whole(d3d9.Reg{File: d3d9.Temp, Index: uint16(f.r.IntN(6))})
			if f.have[src.Reg]&7 == 7 {
				if src.Swz = selector; f.depths < 2 && f.chance(30) {
					src.Mod = d3d9.ModDZ
					f.depths++
				}
				f.appendInst(d3d9.OpTexld14, dst, d3d9.MaskAll, src)
				f.have[dst] = d3d9.MaskAll
			}
		case k < 7:
			src.Swz = selector
			mask := maskXYZ
			if f.projected[src.Index] {
				src.Swz, src.Mod, mask = d3d9.MakeSwizzle(0, 1, 3, 3), d3d9.ModDW, maskXY
			}
			f.appendInst(d3d9.OpTexCrd, dst, mask, src)
			f.have[dst] |= mask
		case k == 7 && f.phase == 1 && f.chance(30):
			f.appendInst(d3d9.OpTexKill, src.Reg, d3d9.MaskAll)
		}
	}
}

// addBump adds a vector in the space of a texture to coordinates.
func (f *fixedGen) addBump() {
	in := d3d9.Inst{Op: d3d9.OpBem, HasDst: true, NSrc: 2}
	in.Dst = d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(f.r.IntN(6))}, Mask: maskXY}
	if f.chance(40) && f.operand(&in, 0) && f.operand(&in, 1) {
		f.code = append(f.code, in)
		f.have[in.Dst.Reg] |= in.Dst.Mask
	}
}

// depth ends a phase with r5 as the depth.
func (f *fixedGen) depth() {
	r5 := d3d9.Reg{File: d3d9.Temp, Index: 5}
	if f.m == d3d9.PS14 && f.have[r5]&maskXY == maskXY && f.chance(15) {
		f.appendInst(d3d9.OpTexDepth, r5, d3d9.MaskAll)
	}
}

// statements generates one to five arithmetic instructions. Some are pairs that are issued together, for
// colours and alpha; both read the values from before the pair.
func (f *fixedGen) statements() {
	for n := 1 + f.r.IntN(min(f.left, 5)); n > 0; n-- {
		in := f.statement(0)
		if in.Op == d3d9.OpInvalid {
			continue
		}
		f.code = append(f.code, in)
		// A pair: the second instruction writes the components that the first does not.
		if f.chance(40) && (in.Dst.Mask == maskXYZ || in.Dst.Mask == d3d9.MaskW) {
			if next := f.statement(d3d9.MaskAll &^ in.Dst.Mask); next.Op != d3d9.OpInvalid {
				if next.CoIssue = true; d3d9.PairFits(f.m, &in, &next) {
					f.code = append(f.code, next)
					f.have[next.Dst.Reg] |= next.Dst.Mask
				}
			}
		}
		f.have[in.Dst.Reg] |= in.Dst.Mask
	}
}

// statement generates one instruction, which writes the components of mask unless that is empty. It returns
// OpInvalid if the model does not allow the instruction.
func (f *fixedGen) statement(mask d3d9.Mask) (in d3d9.Inst) {
	f.gen.ops = f.ops
	op := f.choose()
	if op == d3d9.OpCmp && f.m != d3d9.PS14 {
		if f.cmps++; f.cmps > 3 {
			return in
		}
	}
	in = d3d9.Inst{Op: op, HasDst: true, NSrc: 2}
	switch op {
	case d3d9.OpMov:
		in.NSrc = 1
	case d3d9.OpMad, d3d9.OpLrp, d3d9.OpCmp, d3d9.OpCnd:
		in.NSrc = 3
	}
	in.Dst.Reg = d3d9.Reg{File: d3d9.Temp, Index: uint16(f.r.IntN(f.lim.Regs[d3d9.Temp]))}
	if f.m != d3d9.PS14 && f.chance(15) {
		in.Dst.Reg = texture(f.r.IntN(4))
	}
	if in.Dst.Mask = mask; mask == 0 {
		in.Dst.Mask = [...]d3d9.Mask{7, 7, 15, 15, 8}[f.r.IntN(5)]
		if f.m == d3d9.PS14 && f.chance(20) {
			in.Dst.Mask = d3d9.Mask(1 + f.r.IntN(15))
		}
	}
	if !d3d9.MaskFits(f.m, op, &in.Dst) {
		return d3d9.Inst{}
	}
	if f.chance(25) {
		in.Dst.Mods = d3d9.Saturate
	}
	if f.chance(20) {
		in.Dst.Shift = [...]int8{1, 2, -1}[f.r.IntN(3)]
		if f.m == d3d9.PS14 && f.chance(30) {
			in.Dst.Shift = [...]int8{3, -2, -3}[f.r.IntN(3)]
		}
	}
	for k := range in.Sources() {
		if !f.operand(&in, k) {
			return d3d9.Inst{}
		}
	}
	return in
}

// operand generates source k of in from written registers, with a swizzle and a modifier of the model. It
// gives up after some tries.
func (f *fixedGen) operand(in *d3d9.Inst, k int) bool {
	for range 12 {
		s := whole(d3d9.Reg{File: d3d9.Temp, Index: uint16(f.r.IntN(f.lim.Regs[d3d9.Temp]))})
		switch n := f.r.IntN(10); {
		case n < 3 && f.m != d3d9.PS14:
			s.Reg = texture(f.r.IntN(4))
		case n < 5 && (f.m != d3d9.PS14 || f.phase == 1):
			s.Reg = d3d9.Reg{File: d3d9.Input, Index: uint16(f.r.IntN(2))}
		case n < 7:
			s.Reg = d3d9.Reg{File: d3d9.Const, Index: f.consts[f.r.IntN(len(f.consts))]}
		}
		switch n := f.r.IntN(10); {
		case n < 2:
			s.Swz = d3d9.Replicate(3)
		case n < 4 && d3d9.SwizzleFits(f.m, in.Op, k, d3d9.Replicate(int(in.Dst.Mask)&3)):
			s.Swz = d3d9.Replicate(int(in.Dst.Mask) & 3)
		case n == 4 && d3d9.BlueFits(f.m, in.Op, in.Dst.Mask):
			s.Swz = d3d9.Replicate(2)
		}
		if s.File != d3d9.Const && f.chance(35) {
			s.Mod = [...]d3d9.SrcMod{d3d9.ModNeg, d3d9.ModBias, d3d9.ModSign, d3d9.ModComp, d3d9.ModSignNeg,
				d3d9.ModBiasNeg}[f.r.IntN(6)]
			if f.m == d3d9.PS14 && f.chance(20) {
				s.Mod = [...]d3d9.SrcMod{d3d9.ModX2, d3d9.ModX2Neg}[f.r.IntN(2)]
			}
		}
		// cnd before ps_1_4 reads only r0.a.
		if in.Op == d3d9.OpCnd && k == 0 && f.m != d3d9.PS14 {
			s = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Temp}, Swz: d3d9.Replicate(3)}
		}
		in.Src[k] = s
		if read := in.Components(k, d3d9.TexUnknown); (s.File == d3d9.Temp || s.File == d3d9.Texture) &&
			read&^f.have[s.Reg] != 0 {
			continue
		}
		if s.Reg == in.Dst.Reg && !d3d9.MayReuse(f.m, in.Op, k) || f.crowded(in, k) {
			continue
		}
		return true
	}
	return false
}

// crowded reports whether the sources up to k exceed the read port limit: too many different registers of a
// file.
func (f *fixedGen) crowded(in *d3d9.Inst, k int) bool {
	regs := map[d3d9.Reg]bool{}
	for _, s := range in.Src[:k+1] {
		if s.File == in.Src[k].File {
			regs[s.Reg] = true
		}
	}
	return len(regs) > d3d9.PortLimit(f.m, in.Src[k].File)
}

// result writes the missing components of r0, the result. It usually uses computed values, so that programs
// show more than one colour.
func (f *fixedGen) result() {
	r0 := d3d9.Reg{File: d3d9.Temp}
	missing := d3d9.MaskAll &^ f.have[r0]
	if missing == 0 {
		return
	}
	// Before ps_1_4 masks are .rgb, .a or all.
	if f.m != d3d9.PS14 && missing != maskXYZ && missing != d3d9.MaskW {
		missing = d3d9.MaskAll
	}
	in := d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Dst: d3d9.Dst{Reg: r0, Mask: missing}}
	for range 6 {
		if !f.operand(&in, 0) || in.Src[0].File == d3d9.Const && !f.chance(10) {
			in.Src[0] = whole(d3d9.Reg{File: d3d9.Const})
			continue
		}
		break
	}
	f.code = append(f.code, in)
}
