package shaderlift_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// TestReportJSON checks the names that scripts read, and that fields that do not apply are absent.
func TestReportJSON(t *testing.T) {
	rep := shaderlift.NewReport(shaderlift.Options{Pipeline: "fold, dce"})
	stats, err := shaderlift.Stats(t.Context(), program("p.psh", plainPixel), shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cost := stats.Stages[0].Before
	rep.Add(stats)
	rep.Add(&shaderlift.Result{Input: "v,p", Name: "n", Kind: shaderlift.KindPair, Status: shaderlift.Improved,
		Judgement: &shaderlift.Judgement{Verdict: verify.ProvedReal, Methods: []verify.Method{verify.ByForm, verify.ByField},
			Epsilon: 1e-20, MaxULP: 2},
		Stages: []shaderlift.StageCosts{{Stage: d3d9.Vertex, Model: d3d9.VS20, Before: cost, After: &cost}},
		Uploads: []shaderlift.Upload{{From: shaderlift.HostRegister{Stage: d3d9.Pixel},
			To: shaderlift.HostRegister{Index: 5}}},
		Remarks: []shaderlift.Remark{{Pass: "codemotion", Line: 7, Code: "no-gain", Message: "<why>"}}})
	rep.Add(&shaderlift.Result{Input: "x", Name: "x", Kind: shaderlift.KindProgram, Status: shaderlift.Failed,
		Error: "bad"})
	rep.Totals.Seconds = 0.5
	var b bytes.Buffer
	if err := rep.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	const costs = `{"slots":2,"arithmetic":1,"texture":1,"temps":1,"constants":0,"interpolators":1,"components":2,"texture_runs":1}`
	want := `{"schema":2,"version":"` + shaderlift.Version + `","pipeline":"fold,dce","numerics":"real","results":[
		{"input":"p.psh","name":"p","kind":"program","stages":[{"stage":"pixel","model":"ps_2_0","before":` + costs + `}]},
		{"input":"v,p","name":"n","kind":"pair","status":"improved","verdict":"proved-real","methods":["form","field"],"epsilon":1e-20,"max_ulp":2,
		 "stages":[{"stage":"vertex","model":"vs_2_0","before":` + costs + `,"after":` + costs + `}],
		 "uploads":[{"from":"ps c0","to":"vs c5"}],"remarks":[{"pass":"codemotion","line":7,"code":"no-gain","message":"<why>"}]},
		{"input":"x","name":"x","kind":"program","status":"failed","error":"bad"}],
		"totals":{"inputs":3,"improved":1,"changed":0,"failed":1,"pixel_slots":{"before":2,"after":2},"vertex_slots":{"before":2,"after":2},"seconds":0.5}}`
	var got, wanted any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wanted, got); d != "" {
		t.Error(d)
	}
	if bytes.Contains(b.Bytes(), []byte(`\u003c`)) {
		t.Error("angle brackets are escaped")
	}
}

// TestSkipRounding checks that Options.Report.SkipRounding omits the bound and the remarks on rounding, and
// nothing else.
func TestSkipRounding(t *testing.T) {
	in := shaderlift.Input{Name: "kill", Files: []shaderlift.File{
		{Name: "kill.vsh", Data: []byte("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n")},
		{Name: "kill.psh", Data: []byte("ps_2_0\ndef c1, 0.25, 0.5, 2, 1\ndcl t0\nmad r0, t0, c1.x, c1.y\n" +
			"mul r0, r0, c1.z\nadd r1, r0, c1.w\ntexkill r1\nmov oC0, r0\n")}}}
	whole, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	brief, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Report: shaderlift.ReportOptions{SkipRounding: true}})
	if err != nil {
		t.Fatal(err)
	}
	onRounding := func(m shaderlift.Remark) bool { return m.Code == "rounding-boundary" || m.Code == "fragile" }
	if whole.Bound == nil || !slices.ContainsFunc(whole.Remarks, onRounding) {
		t.Fatalf("bound %v and remarks %v do not mention rounding", whole.Bound, whole.Remarks)
	}
	whole.Bound, whole.Remarks = nil, slices.DeleteFunc(whole.Remarks, onRounding)
	wanted, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(brief)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(wanted), string(got)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(whole.Files, brief.Files); d != "" {
		t.Error(d)
	}
}

// TestReportedNames checks that names that are not UTF-8 stay distinct in JSON.
func TestReportedNames(t *testing.T) {
	rep := shaderlift.NewReport(shaderlift.Options{})
	for _, name := range []string{"a\xff.psh", "a\xfe.psh", "\u00e4\ufffd.psh"} {
		res, err := shaderlift.Stats(t.Context(),
			shaderlift.Input{Files: []shaderlift.File{{Name: name,
				Data: []byte("ps_2_0\nmov oC0, c0\n")}}}, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep.Add(res)
	}
	var b bytes.Buffer
	if err := rep.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	back, err := shaderlift.ReadReport("r.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{`"a\xff.psh"`, `"a\xff"`}, {`"a\xfe.psh"`, `"a\xfe"`},
		{"\u00e4\ufffd.psh", "\u00e4\ufffd"}} {
		if r := back.Results[i]; r.Input != want[0] || r.Name != want[1] {
			t.Errorf("result %d is of %s, called %s, want %s and %s", i, r.Input, r.Name, want[0], want[1])
		}
	}
}
