package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// laneOps maps instructions that work component by component on their sources to micro-operations.
var laneOps = map[d3d9.Op]ucode{
	d3d9.OpMov: uCopy, d3d9.OpMin: uMin, d3d9.OpMax: uMax, d3d9.OpSlt: uSlt, d3d9.OpSge: uSge,
	d3d9.OpFrc: uFrc, d3d9.OpAbs: uAbs, d3d9.OpSgn: uSgn, d3d9.OpCmp: uCmp, d3d9.OpLrp: uLrp,
	d3d9.OpDsx: uDsx, d3d9.OpDsy: uDsy, d3d9.OpMova: uRound,
}

// scalarOps maps instructions that read one component and write its result to all components.
var scalarOps = map[d3d9.Op]ucode{
	d3d9.OpRcp: uRcp, d3d9.OpRsq: uRsq, d3d9.OpExp: uExp, d3d9.OpLog: uLog,
	d3d9.OpExpp: uExp, d3d9.OpLogp: uLog, d3d9.OpPow: uPow,
}

// lower compiles an arithmetic or texture instruction to its two forms. certain states that it runs on
// every lane of every batch. Then it needs no masked form, and always writes its destination.
func (c *compiler) lower(in *d3d9.Inst, certain bool) (stmt, error) {
	if rows := in.SourceRegisters(1); rows > 1 { // one component per row; old programs omit the mask
		narrow := *in
		narrow.Dst.Mask &= 1<<rows - 1
		in = &narrow
	}
	// The two forms: direct writes the destination in all lanes, masked blends it into the active ones.
	l := &lowering{compiler: c, in: in}
	s := stmt{kind: sExec, pos: in.Pos}
	if in.HasPred {
		s.pred = predicate{true, in.Pred.Mod == d3d9.ModNot, in.Pred.Swz}
	}
	switch in.Op {
	case d3d9.OpSetp:
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				l.pre = append(l.pre, uop{code: uSetp, comp: uint8(k), cmp: in.Cmp,
					src: [8]slot{l.laneSlot(0, k), l.laneSlot(1, k)}})
			}
		}
		s.masked.ops = l.pre
		return s, nil
	// texkill reads its destination, and all four components from ps_2_0 on.
	case d3d9.OpTexKill:
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				l.pre = append(l.pre, uop{code: uKill, comp: uint8(k), src: [8]slot{l.readSlot(in.Dst.Reg, 0, k)}})
			}
		}
		s.masked.ops = l.pre
		return s, nil
	case d3d9.OpTexld, d3d9.OpTexldp, d3d9.OpTexldb, d3d9.OpTexldd, d3d9.OpTexldl:
		l.texture()
	default:
		if !l.arithmetic() {
			return s, asm.Errorf(in.Pos, "unsupported-op", "%s cannot be interpreted in %s", in.Op, c.model)
		}
	}
	if s.direct.ops = l.direct(); s.direct.ops == nil || s.pred.on || c.returns || !certain {
		s.masked.ops = l.masked() // else all lanes are always live
	}
	// A component that is always written needs no initial value, so it is not cleared.
	if certain && !in.HasPred && in.Dst.Rel.File == d3d9.NoFile {
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				c.sure[l.place(in.Dst.Reg, 0, k)] = true
			}
		}
	}
	return s, nil
}

// setEach gives every destination component c the value f(c).
func (l *lowering) setEach(f func(c int) uop) {
	for c := range 4 {
		if l.in.Dst.Mask.Has(c) {
			l.setComponent(c, f(c))
		}
	}
}

// setAll gives every destination component the same value. It computes the first and copies it to the others.
func (l *lowering) setAll(u uop) {
	first := -1
	for c := range 4 {
		switch {
		case !l.in.Dst.Mask.Has(c):
		case first < 0:
			first = c
			l.setComponent(c, u)
		default:
			l.have |= 1 << c
			l.copyOf[c] = int8(first + 1)
		}
	}
}

// setComponent gives component c the value u if the instruction writes that component.
func (l *lowering) setComponent(c int, u uop) {
	if l.in.Dst.Mask.Has(c) {
		l.have |= 1 << c
		l.fin[c] = u
	}
}

