package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/shaderlift/shaderlift/verify"
)

// human writes the report as text: a line for each input, and a total.
type human struct {
	w       io.Writer
	quiet   bool // print only errors
	verbose bool // print remarks too
	terminal
	sources sources
	totals  shaderlift.Totals
	all     int // number of inputs, or 0 if unknown
	names   int // width of the names of a batch
	// repeated has the names of a batch that several inputs have.
	repeated map[string]bool
	doubt    bool      // a result is only tested
	began    time.Time // start of the run
	alone    [2]string // the last vertex and the last pixel program that were single inputs
	// Single programs by their names without the extension, and the names that form pairs.
	stems map[string][2]string
	pairs []string
	// modules are the SPIR-V modules of one stage that were single inputs.
	modules []string
}

func (a *app) human(quiet, verbose bool) *human {
	return &human{w: a.err, quiet: quiet, verbose: verbose, terminal: terminalOf(a.err), sources: a.source,
		began: time.Now()}
}

// linef writes a line above the progress line.
func (h *human) linef(format string, args ...any) {
	if h.live {
		io.WriteString(h.w, clearLine)
	}
	fmt.Fprintf(h.w, format+"\n", args...)
}

// progress shows the progress of the batch on a terminal.
func (h *human) progress() {
	if h.live {
		io.WriteString(h.w, clearLine+h.progressText(time.Since(h.began)))
	}
}

// result reports one input: a line, then with -v its remarks, parts and groups.
func (h *human) result(r *shaderlift.Result, err error) {
	h.totals.Add(r)
	if r.Status == shaderlift.Improved || r.Status == shaderlift.Changed {
		h.doubt = h.doubt || r.Verdict() < verify.Bounded
	}
	if r.Kind == shaderlift.KindProgram && len(r.Stages) == 1 {
		h.alone[r.Stages[0].Stage] = r.Input
		h.pairUp(r.Input, r.Stages[0].Stage)
	}
	if len(r.Modules) == 1 && r.Modules[0].Stage != "" {
		h.modules = append(h.modules, r.Input)
	}
	defer h.progress()
	batch := h.all > 1 && !h.verbose
	if batch && (err != nil || !h.quiet) {
		h.linef("%s", h.row(r))
	}
	switch {
	case err != nil && isDiag(err) && !ofOptions(err):
		h.linef("%s", h.sources.brief(err))
	case err != nil && batch:
		h.linef("    %s", h.sources.brief(err))
	case err != nil: // an error that does not name the file
		h.linef("%s: %s: %s", asm.Shown(r.Name), h.status(shaderlift.Failed), h.sources.brief(err))
	case !h.quiet && batch:
		for _, text := range append(wording.Duties(r), wording.Uneven(r)...) {
			h.linef("    %s", text)
		}
	case !h.quiet:
		h.linef("%s: %s", asm.Shown(r.Name), h.resultLine(r))
	}
	if err != nil {
		h.misfit("    ", r)
	}
	if !h.quiet {
		h.warnings(r)
	}
	if h.verbose {
		for _, m := range r.Remarks {
			h.linef("    %s", wording.Remark(m))
		}
		for _, p := range r.Parts {
			h.linef("  %s: %s", asm.Shown(p.Name), h.resultLine(p))
			h.misfit("    ", p)
			for _, m := range p.Remarks {
				h.linef("    %s", wording.Remark(m))
			}
		}
		for _, g := range r.Groups {
			h.linef("  group %s:", asm.Shown(g.Name))
			for _, p := range g.Pairs {
				h.linef("    %s with %s: pixel %s slots, vertex %s slots; %s", asm.Shown(p.Vertex), asm.Shown(p.Pixel),
					wording.Change(p.PixelSlots.Before, p.PixelSlots.After), wording.Change(p.VertexSlots.Before, p.VertexSlots.After), p.Verdict)
			}
		}
	}
}

// warnings prints the warnings among the remarks of r and its parts.
func (h *human) warnings(r *shaderlift.Result) {
	var list asm.Diags
	for _, p := range append([]*shaderlift.Result{r}, r.Parts...) {
		for _, m := range p.Remarks {
			if d := m.Warning(); d != nil {
				list = append(list, d)
			}
		}
	}
	if h.live && len(list) > 0 {
		io.WriteString(h.w, clearLine)
	}
	printWarnings(h.w, list)
}

// misfit reports the program that is nearest to a profile that r does not fit, and changes that
// would make it fit.
func (h *human) misfit(margin string, r *shaderlift.Result) {
	if n := r.Nearest; n != nil {
		h.linef("%sthe nearest %s program needs %s", margin, n.Stage, wording.Join(n.Exceeds, ", "))
		if h.verbose {
			h.linef("%s%s", margin, strings.ReplaceAll(strings.TrimSpace(n.Program), "\n", "\n"+margin))
		}
	}
	if len(r.Concessions) > 0 {
		h.linef("%sit fits with %s", margin, wording.Join(r.Concessions, ", or with "))
	}
}

