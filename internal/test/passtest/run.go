package passtest

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

var update = flag.Bool("update", false, "rewrite the wanted outputs of fixtures")

// Run runs every *.txtar in dir as a subtest, over the passes of table. Besides the expected text it checks
// that
//
//   - the program is unchanged if no pass runs;
//   - nothing was reverted, and the result is verified against the input;
//   - running again changes nothing, and two runs give the same result;
//   - every prefix of the rewrites leaves a valid program, which verifies, and so does leaving out any one
//     rewrite;
//   - the pipeline leaves a valid program that verifies, also if the pixel program computes everything in
//     partial precision.
func Run(t *testing.T, table []*passes.Pass, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s", dir)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			f, err := loadFixture(path, table)
			if err != nil {
				t.Fatal(err)
			}
			f.run(t)
		})
	}
}

func (f *fixture) run(t *testing.T) {
	u := f.mustLift(t)
	same := f.mustEmit(t, u)
	for _, ext := range extensions {
		// Emission may save a move without a pass, but makes no other change.
		if before, after := f.in.programText(ext), same.programText(ext); before != after &&
			strings.Count(after, "\n") >= strings.Count(before, "\n") {
			t.Fatalf("in%s changes when it is lifted and emitted without a pass (-in +out):\n%s", ext, cmp.Diff(before, after))
		}
	}
	var steps []passes.Step
	report := f.applyWith(t, u, passes.Config{Trace: func(s passes.Step) { steps = append(steps, s) }})
	for _, s := range report.Stats {
		if s.Outcome == passes.Reverted {
			t.Errorf("%s was reverted: %v -> %v, %v", s.Stage, s.Before, s.After, report.Remarks)
		}
	}
	out := f.mustEmit(t, u)
	f.golden(t, out, report)
	if v := f.verify(t, out, "the result"); f.verdict != "" && v != f.verdict {
		t.Errorf("the result is %s, not %s", v, f.verdict)
	}

	hashes := hash(u)
	if again := f.apply(t, u, nil); hash(u) != hashes && !f.again {
		t.Errorf("running again makes %d more rewrites:\n%s", again.Steps, f.mustEmit(t, u).allText())
	}
	for fuel := range report.Steps + 1 {
		u := f.mustLift(t)
		if n := f.apply(t, u, &fuel).Steps; n != fuel {
			t.Errorf("with fuel %d it makes %d rewrites", fuel, n)
		}
		if fuel == report.Steps && hash(u) != hashes {
			t.Error("two runs give different programs")
		}
		f.verify(t, f.mustEmit(t, u), "a prefix of the rewrites")
	}
	for _, s := range steps {
		u := f.mustLift(t)
		f.applyWith(t, u, passes.Config{Skip: []passes.StepID{s.StepID}})
		f.verify(t, f.mustEmit(t, u), fmt.Sprintf("the result without rewrite %v", s.StepID))
	}

	if p := f.partial(t); p != nil {
		u := p.mustLift(t)
		p.apply(t, u, nil)
		p.verify(t, p.mustEmit(t, u), "the result in partial precision")
	}
}

// partial returns the fixture with its pixel program in partial precision, or nil if there is no such program
// or its model has none.
func (f *fixture) partial(t *testing.T) *fixture {
	t.Helper()
	if f.in.Pixel == nil || f.in.Pixel.Model.Major < 2 {
		return nil
	}
	pixel, p, source := *f.in.Pixel, *f, *f.in
	pixel.Insts = slices.Clone(pixel.Insts)
	for i := range pixel.Insts {
		if in := &pixel.Insts[i]; in.Op.Kind() == d3d9.Arithmetic && in.HasDst {
			in.Dst.Mods |= d3d9.PartialPrecision
			in.Text, in.Raw = "", nil
		}
	}
	if diags := d3d9.Validate(&pixel); diags.Err() != nil {
		t.Fatal(diags)
	}
	source.Pixel, p.in = &pixel, &source
	return &p
}

func (f *fixture) mustLift(t *testing.T) *passes.Unit {
	t.Helper()
	u, err := f.in.Lift()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (f *fixture) mustEmit(t *testing.T, u *passes.Unit) *Source {
	t.Helper()
	out, err := f.in.Emit(u)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (f *fixture) apply(t *testing.T, u *passes.Unit, fuel *int) passes.Report {
	t.Helper()
	return f.applyWith(t, u, passes.Config{Fuel: fuel})
}

// applyWith runs the pipeline with cfg and the settings of the fixture.
func (f *fixture) applyWith(t *testing.T, u *passes.Unit, cfg passes.Config) passes.Report {
	t.Helper()
	cfg.Numerics, cfg.HostMirrored, cfg.Keep = f.numerics, f.mirrored, f.costlier
	switch {
	case f.in.Kernel == nil:
		cfg.Measure = f.in.Measure
	case f.target != nil:
		cfg.Measure = func(u *passes.Unit) (passes.Cost, error) { return f.in.MeasureKernel(u, f.target) }
	}
	report, err := passes.Run(u, f.pipeline, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func hash(u *passes.Unit) (h [2]uint64) {
	for i, f := range u.Funcs() {
		h[i] = f.StructuralHash()
	}
	return h
}

// golden compares texts and remarks with the expected ones, or rewrites those.
func (f *fixture) golden(t *testing.T, out *Source, report passes.Report) {
	t.Helper()
	got := map[string]string{}
	for _, ext := range extensions {
		if text := out.programText(ext); text != "" {
			got["want"+ext] = text
		}
	}
	var remarks strings.Builder
	for _, r := range report.Remarks {
		remarks.WriteString(r.Pass + " " + string(r.Code) + "\n")
	}
	if f.file("remarks") != nil {
		got["remarks"] = remarks.String()
	}
	for _, name := range []string{"want.vsh", "want.psh", "want.il", "remarks"} {
		now, ok := got[name]
		if !ok {
			continue
		}
		want := f.file(name)
		if in := f.file("in" + filepath.Ext(name)); want == nil {
			want = in
		}
		if *update {
			if now == string(f.file("in"+filepath.Ext(name))) {
				f.set(name, nil)
			} else {
				f.set(name, []byte(now))
			}
			continue
		}
		if diff := cmp.Diff(string(want), now); diff != "" {
			t.Errorf("%s differs; if this is intended, run the test with -update (-want +got):\n%s", name, diff)
		}
	}
	if *update {
		if err := f.save(); err != nil {
			t.Fatal(err)
		}
	}
}

// verify compares out with the input, under the numerics of the fixture. If the fixture names a verdict, the
// result must have that one.
func (f *fixture) verify(t *testing.T, out *Source, what string) (verdict string) {
	t.Helper()
	o := verify.Options{Numerics: f.numerics, Brief: f.verdict == "" && !testcorpus.Whole}
	for _, up := range out.Uploads {
		o.Uploads = append(o.Uploads, verify.Upload(up))
	}
	var r verify.Report
	if f.in.Kernel != nil {
		o.Tile = out.Tile
		r = verify.CheckKernel(f.in.Kernel, out.Kernel, o)
	} else {
		r = verify.Check(verify.Pair{Vertex: f.in.Vertex, Pixel: f.in.Pixel},
			verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel}, o)
	}
	verdict = r.Verdict.String()
	if !r.Verdict.OK() && verdict != f.verdict {
		t.Errorf("%s is %s: %s %v\n%s", what, verdict, r.Why, r.Counterexample, out.allText())
	}
	return verdict
}
