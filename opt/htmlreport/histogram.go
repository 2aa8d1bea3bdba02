package htmlreport

import "slices"

// bar is a bar of a histogram: the number of inputs with a range of savings.
type bar struct {
	Label         string
	Count         int
	X, Y, Height  int
	TextX, CountY int
}

// The histogram's dimensions, in units of its picture.
const (
	barWidth   = 44
	barSpace   = 6
	plotHeight = 120
)

// savings are the columns of a histogram: nothing saved, and then tenths.
var savings = [...]string{"none", "< 10 %", "< 20 %", "< 30 %", "< 40 %", "< 50 %", "\u2265 50 %"}

// histogram counts inputs by the relative saving of their first cost.
type histogram [len(savings)]int

// add counts an input by its costs, if it has any.
func (h *histogram) add(costs []cost) {
	if len(costs) == 0 || costs[0].Before == 0 {
		return
	}
	saved := 1 - float64(costs[0].After)/float64(costs[0].Before)
	// Tenths, after the first column, which means nothing saved.
	at := 0
	if saved > 0 {
		at = min(1+int(saved*10), len(h)-1)
	}
	h[at]++
}

// bars returns the bars of h, or nil if nothing was counted.
func (h *histogram) bars() (list []bar) {
	most := slices.Max(h[:])
	if most == 0 {
		return nil
	}
	for i, n := range h {
		height := n * plotHeight / most
		x := i * (barWidth + barSpace)
		list = append(list, bar{Label: savings[i], Count: n, X: x, Y: 20 + plotHeight - height, Height: height,
			TextX: x + barWidth/2, CountY: 14 + plotHeight - height})
	}
	return list
}

func (w *writer) histogram(bars []bar) {
	w.writef("<figure>\n<svg role=\"img\" aria-label=\"number of inputs by their savings\" viewBox=\"0 0 350 170\" width=\"350\" height=\"170\">\n")
	for _, b := range bars {
		w.writef(`<rect x="%d" y="%d" width="44" height="%d" fill="#2f7bd1"/><text x="%d" y="%d" text-anchor="middle">%d</text><text x="%d" y="158" text-anchor="middle">%s</text>`+"\n",
			b.X, b.Y, b.Height, b.TextX, b.CountY, b.Count, b.TextX, b.Label)
	}
	w.writef("</svg>\n<figcaption>Number of inputs by their savings in the first cost (pixel slots, or instruction groups of kernels).</figcaption>\n</figure>\n")
}
