package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// item is a published figure about which the model says something. Its id is the letter of a paper (D for Daga,
// I for Ikeda, J for Jang, P for the tutorial at PLDI) and a number.
type item struct {
	id, what, cause string
	// digits are those behind the point. more is set if print says only that the figure is larger.
	digits int
	more   bool
}

// items are the rows of the table of differences. The sections that compute their figures call compare.
var items = []item{
	{id: "J01", what: "memory, GB/s", digits: 1,
		cause: "The clock and width in the same table give 72."},
	{id: "J22", what: "unrolling 4, 8, 16 times", digits: 2,
		cause: "Fetches bind the loop, and unrolling keeps them."},
	{id: "J23", what: "bundles: naive, eight outputs",
		cause: "Brook+ adds code for addresses."},
	{id: "J24", what: "vectors, eight outputs", digits: 2,
		cause: "Print is unexplained, see its table."},
	{id: "J25", what: "back projection: bundles, registers",
		cause: "The paper omits its kernel; ours is shorter."},
	{id: "J26", what: "its vector input, output", digits: 2,
		cause: "Vectors by hand add bundles; passes save fetches."},
	{id: "J27", what: "its ALU optimization", digits: 2,
		cause: "Fetches bind the shorter kernel."},
	{id: "P19", what: "bundles, optimised Brook+",
		cause: "The kernel follows Jang; the slides show no code."},
	{id: "P20, P21", what: "bundles of v1; in the slides' order",
		cause: "Setup is assumed; the slides misspell r2.w."},
	{id: "P27", what: "hits at 1024 rows: v1, final", digits: 1,
		cause: "In the model, wavefronts drift apart."},
	{id: "P28", what: "hits: v3 less v2", digits: 2,
		cause: "Independent increments keep the order of fetches."},
	{id: "P29", what: "final over v4, speed", digits: 2, more: true,
		cause: "Print implies it; here hits are equal."},
	{id: "P30", what: "GFLOPS", more: true,
		cause: "Misses occupy texture units; `l1-fill` = 0.5 gives over 200."},
	{id: "D06", what: "local memory", digits: 2,
		cause: "The model caches views; on rv770, which does not, staging gives %s."},
	{id: "D07", what: "image memory", digits: 2,
		cause: "The model caches reads of views too, and shifts of addresses cost operations."},
	{id: "D08, D09", what: "unrolling 4 over 2; vectors of 2 over 4", digits: 2, more: true,
		cause: "Print says that sizes decide about vectors."},
	{id: "D10", what: "vector math, 2 atoms", digits: 2, more: true,
		cause: "Scalar math fills bundles too: %s."},
	{id: "D15", what: "registers before spills",
		cause: "Four of 128 are clause temporaries."},
	{id: "I23", what: "7 motions: time saved, %",
		cause: "The model's compiler pairs or removes what moves."},
	{id: "I24", what: "% of time by % of F", digits: 2,
		cause: "Print saves %s cycles a slot: its driver hardly pairs."},
	{id: "I25", what: "fluid kernels: time saved, %",
		cause: "Print includes the start of draws, above all in scroll."},
}

// comparisons holds the cells of items, by id. Sections fill it concurrently.
type comparisons struct {
	sync.Mutex
	cells map[string][]string // print, model, ratio, cause
}

// compare enters the published figures of an item and those of the model. Without a figure of the model, ours is
// nil. details are for the cause.
func (d *document) compare(id string, published, ours []float64, details ...any) {
	it := items[slices.IndexFunc(items, func(it item) bool { return it.id == id })]
	list := func(figures []float64, more bool) string {
		var texts []string
		for _, f := range figures {
			text := fmt.Sprintf("%.*f", it.digits, f)
			if more {
				text = ">" + text
			}
			texts = append(texts, text)
		}
		return cmp.Or(strings.Join(texts, ", "), "-")
	}
	ratio := "-"
	least, most := math.Inf(1), math.Inf(-1)
	for i, f := range ours {
		least, most = min(least, f/published[i]), max(most, f/published[i])
	}
	if len(ours) > 0 {
		if ratio = fmt.Sprintf("%.2f", least); ratio != fmt.Sprintf("%.2f", most) {
			ratio += fmt.Sprintf("..%.2f", most)
		}
	}
	d.compared.Lock()
	defer d.compared.Unlock()
	d.compared.cells[id] = []string{list(published, it.more), list(ours, false), ratio, fmt.Sprintf(it.cause, details...)}
}

// differences writes the figures that the other sections entered. all reports whether every section was written.
func differences(d *document, all bool) error {
	d.text("## Print and model\n")
	d.text(`This table compares figures of Daga (D), Ikeda (I), Jang (J) and the tutorial (P). The ratio is model by print. Figures
without a unit are speed-ups.
`)
	var rows [][]string
	for _, it := range items {
		switch cells := d.compared.cells[it.id]; {
		case cells != nil:
			rows = append(rows, append([]string{it.id, it.what}, cells...))
		case all:
			return fmt.Errorf("no section has the figures of %s", it.id)
		}
	}
	d.table("row | figure | print | model | ratio | cause", rows)
	return nil
}
