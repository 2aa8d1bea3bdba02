package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/htmlreport"
)

// reports are the two files that tell of a run: the JSON report, which is written as results come,
// and the HTML page, which keeps of results what it shows of them, packed. So few are in memory.
type reports struct {
	*app
	report, html string // paths, "" for none
	written      *shaderlift.ReportWriter
	staged       stagedFiles // the file of the report
	page         *htmlreport.Page
}

// reports begins those of a run under o that have paths, and makes sure that both can be written.
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

// encoded is a result as the report has it, nil without a report or if it cannot be told.
func (r *reports) encoded(res *shaderlift.Result) []byte {
	if r.report == "" {
		return nil
	}
	text, _ := shaderlift.EncodeResult(res) // whoever adds it meets the error again
	return text
}

// add adds a result, and what is drawn of it, if anything is.
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

// end writes what is left to say of a run that took so long, and gives the files their names.
func (r *reports) end(seconds float64) (err error) {
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
