package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
)

// reports are the two report files of a run: the JSON report, which is written incrementally, and
// the HTML page, which keeps only the compressed data that it shows. Both need little memory.
type reports struct {
	*app
	report, html string // paths, or ""
	written      *shaderlift.ReportWriter
	staged       stagedFiles // the staged report file
	page         *htmlreport.Page
}

// reports opens the requested reports of a run under o, and checks that both can be written.
func (a *app) reports(o shaderlift.Options, report, html string) (*reports, error) {
	run := shaderlift.NewReport(o)
	r := &reports{app: a, report: report, html: html, page: htmlreport.NewPage(run)}
	for _, f := range []struct{ path, what string }{{report, "the report"}, {html, "the page"}} {
		if f.path == "" {
			continue
		}
		if err := a.paths.writes(f.path, f.what); err != nil {
			return nil, err
		}
		if err := writable(f.path); err != nil {
			return nil, err
		}
	}
	var w io.Writer = a.out
	if report != "" && report != stdinName {
		f, err := r.staged.create(report)
		if err != nil {
			return nil, cannotWrite(report, err)
		}
		w = f
	}
	r.written = shaderlift.NewReportWriter(w, run)
	return r, nil
}

// encoded returns a result as encoded in the report, or nil if there is no report or the encoding
// fails.
func (r *reports) encoded(res *shaderlift.Result) []byte {
	if r.report == "" {
		return nil
	}
	text, _ := opt.EncodeResult(res) // adding the result will report the error
	return text
}

// add adds a result, and its pictures if there are any.
func (r *reports) add(d *outcome, drawn *htmlreport.Draw) {
	switch {
	case r.report == "":
	case d.text == nil:
		r.written.Add(d.res)
	default:
		r.written.AddEncoded(d.res, d.text)
	}
	if r.html != "" {
		r.page.Add(d.res, drawn)
	}
}

// finishReports completes the reports of a run of the given duration, and commits the files.
func (r *reports) finishReports(seconds float64) (err error) {
	r.written.Totals.Seconds = seconds
	if r.report != "" {
		if err = r.written.Close(); err != nil {
			err = cannotWrite(r.report, err)
		} else {
			err = r.staged.commit()
		}
	}
	if r.html != "" {
		var b bytes.Buffer
		failed := r.page.Write(&b)
		if failed == nil {
			failed = r.write(r.html, b.Bytes())
		}
		err = errors.Join(err, failed)
	}
	return err
}
