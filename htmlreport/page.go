package htmlreport

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/shaderlift/shaderlift"
)

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page is a report as one file, which is made while results come. Of each it keeps a row of the index,
// and what is shown of it: packed, if it is one of several.
type Page struct {
	Totals shaderlift.Totals // of what was added

	version, pipeline string
	of                string // the pipeline of the first result: kernels have levels of their own
	saved             histogram
	index             writer
	entries           []shown
}

// shown is an entry as HTML: the attributes and the summary of the element that it is, and what it folds.
type shown struct {
	id      string
	summary writer
	body    []byte
}

// NewPage is a page that says of the run what r does. What results and totals r has are not part of it.
func NewPage(r *shaderlift.Report) *Page {
	return &Page{version: r.Version, pipeline: r.Pipeline}
}

// Add adds a result, which may have the programs that [shaderlift.Explain] lists; of others there are
// costs and remarks alone. A draw, if there is one, is shown.
func (p *Page) Add(res *shaderlift.Result, draw *Draw) {
	p.Totals.Add(res)
	e := entryOf(fmt.Sprintf("r%d", len(p.entries)), res.Name, res)
	e.Draw = draw
	if len(p.entries) == 0 {
		p.of = res.Pipeline
	}
	p.saved.add(e.Costs)
	p.index.index(&e)
	s := shown{id: e.ID}
	s.summary.summary(&e)
	var body writer
	body.body(&e)
	s.body = body.Bytes()
	if len(p.entries) == 1 {
		p.entries[0].body = packed(p.entries[0].body)
	}
	if len(p.entries) > 0 {
		s.body = packed(s.body)
	}
	p.entries = append(p.entries, s)
}

// packed is what page.js makes body of. Listings and graphs repeat themselves: a batch would be ten
// times as large.
func packed(body []byte) []byte {
	var b bytes.Buffer
	b.WriteString(`<div class="packed"><p>What is here is unpacked by a script, which takes a moment.</p><script type="text/plain">`)
	text := base64.NewEncoder(base64.StdEncoding, &b)
	// Neither writer fails: what they write to is memory.
	z, _ := gzip.NewWriterLevel(text, gzip.BestCompression)
	z.Write(body)
	z.Close()
	text.Close()
	b.WriteString("</script></div>\n")
	return b.Bytes()
}

// Write writes the page. What it needs of positions is computed elsewhere: SVG has no layout.
func (p *Page) Write(to io.Writer) error {
	alone, pipeline := len(p.entries) == 1, p.pipeline
	if alone {
		pipeline = cmp.Or(p.of, pipeline)
	}
	var w writer
	w.put(`<!DOCTYPE html>
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
<p>Version %s`, markup(style), p.version)
	if pipeline != "" {
		w.put(`; passes <code>%s</code>`, pipeline)
	}
	w.put(".\nInputs: %d, %d improved, %d failed.</p>\n", p.Totals.Inputs, p.Totals.Improved, p.Totals.Failed)
	if bars := p.saved.bars(); bars != nil && !alone {
		w.histogram(bars)
	}
	w.put("<table id=\"index\">\n<thead><tr>")
	for i, name := range []string{"input", "status", "verdict", "cost", "before", "after", "change"} {
		w.put(`<th scope="col"%s><button type="button">%s</button></th>`, when(i >= 4, ` class="n"`), name)
	}
	w.put("</tr></thead>\n<tbody>\n")
	w.Write(p.index.Bytes())
	w.put(`</tbody>
</table>
<p class="key">What an instruction computes may change<span class="of-draw"></span>for a draw or a launch<span class="of-vertex"></span>for a vertex or an invocation<span class="of-fragment"></span>for a fragment or a trip of a loop. Struck out: gone; underlined: merged into another one; italic: moved to the vertex program; &#8613;: from the other program. The numbers: slots, and components of temporaries still read.</p>
`)
	for _, e := range p.entries {
		w.folded(e.id, alone, e.summary.Bytes(), e.body)
	}
	w.put("</main>\n<script>\n%s</script>\n</body>\n</html>\n", markup(script))
	_, err := w.WriteTo(to)
	return err
}

// folded is an entry under its summary.
func (w *writer) folded(id string, open bool, summary, body []byte) {
	w.put(`<details id="%s"%s>`+"\n<summary>", id, when(open, " open"))
	w.Write(summary)
	w.put("</summary>\n")
	w.Write(body)
	w.put("</details>\n")
}

