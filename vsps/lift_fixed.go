package vsps

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// fixedLifter lifts a program of ps_1_x. Here a statement becomes several instructions: the
// modifiers of its sources, its operation, its shift and its clamp. Verification then sees
// plain arithmetic. Texture instructions become their arithmetic and a fetch. [Emit] writes
// no program of ps_1_x.
//
//	add_x2_sat r0, r1_bx2, 1-t0     a = mad r1, 2, -1;  b = add 1, -t0
//	                                c = add a, b;  d = mul.sat c, 2
//
// All models lift to the same ops, so that verification has one semantics for them.
// Rounding to eight bits is treated like any other rounding.
type fixedLifter struct {
	*lifter
	spans spans
	in    *d3d9.Inst
	i     int
	// set holds the results of the instruction or the co-issued pair. They take effect after
	// both of a pair have been read.
	set []regValue
}

type regValue struct {
	reg ir.Reg
	v   *ir.Value
}

// pads is the file of the rows of matrices, which no program can read by register.
const pads = ir.File(d3d9.Bump)

// fixed lifts the program. Both instructions of a co-issued pair read the registers as they
// were before the pair ("Instruction Pairing"). The result of the program is r0.
func (l *lifter) fixed() error {
	f := &fixedLifter{lifter: l, spans: spans{}}
	for i := range l.prog.Insts {
		f.in, f.i = &l.prog.Insts[i], i
		switch f.in.Op {
		case d3d9.OpNop, d3d9.OpComment, d3d9.OpDef:
			continue
		// phase preserves the colours of registers and not alpha ("phase - ps").
		case d3d9.OpPhase:
			for r := range uint16(6) {
				home := ir.Reg{File: ir.File(d3d9.Temp), Index: r, Comp: 3}
				l.writeReg(home, l.f.Leaf(ir.Undef, ir.Reg{}))
			}
			continue
		}
		if !f.statement() {
			return asm.Errorf(f.in.Pos, "unsupported-op", "%s is not supported in %s", f.in.Op, l.model)
		}
		if next := i + 1; next < len(l.prog.Insts) && l.prog.Insts[next].CoIssue {
			continue
		}
		for _, w := range f.set {
			l.writeReg(w.reg, w.v)
		}
		f.set = f.set[:0]
	}
	for c := range uint8(4) { // the result
		home := ir.Reg{File: ir.File(d3d9.Temp), Comp: c}
		l.writeReg(ir.Reg{File: ir.File(d3d9.ColorOut), Comp: c}, l.readReg(home))
	}
	return nil
}

// fixedOps maps instructions to the op of the IR that computes them.
var fixedOps = map[d3d9.Op]ir.Op{
	d3d9.OpMov: ir.OpMov, d3d9.OpAdd: ir.OpAdd, d3d9.OpSub: ir.OpAdd, d3d9.OpMul: ir.OpMul, d3d9.OpMad: ir.OpMad,
	d3d9.OpLrp: ir.OpLrp, d3d9.OpDp3: ir.OpDp3, d3d9.OpDp4: ir.OpDp4, d3d9.OpCmp: ir.OpCmp, d3d9.OpCnd: ir.OpCmp,
}

// statement lifts one instruction. It returns false for an unknown one.
func (f *fixedLifter) statement() bool {
	in := f.in
	op, ok := fixedOps[in.Op]
	switch {
	case !ok:
		return f.addressing()
	// Up to ps_1_3, hardware ignores the condition of a co-issued cnd that writes more than
	// alpha, and selects the second source. Tests of Wine found this.
	case in.Op == d3d9.OpCnd && in.CoIssue && f.model != d3d9.PS14 && in.Dst.Mask != d3d9.MaskW:
		f.finish(f.op(ir.OpMov, f.source(in.Src[1], uint8(in.Dst.Mask))))
		return true
	}
	var srcs []ir.Operand
	for k, s := range in.Sources() {
		reads := (&ir.Instr{Op: op}).ReadsFor(k, uint8(in.Dst.Mask))
		srcs = append(srcs, f.source(s, reads))
	}
	switch in.Op {
	case d3d9.OpSub:
		srcs[1] = negated(srcs[1])
	case d3d9.OpCnd: // a > 0.5 ? b : c, which is 0.5 - a >= 0 ? c : b
		half := f.op(ir.OpAdd, f.number(0.5, srcs[0]), negated(srcs[0]))
		srcs = []ir.Operand{results(half), srcs[2], srcs[1]}
	}
	f.finish(f.opFor(op, uint8(in.Dst.Mask), srcs...))
	return true
}

