package gen

import "github.com/shaderlift/shaderlift/asm/d3d9"

// weighted is an instruction and its weight.
type weighted struct {
	op     d3d9.Op
	weight int
}

// choices lists the computing instructions. Models omit those that they lack.
var choices = []weighted{
	{d3d9.OpMov, 14}, {d3d9.OpAdd, 12}, {d3d9.OpSub, 5}, {d3d9.OpMul, 12}, {d3d9.OpMad, 14},
	{d3d9.OpDp3, 5}, {d3d9.OpDp4, 5}, {d3d9.OpDp2add, 3}, {d3d9.OpMin, 3}, {d3d9.OpMax, 3},
	{d3d9.OpSlt, 3}, {d3d9.OpSge, 3}, {d3d9.OpCmp, 5}, {d3d9.OpLrp, 4}, {d3d9.OpFrc, 3}, {d3d9.OpAbs, 2},
	{d3d9.OpRcp, 4}, {d3d9.OpRsq, 3}, {d3d9.OpExp, 2}, {d3d9.OpLog, 2}, {d3d9.OpExpp, 2}, {d3d9.OpLogp, 2},
	{d3d9.OpPow, 2}, {d3d9.OpNrm, 2}, {d3d9.OpCrs, 2}, {d3d9.OpLit, 2}, {d3d9.OpDst, 2}, {d3d9.OpSgn, 2},
	{d3d9.OpSinCos, 2}, {d3d9.OpDsx, 2}, {d3d9.OpDsy, 2},
	{d3d9.OpM4x4, 2}, {d3d9.OpM4x3, 2}, {d3d9.OpM3x4, 1}, {d3d9.OpM3x3, 1}, {d3d9.OpM3x2, 1},
}

// choose picks an instruction of the model by weight.
func (g *gen) choose() d3d9.Op {
	sum := 0
	for _, c := range g.ops {
		sum += c.weight
	}
	n := g.r.IntN(sum)
	for _, c := range g.ops {
		if n -= c.weight; n < 0 {
			return c.op
		}
	}
	panic("unreachable")
}

// arithmetic adds one computing instruction. It returns false without a change if the model does not allow
// the instruction, or no operand is available.
func (g *gen) arithmetic() bool {
	in := d3d9.Inst{Op: g.choose(), HasDst: true}
	if in.Op == d3d9.OpLogp && g.m.Major == 1 {
		return false // pages and implementations disagree on its result
	}
	// An instruction may use a predicate that is written on every path.
	if d3d9.CanPredicate(g.m) && g.env.pred != 0 && g.chance(25) {
		in.HasPred = true
	}
	// The destination: a temporary or, one time in eight, an output.
	var out *output
	if in.Dst.Reg = (d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}); g.chance(12) {
		out = &g.outs[g.r.IntN(len(g.outs))]
		if g.movOnly() || !d3d9.CanWrite(g.m, in.Op, out.reg.File) {
			out = nil
		} else {
			in.Dst.Reg = out.reg
		}
	}
	if !g.pickMask(&in, out) || in.HasPred && !g.predicate(&in) {
		return false
	}
	if !g.operands(&in) {
		return false
	}
	// Modifiers of the result.
	if g.chance(15) && d3d9.SatAllowed(g.m, in.Op) {
		in.Dst.Mods |= d3d9.Saturate
	}
	if g.m.Stage == d3d9.Pixel && g.chance(8) {
		in.Dst.Mods |= d3d9.PartialPrecision
	}
	// spoil first only checks, because emit may fail for lack of slots.
	if !g.spoil(&in, false) || !g.emit(in) {
		return false
	}
	g.spoil(&in, true)
	if in.HasPred {
		return true
	}
	if out != nil {
		// Only an output that is written on every path is done.
		if !g.now.conditional && !g.now.sub {
			out.done |= in.Dst.Mask & out.want
		}
		return true
	}
	g.write(in.Dst.Reg, in.Dst.Mask)
	return true
}

// pickMask picks the write mask. Predicated instructions, and those on some paths only, write only components
// that are already written. Otherwise a component would be defined on some paths and not on others.
func (g *gen) pickMask(in *d3d9.Inst, out *output) bool {
	may := d3d9.MaskAll
	switch {
	case out != nil:
		may = g.mayWrite(out, in.HasPred)
	case in.HasPred:
		may = g.env.temp[in.Dst.Index]
	}
	if out != nil && out.scalar {
		in.Dst.Mask = []d3d9.Mask{d3d9.MaskX, d3d9.MaskAll}[g.r.IntN(2)]
		return may != 0 && d3d9.MaskFits(g.m, in.Op, &in.Dst)
	}
	// Some instructions allow few masks; the loop gives up after several tries.
	for range 16 {
		in.Dst.Mask = d3d9.Mask(1 + g.r.IntN(15))
		if g.chance(35) {
			in.Dst.Mask = may
		}
		if rows := in.SourceRegisters(1); rows > 1 && in.Dst.Mask.Count() > rows {
			continue // old programs omit the mask, without agreement on the written components
		}
		if in.Dst.Mask != 0 && in.Dst.Mask&^may == 0 && d3d9.MaskFits(g.m, in.Op, &in.Dst) {
			return true
		}
	}
	return false
}

