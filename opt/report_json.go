package opt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/shaderlift/shaderlift/asm"
)

// ReportWriter writes the output of [Report.WriteJSON] while the results arrive. It keeps only a few
// numbers of each result for [Totals.Trends], so a report may have any number of inputs.
type ReportWriter struct {
	Totals Totals // of the added results

	w     io.Writer
	empty Report // the report without results
	begun bool
	err   error // the first one
}

// NewReportWriter returns a writer of a report with the header of r. It ignores the results and totals
// of r.
func NewReportWriter(w io.Writer, r *Report) *ReportWriter {
	return &ReportWriter{w: w, empty: Report{Schema: r.Schema, Version: r.Version, Pipeline: r.Pipeline,
		Numerics: r.Numerics, Results: []*Result{}}}
}

// Add writes a result. Close returns any error.
func (w *ReportWriter) Add(res *Result) {
	text, err := EncodeResult(res)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.AddEncoded(res, text)
}

// AddEncoded adds a result with its text from [EncodeResult]. Encoding takes most of the time and may
// run in parallel, unlike AddEncoded.
func (w *ReportWriter) AddEncoded(res *Result, text []byte) {
	w.Totals.Add(res)
	before := []byte(",\n    ")
	if !w.begun {
		before, _, _ = bytes.Cut(w.encodeEmpty(), noResults)
		before, w.begun = append(before, "\"results\": [\n    "...), true
	}
	w.writeRaw(before)
	w.writeRaw(text)
}

// Close writes the end of the report and returns the first error of all writes. It does not close the
// underlying writer.
func (w *ReportWriter) Close() error {
	w.Totals.Settle()
	w.empty.Totals = w.Totals
	end := append(w.encodeEmpty(), '\n')
	if w.begun {
		_, after, _ := bytes.Cut(end, noResults)
		end = append([]byte("\n  ]"), after...)
	}
	w.writeRaw(end)
	return w.err
}

// noResults is the place of the results in an empty report. No text in it has bare quotes.
var noResults = []byte(`"results": []`)

// EncodeResult encodes a result as an element of the results of a report, for
// [ReportWriter.AddEncoded].
func EncodeResult(res *Result) ([]byte, error) { return indented(res, "    ") }

// encodeEmpty returns the report without results.
func (w *ReportWriter) encodeEmpty() []byte {
	text, err := indented(&w.empty, "")
	if err != nil && w.err == nil {
		w.err = err
	}
	return text
}

// indented returns v as indented JSON; every line but the first is indented by margin.
func indented(v any, margin string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent(margin, "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// writeRaw writes data, unless an earlier write failed.
func (w *ReportWriter) writeRaw(data []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(data)
	}
}

// ReadReport reads the JSON form of a report, of the file name.
func ReadReport(name string, data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, asm.Errorf(placeOf(err, name, data), "bad-report", "the file is not a report: %s", wrongJSON(err))
	}
	if r.Schema != Schema {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "the report must have schema %d, not %d", Schema, r.Schema)
	}
	if why := unsound(r.Results); why != "" {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "the file is not a report: %s", why)
	}
	return r, nil
}

// mostCycles is far above the cycles of any launch, and sums of it fit an int.
const mostCycles = 1e15

// unsound names an inconsistency in results that no run produces, or returns "". Reports are untrusted
// files.
func unsound(results []*Result) string {
	for _, r := range results {
		if r == nil {
			return "a result is null"
		}
		if k := r.Kernel; k != nil && !(k.CurrentCost().Cycles >= 0 && k.CurrentCost().Cycles <= mostCycles) {
			return fmt.Sprintf("%s takes %g cycles", r.Input, k.CurrentCost().Cycles)
		}
		if why := unsound(r.Parts); why != "" {
			return why
		}
	}
	return ""
}

// wrongJSON describes the error in data from an error of package json, without names of Go types.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return err.Error()
	case kind.Field == "":
		return "it cannot be a JSON " + kind.Value
	}
	return fmt.Sprintf("its %s cannot be a JSON %s", kind.Field, kind.Value)
}

// placeOf returns the position in data of an error of package json.
func placeOf(err error, name string, data []byte) asm.Pos {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := 0
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	default:
		return asm.Pos{File: name}
	}
	read := data[:min(max(at-1, 0), len(data))]
	return asm.Pos{File: name, Line: 1 + bytes.Count(read, []byte("\n")), Col: len(read) - bytes.LastIndexByte(read, '\n')}
}
