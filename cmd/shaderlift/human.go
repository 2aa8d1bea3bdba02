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
)

// human writes the report for people: a line an input, and a total.
type human struct {
	w       io.Writer
	quiet   bool // only what went wrong
	verbose bool // remarks too
	terminal
	sources sources
	totals  shaderlift.Totals
	all     int       // how many inputs there are, 0 if that is not known
	began   time.Time // the run
	alone   [2]string // the last vertex and the last pixel program that were inputs by themselves
	// Programs that were inputs by themselves by their names without the ending, and the pairs of them.
	stems map[string][2]string
	pairs []string
}

func (a *app) human(quiet, verbose bool) *human {
	return &human{w: a.err, quiet: quiet, verbose: verbose, terminal: terminalOf(a.err), sources: a.source, began: time.Now()}
}

// linef writes a line above the progress.
func (h *human) linef(format string, args ...any) {
	if h.live {
		io.WriteString(h.w, clearLine)
	}
	fmt.Fprintf(h.w, format+"\n", args...)
}

// progress says on a terminal how far the batch is.
func (h *human) progress() {
	if h.live {
		io.WriteString(h.w, clearLine+h.far(time.Since(h.began)))
	}
}

// result reports one input: a line, then with -v its remarks, parts and groups.
func (h *human) result(r *shaderlift.Result, err error) {
	h.totals.Add(r)
	if r.Kind == shaderlift.KindProgram && len(r.Stages) == 1 {
		h.alone[r.Stages[0].Stage] = r.Input
		h.pairUp(r.Input, r.Stages[0].Stage)
	}
	defer h.progress()
	switch {
	case err != nil && isDiag(err) && !ofOptions(err):
		h.linef("%s", h.sources.brief(err))
	case err != nil: // which does not say of what file
		h.linef("%s: %s: %s", asm.Shown(r.Name), h.status(shaderlift.Failed), h.sources.brief(err))
	case !h.quiet:
		h.linef("%s: %s", asm.Shown(r.Name), h.line(r))
	}
	if err != nil {
		h.misfit("    ", r)
	}
	if h.verbose {
		for _, m := range r.Remarks {
			h.linef("    %s", remark(m))
		}
		for _, p := range r.Parts {
			h.linef("  %s: %s", asm.Shown(p.Name), h.line(p))
			h.misfit("    ", p)
			for _, m := range p.Remarks {
				h.linef("    %s", remark(m))
			}
		}
		for _, g := range r.Groups {
			h.linef("  group %s:", asm.Shown(g.Name))
			for _, p := range g.Pairs {
				h.linef("    %s with %s: pixel %s slots, vertex %s slots; %s", asm.Shown(p.Vertex), asm.Shown(p.Pixel),
					change(p.PixelSlots.Before, p.PixelSlots.After), change(p.VertexSlots.Before, p.VertexSlots.After), p.Verdict)
			}
		}
	}
}

// misfit says what came nearest to a profile that r does not fit, and what would make it fit.
func (h *human) misfit(margin string, r *shaderlift.Result) {
	if n := r.Nearest; n != nil {
		h.linef("%sthe nearest %s program takes %s", margin, n.Stage, join(n.Exceeds, ", "))
		if h.verbose {
			h.linef("%s%s", margin, strings.ReplaceAll(strings.TrimSpace(n.Program), "\n", "\n"+margin))
		}
	}
	if len(r.Concessions) > 0 {
		h.linef("%sit fits with %s", margin, join(r.Concessions, ", or with "))
	}
}

