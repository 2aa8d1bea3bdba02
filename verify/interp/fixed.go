package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// fixedPoint reports whether the program is of ps_1_x. This file contains the differences of these models.
// Registers hold numbers of a limited range, the result is r0, texture instructions read t# implicitly, and
// pairs of instructions are issued together. The rules are those of the ps_1_1 to ps_1_4 reference pages.
func (s *Shader) fixedPoint() bool { return s.model.Stage == d3d9.Pixel && s.model.Major == 1 }

// keepsCoordinates reports whether t# keep coordinates, as in ps_1_4, instead of the results of
// instructions.
func (s *Shader) keepsCoordinates() bool { return s.model.Minor >= 4 }

// stageState is the first constant number for the state of texture stages: bump matrices and luminances.
// They are not part of a case; their fixed values make mistakes visible.
const stageState = 1 << 16

// stateOfStage returns a component of a register of file Bump.
func stateOfStage(reg, comp int) float32 {
	base := [2][4]float32{{0.5, -0.25, 0.125, 0.75}, {0.625, 0.25, 0, 0}}
	return base[reg&1][comp] * (1 + float32(reg/2)/8)
}

// addressing reserves the registers that texture instructions access implicitly, and records the texture
// types that they need. A lookup by three numbers is assumed to read a cube, which the program does not
// declare.
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

