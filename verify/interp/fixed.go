package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// fixedPoint reports whether the program is of ps_1_x: what is different there is in this file. Registers
// hold numbers of a limited range, the result is r0, texture instructions read t# implicitly, and pairs
// of instructions are issued together. The rules are those of the ps_1_1 to ps_1_4 reference pages.
func (s *Shader) fixedPoint() bool { return s.model.Stage == d3d9.Pixel && s.model.Major == 1 }

// keepsCoordinates reports whether t# hold coordinates, as they do in ps_1_4, and not what
// instructions leave in them.
func (s *Shader) keepsCoordinates() bool { return s.model.Minor >= 4 }

// stageState is the first of the numbers by which constants are known that are the state of
// texture stages: bump matrices and luminances. They are no part of a case, and have values at
// which a mistake shows.
const stageState = 1 << 16

// stateOfStage is a component of a register of file Bump.
func stateOfStage(reg, comp int) float32 {
	base := [2][4]float32{{0.5, -0.25, 0.125, 0.75}, {0.625, 0.25, 0, 0}}
	return base[reg&1][comp] * (1 + float32(reg/2)/8)
}

// addressing makes room for the registers that texture instructions read and write without
// naming them, and notes the textures that they need: what is looked up by three numbers is
// taken to be a cube, which the interface does not tell.
func (c *compiler) addressing(top []int) {
	top[d3d9.Temp] = max(top[d3d9.Temp], 1)
	for i := range c.prog.Insts {
		in := &c.prog.Insts[i]
		switch in.Op {
		case d3d9.OpTexM3x3tex, d3d9.OpTexM3x3spec, d3d9.OpTexM3x3vspec, d3d9.OpTexReg2rgb:
			c.samplers[in.Dst.Index] = d3d9.TexCube
		case d3d9.OpTexDepth, d3d9.OpTexM3x2depth:
			top[d3d9.DepthOut] = 1
		}
	}
}

// lowerFixed compiles an instruction of ps_1_x, or two that are issued together (co-issue, "+"): both read
// what was there before either, so that results go to scratch first.
func (c *compiler) lowerFixed(ins ...*d3d9.Inst) (stmt, error) {
	s := stmt{kind: sExec, pos: ins[0].Pos}
	var ops, late []uop
	next, written := slot(0), d3d9.Mask(0)
	for _, in := range ins {
		l := &lowering{compiler: c, in: in, next: next}
		if !l.fixed() {
			return s, asm.Errorf(in.Pos, "unsupported-op", "%s cannot be interpreted in %s", in.Op, c.model)
		}
		if written&l.have != 0 { // no pair of pipes: the second is the one that counts
			ops, late = append(ops, late...), nil
		}
		written |= l.have
		ops = append(ops, l.pre...)
		for k := range 4 {
			if l.have&(1<<k) == 0 {
				continue
			}
			at := resultSlot + slot(k)
			if from := l.copyOf[k]; from != 0 {
				ops = append(ops, uop{code: uCopy, dst: at, src: [8]slot{resultSlot + slot(from-1)}})
			} else {
				ops = l.bounded(ops, l.fin[k], at)
			}
			late = append(late, uop{code: uCopy, dst: l.place(in.Dst.Reg, 0, k), src: [8]slot{at}})
		}
		next = l.next
	}
	s.direct.ops = append(ops, late...)
	if in := ins[0]; in.Op == d3d9.OpTexKill {
		s.direct.ops, s.masked.ops = nil, ops
	}
	return s, nil
}

// bounded appends u with destination at, shifted and then clamped as the instruction says,
// or else to what a register holds.
func (l *lowering) bounded(ops []uop, u uop, at slot) []uop {
	u.dst = at
	ops = append(ops, u)
	if n := l.in.Dst.Shift; n != 0 {
		f := float32(1)
		for ; n > 0; n-- {
			f *= 2
		}
		for ; n < 0; n++ {
			f /= 2
		}
		ops = append(ops, uop{code: uMul, dst: at, src: [8]slot{at, l.literal(f)}})
	}
	clamp := uRange
	if l.in.Dst.Mods&d3d9.Saturate != 0 {
		clamp = uSat
	}
	return append(ops, uop{code: clamp, dst: at, src: [8]slot{at}})
}

