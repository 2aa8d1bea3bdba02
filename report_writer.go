package shaderlift

import (
	"bytes"
	"encoding/json"
	"io"
)

// ReportWriter writes what [Report.WriteJSON] does while the results come. It keeps none of them, but
// a number or two of each for [Totals.Trends], so that a report may be of any number of inputs.
type ReportWriter struct {
	Totals Totals // of what was added

	w     io.Writer
	empty Report // the report without results
	begun bool
	err   error // the first one
}

// NewReportWriter is a writer of a report that says of the run what r does. What results and totals r
// has are not part of it.
func NewReportWriter(w io.Writer, r *Report) *ReportWriter {
	return &ReportWriter{w: w, empty: Report{Schema: r.Schema, Version: r.Version, Pipeline: r.Pipeline, Numerics: r.Numerics, Results: []*Result{}}}
}

// Add writes a result. That it cannot be written is for Close to say.
func (w *ReportWriter) Add(res *Result) {
	text, err := EncodeResult(res)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.AddEncoded(res, text)
}

// AddEncoded is Add of a result that [EncodeResult] has made text of, which takes most of the time
// and, unlike this, may be done for many results at once.
func (w *ReportWriter) AddEncoded(res *Result, text []byte) {
	w.Totals.Add(res)
	before := []byte(",\n    ")
	if !w.begun {
		before, _, _ = bytes.Cut(w.head(), noResults)
		before, w.begun = append(before, "\"results\": [\n    "...), true
	}
	w.put(before)
	w.put(text)
}

// Close writes the end of the report, and returns the first error of all that was written. What it
// writes to stays open.
func (w *ReportWriter) Close() error {
	w.Totals.Settle()
	w.empty.Totals = w.Totals
	end := append(w.head(), '\n')
	if w.begun {
		_, after, _ := bytes.Cut(end, noResults)
		end = append([]byte("\n  ]"), after...)
	}
	w.put(end)
	return w.err
}

// noResults is where the results of an empty report would be. No text in it has bare quotes.
var noResults = []byte(`"results": []`)

// EncodeResult is a result as an element of the results of a report, for [ReportWriter.AddEncoded].
func EncodeResult(res *Result) ([]byte, error) { return indented(res, "    ") }

// head is the report without results.
func (w *ReportWriter) head() []byte {
	text, err := indented(&w.empty, "")
	if err != nil && w.err == nil {
		w.err = err
	}
	return text
}

// indented is v as indented JSON, every line but the first below a margin.
func indented(v any, margin string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent(margin, "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// put writes data, unless something has failed.
func (w *ReportWriter) put(data []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(data)
	}
}
