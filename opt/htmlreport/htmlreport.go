// Package htmlreport writes a report as one self-contained HTML file. It has an index of the inputs
// with their savings, and for each input the programs before and after, with links between
// instructions of the same origin.
package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// entry is an input, or a part of one. ID is the anchor of the entry, unique on the page.
type entry struct {
	ID string
	// Label identifies the entry if its name is ambiguous: parts of different effects have equal
	// names.
	Label string
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

// verdict returns the verdict, or the empty string.
func (e *entry) verdict() string {
	if e.Judgement == nil {
		return ""
	}
	return e.Verdict().String()
}

// trusts returns a text about the evidence for the verdict.
func (e *entry) trusts() string {
	if e.Judgement == nil || len(e.Methods) == 0 {
		return ""
	}
	var compared []string
	for _, r := range e.Methods {
		compared = append(compared, methods[r])
	}
	text := fmt.Sprintf("The verdict is %s. The verifier compared %s", e.Verdict(), strings.Join(compared, ", "))
	if e.Epsilon > 0 {
		text += fmt.Sprintf("; the probability of an error is below %.0e", e.Epsilon)
	}
	if e.MaxULP > 0 {
		text += fmt.Sprintf("; results of executions differ by at most %d ulp", e.MaxULP)
	}
	return text + "."
}

// methods are the objects that each method of the verifier compares.
var methods = [...]string{verify.ByForm: "interfaces", verify.ByTerms: "terms",
	verify.ByExecution: "executions", verify.ByField: "values over the reals", verify.ByRounding: "rounding errors"}

// loads returns the work of each GPU's units in a draw, phones last.
func (e *entry) loads() (list []load) {
	for i, d := range slices.Concat(e.Draws, e.Phones) {
		before, after := d.Before, d.CurrentCost()
		most := max(before.Time, after.Time)
		if most == 0 {
			continue
		}
		l := load{Target: d.Target, Saved: "the same time"}
		if i >= len(e.Draws) {
			l.Target += ", a phone"
		}
		if a, b := before.Time, after.Time; a != b && a > 0 {
			l.Saved = fmt.Sprintf("%+.1f %% time", 100*(b/a-1))
		}
		for part, name := range gpuParts {
			x, y := before.Parts[name], after.Parts[name]
			if x != 0 || y != 0 {
				l.Units = append(l.Units, unit{part, [2]float64{x, y}, most, [2]bool{before.Bound == name, after.Bound == name}})
			}
		}
		list = append(list, l)
	}
	return list
}

// barLength is the length of a bar for a unit that is busy for the whole draw.
const barLength = 160

// gpuParts are the units of GPUs, named as in reports.
var gpuParts = [...]string{"arithmetic", "special functions", "interpolation", "texture", "vertex", "primitives", "output"}

// load is the work of a GPU's busy units for a pixel.
type load struct {
	Target, Saved string
	Units         []unit
}

// unit is the work of a unit, an index into gpuParts, before and after. Most is the larger time of the whole GPU.
type unit struct {
	Part   int
	Work   [2]float64
	Most   float64
	Limits [2]bool // the unit determines the time
}

// cost is a number before and after.
type cost struct {
	Name string
	shaderlift.Change
}

// Saved returns the relative change, in per cent.
func (c cost) Saved() string {
	if c.Before == 0 || c.Before == c.After {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(c.After)/float64(c.Before)-1))
}

// steps returns both numbers, or one if they are equal.
func (c cost) steps() string {
	if c.Before == c.After {
		return fmt.Sprint(c.Before)
	}
	return fmt.Sprintf("%d \u2192 %d", c.Before, c.After)
}

// stage is a program before and after. A compiled program of a kernel has grids instead of
// listings.
type stage struct {
	Name          string
	Before, After []line
	Changed       bool
	Grids         []grid
	Graphs        []*graph
}

// line is an instruction, with the keys of its origins, separated by blanks.
type line struct {
	shaderlift.Instruction
	Key   string
	Where string
}

