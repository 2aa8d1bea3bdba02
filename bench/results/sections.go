package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift/bench/internal/rank"
	"github.com/shaderlift/shaderlift/machine/chip"
)

func intro(d *document) error {
	d.text(`# Results

This document compares shaderlift with published results on the same kernels. ` + "`go run -C bench ./results`" + ` writes it; do
not edit it. In a cell such as 48 / 49, the first figure is from shaderlift, and the second one is the published figure.

The kernels are in testdata/il. Their loops are those on the slides of AMD's tutorial. The slides do not show setup and
epilogue, so these were added. Unless a section names another machine, figures are from the model of package machine for
the RV670 (HD 3870), the chip of the published figures. No constant of the model was set to fit a single row.
`)
	return nil
}

// counts compares the static figures of the tutorial.
func counts(d *document) error {
	d.text("## The tutorial's matrix product: counts\n")
	var rows [][]string
	var groups, ops []float64
	registers, without := 0, 0 // largest distance of register counts
	for _, p := range tutorial {
		c, err := d.kernel(p.kernel)
		if err != nil {
			return err
		}
		st := &c.Stats
		rows = append(rows, p.beside(c))
		groups, ops = append(groups, off(st.Groups, p.alu)), append(ops, off(st.Ops, p.ops))
		registers = max(registers, distance(st.GPRs, p.gprs))
		without = max(without, distance(st.GPRs-st.TempRegs, p.gprs))
	}
	v1, err := d.kernel(tutorial[0].kernel)
	if err != nil {
		return err
	}
	printed, err := asPrinted()
	if err != nil {
		return err
	}
	d.compare("P20, P21", []float64{float64(tutorial[0].alu), float64(tutorial[0].alu)},
		[]float64{float64(v1.Stats.Groups), float64(printed.Stats.Groups)})
	d.table(countsHead, rows)
	verdict := func(ok bool) string {
		if ok {
			return "met"
		}
		return "missed"
	}
	d.text(`Aims: bundles within 3 %%: %s; operations within 1 %%: %s; registers within 2: %s (at most %d apart). Registers include
clause temporaries, as the published column seems to do: without them, registers are up to %d apart. The column "without port
rules" ignores the read ports of registers and constants.
`, verdict(within(0.03, groups...)), verdict(within(0.01, ops...)), verdict(registers <= 2), registers, without)
	d.text(`The slides do not show enough of v4 (32 registers) to write it down. A later section has the version that passes generate
from v1 instead. Operations of the setup are assumed; see the documentation of lower.Kernel.

For Brook+, the tutorial shows only counts. They are compared with testdata/il/%s.il and %s.il, which follow Jang's
description of the same two products.
`, brook[0].kernel, brook[1].kernel)
	rows = nil
	for _, p := range brook {
		c, err := d.kernel(p.kernel)
		if err != nil {
			return err
		}
		rows = append(rows, p.beside(c))
		d.compare("P19", []float64{float64(p.alu)}, []float64{float64(c.Stats.Groups)}) // the last row stays
	}
	d.table(countsHead, rows)
	return nil
}

// asPrinted returns v1 with the statements at the end of its loop in the order of the slides.
func asPrinted() (*compiled, error) {
	data, err := os.ReadFile(filepath.Join("testdata", "il", tutorial[0].kernel+".il"))
	if err != nil {
		return nil, err
	}
	const increment, copied = "add r2.___w, r2.w, r38.y\n", "mov r0.___w, r2.w\n"
	text := strings.Replace(string(data), increment+copied, copied+increment, 1)
	if text == string(data) {
		return nil, fmt.Errorf("%s does not increment and then copy", tutorial[0].kernel)
	}
	return compileText(tutorial[0].kernel, []byte(text), "rv670")
}

// countsHead is the header for rows of beside.
const countsHead = "version | bundles | without port rules | scalar operations | slots filled % | fetches | registers"

// beside returns a row with the counts of a kernel and the published ones.
func (p *row) beside(c *compiled) []string {
	st := &c.Stats
	return []string{p.label, beside(st.Groups, p.alu), number(c.unported.Groups), beside(st.Ops, p.ops),
		fmt.Sprintf("%.2f / %.2f", 100*st.Utilization(), p.util), fmt.Sprintf("%d / %d", st.Fetches, p.fetches),
		fmt.Sprintf("%d / %d", st.GPRs, p.gprs)}
}

// packing shows the rule in the example of AMD's assembly manual.
func packing(d *document) error {
	d.text("## Constants: an example from AMD\n")
	const text = "il_ps_2_0\ndcl_cb cb0[2]\ndcl_output_generic o0\nmul o0, cb0[0], cb0[1]\nend\n"
	var rows [][]string
	for _, target := range chip.Names() {
		c, err := compileText("mul_cb.il", []byte(text), target)
		if err != nil {
			return err
		}
		rows = append(rows, []string{target, number(c.Stats.Groups), fmt.Sprintf("%.0f", 100*c.Stats.Utilization()),
			number(c.unported.Groups)})
	}
	d.text("In AMD's note on the assembly format, `mul o0, cb0[0], cb0[1]` takes two bundles and fills 40 %% of their slots:\n")
	d.table("target | bundles | slots filled % | without port rules", rows)
	return nil
}