// index is what the table of inputs says of one: a row for each cost.
func (w *writer) index(e *entry) {
	row := func(verdict, cost string, numbers ...any) {
		w.put(`<tr><td><a href="#%s">%s</a></td><td>%s</td><td>%s</td><td>%s</td>`, e.ID, breakable(e.Name), e.Status, verdict, cost)
		for _, n := range numbers {
			w.put(`<td class="n">%v</td>`, n)
		}
	}
	for _, c := range e.Costs {
		row(e.verdict(), c.Name, c.Before, c.After, c.Saved())
		w.put("</tr>\n")
	}
	if len(e.Costs) == 0 {
		row("", "")
		w.put("<td></td><td></td><td></td></tr>\n")
	}
}

// breakable is a name that may go on in another line behind what separates its words.
func breakable(name string) markup {
	return markup(separators.Replace(html.EscapeString(name)))
}

var separators = strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>", ",", ",<wbr>")

// summary is an entry in a line.
func (w *writer) summary(e *entry) {
	w.put("<strong>%s</strong>: %s", e.Name, e.Status)
	if v := e.verdict(); v != "" {
		w.put(", %s", v)
	}
	for _, c := range e.Costs {
		w.put("; %s %d &#8594; %d", c.Name, c.Before, c.After)
	}
	if len(e.Parts) > 0 {
		better := 0
		for i := range e.Parts {
			if e.Parts[i].Status == shaderlift.Improved {
				better++
			}
		}
		w.put("; %d of %d parts better", better, len(e.Parts))
	}
}

// body is what an entry folds.
func (w *writer) body(e *entry) {
	for _, text := range []string{e.Error, e.trusts()} {
		if text != "" {
			w.put("<p>%s</p>", text)
		}
	}
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
		w.front(e.Front)
	}
	if l := e.loads(); l != nil {
		w.loads(l)
	}
	if e.Draw != nil {
		w.draw(e.Draw)
	}
	if e.Moves != nil {
		w.put(`<h2>What moved</h2><section class="wide" tabindex="0" aria-label="what moved in %s">`, e.Label)
		w.picture(e.Moves)
		w.put("</section>\n")
	}
	if e.History != nil {
		w.history(e.Label, e.History)
	}
	for i := range e.Stages {
		w.stage(e.Label, &e.Stages[i])
	}
	for i := range e.Parts {
		var summary, body writer
		summary.summary(&e.Parts[i])
		body.body(&e.Parts[i])
		w.folded(e.Parts[i].ID, false, summary.Bytes(), body.Bytes())
	}
	if e.Remarks != nil {
		w.remarks(e.Remarks)
	}
}

func (w *writer) remarks(list []shaderlift.Remark) {
	w.put("<h2>Remarks</h2><ul>")
	for _, r := range list {
		w.put("<li>")
		if r.Pass != "" {
			w.put("%s: ", r.Pass)
		}
		w.put("%s [%s]", r.Message, r.Code)
		if r.Line != 0 {
			w.put(", line %d", r.Line)
		}
		w.put("</li>")
	}
	w.put("</ul>\n")
}

func (w *writer) loads(list []load) {
	w.put(`<h2>What GPUs wait for</h2>
<table class="loads"><caption>How long each part of a GPU has to do for a pixel, before, and after below it. It waits for the longest.</caption>
<thead><tr><th scope="col">GPU</th><th scope="col">work</th><th scope="col">bound by</th><th scope="col" class="n">time</th></tr></thead>
<tbody>`)
	for _, l := range list {
		w.put(`<tr><th scope="row">%s</th><td><svg role="img" aria-label="before and after" viewBox="0 0 160 52" width="240" height="78">`, l.Target)
		for side, bars := range l.Bars {
			for part, n := range bars {
				w.put(`<rect class="part%d" x="0" y="%d" width="%.1f" height="4"/>`, part, side*(4*len(gpuParts)+4)+part*4, n)
			}
		}
		w.put("</svg></td><td>%s", l.Before)
		if l.Before != l.After {
			w.put(" &#8594; %s", l.After)
		}
		w.put("</td><td class=\"n\">%s</td></tr>\n", l.Saved)
	}
	w.put("</tbody></table>\n<p class=\"key\">")
	for i, part := range gpuParts {
		w.put(`<span class="part%d"></span>%s`, i, part)
	}
	w.put("</p>\n")
}