// line is what there is to say about an input that did not fail, in parts with semicolons between
// them: costs, verdict, and what the application has to do for it.
func (h *human) line(r *shaderlift.Result) string {
	what := costs(r)
	if what == "" { // nothing is known of it but why
		what = unpriced(r)
	}
	parts := []string{h.status(r.Status) + ": " + what}
	if rules := exceeded(r); len(rules) > 0 {
		parts = append(parts, "the input does not fit its model ("+strings.Join(rules, ", ")+")")
	}
	if r.Status == shaderlift.Improved || r.Status == shaderlift.Changed {
		parts = append(parts, verdict(r))
	}
	if len(r.Uploads) > 0 {
		sets := make([]string, len(r.Uploads))
		for i, u := range r.Uploads {
			sets[i] = fmt.Sprintf("%s = %s", u.To, u.From)
		}
		parts = append(parts, "the application must also set "+strings.Join(sets, ", "))
	}
	if r.Coarsened != nil {
		parts = append(parts, r.Coarsened.String())
	} else if why := uncoarsened(r); why != "" && !h.verbose {
		parts = append(parts, why)
	}
	if len(r.Assumes) > 0 && r.Status != shaderlift.Unchanged {
		parts = append(parts, "as long as the application sets "+join(r.Assumes, ", "))
	}
	if len(r.Promises) > 0 && r.Status != shaderlift.Unchanged {
		parts = append(parts, "as long as the application keeps "+join(r.Promises, ", "))
	}
	if r.Partner != "" && r.Status != shaderlift.Unchanged {
		parts = append(parts, "behind partner "+r.Partner)
	}
	if g := r.Growth; g != nil {
		var pixel, vertex shaderlift.Change
		for _, p := range g.Pairs {
			pixel.Before, pixel.After = pixel.Before+p.PixelSlots.Before, pixel.After+p.PixelSlots.After
			vertex.Before, vertex.After = vertex.Before+p.VertexSlots.Before, vertex.After+p.VertexSlots.After
		}
		n := len(g.Pairs)
		parts = append(parts, fmt.Sprintf("own programs for %d %s (pixel %d -> %d, vertex %d -> %d slots), %d -> %d programs, %d -> %d bytes (%+.1f%%)", n, plural("pair", n),
			pixel.Before, pixel.After, vertex.Before, vertex.After, g.Programs.Before, g.Programs.After, g.Bytes.Before, g.Bytes.After, 100*float64(g.Bytes.After-g.Bytes.Before)/float64(g.Bytes.Before)))
	}
	if n := remarks(r); n > 0 && !h.verbose {
		parts = append(parts, fmt.Sprintf("%d %s (-v)", n, plural("remark", n)))
	}
	return strings.Join(parts, "; ")
}

// of begins a total: how many inputs there are, and of how many that is, if some are not done.
func (h *human) of(all int) string {
	if n := h.totals.Inputs; n < all {
		return fmt.Sprintf("%d of %d %s", n, all, plural("input", all))
	}
	return fmt.Sprintf("%d %s", all, plural("input", all))
}

// together says how a draw is given, where two inputs were its vertex and its pixel program.
func (h *human) together() {
	if vertex, pixel := h.alone[d3d9.Vertex], h.alone[d3d9.Pixel]; vertex != "" && pixel != "" && !h.quiet {
		h.linef("each program was optimized by itself; if a draw runs both, %s,%s is one input", asm.Shown(vertex), asm.Shown(pixel))
	}
}

// pairUp notes a program that is an input by itself; one of the other stage may have the same name but for the ending.
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

// named says how draws are given, where programs of a folder are named as pairs: which are drawn together nobody
// has said.
func (h *human) named() {
	if n := len(h.pairs); n > 0 && !h.quiet {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and likewise %d more that are named alike", n-1)
		}
		h.linef("each program was optimized by itself; if a draw runs both, %s is one input%s", asm.Shown(h.pairs[0]), more)
	}
}

// total ends the report on so many inputs.
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
			h.linef("%s of %d inputs: median %s, geometric mean %s, best %s (%s), worst %s (%s)", r.Cost, r.Inputs, offOne(r.Median),
				offOne(r.GeometricMean), offOne(r.Best.Ratio), r.Best.Name, offOne(r.Worst.Ratio), r.Worst.Name)
		}
	}
	changed := ""
	if t.Changed > 0 {
		changed = fmt.Sprintf("%d changed, ", t.Changed)
	}
	text := fmt.Sprintf("%s: %d improved, %s%d unchanged, %d failed", h.of(inputs),
		t.Improved, changed, t.Inputs-t.Improved-t.Changed-t.Failed, t.Failed)
	for _, s := range []struct {
		name string
		sum  *shaderlift.Change
	}{{"pixel slots", t.PixelSlots}, {"vertex slots", t.VertexSlots}, {"cycles", t.Cycles}, {"groups", t.ALU}} {
		if s.sum == nil {
			continue
		}
		text += fmt.Sprintf("; %s %s", s.name, change(s.sum.Before, s.sum.After))
		if s.sum.Before != s.sum.After {
			text += fmt.Sprintf(" (%+.1f%%)", 100*float64(s.sum.After-s.sum.Before)/float64(s.sum.Before))
		}
	}
	fmt.Fprintf(h.w, "%s; %.1f s\n", text, seconds)
}
