// Package htmlreport writes a report as one file of HTML that needs nothing else: an index of
// the inputs with what was saved, and of each the programs before and after, instruction by
// instruction, linked by where instructions come from.
package htmlreport

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// Write writes r, whose results may have the programs that [shaderlift.Explain] lists; of
// others there are costs and remarks alone. Of those that are in draws a draw is shown.
func Write(w io.Writer, r *shaderlift.Report, draws Draws) error {
	v := view{Version: r.Version, Pipeline: r.Pipeline, Totals: r.Totals, Histogram: histogram(r)}
	if len(r.Results) == 1 {
		v.Pipeline = cmp.Or(r.Results[0].Pipeline, v.Pipeline) // kernels have levels of their own
	}
	for i, res := range r.Results {
		e := entryOf(fmt.Sprintf("r%d", i), res)
		e.Draw = draws[res]
		e.Open = len(r.Results) == 1
		v.Results = append(v.Results, e)
	}
	var b writer
	b.page(&v)
	_, err := b.WriteTo(w)
	return err
}

// view is what the page shows, in the order in which it shows it.
type view struct {
	Version, Pipeline string
	Totals            shaderlift.Totals
	Results           []entry
	Histogram         []bar
}

// entry is an input, or a part of one. That of a report of one input is open.
// ID is the anchor of the entry, unique on the page.
type entry struct {
	ID   string
	Open bool
	*shaderlift.Result
	Costs     []cost
	Figures   []figure // of a kernel
	Occupancy *occupancy
	Course    *course
	Front     *front
	Moves     *scene
	Draw      *Draw
	Stages    []stage
	Parts     []entry
}

// verdict is empty where there is none.
func (e *entry) verdict() string {
	if e.Judgement == nil {
		return ""
	}
	return e.Verdict().String()
}

// trusts says what the verdict rests on.
func (e *entry) trusts() string {
	if e.Judgement == nil || len(e.Rungs) == 0 {
		return ""
	}
	text := fmt.Sprintf("That both are the same is %s, by %s", e.Verdict(), strings.Trim(fmt.Sprint(e.Rungs), "[]"))
	if e.Epsilon > 0 {
		text += fmt.Sprintf("; it is wrong with a probability below %.0e", e.Epsilon)
	}
	if e.MaxULP > 0 {
		text += fmt.Sprintf("; where both were run they were %d ulp apart at most", e.MaxULP)
	}
	return text + "."
}

// loads are what the parts of each GPU have to do in a draw.
func (e *entry) loads() (list []load) {
	for _, d := range e.Draws {
		most := max(d.Before.Time, d.Now().Time)
		if most == 0 {
			continue
		}
		l := load{Target: d.Target, Before: d.Before.Bound, After: d.Now().Bound}
		for part := range gpuParts {
			before, after := d.Before.Parts[gpuParts[part]], d.Now().Parts[gpuParts[part]]
			l.Bars[0][part], l.Bars[1][part] = barLength*before/most, barLength*after/most
		}
		if a, b := d.Before.Time, d.Now().Time; a != b && a > 0 {
			l.Saved = fmt.Sprintf("%+.1f %%", 100*(b/a-1))
		}
		list = append(list, l)
	}
	return list
}

// barLength is that of a bar for what takes as long as the draw.
const barLength = 160

// gpuParts are the parts of GPUs that are shown, as reports call them.
var gpuParts = [...]string{"arithmetic", "special functions", "texture", "vertex", "primitives", "output"}

// load is what a GPU has to do: the lengths of a bar for each part, before and after, and what
// it waits for.
type load struct {
	Target, Before, After, Saved string
	Bars                         [2][len(gpuParts)]float64
}

// cost is a number before and after.
type cost struct {
	Name string
	shaderlift.Change
}

// Saved is the part that is saved, in per cent.
func (c cost) Saved() string {
	if c.Before == 0 || c.Before == c.After {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(c.After)/float64(c.Before)-1))
}

// stage is a program before and after; of a program that a compiler might make of a kernel there
// are grids instead of listings.
type stage struct {
	Name          string
	Before, After []line
	Changed       bool
	Grids         []grid
	Graphs        []*graph
}

// line is an instruction, with the key that tells what it comes from.
type line struct {
	shaderlift.Instruction
	Key   string
	Where string
}

