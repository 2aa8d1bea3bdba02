package gen

import "github.com/shaderlift/shaderlift/asm/d3d9"

const (
	maskXY  = d3d9.MaskX | d3d9.MaskY
	maskXYZ = maskXY | d3d9.MaskZ
)

// reads returns the lanes of source k, before its swizzle, that in reads, or a superset.
func (g *gen) reads(in *d3d9.Inst, k int) d3d9.Mask {
	switch in.Op {
	case d3d9.OpDp3, d3d9.OpM3x4, d3d9.OpM3x3, d3d9.OpM3x2, d3d9.OpCrs:
		return maskXYZ
	case d3d9.OpDp4, d3d9.OpM4x4, d3d9.OpM4x3:
		return d3d9.MaskAll
	case d3d9.OpDp2add:
		if k < 2 {
			return maskXY
		}
		return d3d9.MaskX
	case d3d9.OpNrm:
		return maskXYZ | in.Dst.Mask
	case d3d9.OpLit:
		return maskXY | d3d9.MaskW
	case d3d9.OpDst:
		return d3d9.MaskY | []d3d9.Mask{d3d9.MaskZ, d3d9.MaskW}[k]
	case d3d9.OpSinCos, d3d9.OpIfc, d3d9.OpBreakc:
		return d3d9.MaskX
	}
	if in.Op.Kind() == d3d9.TextureOp {
		return g.coordinates(in, k)
	}
	if in.Op.IsScalar() {
		return d3d9.MaskW
	}
	return in.Dst.Mask
}

// sources fills the sources of in, which has its destination. It reports whether it found operands for all
// of them.
func (g *gen) sources(in *d3d9.Inst) bool {
	for k := range int(in.NSrc) {
		if in.Op.Kind() == d3d9.TextureOp && k == 1 {
			continue // the sampler
		}
		if !g.source(in, k) {
			return false
		}
	}
	return true
}

// source picks source k: a register, then a swizzle that reads only written components of it, then a
// modifier. It gives up after some tries.
func (g *gen) source(in *d3d9.Inst, k int) bool {
	lanes := g.reads(in, k)
	for range 12 {
		s, ok := g.place(in, k)
		if !ok {
			continue
		}
		if s.Swz, ok = g.swizzle(in, k, s, lanes); !ok {
			continue
		}
		if g.chance(25) {
			mod := []d3d9.SrcMod{d3d9.ModNeg, d3d9.ModNeg, d3d9.ModAbs, d3d9.ModAbsNeg}[g.r.IntN(4)]
			if d3d9.ModAllowed(g.m, in.Op, k, mod) {
				s.Mod = mod
			}
		}
		in.Src[k] = s
		return true
	}
	return false
}

// place picks the register of source k: one that the model allows in addition to the registers that the
// instruction already reads.
func (g *gen) place(in *d3d9.Inst, k int) (s d3d9.Src, ok bool) {
	file := d3d9.Temp
	switch n := g.r.IntN(100); {
	case n < 25:
		file = d3d9.Const
	case n < 40 && len(g.inputs) > 0:
		s.Reg = g.inputs[g.r.IntN(len(g.inputs))].reg
		file = s.File
	}
	if !d3d9.CanRead(g.m, in.Op, k, file) {
		return s, false
	}
	// The file has one port: the register must be the one that is already read.
	if limit := d3d9.PortLimit(g.m, file); limit == 1 {
		for _, t := range in.Src[:k] {
			if t.File == file {
				s.Reg, s.Rel = t.Reg, t.Rel
				return s, file != d3d9.Const || g.constReads(in, k) < g.lim.ConstReads
			}
		}
	}
	switch file {
	case d3d9.Temp:
		s.Reg = d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}
		// Recently written registers are read more often, so that results depend on each other.
		if n := len(g.recent); n > 0 && g.chance(60) {
			s.Index = g.recent[n-1-g.r.IntN(min(n, 4))]
		}
		reuse := d3d9.MayReuse(g.m, in.Op, k) && in.Op != d3d9.OpSgn
		return s, reuse || !in.HasDst || in.Dst.Reg != s.Reg
	case d3d9.Const:
		s.Reg = d3d9.Reg{File: d3d9.Const, Index: g.consts[g.r.IntN(len(g.consts))]}
		s.Rel = g.index()
	// v[aL+n], if the range of aL stays within the declared inputs.
	case d3d9.Input:
		if n := g.now.reach; n >= 0 && n < g.even && !g.now.sub && g.chance(30) {
			s.Index, s.Rel = uint16(g.r.IntN(g.even-n)), d3d9.Rel{File: d3d9.Loop, Swz: d3d9.Identity}
		}
	}
	return s, true
}

// constReads counts the constants among the sources before k.
func (g *gen) constReads(in *d3d9.Inst, k int) (n int) {
	for _, t := range in.Src[:k] {
		if t.File == d3d9.Const {
			n++
		}
	}
	return n
}

// index picks the relative part of a constant's address, usually none: aL in a loop, or a written component
// of a0.
func (g *gen) index() (r d3d9.Rel) {
	switch {
	case g.m.Stage != d3d9.Vertex || !g.chance(30):
	case g.now.indexed && g.chance(50):
		r = d3d9.Rel{File: d3d9.Loop, Swz: d3d9.Identity}
	case g.env.addr != 0:
		r = d3d9.Rel{File: d3d9.Addr, Swz: d3d9.Replicate(g.component(g.env.addr))}
	}
	return r
}

// component picks one component of m.
func (g *gen) component(m d3d9.Mask) int {
	for {
		if c := g.r.IntN(4); m.Has(c) {
			return c
		}
	}
}

// swizzle picks a swizzle of source k with which the given lanes read written components.
func (g *gen) swizzle(in *d3d9.Inst, k int, s d3d9.Src, lanes d3d9.Mask) (d3d9.Swizzle, bool) {
	has := g.writtenMask(s.Reg)
	// All components of indexed registers are written.
	if s.Rel.File != d3d9.NoFile {
		has = d3d9.MaskAll
	}
	if has == 0 {
		return 0, false
	}
	fits := func(z d3d9.Swizzle) bool {
		for l := range 4 {
			if lanes.Has(l) && !has.Has(z.ComponentAt(l)) {
				return false
			}
		}
		scalar := in.Dst.File == d3d9.RastOut && in.Dst.IsScalarOutput() && d3d9.ReadsByMask(in.Op, k)
		return d3d9.SwizzleFits(g.m, in.Op, k, z) && (!scalar || z.IsReplicate())
	}
	pick := func() d3d9.Swizzle {
		switch g.r.IntN(4) {
		case 0:
			return d3d9.Identity
		case 1:
			return d3d9.Replicate(g.component(has))
		}
		return d3d9.MakeSwizzle(g.component(has), g.component(has), g.component(has), g.component(has))
	}
	for range 4 {
		if z := pick(); fits(z) {
			return z, true
		}
	}
	// Any swizzle that fits, starting from a random one.
	first := g.r.IntN(256)
	for i := range 256 {
		if z := d3d9.Swizzle(first + i); fits(z) {
			return z, true
		}
	}
	return 0, false
}
