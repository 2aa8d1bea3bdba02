package shaderlift

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// ReadReport reads the JSON form of a report, of the file name.
func ReadReport(name string, data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, asm.Errorf(placeOf(err, name, data), "bad-report", "this is no report: %v", err)
	}
	if r.Schema != Schema {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "this is no report of schema %d: its schema is %d", Schema, r.Schema)
	}
	if why := unsound(r.Results); why != "" {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "this is no report: %s", why)
	}
	return r, nil
}

// mostCycles is far above what any launch takes, and sums of it fit an int.
const mostCycles = 1e15

// unsound names something in results that no run leaves there, "" if there is nothing. Reports are
// read from files, so they may say anything.
func unsound(results []*Result) string {
	for _, r := range results {
		if r == nil {
			return "a result is null"
		}
		if k := r.Kernel; k != nil && !(k.Now().Cycles >= 0 && k.Now().Cycles <= mostCycles) {
			return fmt.Sprintf("%s takes %g cycles", r.Input, k.Now().Cycles)
		}
		if why := unsound(r.Parts); why != "" {
			return why
		}
	}
	return ""
}

// placeOf is where in data an error of package json was met.
func placeOf(err error, name string, data []byte) asm.Pos {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := 0
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	default:
		return asm.Pos{File: name}
	}
	read := data[:min(max(at-1, 0), len(data))]
	return asm.Pos{File: name, Line: 1 + bytes.Count(read, []byte("\n")), Col: len(read) - bytes.LastIndexByte(read, '\n')}
}

// Comparison is how the programs of one report differ from the same ones of another, in the
// terms of Mesa's shader-db (its report.py).
type Comparison struct {
	Measures []Measure `json:"measures"`
	// Lost are the inputs that have a result in the first report alone, Gained those that
	// have one in the second alone. A failed input has none.
	Lost   []string `json:"lost"`
	Gained []string `json:"gained"`
}

// Measure is one cost of the programs that both reports have.
type Measure struct {
	Name     string `json:"name"`
	Programs int    `json:"programs"`
	Total    Change `json:"total"`
	Helped   Side   `json:"helped"`
	Hurt     Side   `json:"hurt"`
	// Median and GeometricMean are of after/before, over all programs that cost anything in
	// both reports.
	Median        float64 `json:"median"`
	GeometricMean float64 `json:"geometric_mean"`
}

// Side are the programs that cost less in the second report, or those that cost more.
type Side struct {
	Programs []Affected `json:"programs"` // the most affected first
	Total    Change     `json:"total"`
	Absolute Spread     `json:"absolute"` // of after-before
	Relative Spread     `json:"relative"` // of after/before-1, where there is anything before
}

// Affected is a program that costs something else in the second report.
type Affected struct {
	Program string `json:"program"`
	Change
}

// Spread is how numbers are spread, by their amounts. It is zero if there are none.
type Spread struct {
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
}

// measures are the costs that are compared, as they are after a run.
var measures = []struct {
	name string
	of   func(*Result) (int, bool)
}{
	{"pixel slots", ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Slots })},
	{"pixel temporaries", ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Temps })},
	{"interpolators", ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Interpolators })},
	{"vertex slots", ofStage(d3d9.Vertex, func(c d3d9.Cost) int { return c.Slots })},
	{"vertex temporaries", ofStage(d3d9.Vertex, func(c d3d9.Cost) int { return c.Temps })},
	{"groups", ofKernel(func(c KernelCost) int { return c.ALU })},
	{"fetch clauses", ofKernel(func(c KernelCost) int { return c.FetchClauses })},
	{"registers", ofKernel(func(c KernelCost) int { return c.GPRs })},
	{"cycles", ofKernel(func(c KernelCost) int { return int(math.Round(c.Cycles)) })},
}

func ofStage(stage d3d9.Stage, of func(d3d9.Cost) int) func(*Result) (int, bool) {
	return func(r *Result) (int, bool) {
		i := slices.IndexFunc(r.Stages, func(s StageCosts) bool { return s.Stage == stage })
		if i < 0 {
			return 0, false
		}
		return of(r.Stages[i].Now()), true
	}
}

func ofKernel(of func(KernelCost) int) func(*Result) (int, bool) {
	return func(r *Result) (int, bool) {
		if r.Kernel == nil {
			return 0, false
		}
		return of(r.Kernel.Now()), true
	}
}