// microOp returns a micro-operation on sources.
func microOp(code ucode, src ...slot) uop {
	u := uop{code: code}
	copy(u.src[:], src)
	return u
}

// arithmetic lowers arithmetic instructions according to their reference pages (MSDN, "Vertex Shader
// Instructions" and "Pixel Shader Instructions"). It returns false for unknown instructions. numerics.go
// defines the results.
func (l *lowering) arithmetic() bool {
	if code, ok := laneOps[l.in.Op]; ok {
		if l.in.Op == d3d9.OpMov && l.in.Dst.File == d3d9.Addr {
			code = uFloor // vs_1_1: every implementation floors, though the reference page says nearest
		}
		n := int(l.in.NSrc)
		if code == uSgn {
			n = 1 // the two temporaries that it may clobber keep their values
		}
		l.setEach(func(c int) uop {
			u := uop{code: code}
			for k := range n {
				u.src[k] = l.laneSlot(k, c)
			}
			return u
		})
		return true
	}
	if code, ok := scalarOps[l.in.Op]; ok && !(l.in.Op == d3d9.OpExpp && l.model.Major == 1) {
		u := microOp(code, l.scalar(0))
		if code == uPow {
			u.src[1] = l.scalar(1)
		}
		l.setAll(u)
		return true
	}
	switch l.in.Op {
	case d3d9.OpAdd, d3d9.OpSub:
		l.setEach(func(c int) uop { return l.addOrSubtract(l.signed(0, c), l.signed(1, c), l.in.Op == d3d9.OpSub) })
	case d3d9.OpMul:
		l.setEach(func(c int) uop { return microOp(uMul, l.laneSlot(0, c), l.laneSlot(1, c)) })
	case d3d9.OpMad:
		l.setEach(l.mad)
	// dp2add: x*x + y*y + the scalar.
	case d3d9.OpDp2add:
		l.setAll(microOp(uDp2, l.laneSlot(0, 0), l.laneSlot(1, 0), l.laneSlot(0, 1), l.laneSlot(1, 1), l.scalar(2)))
	case d3d9.OpDp3:
		l.setAll(l.dot(3, 0))
	case d3d9.OpDp4:
		l.setAll(l.dot(4, 0))
	case d3d9.OpM4x4, d3d9.OpM4x3:
		l.setEach(func(c int) uop { return l.dot(4, c) })
	case d3d9.OpM3x4, d3d9.OpM3x3, d3d9.OpM3x2:
		l.setEach(func(c int) uop { return l.dot(3, c) })
	case d3d9.OpExpp: // vs_1_1: 2^floor(v), frc(v), 2^v, 1
		v := l.scalar(0)
		floor := l.emitScratch(microOp(uFloor, v))
		l.setComponent(0, microOp(uExp, floor))
		l.setComponent(1, microOp(uFrc, v))
		l.setComponent(2, microOp(uExp, v))
		l.setComponent(3, microOp(uCopy, l.literal(1)))
	// lit: 1, max(x, 0), the specular power, 1.
	case d3d9.OpLit:
		l.setComponent(0, microOp(uCopy, l.literal(1)))
		l.setComponent(1, microOp(uMax, l.laneSlot(0, 0), l.literal(0)))
		l.setComponent(2, microOp(uLitZ, l.laneSlot(0, 0), l.laneSlot(0, 1), l.laneSlot(0, 3)))
		l.setComponent(3, microOp(uCopy, l.literal(1)))
	// dst: 1, y*y, z of the first, w of the second.
	case d3d9.OpDst:
		l.setComponent(0, microOp(uCopy, l.literal(1)))
		l.setComponent(1, microOp(uMul, l.laneSlot(0, 1), l.laneSlot(1, 1)))
		l.setComponent(2, microOp(uCopy, l.laneSlot(0, 2)))
		l.setComponent(3, microOp(uCopy, l.laneSlot(1, 3)))
	// crs does not write w.
	case d3d9.OpCrs:
		for c := range 3 {
			y, z := (c+1)%3, (c+2)%3
			l.setComponent(c, microOp(uCross, l.laneSlot(0, y), l.laneSlot(1, z), l.laneSlot(0, z), l.laneSlot(1, y)))
		}
	// nrm: the factor 1/length is computed once from x, y and z, and also multiplies w.
	case d3d9.OpNrm:
		x, y, z := l.laneSlot(0, 0), l.laneSlot(0, 1), l.laneSlot(0, 2)
		f := l.emitScratch(microOp(uNormFactor, l.emitScratch(microOp(uDp3, x, x, y, y, z, z))))
		l.setEach(func(c int) uop { return microOp(uMul, l.laneSlot(0, c), f) })
	case d3d9.OpSinCos: // the 2.x form's constants are those of one series and have no effect
		l.setComponent(0, microOp(uCos, l.scalar(0)))
		l.setComponent(1, microOp(uSin, l.scalar(0)))
	default:
		return false
	}
	return true
}

