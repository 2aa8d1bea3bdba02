package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/bench/internal/rank"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// rewrite is a step of a published optimization as a pipeline, run on the first version.
type rewrite struct {
	row
	pipeline string
}

// asItIs is the pipeline of the unchanged first version.
const asItIs = "O0"

// The tutorial's steps: each manual change corresponds to one pass.
const (
	unrolled    = "unroll{factor=4}"
	independent = unrolled + ",break-deps"
)

var tutorialSteps = []rewrite{
	{tutorial[0], asItIs},
	{tutorial[1], unrolled},
	{tutorial[2], independent},
	{row{label: "v4, fetches of two trips grouped", alu: 136, util: 87.35, fetches: 48, gprs: 32, ops: 594},
		independent + ",group-fetches{window=24}"},
	{tutorial[3], independent + ",group-fetches{window=all}"},
}

// rewriting is a kernel with the pipeline to apply, and made is the result.
type (
	rewriting struct {
		kernel, pipeline string
		trips            int
	}
	made struct {
		*compiled
		*shaderlift.Result
	}
)

// rewritten returns the memoized result of the function rewritten.
func (d *document) rewritten(kernel, pipeline string, trips int) (*compiled, *shaderlift.Result, error) {
	what := rewriting{kernel, pipeline, trips}
	if m := d.made[what]; m != nil {
		return m.compiled, m.Result, nil
	}
	c, res, err := rewritten(kernel, pipeline, trips)
	if err == nil {
		d.made[what] = &made{c, res}
	}
	return c, res, err
}

// rewritten applies a pipeline to a kernel of testdata/il. The application sets cb0[0].x, the trip
// count of the loop, to trips.
func rewritten(kernel, pipeline string, trips int) (*compiled, *shaderlift.Result, error) {
	path := filepath.Join("testdata", "il", kernel+".il")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	known, err := shaderlift.ParseConstant(fmt.Sprintf("cb0[0].x=%d", trips))
	if err != nil {
		return nil, nil, err
	}
	res, err := shaderlift.Optimize(context.Background(),
		shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}},
		shaderlift.Options{Pipeline: pipeline, Keep: true,
			Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{known}}})
	if err != nil {
		return nil, nil, err
	}
	c, err := compileText(kernel, res.Files[0].Data, "rv670")
	return c, res, err
}

// tutorialByPasses applies the tutorial's steps as passes to its first version. It simulates hits
// and times for a product size whose hits the slides give.
func tutorialByPasses(d *document) error {
	const printed = 6
	rows := tutorialHits[printed].size
	d.text("## The tutorial's matrix product: by passes\n")
	d.text(`Here passes apply the tutorial's manual changes to v1, for a product of %d rows:

    shaderlift opt --keep --constant cb0[0].x=%d -p PIPELINE testdata/il/pldi_v1.il
`, rows, rows/4)
	d.text(`The constant is the trip count, %d float4 elements in a row. Because four divides it, as the tutorial assumes, no loop for
remaining trips is needed.
`, rows/4)
	var table [][]string
	var seconds, hits, published []float64
	for i, s := range tutorialSteps {
		c, res, err := d.rewritten("pldi_v1", s.pipeline, rows/4)
		if err != nil {
			return err
		}
		t, err := c.time(products["pldi_v1"], rows, d.steps)
		if err != nil {
			return err
		}
		seconds, hits, published = append(seconds, t.Seconds), append(hits, 100*t.L1Hit), append(published,
			tutorialHits[printed].hits[i])
		st := &c.Stats
		table = append(table, []string{s.label, beside(st.Groups, s.alu), beside(st.Ops, s.ops),
			fmt.Sprintf("%d / %d", st.Fetches, s.fetches),
			fmt.Sprintf("%d / %d", st.GPRs, s.gprs), fmt.Sprintf("%.2f / %.2f", 100*t.L1Hit, published[i]), fmt.Sprintf("%.2f",
				1000*t.Seconds), res.Verdict().String()})
	}
	d.table("version | bundles | scalar operations | fetches | registers | hits in L1 % | predicted ms | verdict", table)
	d.pipelines(tutorialSteps[1:])
	d.text("Rank correlation of hits %.2f. In the model, the final version takes %.0f %% less time than v1, and the fastest one %.0f %% less.\n",
		rank.Correlation(hits, published), less(seconds[len(seconds)-1], seconds[0]), less(slices.Min(seconds), seconds[0]))
	return nil
}

