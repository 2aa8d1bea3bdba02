package htmlreport

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// clause is a clause of a compiled kernel, with its groups and fetches.
type clause struct {
	Number  int
	Entries []shaderlift.Instruction
}

// Fetches reports whether the clause reads memory instead of computing.
func (c *clause) Fetches() bool { return len(c.Entries[0].Units) == 0 }

// clausesOf returns the clauses of a listing, or nil if it has none.
func clausesOf(list []line) (clauses []clause) {
	// Only listings of machine code have cycles; others have no clauses.
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

// grid is the list of clauses of a named version of a program.
type grid struct {
	Name    string
	Clauses []clause
}

// gridsOf returns the grids of a program before and after, or nil if it has no clauses.
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

// figuresOf returns the costs of a kernel.
func figuresOf(k *shaderlift.KernelCosts) (list []figure) {
	if k == nil {
		return nil
	}
	a, b := k.Before, k.CurrentCost()
	add := func(name, format string, before, after any) {
		list = append(list, figure{name, fmt.Sprintf(format, before), fmt.Sprintf(format, after)})
	}
	add("groups", "%d", a.ALU, b.ALU)
	add("slots filled", "%.0f %%", 100*a.Utilization, 100*b.Utilization)
	add("fetches", "%d", a.Fetches, b.Fetches)
	add("ALU clauses", "%d", a.Clauses, b.Clauses)
	add("fetch clauses", "%d", a.FetchClauses, b.FetchClauses)
	add("registers", "%d", a.GPRs, b.GPRs)
	add("wavefronts per SIMD", "%d", a.Wavefronts, b.Wavefronts)
	if a.Domain != "" {
		add("cache hits", "%.0f %%", 100*a.CacheHit, 100*b.CacheHit)
		add("cycles of a launch over "+a.Domain, "%.0f", a.Cycles, b.Cycles)
		add("limited by", "%s", a.Bottleneck, b.Bottleneck)
	}
	return list
}

// The dimensions of the picture of occupancy: pixels for a register and for a wavefront.
const (
	registerWidth = 8
	waveHeight    = 6
	axis          = 34
	labelWidth    = 70 // of the longest label of a mark
	labelHeight   = 14
)

// occupancy is the number of wavefronts on a SIMD as a step function of a kernel's registers, with
// the positions of the kernel before and after.
type occupancy struct {
	Target        string
	Width, Height int
	Path          string
	Marks         []occupied
	TicksX        []tick
	TicksY        []tick
}

// tick is a label of an axis: its position and its number.
type tick struct{ At, Text int }

// occupied is a version of the kernel.
type occupied struct {
	Name        string
	GPRs, Waves int
	X, Y, TextY int
}

// occupancyOf returns the picture for k, or nil if the target is unknown.
func occupancyOf(k *shaderlift.KernelCosts) *occupancy {
	if k == nil {
		return nil
	}
	t, err := chip.ByName(k.Target)
	if err != nil {
		return nil
	}
	// At least 32 registers, in steps of 8, so that the pictures of small kernels are comparable.
	registers := max(32, (max(k.Before.GPRs, k.CurrentCost().GPRs)+7)/8*8)
	most := t.Resident(1)
	o := &occupancy{Target: k.Target, Width: axis + registers*registerWidth + labelWidth,
		Height: axis + most*waveHeight + axis}
	x := func(gprs int) int { return axis + gprs*registerWidth }
	y := func(waves int) int { return axis + (most-waves)*waveHeight }
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", x(0), y(most))
	for r := 1; r <= registers; r++ { // a version with r registers is between r-1 and r
		fmt.Fprintf(&path, "V%dH%d", y(t.Resident(r)), x(r))
	}
	o.Path = path.String()
	for r := 0; r <= registers; r += 8 {
		o.TicksX = append(o.TicksX, tick{x(r), r})
	}
	for w := 0; w <= most; w += max(1, most/4) {
		o.TicksY = append(o.TicksY, tick{y(w), w})
	}
	for i, c := range []shaderlift.KernelCost{k.Before, k.CurrentCost()} {
		m := occupied{Name: [...]string{"before", "after"}[i], GPRs: c.GPRs, Waves: t.Resident(c.GPRs)}
		m.X, m.Y = x(m.GPRs)-registerWidth/2, y(m.Waves)
		m.TextY = m.Y - 8
		o.Marks = append(o.Marks, m)
	}
	parted(&o.Marks[0], &o.Marks[1])
	return o
}

// parted moves the label of the left mark above the other label if they would overlap. Labels start
// above their marks and extend to the right, away from the falling curve.
func parted(left, right *occupied) {
	if left.X > right.X {
		left, right = right, left
	}
	if right.X-left.X < labelWidth && right.Y-left.Y < labelHeight {
		left.TextY = right.TextY - labelHeight
	}
}

func (w *writer) figures(list []figure) {
	w.writef(`<h2>Costs of the kernel</h2>
<table><thead><tr><td></td><th scope="col" class="n">before</th><th scope="col" class="n">after</th></tr></thead>
<tbody>`)
	for _, f := range list {
		w.writef("<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", f.Name, f.Before,
			f.After)
	}
	w.writef("</tbody></table>\n")
}

func (w *writer) occupancy(o *occupancy) {
	w.writef(`<figure><svg class="plot" role="img" aria-label="wavefronts by registers on %s" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", o.Target, o.Width, o.Height, o.Width, o.Height)
	for _, t := range o.TicksX {
		w.writef(`<text x="%d" y="%d" dy="-16" text-anchor="middle">%d</text>`, t.At, o.Height, t.Text)
	}
	w.writef(`<text x="%d" y="%d" dx="-4" dy="-4" text-anchor="end">registers</text>`+"\n", o.Width, o.Height)
	for _, t := range o.TicksY {
		w.writef(`<line x1="34" y1="%d" x2="%d" y2="%d"/><text x="28" y="%d" dy="4" text-anchor="end">%d</text>`, t.At,
			o.Width, t.At, t.At, t.Text)
	}
	w.writef("\n<path d=\"%s\"/>\n", o.Path)
	for _, m := range o.Marks {
		w.writef(`<circle cx="%d" cy="%d" r="4"/><text x="%d" y="%d">%s: %d</text>`+"\n", m.X, m.Y, m.X, m.TextY, m.Name,
			m.GPRs)
	}
	w.writef("</svg>\n<figcaption>How many wavefronts a SIMD of %s holds, by the registers of the kernel: ", o.Target)
	for i, m := range o.Marks {
		w.writef("%s%d %s", textIf(i > 0, ", "), m.Waves, m.Name)
	}
	w.writef(".</figcaption></figure>\n")
}

func (w *writer) writeGrid(input string, g *grid) {
	w.writef("<h3>%s</h3><section class=\"wide\" tabindex=\"0\" aria-label=\"groups of %s, in %s\"><table class=\"grid\">\n<thead><tr><th scope=\"col\" class=\"n\">clause</th><th scope=\"col\" class=\"n\">no.</th>", g.Name, g.Name, input)
	for _, unit := range "xyzwt" {
		w.writef(`<th scope="col">%s</th>`, string(unit))
	}
	w.writef("</tr></thead>\n")
	for _, c := range g.Clauses {
		w.writef("<tbody>")
		for i, e := range c.Entries {
			w.writef("<tr>")
			if i == 0 {
				w.writef(`<th scope="rowgroup" class="n" rowspan="%d">%d</th>`, len(c.Entries), c.Number)
			}
			w.writef(`<td class="n">%d</td>`, e.Number)
			if c.Fetches() {
				w.writef(`<td colspan="5">%s</td>`, e.Text)
			}
			for _, u := range e.Units {
				w.writef(`<td%s>%s</td>`, textIf(u == "", ` class="free"`), u)
			}
			w.writef("</tr>\n")
		}
		w.writef("</tbody>\n")
	}
	w.writef("</table></section>\n")
}
