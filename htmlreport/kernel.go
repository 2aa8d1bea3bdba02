package htmlreport

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// clause is a clause of the program that a compiler might make of a kernel, with its groups and
// fetches.
type clause struct {
	Number  int
	Entries []shaderlift.Instruction
}

// Fetches tells that the clause reads memory and does not compute.
func (c *clause) Fetches() bool { return len(c.Entries[0].Units) == 0 }

// clausesOf are the clauses of a listing, none of what is not one.
func clausesOf(list []line) (clauses []clause) {
	// Only listings of the machine's language have cycles; others have no clauses.
	for _, in := range list {
		if in.Cycles == 0 {
			return nil
		}
		i := in.Instruction
		_, i.Text, _ = strings.Cut(strings.TrimSpace(i.Text), "  ") // the number is in Number
		if n := len(clauses); n == 0 || clauses[n-1].Number != in.Clause {
			clauses = append(clauses, clause{Number: in.Clause})
		}
		c := &clauses[len(clauses)-1]
		c.Entries = append(c.Entries, i)
	}
	return clauses
}

// grid are the clauses of a version of a program, by name.
type grid struct {
	Name    string
	Clauses []clause
}

// gridsOf are those of a program before and after, none if it has no clauses.
func gridsOf(s *stage) (list []grid) {
	for _, side := range []struct {
		name  string
		lines []line
	}{{"before", s.Before}, {"after", s.After}} {
		if c := clausesOf(side.lines); c != nil {
			list = append(list, grid{s.Name + ", " + side.name, c})
		}
	}
	return list
}

// figure is a number of a kernel, before and after.
type figure struct{ Name, Before, After string }

// figuresOf are what a kernel costs.
func figuresOf(k *shaderlift.KernelCosts) (list []figure) {
	if k == nil {
		return nil
	}
	a, b := k.Before, k.Now()
	add := func(name, format string, before, after any) {
		list = append(list, figure{name, fmt.Sprintf(format, before), fmt.Sprintf(format, after)})
	}
	add("groups", "%d", a.ALU, b.ALU)
	add("slots filled", "%.0f %%", 100*a.Utilization, 100*b.Utilization)
	add("fetches", "%d", a.Fetches, b.Fetches)
	add("clauses of groups", "%d", a.Clauses, b.Clauses)
	add("clauses of fetches", "%d", a.FetchClauses, b.FetchClauses)
	add("registers", "%d", a.GPRs, b.GPRs)
	add("wavefronts that they have room for", "%d", a.Wavefronts, b.Wavefronts)
	if a.Domain != "" {
		add("requests that the cache has", "%.0f %%", 100*a.CacheHit, 100*b.CacheHit)
		add("cycles of a launch over "+a.Domain, "%.0f", a.Cycles, b.Cycles)
		add("limited by", "%s", a.Bottleneck, b.Bottleneck)
	}
	return list
}

// The measures of the picture of occupancy: pixels for a register and for a wavefront.
const (
	registerWidth = 8
	waveHeight    = 6
	axis          = 34
	labelWidth    = 70 // of the longest label of a mark
	labelHeight   = 14
)

// occupancy is how many wavefronts a SIMD holds by the registers of a kernel, as steps, and where
// the kernel stands before and after.
type occupancy struct {
	Target        string
	Width, Height int
	Path          string
	Marks         []occupied
	TicksX        []tick
	TicksY        []tick
}

// tick is a label of an axis: its place and its number.
type tick struct{ At, Text int }

// occupied is a version of the kernel.
type occupied struct {
	Name        string
	GPRs, Waves int
	X, Y, TextY int
}