// less returns by how many per cent a is less than b.
func less(a, b float64) float64 { return 100 * (1 - a/b) }

// pipelines lists the pipelines that were run.
func (d *document) pipelines(steps []rewrite) {
	d.text("Pipelines:\n")
	for _, s := range steps {
		d.text("- %s: `%s`", s.label, s.pipeline)
	}
	d.text("")
}

// jangSteps returns Jang's steps from the naive version up to unrolling. then is appended to the
// unrolling pipelines.
func jangSteps(then string) []rewrite {
	const merged = "merge-registers,dce"
	steps := []rewrite{{row: jang[0], pipeline: asItIs}, {row: jang[1], pipeline: merged}}
	for i, factor := range []int{4, 8, 16} {
		steps = append(steps, rewrite{row: jang[2+i], pipeline: fmt.Sprintf("%s,unroll{factor=%d}%s", merged, factor, then)})
	}
	return steps
}

// jangVectors are the last two of Jang's steps, with their partition of products: four horizontal
// neighbours share fetches and an output, and so do eight vertical ones.
var jangVectors = []struct {
	rewrite
	product
}{
	{rewrite{row: jang[5], pipeline: vectors("x=4")}, product{4, 1, 1, 1, 4}},
	{rewrite{row: jang[6], pipeline: vectors("x=4,y=8")}, product{4, 8, 1, 1, 4}},
}

// jangDepth is the number of products in each sum that is timed. Jang's sums have 3072, which takes
// too long to execute and price after passes.
const jangDepth = 256

// vectors returns a pipeline in which one invocation does the work of a tile, four trips at a time,
// with vectors.
func vectors(shape string) string {
	const (
		// lanes folds lane by lane, so that coarsening sees the components of a literal.
		lanes  = "fold{lanes=true},dce"
		share  = "fold,dce,gvn,copyprop,dce"
		fetch  = "unroll{factor=4},fold,break-deps,gvn,copyprop,dce,vectorize-fetches{resource=0},vectorize-fetches{resource=1}"
		tidied = "gvn,copyprop,sink,vectorize,combine-alu,gvn,copyprop,dce,merge-registers,dce"
	)
	return strings.Join([]string{lanes, "coarsen{" + shape + ",outputs=4}", share, fetch, tidied}, ",")
}

