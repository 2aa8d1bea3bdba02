package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// laneOps are the instructions that work component by component, of sources that are read so, with
// their micro-operations.
var laneOps = map[d3d9.Op]ucode{
	d3d9.OpMov: uCopy, d3d9.OpMin: uMin, d3d9.OpMax: uMax, d3d9.OpSlt: uSlt, d3d9.OpSge: uSge,
	d3d9.OpFrc: uFrc, d3d9.OpAbs: uAbs, d3d9.OpSgn: uSgn, d3d9.OpCmp: uCmp, d3d9.OpLrp: uLrp,
	d3d9.OpDsx: uDsx, d3d9.OpDsy: uDsy, d3d9.OpMova: uRound,
}

// scalarOps are the instructions that read one component and write it everywhere.
var scalarOps = map[d3d9.Op]ucode{
	d3d9.OpRcp: uRcp, d3d9.OpRsq: uRsq, d3d9.OpExp: uExp, d3d9.OpLog: uLog,
	d3d9.OpExpp: uExp, d3d9.OpLogp: uLog, d3d9.OpPow: uPow,
}

// lower compiles an arithmetic or texture instruction into its two forms. certain says that it runs on
// every lane of every batch: then the masked form is not needed, and its destination is surely written.
func (c *compiler) lower(in *d3d9.Inst, certain bool) (stmt, error) {
	if rows := in.Rows(1); rows > 1 { // a component a row; old programs leave the mask off
		narrow := *in
		narrow.Dst.Mask &= 1<<rows - 1
		in = &narrow
	}
	// The two forms: direct writes the destination in all lanes, masked blends it into those that
	// are active.
	l := &lowering{compiler: c, in: in}
	s := stmt{kind: sExec, pos: in.Pos}
	if in.HasPred {
		s.pred = predicate{true, in.Pred.Mod == d3d9.ModNot, in.Pred.Swz}
	}
	switch in.Op {
	case d3d9.OpSetp:
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				l.pre = append(l.pre, uop{code: uSetp, comp: uint8(k), cmp: in.Cmp, src: [8]slot{l.lane(0, k), l.lane(1, k)}})
			}
		}
		s.masked.ops = l.pre
		return s, nil
	// texkill reads its destination; all four components from ps_2_0 on.
	case d3d9.OpTexKill:
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				l.pre = append(l.pre, uop{code: uKill, comp: uint8(k), src: [8]slot{l.read(in.Dst.Reg, 0, k)}})
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
	// A component that is written for certain needs no value from before, so it is not cleared.
	if certain && !in.HasPred && in.Dst.Rel.File == d3d9.NoFile {
		for k := range 4 {
			if in.Dst.Mask.Has(k) {
				c.sure[l.place(in.Dst.Reg, 0, k)] = true
			}
		}
	}
	return s, nil
}

// each gives every destination component its own value f(c).
func (l *lowering) each(f func(c int) uop) {
	for c := range 4 {
		if l.in.Dst.Mask.Has(c) {
			l.put(c, f(c))
		}
	}
}

// all gives every destination component the same value: it is computed for the first, and copied to
// the others.
func (l *lowering) all(u uop) {
	first := -1
	for c := range 4 {
		switch {
		case !l.in.Dst.Mask.Has(c):
		case first < 0:
			first = c
			l.put(c, u)
		default:
			l.have |= 1 << c
			l.copyOf[c] = int8(first + 1)
		}
	}
}

// put gives component c the value u, if the instruction writes that component.
func (l *lowering) put(c int, u uop) {
	if l.in.Dst.Mask.Has(c) {
		l.have |= 1 << c
		l.fin[c] = u
	}
}

// op is a micro-operation on sources.
func op(code ucode, src ...slot) uop {
	u := uop{code: code}
	copy(u.src[:], src)
	return u
}

