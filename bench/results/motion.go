package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// moved is a row of tables 5 and 6 of Ikeda, Ino and Hagihara, "A Code Motion Technique for
// Accelerating General-Purpose Computation on the GPU" (IPDPS 2006). It has the slots of the vertex
// and of the fragment program before and after, and the reduction of the latter in per cent. The
// paper describes these kernels without their code; those in testdata/ikeda were written to the
// same length.
type moved struct {
	kernel        string // a file of testdata/ikeda without its extension
	before, after [2]int // vertex, fragment
	reduced       int
	time          float64 // its reduction in per cent, if published
}

var motions = []moved{
	{"gaussian1d", [2]int{2, 63}, [2]int{23, 44}, 30, 0},
	{"gaussian2d", [2]int{2, 55}, [2]int{40, 47}, 15, 0},
	{"sorting", [2]int{2, 40}, [2]int{14, 40}, 0, 0},
	{"summation", [2]int{2, 16}, [2]int{9, 9}, 44, 0},
	{"fluid_actuallyrender", [2]int{2, 1}, [2]int{2, 1}, 0, 0},
	{"fluid_clear", [2]int{2, 2}, [2]int{2, 2}, 0, 0},
	{"fluid_copy", [2]int{2, 2}, [2]int{2, 2}, 0, 0},
	{"fluid_add", [2]int{2, 6}, [2]int{2, 6}, 0, 0},
	{"fluid_splat", [2]int{2, 9}, [2]int{2, 9}, 0, 0},
	{"fluid_scroll", [2]int{2, 11}, [2]int{8, 5}, 55, 15},
	{"fluid_scroll2", [2]int{2, 11}, [2]int{8, 5}, 55, 11},
	{"fluid_vortex", [2]int{2, 16}, [2]int{2, 16}, 0, 0},
	{"fluid_divergence", [2]int{2, 17}, [2]int{10, 9}, 47, 37},
	{"fluid_subgradient", [2]int{2, 19}, [2]int{10, 11}, 42, 39},
	{"fluid_jacobi", [2]int{2, 21}, [2]int{10, 13}, 38, 37},
	{"fluid_advect", [2]int{2, 34}, [2]int{2, 34}, 0, 0},
	{"fluid_display", [2]int{2, 41}, [2]int{10, 33}, 20, 20},
}

// stepwise is table 4, the Gaussian filter of 13 taps: slots of both programs after each group of
// instructions that is moved.
var stepwise = [][2]int{{2, 63}, {6, 60}, {9, 57}, {12, 54}, {15, 51}, {18, 48}, {21, 45}, {23, 43}}

// stepTimes are the times saved in table 4, in per cent, for images of 1024 rows. Smaller images save at most two
// points less.
var stepTimes = []float64{0, 7, 11, 18, 23, 29, 35, 40}

// filtering has the times in ms for 1024 rows in table 4, before and after all steps. The filter runs over rows and
// over columns, on the fragment processors of the clock in MHz in table 3.
var filtering = struct {
	before, after, clock float64
	processors, sides    int
}{19.5, 11.6, 475, 12, 2}

// filterCycles returns the cycles of a processor for a fragment in a filtering time in ms.
func filterCycles(ms float64) float64 {
	return ms * 1000 * filtering.clock * float64(filtering.processors) / float64(filtering.sides*1024*1024)
}

// motion optimizes a kernel of testdata/ikeda for an application that sets constants for both
// programs.
func motion(kernel string, o shaderlift.Options) (*shaderlift.Result, error) {
	var in shaderlift.Input
	for _, name := range []string{"pass.vsh", kernel + ".psh"} {
		path := filepath.Join("testdata", "ikeda", name)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
	}
	o.Host.PixelConstants = shaderlift.Mirrored
	return shaderlift.Optimize(context.Background(), in, o)
}

// slotsOf returns the slots of the vertex and the fragment program, before and after.
func slotsOf(r *shaderlift.Result) (vertex, pixel [2]int) {
	for i := range r.Stages {
		s := &r.Stages[i]
		if n := [2]int{s.Before.Slots, s.CurrentCost().Slots}; s.Stage == d3d9.Vertex {
			vertex = n
		} else {
			pixel = n
		}
	}
	return vertex, pixel
}

// pair returns our figure and the published one.
func pair(ours, published int) string { return fmt.Sprintf("%d / %d", ours, published) }

