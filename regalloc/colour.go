package regalloc

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
)

// Colour assigns a register below limit(file) to every web that is ever live; pinned webs get their
// pins. prefer suggests a register for a value (its old home), or -1 for none. The result maps
// values to registers.
//
// Webs are coloured in the order of their first live points, after the pinned ones. Each takes its
// preferred register, else the first that fits. First fit leaves high registers free, so it uses as
// few as this order allows. That is not always the minimum: a web has holes and several components,
// and packing those is a bin-packing problem.
func (w *Webs) Colour(limit func(file uint8) int, prefer func(v int32) int) ([]int32, error) {
	w.arrange()
	w.regs = container.Zeros(w.regs, len(w.web))
	for i := range w.regs {
		w.regs[i] = -1
	}
	for k := range w.banks {
		clear(w.banks[k].busy)
		w.banks[k].busy, w.banks[k].own = w.banks[k].busy[:0], w.banks[k].own[:0]
	}
	w.turn = 0
	var x *web // the current web, of bank b and first live at from
	var b *bank
	var from int32
	fits := func(r int) bool { return w.fitsRegister(x, b, r, from) }
	for _, i := range w.order {
		w.Budget.Poll()
		x, from = &w.webs[i], w.begin[i]
		b = w.bankOf(x.file)
		n := limit(x.file)
		reg := w.pickRegister(x, n, prefer, fits)
		if reg < 0 {
			return nil, fmt.Errorf("out of registers: %d are not enough", n)
		}
		for c := range 4 {
			// The front of the bank's list may have been dropped; the rest is owned by the bank.
			b.busy[reg][c], b.own[reg][c] = Merge(b.busy[reg][c], x.busy[c], b.own[reg][c], false, w.reserveSpans)
		}
		for m := x.first; m != none; m = w.next[m] {
			w.regs[m] = int32(reg)
		}
	}
	return w.regs, nil
}

// arrange computes the order in which webs are coloured and the first live point of each, or -1 if
// it is never live.
func (w *Webs) arrange() {
	w.order, w.begin = w.order[:0], container.Zeros(w.begin, len(w.webs))
	for i := range w.webs {
		first := int32(-1)
		for _, spans := range w.webs[i].busy {
			if len(spans) > 0 && (first < 0 || spans[0].From < first) {
				first = spans[0].From
			}
		}
		if w.begin[i] = first; first >= 0 {
			w.order = append(w.order, int32(i))
		}
	}
	slices.SortStableFunc(w.order, func(a, b int32) int {
		if pinned := w.webs[a].pin != NoPin; pinned != (w.webs[b].pin != NoPin) {
			if pinned {
				return -1
			}
			return 1
		}
		return int(w.begin[a] - w.begin[b])
	})
}

// pickRegister returns the register below n for x, or -1 if none fits.
func (w *Webs) pickRegister(x *web, n int, prefer func(v int32) int, fits func(r int) bool) int {
	switch {
	case x.pin != NoPin:
		if fits(int(x.pin)) {
			return int(x.pin)
		}
		return -1
	case w.Choose != nil:
		return w.Choose(w.members(x), fits)
	}
	if r := prefer(x.first); r >= 0 && r < n && !w.Spread && fits(r) {
		return r
	}
	for k := range n {
		if r := (k + w.turn) % n; fits(r) {
			if w.Spread {
				w.turn = r + 1
			}
			return r
		}
	}
	return -1
}

// members lists the values of x, for the Choose hook. It reuses the memory of the last list.
func (w *Webs) members(x *web) []int32 {
	w.lent = w.lent[:0]
	for m := x.first; m != none; m = w.next[m] {
		w.lent = append(w.lent, m)
	}
	return w.lent
}

// fitsRegister reports whether x, first live at from, can have register r of b. It drops intervals that end
// before from from the lists of r, which keeps the lists short. This is safe because webs are
// coloured in order of their starts. Pinned webs come first, out of that order, and drop nothing.
func (w *Webs) fitsRegister(x *web, b *bank, r int, from int32) bool {
	for len(b.busy) <= r {
		b.busy, b.own = append(b.busy, [4][]Span{}), append(b.own, [4]bool{})
	}
	for _, v := range x.apart {
		if w.regs[v] == int32(r) {
			return false
		}
	}
	for c := range 4 {
		busy := &b.busy[r][c]
		if x.pin == NoPin { // webs come in order: intervals that have ended no longer interfere
			*busy = (*busy)[countEnded(*busy, from):]
		}
		if Overlap(*busy, x.busy[c]) {
			return false
		}
	}
	return true
}

// bank is a register file: the occupied intervals of its registers, by component. own marks the
// lists that the bank owns and may write to.
type bank struct {
	file uint8
	busy [][4][]Span
	own  [][4]bool
}

// bankOf returns the bank of a file.
func (w *Webs) bankOf(file uint8) *bank {
	for k := range w.banks {
		if w.banks[k].file == file {
			return &w.banks[k]
		}
	}
	w.banks = append(w.banks, bank{file: file})
	return &w.banks[len(w.banks)-1]
}