func (w *writer) draw(d *Draw) {
	w.put(`<h2>A draw</h2><div class="draws">`)
	for _, p := range d.pictures() {
		w.put(`<figure><img src="data:image/png;base64,%s" alt="the draw: %s"><figcaption>%s</figcaption></figure>`, base64.StdEncoding.EncodeToString(p.data), p.text, p.text)
	}
	w.put("</div>\n")
}

// stage is a program of an input. What scrolls says of which one it is.
func (w *writer) stage(input string, s *stage) {
	w.put("<h2>%s</h2>\n", s.Name)
	if s.Grids != nil {
		for i := range s.Grids {
			w.grid(input, &s.Grids[i])
		}
	} else {
		w.put(`<div class="sides">`)
		w.listing("before", s.Before)
		w.put("\n")
		if s.Changed {
			w.listing("after", s.After)
		} else {
			w.put("<p>unchanged</p>")
		}
		w.put("</div>\n")
	}
	if s.Graphs != nil {
		w.put("<details><summary>Dataflow: an instruction stands below those whose values it reads</summary>\n")
		for _, g := range s.Graphs {
			w.graph(input, g)
		}
		w.put("</details>\n")
	}
}

func (w *writer) listing(caption string, lines []line) {
	w.put(`<table class="listing"><caption>%s</caption><tbody>`, caption)
	for _, l := range lines {
		w.put(`<tr class="%s %s"`, l.Rate, l.Fate)
		w.key(l.Key)
		w.put(`><td class="rate"></td><td class="n">%s</td><td class="text"><code>%s</code>`, l.Where, l.Text)
		if len(l.Merged) > 0 {
			w.put(`<div class="why">is part of %s`, l.Merged[0].Text)
			if n := len(l.Merged) - 1; n > 0 {
				w.put(" and %d more", n)
			}
			if m := l.Merged[0]; m.Pass != "" {
				w.put("; %s: %s [%s]", m.Pass, m.Message, m.Code)
			}
			w.put("</div>")
		}
		if l.Why != nil {
			w.put(`<div class="why">%s [%s]`, l.Why.Message, l.Why.Code)
			if l.Why.Unlock != "" {
				w.put("; %s would lift that", l.Why.Unlock)
			}
			w.put("</div>")
		}
		w.put("</td><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", l.Slots, l.Live)
	}
	w.put("</tbody></table>")
}

// key is the attribute by which page.js finds what comes from the same instruction.
func (w *writer) key(key string) {
	if key != "" {
		w.put(` data-key="%s"`, key)
	}
}

// history has the rewrites of an input as a table, and as data for the sliders of page.js.
func (w *writer) history(name string, h *shaderlift.History) {
	w.put(`<section class="history"><h2>Rewrite by rewrite</h2>
<div class="steps" hidden><label><span>pass</span><input type="range" min="0"></label>
<label><span>rewrite</span><input type="range" min="0" max="%d"></label>
<p><output></output></p>
<div class="sides">`, len(h.Revisions))
	for range h.Start {
		w.put(`<pre tabindex="0"></pre>`)
	}
	w.put(`</div></div>
<details><summary>%d rewrites</summary>
<section class="wide" tabindex="0" aria-label="rewrites of %s"><table><thead><tr><th scope="col" class="n">no.</th><th scope="col">pass</th><th scope="col">program</th><th scope="col" class="n">line</th><th scope="col">rewrite</th>`, len(h.Revisions), name)
	for _, c := range h.Counts {
		w.put(`<th scope="col" class="n">%s</th>`, c)
	}
	w.put("</tr></thead>\n<tbody>")
	for i, r := range h.Revisions {
		w.put(`<tr><td class="n"><button type="button">%d</button></td><td>%s</td><td>%s</td><td class="n">%s</td><td>%s [%s]</td>`,
			i+1, r.Remark.Pass, r.Remark.Stage, place(r.Remark.Line, r.Remark.Offset), r.Remark.Message, r.Remark.Code)
		for _, c := range r.Costs {
			w.put(`<td class="n">%d</td>`, c)
		}
		w.put("</tr>\n")
	}
	// What is JSON holds no character that ends a script: < is escaped in it.
	data, _ := json.Marshal(h)
	w.put("</tbody></table></section></details>\n<script type=\"application/json\">%s</script>\n</section>\n", markup(data))
}