// op appends an instruction that writes the lanes of its first source.
func (f *fixedLifter) op(op ir.Op, srcs ...ir.Operand) *ir.Instr {
	var mask uint8
	srcs[0].EachLane(func(lane int, _ *ir.Lane) { mask |= 1 << lane })
	return f.opFor(op, mask, srcs...)
}

// opFor appends an instruction that writes the lanes in mask.
func (f *fixedLifter) opFor(op ir.Op, mask uint8, srcs ...ir.Operand) *ir.Instr {
	out := &ir.Instr{Op: op, Orig: -1, Pos: f.in.Pos, Src: srcs}
	for lane := range 4 {
		if mask>>lane&1 != 0 {
			f.f.Define(out, lane, ir.Reg{})
		}
	}
	return f.emit(out)
}

// results returns an operand of the lanes that in writes.
func results(in *ir.Instr) (o ir.Operand) {
	for i, v := range in.Out {
		o[i] = ir.Lane{V: v}
	}
	return o
}

// negated returns o with every sign changed.
func negated(o ir.Operand) ir.Operand {
	o.EachLane(func(_ int, l *ir.Lane) { l.Mod ^= ir.Neg })
	return o
}

// number returns a literal in the lanes of o.
func (f *fixedLifter) number(x float32, o ir.Operand) ir.Operand {
	v := f.f.Const(math.Float32bits(x))
	o.EachLane(func(_ int, l *ir.Lane) { *l = ir.Lane{V: v} })
	return o
}

// finish shifts and clamps the results of out and writes them. A saturated result is in the
// range. Otherwise the lanes that may leave the range get an OpRange.
func (f *fixedLifter) finish(out *ir.Instr) {
	d := &f.in.Dst
	if d.Shift != 0 {
		x := results(out)
		out = f.op(ir.OpMul, x, f.number(float32(math.Ldexp(1, int(d.Shift))), x))
	}
	if d.Mods&d3d9.Saturate != 0 {
		out.Mods |= ir.Sat
		f.unranged(out)
		f.write(out)
		return
	}
	var wide ir.Operand
	for i, v := range out.Out {
		if v != nil && !f.spans.spanOf(v).held {
			wide[i] = ir.Lane{V: v}
		}
	}
	f.write(out)
	if wide != (ir.Operand{}) {
		f.write(f.op(ir.OpRange, wide))
	}
}

// unranged replaces the source of a saturated move of range(x) by x: 0..1 is within the range,
// so sat(range(x)) is sat(x). All lanes must come from one OpRange.
func (f *fixedLifter) unranged(in *ir.Instr) {
	var from ir.Operand
	var def *ir.Instr
	for i, l := range in.Src[0] {
		if l.V == nil {
			continue
		}
		if in.Op != ir.OpMov || l.Mod != 0 || l.V.Def == nil || l.V.Def.Op != ir.OpRange || def != nil && l.V.Def != def {
			return
		}
		def = l.V.Def
		from[i] = def.Src[0][l.V.Lane]
	}
	if def != nil {
		in.Src[0] = from
	}
}

// write assigns the results of out to the destination register, which becomes the home of its
// values.
func (f *fixedLifter) write(out *ir.Instr) {
	out.Orig = int32(f.i)
	d := &f.in.Dst
	for c, v := range out.Out {
		if v != nil {
			v.Home = ir.Reg{File: ir.File(d.File), Index: d.Index, Comp: uint8(c)}
			f.set = append(f.set, regValue{v.Home, v})
		}
	}
}