// predicate picks the condition of a predicated instruction: a component for all lanes, or p0 lane by lane.
// It always succeeds.
func (g *gen) predicate(in *d3d9.Inst) bool {
	in.Pred = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Predicate}, Swz: d3d9.Replicate(g.component(g.env.pred))}
	if in.Op != d3d9.OpSinCos && in.Dst.Mask&^g.env.pred == 0 && g.chance(50) {
		in.Pred.Swz = d3d9.Identity
	}
	if g.chance(40) {
		in.Pred.Mod = d3d9.ModNot
	}
	return true
}

// operands picks the sources of a computing instruction.
func (g *gen) operands(in *d3d9.Inst) bool {
	if in.Op.IsMatrix() {
		return g.matrix(in)
	}
	switch in.Op {
	case d3d9.OpSgn:
		return g.signs(in)
	case d3d9.OpSinCos:
		in.NSrc = 1
		if !g.sources(in) {
			return false
		}
		// Before version 3 sincos is a macro that takes two constants, its series.
		if g.m.Major < 3 {
			in.NSrc = 3
			for i, c := range g.series {
				in.Src[1+i] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: c}, Swz: d3d9.Identity}
			}
		}
		return true
	case d3d9.OpDsx, d3d9.OpDsy:
		in.NSrc = 1
		// Derivatives of temporaries are undefined where neighbouring pixels may be inactive.
		return g.sources(in) && !(g.now.varying && in.Src[0].File == d3d9.Temp)
	case d3d9.OpMov, d3d9.OpFrc, d3d9.OpAbs, d3d9.OpRcp, d3d9.OpRsq, d3d9.OpExp, d3d9.OpLog, d3d9.OpExpp, d3d9.OpLogp,
		d3d9.OpNrm, d3d9.OpLit:
		in.NSrc = 1
	case d3d9.OpMad, d3d9.OpCmp, d3d9.OpLrp, d3d9.OpDp2add:
		in.NSrc = 3
	default:
		in.NSrc = 2
	}
	return g.sources(in)
}

// matrix picks the vector and the first row of a matrix macro. The rows are constants, or temporaries other
// than the destination.
func (g *gen) matrix(in *d3d9.Inst) bool {
	rows := in.SourceRegisters(1)
	in.NSrc = 1
	if !g.sources(in) || in.Src[0].File == d3d9.Const {
		return false
	}
	in.NSrc = 2
	in.Src[1] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: uint16(g.r.IntN(16))}, Swz: d3d9.Identity, Rel: g.index()}
	if g.chance(25) && g.temps > rows {
		first := g.r.IntN(g.temps - rows)
		// All rows must be written, and differ from the destination.
		need := g.reads(in, 1)
		for i := first; i < first+rows; i++ {
			if g.env.temp[i]&need != need || in.Dst.Reg == (d3d9.Reg{File: d3d9.Temp, Index: uint16(i)}) {
				return true
			}
		}
		in.Src[1] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(first)}, Swz: d3d9.Identity}
	}
	return true
}

// signs picks the source of sgn and its scratch registers, which differ from all others: in version 2 sgn
// is a macro that overwrites them.
func (g *gen) signs(in *d3d9.Inst) bool {
	if in.NSrc = 1; g.temps < 4 || !g.sources(in) {
		return false
	}
	in.NSrc = 3
	free := g.r.Perm(g.temps)
	for k := 1; k < 3; {
		if len(free) == 0 {
			return false
		}
		r := d3d9.Reg{File: d3d9.Temp, Index: uint16(free[0])}
		if free = free[1:]; r != in.Dst.Reg && r != in.Src[0].Reg {
			in.Src[k] = d3d9.Src{Reg: r, Swz: d3d9.Identity}
			k++
		}
	}
	return true
}

// spoil records the registers that in destroys besides its result: sincos of version 2 destroys the other
// components of its destination, sgn its scratch registers. It reports whether that is allowed here. It is
// forbidden in a subroutine, and for components written before an enclosing loop, which the next trip may
// read. Without do it only checks.
func (g *gen) spoil(in *d3d9.Inst, do bool) bool {
	if g.m.Major != 2 {
		return true
	}
	var lost env
	switch in.Op {
	case d3d9.OpSinCos:
		lost.temp[in.Dst.Index] = maskXYZ &^ in.Dst.Mask
	case d3d9.OpSgn:
		lost.temp[in.Src[1].Index], lost.temp[in.Src[2].Index] = d3d9.MaskAll, d3d9.MaskAll
	default:
		return true
	}
	if g.now.sub || g.head.intersect(lost) != (env{}) {
		return false
	}
	if in.HasPred && g.env.intersect(lost) != (env{}) {
		return false // unknown whether it is spoilt
	}
	for i := range lost.temp {
		if do {
			g.env.temp[i] &^= lost.temp[i]
		}
	}
	return true
}