// entryOf prepares a result and, recursively, its parts. id is its anchor.
func entryOf(id string, r *shaderlift.Result) entry {
	e := entry{ID: id, Result: r, Costs: costsOf(r), Figures: figuresOf(r.Kernel), Occupancy: occupancyOf(r.Kernel), Course: courseOf(r.Kernel), Front: frontOf(r), Moves: drawn(r)}
	// Programs of the entry are the first files, in their order; what they include follows
	// (sources).
	from := sources{id, map[string]int{}, len(r.Programs)}
	for i, p := range r.Programs {
		from.index[p.Name] = i
	}
	for i, p := range r.Programs {
		s := stage{Name: p.Name}
		for _, in := range p.Instructions {
			s.Before = append(s.Before, from.line(p.Name, in))
		}
		if i < len(r.Rewritten) {
			s.Changed = true
			for _, in := range r.Rewritten[i].Instructions {
				s.After = append(s.After, from.line(p.Name, in))
			}
		}
		s.Grids, s.Graphs = gridsOf(&s), dataflow(&s)
		e.Stages = append(e.Stages, s)
	}
	for i, p := range r.Parts {
		e.Parts = append(e.Parts, entryOf(fmt.Sprintf("%s-%d", id, i), p))
	}
	return e
}

// sources number the files that the instructions of an entry come from: those of its
// programs, and then what these include.
// id is the entry's; index is the number of a file, programs of the entry before included ones.
type sources struct {
	id       string
	index    map[string]int
	programs int
}

// line is an instruction of the program in file.
func (s *sources) line(file string, in shaderlift.Instruction) line {
	l := line{Instruction: in, Where: place(in.Line, in.Offset)}
	if l.Where == "" {
		return l
	}
	from, known := s.index[cmp.Or(in.From, file)]
	if !known {
		from = len(s.index)
		s.index[in.From] = from
	}
	// Lines with the same key, before and after, are highlighted together by page.js.
	l.Key = fmt.Sprintf("%s.%d.%s", s.id, from, l.Where)
	switch {
	case in.From == "":
	case from < s.programs:
		l.Where = "\u21a5 " + l.Where // from the other program
	default:
		l.Where = in.From + ":" + l.Where // included
	}
	if in.Why != nil && in.Why.Plain() {
		l.Why = nil
	}
	return l
}

// place is a line of a text, or an offset in bytecode.
func place(line, offset int) string {
	switch {
	case line > 0:
		return fmt.Sprint(line)
	case offset > 0:
		return fmt.Sprintf("+%#x", offset)
	}
	return ""
}

// costsOf are the costs of a result and its parts, before and after.
func costsOf(r *shaderlift.Result) []cost {
	var t shaderlift.Totals
	t.Add(r)
	var list []cost
	for _, c := range []struct {
		name   string
		change *shaderlift.Change
	}{{"pixel slots", t.PixelSlots}, {"vertex slots", t.VertexSlots}, {"groups", t.ALU}, {"cycles", t.Cycles}} {
		if c.change != nil {
			list = append(list, cost{c.name, *c.change})
		}
	}
	return list
}

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

// histogram counts inputs by the part of their first cost that they save: nothing, and then
// by tenths.
func histogram(r *shaderlift.Report) []bar {
	labels := []string{"none", "< 10 %", "< 20 %", "< 30 %", "< 40 %", "< 50 %", "\u2265 50 %"}
	counts := make([]int, len(labels))
	most := 0
	for _, res := range r.Results {
		list := costsOf(res)
		if len(list) == 0 || list[0].Before == 0 {
			continue
		}
		saved := 1 - float64(list[0].After)/float64(list[0].Before)
		// Tenths, upwards from the first column, which is for nothing saved.
		at := 0
		if saved > 0 {
			at = min(1+int(saved*10), len(labels)-1)
		}
		counts[at]++
		most = max(most, counts[at])
	}
	if len(r.Results) < 2 || most == 0 {
		return nil
	}
	var bars []bar
	for i, n := range counts {
		h := n * plotHeight / most
		x := i * (barWidth + barSpace)
		bars = append(bars, bar{Label: labels[i], Count: n, X: x, Y: 20 + plotHeight - h, Height: h, TextX: x + barWidth/2, CountY: 14 + plotHeight - h})
	}
	return bars
}