// source lifts the lanes in mask of a source. A modifier other than a sign becomes an
// instruction. It is computed by component, before the swizzle, so that lanes of one
// component share it. Negation comes last, after bias and scale ("Source Register Modifiers").
func (f *fixedLifter) source(s d3d9.Src, mask uint8) (o ir.Operand) {
	var comps uint8
	for lane := range 4 {
		if mask>>lane&1 != 0 {
			comps |= 1 << s.Swz.ComponentAt(lane)
		}
	}
	var x ir.Operand // by component
	for c := range 4 {
		if comps>>c&1 != 0 {
			x[c] = ir.Lane{V: f.contents(s.Reg, c)}
		}
	}
	minus := false
	switch s.Mod {
	case d3d9.ModNeg:
		minus = true
	case d3d9.ModBias, d3d9.ModBiasNeg:
		x = results(f.op(ir.OpAdd, x, f.number(-0.5, x)))
		minus = s.Mod == d3d9.ModBiasNeg
	case d3d9.ModSign, d3d9.ModSignNeg:
		x = results(f.op(ir.OpMad, x, f.number(2, x), f.number(-1, x)))
		minus = s.Mod == d3d9.ModSignNeg
	case d3d9.ModX2, d3d9.ModX2Neg:
		x = results(f.op(ir.OpMul, x, f.number(2, x)))
		minus = s.Mod == d3d9.ModX2Neg
	case d3d9.ModComp:
		x = results(f.op(ir.OpAdd, f.number(1, x), negated(x)))
	}
	if minus {
		x = negated(x)
	}
	for lane := range 4 {
		if mask>>lane&1 != 0 {
			o[lane] = x[s.Swz.ComponentAt(lane)]
		}
	}
	return o
}

// contents returns the value of a component of a register. Up to ps_1_3, t# holds the result
// of the last instruction that wrote it.
func (f *fixedLifter) contents(r d3d9.Reg, c int) *ir.Value {
	if r.File == d3d9.Texture && f.model != d3d9.PS14 {
		return f.readReg(ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(c)})
	}
	return f.lifter.source(r, c)
}

// coordinates returns the given components of the interpolated texture coordinates n.
func (f *fixedLifter) coordinates(n uint16, comps ...int) (o ir.Operand) {
	for i, c := range comps {
		o[i] = ir.Lane{V: f.f.Leaf(ir.Input, ir.Reg{File: ir.File(d3d9.Texture), Index: n, Comp: uint8(c)})}
	}
	return o
}

