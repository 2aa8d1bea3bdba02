package main

import (
	"context"
	"fmt"
	"os"

	"github.com/shaderlift/shaderlift"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

const (
	backProjection       = "testdata/backprojection/backprojection.il"
	backProjectionLaunch = "testdata/backprojection/backprojection.case"
)

// projections are the rows of table 3 of Jang, Do, Pien and Kaeli, with the share of components
// fetched and the speed-ups for two images. The pipelines correspond to the manual changes.
var projections = []struct {
	row
	fetchUse float64
	second   float64 // speed-up for the second image
	stage    string
}{
	{row{label: "naive", alu: 112, util: 42.7, fetches: 24, gprs: 26, speedup: 1}, 25, 1, asItIs},
	{row{label: "ALU unit", alu: 98, util: 45.9, fetches: 24, gprs: 15, speedup: 1.3}, 25, 1.45, aluUnit},
	{row{label: "vector input", alu: 385, util: 45.7, fetches: 66, gprs: 55, speedup: 0.48}, 30.7, 0.48,
		"gvn,copyprop,vectorize-fetches{resource=all}," + aluUnit},
	{row{label: "vector output", alu: 205, util: 42.0, fetches: 44, gprs: 38, speedup: 0.94}, 25, 0.98,
		"coarsen{x=4,outputs=4}," + aluUnit},
}

// aluUnit removes redundant computations, and combines several operations into one.
const aluUnit = "fold,gvn,copyprop,combine-alu,gvn,copyprop,dce,merge-registers,dce"

// projected optimizes the back projection with a pipeline and times it over a domain, or over that
// of the case if domain is zero.
func projected(pipeline string, domain [2]int) (*shaderlift.Result, *compiled, error) {
	data, err := os.ReadFile(backProjection)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(backProjectionLaunch)
	if err != nil {
		return nil, nil, err
	}
	launch, err := interpreter.ParseCase(backProjectionLaunch, text)
	if err != nil {
		return nil, nil, err
	}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: backProjection, Data: data}}}
	res, err := shaderlift.Optimize(context.Background(), in,
		shaderlift.Options{Pipeline: pipeline, Keep: true,
			Kernel: shaderlift.KernelOptions{Case: launch, Domain: domain}})
	if err != nil {
		return nil, nil, err
	}
	c, err := compileText(backProjection, res.Files[0].Data, "rv670")
	return res, c, err
}

// jangProjection applies Jang's optimizations to a back projection.
func jangProjection(d *document) error {
	d.text("## Jang 2009, table 3: back projection\n")
	d.text(`The kernel %s was written for this project, because the paper does not show its own. Each
invocation computes one voxel, with two projections on each trip. As in the paper, all data is fetched as single numbers, and
two functions repeat their common computations. The launch is that of the case in the same folder.

    shaderlift opt --keep --case %s -p PIPELINE %[1]s
`, backProjection, backProjectionLaunch)
	var rows [][]string
	var bundles, registers, speedups []float64
	base := 0.0
	for _, p := range projections {
		res, c, err := projected(p.stage, [2]int{})
		if err != nil {
			return err
		}
		// Speed-ups are relative to the first row; ours use predicted cycles.
		now, st := res.Kernel.CurrentCost(), &c.Stats
		if base == 0 {
			base = now.Cycles
		}
		bundles, registers = append(bundles, float64(st.Groups)), append(registers, float64(st.GPRs))
		speedups = append(speedups, base/now.Cycles)
		rows = append(rows, []string{p.label, fmt.Sprintf("%d / %d", st.Groups, p.alu),
			fmt.Sprintf("%.1f / %.1f", 100*st.Utilization(), p.util),
			fmt.Sprintf("%d / %d", st.Fetches, p.fetches), fmt.Sprintf("%.0f / %.0f", 100*st.FetchUtilization(), p.fetchUse),
			fmt.Sprintf("%.2f / %.2f", st.Intensity(), float64(p.alu)/float64(p.fetches)), fmt.Sprintf("%d / %d", st.GPRs,
				p.gprs),
			fmt.Sprintf("%.2f / %.2f, %.2f", base/now.Cycles, p.speedup, p.second), res.Verdict().String()})
	}
	d.table("version | bundles | slots filled % | fetches | fetch use % | bundles per fetch | registers | speed-up | verdict", rows)
	naive, alu := projections[0], projections[1]
	d.compare("J25", []float64{float64(naive.alu), float64(naive.gprs)}, []float64{bundles[0], registers[0]})
	d.compare("J26", []float64{projections[2].speedup, projections[3].speedup}, speedups[2:])
	d.compare("J27", []float64{alu.speedup, alu.second}, []float64{speedups[1], speedups[1]})
	d.text("Pipelines:\n")
	for _, p := range projections[1:] {
		d.text("- %s: `%s`", p.label, p.stage)
	}
	d.text(`
For vector input, vectorize-fetches packs the parameters of each projection, but not the projections themselves, because
the position of a voxel within an element is not known; a remark reports this. In the paper, they were vectorized by hand, and
that version took twice as long as before. For vector output, four voxels share the parameters of a projection. The
kernel here has a third of the published bundles.
`)
	return nil
}
