package mutate

import "github.com/shaderlift/shaderlift/asm/d3d9"

// d3d9OperandKinds change the operands, the destination or the operation of an instruction.
var d3d9OperandKinds = []Kind{
	{Name: "swizzle", Doc: "one lane of a source reads another component", d3d9: (*d3d9Site).swizzle},
	{Name: "swizzle-exchanged", Doc: "two lanes of a source are exchanged", d3d9: (*d3d9Site).exchangedLanes},
	{Name: "sign", Doc: "a source is negated", d3d9: (*d3d9Site).flipSign},
	{Name: "abs", Doc: "the modifier abs of a source is lost or added", d3d9: (*d3d9Site).toggleAbs},
	{Name: "mask-narrowed", Doc: "a lane is no longer written",
		d3d9: func(m *d3d9Site) bool { return m.flipMaskLane(false) }},
	{Name: "mask-widened", Doc: "a lane is written in addition",
		d3d9: func(m *d3d9Site) bool { return m.flipMaskLane(true) }},
	{Name: "op", Doc: "another operation of as many sources", d3d9: (*d3d9Site).changeOp},
	{Name: "register", Doc: "a source is another temporary",
		d3d9: func(m *d3d9Site) bool { return m.register(d3d9.Temp) }},
	{Name: "constant-register", Doc: "a source is another constant",
		d3d9: func(m *d3d9Site) bool { return m.register(d3d9.Const) }},
	{Name: "input-register", Doc: "a source is another input",
		d3d9: func(m *d3d9Site) bool { return m.register(d3d9.Input) || m.register(d3d9.Texture) }},
	{Name: "destination", Doc: "the result goes to another temporary", d3d9: (*d3d9Site).destination},
	{Name: "output-register", Doc: "the result goes to another output of the same kind", d3d9: (*d3d9Site).output},
	{Name: "output-lanes", Doc: "two lanes of what an output is set to are exchanged", d3d9: (*d3d9Site).outputLanes},
	{Name: "saturate-lost", Doc: "the modifier _sat is lost", d3d9: func(m *d3d9Site) bool { return m.saturate(true) }},
	{Name: "saturate-added", Doc: "the modifier _sat is added", d3d9: func(m *d3d9Site) bool { return m.saturate(false) }},
	{Name: "operands-exchanged", Doc: "two sources change places", d3d9: (*d3d9Site).exchangedOperands},
	{Name: "relative-offset", Doc: "the offset of a relative address is one more", d3d9: (*d3d9Site).relativeOffset},
	{Name: "relative-lost", Doc: "a relative address loses its relative part", d3d9: (*d3d9Site).relativeLost},
	{Name: "relative-component", Doc: "a relative address reads another component of a0",
		d3d9: (*d3d9Site).relativeComponent},
	{Name: "modifier", Doc: "a source of ps_1_x has another modifier", d3d9: (*d3d9Site).modifier},
	{Name: "shift", Doc: "a result of ps_1_x is shifted otherwise", d3d9: (*d3d9Site).shift},
	{Name: "co-issue", Doc: "the second of two instructions that are issued together follows the first",
		d3d9: (*d3d9Site).coIssue},
	{Name: "predicate-sign", Doc: "the predicate of an instruction is negated", d3d9: (*d3d9Site).predicateSign},
	{Name: "predicate-lost", Doc: "an instruction loses its predicate", d3d9: (*d3d9Site).predicateLost},
	{Name: "predicate-component", Doc: "the predicate is another component", d3d9: (*d3d9Site).predicateComponent},
}

// computes reports whether in is arithmetic other than nop. Texture instructions do not count.
func computes(in *d3d9.Inst) bool {
	return in.Op.Kind() == d3d9.Arithmetic && in.Op != d3d9.OpNop
}

// source picks a source of an instruction that computes or fetches, but never a sampler.
func (m *d3d9Site) source() *d3d9.Src {
	in := m.statement()
	if in.NSrc == 0 || !computes(in) && in.Op.Kind() != d3d9.TextureOp {
		return nil
	}
	s := &in.Src[m.r.IntN(int(in.NSrc))]
	if s.File == d3d9.Sampler {
		s = &in.Src[0]
	}
	return s
}

// swizzle changes one lane's two bits, or a replicating swizzle to another one: rcp and similar
// instructions require replication.
func (m *d3d9Site) swizzle() bool {
	s := m.source()
	if s == nil {
		return false
	}
	old := s.Swz
	if s.Swz.IsReplicate() {
		s.Swz = d3d9.Replicate(m.r.IntN(4))
	} else {
		s.Swz ^= d3d9.Swizzle(1+m.r.IntN(3)) << (2 * m.r.IntN(4))
	}
	return s.Swz != old
}