// entryOf prepares a result and, recursively, its parts. id is its anchor.
func entryOf(id, label string, r *shaderlift.Result) entry {
	e := entry{ID: id, Label: label, Result: r, Costs: costsOf(r), Moves: drawn(r)}
	if asm.BuiltKernels {
		e.Figures, e.Occupancy, e.Course, e.Front = figuresOf(r.Kernel), occupancyOf(r.Kernel), courseOf(r.Kernel), frontOf(r)
	}
	// Programs of the entry are the first files, in order; included files follow (sources).
	from := sources{id, map[string]int{}, len(r.Programs)}
	for i, p := range r.Programs {
		from.index[p.Name] = i
	}
	for i, p := range r.Programs {
		s := stage{Name: local(p.Name)}
		for _, in := range p.Instructions {
			s.Before = append(s.Before, from.instructionLine(p.Name, in))
		}
		if i < len(r.Rewritten) {
			s.Changed = true
			for _, in := range r.Rewritten[i].Instructions {
				s.After = append(s.After, from.instructionLine(p.Name, in))
			}
		}
		e.Stages = append(e.Stages, s)
	}
	merge(e.Stages)
	for i := range e.Stages {
		s := &e.Stages[i]
		if s.Graphs = dataflow(s); asm.BuiltKernels {
			s.Grids = gridsOf(s)
		}
	}
	for i, p := range r.Parts {
		e.Parts = append(e.Parts, entryOf(fmt.Sprintf("%s-%d", id, i), label+", "+p.Name, p))
	}
	return e
}

// merge gives an instruction that does the work of several input instructions the keys of all of
// them.
func merge(stages []stage) {
	for i := range stages {
		for _, from := range stages[i].Before {
			for _, m := range from.Merged {
				to := &stages[m.Program].After[m.Index]
				to.Key = strings.TrimSpace(to.Key + " " + from.Key)
			}
		}
	}
}

// sources number the files from which the instructions of an entry come: its programs, and then
// included files. id is the entry's; index maps a file to its number.
type sources struct {
	id       string
	index    map[string]int
	programs int
}

// instructionLine returns an instruction of the program in file.
func (s *sources) instructionLine(file string, in shaderlift.Instruction) line {
	l := line{Instruction: in, Where: place(in.Line, in.Offset)}
	if l.Where == "" {
		return l
	}
	from, known := s.index[cmp.Or(in.From, file)]
	if !known {
		from = len(s.index)
		s.index[in.From] = from
	}
	// page.js highlights lines with the same key, before and after, together.
	l.Key = fmt.Sprintf("%s.%d.%s", s.id, from, l.Where)
	switch {
	case in.From == "":
	case from < s.programs:
		l.Where = "\u21a5 " + l.Where // from the other program
	default:
		l.Where = in.From + ":" + l.Where // from an included file
	}
	if in.Why != nil && in.Why.Plain() {
		l.Why = nil
	}
	return l
}

// place returns the text of a line number, or of an offset in bytecode.
func place(line, offset int) string {
	switch {
	case line > 0:
		return fmt.Sprint(line)
	case offset > 0:
		return fmt.Sprintf("+%#x", offset)
	}
	return ""
}

// costsOf returns the costs of a result and its parts, before and after.
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
	return append(list, lesser(r)...)
}

// lesser returns the changed costs among those that decide between equal slots.
func lesser(r *shaderlift.Result) (list []cost) {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		s := &r.Stages[i]
		before, after := s.Before, s.CurrentCost()
		add := func(name string, before, after int) {
			if before != after {
				list = append(list, cost{fmt.Sprint(s.Stage, " ", name), shaderlift.Change{Before: before, After: after}})
			}
		}
		add("temporaries", before.Temps, after.Temps)
		if s.Stage == d3d9.Pixel {
			add("interpolators", before.Interpolators, after.Interpolators)
			add("interpolated components", before.Components, after.Components)
		}
		add("texture read phases", before.TextureRuns, after.TextureRuns)
		if s.Host != nil {
			add("instructions on the CPU", s.Host.Before, s.Host.After)
		}
	}
	return list
}