// Compare compares what the programs cost in two reports: of a run of [Optimize] what they
// cost after it, of [Stats] what they cost. Inputs of the same path are the same; if there
// are none, those of the same path below the folder that all inputs of their report are in.
// The names of programs are paths below the folder they have in common.
func Compare(before, after *Report) *Comparison {
	// Paths of both reports are first taken from one folder; if no input is in both then, each
	// report has its own.
	folder := folderOf(slices.Concat(before.Results, after.Results))
	old, now := programsOf(before, folder), programsOf(after, folder)
	if !old.meets(now) {
		old, now = programsOf(before, folderOf(before.Results)), programsOf(after, folderOf(after.Results))
	}
	c := &Comparison{Measures: []Measure{}, Lost: old.without(now), Gained: now.without(old)}
	for _, m := range measures {
		found := Measure{Name: m.name}
		var ratios []float64
		var helped, hurt []Affected
		for _, o := range old.list {
			n := now.by[o.name]
			if n == nil {
				continue
			}
			first, known := m.of(o.Result)
			second, still := m.of(n)
			if !known || !still {
				continue
			}
			found.Programs++
			found.Total.add(first, second)
			if first > 0 && second > 0 {
				ratios = append(ratios, float64(second)/float64(first))
			}
			switch {
			case second < first:
				helped = append(helped, Affected{o.name, Change{first, second}})
			case second > first:
				hurt = append(hurt, Affected{o.name, Change{first, second}})
			}
		}
		if found.Programs == 0 {
			continue
		}
		found.Helped, found.Hurt = sideOf(helped), sideOf(hurt)
		found.Median, found.GeometricMean = 1, 1
		if len(ratios) > 0 {
			slices.Sort(ratios)
			found.Median, found.GeometricMean = median(ratios), geometricMean(ratios)
		}
		c.Measures = append(c.Measures, found)
	}
	return c
}

func (c *Change) add(before, after int) {
	c.Before += before
	c.After += after
}

// relative is after/before-1, and not known where there is nothing before.
func (c Change) relative() (float64, bool) {
	return float64(c.After)/float64(c.Before) - 1, c.Before != 0
}

// sideOf orders programs by their relative change, the largest first.
func sideOf(list []Affected) Side {
	s := Side{Programs: append([]Affected{}, list...)}
	slices.SortStableFunc(s.Programs, func(a, b Affected) int {
		ra, _ := a.relative()
		rb, _ := b.relative()
		return cmp.Compare(math.Abs(rb), math.Abs(ra))
	})
	var absolute, relative []float64
	for _, p := range list {
		s.Total.add(p.Before, p.After)
		absolute = append(absolute, float64(p.After-p.Before))
		if r, known := p.relative(); known {
			relative = append(relative, r)
		}
	}
	s.Absolute, s.Relative = spreadOf(absolute), spreadOf(relative)
	return s
}

// spreadOf is the spread of numbers of one sign.
func spreadOf(list []float64) Spread {
	if len(list) == 0 {
		return Spread{}
	}
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return Spread{Least: list[0], Most: list[len(list)-1], Mean: sum / float64(len(list)), Median: median(list)}
}

// programSet are the programs and pairs of a report that did not fail, those of effects
// part by part, by what tells them apart.
type programSet struct {
	list []compared
	by   map[string]*Result
}

type compared struct {
	name string
	*Result
}

// programsOf names the programs of r by their paths below folder; of those that have the
// same the second is #2.
func programsOf(r *Report, folder string) programSet {
	set, times := programSet{by: map[string]*Result{}}, map[string]int{}
	var add func(results []*Result)
	add = func(results []*Result) {
		for _, res := range results {
			if len(res.Parts) > 0 {
				add(res.Parts)
				continue
			}
			if res.Status == Failed {
				continue
			}
			name := within(folder, res.Input)
			if times[name]++; times[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, times[name])
			}
			set.list = append(set.list, compared{name, res})
			set.by[name] = res
		}
	}
	add(r.Results)
	return set
}

// meets reports whether a program is in both sets.
func (a programSet) meets(b programSet) bool {
	return slices.ContainsFunc(a.list, func(n compared) bool { return b.by[n.name] != nil })
}

// without are the programs of a that b lacks.
func (a programSet) without(b programSet) []string {
	names := []string{}
	for _, n := range a.list {
		if b.by[n.name] == nil {
			names = append(names, n.name)
		}
	}
	return names
}

// folderOf is the folder that all files of the inputs are in, with a slash behind it.
func folderOf(results []*Result) string {
	var folder string
	first := true
	for _, res := range results {
		for file := range strings.SplitSeq(res.Input, ",") {
			if first {
				folder, first = file, false
			}
			n := 0
			for n < min(len(folder), len(file)) && folder[n] == file[n] {
				n++
			}
			folder = folder[:strings.LastIndexAny(folder[:n], `/\`)+1]
		}
	}
	return folder
}

// within is an input's path below folder.
func within(folder, input string) string {
	files := strings.Split(input, ",")
	for i, f := range files {
		if len(f) >= len(folder) {
			files[i] = f[len(folder):]
		}
	}
	return strings.Join(files, ",")
}

// median is that of a list that is in order, and not empty.
func median(list []float64) float64 {
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func geometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
