package verify

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// kernelProgram is a kernel, lifted.
type kernelProgram struct {
	lone
	stage il.Stage
	// levels are the resources that may have several levels of detail, so that a sample
	// depends on neighbouring invocations: those whose coordinates are normalised.
	levels map[uint8]bool
	sizes  map[uint16]uint32 // of arrays of temporaries
}

// prepareKernel lifts k, with the constants that are known put in, and collects what its declarations
// say.
func prepareKernel(k *il.Kernel, known map[ir.Reg]uint32) (*kernelProgram, error) {
	fn, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	p := &kernelProgram{stage: k.Stage, levels: map[uint8]bool{}, sizes: map[uint16]uint32{}}
	if p.lone, err = newLone(fn, 2+uint64(k.Stage), known); err != nil {
		return nil, err
	}
	for i := range k.Insts {
		switch in := &k.Insts[i]; in.Op {
		case il.OpDclResource:
			p.levels[uint8(in.Ctl.ID)] = !in.Ctl.Unnorm
		case il.OpDclIndexedTempArray:
			p.sizes[in.Dst.Num] = in.Imm[0]
		}
	}
	return p, nil
}

// indexed names an element of a constant buffer as direct reads do.
func (p *kernelProgram) indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	const most = 1 << 12 // elements
	buffer := il.Reg{File: il.File(in.Base.File), Num: in.Base.Index}
	return amdil.Reg(buffer, k, 0), k < most && in.Base.Index < 16
}

// gated: levels of detail come from differences between the invocations of a quad, so that samples
// depend on which of them run, in pixel kernels and of resources that have levels.
func (p *kernelProgram) gated(in *ir.Instr) bool {
	switch {
	case !in.Op.Has(ir.Convergent):
		return false
	case in.Op.Has(ir.IsFetch):
		return p.stage == il.Pixel && p.levels[in.Res.Unit]
	case in.Op == ir.OpFence:
		return p.waits(in) // else it orders what each invocation does by itself
	}
	return true
}

// array: x# is the invocation's own, g[] and the persistent memory are not, and have no declared size.
func (p *kernelProgram) array(in *ir.Instr) (n uint32, private, ok bool) {
	switch il.File(in.Base.File) {
	case il.TempArray:
		return p.sizes[in.Base.Index], true, true
	case il.Global, il.Persistent:
		return 0, false, true
	}
	return 0, false, false
}

// waits: a fence of memory alone holds nobody up.
func (p *kernelProgram) waits(in *ir.Instr) bool { return il.Fence(in.Imm)&il.FenceThreads != 0 }

// alike: the threads of a group have its number.
func (p *kernelProgram) alike(key uint64) bool {
	file := il.File(uint8(key >> 32))
	return file == il.GroupID || file == il.GroupFlat
}

func (p *kernelProgram) exact(r ir.Reg) bool { return il.File(r.File) == il.Depth }

// launch executes a kernel in a domain. Its outputs are registers and the last states of memories;
// those that it leaves as they were are not shown, so that a side without them compares equal.
func launch[T any](dom *words.Words[T], o *observation, opt loopOptions, b *beliefs[T]) (*view[T], error) {
	k := o.kernel
	v := &view[T]{name: k.function().Dialect.RegName, undefined: map[uint64]ir.Reg{}, leaves: map[uint64]reading{}}
	// leaf names an input or constant, or gives it the value that it is fixed to (see sampleTrips).
	leaf := func(kind ir.Kind, r ir.Reg) T {
		if bits, ok := o.fixed[r]; ok {
			return dom.Literal(bits)
		}
		tg := symbolic.TagInput
		if kind == ir.Uniform {
			tg = symbolic.TagUniform
		}
		x := dom.Opaque(tg, k.key(r), nil)
		if launch := k.function().Dialect.Launch(); launch != nil && kind == ir.Input {
			if axis, half := launch.Coordinate(r); axis >= 0 && half {
				x = dom.Position(x)
			}
		}
		v.leaves[dom.ID(x)] = reading{kind: kind, reg: r}
		return x
	}
	w := newWalker(symbolic.Domain[T](dom), k, o.kernelLive, opt, b, leaf)
	w.words, w.work = dom, o.work
	w.unwritten = func(r ir.Reg) T { return unwritten(symbolic.Domain[T](dom), o, v, leaf, r) }
	if err := w.run(); err != nil {
		return nil, err
	}
	v.kills, v.endings, v.steps = w.kills, w.endings, maxExecuted-w.budget
	for _, out := range k.function().Outs {
		if isState(k, out.Reg) && !k.stores(out.Reg) {
			continue // at most discarded for later stores
		}
		x := w.value(out.V)
		if isState(k, out.Reg) && (dom.Same(x, leaf(ir.Input, out.Reg)) || w.spared[dom.ID(x)]) {
			continue
		}
		v.outs = append(v.outs, observed[T]{key: k.key(out.Reg), reg: out.Reg, exact: k.exact(out.Reg), val: x})
	}
	return v, nil
}
