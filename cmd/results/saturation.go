package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/shaderlift/shaderlift"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// summation is a kernel of testdata/coarsen whose invocations all go through one list, and what of
// them is made one.
type summation struct {
	name, what string
	target     string
	launch     string // with how many points across and down
	points     [][2]int
	across     []int
	published  []float64 // speed-ups, where they are told
	source     string
}

var summations = []summation{
	{"coulomb", "Direct Coulomb summation: the potential at the points of a slice of a grid, of 256 atoms,", "rv670",
		"domain %d %d\ncb 0 0 256 0.5 1 0\nin 0 256 1 float4 rand 1 0 64\n",
		[][2]int{{32, 32}, {64, 64}, {128, 128}, {256, 256}, {512, 512}}, []int{1, 4, 8}, []float64{19, 39, 41}, "over a quad core, by Stone and others on a GPU of 2007"},
	{"nbody", "The accelerations of bodies by 1024 bodies,", "cypress",
		"domain %d %d\ncb 0 0 1024 0.0625 0 0\nin 0 1024 1 float4 rand 1 -1 1\nglobal 65536 zero\n",
		[][2]int{{64, 64}, {128, 128}, {256, 256}, {512, 512}, {1024, 1024}}, []int{1, 2, 4, 8}, nil, ""},
}

// summed is what passes make of it, so many invocations across in one. What that takes is for
// rate to tell.
func (s *summation) summed(across int) (*shaderlift.Result, error) {
	path := "testdata/coarsen/" + s.name + ".il"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	launch, err := s.timed(8, 8)
	if err != nil {
		return nil, err
	}
	o := shaderlift.Options{Pipeline: coarsening, Target: s.target, Keep: true, KernelCase: launch, Times: &simulated, Domain: [2]int{8, 8}}
	if across > 1 {
		o.Coarsen = fmt.Sprintf("x=%d", across)
	}
	return shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}}, o)
}

func (s *summation) timed(width, height int) (*interpreter.Case, error) {
	return interpreter.ParseCase(s.name, fmt.Appendf(nil, s.launch, width, height))
}

// rate is the speed of a version over so many points, of which an invocation has some.
func (s *summation) rate(version shaderlift.File, points [2]int, across int) (float64, error) {
	launch, err := s.timed(8, min(8, points[1]))
	if err != nil {
		return 0, err
	}
	res, err := shaderlift.Stats(context.Background(), shaderlift.Input{Files: []shaderlift.File{version}},
		shaderlift.Options{Target: s.target, KernelCase: launch, Times: &simulated, Domain: [2]int{points[0] / across, points[1]}})
	if err != nil {
		return 0, err
	}
	return res.Kernel.Before.GFLOPS, nil
}

// saturation shows what several points an invocation gain, and how many there have to be.
func saturation(d *document) error {
	d.text("## Volkov 2011: several points an invocation\n")
	for i := range summations {
		s := &summations[i]
		d.text("%s `testdata/coarsen/%s.il`, on %s, by\n\n    shaderlift opt --coarsen x=N --target %[3]s -p %[4]s testdata/coarsen/%[2]s.il\n", s.what, s.name, s.target, coarsening)
		var rows, rates [][]string
		var curves []curve
		first := 0.0
		for k, across := range s.across {
			res, err := s.summed(across)
			if err != nil {
				return err
			}
			line := []string{number(across)}
			c := curve{label: fmt.Sprintf("%d an invocation", across)}
			for _, points := range s.points {
				rate, err := s.rate(res.Files[0], points, across)
				if err != nil {
					return err
				}
				c.values = append(c.values, rate)
				line = append(line, fmt.Sprintf("%.0f", rate))
			}
			last := c.values[len(c.values)-1]
			if first == 0 {
				first = last
			}
			published := "-"
			if s.published != nil {
				published = fmt.Sprintf("%.2f", s.published[k]/s.published[0])
			}
			now := res.Kernel.Now()
			rates, curves = append(rates, line), append(curves, c)
			rows = append(rows, []string{number(across), fmt.Sprintf("%d (%.2f)", now.ALU, float64(now.ALU)/float64(across)), number(now.Fetches),
				number(now.GPRs), fmt.Sprintf("%.0f", last), fmt.Sprintf("%.2f", last/first), published, res.Verdict().String()})
		}
		d.table("points an invocation | bundles (for each point) | fetches | registers | GFLOPS | times one point | printed | verdict", rows)
		if s.source != "" {
			d.text("Printed are speed-ups %s.\n", s.source)
		}
		var marks []string
		for _, p := range s.points {
			marks = append(marks, number(p[0]*p[1]))
		}
		d.text("GFLOPS by how many points there are:\n")
		d.table("points an invocation | "+strings.Join(marks, " | "), rates)
		if err := d.plot("saturation-"+s.name, s.name+" on "+s.target, "points", "GFLOPS", marks, curves...); err != nil {
			return err
		}
	}
	return nil
}
