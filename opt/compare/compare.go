// Package compare compares the costs of programs in two reports, in the terms of Mesa's shader-db (its
// report.py): the programs that were helped or hurt, the amounts, and the sums.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/stat"
)

// Comparison is the difference between two reports on the same programs.
type Comparison struct {
	Measures []Measure `json:"measures"`
	// Lost are the inputs with a result in the first report only, Gained those with a result in the
	// second only. A failed input has no result.
	Lost   []string `json:"lost"`
	Gained []string `json:"gained"`
}

// Measure is one cost, over the programs in both reports.
type Measure struct {
	Name     string `json:"name"`
	Programs int    `json:"programs"`
	Total    Change `json:"total"`
	Helped   Side   `json:"helped"`
	Hurt     Side   `json:"hurt"`
	// Median and GeometricMean are averages of after/before, over all programs with positive costs in
	// both reports.
	Median        float64 `json:"median"`
	GeometricMean float64 `json:"geometric_mean"`
}

// Change is a cost before and after.
type Change struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Side lists the programs that cost less in the second report, or the programs that cost more.
type Side struct {
	Programs []Affected `json:"programs"` // the most affected first
	Total    Change     `json:"total"`
	Absolute Spread     `json:"absolute"` // of after-before
	Relative Spread     `json:"relative"` // of after/before-1, if before is not 0
}

// Affected is a program whose cost changed.
type Affected struct {
	Program string `json:"program"`
	Change
}

// Spread is the distribution of numbers by magnitude. It is zero without numbers.
type Spread struct {
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
}

// cost is a cost to compare, after a run. of reports whether a result has it. Costs of kernels belong
// to the GPUs of both reports.
type cost struct {
	name string
	of   func(*shaderlift.Result) (float64, bool)
	gpus [2]string
}

var (
	stageCosts = []cost{
		{name: "pixel slots", of: ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Slots })},
		{name: "pixel temporaries", of: ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Temps })},
		{name: "interpolators", of: ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Interpolators })},
		{name: "interpolated components", of: ofStage(d3d9.Pixel, func(c d3d9.Cost) int { return c.Components })},
		{name: "vertex slots", of: ofStage(d3d9.Vertex, func(c d3d9.Cost) int { return c.Slots })},
		{name: "vertex temporaries", of: ofStage(d3d9.Vertex, func(c d3d9.Cost) int { return c.Temps })},
	}
	kernelCosts = []cost{
		{name: "groups", of: ofKernel(func(c shaderlift.KernelCost) float64 { return float64(c.ALU) })},
		{name: "fetch clauses", of: ofKernel(func(c shaderlift.KernelCost) float64 { return float64(c.FetchClauses) })},
		{name: "registers", of: ofKernel(func(c shaderlift.KernelCost) float64 { return float64(c.GPRs) })},
		{name: "cycles", of: ofKernel(func(c shaderlift.KernelCost) float64 { return math.Round(c.Cycles) })},
	}
)

// costsOf returns the costs that programs may have: of draws for each GPU with prices, and of kernels
// for the GPUs of both reports. Names include the GPUs unless all kernels have the same.
func costsOf(programs, later programSet) []cost {
	list := slices.Clone(stageCosts)
	seen := map[string]bool{}
	for _, p := range programs.list {
		for _, d := range p.Draws {
			if !seen[d.Target] {
				seen[d.Target] = true
				list = append(list, cost{name: "time on " + d.Target, of: ofDraw(d.Target)})
			}
		}
	}
	var pairs [][2]string
	for _, p := range programs.list {
		if gpus := gpusOf(p.Result, later.by[p.name]); gpus != [2]string{} && !slices.Contains(pairs, gpus) {
			pairs = append(pairs, gpus)
		}
	}
	for _, gpus := range pairs {
		where := ""
		switch {
		case gpus[0] != gpus[1]:
			where = fmt.Sprintf(" (%s, then %s)", gpus[0], gpus[1])
		case len(pairs) > 1:
			where = " on " + gpus[0]
		}
		for _, c := range kernelCosts {
			c.name, c.gpus = c.name+where, gpus
			list = append(list, c)
		}
	}
	return list
}

// gpusOf returns the GPUs of two results of a kernel, and no names for other programs.
func gpusOf(before, after *shaderlift.Result) (gpus [2]string) {
	if after != nil && before.Kernel != nil && after.Kernel != nil {
		gpus = [2]string{before.Kernel.Target, after.Kernel.Target}
	}
	return gpus
}

func ofStage(stage d3d9.Stage, of func(d3d9.Cost) int) func(*shaderlift.Result) (float64, bool) {
	return func(r *shaderlift.Result) (float64, bool) {
		i := slices.IndexFunc(r.Stages, func(s shaderlift.StageCosts) bool { return s.Stage == stage })
		if i < 0 {
			return 0, false
		}
		return float64(of(r.Stages[i].CurrentCost())), true
	}
}

func ofDraw(target string) func(*shaderlift.Result) (float64, bool) {
	return func(r *shaderlift.Result) (float64, bool) {
		i := slices.IndexFunc(r.Draws, func(d shaderlift.DrawCosts) bool { return d.Target == target })
		if i < 0 {
			return 0, false
		}
		return r.Draws[i].CurrentCost().Time, true
	}
}

func ofKernel(of func(shaderlift.KernelCost) float64) func(*shaderlift.Result) (float64, bool) {
	return func(r *shaderlift.Result) (float64, bool) {
		if r.Kernel == nil {
			return 0, false
		}
		return of(r.Kernel.CurrentCost()), true
	}
}

// Reports compares the costs of programs in two reports. The cost in a run of [shaderlift.Optimize] is
// the one after optimization. Inputs match by path. If none match, they match by their paths below the
// common folder of each report. Names of programs are paths below their common folder.
func Reports(before, after *shaderlift.Report) *Comparison {
	// Paths of both reports are first relative to one folder. If no input is in both then, each report
	// has its own folder.
	folder := folderOf(slices.Concat(before.Results, after.Results))
	old, now := programsOf(before, folder), programsOf(after, folder)
	if !old.meets(now) {
		old, now = programsOf(before, folderOf(before.Results)), programsOf(after, folderOf(after.Results))
	}
	c := &Comparison{Measures: []Measure{}, Lost: old.without(now), Gained: now.without(old)}
	for _, m := range costsOf(old, now) {
		found := Measure{Name: m.name}
		var ratios []float64
		var helped, hurt []Affected
		for _, o := range old.list {
			n := now.by[o.name]
			if n == nil || gpusOf(o.Result, n) != m.gpus {
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
				ratios = append(ratios, second/first)
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
			found.Median, found.GeometricMean = stat.Median(ratios), stat.GeometricMean(ratios)
		}
		c.Measures = append(c.Measures, found)
	}
	return c
}

func (c *Change) add(before, after float64) {
	c.Before += before
	c.After += after
}

// relative returns after/before-1, and reports whether before is nonzero.
func (c Change) relative() (float64, bool) {
	return c.After/c.Before - 1, c.Before != 0
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
		absolute = append(absolute, p.After-p.Before)
		if r, known := p.relative(); known {
			relative = append(relative, r)
		}
	}
	s.Absolute, s.Relative = spreadOf(absolute), spreadOf(relative)
	return s
}

// spreadOf returns the spread of numbers with one sign.
func spreadOf(list []float64) Spread {
	if len(list) == 0 {
		return Spread{}
	}
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return Spread{Least: list[0], Most: list[len(list)-1], Mean: sum / float64(len(list)), Median: stat.Median(list)}
}