// addressing lifts the instructions that read coordinates and textures. Their intermediate
// results are not clamped. Each case follows the page of that instruction ("texbem - ps",
// "texm3x3spec - ps", ...).
func (f *fixedLifter) addressing() bool {
	in := f.in
	n := in.Dst.Index
	switch in.Op {
	case d3d9.OpBem:
		f.finish(f.bump(n, f.source(in.Src[0], 3), f.source(in.Src[1], 3)))
	case d3d9.OpTexCoord:
		// Alpha is 1 by the reference. Implementations return the fourth coordinate, and programs
		// put fog there. Alpha therefore counts as unknown.
		out := f.op(ir.OpMov, f.coordinates(n, 0, 1, 2, 3))
		out.Mods |= ir.Sat
		f.write(out)
	case d3d9.OpTexCrd:
		x := f.selected()
		for lane := range x {
			if !in.Dst.Mask.Has(lane) {
				x[lane] = ir.Lane{}
			}
		}
		f.write(f.op(ir.OpRange, x))
	case d3d9.OpTexKill:
		x := f.coordinates(n, 0, 1, 2)
		if in.Dst.File == d3d9.Temp {
			x = f.source(d3d9.Src{Reg: in.Dst.Reg, Swz: d3d9.Identity}, 7)
		}
		f.emit(&ir.Instr{Op: ir.OpKill, Orig: int32(f.i), Pos: in.Pos, Src: []ir.Operand{x}})
	case d3d9.OpTexDepth:
		x := f.source(d3d9.Src{Reg: in.Dst.Reg, Swz: d3d9.Identity}, 3)
		limit := f.opFor(ir.OpMin, 1, ir.Operand{x[1]}, ir.Operand{{V: f.f.Const(math.Float32bits(1))}})
		f.depth(x[0], ir.Lane{V: limit.Out[0]})
	case d3d9.OpTex:
		f.sample(f.coordinates(n, 0, 1, 2, 3))
	case d3d9.OpTexld14:
		f.sample(f.selected())
	// texbem moves the coordinates of stage n by the vector in source 0, times the matrix of
	// the stage. texbeml also multiplies the texel by the luminance.
	case d3d9.OpTexBem, d3d9.OpTexBeml:
		s := f.source(in.Src[0], 7)
		at := results(f.bump(n, f.coordinates(n, 0, 1), s))
		rest := f.coordinates(n, 0, 1, 2, 3)
		at[2], at[3] = rest[2], rest[3]
		if in.Op == d3d9.OpTexBem {
			f.sample(at)
			break
		}
		texel := f.fetch(at)
		scale := f.opFor(ir.OpMad, 1, ir.Operand{s[2]}, f.state(d3d9.BumpLuminance(n), 0), f.state(d3d9.BumpLuminance(n), 1))
		by := ir.Lane{V: scale.Out[0]}
		f.write(f.op(ir.OpRange, results(f.op(ir.OpMul, results(texel), ir.Operand{by, by, by, by}))))
	case d3d9.OpTexReg2ar:
		s := f.source(in.Src[0], 9)
		f.sample(ir.Operand{s[3], s[0]})
	case d3d9.OpTexReg2gb:
		s := f.source(in.Src[0], 6)
		f.sample(ir.Operand{s[1], s[2]})
	case d3d9.OpTexReg2rgb:
		f.sample(f.source(in.Src[0], 7))
	// A pad computes one row of a matrix for the last instruction of its group.
	case d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad:
		f.set = append(f.set, regValue{ir.Reg{File: pads, Index: n}, f.row().V})
	case d3d9.OpTexDp3:
		f.write(f.op(ir.OpRange, results(f.rows(0xf))))
	case d3d9.OpTexDp3tex:
		f.sample(ir.Operand{f.row(), f.zero()})
	case d3d9.OpTexM3x2tex:
		f.sample(ir.Operand{f.pad(n - 1), f.row()})
	case d3d9.OpTexM3x2depth:
		f.depth(f.pad(n-1), f.row())
	case d3d9.OpTexM3x3:
		f.write(f.op(ir.OpRange, ir.Operand{f.pad(n - 2), f.pad(n - 1), f.row()}))
		f.set = append(f.set, regValue{ir.Reg{File: ir.File(d3d9.Texture), Index: n, Comp: 3},
			f.f.Const(math.Float32bits(1))})
	case d3d9.OpTexM3x3tex:
		f.sample(ir.Operand{f.pad(n - 2), f.pad(n - 1), f.row()})
	// These reflect a vector to the eye. The eye is a constant, or it is interpolated in the
	// fourth coordinates of the rows.
	case d3d9.OpTexM3x3spec:
		f.reflection(f.source(in.Src[1], 7))
	case d3d9.OpTexM3x3vspec:
		f.reflection(ir.Operand{f.coordinates(n-2, 3)[0], f.coordinates(n-1, 3)[0], f.coordinates(n, 3)[0]})
	default:
		return false
	}
	return true
}

// fetch reads the texture of the stage that the destination names. The program determines
// neither the kind of texture nor whether the stage divides by the last coordinate
// (D3DTTFF_PROJECTED). The fetch therefore counts as reading all coordinates in at.
func (f *fixedLifter) fetch(at ir.Operand) *ir.Instr {
	op := ir.OpFetch
	if at[3].V != nil {
		op = ir.OpFetchProj
	}
	zero := f.zero()
	for c := range 3 {
		if at[c].V == nil {
			at[c] = zero
		}
	}
	out := f.opFor(op, 0xf, at)
	out.Res = ir.Resource{Unit: uint8(f.in.Dst.Index), Dim: ir.DimVolume}
	return out
}

// sample writes the texel at some coordinates to the destination.
func (f *fixedLifter) sample(at ir.Operand) { f.write(f.fetch(at)) }

func (f *fixedLifter) zero() ir.Lane { return ir.Lane{V: f.f.Const(0)} }

