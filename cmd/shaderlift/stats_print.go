package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/opt/wording"
)

// statsPrinter prints outcomes in one of the formats.
type statsPrinter struct {
	add func(*outcome)
	end func() error
}

func (a *app) statsPrinter(format string, o shaderlift.Options) (*statsPrinter, error) {
	switch format {
	case "text":
		return a.statsText(), nil
	case "csv":
		return a.statsCSV(), nil
	case "json":
		rep := shaderlift.NewReport(o)
		rep.Pipeline, rep.Numerics = "", nil // no pipeline runs
		w := shaderlift.NewReportWriter(a.out, rep)
		return &statsPrinter{add: func(d *outcome) { w.Add(d.res) }, end: w.Close}, nil
	}
	return nil, usagef("unknown format %q (want text, json or csv)", format)
}

const (
	stageHeader  = "model    slots  arith    tex  temps  const interp  comps  nearest limit                  program"
	drawHeader   = "target        time  bound by              alu  special  fetches   vertex  draw"
	moduleHeader = "stage     instructions  components     bytes  module"
	kernelHeader = "target      alu    ops  util%  fetch   use%    a:f  gprs waves claus domain         cycles   hit%  gflops bound    kernel"
)

// statsText prints a line for each program or kernel, in columns with fixed widths, below a header
// that is repeated when the kind changes.
func (a *app) statsText() *statsPrinter {
	var totals shaderlift.Totals
	last := ""
	header := func(text string) {
		if text != last {
			fmt.Fprintln(a.out, text)
		}
		last = text
	}
	return &statsPrinter{
		add: func(d *outcome) {
			totals.Add(d.res)
			for _, p := range drawsOf(d) {
				header(drawHeader)
				c := &p.draw.Before
				fmt.Fprintf(a.out, "%-8s %9s  %-17s %7s %8s %8s %8s  %s\n", p.draw.Target, fixed(c.Time, 1), c.Bound,
					fixed(c.Arithmetic, 1), fixed(c.Special, 1), fixed(c.Fetches, 1), fixed(c.Vertex, 1), asm.Shown(p.path))
			}
			for _, p := range stagesOf(d) {
				if len(drawsOf(d)) > 0 {
					break
				}
				header(stageHeader)
				c := p.stage.Before
				fmt.Fprintf(a.out, "%-7s %6d %6d %6d %6d %6d %6d %6d  %-30s %s\n",
					p.stage.Model, c.Slots, c.Arithmetic, c.Texture, c.Temps, c.Constants, c.Interpolators, c.Components, p.stage.Binding(), asm.Shown(p.path))
				a.printOmittable(p.omittable)
			}
			for i := range d.res.Modules {
				if len(drawsOf(d)) > 0 {
					break
				}
				header(moduleHeader)
				m := &d.res.Modules[i]
				fmt.Fprintf(a.out, "%-8s %13d %11d %9d  %s\n", dash(m.Stage), m.Before.Instructions, m.Before.Components, m.Before.Bytes,
					asm.Shown(d.paths[min(i, len(d.paths)-1)]))
				if i == len(d.res.Modules)-1 {
					a.printOmittable(d.res.Varyings)
				}
			}
			for _, g := range d.res.Groups {
				for _, p := range g.Pairs {
					if len(p.Varyings) > 0 {
						fmt.Fprintf(a.out, "%s with %s:\n", asm.Shown(p.Vertex), asm.Shown(p.Pixel))
						a.printOmittable(p.Varyings)
					}
				}
			}
			if k := d.res.Kernel; k != nil {
				header(kernelHeader)
				c := &k.Before
				fmt.Fprintf(a.out, "%-8s %6d %6d %6.2f %6d %6s %6s %5d %5d %5d %-9s %11s %6s %7s %-8s %s\n", k.Target,
					c.ALU, c.Ops, 100*c.Utilization, c.Fetches, fixed(100*c.FetchUtilization, 2), fixed(c.Intensity, 2),
					c.GPRs, c.Wavefronts, c.Clauses, dash(c.Domain), fixed(c.Cycles, 0), fixed(100*c.CacheHit, 2), fixed(c.GFLOPS,
						1), dash(c.Bottleneck), asm.Shown(d.paths[0]))
				for _, l := range d.res.Launches[min(1, len(d.res.Launches)):] {
					fmt.Fprintf(a.out, "%-8s %59s %-9s %11s %6s %7s %-8s %s, launch %q\n", k.Target, "", "",
						fixed(l.CyclesBefore, 0), "", "", "", asm.Shown(d.paths[0]), l.Name)
				}
			}
		},
		end: func() error {
			if totals.Inputs > 1 {
				fmt.Fprintf(a.out, "%d inputs", totals.Inputs)
				for _, s := range []struct {
					what string
					sum  *shaderlift.Change
				}{{"vertex slot", totals.VertexSlots}, {"pixel slot", totals.PixelSlots}, {"instruction", totals.Instructions}, {"group", totals.ALU}} {
					if s.sum != nil {
						fmt.Fprintf(a.out, ", %d %s", s.sum.Before, wording.Plural(s.what, s.sum.Before))
					}
				}
				fmt.Fprintln(a.out)
			}
			return nil
		},
	}
}

// pricedProgram is a program of an outcome, with its name. omittable are the interpolated components that the pair
// of a pixel program could omit.
type pricedProgram struct {
	stage     *shaderlift.StageCosts
	path      string
	omittable []codemotion.Component
}

