package htmlreport

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt"
)

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page is a report in one file, which is built incrementally. For each result it keeps a row of the
// index and the displayed content, compressed if there are several results.
type Page struct {
	totals shaderlift.Totals // of the added results

	version, pipeline string
	of                string // the pipeline of the first result: kernels have their own levels
	listed            bool   // some entry lists instructions
	saved             histogram
	index             writer
	entries           []shown
}

// shown is an entry as HTML: the anchor and the summary of its element, and the folded content.
type shown struct {
	id      string
	summary writer
	body    []byte
}

// NewPage returns a page with the run data of r. It ignores results and totals of r.
func NewPage(r *shaderlift.Report) *Page {
	return &Page{version: r.Version, pipeline: r.Pipeline}
}

// Add adds a result. If it has the programs from [shaderlift.Explain], the page lists them;
// otherwise it only has costs and remarks. draw is optional.
func (p *Page) Add(res *shaderlift.Result, draw *Draw) {
	p.totals.Add(res)
	e := entryOf(fmt.Sprintf("r%d", len(p.entries)), res.Name, res)
	e.Draw = draw
	if len(p.entries) == 0 {
		p.of = res.Pipeline
	}
	p.saved.add(e.Costs)
	p.index.index(&e)
	s := shown{id: e.ID}
	s.summary.summary(&e, e.Costs[:min(2, len(e.Costs))]) // the index has the others
	var body writer
	body.writeBody(&e)
	s.body = body.Bytes()
	p.listed = p.listed || bytes.Contains(s.body, []byte(`class="listing"`))
	if len(p.entries) == 1 {
		p.entries[0].body = packed(p.entries[0].body)
	}
	if len(p.entries) > 0 {
		s.body = packed(s.body)
	}
	p.entries = append(p.entries, s)
}

// packed returns body in the compressed form that page.js expands. Listings and graphs are
// repetitive: a batch would be ten times as large.
func packed(body []byte) []byte {
	var b bytes.Buffer
	b.WriteString(`<div class="packed"><p>A script unpacks this part, which takes a moment.</p><script type="text/plain">`)
	text := base64.NewEncoder(base64.StdEncoding, &b)
	// The writers cannot fail, because they write to memory.
	z, _ := gzip.NewWriterLevel(text, gzip.BestCompression)
	z.Write(body)
	z.Close()
	text.Close()
	b.WriteString("</script></div>\n")
	return b.Bytes()
}