// state returns components of a state of a texture stage.
func (f *fixedLifter) state(r d3d9.Reg, comps ...uint8) (o ir.Operand) {
	for i, c := range comps {
		o[i] = ir.Lane{V: f.f.Leaf(ir.Uniform, ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: c})}
	}
	return o
}

// bump adds to two coordinates the vector s times the matrix of stage n:
// u + M00*r + M10*g, v + M01*r + M11*g.
func (f *fixedLifter) bump(n uint16, at, s ir.Operand) *ir.Instr {
	m := d3d9.BumpMatrix(n)
	r, g := s[0], s[1]
	first := f.op(ir.OpMad, ir.Operand{r, r}, f.state(m, 0, 1), at)
	return f.op(ir.OpMad, ir.Operand{g, g}, f.state(m, 2, 3), results(first))
}

// rows computes the dot product of the coordinates of t# with source 0 in the lanes of mask.
func (f *fixedLifter) rows(mask uint8) *ir.Instr {
	return f.opFor(ir.OpDp3, mask, f.coordinates(f.in.Dst.Index, 0, 1, 2), f.source(f.in.Src[0], 7))
}

// row computes one row.
func (f *fixedLifter) row() ir.Lane { return ir.Lane{V: f.rows(1).Out[0]} }

// pad returns the row that an earlier pad n computed.
func (f *fixedLifter) pad(n uint16) ir.Lane {
	return ir.Lane{V: f.readReg(ir.Reg{File: pads, Index: n})}
}

// selected returns the coordinates that texld and texcrd of ps_1_4 read. With _dz and _dw the
// first two are divided by the third. The selector is .xyz or .xyw, and a register without one
// reads xyz.
func (f *fixedLifter) selected() ir.Operand {
	s := f.in.Src[0]
	mod := s.Mod
	s.Mod = d3d9.ModNone
	if s.Swz == d3d9.Identity {
		s.Swz = d3d9.MakeSwizzle(0, 1, 2, 2)
	}
	o := f.source(s, 7)
	if mod == d3d9.ModDZ || mod == d3d9.ModDW {
		for c := range 2 {
			o[c] = f.quotient(o[c], o[2])
		}
		o[2] = f.zero()
	}
	return o
}

// quotient computes a/b, or 1 where b is 0, as the pages of the instructions say.
func (f *fixedLifter) quotient(a, b ir.Lane) ir.Lane {
	below := b
	below.Mod = ir.Abs | ir.Neg
	rcp := f.opFor(ir.OpRcp, 1, ir.Operand{b})
	by := f.opFor(ir.OpMul, 1, ir.Operand{a}, results(rcp))
	one := ir.Lane{V: f.f.Const(math.Float32bits(1))}
	return ir.Lane{V: f.opFor(ir.OpCmp, 1, ir.Operand{below}, ir.Operand{one}, results(by)).Out[0]}
}

// depth writes z/w as the depth. The last such instruction of a program counts.
func (f *fixedLifter) depth(z, w ir.Lane) {
	q := f.quotient(z, w).V
	q.Def.Mods |= ir.Sat
	q.Def.Orig = int32(f.i)
	f.set = append(f.set, regValue{ir.Reg{File: ir.File(d3d9.DepthOut)}, q})
}

// reflection fetches at the reflection of the vector to the eye, 2 N (N.E)/(N.N) - E
// ("texm3x3spec - ps").
func (f *fixedLifter) reflection(eye ir.Operand) {
	n := f.in.Dst.Index
	normal := ir.Operand{f.pad(n - 2), f.pad(n - 1), f.row()}
	along := f.opFor(ir.OpDp3, 1, normal, eye)
	length := f.opFor(ir.OpDp3, 1, normal, normal)
	rcp := f.opFor(ir.OpRcp, 1, results(length))
	by := f.opFor(ir.OpMul, 1, results(along), results(rcp))
	twice := f.opFor(ir.OpMul, 1, results(by), ir.Operand{{V: f.f.Const(math.Float32bits(2))}})
	k := ir.Lane{V: twice.Out[0]}
	f.sample(results(f.op(ir.OpMad, normal, ir.Operand{k, k, k}, negated(eye))))
}