// fixed lowers the instruction; false for one it does not know. Texture instructions address stage n by
// the number of their destination.
func (l *lowering) fixed() bool {
	n := l.in.Dst.Index
	switch l.in.Op {
	case d3d9.OpCnd:
		if l.in.CoIssue && !l.keepsCoordinates() && l.in.Dst.Mask != d3d9.MaskW {
			// So hardware does (as Wine's tests found); assemblers do not write it.
			l.each(func(c int) uop { return op(uCopy, l.lane(1, c)) })
			return true
		}
		half := l.literal(0.5)
		l.each(func(c int) uop { // b where a > 0.5, so c where 0.5 - a >= 0
			return op(uCmp, l.emit(op(uSub, half, l.lane(0, c))), l.lane(2, c), l.lane(1, c))
		})
	case d3d9.OpBem:
		for c := range 2 {
			l.put(c, l.bump(n, c, l.lane(0, c), l.lane(1, 0), l.lane(1, 1)))
		}
	case d3d9.OpTexCoord:
		// The reference has 1 for alpha; Wine, and programs that put fog there, the fourth coordinate.
		l.each(func(c int) uop { return op(uSat, l.coordinate(n, c)) })
	case d3d9.OpTexCrd:
		at := l.projected()
		l.each(func(c int) uop { return op(uCopy, at[min(c, 2)]) })
	case d3d9.OpTexKill:
		for c := range 3 {
			at := l.coordinate(n, c)
			if l.in.Dst.File == d3d9.Temp {
				at = l.read(l.in.Dst.Reg, 0, c)
			}
			l.pre = append(l.pre, uop{code: uKill, comp: uint8(c), src: [8]slot{at}})
		}
	case d3d9.OpTex:
		l.sampleAt(l.coordinate(n, 0), l.coordinate(n, 1), l.coordinate(n, 2))
	case d3d9.OpTexld14:
		at := l.projected()
		l.sampleAt(at[0], at[1], at[2])
	case d3d9.OpTexBem, d3d9.OpTexBeml:
		var at [2]slot
		for c := range at {
			at[c] = l.emit(l.bump(n, c, l.coordinate(n, c), l.lane(0, 0), l.lane(0, 1)))
		}
		l.sampleAt(at[0], at[1], l.coordinate(n, 2))
		if l.in.Op == d3d9.OpTexBeml {
			state := d3d9.BumpLuminance(n)
			by := l.emit(op(uMad, l.lane(0, 2), l.stage(state, 0), l.stage(state, 1)))
			for c := range 4 {
				l.put(c, op(uMul, l.fin[c].src[0], by))
			}
		}
	case d3d9.OpTexReg2ar:
		l.sampleAt(l.lane(0, 3), l.lane(0, 0), l.literal(0))
	case d3d9.OpTexReg2gb:
		l.sampleAt(l.lane(0, 1), l.lane(0, 2), l.literal(0))
	case d3d9.OpTexReg2rgb:
		l.sampleAt(l.lane(0, 0), l.lane(0, 1), l.lane(0, 2))
	case d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad, d3d9.OpTexDp3:
		l.all(l.row3(n))
	case d3d9.OpTexDp3tex:
		l.sampleAt(l.emit(l.row3(n)), l.literal(0), l.literal(0))
	case d3d9.OpTexM3x2tex:
		l.sampleAt(l.pad(n-1), l.emit(l.row3(n)), l.literal(0))
	case d3d9.OpTexM3x2depth:
		l.depth(l.pad(n-1), l.emit(l.row3(n)))
	case d3d9.OpTexDepth:
		l.depth(l.read(l.in.Dst.Reg, 0, 0), l.emit(op(uMin, l.read(l.in.Dst.Reg, 0, 1), l.literal(1))))
	case d3d9.OpTexM3x3:
		l.put(0, op(uCopy, l.pad(n-2)))
		l.put(1, op(uCopy, l.pad(n-1)))
		l.put(2, l.row3(n))
		l.put(3, op(uCopy, l.literal(1)))
	case d3d9.OpTexM3x3tex:
		l.sampleAt(l.pad(n-2), l.pad(n-1), l.emit(l.row3(n)))
	case d3d9.OpTexM3x3spec:
		l.reflection(n, l.lane(1, 0), l.lane(1, 1), l.lane(1, 2))
	case d3d9.OpTexM3x3vspec:
		l.reflection(n, l.coordinate(n-2, 3), l.coordinate(n-1, 3), l.coordinate(n, 3))
	default:
		return l.arithmetic()
	}
	return true
}

