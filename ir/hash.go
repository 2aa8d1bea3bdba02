package ir

// Hash is a number that functions of the same structure share: instructions in the same
// order that read the same leaves and, by order of definition, the same results. It
// does not depend on how values are numbered, on advisory homes, on positions or on
// what statement an instruction came from.
//
// The pass manager compares it before and after a pass with what the pass says it did.
func (f *Func) Hash() uint64 {
	h := &hasher{sum: newPrinter(), order: make([]uint32, f.nextID)}
	h.region(f.Body)
	for _, o := range f.Outs {
		h.reg(o.Reg)
		h.value(o.V)
	}
	return h.sum.a
}

// hasher numbers values by definition while it walks, which is what makes equal
// structures hash alike. Leaves hash by what they are, not by number.
type hasher struct {
	sum   printer128
	order []uint32 // by ID: the how manieth definition it is, from 1
	next  uint32
}

func (h *hasher) word(x uint64) { h.sum.word(x) }

func (h *hasher) reg(r Reg) { h.word(uint64(r.File)<<24 | uint64(r.Index)<<8 | uint64(r.Comp)) }

func (h *hasher) define(v *Value) {
	if v != nil {
		h.next++
		h.order[v.ID] = h.next
	}
}

func (h *hasher) value(v *Value) {
	switch {
	case v == nil:
		h.word(0)
	case v.IsLeaf():
		h.word(1<<56 | uint64(v.Kind)<<32 | uint64(v.Bits))
		h.reg(v.Home)
	default:
		h.word(2<<56 | uint64(h.order[v.ID]))
	}
}

func (h *hasher) values(vs []*Value) {
	h.word(uint64(len(vs)))
	for _, v := range vs {
		h.value(v)
	}
}

func (h *hasher) operand(o *Operand) {
	for _, l := range o {
		h.value(l.V)
		h.word(uint64(l.Mod))
	}
}

func (h *hasher) region(r *Region) {
	h.word(uint64(len(r.Params))<<32 | uint64(len(r.Code)))
	for _, p := range r.Params {
		h.define(p)
	}
	h.define(r.Index)
	for _, in := range r.Code {
		h.instr(in)
	}
	h.values(r.Results)
}

func (h *hasher) instr(in *Instr) {
	h.word(uint64(in.Op) | uint64(in.Mods)<<8 | uint64(in.Cond)<<16 | uint64(in.Mask())<<24 |
		uint64(in.Res.Unit)<<32 | uint64(in.Res.Dim)<<40 | uint64(len(in.Src))<<48 | uint64(len(in.Sub))<<56)
	h.reg(in.Base)
	h.word(uint64(in.Imm) | uint64(in.Res.Sampler)<<32 | uint64(uint8(in.Res.Offset[0]))<<40 | uint64(uint8(in.Res.Offset[1]))<<48 | uint64(uint8(in.Res.Offset[2]))<<56)
	for s := range in.Src {
		h.operand(&in.Src[s])
	}
	if in.IsPredicated() {
		h.operand(&in.Pred)
		h.values(in.Keep[:])
	}
	h.values(in.Args)
	for _, r := range in.Sub {
		h.region(r)
	}
	in.EachDef(h.define)
}