// addOrSubtract returns a + b or a - b. It folds in negations, which is exact in IEEE arithmetic.
func (l *lowering) addOrSubtract(a, b ref, minus bool) uop {
	b.neg = b.neg != minus
	switch {
	case !a.neg && b.neg:
		return microOp(uSub, a.at, b.at)
	case a.neg && !b.neg:
		return microOp(uSub, b.at, a.at)
	}
	return microOp(uAdd, l.value(a), l.value(b))
}

// mad returns a*b + c with negations folded in: -(a*b) + c and a*b - c round like a*b + c.
func (l *lowering) mad(c int) uop {
	a, b, s := l.signed(0, c), l.signed(1, c), l.signed(2, c)
	switch neg := a.neg != b.neg; {
	case neg:
		return microOp(uNmsub, a.at, b.at, l.value(s))
	case s.neg:
		return microOp(uMsub, a.at, b.at, s.at)
	}
	return microOp(uMad, a.at, b.at, s.at)
}

// dot returns the dot product of n components of source 0 with the register row places after source 1.
func (l *lowering) dot(n, row int) uop {
	u := uop{code: uDp3}
	if n == 4 {
		u.code = uDp4
	}
	// Operands of the dot product alternate: x0, y0, x1, y1 and so on.
	for k := range n {
		u.src[2*k] = l.laneSlot(0, k)
		u.src[2*k+1] = l.value(l.matrixLane(1, row, k))
	}
	return u
}

// texture lowers a texture instruction: coordinates, divided if it projects, then the fetch into scratch.
// Coordinates beyond the texture's dimension are 0.
func (l *lowering) texture() {
	s := &l.in.Src[1]
	f := fetchInfo{sampler: int(s.Index)}
	if f.sampler < len(l.samplers) {
		l.usesTex |= 1 << f.sampler
	}
	f.typ, _ = l.Sampler(f.sampler)
	axes := 3
	if f.typ == d3d9.Tex2D {
		axes = 2
	}
	coords := func(k int) (at [3]slot) {
		for c := range at {
			if at[c] = l.literal(0); c < axes {
				at[c] = l.laneSlot(k, c)
			}
		}
		return at
	}
	f.coord = coords(0)
	switch l.in.Op {
	case d3d9.OpTexldp:
		for c := range axes {
			// Projection divides each coordinate by w ("texldp - ps").
			f.coord[c] = l.emitScratch(microOp(uDiv, f.coord[c], l.laneSlot(0, 3)))
		}
	case d3d9.OpTexldb:
		f.lod, f.w = lodBias, l.laneSlot(0, 3)
	case d3d9.OpTexldl:
		f.lod, f.w = lodExplicit, l.laneSlot(0, 3)
	case d3d9.OpTexldd:
		f.lod, f.dx, f.dy = lodGradient, coords(2), coords(3)
	}
	l.fetch(f, s.Swz)
}

// fetch emits a fetch into scratch and takes components from there.
func (l *lowering) fetch(f fetchInfo, swz d3d9.Swizzle) {
	for c := range f.color {
		f.color[c] = l.scratch()
	}
	// A fetch has too many operands for a uop, so it indexes a list.
	l.pre = append(l.pre, uop{code: uFetch, aux: int32(len(l.fetches))})
	l.fetches = append(l.fetches, f)
	l.vectors = append(l.vectors, f.w)
	for c := range f.coord {
		l.vectors = append(l.vectors, f.coord[c], f.dx[c], f.dy[c])
	}
	l.setEach(func(c int) uop { return microOp(uCopy, f.color[swz.ComponentAt(c)]) })
}

