package verify

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// kernelProgram is a lifted kernel.
type kernelProgram struct {
	lone
	stage il.Stage
	// levels has the resources that may have several levels of detail, because their coordinates are
	// normalized. Samples of them depend on neighbouring invocations.
	levels map[uint8]bool
	sizes  map[uint16]uint32 // of arrays of temporaries
}

// prepareKernel lifts k with the known constants inserted, and collects its declarations.
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

// indexed returns the register that a direct read of the same element of a constant buffer has.
func (p *kernelProgram) indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	const most = 1 << 12 // elements
	buffer := il.Reg{File: il.File(in.Base.File), Num: in.Base.Index}
	return amdil.ComponentReg(buffer, k, 0), k < most && in.Base.Index < 16
}

// gated reports whether the result of in depends on which invocations of a quad run it. This holds for
// samples in pixel kernels, of resources with levels of detail, because levels follow from differences within
// the quad.
func (p *kernelProgram) gated(in *ir.Instr) bool {
	switch {
	case !in.Op.Has(ir.Convergent):
		return false
	case in.Op.Has(ir.IsFetch):
		return p.stage == il.Pixel && p.levels[in.Res.Unit]
	case in.Op == ir.OpFence:
		return p.waits(in) // else it only orders the accesses of each invocation
	}
	return true
}

// array returns the size and the kind of an array. x# is private; g[] and the persistent memory are shared
// and have no declared size.
func (p *kernelProgram) array(in *ir.Instr) (n uint32, private, ok bool) {
	switch il.File(in.Base.File) {
	case il.TempArray:
		return p.sizes[in.Base.Index], true, true
	case il.Global, il.Persistent:
		return 0, false, true
	}
	return 0, false, false
}

// waits reports whether a fence synchronizes threads. A fence of memory alone does not.
func (p *kernelProgram) waits(in *ir.Instr) bool { return il.Fence(in.Imm)&il.FenceThreads != 0 }

// alike reports whether key is a group number, which all threads of a group share.
func (p *kernelProgram) alike(key uint64) bool {
	file := il.File(uint8(key >> 32))
	return file == il.GroupID || file == il.GroupFlat
}

func (p *kernelProgram) exact(r ir.Reg) bool { return il.File(r.File) == il.Depth }

// launch executes a kernel in a domain. Its outputs are registers and the final states of memories. It omits
// unchanged states, so that a version without them compares equal.
func launch[T any](dom *words.Words[T], o *observation, opt loopOptions, b *beliefs[T]) (*view[T], error) {
	k := o.kernel
	v := &view[T]{name: k.function().Dialect.RegName, undefined: map[uint64]ir.Reg{}, leaves: map[uint64]reading{}}
	// leaf names an input or constant, or returns its fixed value (see sampleTrips).
	leaf := func(kind ir.Kind, r ir.Reg) T {
		if bits, ok := o.fixed[r]; ok {
			return dom.Literal(bits)
		}
		tg := symbolic.TagInput
		if kind == ir.Uniform {
			tg = symbolic.TagUniform
		}
		x := dom.Opaque(tg, k.RegisterKey(r), nil)
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
	if err := w.executeFunction(); err != nil {
		return nil, err
	}
	v.kills, v.endings, v.steps = w.kills, w.endings, maxExecuted-w.budget
	for _, out := range k.function().Outs {
		if o.decides {
			break
		}
		if isState(k, out.Reg) && !k.stores(out.Reg) {
			continue // only discarded for later stores
		}
		x := w.value(out.V)
		if isState(k, out.Reg) && (dom.Same(x, leaf(ir.Input, out.Reg)) || w.spared[dom.ID(x)]) {
			continue
		}
		v.outs = append(v.outs, observed[T]{key: k.RegisterKey(out.Reg), reg: out.Reg, exact: k.exact(out.Reg), val: x})
	}
	return v, nil
}
