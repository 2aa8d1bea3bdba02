package verify

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// kernelProgram is a kernel, lifted.
type kernelProgram struct {
	fn    *ir.Func
	stage il.Stage
	// levels are the resources that may have several levels of detail, so that a sample
	// depends on neighbouring invocations: those whose coordinates are normalised.
	levels map[uint8]bool
	sizes  map[uint16]uint32 // of arrays of temporaries
	stored map[ir.Reg]bool   // memories that something writes to
	known  map[ir.Reg]uint32 // constants that the host is known to set
}

// prepareKernel lifts k and collects what its declarations say.
func prepareKernel(k *il.Kernel, known map[ir.Reg]uint32) (*kernelProgram, error) {
	fn, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return nil, err
	}
	p := &kernelProgram{fn: fn, stage: k.Stage, levels: map[uint8]bool{}, sizes: map[uint16]uint32{}, stored: map[ir.Reg]bool{}, known: known}
	for i := range k.Insts {
		switch in := &k.Insts[i]; in.Op {
		case il.OpDclResource:
			p.levels[uint8(in.Ctl.ID)] = !in.Ctl.Unnorm
		case il.OpDclIndexedTempArray:
			p.sizes[in.Dst.Num] = in.Imm[0]
		}
	}
	fn.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic {
			p.stored[amdil.State(in.Base)] = true
		}
	})
	return p, nil
}

func (p *kernelProgram) function() *ir.Func { return p.fn }

func (p *kernelProgram) space() uint64 { return 2 + uint64(p.stage) }

func (p *kernelProgram) key(r ir.Reg) uint64 { return p.space()<<40 | regKey(r) }

func (p *kernelProgram) undefined(r ir.Reg) uint64 { return p.key(r) }

func (p *kernelProgram) holds(r ir.Reg) (ir.Kind, uint32) {
	if bits, ok := p.known[r]; ok {
		return ir.Literal, bits
	}
	return ir.Uniform, 0
}

// indexed names an element of a constant buffer as direct reads do.
func (p *kernelProgram) indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	const most = 1 << 12 // elements
	buffer := il.Reg{File: il.File(in.Base.File), Num: in.Base.Index}
	return amdil.Reg(buffer, k, 0), k < most && in.Base.Index < 16
}

func (p *kernelProgram) reach(*ir.Instr) []uint16 { return nil }

func (p *kernelProgram) gated(in *ir.Instr) bool {
	switch {
	case !in.Op.Has(ir.Convergent):
		return false
	case in.Op.Has(ir.IsFetch):
		return p.stage == il.Pixel && p.levels[in.Res.Unit]
	}
	return true
}

func (p *kernelProgram) array(in *ir.Instr) (n uint32, private, ok bool) {
	switch il.File(in.Base.File) {
	case il.TempArray:
		return p.sizes[in.Base.Index], true, true
	case il.Global, il.Persistent:
		return 0, false, true
	}
	return 0, false, false
}

// launch executes a kernel. Memories that it leaves as they were are not shown.
func launch[T any](dom *words[T], o *observation, opt loopOptions, b *beliefs[T]) (*view[T], error) {
	k := o.kernel
	v := &view[T]{name: amdil.RegName, undefined: map[uint64]ir.Reg{}, leaves: map[uint64]reading{}}
	leaf := func(kind ir.Kind, r ir.Reg) T {
		if bits, ok := o.fixed[r]; ok {
			return dom.literal(bits)
		}
		tg := tagInput
		if kind == ir.Uniform {
			tg = tagUniform
		}
		x := dom.call(tg, k.key(r), nil)
		v.leaves[dom.id(x)] = reading{kind: kind, reg: r}
		return x
	}
	w := newWalker(domain[T](dom), k, o.kernelLive, opt, b, leaf)
	w.words, w.work = dom, o.work
	w.unwritten = func(r ir.Reg) T { return unwritten(domain[T](dom), o, v, leaf, r) }
	if err := w.run(); err != nil {
		return nil, err
	}
	v.kills, v.endings, v.steps = w.kills, w.endings, maxExecuted-w.budget
	for _, out := range k.fn.Outs {
		if amdil.IsState(out.Reg) && !k.stored[out.Reg] {
			continue // at most discarded for later stores
		}
		x := w.value(out.V)
		if amdil.IsState(out.Reg) && dom.same(x, leaf(ir.Input, out.Reg)) {
			continue
		}
		v.outs = append(v.outs, observed[T]{key: k.key(out.Reg), reg: out.Reg, exact: il.File(out.Reg.File) == il.Depth, val: x})
	}
	return v, nil
}