// exchange returns a swizzle with two lanes exchanged.
func exchange(z d3d9.Swizzle, i, j int) d3d9.Swizzle {
	c := [4]int{z.ComponentAt(0), z.ComponentAt(1), z.ComponentAt(2), z.ComponentAt(3)}
	c[i], c[j] = c[j], c[i]
	return d3d9.MakeSwizzle(c[0], c[1], c[2], c[3])
}

func (m *d3d9Site) exchangedLanes() bool {
	s := m.source()
	if s == nil {
		return false
	}
	old := s.Swz
	s.Swz = exchange(old, m.r.IntN(4), m.r.IntN(4))
	return s.Swz != old
}

func (m *d3d9Site) outputLanes() bool {
	in := m.statement()
	if !computes(in) || in.NSrc == 0 || !in.Dst.File.IsOutput() || in.Dst.Mask.Count() < 2 {
		return false
	}
	return m.exchangedLanes()
}

// flipSign relies on the order of SrcMod, in which the negation of a modifier is adjacent: none and neg, abs
// and absneg.
func (m *d3d9Site) flipSign() bool {
	s := m.source()
	if s == nil {
		return false
	}
	switch s.Mod {
	case d3d9.ModNone, d3d9.ModAbs:
		s.Mod++
	case d3d9.ModNeg, d3d9.ModAbsNeg:
		s.Mod--
	default:
		return false
	}
	return true
}

// toggleAbs keeps a negation, which applies after it.
func (m *d3d9Site) toggleAbs() bool {
	s := m.source()
	if s == nil {
		return false
	}
	switch s.Mod {
	case d3d9.ModNone, d3d9.ModNeg:
		s.Mod += d3d9.ModAbs
	case d3d9.ModAbs, d3d9.ModAbsNeg:
		s.Mod -= d3d9.ModAbs
	default:
		return false
	}
	return true
}

// flipMaskLane flips one lane of the write mask; at least one lane must remain.
func (m *d3d9Site) flipMaskLane(widen bool) bool {
	in := m.statement()
	if !in.HasDst || !computes(in) && in.Op.Kind() != d3d9.TextureOp || in.Op == d3d9.OpTexKill {
		return false
	}
	lane := d3d9.Mask(1) << m.r.IntN(4)
	if widen == (in.Dst.Mask&lane != 0) || in.Dst.Mask == lane {
		return false
	}
	in.Dst.Mask ^= lane
	return true
}

// otherOps groups operations with the same number and kinds of sources. Validation of the mutant rejects
// operations that the model lacks.
var otherOps = [][]d3d9.Op{
	{d3d9.OpAdd, d3d9.OpMul, d3d9.OpSub, d3d9.OpMin, d3d9.OpMax, d3d9.OpDp3, d3d9.OpDp4, d3d9.OpSlt, d3d9.OpSge},
	{d3d9.OpMad, d3d9.OpCmp, d3d9.OpLrp, d3d9.OpDp2add, d3d9.OpCnd},
	{d3d9.OpRcp, d3d9.OpRsq, d3d9.OpExp, d3d9.OpLog, d3d9.OpExpp, d3d9.OpLogp},
	{d3d9.OpMov, d3d9.OpFrc, d3d9.OpAbs, d3d9.OpNrm},
	{d3d9.OpDsx, d3d9.OpDsy},
	{d3d9.OpTexld, d3d9.OpTexldp, d3d9.OpTexldb, d3d9.OpTexldl},
	{d3d9.OpTex, d3d9.OpTexCoord},
	{d3d9.OpTexReg2ar, d3d9.OpTexReg2gb, d3d9.OpTexReg2rgb, d3d9.OpTexBem, d3d9.OpTexBeml, d3d9.OpTexDp3,
		d3d9.OpTexDp3tex},
	{d3d9.OpTexM3x3tex, d3d9.OpTexM3x3, d3d9.OpTexM3x3vspec},
}

func (m *d3d9Site) changeOp() bool {
	in := m.statement()
	for _, group := range otherOps {
		for _, op := range group {
			if op == in.Op {
				in.Op = group[m.r.IntN(len(group))]
				return in.Op != op
			}
		}
	}
	return false
}

// register changes the number of a source in the file f.
func (m *d3d9Site) register(f d3d9.File) bool {
	s := m.source()
	if s == nil || s.File != f {
		return false
	}
	old := s.Index
	s.Index = uint16(m.r.IntN(int(old) + 3))
	return s.Index != old
}

