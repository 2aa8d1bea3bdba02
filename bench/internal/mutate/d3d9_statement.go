package mutate

import "github.com/shaderlift/shaderlift/asm/d3d9"

// d3d9StatementKinds remove, add and move statements.
var d3d9StatementKinds = []Kind{
	{Name: "removed", Doc: "an instruction is removed", d3d9: (*d3d9Site).removed},
	{Name: "inserted-live", Doc: "one is added to a value that is used later", d3d9: (*d3d9Site).insertedLive},
	{Name: "inserted-dead", Doc: "a register that nothing reads is written", d3d9: (*d3d9Site).insertedDead},
	{Name: "repeated", Doc: "an instruction is executed twice", d3d9: (*d3d9Site).repeated},
	{Name: "statements-exchanged", Doc: "two instructions in a row change places", d3d9: (*d3d9Site).statementsExchanged},
	{Name: "infinity-inserted", Doc: "an infinity times zero, which is no number, is added to a value that is used later", d3d9: (*d3d9Site).infinityInserted},
	{Name: "rounding-inserted", Subtle: true, Doc: "a value is multiplied by the float32 after one",
		d3d9: (*d3d9Site).roundingInserted},
	{Name: "rounding-exact", Subtle: true, Declared: true,
		Doc: "a mad or dot product of the position, fog or depth becomes mul and add: other roundings", d3d9: (*d3d9Site).roundingExact},
}

func (m *d3d9Site) removed() bool {
	in := m.statement()
	if !computes(in) && in.Op.Kind() != d3d9.TextureOp || in.Op == d3d9.OpTexKill {
		return false
	}
	m.remove()
	return true
}

// value reports whether the statement computes a temporary.
func (m *d3d9Site) value() bool {
	in := m.statement()
	return (computes(in) || in.Op.Kind() == d3d9.TextureOp && in.Op != d3d9.OpTexKill) && in.Dst.File == d3d9.Temp &&
		!in.HasPred
}

// after inserts op dst, dst, k.x after the statement, where k is a new constant that holds v.
func (m *d3d9Site) after(op d3d9.Op, v float32) bool {
	k, def, ok := m.define(v)
	if !m.value() || !ok {
		return false
	}
	dst := m.statement().Dst
	dst.Mods = 0
	m.insert(m.i+1, d3d9.Inst{Op: op, HasDst: true, Dst: dst, NSrc: 2,
		Src: [4]d3d9.Src{{Reg: dst.Reg, Swz: d3d9.Identity}, k}})
	m.insert(0, def)
	return true
}

func (m *d3d9Site) insertedLive() bool     { return m.after(d3d9.OpAdd, 1) }
func (m *d3d9Site) roundingInserted() bool { return m.after(d3d9.OpMul, 1+0x1p-23) }

// infinityInserted adds 1/0 * 0 in separate registers: NaN by IEEE 754, and 0 on machines where zero times
// anything is zero. A judge that reasons over the reals must not cancel it.
func (m *d3d9Site) infinityInserted() bool {
	zero, def, ok := m.define(0)
	t := m.freeRegister(d3d9.Temp)
	if !m.value() || !ok || t < 0 {
		return false
	}
	dst := m.statement().Dst
	dst.Mods = 0
	zero.Swz = d3d9.Replicate(0)
	pole := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(t)}, Swz: zero.Swz}
	m.insert(m.i+1,
		d3d9.Inst{Op: d3d9.OpRcp, HasDst: true, Dst: d3d9.Dst{Reg: pole.Reg, Mask: 1}, NSrc: 1, Src: [4]d3d9.Src{zero}},
		d3d9.Inst{Op: d3d9.OpMad, HasDst: true, Dst: dst, NSrc: 3,
			Src: [4]d3d9.Src{pole, zero, {Reg: dst.Reg, Swz: d3d9.Identity}}})
	m.insert(0, def)
	return true
}

// insertedDead copies a result to a register that nothing reads. The mutant is always equivalent.
func (m *d3d9Site) insertedDead() bool {
	t := m.freeRegister(d3d9.Temp)
	if !m.value() || t < 0 {
		return false
	}
	m.insert(m.i+1, d3d9.Inst{Op: d3d9.OpMov, HasDst: true,
		Dst:  d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(t)}, Mask: m.statement().Dst.Mask},
		NSrc: 1, Src: [4]d3d9.Src{{Reg: m.statement().Dst.Reg, Swz: d3d9.Identity}}})
	return true
}

// repeated repeats an instruction. It has an effect only if the instruction reads its own destination.
func (m *d3d9Site) repeated() bool {
	if !computes(m.statement()) {
		return false
	}
	m.insert(m.i+1, *m.statement())
	return true
}

func (m *d3d9Site) statementsExchanged() bool {
	if m.i+1 >= len(m.p.Insts) {
		return false
	}
	a, b := m.statement(), &m.p.Insts[m.i+1]
	code := func(in *d3d9.Inst) bool { return computes(in) || in.Op.Kind() == d3d9.TextureOp }
	if !code(a) || !code(b) {
		return false
	}
	*a, *b = *b, *a
	return true
}

// exact reports whether a register must keep its bits even where the judge allows roundings: position, fog,
// point size and depth, which decide about fragments.
func (m *d3d9Site) exact(r d3d9.Reg) bool {
	switch r.File {
	case d3d9.RastOut, d3d9.DepthOut:
		return true
	case d3d9.Output:
		for i := range m.p.Insts {
			in := &m.p.Insts[i]
			if in.Op == d3d9.OpDcl && in.Dst.Reg == r {
				return in.Decl.Usage == d3d9.UsagePosition || in.Decl.Usage == d3d9.UsagePSize || in.Decl.Usage == d3d9.UsageFog
			}
		}
	}
	return false
}

// roundingExact splits an instruction whose result must keep its bits. It splits mad into mul and add,
// which round twice where mad may round once. It splits dp4 into dp3 and a mad of the fourth components,
// which may sum in another order.
func (m *d3d9Site) roundingExact() bool {
	in := m.statement()
	t := m.freeRegister(d3d9.Temp)
	if !computes(in) || !m.exact(in.Dst.Reg) || in.HasPred || t < 0 {
		return false
	}
	temp := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(t)}, Swz: d3d9.Identity}
	first, second := *in, *in
	first.Dst = d3d9.Dst{Reg: temp.Reg, Mask: in.Dst.Mask}
	switch in.Op {
	case d3d9.OpMad:
		first.Op, first.NSrc, first.Src[2] = d3d9.OpMul, 2, d3d9.Src{}
		second.Op, second.NSrc, second.Src = d3d9.OpAdd, 2, [4]d3d9.Src{temp, in.Src[2]}
	case d3d9.OpDp4:
		first.Op = d3d9.OpDp3
		second.Op, second.NSrc = d3d9.OpMad, 3
		for k := range 2 {
			second.Src[k].Swz = d3d9.Replicate(in.Src[k].Swz.ComponentAt(3))
		}
		second.Src[2] = temp
	default:
		return false
	}
	*in = second
	m.insert(m.i, first)
	return true
}