// occupancyOf is nil where the target is not known.
func occupancyOf(k *shaderlift.KernelCosts) *occupancy {
	if k == nil {
		return nil
	}
	t, err := chip.ByName(k.Target)
	if err != nil {
		return nil
	}
	// At least 32 registers, in steps of 8, so that small kernels look alike.
	registers := max(32, (max(k.Before.GPRs, k.Now().GPRs)+7)/8*8)
	most := t.Resident(1)
	o := &occupancy{Target: k.Target, Width: axis + registers*registerWidth + labelWidth, Height: axis + most*waveHeight + axis}
	x := func(gprs int) int { return axis + gprs*registerWidth }
	y := func(waves int) int { return axis + (most-waves)*waveHeight }
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", x(0), y(most))
	for r := 1; r <= registers; r++ { // r of them lie between r-1 and r
		fmt.Fprintf(&path, "V%dH%d", y(t.Resident(r)), x(r))
	}
	o.Path = path.String()
	for r := 0; r <= registers; r += 8 {
		o.TicksX = append(o.TicksX, tick{x(r), r})
	}
	for w := 0; w <= most; w += max(1, most/4) {
		o.TicksY = append(o.TicksY, tick{y(w), w})
	}
	for i, c := range []shaderlift.KernelCost{k.Before, k.Now()} {
		m := occupied{Name: [...]string{"before", "after"}[i], GPRs: c.GPRs, Waves: t.Resident(c.GPRs)}
		m.X, m.Y = x(m.GPRs)-registerWidth/2, y(m.Waves)
		m.TextY = m.Y - 8
		o.Marks = append(o.Marks, m)
	}
	parted(&o.Marks[0], &o.Marks[1])
	return o
}

// parted moves the label of the mark on the left a line above the other one where they would
// overlap. Labels begin above their marks and go to the right, where no curve that falls is.
func parted(left, right *occupied) {
	if left.X > right.X {
		left, right = right, left
	}
	if right.X-left.X < labelWidth && right.Y-left.Y < labelHeight {
		left.TextY = right.TextY - labelHeight
	}
}

func (w *writer) figures(list []figure) {
	w.put(`<h2>What the kernel takes</h2>
<table><thead><tr><td></td><th scope="col" class="n">before</th><th scope="col" class="n">after</th></tr></thead>
<tbody>`)
	for _, f := range list {
		w.put("<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", f.Name, f.Before, f.After)
	}
	w.put("</tbody></table>\n")
}

func (w *writer) occupancy(o *occupancy) {
	w.put(`<figure><svg class="plot" role="img" aria-label="wavefronts by registers on %s" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", o.Target, o.Width, o.Height, o.Width, o.Height)
	for _, t := range o.TicksX {
		w.put(`<text x="%d" y="%d" dy="-16" text-anchor="middle">%d</text>`, t.At, o.Height, t.Text)
	}
	w.put(`<text x="%d" y="%d" dx="-4" dy="-4" text-anchor="end">registers</text>`+"\n", o.Width, o.Height)
	for _, t := range o.TicksY {
		w.put(`<line x1="34" y1="%d" x2="%d" y2="%d"/><text x="28" y="%d" dy="4" text-anchor="end">%d</text>`, t.At, o.Width, t.At, t.At, t.Text)
	}
	w.put("\n<path d=\"%s\"/>\n", o.Path)
	for _, m := range o.Marks {
		w.put(`<circle cx="%d" cy="%d" r="4"/><text x="%d" y="%d">%s: %d</text>`+"\n", m.X, m.Y, m.X, m.TextY, m.Name, m.GPRs)
	}
	w.put("</svg>\n<figcaption>How many wavefronts a SIMD of %s holds, by the registers of the kernel: ", o.Target)
	for i, m := range o.Marks {
		w.put("%s%d %s", when(i > 0, ", "), m.Waves, m.Name)
	}
	w.put(".</figcaption></figure>\n")
}

func (w *writer) grid(input string, g *grid) {
	w.put("<h3>%s</h3><section class=\"wide\" tabindex=\"0\" aria-label=\"groups of %s, in %s\"><table class=\"grid\">\n<thead><tr><th scope=\"col\" class=\"n\">clause</th><th scope=\"col\" class=\"n\">no.</th>", g.Name, g.Name, input)
	for _, unit := range "xyzwt" {
		w.put(`<th scope="col">%s</th>`, string(unit))
	}
	w.put("</tr></thead>\n")
	for _, c := range g.Clauses {
		w.put("<tbody>")
		for i, e := range c.Entries {
			w.put("<tr>")
			if i == 0 {
				w.put(`<th scope="rowgroup" class="n" rowspan="%d">%d</th>`, len(c.Entries), c.Number)
			}
			w.put(`<td class="n">%d</td>`, e.Number)
			if c.Fetches() {
				w.put(`<td colspan="5">%s</td>`, e.Text)
			}
			for _, u := range e.Units {
				w.put(`<td%s>%s</td>`, when(u == "", ` class="free"`), u)
			}
			w.put("</tr>\n")
		}
		w.put("</tbody>\n")
	}
	w.put("</table></section>\n")
}
