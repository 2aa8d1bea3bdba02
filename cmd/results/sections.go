package main

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/rank"
	"github.com/shaderlift/shaderlift/machine/chip"
)

func intro(d *document) error {
	d.text(`# Results

Written by ` + "`go run ./cmd/results`" + `; do not edit. Figures of this project stand first, what was published after
a slash. Kernels are those of testdata/il: loops as on the slides of AMD's tutorial, setup and epilogue supplied, since
they are not on the slides. The machine is the model of package machine for the RV670 (HD 3870), the chip of the
published figures, unless something else is said. Nothing in it is set for a single row.
`)
	return nil
}

// counts are the static figures of the tutorial.
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
	d.table(countsHead, rows)
	verdict := func(ok bool) string {
		if ok {
			return "met"
		}
		return "missed"
	}
	d.text(`Aims: bundles within 3 %%: %s; operations within 1 %%: %s; registers within 2: %s (at most %d apart). Registers include
clause temporaries, which by the instruction set documents are no registers of a program; that the published column
does is inferred from the fit: without them, registers are up to %d apart. "Without port rules" is the packing with the
read ports of registers and constants ignored: what those rules cost.
`, verdict(within(0.03, groups...)), verdict(within(0.01, ops...)), verdict(registers <= 2), registers, without)
	d.text(`v4 of the tutorial (32 registers) is not shown on the slides closely enough to be written down; what passes make of v1
in its stead is below. Operations of the setup are assumed: see the documentation of lower.Kernel.

Of Brook+ the tutorial shows counts alone; the kernels beside them are testdata/il/%s.il and %s.il, which were written after
Jang for the same two products.
`, brook[0].kernel, brook[1].kernel)
	rows = nil
	for _, p := range brook {
		c, err := d.kernel(p.kernel)
		if err != nil {
			return err
		}
		rows = append(rows, p.beside(c))
	}
	d.table(countsHead, rows)
	return nil
}

// countsHead is the head of what beside makes.
const countsHead = "version | bundles | without port rules | scalar operations | slots filled % | fetches | registers"

// beside puts the counts of a kernel beside those that were published.
func (p *row) beside(c *compiled) []string {
	st := &c.Stats
	return []string{p.label, beside(st.Groups, p.alu), number(c.unported.Groups), beside(st.Ops, p.ops),
		fmt.Sprintf("%.2f / %.2f", 100*st.Utilization(), p.util), fmt.Sprintf("%d / %d", st.Fetches, p.fetches),
		fmt.Sprintf("%d / %d", st.GPRs, p.gprs)}
}

// packing shows the rule that the example of AMD's assembly manual shows.
func packing(d *document) error {
	d.text("## Constants: an example of AMD's\n")
	const text = "il_ps_2_0\ndcl_cb cb0[2]\ndcl_output_generic o0\nmul o0, cb0[0], cb0[1]\nend\n"
	var rows [][]string
	for _, target := range chip.Names() {
		c, err := compileText("mul_cb.il", []byte(text), target)
		if err != nil {
			return err
		}
		rows = append(rows, []string{target, number(c.Stats.Groups), fmt.Sprintf("%.0f", 100*c.Stats.Utilization()), number(c.unported.Groups)})
	}
	d.text("`mul o0, cb0[0], cb0[1]` takes two bundles, 40 %% of their slots, in AMD's note on the assembly format:\n")
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
	d.text(`The published kernels came out of Brook+, whose translation of stream addresses makes up most of their operations
outside the products. The kernels here are written without it, so the columns that depend on it are lower; in brackets is
what they come to with two operations for each coordinate of a fetch, as the sources of its compiler have them: a scale and
a bias that are constants of the stream, and half a texel, which those sources do not show but the operations of the table
add up to. That tells all but two operations of five versions. The naive one has %d fewer in print, and eight outputs
have %d more, which are not known. Fetches, and how much of them is used, are the same by construction.
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
		rows = append(rows, []string{p.label, fmt.Sprintf("%d (%d) / %d", st.Groups, whole.Groups, p.alu), fmt.Sprintf("%d (%d) / %d", st.Ops, whole.Ops, p.ops),
			fmt.Sprintf("%.1f / %.1f", 100*st.Utilization(), p.util), fmt.Sprintf("%d / %d", st.Fetches, p.fetches),
			fmt.Sprintf("%.0f", 100*st.FetchUtilization()), fmt.Sprintf("%.2f / %.2f", st.Intensity(), intensity), fmt.Sprintf("%d / %d", st.GPRs, p.gprs)})
		for i, pair := range [...][2]float64{{float64(st.Groups), float64(p.alu)}, {st.Utilization(), p.util}, {st.Intensity(), intensity}, {float64(st.GPRs), float64(p.gprs)}} {
			ours[i], theirs[i] = append(ours[i], pair[0]), append(theirs[i], pair[1])
		}
	}
	d.table("version | bundles | operations | slots filled % | fetches | fetch use % | bundles a fetch | registers", rows)
	d.text("Rank correlation: bundles %.2f, slots filled %.2f, bundles a fetch %.2f, registers %.2f.\n",
		rank.Correlation(ours[0], theirs[0]), rank.Correlation(ours[1], theirs[1]), rank.Correlation(ours[2], theirs[2]), rank.Correlation(ours[3], theirs[3]))
	return nil
}

// wavefronts shows the budget rules.
func wavefronts(d *document) error {
	d.text("## Wavefronts that registers leave room for\n")
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
	d.text("Speed-up over the naive version; the model at %d rows, published at 3072.\n", n)
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
		rows = append(rows, []string{p.label, fmt.Sprintf("%.2f / %.2f", base/r.Seconds, p.speedup), fmt.Sprintf("%.1f", 100*r.L1Hit), r.Bottleneck})
	}
	d.table("version | speed-up | hits in L1 % | bottleneck", rows)
	if err := d.plot("jang-time", "Speed-up over the naive version", "", "times", versions, curve{"model", ours, false}, curve{"", theirs, true}); err != nil {
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
	d.table("name | what | unit | r600 | rv670 | rv770 | cypress | source", rows)
	return nil
}