// direct places the results directly in the destination. It returns nil for relative addresses. An
// instruction reads all its sources before it writes. For mov r0.xy, r0.yx the first component therefore
// passes through scratch:
//
//	scratch.x = r0.y
//	r0.y = r0.x
//	r0.x = scratch.x
func (l *lowering) direct() []uop {
	dst := &l.in.Dst
	if dst.Rel.File != d3d9.NoFile {
		return nil
	}
	ops := append(l.newList(len(l.pre)+3*4), l.pre...) // each with a saturation, and late or repeated
	var late [4]uop                                    // results that overwrite sources of later components
	n := 0
	for c := range 4 {
		if l.have&(1<<c) == 0 || l.copyOf[c] != 0 {
			continue
		}
		at := l.place(dst.Reg, 0, c)
		// A component that a later one reads is written last.
		if l.readLater(c, at) {
			late[n] = uop{code: uCopy, dst: at, src: [8]slot{resultSlot + slot(c)}}
			n++
			at = resultSlot + slot(c)
		}
		ops = l.finish(ops, c, at)
	}
	ops = append(ops, late[:n]...)
	for c := range 4 {
		if k := l.copyOf[c]; l.have&(1<<c) != 0 && k != 0 {
			ops = append(ops, uop{code: uCopy, dst: l.place(dst.Reg, 0, c), src: [8]slot{l.place(dst.Reg, 0, int(k-1))}})
		}
	}
	return l.keepList(ops)
}

// masked places the results through scratch and a blend. The blend writes the active lanes, limited to
// lanes where the predicate, if any, holds.
func (l *lowering) masked() []uop {
	dst := &l.in.Dst
	ops := append(l.newList(len(l.pre)+3*4), l.pre...) // each with a saturation, and late or repeated
	for c := range 4 {
		if l.have&(1<<c) != 0 && l.copyOf[c] == 0 {
			ops = l.finish(ops, c, resultSlot+slot(c))
		}
	}
	for c := range 4 {
		if l.have&(1<<c) == 0 {
			continue
		}
		from := resultSlot + slot(c)
		if k := l.copyOf[c]; k != 0 {
			from = resultSlot + slot(k-1)
		}
		u := uop{code: uBlend, comp: uint8(c), src: [8]slot{from}}
		if dst.Rel.File != d3d9.NoFile {
			u.code = uScatterReg
			u.aux = l.table(dst.File, int(dst.Index), dst.Rel.File == d3d9.Loop)
			u.src[1] = from
			if dst.Rel.File == d3d9.Addr {
				u.src[0] = l.place(d3d9.Reg{File: d3d9.Addr}, 0, dst.Rel.Swz.ComponentAt(0))
			}
		} else {
			u.dst = l.place(dst.Reg, 0, c)
		}
		ops = append(ops, u)
	}
	return l.keepList(ops)
}

// finish appends the computation of component c into at, with the saturation of the instruction. Both forms
// saturate from scratch, which shows the value before the clamp.
func (l *lowering) finish(ops []uop, c int, at slot) []uop {
	u := l.fin[c]
	if u.dst = at; l.in.Dst.Mods&d3d9.Saturate == 0 {
		return append(ops, u)
	}
	if l.over[c] == 0 {
		l.over[c] = l.scratch()
	}
	u.dst = l.over[c]
	return append(ops, u, uop{code: uSat, dst: at, src: [8]slot{u.dst}})
}

// readLater reports whether a component after c reads slot at.
func (l *lowering) readLater(c int, at slot) bool {
	for k := c + 1; k < 4; k++ {
		if l.have&(1<<k) == 0 || l.copyOf[k] != 0 {
			continue
		}
		for _, s := range l.fin[k].src {
			if s == at {
				return true
			}
		}
	}
	return false
}
