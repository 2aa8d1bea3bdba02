package shaderlift_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt"
)

// many passes n results with costs and remarks to add, one after the other.
func many(n int, add func(*shaderlift.Result)) {
	message := strings.Repeat("x", 1000)
	for i := range n {
		after := d3d9.Cost{Slots: 5 + i%3}
		add(&shaderlift.Result{Input: "p", Name: "p", Kind: shaderlift.KindProgram, Status: shaderlift.Improved,
			Stages:  []shaderlift.StageCosts{{Stage: d3d9.Pixel, Model: d3d9.PS20, Before: d3d9.Cost{Slots: 8}, After: &after}},
			Remarks: []shaderlift.Remark{{Pass: "fold", Line: i, Code: "no-gain", Message: strings.Clone(message)}}})
	}
}

// TestReportWriter checks that a report written while results arrive equals the JSON of the whole
// report, for any name of its pipeline.
func TestReportWriter(t *testing.T) {
	for n := range 4 {
		whole := shaderlift.NewReport(shaderlift.Options{})
		whole.Pipeline = `"results": []`
		var streamed bytes.Buffer
		w := shaderlift.NewReportWriter(&streamed, whole)
		many(n, func(res *shaderlift.Result) {
			whole.Add(res)
			if n%2 == 0 {
				w.Add(res)
				return
			}
			text, err := opt.EncodeResult(res)
			if err != nil {
				t.Fatal(err)
			}
			w.AddEncoded(res, text)
		})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		whole.Totals.Settle()
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(whole); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := whole.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) || !bytes.Equal(streamed.Bytes(), want.Bytes()) {
			t.Errorf("%d results: want\n%s\ngot\n%s\nas they came\n%s", n, &want, &got, &streamed)
		}
	}
}

// failing accepts left bytes and then fails.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

// TestReportWriterFails checks that errors of writing and encoding are returned at the end.
func TestReportWriterFails(t *testing.T) {
	w := shaderlift.NewReportWriter(&failing{left: 2000}, shaderlift.NewReport(shaderlift.Options{}))
	many(3, w.Add)
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
	w = shaderlift.NewReportWriter(io.Discard, shaderlift.NewReport(shaderlift.Options{}))
	w.Add(&shaderlift.Result{Judgement: &shaderlift.Judgement{Epsilon: math.NaN()}})
	many(1, w.Add)
	if w.Close() == nil {
		t.Error("not a number is written")
	}
}

// TestReportWriterHolds checks that a report writer keeps only a few numbers of each result.
func TestReportWriterHolds(t *testing.T) {
	const n = 4000
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	w := shaderlift.NewReportWriter(io.Discard, shaderlift.NewReport(shaderlift.Options{}))
	before := held()
	many(n, w.Add)
	after := held()
	if err := w.Close(); err != nil { // keeps the writer alive until here
		t.Fatal(err)
	}
	if each := int(after-before) / n; after > before && each > 64 {
		t.Errorf("%d bytes a result", each)
	}
}

func BenchmarkReportWriter(b *testing.B) {
	b.ReportAllocs()
	w := shaderlift.NewReportWriter(io.Discard, shaderlift.NewReport(shaderlift.Options{}))
	many(b.N, w.Add)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