// arithmetic lowers the instructions that compute, each as its reference page says (MSDN, "Vertex
// Shader Instructions" and "Pixel Shader Instructions"); false for one it does not know. What they
// compute in numbers is in numerics.go.
func (l *lowering) arithmetic() bool {
	if code, ok := laneOps[l.in.Op]; ok {
		if l.in.Op == d3d9.OpMov && l.in.Dst.File == d3d9.Addr {
			code = uFloor // vs_1_1: every implementation floors, though the reference page says nearest
		}
		n := int(l.in.NSrc)
		if code == uSgn {
			n = 1 // the two temporaries it may clobber are left alone
		}
		l.each(func(c int) uop {
			u := uop{code: code}
			for k := range n {
				u.src[k] = l.lane(k, c)
			}
			return u
		})
		return true
	}
	if code, ok := scalarOps[l.in.Op]; ok && !(l.in.Op == d3d9.OpExpp && l.model.Major == 1) {
		u := op(code, l.scalar(0))
		if code == uPow {
			u.src[1] = l.scalar(1)
		}
		l.all(u)
		return true
	}
	switch l.in.Op {
	case d3d9.OpAdd, d3d9.OpSub:
		l.each(func(c int) uop { return l.sum(l.signed(0, c), l.signed(1, c), l.in.Op == d3d9.OpSub) })
	case d3d9.OpMul:
		l.each(func(c int) uop { return op(uMul, l.lane(0, c), l.lane(1, c)) })
	case d3d9.OpMad:
		l.each(l.mad)
	// dp2add: x*x + y*y + the scalar.
	case d3d9.OpDp2add:
		l.all(op(uDp2, l.lane(0, 0), l.lane(1, 0), l.lane(0, 1), l.lane(1, 1), l.scalar(2)))
	case d3d9.OpDp3:
		l.all(l.dot(3, 0))
	case d3d9.OpDp4:
		l.all(l.dot(4, 0))
	case d3d9.OpM4x4, d3d9.OpM4x3:
		l.each(func(c int) uop { return l.dot(4, c) })
	case d3d9.OpM3x4, d3d9.OpM3x3, d3d9.OpM3x2:
		l.each(func(c int) uop { return l.dot(3, c) })
	case d3d9.OpExpp: // vs_1_1: 2^floor(v), frc(v), 2^v, 1
		v := l.scalar(0)
		floor := l.emit(op(uFloor, v))
		l.put(0, op(uExp, floor))
		l.put(1, op(uFrc, v))
		l.put(2, op(uExp, v))
		l.put(3, op(uCopy, l.literal(1)))
	// lit: 1, max(x, 0), the specular power, 1.
	case d3d9.OpLit:
		l.put(0, op(uCopy, l.literal(1)))
		l.put(1, op(uMax, l.lane(0, 0), l.literal(0)))
		l.put(2, op(uLitZ, l.lane(0, 0), l.lane(0, 1), l.lane(0, 3)))
		l.put(3, op(uCopy, l.literal(1)))
	// dst: 1, y*y, z of the first, w of the second.
	case d3d9.OpDst:
		l.put(0, op(uCopy, l.literal(1)))
		l.put(1, op(uMul, l.lane(0, 1), l.lane(1, 1)))
		l.put(2, op(uCopy, l.lane(0, 2)))
		l.put(3, op(uCopy, l.lane(1, 3)))
	// crs leaves w alone.
	case d3d9.OpCrs:
		for c := range 3 {
			y, z := (c+1)%3, (c+2)%3
			l.put(c, op(uCross, l.lane(0, y), l.lane(1, z), l.lane(0, z), l.lane(1, y)))
		}
	// nrm: the factor 1/length is computed once, from x, y and z, and multiplies w as well.
	case d3d9.OpNrm:
		x, y, z := l.lane(0, 0), l.lane(0, 1), l.lane(0, 2)
		f := l.emit(op(uNormFactor, l.emit(op(uDp3, x, x, y, y, z, z))))
		l.each(func(c int) uop { return op(uMul, l.lane(0, c), f) })
	case d3d9.OpSinCos: // the constants of the 2.x form are those of one series and are not consulted
		l.put(0, op(uCos, l.scalar(0)))
		l.put(1, op(uSin, l.scalar(0)))
	default:
		return false
	}
	return true
}

