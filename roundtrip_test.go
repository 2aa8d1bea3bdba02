package shaderlift_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/compare"
	"github.com/shaderlift/shaderlift/verify"
)

// results returns a report of inputs of every kind with every status and most verdicts, made by the
// functions of the package.
func results(t *testing.T) *shaderlift.Report {
	t.Helper()
	pair, kernel := conv1d(t), fromFile(t, "testdata/il/pldi_v1.il")
	costly := program("costly.psh", "ps_2_0\ndef c0, 3, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nadd r1, t0, r0\nmov oC0, r1\n")
	trips, err := shaderlift.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), shader(effectPixel))
	rep := shaderlift.NewReport(shaderlift.Options{})
	optimize := func(in shaderlift.Input, o shaderlift.Options, want shaderlift.Status) {
		t.Helper()
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if res.Status != want {
			t.Fatalf("%s is %s, not %s: %v", in.Path(), res.Status, want, err)
		}
		rep.Add(res)
	}
	optimize(pair, shaderlift.Options{}, shaderlift.Improved)
	optimize(program("kept.psh", plainPixel), shaderlift.Options{}, shaderlift.Unchanged)
	optimize(kernel, shaderlift.Options{Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{trips}},
		Pipeline: "unroll{factor=4}",
		Kernel:   shaderlift.KernelOptions{Domain: [2]int{16, 16}}}, shaderlift.Improved)
	optimize(program("unrolled.psh", "ps_3_0\ndefi i0, 9, 0, 0, 0\ndcl_texcoord v0\nmov r0, v0\nrep i0\nadd r0, r0, c0\nendrep\nmov oC0, r0\n"),
		shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "unroll{factor=full}", Keep: true}, shaderlift.Changed)
	optimize(program("broken.psh", "ps_2_0\nnonsense\n"), shaderlift.Options{}, shaderlift.Failed)
	optimize(effectFile(&b), shaderlift.Options{}, shaderlift.Improved)
	for _, in := range []shaderlift.Input{pair, kernel, costly} {
		for _, price := range []func(context.Context, shaderlift.Input, shaderlift.Options) (*shaderlift.Result,
			error){shaderlift.Stats, shaderlift.Instructions} {
			res, err := price(t.Context(), in, shaderlift.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep.Add(res)
		}
	}
	for _, after := range []string{"mul r0, t0, c0.x\nadd r1, t0, r0\n", "mad r1, t0, c0.x, t0\n",
		"mul r0, t0, c0.x\nadd r1, t0, -r0\n"} {
		in := program("after.psh", "ps_2_0\ndef c0, 3, 0, 0, 0\ndcl t0\n"+after+"mov oC0, r1\n")
		res, _ := shaderlift.Verify(t.Context(), costly, in, shaderlift.Options{})
		rep.Add(res)
	}
	return rep
}