// resultLine returns the text about a successful input.
func (h *human) resultLine(r *shaderlift.Result) string {
	text := wording.Line(r, h.status(r.Status), h.verbose)
	if n := remarks(r); n > 0 && !h.verbose {
		text += fmt.Sprintf("; %d %s (-v)", n, wording.Plural("remark", n))
	}
	return text
}

// remarks returns the number of remarks, including those of parts.
func remarks(r *shaderlift.Result) int {
	n := len(r.Remarks)
	for _, p := range r.Parts {
		n += remarks(p)
	}
	return n
}

// countText returns the beginning of a total: the number of inputs, or the number of finished inputs out
// of all.
func (h *human) countText(all int) string {
	if n := h.totals.Inputs; n < all {
		return fmt.Sprintf("%d of %d %s", n, all, wording.Plural("input", all))
	}
	return fmt.Sprintf("%d %s", all, wording.Plural("input", all))
}

// together explains how to specify a draw, if two inputs were its vertex and its pixel program.
func (h *human) together() {
	if vertex, pixel := h.alone[d3d9.Vertex], h.alone[d3d9.Pixel]; vertex != "" && pixel != "" && !h.quiet {
		h.linef("each program was optimized alone; if a draw runs both, give %s,%s as one input", asm.Shown(vertex),
			asm.Shown(pixel))
	}
}

// pairUp records a single program. A program of the other stage may have the same name except for
// the extension.
func (h *human) pairUp(path string, stage d3d9.Stage) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	two := h.stems[stem]
	if two[stage] != "" {
		return // given twice
	}
	if two[stage] = path; two[d3d9.Vertex] != "" && two[d3d9.Pixel] != "" {
		h.pairs = append(h.pairs, two[d3d9.Vertex]+","+two[d3d9.Pixel])
	}
	if h.stems == nil {
		h.stems = map[string][2]string{}
	}
	h.stems[stem] = two
}

// named explains how to specify draws, if programs of a folder have names like pairs. The input
// does not determine which programs a draw combines.
func (h *human) named() {
	if n := len(h.pairs); n > 0 && !h.quiet {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and so on for %d more %s of names", n-1, wording.Plural("pair", n-1))
		}
		h.linef("each program was optimized alone; if a draw runs both, give %s as one input%s", asm.Shown(h.pairs[0]), more)
	}
}

// maxNamed is the number of modules without a partner that are named.
const maxNamed = 4

// single names the modules of a batch that are in no pair.
func (h *human) single() {
	n := len(h.modules)
	if n == 0 || h.quiet || h.all < 2 {
		return
	}
	names := h.modules[:min(n, maxNamed)]
	more := ""
	if n > len(names) {
		more = fmt.Sprintf(" and %d more", n-len(names))
	}
	h.linef("%d %s without a partner: %s%s; a folder pairs NAME%s with NAME%s", n, wording.Plural("module", n),
		strings.Join(names, ", "), more, vertexSuffix, fragmentSuffix)
}

// total ends the report on the given number of inputs.
func (h *human) total(inputs int, seconds float64) {
	if h.live {
		io.WriteString(h.w, clearLine)
	}
	if h.quiet {
		return
	}
	t := &h.totals
	t.Settle()
	for _, r := range t.Trends {
		if r.Best.Ratio != r.Worst.Ratio {
			h.linef("%s of %d inputs: median %s, geometric mean %s, best %s (%s), worst %s (%s)", r.Cost, r.Inputs,
				changeOf(r.Median),
				changeOf(r.GeometricMean), changeOf(r.Best.Ratio), r.Best.Name, changeOf(r.Worst.Ratio), r.Worst.Name)
		}
	}
	changed := ""
	if t.Changed > 0 {
		changed = fmt.Sprintf("%d changed, ", t.Changed)
	}
	text := fmt.Sprintf("%s: %d improved, %s%d unchanged, %d failed", h.countText(inputs),
		t.Improved, changed, t.Inputs-t.Improved-t.Changed-t.Failed, t.Failed)
	for _, s := range []struct {
		name string
		sum  *shaderlift.Change
	}{{"pixel slots", t.PixelSlots}, {"vertex slots", t.VertexSlots}, {"components", t.Components}, {"instructions", t.Instructions}, {"cycles", t.Cycles}, {"groups", t.ALU}} {
		if s.sum == nil {
			continue
		}
		text += fmt.Sprintf("; %s %s", s.name, wording.Change(s.sum.Before, s.sum.After))
		if s.sum.Before != s.sum.After {
			text += fmt.Sprintf(" (%+.1f%%)", 100*float64(s.sum.After-s.sum.Before)/float64(s.sum.Before))
		}
	}
	if inputs > 1 && t.Improved+t.Changed > 0 && !h.doubt {
		text += "; verified"
	}
	fmt.Fprintf(h.w, "%s; %.1f s\n", text, seconds)
}

// changeOf returns a ratio as a change in percent.
func changeOf(ratio float64) string {
	text := fmt.Sprintf("%+.1f%%", 100*(ratio-1))
	if text == "-0.0%" || text == "+0.0%" {
		return "0%"
	}
	return text
}
