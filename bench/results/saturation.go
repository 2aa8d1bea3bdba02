package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/shaderlift/shaderlift"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// summation is a kernel of testdata/coarsen whose invocations all read one list, with its
// coarsening.
type summation struct {
	name, what string
	target     string
	launch     string // format with the numbers of points across and down
	points     [][2]int
	across     []int
	published  []float64 // speed-ups, if published
	source     string
}

var summations = []summation{
	{"coulomb", "Direct Coulomb summation computes the potential of 256 atoms at the points of a slice of a grid", "rv670",
		"domain %d %d\ncb 0 0 256 0.5 1 0\nin 0 256 1 float4 rand 1 0 64\n",
		[][2]int{{32, 32}, {64, 64}, {128, 128}, {256, 256}, {512, 512}}, []int{1, 4, 8}, []float64{19, 39,
			41}, "of Stone and others, on a GPU of 2007, over a quad-core CPU"},
	{"nbody", "This kernel computes the accelerations that 1024 bodies cause", "cypress",
		"domain %d %d\ncb 0 0 1024 0.0625 0 0\nin 0 1024 1 float4 rand 1 -1 1\nglobal 65536 zero\n",
		[][2]int{{64, 64}, {128, 128}, {256, 256}, {512, 512}, {1024, 1024}}, []int{1, 2, 4, 8}, nil, ""},
}

// summed coarsens the kernel by the given number of invocations across. rate prices the result.
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
	o := shaderlift.Options{Pipeline: coarsening, Target: shaderlift.Target(s.target), Keep: true,
		Kernel: shaderlift.KernelOptions{Case: launch, Domain: [2]int{8, 8}}}
	if across > 1 {
		o.Kernel.Coarsen = shaderlift.Tile{X: across, Y: 1}
	}
	return shaderlift.Optimize(context.Background(),
		shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}}, o)
}

func (s *summation) timed(width, height int) (*interpreter.Case, error) {
	return interpreter.ParseCase(s.name, fmt.Appendf(nil, s.launch, width, height))
}

// rate returns the speed of a version over the given points, with across points per invocation.
func (s *summation) rate(version shaderlift.File, points [2]int, across int) (float64, error) {
	launch, err := s.timed(8, min(8, points[1]))
	if err != nil {
		return 0, err
	}
	res, err := shaderlift.Stats(context.Background(), shaderlift.Input{Files: []shaderlift.File{version}},
		shaderlift.Options{Target: shaderlift.Target(s.target),
			Kernel: shaderlift.KernelOptions{Case: launch, Domain: [2]int{points[0] / across, points[1]}}})
	if err != nil {
		return 0, err
	}
	return res.Kernel.Before.GFLOPS, nil
}

// saturation shows the gain from several points per invocation, and the number of points needed.
func saturation(d *document) error {
	d.text("## Volkov 2011: several points per invocation\n")
	for i := range summations {
		s := &summations[i]
		d.text("%s (`testdata/coarsen/%s.il`). Figures are for %s and this command:\n\n    shaderlift opt --coarsen x=N --target %[3]s -p %[4]s testdata/coarsen/%[2]s.il\n", s.what, s.name, s.target, coarsening)
		var rows, rates [][]string
		var curves []curve
		first := 0.0
		for k, across := range s.across {
			res, err := s.summed(across)
			if err != nil {
				return err
			}
			line := []string{number(across)}
			c := curve{label: fmt.Sprintf("%d per invocation", across)}
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
			now := res.Kernel.CurrentCost()
			rates, curves = append(rates, line), append(curves, c)
			rows = append(rows, []string{number(across), fmt.Sprintf("%d (%.2f)", now.ALU, float64(now.ALU)/float64(across)),
				number(now.Fetches),
				number(now.GPRs), fmt.Sprintf("%.0f", last), fmt.Sprintf("%.2f", last/first), published, res.Verdict().String()})
		}
		d.table("points per invocation | bundles (per point) | fetches | registers | GFLOPS | speed-up over one point | published | verdict", rows)
		if s.source != "" {
			d.text("The published speed-ups are those %s.\n", s.source)
		}
		var marks []string
		for _, p := range s.points {
			marks = append(marks, number(p[0]*p[1]))
		}
		d.text("GFLOPS by the number of points:\n")
		d.table("points per invocation | "+strings.Join(marks, " | "), rates)
		if err := d.plot("saturation-"+s.name, s.name+" on "+s.target, "points", "GFLOPS", marks, curves...); err != nil {
			return err
		}
	}
	return nil
}