// TestReportRoundTrip checks that a report read back from JSON is the same, including methods.
func TestReportRoundTrip(t *testing.T) {
	rep := results(t)
	statuses, kinds, verdicts := map[shaderlift.Status]bool{}, map[shaderlift.Kind]bool{}, map[verify.Verdict]bool{}
	for _, r := range rep.Results {
		statuses[r.Status], kinds[r.Kind], verdicts[r.Verdict()] = true, true, true
	}
	if len(statuses) != 5 || len(kinds) != 4 || len(verdicts) < 4 {
		t.Errorf("the report has %d statuses, %d kinds and %d verdicts", len(statuses), len(kinds), len(verdicts))
	}
	var b bytes.Buffer
	if err := rep.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back shaderlift.Report
	d := json.NewDecoder(bytes.NewReader(b.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil {
		t.Fatal(err)
	}
	left := cmpopts.IgnoreFields(shaderlift.Result{}, "Files", "Case", "Faults")
	if d := cmp.Diff(rep, &back, left, cmp.AllowUnexported(shaderlift.Constant{}),
		cmpopts.IgnoreUnexported(shaderlift.Totals{}, shaderlift.Result{})); d != "" {
		t.Errorf("what comes back differs:\n%s", d)
	}
	for i, r := range rep.Results {
		for k := range r.Stages {
			if before, after := r.Stages[k].Binding(), back.Results[i].Stages[k].Binding(); before != after || after.Limit == 0 {
				t.Errorf("%s: the nearest limit is %v, and was %v", r.Name, after, before)
			}
		}
		if r.Verdict() != back.Results[i].Verdict() {
			t.Errorf("%s: %s, and was %s", r.Name, back.Results[i].Verdict(), r.Verdict())
		}
	}
}

// TestReportHasZeros checks that a measurement of zero is present.
func TestReportHasZeros(t *testing.T) {
	var b bytes.Buffer
	res, err := shaderlift.Optimize(t.Context(), program("kept.psh", plainPixel), shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&b).Encode(res); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"verdict":"proved"`, `"epsilon":0`, `"max_ulp":0`, `"constants":0`} {
		if !bytes.Contains(b.Bytes(), []byte(field)) {
			t.Errorf("%s is not in %s", field, b.Bytes())
		}
	}
}

func TestExtent(t *testing.T) {
	for _, x := range []opt.Extent{0, 0.25, opt.Extent(math.Inf(1))} {
		data, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		back := opt.Extent(-1)
		if err := json.Unmarshal(data, &back); err != nil || back != x {
			t.Errorf("%v is %s and comes back as %v, %v", x, data, back, err)
		}
	}
}

// TestTexts checks that the text of every value parses to the value, and that other texts are errors.
func TestTexts(t *testing.T) {
	type texts interface {
		MarshalText() ([]byte, error)
		String() string
	}
	check := func(v texts, back func(text []byte) (texts, error)) {
		t.Helper()
		text, err := v.MarshalText()
		if err != nil || string(text) != v.String() {
			t.Fatalf("%v: %q, %v", v, text, err)
		}
		if got, err := back(text); err != nil || got != v {
			t.Errorf("%q is %v, not %v: %v", text, got, v, err)
		}
		for _, wrong := range []string{"", "x", string(text) + " ", " " + string(text)} {
			if got, err := back([]byte(wrong)); err == nil {
				t.Errorf("%q is %v", wrong, got)
			}
		}
	}
	for v := shaderlift.KindProgram; v <= shaderlift.KindEffect; v++ {
		check(v, func(text []byte) (texts, error) { var x shaderlift.Kind; err := x.UnmarshalText(text); return x, err })
	}
	for v := shaderlift.Improved; v <= shaderlift.Failed; v++ {
		check(v, func(text []byte) (texts, error) { var x shaderlift.Status; err := x.UnmarshalText(text); return x, err })
	}
	for v := shaderlift.Separate; v <= shaderlift.Mirrored; v++ {
		check(v, func(text []byte) (texts, error) {
			var x shaderlift.HostConstants
			err := x.UnmarshalText(text)
			return x, err
		})
	}
	for _, v := range verify.Verdicts() {
		check(v, func(text []byte) (texts, error) { var x verify.Verdict; err := x.UnmarshalText(text); return x, err })
	}
	for v := verify.ByForm; v <= verify.ByRounding; v++ {
		check(v, func(text []byte) (texts, error) { var x verify.Method; err := x.UnmarshalText(text); return x, err })
	}
	for _, r := range []shaderlift.HostRegister{{Stage: d3d9.Pixel, Index: 31}, {Stage: d3d9.Vertex, Index: 255}} {
		check(r, func(text []byte) (texts, error) {
			var x shaderlift.HostRegister
			err := x.UnmarshalText(text)
			return x, err
		})
	}
}

func TestReadReport(t *testing.T) {
	var b bytes.Buffer
	rep := results(t)
	if err := rep.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	again, err := shaderlift.ReadReport("r.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range compare.Reports(rep, again).Measures {
		if len(m.Helped.Programs)+len(m.Hurt.Programs) > 0 || m.Programs == 0 || m.Median != 1 || m.GeometricMean != 1 {
			t.Errorf("a report differs from itself: %+v", m)
		}
	}
	for text, want := range map[string]string{
		"":                                   "r.json:1:1: ",
		"{\"schema\": 1,\n  \"results\": x}": "r.json:2:14: ",
		"{\"schema\": 1, \"results\": 7}":    "the file is not a report: its results cannot be a JSON number",
		"{\"schema\": 99}":                   "must have schema 2, not 99",
		`{"schema": 2, "results": [null]}`:   "a result is null",
		`{"schema": 2, "results": [{"parts": [{}, null]}]}`:                                          "a result is null",
		`{"schema": 2, "results": [{"input": "a", "kernel": {"before": {"cycles": 1e300}}}]}`:        "a takes 1e+300 cycles",
		`{"schema": 2, "results": [{"kernel": {"before": {"cycles": 1}, "after": {"cycles": -1}}}]}`: "takes -1 cycles",
		"[]": "r.json:1:1: the file is not a report: it cannot be a JSON array",
	} {
		_, err := shaderlift.ReadReport("r.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "[bad-report]") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
