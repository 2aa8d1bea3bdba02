package walk

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// launch executes a kernel in a domain. Its outputs are registers and the final states of memories. It omits
// unchanged states, so that a version without them compares equal.
func launch[T any](dom *words.Words[T], o *Observation, opt Options, b *Beliefs[T]) (*View[T], error) {
	k := o.Kernel
	v := &View[T]{Name: k.Function().Dialect.RegName, undefined: map[uint64]Component{}, leaves: map[uint64]Reading{}}
	// leaf names an input or constant, or returns its fixed value (see Observation).
	grouped, _ := k.(*Kernel)
	if grouped != nil && grouped.threads == nil {
		grouped = nil
	}
	var leaf func(kind ir.Kind, r ir.Reg) T
	leaf = func(kind ir.Kind, r ir.Reg) T {
		if bits, ok := o.Fixed[r]; ok {
			return dom.Literal(bits)
		}
		if grouped != nil && kind == ir.Input {
			if group, ok := grouped.threadLeaf(il.File(r.File), r.Comp); ok {
				x := dom.Thread()
				if group != il.NoFile {
					of := leaf(kind, ir.Reg{File: ir.File(group)})
					x = dom.Combine(of, uint32(grouped.threads.Size()), x, 1)
				}
				return x
			}
		}
		tg := symbolic.TagInput
		if kind == ir.Uniform {
			tg = symbolic.TagUniform
		}
		x := dom.Opaque(tg, k.RegisterKey(r), nil)
		if launch := k.Function().Dialect.Launch(); launch != nil && kind == ir.Input {
			if axis, half := launch.Coordinate(r); axis >= 0 && half {
				x = dom.Position(x)
			}
		}
		v.leaves[dom.ID(x)] = Reading{kind: kind, at: Component{reg: r}}
		return x
	}
	w := newWalker(symbolic.Domain[T](dom), k, o.kernelLive, opt, b, leaf)
	w.words, w.work, w.tile = dom, o.Work, min(max(o.Copies, 1), maxTile)
	w.budget = w.tile * maxExecuted
	if grouped != nil {
		dom.Threads, w.group = grouped.threads, newGroup[T]()
	}
	w.unwritten = func(r ir.Reg) T {
		return unwritten(symbolic.Domain[T](dom), o, v, leaf, k, Component{reg: r}, 0)
	}
	if err := w.executeFunction(); err != nil {
		return nil, err
	}
	if w.group != nil {
		v.phases = w.group.phases
	}
	v.Kills, v.endings, v.Steps = w.kills, w.endings, w.tile*maxExecuted-w.budget
	for _, out := range k.Function().Outs {
		if o.decides {
			break
		}
		switch {
		case isState(k, out.Reg) && !k.Stores(out.Reg):
			continue // only discarded for later stores
		case grouped != nil && out.Reg.File == amdil.Local:
			continue // it ends with the group
		}
		x := w.value(out.V)
		if isState(k, out.Reg) && w.keeps(out.Reg, x) {
			continue
		}
		v.Outs = append(v.Outs, observed[T]{Key: k.RegisterKey(out.Reg), Reg: out.Reg, exact: k.Exact(out.Reg), Val: x})
	}
	return v, nil
}
