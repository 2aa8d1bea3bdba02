package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Strength reduction replaces a product with the counter of a loop by a sum of the factor:
//
//	before: for (i = 0; i < n; i++) { s += i*c }
//	after:  for (i = 0, p = 0; i < n; i++, p += c) { s += p }
//
// Classes of equal names do not show that p = i*c. So a carried word to which each trip adds the same step,
// modulo 2^32, gets a closed form instead of a name. The form is its value before the loop plus the number of
// the trip times the step. This holds on every trip by induction. The number of the trip is one name for all
// loops of a depth: both versions make the same trips if their exits are equal functions of it.

// linearStep returns the operand that each trip of the loop in adds to its k-th parameter, a word. The operand is
// loop-invariant.
func (l *live) linearStep(in *ir.Instr, k int) (by ir.Lane, ok bool) {
	body := in.Sub[0]
	param, next := body.Params[k], body.Results[k]
	if !plain(next) || next.Def.Op != ir.OpIAdd || !l.value[param.ID] {
		return by, false
	}
	for side := range 2 {
		from, by := next.Def.Src[side][next.Lane], next.Def.Src[1-side][next.Lane]
		if from.V == param && from.Mod == 0 && by.Mod == 0 && !l.within(by.V, in) {
			return by, true
		}
	}
	return by, false
}

// hasSums reports whether a loop of a version carries a word that grows by equal steps, besides its counter.
func (o *Observation) hasSums() (found bool) {
	for _, l := range o.lives() {
		if l == nil {
			continue
		}
		for in := range l.ctrl { // any
			if !mayHang(in) {
				continue
			}
			n := 0
			for k := range in.Sub[0].Params {
				if _, ok := l.linearStep(in, k); ok {
					n++
				}
			}
			found = found || n > 1
		}
	}
	return found
}

// applyClosedForms replaces names of carried values of the loop in by closed forms. A value that is assumed to stay has
// none.
func (w *walker[T]) applyClosedForms(in *ir.Instr, b *belief[T], initial, vals []T) {
	if !w.opt.linear || w.words == nil || len(in.Src) > 0 {
		return
	}
	trip := w.dom.Opaque(symbolic.TagCounter, uint64(w.depth), nil)
	for k := range vals {
		now := &b.now[k]
		if !now.varies || !now.live {
			continue
		}
		by, ok := w.live.linearStep(in, k)
		if !ok {
			continue
		}
		var src symbolic.Sources[T]
		src[0][0], src[1][0] = trip, w.value(by.V)
		grown := w.dom.Apply(&stepInstr, 0, &src)
		src[0][0], src[1][0] = initial[k], grown
		vals[k] = w.dom.Apply(&wordSumInstr, 0, &src)
		now.name, now.closed = vals[k], true
	}
}

// The instructions that sums executes.
var (
	stepInstr    = ir.Instr{Op: ir.OpIMul, Src: make([]ir.Operand, 2)}
	wordSumInstr = ir.Instr{Op: ir.OpIAdd, Src: slices.Clone(stepInstr.Src)}
)