// coordinate is a component of the texture coordinates that the rasterizer puts into t#.
func (l *lowering) coordinate(n uint16, comp int) slot {
	at := l.reg(d3d9.Reg{File: d3d9.Texture, Index: n}) + slot(comp)
	l.reads[at] = true
	return at
}

// pad is what texm3x2pad or texm3x3pad left in a register.
func (l *lowering) pad(n uint16) slot {
	return l.reg(d3d9.Reg{File: d3d9.TexOut, Index: n})
}

// row3 is the product of the coordinates of t# with source 0: a row of the texm3x family.
func (l *lowering) row3(n uint16) uop {
	u := uop{code: uDp3}
	for c := range 3 {
		u.src[2*c], u.src[2*c+1] = l.coordinate(n, c), l.lane(0, c)
	}
	return u
}

// stage is state of a texture stage.
func (l *lowering) stage(r d3d9.Reg, comp int) slot {
	return l.constant(stageState+int(r.Index), comp, d3d9.ModNone)
}

// bump is coordinate c, at, moved by a vector in the space of a texture: u + M00 r + M10 g, or
// v + M01 r + M11 g.
func (l *lowering) bump(n uint16, c int, at, r, g slot) uop {
	m := d3d9.BumpMatrix(n)
	return op(uMad, g, l.stage(m, 2+c), l.emit(op(uMad, r, l.stage(m, c), at)))
}

// projected are the coordinates that texld and texcrd of ps_1_4 read: what the selector says,
// with _dz and _dw divided by the third of them. A quotient by zero is 1.
func (l *lowering) projected() (at [3]slot) {
	s := l.in.Src[0]
	mod := s.Mod
	l.in.Src[0].Mod = d3d9.ModNone
	for c := range at {
		at[c] = l.lane(0, c)
	}
	l.in.Src[0].Mod = mod
	if mod != d3d9.ModDZ && mod != d3d9.ModDW {
		return at
	}
	for c := range 2 {
		at[c] = l.quotient(at[c], at[2])
	}
	return at
}

// quotient is a/b, and 1 where b is 0.
func (l *lowering) quotient(a, b slot) slot {
	zero := l.emit(op(uNeg, l.emit(op(uAbs, b))))
	return l.emit(op(uCmp, zero, l.literal(1), l.emit(op(uDiv, a, b))))
}

// depth writes the quotient of two numbers as the depth.
func (l *lowering) depth(z, w slot) {
	q := l.quotient(z, w)
	l.pre = append(l.pre, uop{code: uSat, dst: l.reg(d3d9.Reg{File: d3d9.DepthOut}), src: [8]slot{q}})
}

// reflection looks up where the vector to the eye is reflected to: 2 N (N.E)/(N.N) - E.
func (l *lowering) reflection(n uint16, ex, ey, ez slot) {
	nx, ny, nz := l.pad(n-2), l.pad(n-1), l.emit(l.row3(n))
	along := l.emit(op(uDp3, nx, ex, ny, ey, nz, ez))
	length := l.emit(op(uDp3, nx, nx, ny, ny, nz, nz))
	by := l.emit(op(uMul, l.literal(2), l.emit(op(uDiv, along, length))))
	at := func(n, e slot) slot { return l.emit(op(uMsub, n, by, e)) }
	l.sampleAt(at(nx, ex), at(ny, ey), at(nz, ez))
}

// sampleAt looks up the texture of the stage that the destination names.
func (l *lowering) sampleAt(u, v, w slot) {
	f := fetchInfo{sampler: int(l.in.Dst.Index), coord: [3]slot{u, v, w}}
	l.usesTex |= 1 << f.sampler
	if f.typ, _ = l.Sampler(f.sampler); f.typ == d3d9.Tex2D {
		f.coord[2] = l.literal(0)
	}
	l.fetch(f, d3d9.Identity)
}
