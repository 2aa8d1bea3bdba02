package htmlreport

import "slices"

// bar is one of a histogram: how many inputs save so much.
type bar struct {
	Label         string
	Count         int
	X, Y, Height  int
	TextX, CountY int
}

// The histogram's measures, in units of its picture.
const (
	barWidth   = 44
	barSpace   = 6
	plotHeight = 120
)

// savings are the columns of a histogram: nothing saved, and then by tenths.
var savings = [...]string{"none", "< 10 %", "< 20 %", "< 30 %", "< 40 %", "< 50 %", "\u2265 50 %"}

// histogram counts inputs by the part of their first cost that they save.
type histogram [len(savings)]int

// add counts an input with such costs, if it has any.
func (h *histogram) add(costs []cost) {
	if len(costs) == 0 || costs[0].Before == 0 {
		return
	}
	saved := 1 - float64(costs[0].After)/float64(costs[0].Before)
	// Tenths, upwards from the first column, which is for nothing saved.
	at := 0
	if saved > 0 {
		at = min(1+int(saved*10), len(h)-1)
	}
	h[at]++
}

// bars are what is drawn of h, nil if nothing was counted.
func (h *histogram) bars() (list []bar) {
	most := slices.Max(h[:])
	if most == 0 {
		return nil
	}
	for i, n := range h {
		height := n * plotHeight / most
		x := i * (barWidth + barSpace)
		list = append(list, bar{Label: savings[i], Count: n, X: x, Y: 20 + plotHeight - height, Height: height, TextX: x + barWidth/2, CountY: 14 + plotHeight - height})
	}
	return list
}

func (w *writer) histogram(bars []bar) {
	w.put("<figure>\n<svg role=\"img\" aria-label=\"how many inputs save how much\" viewBox=\"0 0 350 170\" width=\"525\" height=\"255\">\n")
	for _, b := range bars {
		w.put(`<rect x="%d" y="%d" width="44" height="%d" fill="#2f7bd1"/><text x="%d" y="%d" text-anchor="middle">%d</text><text x="%d" y="158" text-anchor="middle">%s</text>`+"\n",
			b.X, b.Y, b.Height, b.TextX, b.CountY, b.Count, b.TextX, b.Label)
	}
	w.put("</svg>\n<figcaption>Inputs by what they save of their first cost (pixel slots, or groups of kernels).</figcaption>\n</figure>\n")
}