// codeMotion compares automatic code motion with the paper's manual one.
func codeMotion(d *document) error {
	d.text("## Ikeda 2006: code motion\n")
	d.text(`The paper moves computations that are linear in interpolated inputs from the fragment to the vertex program, by hand. It shows
one of its kernels (figure 3, ` + "`testdata/conv1d`" + `). For the others it gives their purpose and length; the kernels in
` + "`testdata/ikeda`" + ` were written from these descriptions. As in the paper, the application sets constants for both programs.

    shaderlift opt --target d3d9 --host-constants mirrored testdata/ikeda/pass.vsh,testdata/ikeda/gaussian1d.psh

V is the number of slots of the vertex program, and F is that of the fragment program.
`)
	var rows [][]string
	var published, ours []float64
	for i := range motions {
		m := &motions[i]
		r, err := motion(m.kernel, shaderlift.Options{Target: shaderlift.SlotTarget})
		if err != nil {
			return err
		}
		v, f := slotsOf(r)
		if m.time > 0 {
			before, err := motion(m.kernel, shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "O0"})
			if err != nil {
				return err
			}
			var times [2]float64
			for i, version := range []*shaderlift.Result{before, r} {
				if times[i], err = fragmentTime(version); err != nil {
					return err
				}
			}
			published, ours = append(published, m.time), append(ours, less(times[1], times[0]))
		}
		rows = append(rows, []string{m.kernel, pair(v[0], m.before[0]), pair(f[0], m.before[1]), pair(v[1], m.after[0]),
			pair(f[1], m.after[1]),
			fmt.Sprintf("%.0f / %d", less(float64(f[1]), float64(f[0])), m.reduced), r.Verdict().String()})
	}
	d.table("kernel | V before | F before | V after | F after | reduction of F % | verdict", rows)
	d.compare("I25", published, ours)
	d.text("The table omits the graphics shaders of table 7 in the paper: it does not show their code, and moves nothing in them.\n")
	return stepByStep(d)
}

// fragmentTime returns the predicted time of a fragment on the R420.
func fragmentTime(r *shaderlift.Result) (float64, error) {
	s, err := shaderlift.Stats(context.Background(), shaderlift.Input{Files: r.Files}, shaderlift.Options{Target: "r420"})
	if err != nil {
		return 0, err
	}
	return s.Draws[0].Before.Time, nil
}

// slope returns the slope of the line through the origin that fits points with the least squares.
func slope(x, y []float64) float64 {
	var xy, xx float64
	for i := range x {
		xy, xx = xy+x[i]*y[i], xx+x[i]*x[i]
	}
	return xy / xx
}

// stepByStep reproduces table 4.
func stepByStep(d *document) error {
	d.text(`Table 4 of the paper moves seven groups of the Gaussian filter, one by one; there are no interpolators for more. Here
` + "`--fuel`" + ` limits the number of motions, and no other pass runs. From the eighth motion on, two values share an interpolator, and
the second one needs a move into place. The predicted time of a fragment is for the R420. Its compiler pairs or removes many of
the instructions that move:

    shaderlift opt --target d3d9 -p codemotion --keep --fuel N --host-constants mirrored testdata/ikeda/pass.vsh,testdata/ikeda/gaussian1d.psh
`)
	var rows [][]string
	// The reductions of F and of time: ours, and the published ones.
	var slots, times, printedSlots, printedTimes []float64
	first, last := 0.0, -1
	// Allow one more motion each time, until nothing changes. Fuel bounds the number of rewrites.
	for n := 0; ; n++ {
		r, err := motion("gaussian1d", shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "codemotion", Keep: true,
			Limits: shaderlift.Limits{Fuel: &n}})
		if err != nil {
			return err
		}
		v, f := slotsOf(r)
		if f[1] == last {
			break
		}
		last = f[1]
		time, err := fragmentTime(r)
		if err != nil {
			return err
		}
		if n == 0 {
			first = time
		}
		row := []string{number(n), number(v[1]), number(f[1]), fmt.Sprintf("%.4g", time), fmt.Sprintf("%.0f", less(time, first))}
		if n < len(stepwise) {
			row[1], row[2] = pair(v[1], stepwise[n][0]), pair(f[1], stepwise[n][1])
			row[4] += fmt.Sprintf(" / %.0f", stepTimes[n])
			slots, times = append(slots, less(float64(f[1]), float64(f[0]))), append(times, less(time, first))
			printedSlots = append(printedSlots, less(float64(stepwise[n][1]), float64(stepwise[0][1])))
			printedTimes = append(printedTimes, stepTimes[n])
		}
		rows = append(rows, row)
	}
	d.table("motions | V | F | time on R420 | time saved %", rows)
	end := len(stepwise) - 1
	d.compare("I23", printedTimes[end:], times[end:])
	d.compare("I24", []float64{slope(printedSlots, printedTimes)}, []float64{slope(slots, times)},
		fmt.Sprintf("%.2f", (filterCycles(filtering.before)-filterCycles(filtering.after))/float64(stepwise[0][1]-stepwise[end][1])))
	d.text(`At 1024 rows, print has %.1f and %.1f ms, %.0f and %.0f cycles a fragment. The model has %.0f and %.0f: it lacks the driver of 2006.
`, filtering.before, filtering.after, filterCycles(filtering.before), filterCycles(filtering.after), first, first*(1-times[end]/100))
	return nil
}
