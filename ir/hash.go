package ir

// StructuralHash returns a number that functions of the same structure share (the structural hash). Such functions have
// the same instructions in the same order, and read the same leaves and results. Value numbers, register
// hints, positions and source statements do not affect it.
//
// The pass manager compares the hash before and after a pass with the change that the pass reports.
func (f *Func) StructuralHash() uint64 {
	h := &hasher{sum: newPrinter(), order: make([]uint32, f.nextID)}
	h.region(f.Body)
	for _, o := range f.Outs {
		h.reg(o.Reg)
		h.value(o.V)
	}
	return h.sum.a
}

// hasher numbers values by definition while it walks, so that equal structures hash alike. Leaves hash by
// content.
type hasher struct {
	sum   printer128
	order []uint32 // by ID: the number of the definition, from 1
	next  uint32
}

func (h *hasher) hashWord(x uint64) { h.sum.mixWord(x) }

func (h *hasher) reg(r Reg) { h.hashWord(uint64(r.File)<<24 | uint64(r.Index)<<8 | uint64(r.Comp)) }

func (h *hasher) define(v *Value) {
	if v != nil {
		h.next++
		h.order[v.ID] = h.next
	}
}

func (h *hasher) value(v *Value) {
	switch {
	case v == nil:
		h.hashWord(0)
	case v.IsLeaf():
		h.hashWord(1<<56 | uint64(v.Kind)<<32 | uint64(v.Bits))
		h.reg(v.Home)
	default:
		h.hashWord(2<<56 | uint64(h.order[v.ID]))
	}
}

func (h *hasher) values(vs []*Value) {
	h.hashWord(uint64(len(vs)))
	for _, v := range vs {
		h.value(v)
	}
}

func (h *hasher) operand(o *Operand) {
	for _, l := range o {
		h.value(l.V)
		h.hashWord(uint64(l.Mod))
	}
}

func (h *hasher) region(r *Region) {
	h.hashWord(uint64(len(r.Params))<<32 | uint64(len(r.Code)))
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
	h.hashWord(uint64(in.Op) | uint64(in.Mods)<<8 | uint64(in.Cond)<<16 | uint64(in.Mask())<<24 |
		uint64(in.Res.Unit)<<32 | uint64(in.Res.Dim)<<40 | uint64(len(in.Src))<<48 | uint64(len(in.Sub))<<56)
	h.reg(in.Base)
	h.hashWord(uint64(in.Imm) | uint64(in.Res.Sampler)<<32 | uint64(uint8(in.Res.Offset[0]))<<40 | uint64(uint8(in.Res.Offset[1]))<<48 | uint64(uint8(in.Res.Offset[2]))<<56)
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