// jangByPasses applies Jang's steps to the naive version.
func jangByPasses(d *document) error {
	const rows = 3072
	d.text("## Jang 2009: by passes\n")
	d.text(`Here passes derive Jang's versions from the naive product of %d rows and columns. merge-registers reduces the variables, and
unroll unrolls the loop. coarsen and vectorize-fetches make vectors and eight outputs; for these, the host binds resources and
outputs as float4. Each element is a sum of %d products in all versions here, and of %d in the paper.

    shaderlift opt --keep --constant cb0[0].x=%d -p PIPELINE testdata/il/jang_naive.il
`, rows, jangDepth, rows, jangDepth)
	var table [][]string
	var ours, theirs [5][]float64
	base := 0.0
	// Keep: a step of Jang's may cost more than the previous one, and is shown anyway.
	add := func(s rewrite, p product) error {
		c, res, err := d.rewritten("jang_naive", s.pipeline, jangDepth)
		if err != nil {
			return err
		}
		t, err := c.timeDeep(p, rows, jangDepth, d.steps/5)
		if err != nil {
			return err
		}
		if base == 0 {
			base = t.Seconds
		}
		st := &c.Stats
		intensity := float64(s.alu) / float64(s.fetches)
		table = append(table, []string{s.label, fmt.Sprintf("%d / %d", st.Groups, s.alu),
			fmt.Sprintf("%d / %d", st.Ops, s.ops),
			fmt.Sprintf("%.1f / %.1f", 100*st.Utilization(), s.util), fmt.Sprintf("%d / %d", st.Fetches,
				s.fetches), fmt.Sprintf("%.0f", 100*st.FetchUtilization()),
			fmt.Sprintf("%.2f / %.2f", st.Intensity(), intensity), fmt.Sprintf("%d / %d", st.GPRs, s.gprs),
			fmt.Sprintf("%.2f / %.2f (%+.0f %%)", base/t.Seconds, s.speedup,
				100*(base/t.Seconds/s.speedup-1)), res.Verdict().String()})
		// For rank correlations: our and published figures, by column.
		for i, pair := range [...][2]float64{{float64(st.Groups), float64(s.alu)}, {st.Utilization(), s.util},
			{st.Intensity(), intensity}, {float64(st.GPRs), float64(s.gprs)}, {base / t.Seconds, s.speedup}} {
			ours[i], theirs[i] = append(ours[i], pair[0]), append(theirs[i], pair[1])
		}
		return nil
	}
	steps := jangSteps("")
	for _, s := range steps {
		if err := add(s, products["jang_naive"]); err != nil {
			return err
		}
	}
	for _, s := range jangVectors {
		if err := add(s.rewrite, s.product); err != nil {
			return err
		}
		steps = append(steps, s.rewrite)
	}
	d.table("version | bundles | operations | slots filled % | fetches | fetch use % | bundles per fetch | registers | speed-up | verdict", table)
	d.text("Rank correlation: bundles %.2f, slots filled %.2f, bundles per fetch %.2f, registers %.2f, speed-up %.2f.\n",
		rank.Correlation(ours[0], theirs[0]), rank.Correlation(ours[1], theirs[1]), rank.Correlation(ours[2],
			theirs[2]), rank.Correlation(ours[3], theirs[3]),
		rank.Correlation(ours[4], theirs[4]))
	d.compare("J22", theirs[4][2:5], ours[4][2:5])
	d.compare("J24", theirs[4][5:], ours[4][5:])
	if err := d.eightOutputs(); err != nil {
		return err
	}
	d.pipelines(steps[1:])
	var broken []string
	for _, s := range jangSteps(",break-deps")[2:] {
		c, _, err := d.rewritten("jang_naive", s.pipeline, jangDepth)
		if err != nil {
			return err
		}
		broken = append(broken, fmt.Sprintf("%d bundles of %d operations and %d registers", c.Stats.Groups, c.Stats.Ops,
			c.Stats.GPRs))
	}
	d.text("Jang has no step like break-deps. After the three unrolled versions, it gives: %s.\n",
		strings.Join(broken, "; "))
	return nil
}

// eightOutputs explains why the speed-up of Jang's last version cannot be reproduced: it exceeds
// the bound from the fetches of the naive version. It derives rates of the chip from bundles and
// fetches.
func (d *document) eightOutputs() error {
	t, err := chip.ByName("rv670")
	if err != nil {
		return err
	}
	// rate returns the speed of wavefronts in GFLOPS, if each occupies a SIMD for the given cycles
	// while each of its invocations adds up the given number of products.
	rate := func(products int, cycles float64) float64 {
		return float64(2*products*t.Wave*t.SIMDs) * t.Clock / 1000 / cycles
	}
	naive, eight := jang[0], jang[6]
	fetch := float64(t.Wave) / t.FetchRate
	slowest := rate(1, float64(naive.fetches)*fetch)
	d.text(`The last version is further ahead here than in print. Two fetches limit the naive version to %.1f GFLOPS, so a version that
is %.2f times as fast reaches at most %.0f GFLOPS. But the tutorial's product, with the same fetches on the same chip, is said
to exceed 200 GFLOPS. With %d bundles on each trip, %.0f GFLOPS would remain, and %d trips write the outputs once. The
published times may include other work, such as the transposition of the second matrix.
`, slowest, eight.speedup, eight.speedup*slowest, eight.alu, rate(128, float64(eight.alu*t.GroupCycle)), 3072/4)
	return nil
}
