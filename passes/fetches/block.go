package fetches

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// block is a maximal run of instructions without a boundary. Its code is a slice of a region's, so that
// rearranging it in place changes the region.
type block struct {
	code    []*ir.Instr
	before  *ir.Instr // boundary before the block, or nil
	dialect ir.Dialect
	forms   *affine.Forms // of the program, which the order of fetches does not change
}

// blocksOf lists the blocks of u in program order. Rearranging one does not affect the others.
func blocksOf(u *passes.Unit) (list []block) {
	for _, f := range u.Funcs() {
		forms := affine.NewForms(f)
		var walk func(r *ir.Region, before *ir.Instr)
		walk = func(r *ir.Region, before *ir.Instr) {
			from := 0
			for i, in := range r.Code {
				if !isBoundary(in) {
					continue
				}
				list = append(list, block{r.Code[from:i], before, f.Dialect, forms})
				for _, sub := range in.Sub {
					walk(sub, in)
				}
				from, before = i+1, in
			}
			list = append(list, block{r.Code[from:], before, f.Dialect, forms})
		}
		walk(f.Body, nil)
	}
	return list
}

// isBoundary reports whether no instruction may move across in: it is control flow, or has effects.
func isBoundary(in *ir.Instr) bool { return in.Op.Has(ir.Structured) || in.Op.Has(ir.Effect) }

// fetches reports whether in is a fetch. A block contains no store, so reads of memory may move within it.
func (b *block) fetches(in *ir.Instr) bool { return b.dialect.Fetches(in) }

// starts lists the positions where runs of fetches begin in b.
func (b *block) starts() (list []int) {
	last := false
	for i, in := range b.code {
		fetches := b.fetches(in)
		if fetches && !last {
			list = append(list, i)
		}
		last = fetches || last && b.copies(i)
	}
	return list
}

// copies reports whether instruction i copies the value that the one before it has read from memory, as
// kernels write a read of an array. The two move together, as emission makes one statement of them.
func (b *block) copies(i int) bool {
	if i == 0 || b.code[i].Op != ir.OpMov || b.code[i-1].Op != ir.OpMemLoad || b.code[i].IsPredicated() {
		return false
	}
	ok := true
	b.code[i].EachUse(func(l *ir.Lane) { ok = ok && l.V.Def == b.code[i-1] })
	return ok
}

// outcome is the result of rearranging a block. stopped means that step refused.
type outcome uint8

const (
	same outcome = iota
	changed
	stopped
)

// rearrange gathers the fetches of b, if step agrees. The code has the same instructions in another order, so
// it is copied over the old one.
func (b *block) rearrange(l limits, step passes.Grant) outcome {
	if l.keep {
		return same
	}
	g := b.gather(l)
	code := g.gathered()
	if slices.Equal(code, b.code) {
		return same
	}
	if !step(b.code[g.groups[0].at], "grouped", "made the first of a group of fetches") {
		return stopped
	}
	copy(b.code, code)
	return changed
}