// Write writes the page. Other functions have computed all positions, because SVG has no layout.
func (p *Page) Write(to io.Writer) error {
	alone, pipeline := len(p.entries) == 1, p.pipeline
	if alone {
		pipeline = cmp.Or(p.of, pipeline)
	}
	var w writer
	w.writef(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>shaderlift report</title>
<style>
%s</style>
</head>
<body>
<main>
<h1>shaderlift report</h1>
<p>%d input%s: %d improved, %d failed.</p>
`, markup(style), p.totals.Inputs, textIf(p.totals.Inputs != 1, "s"), p.totals.Improved, p.totals.Failed)
	if bars := p.saved.bars(); bars != nil && !alone {
		w.histogram(bars)
	}
	w.writef("<table id=\"index\">\n<thead><tr>")
	for i, name := range []string{"input", "status", "verdict", "cost", "before", "after", "change"} {
		w.writef(`<th scope="col"%s><button type="button">%s</button></th>`, textIf(i >= 4, ` class="n"`), name)
	}
	w.writef("</tr></thead>\n<tbody>\n")
	w.Write(p.index.Bytes())
	w.writef("</tbody>\n</table>\n<details><summary>Version %s", p.version)
	if pipeline != "" {
		w.writef(" and pipeline</summary>\n<p><code>%s</code></p>\n</details>\n", pipeline)
	} else {
		w.writef("</summary>\n<p>The inputs had no common pipeline.</p>\n</details>\n")
	}
	if p.listed {
		w.writef(`<p class="key">The value of an instruction may change<span class="of-draw"></span>for a draw or a launch<span class="of-vertex"></span>for a vertex or an invocation<span class="of-fragment"></span>for a fragment or a trip of a loop. Struck out: deleted; underlined: merged into another one; italic: moved to the vertex program; &#8613;: from the other program. The numbers: slots, and components of temporaries still read.</p>
`)
	}
	for _, e := range p.entries {
		w.folded(e.id, alone, e.summary.Bytes(), e.body)
	}
	w.writef("</main>\n<script>\n%s</script>\n</body>\n</html>\n", markup(script))
	_, err := w.WriteTo(to)
	return err
}

// folded writes an entry below its summary.
func (w *writer) folded(id string, open bool, summary, body []byte) {
	w.writef(`<details id="%s"%s>`+"\n<summary>", id, textIf(open, " open"))
	w.Write(summary)
	w.writef("</summary>\n")
	w.Write(body)
	w.writef("</details>\n")
}

// index writes the rows of the input table for an entry: one row for each cost.
func (w *writer) index(e *entry) {
	row := func(again markup, verdict, cost string, numbers ...any) {
		w.writef(`<tr%s><td><a href="#%s">%s</a></td><td>%s</td><td>%s</td><td>%s</td>`, again, e.ID, breakable(e.Name), e.Status,
			verdict, cost)
		for _, n := range numbers {
			w.writef(`<td class="n">%v</td>`, n)
		}
	}
	for i, c := range e.Costs {
		row(textIf(i > 0, ` class="again"`), e.verdict(), c.Name, c.Before, c.After, c.Saved())
		w.writef("</tr>\n")
	}
	if len(e.Costs) == 0 {
		row("", "", "")
		w.writef("<td></td><td></td><td></td></tr>\n")
	}
}

// breakable returns a name with optional line breaks after its word separators.
func breakable(name string) markup {
	return markup(separators.Replace(escaper.Replace(local(name))))
}

var separators = strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>", ",", ",<wbr>")

// summary writes an entry as one line, with some of its costs.
func (w *writer) summary(e *entry, costs []cost) {
	w.writef("<strong>%s</strong>: %s", e.Name, e.Status)
	if v := e.verdict(); v != "" {
		w.writef(", %s", v)
	}
	for _, c := range costs {
		w.writef("; %s %s", c.Name, c.steps())
	}
	if len(e.Parts) > 0 {
		better := 0
		for i := range e.Parts {
			if e.Parts[i].Status == shaderlift.Improved {
				better++
			}
		}
		w.writef("; %d of %d parts better", better, len(e.Parts))
	}
}

// tabs writes links to the parts of an entry, which are open, with their first costs.
func (w *writer) tabs(e *entry) {
	w.writef(`<nav class="tabs" aria-label="parts of %s">`, e.Label)
	for i := range e.Parts {
		p := &e.Parts[i]
		w.writef(`<a href="#%s">%s`, p.ID, breakable(p.Name))
		if len(p.Costs) > 0 {
			w.writef(` <span class="why">%s</span>`, p.Costs[0].steps())
		}
		w.writef("</a>\n")
	}
	w.writef("</nav>\n")
}

// writeBody writes the folded content of an entry.
func (w *writer) writeBody(e *entry) {
	for _, text := range []string{e.Error, e.trusts()} {
		if text != "" {
			w.writef("<p>%s</p>", text)
		}
	}
	if asm.BuiltKernels {
		w.kernel(e)
	}
	if l := e.loads(); l != nil {
		w.loads(l)
	}
	if e.Draw != nil {
		w.writeDraw(e.Draw)
	}
	if e.Moves != nil {
		w.writef(`<h2>Moved instructions</h2><section class="wide" tabindex="0" aria-label="moved instructions of %s">`,
			e.Label)
		w.picture(e.Moves)
		w.writef("</section>\n")
	}
	if e.History != nil {
		w.history(e.Label, e.History)
	}
	for i := range e.Stages {
		w.stage(e.Label, &e.Stages[i])
	}
	if len(e.Parts) > 1 {
		w.tabs(e)
	}
	for i := range e.Parts {
		var summary, body writer
		summary.summary(&e.Parts[i], e.Parts[i].Costs)
		body.writeBody(&e.Parts[i])
		w.folded(e.Parts[i].ID, true, summary.Bytes(), body.Bytes())
	}
	if e.Remarks != nil {
		w.remarks(e.Remarks)
	}
}

// kernel writes the parts of an entry that only kernels have.
func (w *writer) kernel(e *entry) {
	if e.Figures != nil {
		w.figures(e.Figures)
	}
	if e.Occupancy != nil {
		w.occupancy(e.Occupancy)
	}
	if e.Course != nil {
		w.course(e.Course)
	}
	if e.Front != nil {
		w.front(e.Label, e.Front)
	}
}

func (w *writer) remarks(list []shaderlift.Remark) {
	w.writef("<h2>Remarks</h2><ul>")
	for _, r := range list {
		w.writef("<li>")
		if r.Pass != "" {
			w.writef("%s: ", r.Pass)
		}
		w.writef("%s [%s]", r.Message, r.Code)
		if r.Line != 0 {
			w.writef(", line %d", r.Line)
		}
		w.writef("</li>")
	}
	w.writef("</ul>\n")
}

func (w *writer) loads(list []load) {
	w.writef(`<h2>Limits of GPUs</h2>
<p class="why">Work of each unit of a GPU for a pixel, before (upper bar) and after, in multiply-adds of one component, or in instructions on GPUs whose instructions do more. The unit with the most work, in bold, determines the time.</p>
<div class="loads">
`)
	for _, l := range list {
		w.writef(`<table><thead><tr><th scope="col" colspan="2">%s <span class="why">%s</span></th><th scope="col" class="n">before</th><th scope="col" class="n">after</th></tr></thead><tbody>`, l.Target, l.Saved)
		for _, u := range l.Units {
			w.writef(`<tr><th scope="row">%s</th><td><svg aria-hidden="true" viewBox="0 0 160 14" width="160" height="14" preserveAspectRatio="none">`, gpuParts[u.Part])
			for side, work := range u.Work {
				w.writef(`<rect class="part%d" x="0" y="%d" width="%.1f" height="5"/>`, u.Part, 1+7*side, barLength*work/u.Most)
			}
			w.writef("</svg></td>")
			for side, work := range u.Work {
				w.writef(`<td class="n%s">%v</td>`, textIf(u.Limits[side], " limit"), math.Round(100*work)/100)
			}
			w.writef("</tr>\n")
		}
		w.writef("</tbody></table>\n")
	}
	w.writef("</div>\n")
}

func (w *writer) writeDraw(d *Draw) {
	w.writef(`<h2>A draw</h2><div class="draws">`)
	for _, p := range d.pictures() {
		w.writef(`<figure><img src="data:image/png;base64,%s" alt="the draw: %s"><figcaption>%s</figcaption></figure>`,
			base64.StdEncoding.EncodeToString(p.data), p.text, p.text)
	}
	w.writef("</div>\n")
}

// stage writes a program of an input. Scrollable parts have a label with its name.
func (w *writer) stage(input string, s *stage) {
	w.writef("<h2>%s</h2>\n", s.Name)
	if asm.BuiltKernels && s.Grids != nil {
		for i := range s.Grids {
			w.writeGrid(input, &s.Grids[i])
		}
	} else {
		w.writef(`<div class="sides">`)
		if s.Changed {
			w.listing("before", s.Before)
			w.listing("after", s.After)
		} else {
			w.listing("unchanged", s.Before)
		}
		w.writef("</div>\n")
	}
	if s.Graphs != nil {
		w.writef("<details><summary>Dataflow: each instruction is below the instructions whose values it reads</summary>\n")
		for _, g := range s.Graphs {
			w.graph(input, g)
		}
		w.writef("</details>\n")
	}
}

func (w *writer) listing(caption string, lines []line) {
	w.writef(`<table class="listing"><caption>%s</caption><tbody>`, caption)
	given := map[string]string{} // the first place of each reason
	for _, l := range lines {
		w.writef(`<tr class="%s %s"`, l.Rate, l.Fate)
		w.writeKey(l.Key)
		w.writef(`><td class="rate"></td><td class="n">%s</td><td class="text"><code>%s</code>`, l.Where, l.Text)
		if len(l.Merged) > 0 {
			w.writef(`<div class="why">is part of %s`, l.Merged[0].Text)
			if n := len(l.Merged) - 1; n > 0 {
				w.writef(" and %d more", n)
			}
			if m := l.Merged[0]; m.Pass != "" {
				w.writef("; %s: %s [%s]", m.Pass, m.Message, m.Code)
			}
			w.writef("</div>")
		}
		if l.Why != nil {
			reason := fmt.Sprintf("%s [%s]", l.Why.Message, l.Why.Code)
			if l.Why.Unlock != "" {
				reason += fmt.Sprintf("; %s would lift that", l.Why.Unlock)
			}
			if first := given[reason]; first != "" {
				reason = fmt.Sprintf("as at %s [%s]", first, l.Why.Code)
			} else {
				given[reason] = l.Where
			}
			w.writef(`<div class="why">%s</div>`, reason)
		}
		w.writef("</td><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", l.Slots, l.Live)
	}
	w.writef("</tbody></table>")
}

// writeKey writes the attribute by which page.js finds instructions of the same origin.
func (w *writer) writeKey(key string) {
	if key != "" {
		w.writef(` data-key="%s"`, key)
	}
}

// history writes the rewrites of an input as a table, and as data for the sliders of page.js.
func (w *writer) history(name string, h *opt.History) {
	w.writef(`<section class="history"><h2>Rewrite by rewrite</h2>
<div class="steps" hidden><label><span>pass</span><input type="range" min="0"></label>
<label><span>rewrite</span><input type="range" min="0" max="%d"></label>
<p><output></output></p>
<div class="sides">`, len(h.Revisions))
	for range h.Start {
		w.writef(`<pre tabindex="0"></pre>`)
	}
	w.writef(`</div></div>
<details><summary>%d rewrites</summary>
<section class="wide" tabindex="0" aria-label="rewrites of %s"><table><thead><tr><th scope="col" class="n">no.</th><th scope="col">pass</th><th scope="col">program</th><th scope="col" class="n">line</th><th scope="col">rewrite</th>`, len(h.Revisions), name)
	for _, c := range h.Counts {
		w.writef(`<th scope="col" class="n">%s</th>`, c)
	}
	w.writef("</tr></thead>\n<tbody>")
	for i, r := range h.Revisions {
		w.writef(`<tr><td class="n"><button type="button">%d</button></td><td>%s</td><td>%s</td><td class="n">%s</td><td>%s [%s]</td>`,
			i+1, r.Remark.Pass, r.Remark.Stage, place(r.Remark.Line, r.Remark.Offset), r.Remark.Message, r.Remark.Code)
		for _, c := range r.Costs {
			w.writef(`<td class="n">%d</td>`, c)
		}
		w.writef("</tr>\n")
	}
	short := *h
	short.Revisions = slices.Clone(h.Revisions)
	for i := range short.Revisions {
		r := &short.Revisions[i].Remark
		*r = &opt.Remark{Pass: (*r).Pass, Line: (*r).Line, Message: local((*r).Message)} // the rest is in the table
	}
	// The JSON encoder escapes <, so the data cannot end the script element.
	data, _ := json.Marshal(short)
	w.writef("</tbody></table></section></details>\n<script type=\"application/json\">%s</script>\n</section>\n",
		markup(data))
}