func (m *d3d9Site) destination() bool {
	in := m.statement()
	if !in.HasDst || in.Dst.File != d3d9.Temp || in.Op.Kind() == d3d9.Declaration || in.Op == d3d9.OpTexKill {
		return false
	}
	old := in.Dst.Index
	in.Dst.Index = uint16(m.r.IntN(int(old) + 3))
	return in.Dst.Index != old
}

// output exchanges an output with another of its file in all following statements. Without the exchange the
// mutant would be invalid, since models require that colours are written.
func (m *d3d9Site) output() bool {
	in := m.statement()
	if !computes(in) || !in.Dst.File.IsOutput() || in.Dst.File == d3d9.RastOut {
		return false
	}
	old := in.Dst.Index
	in.Dst.Index = uint16(m.r.IntN(int(old) + 2))
	other := in.Dst.Index
	for i := range m.p.Insts { // exchange both, so that everything is still written
		if o := &m.p.Insts[i]; o != in && computes(o) && o.Dst.File == in.Dst.File && o.Dst.Index == other {
			o.Dst.Index = old
		}
	}
	return in.Dst.Index != old
}

func (m *d3d9Site) saturate(lose bool) bool {
	in := m.statement()
	if !in.HasDst || !computes(in) && in.Op.Kind() != d3d9.TextureOp || lose != (in.Dst.Mods&d3d9.Saturate != 0) {
		return false
	}
	in.Dst.Mods ^= d3d9.Saturate
	return true
}

// exchangedOperands exchanges two sources, also of comparisons in flow.
func (m *d3d9Site) exchangedOperands() bool {
	in := m.statement()
	if in.NSrc < 2 || !computes(in) && in.Op.Kind() != d3d9.Flow {
		return false
	}
	i, j := m.r.IntN(int(in.NSrc)), m.r.IntN(int(in.NSrc))
	in.Src[i], in.Src[j] = in.Src[j], in.Src[i]
	return in.Src[i] != in.Src[j]
}

// relative picks a source that is addressed through a0 or aL.
func (m *d3d9Site) relative() *d3d9.Src {
	s := m.source()
	if s == nil || s.Rel.File == d3d9.NoFile {
		return nil
	}
	return s
}

func (m *d3d9Site) relativeOffset() bool {
	s := m.relative()
	if s != nil {
		s.Index++
	}
	return s != nil
}

func (m *d3d9Site) relativeLost() bool {
	s := m.relative()
	if s != nil {
		s.Rel = d3d9.Rel{}
	}
	return s != nil
}

func (m *d3d9Site) relativeComponent() bool {
	s := m.relative()
	if s == nil || s.Rel.File != d3d9.Addr {
		return false
	}
	old := s.Rel.Swz
	s.Rel.Swz = d3d9.Replicate(m.r.IntN(4))
	return s.Rel.Swz.ComponentAt(0) != old.ComponentAt(0)
}

func (m *d3d9Site) predicateSign() bool {
	in := m.statement()
	if !in.HasPred {
		return false
	}
	in.Pred.Mod ^= d3d9.ModNot
	return true
}

func (m *d3d9Site) predicateLost() bool {
	in := m.statement()
	if !in.HasPred {
		return false
	}
	in.HasPred, in.Pred = false, d3d9.Src{}
	return true
}

func (m *d3d9Site) predicateComponent() bool {
	in := m.statement()
	if !in.HasPred {
		return false
	}
	old := in.Pred.Swz
	in.Pred.Swz = d3d9.Replicate(m.r.IntN(4))
	return in.Pred.Swz != old
}

// fixedPoint reports whether a model is ps_1_x.
func fixedPoint(m d3d9.Model) bool { return m.Stage == d3d9.Pixel && m.Major == 1 }

// modifier picks any source modifier of ps_1_x: _bias, _bx2, invert, _x2, _dz, _dw and their negations.
// Validation of the mutant rejects modifiers that the model lacks.
func (m *d3d9Site) modifier() bool {
	s := m.source()
	if s == nil || !fixedPoint(m.p.Model) {
		return false
	}
	old := s.Mod
	s.Mod = d3d9.SrcMod(m.r.IntN(int(d3d9.ModDW) + 1))
	return s.Mod != old
}

// shift picks _d8 to _x8; the exponent lies between -3 and 3.
func (m *d3d9Site) shift() bool {
	in := m.statement()
	if !in.HasDst || !computes(in) || !fixedPoint(m.p.Model) {
		return false
	}
	old := in.Dst.Shift
	in.Dst.Shift = int8(m.r.IntN(7)) - 3
	return in.Dst.Shift != old
}

// coIssue removes the +: the second instruction then reads the result of the first.
func (m *d3d9Site) coIssue() bool {
	in := m.statement()
	old := in.CoIssue
	in.CoIssue = false
	return old
}