// jangShape compares the static figures of Jang's versions.
func jangShape(d *document) error {
	d.text("## Jang 2009, table 2: counts\n")
	naive, err := addressedStats(jang[0].kernel)
	if err != nil {
		return err
	}
	eight, err := addressedStats(jang[6].kernel)
	if err != nil {
		return err
	}
	d.text(`Brook+ compiled the published kernels. Its translation of stream addresses causes most of the operations outside the
products. The kernels here do without it, so the columns that depend on it are lower. Figures in brackets add two
operations for each coordinate of a fetch. The first one is the scale and bias in the sources of the Brook+
compiler. The second one adds half a texel, as the published operations suggest. With both, five versions match within two
operations. The naive version has %d fewer operations in print, and the version with
eight outputs has %d more; the reason is not known. Fetches and their use are the same by construction.
`, naive.Ops-jang[0].ops, jang[6].ops-eight.Ops)
	var rows [][]string
	var ours, theirs [4][]float64
	for _, p := range jang {
		c, err := d.kernel(p.kernel)
		if err != nil {
			return err
		}
		whole, err := addressedStats(p.kernel)
		if err != nil {
			return err
		}
		st := &c.Stats
		intensity := float64(p.alu) / float64(p.fetches)
		rows = append(rows, []string{p.label, fmt.Sprintf("%d (%d) / %d", st.Groups, whole.Groups, p.alu),
			fmt.Sprintf("%d (%d) / %d", st.Ops, whole.Ops, p.ops),
			fmt.Sprintf("%.1f / %.1f", 100*st.Utilization(), p.util), fmt.Sprintf("%d / %d", st.Fetches, p.fetches),
			fmt.Sprintf("%.0f", 100*st.FetchUtilization()), fmt.Sprintf("%.2f / %.2f", st.Intensity(),
				intensity), fmt.Sprintf("%d / %d", st.GPRs, p.gprs)})
		for i, pair := range [...][2]float64{{float64(st.Groups), float64(p.alu)}, {st.Utilization(), p.util},
			{st.Intensity(), intensity}, {float64(st.GPRs), float64(p.gprs)}} {
			ours[i], theirs[i] = append(ours[i], pair[0]), append(theirs[i], pair[1])
		}
	}
	d.table("version | bundles | operations | slots filled % | fetches | fetch use % | bundles per fetch | registers",
		rows)
	last := len(jang) - 1
	d.compare("J23", []float64{theirs[0][0], theirs[0][last]}, []float64{ours[0][0], ours[0][last]})
	t, err := chip.ByName("rv670")
	if err != nil {
		return err
	}
	bandwidth, err := t.Get("bandwidth")
	if err != nil {
		return err
	}
	d.compare("J01", []float64{jangBandwidth}, []float64{bandwidth})
	d.text("Rank correlation: bundles %.2f, slots filled %.2f, bundles per fetch %.2f, registers %.2f.\n",
		rank.Correlation(ours[0], theirs[0]), rank.Correlation(ours[1], theirs[1]), rank.Correlation(ours[2],
			theirs[2]), rank.Correlation(ours[3], theirs[3]))
	return nil
}

// wavefronts compares the rules of register budgets with published examples.
func wavefronts(d *document) error {
	d.text("## Wavefronts that the registers allow\n")
	var rows [][]string
	for _, r := range residency {
		t, err := chip.ByName(r.target)
		if err != nil {
			return err
		}
		b, err := chip.BudgetByName(r.budget)
		if err != nil {
			return err
		}
		rows = append(rows, []string{r.source, r.budget, number(r.gprs), fmt.Sprintf("%d / %d", b.Waves(t, r.gprs), r.waves)})
	}
	d.table("source | rule | registers | wavefronts", rows)
	return nil
}

// ranking compares the times of Jang's versions.
func ranking(d *document) error {
	const n = 1024
	d.text("## Jang 2009: time\n")
	d.text("Speed-up over the naive version. The model computes it for %d rows; the published figures are for 3072.\n", n)
	var rows [][]string
	var versions []string
	var ours, theirs []float64
	base := 0.0
	for _, p := range jang {
		c, err := d.kernel(p.kernel)
		if err != nil {
			return err
		}
		r, err := c.time(products[p.kernel], n, d.steps/5)
		if err != nil {
			return err
		}
		if base == 0 {
			base = r.Seconds
		}
		versions = append(versions, p.label)
		ours, theirs = append(ours, base/r.Seconds), append(theirs, p.speedup)
		rows = append(rows, []string{p.label, fmt.Sprintf("%.2f / %.2f", base/r.Seconds, p.speedup),
			fmt.Sprintf("%.1f", 100*r.L1Hit), r.Bottleneck})
	}
	d.table("version | speed-up | hits in L1 % | bottleneck", rows)
	if err := d.plot("jang-time", "Speed-up over the naive version", "", "times", versions, curve{"model", ours, false},
		curve{"", theirs, true}); err != nil {
		return err
	}
	d.text("Rank correlation %.2f.\n", rank.Correlation(ours, theirs))
	return nil
}

// assumptions lists the constants of the model.
func assumptions(d *document) error {
	d.text("## Constants of the model\n")
	var rows [][]string
	for _, p := range chip.Parameters() {
		source := p.Source
		if p.Assumed {
			source = "**assumed**"
			if p.Source != "" && p.Source != "none" {
				source += " (" + p.Source + ")"
			}
		}
		line := []string{"`" + p.Name + "`", p.Doc, p.Unit}
		for _, v := range p.Values {
			line = append(line, fmt.Sprintf("%g", v))
		}
		rows = append(rows, append(line, source))
	}
	d.table("name | meaning | unit | r600 | rv670 | rv770 | cypress | source", rows)
	return nil
}