// sum is a + b, or a - b, with negations folded in: exact in IEEE arithmetic.
func (l *lowering) sum(a, b ref, minus bool) uop {
	b.neg = b.neg != minus
	switch {
	case !a.neg && b.neg:
		return op(uSub, a.at, b.at)
	case a.neg && !b.neg:
		return op(uSub, b.at, a.at)
	}
	return op(uAdd, l.value(a), l.value(b))
}

// mad is a*b + c, negations folded in: -(a*b) + c and a*b - c round as a*b + c does.
func (l *lowering) mad(c int) uop {
	a, b, s := l.signed(0, c), l.signed(1, c), l.signed(2, c)
	switch neg := a.neg != b.neg; {
	case neg:
		return op(uNmsub, a.at, b.at, l.value(s))
	case s.neg:
		return op(uMsub, a.at, b.at, s.at)
	}
	return op(uMad, a.at, b.at, s.at)
}

// dot is the product of n components of source 0 with the register row places after source 1.
func (l *lowering) dot(n, row int) uop {
	u := uop{code: uDp3}
	if n == 4 {
		u.code = uDp4
	}
	// Operands of the dot product alternate: x0, y0, x1, y1 and so on.
	for k := range n {
		u.src[2*k] = l.lane(0, k)
		u.src[2*k+1] = l.value(l.row(1, row, k))
	}
	return u
}

// texture lowers a texture instruction: coordinates, divided where it projects, then the fetch into
// scratch. Coordinates the texture has no use for are passed as 0.
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
				at[c] = l.lane(k, c)
			}
		}
		return at
	}
	f.coord = coords(0)
	switch l.in.Op {
	case d3d9.OpTexldp:
		for c := range axes {
			// Projection divides each coordinate by w ("texldp - ps").
			f.coord[c] = l.emit(op(uDiv, f.coord[c], l.lane(0, 3)))
		}
	case d3d9.OpTexldb:
		f.lod, f.w = LODBias, l.lane(0, 3)
	case d3d9.OpTexldl:
		f.lod, f.w = LODExplicit, l.lane(0, 3)
	case d3d9.OpTexldd:
		f.lod, f.dx, f.dy = LODGradient, coords(2), coords(3)
	}
	l.fetch(f, s.Swz)
}

// fetch fetches into scratch, and takes components from there.
func (l *lowering) fetch(f fetchInfo, swz d3d9.Swizzle) {
	for c := range f.color {
		f.color[c] = l.scratch()
	}
	// Fetches are indices into a list, since their operands are many.
	l.pre = append(l.pre, uop{code: uFetch, aux: int32(len(l.fetches))})
	l.fetches = append(l.fetches, f)
	l.vectors = append(l.vectors, f.w)
	for c := range f.coord {
		l.vectors = append(l.vectors, f.coord[c], f.dx[c], f.dy[c])
	}
	l.each(func(c int) uop { return op(uCopy, f.color[swz.At(c)]) })
}

// direct places the results straight into the destination, nil if that is addressed relatively. An
// instruction reads all its sources before it writes. Of mov r0.xy, r0.yx the first component goes by
// way of scratch:
//
//	scratch.x = r0.y
//	r0.y = r0.x
//	r0.x = scratch.x
func (l *lowering) direct() []uop {
	dst := &l.in.Dst
	if dst.Rel.File != d3d9.NoFile {
		return nil
	}
	ops := append(l.list(len(l.pre)+3*4), l.pre...) // each with a saturation, and late or repeated
	var late [4]uop                                 // results that later components would have read too soon
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
	return l.keep(ops)
}

// masked places the results by way of scratch and a blend, which writes the lanes that are active and,
// if there is a predicate, those for which it holds.
func (l *lowering) masked() []uop {
	dst := &l.in.Dst
	ops := append(l.list(len(l.pre)+3*4), l.pre...) // each with a saturation, and late or repeated
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
				u.src[0] = l.place(d3d9.Reg{File: d3d9.Addr}, 0, dst.Rel.Swz.At(0))
			}
		} else {
			u.dst = l.place(dst.Reg, 0, c)
		}
		ops = append(ops, u)
	}
	return l.keep(ops)
}

// finish appends what computes component c with destination at, saturated where the instruction says so: from
// scratch, the same in both forms, where it is seen what there was to be clamped.
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
