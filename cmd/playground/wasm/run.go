package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/shaderlift/shaderlift/verify"
)

// request is a request of the page. Options have the spelling of the command.
type request struct {
	Files   []shaderlift.File // bytes in base64
	Options struct {
		Pipeline, HostConstants, Partner, Require string
		Numerics                                  shaderlift.Numerics
		Target                                    shaderlift.Target
		Coarsen                                   shaderlift.Tile
		Keep                                      bool
	}
}

// response is the answer: the page, the programs, the status, and the lines that the command prints. Otherwise it is an
// error, or the language of the input if the other library handles it.
type response struct {
	HTML   string            `json:"html,omitempty"`
	Status string            `json:"status,omitempty"`
	Lines  []string          `json:"lines,omitempty"`
	Files  []shaderlift.File `json:"files,omitempty"`
	Error  string            `json:"error,omitempty"`
	Other  string            `json:"other,omitempty"`
}

// run answers a request. The answer contains errors.
func run(ctx context.Context, text []byte) []byte {
	var r response
	if err := r.fill(ctx, text); err != nil {
		r = response{Error: err.Error()}
	}
	answer, err := json.Marshal(r)
	if err != nil {
		return fmt.Appendf(nil, `{"error":%q}`, err)
	}
	return answer
}

func (r *response) fill(ctx context.Context, text []byte) error {
	var q request
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	if len(q.Files) == 0 {
		return errors.New("the input has no program; type one, or open a file")
	}
	in := shaderlift.Input{Files: q.Files}
	switch kernel := in.Kind() == shaderlift.KindKernel; {
	case kernel && !asm.BuiltKernels:
		r.Other = "kernels"
		return nil
	case !kernel && !asm.BuiltD3D9:
		r.Other = "d3d9"
		return nil
	}
	o := shaderlift.Options{Pipeline: q.Options.Pipeline, Numerics: q.Options.Numerics, Target: q.Options.Target,
		Host:   shaderlift.HostOptions{Partner: q.Options.Partner},
		Kernel: shaderlift.KernelOptions{Coarsen: q.Options.Coarsen},
		Keep:   q.Options.Keep,
		Report: shaderlift.ReportOptions{History: true}}
	if q.Options.HostConstants != "" {
		if err := o.Host.PixelConstants.UnmarshalText([]byte(q.Options.HostConstants)); err != nil {
			return err
		}
	}
	if q.Options.Require != "" {
		var v verify.Verdict
		if err := v.UnmarshalText([]byte(q.Options.Require)); err != nil {
			return err
		}
		o.Require = v
	}
	res, err := shaderlift.Explain(ctx, in, o)
	if err != nil {
		return err
	}
	r.Status, r.Files = res.Status.String(), res.Files
	r.Lines = append(r.Lines, wording.Line(res, r.Status, false))
	if asm.BuiltD3D9 { // kernels have no reasons
		plain := o
		plain.Report = shaderlift.ReportOptions{}
		r.Lines = append(r.Lines, wording.Reasons(ctx, in, plain, res)...)
	}
	draw, err := htmlreport.NewDraw(ctx, in, res, o)
	if err != nil {
		draw = nil // the page can omit the drawing
	}
	page := htmlreport.NewPage(shaderlift.NewReport(o))
	page.Add(res, draw)
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		return err
	}
	r.HTML = b.String()
	return nil
}