// lowerFixed compiles an instruction of ps_1_x, or two that are issued together (co-issue, "+"). Both read
// the values from before either, so results go to scratch first.
func (c *compiler) lowerFixed(ins ...*d3d9.Inst) (stmt, error) {
	s := stmt{kind: sExec, pos: ins[0].Pos}
	var ops, late []uop
	next, written := slot(0), d3d9.Mask(0)
	for _, in := range ins {
		l := &lowering{compiler: c, in: in, next: next}
		if !l.fixed() {
			return s, asm.Errorf(in.Pos, "unsupported-op", "%s cannot be interpreted in %s", in.Op, c.model)
		}
		if written&l.have != 0 { // not a pair of pipes: the second result wins
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

// bounded appends u with destination at, applies the shift of the instruction, and then clamps the result.
// Without a clamp modifier it applies the range of a register.
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

// fixed lowers the instruction, or returns false for an unknown one. The number of the destination selects
// the texture stage.
func (l *lowering) fixed() bool {
	n := l.in.Dst.Index
	switch l.in.Op {
	case d3d9.OpCnd:
		if l.in.CoIssue && !l.keepsCoordinates() && l.in.Dst.Mask != d3d9.MaskW {
			// Hardware does this (according to Wine's tests); assemblers do not emit it.
			l.setEach(func(c int) uop { return microOp(uCopy, l.laneSlot(1, c)) })
			return true
		}
		half := l.literal(0.5)
		l.setEach(func(c int) uop { // b where a > 0.5, so c where 0.5 - a >= 0
			return microOp(uCmp, l.emitScratch(microOp(uSub, half, l.laneSlot(0, c))), l.laneSlot(2, c), l.laneSlot(1, c))
		})
	case d3d9.OpBem:
		for c := range 2 {
			l.setComponent(c, l.bumpCoordinate(n, c, l.laneSlot(0, c), l.laneSlot(1, 0), l.laneSlot(1, 1)))
		}
	case d3d9.OpTexCoord:
		// The reference gives 1 for alpha. Wine, and programs that store fog there, use the fourth
		// coordinate.
		l.setEach(func(c int) uop { return microOp(uSat, l.coordinate(n, c)) })
	case d3d9.OpTexCrd:
		at := l.projected()
		l.setEach(func(c int) uop { return microOp(uCopy, at[min(c, 2)]) })
	case d3d9.OpTexKill:
		for c := range 3 {
			at := l.coordinate(n, c)
			if l.in.Dst.File == d3d9.Temp {
				at = l.readSlot(l.in.Dst.Reg, 0, c)
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
			at[c] = l.emitScratch(l.bumpCoordinate(n, c, l.coordinate(n, c), l.laneSlot(0, 0), l.laneSlot(0, 1)))
		}
		l.sampleAt(at[0], at[1], l.coordinate(n, 2))
		if l.in.Op == d3d9.OpTexBeml {
			state := d3d9.BumpLuminance(n)
			by := l.emitScratch(microOp(uMad, l.laneSlot(0, 2), l.stage(state, 0), l.stage(state, 1)))
			for c := range 4 {
				l.setComponent(c, microOp(uMul, l.fin[c].src[0], by))
			}
		}
	case d3d9.OpTexReg2ar:
		l.sampleAt(l.laneSlot(0, 3), l.laneSlot(0, 0), l.literal(0))
	case d3d9.OpTexReg2gb:
		l.sampleAt(l.laneSlot(0, 1), l.laneSlot(0, 2), l.literal(0))
	case d3d9.OpTexReg2rgb:
		l.sampleAt(l.laneSlot(0, 0), l.laneSlot(0, 1), l.laneSlot(0, 2))
	case d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad, d3d9.OpTexDp3:
		l.setAll(l.matrixRowDot(n))
	case d3d9.OpTexDp3tex:
		l.sampleAt(l.emitScratch(l.matrixRowDot(n)), l.literal(0), l.literal(0))
	case d3d9.OpTexM3x2tex:
		l.sampleAt(l.padRegister(n-1), l.emitScratch(l.matrixRowDot(n)), l.literal(0))
	case d3d9.OpTexM3x2depth:
		l.depth(l.padRegister(n-1), l.emitScratch(l.matrixRowDot(n)))
	case d3d9.OpTexDepth:
		l.depth(l.readSlot(l.in.Dst.Reg, 0, 0), l.emitScratch(microOp(uMin, l.readSlot(l.in.Dst.Reg, 0, 1), l.literal(1))))
	case d3d9.OpTexM3x3:
		l.setComponent(0, microOp(uCopy, l.padRegister(n-2)))
		l.setComponent(1, microOp(uCopy, l.padRegister(n-1)))
		l.setComponent(2, l.matrixRowDot(n))
		l.setComponent(3, microOp(uCopy, l.literal(1)))
	case d3d9.OpTexM3x3tex:
		l.sampleAt(l.padRegister(n-2), l.padRegister(n-1), l.emitScratch(l.matrixRowDot(n)))
	case d3d9.OpTexM3x3spec:
		l.reflection(n, l.laneSlot(1, 0), l.laneSlot(1, 1), l.laneSlot(1, 2))
	case d3d9.OpTexM3x3vspec:
		l.reflection(n, l.coordinate(n-2, 3), l.coordinate(n-1, 3), l.coordinate(n, 3))
	default:
		return l.arithmetic()
	}
	return true
}

// coordinate returns a component of the texture coordinates that the rasterizer stores in t#.
func (l *lowering) coordinate(n uint16, comp int) slot {
	at := l.firstSlot(d3d9.Reg{File: d3d9.Texture, Index: n}) + slot(comp)
	l.reads[at] = true
	return at
}

// padRegister returns the register that texm3x2pad or texm3x3pad wrote.
func (l *lowering) padRegister(n uint16) slot {
	return l.firstSlot(d3d9.Reg{File: d3d9.TexOut, Index: n})
}

// matrixRowDot returns the dot product of the coordinates of t# with source 0: a row of the texm3x family.
func (l *lowering) matrixRowDot(n uint16) uop {
	u := uop{code: uDp3}
	for c := range 3 {
		u.src[2*c], u.src[2*c+1] = l.coordinate(n, c), l.laneSlot(0, c)
	}
	return u
}

// stage returns state of a texture stage.
func (l *lowering) stage(r d3d9.Reg, comp int) slot {
	return l.constant(stageState+int(r.Index), comp, d3d9.ModNone)
}

// bumpCoordinate adds a vector in texture space to coordinate c, which is in at: u + M00 r + M10 g, or v + M01 r +
// M11 g.
func (l *lowering) bumpCoordinate(n uint16, c int, at, r, g slot) uop {
	m := d3d9.BumpMatrix(n)
	return microOp(uMad, g, l.stage(m, 2+c), l.emitScratch(microOp(uMad, r, l.stage(m, c), at)))
}

// projected returns the coordinates that texld and texcrd of ps_1_4 read: the components of the selector,
// divided by the third one under _dz and _dw. A quotient by zero is 1.
func (l *lowering) projected() (at [3]slot) {
	s := l.in.Src[0]
	mod := s.Mod
	l.in.Src[0].Mod = d3d9.ModNone
	for c := range at {
		at[c] = l.laneSlot(0, c)
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

// quotient returns a/b, or 1 where b is 0.
func (l *lowering) quotient(a, b slot) slot {
	zero := l.emitScratch(microOp(uNeg, l.emitScratch(microOp(uAbs, b))))
	return l.emitScratch(microOp(uCmp, zero, l.literal(1), l.emitScratch(microOp(uDiv, a, b))))
}

// depth writes the quotient of two numbers as the depth.
func (l *lowering) depth(z, w slot) {
	q := l.quotient(z, w)
	l.pre = append(l.pre, uop{code: uSat, dst: l.firstSlot(d3d9.Reg{File: d3d9.DepthOut}), src: [8]slot{q}})
}

// reflection fetches at the reflection of the vector to the eye: 2 N (N.E)/(N.N) - E.
func (l *lowering) reflection(n uint16, ex, ey, ez slot) {
	nx, ny, nz := l.padRegister(n-2), l.padRegister(n-1), l.emitScratch(l.matrixRowDot(n))
	along := l.emitScratch(microOp(uDp3, nx, ex, ny, ey, nz, ez))
	length := l.emitScratch(microOp(uDp3, nx, nx, ny, ny, nz, nz))
	by := l.emitScratch(microOp(uMul, l.literal(2), l.emitScratch(microOp(uDiv, along, length))))
	at := func(n, e slot) slot { return l.emitScratch(microOp(uMsub, n, by, e)) }
	l.sampleAt(at(nx, ex), at(ny, ey), at(nz, ez))
}

// sampleAt fetches from the texture of the destination's stage.
func (l *lowering) sampleAt(u, v, w slot) {
	f := fetchInfo{sampler: int(l.in.Dst.Index), coord: [3]slot{u, v, w}}
	l.usesTex |= 1 << f.sampler
	if f.typ, _ = l.Sampler(f.sampler); f.typ == d3d9.Tex2D {
		f.coord[2] = l.literal(0)
	}
	l.fetch(f, d3d9.Identity)
}