// stagesOf returns the programs of an outcome; those of an effect have the names of its parts.
func stagesOf(d *outcome) (all []pricedProgram) {
	add := func(r *shaderlift.Result, path func(i int) string) {
		for i := range r.Stages {
			all = append(all, pricedProgram{&r.Stages[i], path(i), nil})
		}
		if len(r.Varyings) > 0 && len(r.Stages) > 0 {
			all[len(all)-1].omittable = r.Varyings
		}
	}
	paths := d.paths
	if strings.HasPrefix(d.res.Input, paths[0]+":") { // a pass of an effect
		paths = strings.Split(d.res.Input, ",")
	}
	add(d.res, func(i int) string { return paths[i] })
	for _, p := range d.res.Parts {
		add(p, func(i int) string {
			return fmt.Sprintf("%s:%s.%s", d.paths[0], p.Name, p.Stages[i].Model.String()[:2])
		})
	}
	return all
}

// pricedDraw is the cost of an outcome's draw on a GPU, with its name.
type pricedDraw struct {
	draw *shaderlift.DrawCosts
	path string
}

// drawsOf returns the draws of an outcome; those of an effect have the names of its parts.
func drawsOf(d *outcome) (all []pricedDraw) {
	for i := range d.res.Draws {
		all = append(all, pricedDraw{&d.res.Draws[i], d.res.Input})
	}
	for _, p := range d.res.Parts {
		for i := range p.Draws {
			all = append(all, pricedDraw{&p.Draws[i], fmt.Sprintf("%s:%s", d.paths[0], p.Name)})
		}
	}
	return all
}

// printOmittable prints the interpolated components that a pair could omit, a line for each use.
func (a *app) printOmittable(list []codemotion.Component) {
	for _, use := range codemotion.Uses {
		var texts []string
		last := "" // the register of the last text
		for _, c := range list {
			if c.Use != use {
				continue
			}
			register, lane, _ := strings.Cut(c.Name, ".")
			switch {
			case len(c.From) > 0:
				texts = append(texts, c.Name+" ("+strings.Join(c.From, " ")+")")
			case register == last:
				texts[len(texts)-1] += lane
			default:
				texts, last = append(texts, c.Name), register
			}
		}
		if len(texts) > 0 {
			fmt.Fprintf(a.out, "    %s: %s\n", use, strings.Join(texts, ", "))
		}
	}
}

// fixed returns x with the given number of decimals, or a dash for zero.
func fixed(x float64, decimals int) string {
	if x == 0 {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// The columns of a table after the first two, which name the input and the file.
var (
	stageColumns = []string{"stage", "model", "slots", "arithmetic", "texture", "temps", "constants", "interpolators",
		"components"}
	moduleColumns = []string{"module_stage", "instructions", "module_components", "bytes"}
	kernelColumns = []string{"target", "alu", "ops", "utilization", "fetches", "fetch_utilization", "intensity", "gprs",
		"wavefronts", "clauses",
		"literals", "alu_without_ports", "domain", "cycles", "cache_hit", "gflops", "bottleneck"}
)

func stageRow(s *shaderlift.StageCosts) []string {
	row := []string{s.Stage.String(), s.Model.String()}
	c := s.Before
	for _, n := range []int{c.Slots, c.Arithmetic, c.Texture, c.Temps, c.Constants, c.Interpolators, c.Components} {
		row = append(row, strconv.Itoa(n))
	}
	return row
}

func kernelRow(k *shaderlift.KernelCosts) []string {
	c := &k.Before
	f := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	return []string{k.Target, strconv.Itoa(c.ALU), strconv.Itoa(c.Ops), f(c.Utilization), strconv.Itoa(c.Fetches),
		f(c.FetchUtilization),
		f(c.Intensity), strconv.Itoa(c.GPRs), strconv.Itoa(c.Wavefronts), strconv.Itoa(c.Clauses), strconv.Itoa(c.Literals),
		strconv.Itoa(c.UnportedALU), c.Domain, strconv.FormatFloat(c.Cycles, 'f', 0,
			64), f(c.CacheHit), f(c.GFLOPS), c.Bottleneck}
}

func moduleRow(m *shaderlift.ModuleCosts) []string {
	c := m.Before
	return []string{m.Stage, strconv.Itoa(c.Instructions), strconv.Itoa(c.Components), strconv.Itoa(c.Bytes)}
}

// statsCSV prints a table with the columns of programs, SPIR-V modules and kernels, of those kinds that the inputs have.
// Without inputs it has the columns of programs.
func (a *app) statsCSV() *statsPrinter {
	columns := [][]string{stageColumns, moduleColumns, kernelColumns}
	type line struct {
		names  []string
		kind   int // index in columns
		values []string
	}
	var lines []line
	return &statsPrinter{
		add: func(d *outcome) {
			for _, p := range stagesOf(d) {
				lines = append(lines, line{[]string{d.res.Input, p.path}, 0, stageRow(p.stage)})
			}
			for i := range d.res.Modules {
				path := d.paths[min(i, len(d.paths)-1)] // a module may have two stages
				lines = append(lines, line{[]string{d.res.Input, path}, 1, moduleRow(&d.res.Modules[i])})
			}
			if k := d.res.Kernel; k != nil {
				lines = append(lines, line{[]string{d.res.Input, d.paths[0]}, 2, kernelRow(k)})
			}
		},
		end: func() error {
			w := csv.NewWriter(a.out)
			header := []string{"input", "program"}
			at := make([]int, len(columns)) // the first column of each kind, 0 if it is missing
			for kind, names := range columns {
				if kind == 0 && len(lines) == 0 || slices.ContainsFunc(lines, func(l line) bool { return l.kind == kind }) {
					at[kind] = len(header)
					header = append(header, names...)
				}
			}
			w.Write(header)
			for _, l := range lines {
				row := append(l.names, make([]string, len(header)-len(l.names))...)
				copy(row[at[l.kind]:], l.values)
				w.Write(row)
			}
			w.Flush()
			return w.Error()
		},
	}
}
