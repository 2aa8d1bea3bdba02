package regalloc

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/internal/slab"
)

// Colour gives every web that is ever live a register below limit(file), pinned webs
// theirs. prefer suggests a register for a value (its old home), -1 for none. The
// result maps values to registers.
//
// Webs are taken in the order in which they begin, pinned ones before all others. Each
// takes the register it prefers, else the first that fits: first fit leaves high
// registers free, so as few are used as this order allows. That is not always the
// least: a web has holes and several components, and packing those is a bin-packing
// problem.
func (w *Webs) Colour(limit func(file uint8) int, prefer func(v int32) int) ([]int32, error) {
	w.arrange()
	w.regs = slab.Zeros(w.regs, len(w.web))
	for i := range w.regs {
		w.regs[i] = -1
	}
	for k := range w.banks {
		clear(w.banks[k].busy)
		w.banks[k].busy, w.banks[k].own = w.banks[k].busy[:0], w.banks[k].own[:0]
	}
	w.turn = 0
	var x *web // at hand, which is of bank b and first live at from
	var b *bank
	var from int32
	fits := func(r int) bool { return w.fits(x, b, r, from) }
	for _, i := range w.order {
		w.Budget.Poll()
		x, from = &w.webs[i], w.begin[i]
		b = w.bank(x.file)
		n := limit(x.file)
		reg := w.pick(x, n, prefer, fits)
		if reg < 0 {
			return nil, fmt.Errorf("out of registers: %d are not enough", n)
		}
		for c := range 4 {
			// What is over may have been dropped from the front: what is behind is the bank's own.
			b.busy[reg][c], b.own[reg][c] = w.merge(b.busy[reg][c], x.busy[c], b.own[reg][c], false)
		}
		for m := x.first; m != none; m = w.next[m] {
			w.regs[m] = int32(reg)
		}
	}
	return w.regs, nil
}

// arrange sets the order in which webs are coloured, and where each begins, -1 where it is never
// live.
func (w *Webs) arrange() {
	w.order, w.begin = w.order[:0], slab.Zeros(w.begin, len(w.webs))
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

// pick is the register below n that x takes, of those that fit, or -1.
func (w *Webs) pick(x *web, n int, prefer func(v int32) int, fits func(r int) bool) int {
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

// members lists what is in x, as a hook needs them, in the memory of the last list.
func (w *Webs) members(x *web) []int32 {
	w.lent = w.lent[:0]
	for m := x.first; m != none; m = w.next[m] {
		w.lent = append(w.lent, m)
	}
	return w.lent
}

// fits reports whether x, which is first live at from, can have register r of b, given
// the registers that values have by now. It drops what is over by then from the lists of r,
// which keeps them short: webs are coloured in the order in which they begin. Pinned
// webs come first, out of that order, and drop nothing.
func (w *Webs) fits(x *web, b *bank, r int, from int32) bool {
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
		if x.pin == NoPin { // webs come in order: what is over by now does not matter any more
			*busy = (*busy)[over(*busy, from):]
		}
		if overlap(*busy, x.busy[c]) {
			return false
		}
	}
	return true
}

// bank is a register file: what its registers are busy with, by component. own tells
// which lists are the bank's, so that it may write to them.
type bank struct {
	file uint8
	busy [][4][]Span
	own  [][4]bool
}

// bank finds the one of a file.
func (w *Webs) bank(file uint8) *bank {
	for k := range w.banks {
		if w.banks[k].file == file {
			return &w.banks[k]
		}
	}
	w.banks = append(w.banks, bank{file: file})
	return &w.banks[len(w.banks)-1]
}
