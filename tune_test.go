package shaderlift_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
)

func kernelFile(t testing.TB, path string) shaderlift.Input {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return shaderlift.Input{Files: []shaderlift.File{{Name: filepath.Base(path), Data: data}}}
}

// smallTune returns options for a small search.
func smallTune(o shaderlift.TuneOptions) shaderlift.TuneOptions {
	o.Budget, o.Kernel.Domain = 120_000, smallDomain
	return o
}

// TestTune checks that Optimize makes every version on the front, byte for byte, from its pipeline. No
// level is better than the result, and the result is on the front.
func TestTune(t *testing.T) {
	for _, name := range testcorpus.EveryNth([]string{"jang_naive", "collatz", "reduce", "transpose"}, 2) {
		in := kernelFile(t, "testdata/il/"+name+".il")
		o := smallTune(shaderlift.TuneOptions{})
		res, err := shaderlift.Tune(t.Context(), in, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, level := range []string{"O2", "O3"} {
			p := o.Options
			p.Pipeline = level
			other, err := shaderlift.Optimize(t.Context(), in, p)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := res.Kernel.CurrentCost().Cycles, other.Kernel.CurrentCost().Cycles; got > want*(1+kernel.Threshold) {
				t.Errorf("%s: %.0f cycles, -%s has %.0f", name, got, level, want)
			}
		}
		own := 0
		for i, v := range res.Tuning.Front {
			if i > 0 && (v.Cycles < res.Tuning.Front[i-1].Cycles || len(v.Targets) == 0) {
				t.Errorf("%s: %q is out of order, or has no prices on other targets", name, v.Pipeline)
			}
			if bytes.Equal(v.Files[0].Data, res.Files[0].Data) {
				own++
			}
			p := o.Options
			p.Pipeline, p.Keep = v.Pipeline, true
			if v.Pipeline == "" {
				p.Pipeline = "O0"
			}
			again, err := shaderlift.Optimize(t.Context(), in, p)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Files[0].Data, v.Files[0].Data) || again.Kernel.CurrentCost().Cycles != v.Cycles ||
				again.Verdict() != v.Verdict {
				t.Errorf("%s: %q makes something else than what is reported", name, v.Pipeline)
			}
		}
		if own != 1 {
			t.Errorf("%s: the result is on the front %d times", name, own)
		}
		if res.Status != shaderlift.Improved {
			continue
		}
		p := o.Options
		p.Pipeline = res.Pipeline
		again, err := shaderlift.Optimize(t.Context(), in, p)
		if err != nil || !bytes.Equal(again.Files[0].Data, res.Files[0].Data) || again.Status != res.Status {
			t.Errorf("%s: %s makes something else: %v", name, res.Pipeline, err)
		}
	}
}

// TestTuneCoarser checks that versions equal the output of their pipelines, with and without tiles.
func TestTuneCoarser(t *testing.T) {
	in := kernelFile(t, "testdata/gem/gem.il")
	o := smallTune(shaderlift.TuneOptions{})
	o.Target, o.Kernel.Coarsen, o.Kernel.Domain, o.Budget = "cypress", shaderlift.Tile{X: 2, Y: 1, Held: true}, [2]int{128, 128}, 10
	res, err := shaderlift.Tune(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Faults {
		t.Errorf("%s: %v", f.Options.Pipeline, f.Err)
	}
	for _, v := range res.Tuning.Front {
		p := o.Options
		p.Kernel.Coarsen, p.Pipeline, p.Keep = shaderlift.Tile{}, v.Pipeline, true
		if v.Pipeline == "" {
			continue
		}
		other, err := shaderlift.Optimize(t.Context(), in, p)
		if err != nil || !bytes.Equal(other.Files[0].Data, v.Files[0].Data) {
			t.Errorf("%s makes something else, %v", v.Pipeline, err)
		}
	}
	if len(res.Tuning.Front) == 0 {
		t.Error("nothing is on the front")
	}
}

// TestTuneState checks that an interrupted search continues from its state to the result of an
// uninterrupted one, with any number of workers.
func TestTuneState(t *testing.T) {
	in := kernelFile(t, "testdata/il/jang_naive.il")
	want, err := shaderlift.Tune(t.Context(), in, smallTune(shaderlift.TuneOptions{Jobs: 1}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var state []byte
	o := smallTune(shaderlift.TuneOptions{Jobs: 2, Save: func(s []byte) error { state = s; return nil }})
	o.Progress = func(p tune.Progress) {
		if p.Versions > 20 {
			cancel()
		}
	}
	if res, err := shaderlift.Tune(ctx, in, o); !errors.Is(err, context.Canceled) || res.Status != shaderlift.Failed {
		t.Fatalf("a search that was interrupted: %v, %v", res.Status, err)
	}
	o = smallTune(shaderlift.TuneOptions{Jobs: 2, State: state})
	got, err := shaderlift.Tune(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(shaderlift.Constant{}, shaderlift.Result{})); diff != "" {
		t.Error(diff)
	}
	o.Seed++
	if _, err := shaderlift.Tune(t.Context(), in, o); !hasCode(err, "bad-state") {
		t.Errorf("the state of a search with another seed: %v", err)
	}
}

func hasCode(err error, code asm.Code) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == code
}

func TestTuneRefuses(t *testing.T) {
	kernel := kernelFile(t, "testdata/il/transpose.il")
	pixel := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte("ps_2_0\nmov oC0, c0\n")}}}
	for _, tt := range []struct {
		code asm.Code
		in   shaderlift.Input
		o    shaderlift.TuneOptions
	}{
		{"needs-kernel", pixel, shaderlift.TuneOptions{}},
		{"option-range", kernel, shaderlift.TuneOptions{Budget: -1}},
		{"option-range", kernel, shaderlift.TuneOptions{Jobs: -1}},
		{"wrong-target", kernel, shaderlift.TuneOptions{Options: shaderlift.Options{Target: "gcn"}}},
		{"bad-state", kernel, shaderlift.TuneOptions{State: []byte("{")}},
	} {
		if res, err := shaderlift.Tune(t.Context(), tt.in, tt.o); !hasCode(err, tt.code) || res.Status != shaderlift.Failed {
			t.Errorf("want %s, got %v", tt.code, err)
		}
	}
	no := errors.New("no room")
	if _, err := shaderlift.Tune(t.Context(), kernel,
		smallTune(shaderlift.TuneOptions{Save: func([]byte) error { return no }})); !errors.Is(err, no) {
		t.Errorf("a state that cannot be saved: %v", err)
	}
}

// TestTuneTime checks that a search that runs out of time gives a normal result, no slower than the
// result of -O2.
func TestTuneTime(t *testing.T) {
	in := kernelFile(t, "testdata/il/pldi_v1.il")
	level, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Pipeline: "O2", Kernel: shaderlift.KernelOptions{Domain: smallDomain}})
	if err != nil || level.Status != shaderlift.Improved {
		t.Fatalf("%v, %v", level.Status, err)
	}
	for _, limit := range []time.Duration{time.Nanosecond, 20 * time.Millisecond, 50 * time.Millisecond,
		100 * time.Millisecond, 300 * time.Millisecond} {
		res, err := shaderlift.Tune(t.Context(), in,
			shaderlift.TuneOptions{Options: shaderlift.Options{Limits: shaderlift.Limits{Time: limit},
				Kernel: shaderlift.KernelOptions{Domain: smallDomain}}})
		if err != nil || len(res.Files) != 1 || len(res.Faults) > 0 ||
			res.Status == shaderlift.Unchanged && !bytes.Equal(res.Files[0].Data, in.Files[0].Data) {
			t.Errorf("within %v: %v, %v", limit, res.Status, err)
		}
		if now, least := res.Kernel.CurrentCost().Cycles, level.Kernel.CurrentCost().Cycles; now > least {
			t.Errorf("within %v: %.0f cycles, -O2 takes %.0f", limit, now, least)
		}
	}
}

// TestTuneCoarseTargets checks that the costs of a coarser version on other GPUs belong to a launch of
// tiles.
func TestTuneCoarseTargets(t *testing.T) {
	inputs, _ := kernelFiles(t, []string{"testdata/il/jang_naive.il"})
	trips, err := shaderlift.ParseConstant("cb0[0].x=32")
	if err != nil {
		t.Fatal(err)
	}
	o := shaderlift.Options{Kernel: shaderlift.KernelOptions{Coarsen: shaderlift.Tile{X: 2, Y: 2}, Domain: smallDomain},
		Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{trips}}}
	res, err := shaderlift.Tune(t.Context(), inputs[0], shaderlift.TuneOptions{Options: o, Budget: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for _, v := range res.Tuning.Front {
		if !strings.Contains(v.Pipeline, "coarsen") {
			continue
		}
		some = true
		for _, want := range v.Targets {
			samePrice(t, v.Pipeline+" on "+want.Target, v.Files[0], res.Launches[0].After, want.After.Cycles, want.Target)
		}
	}
	if !some {
		t.Error("the search has no coarser version")
	}
}

// TestTuneHost checks that a search changes the launch only if it may, that it then finds tiles, packed resources and
// registers for memory, and that each version has the pipeline and the changes with which Optimize and Verify agree.
func TestTuneHost(t *testing.T) {
	for _, test := range []struct {
		file   string
		may    kernel.Change
		target shaderlift.Target
		gain   float64 // of the cycles
		budget int64   // about twice the work that the gain needs
	}{
		{"testdata/il/jang_naive.il", 0, "", 0, 1 << 17},
		{"testdata/il/jang_naive.il", kernel.Domain | kernel.Outputs, "", 0.3, 1 << 19},
		{"testdata/il/jang_naive.il", kernel.Domain | kernel.Outputs | kernel.Bindings, "", 0.5, 1 << 20},
		{"testdata/gem/gem.il", kernel.Memory, "cypress", 0.1, 1 << 18},
		{"testdata/gem/gem_uav.il", kernel.Memory, "cypress", 0.2, 1 << 20},
		{"testdata/gem/gem_uav.il", kernel.Memory, "rv770", 0.9, 1 << 20},
	} {
		in := kernelFile(t, test.file)
		o := shaderlift.TuneOptions{MayChange: test.may, Budget: test.budget}
		o.Target, o.Kernel.Domain = test.target, [2]int{64, 64}
		res, err := shaderlift.Tune(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range res.Faults {
			t.Errorf("%s: %s: %v", test.file, f.Options.Pipeline, f.Err)
		}
		c := res.Kernel
		if gain := 1 - c.CurrentCost().Cycles/c.Before.Cycles; gain < test.gain {
			t.Errorf("%s, %v: cycles decrease by %.0f %%", test.file, test.may, 100*gain)
		}
		if (res.Coarsened != nil) != (test.may != 0) {
			t.Errorf("%s, %v: %v", test.file, test.may, res.Coarsened)
		}
		for _, v := range res.Tuning.Front {
			if v.Bound > v.Cycles {
				t.Errorf("%s: %s takes %.0f cycles, less than the bound %.0f", test.file, v.Pipeline, v.Cycles, v.Bound)
			}
		}
		if res.Coarsened == nil {
			continue
		}
		p := o.Options
		p.Kernel.Coarsen = res.Coarsened.Tile
		after := shaderlift.Input{Files: res.Files}
		if again, err := shaderlift.Verify(t.Context(), in, after, p); err != nil || !again.Verdict().OK() {
			t.Errorf("%s, %v: %v, %v", test.file, test.may, again.Verdict(), err)
		}
	}
}

// TestTuneDeadCode checks that dead code in a kernel without memory does not make a search try each tile twice: the
// budget would end before resources are packed.
func TestTuneDeadCode(t *testing.T) {
	o := shaderlift.TuneOptions{MayChange: kernel.AnyChange, Budget: 1 << 21}
	o.Kernel.Domain, o.Host.Constants = [2]int{64, 64}, constants("cb0[0].x=64")
	res, err := shaderlift.Tune(t.Context(), kernelFile(t, "testdata/il/jang_naive.il"), o)
	if err != nil {
		t.Fatal(err)
	}
	if part := res.Kernel.CurrentCost().Cycles / res.Kernel.Before.Cycles; part > 0.5 {
		t.Errorf("the result takes %.2f of the cycles", part)
	}
}

// TestAdvice checks that Explain names the changes of a launch that make a kernel faster, with pipelines whose results
// Optimize verifies, and that it names none for a kernel with nothing to gain.
func TestAdvice(t *testing.T) {
	for file, want := range map[string]kernel.Change{
		"testdata/il/jang_naive.il":      kernel.Domain | kernel.Bindings | kernel.Outputs,
		"testdata/coarsen/correlator.il": kernel.Domain | kernel.Bindings,
		"testdata/gem/gem.il":            kernel.Bindings | kernel.Memory,
		"testdata/il/transpose.il":       0,
	} {
		in := kernelFile(t, file)
		o := shaderlift.Options{Kernel: shaderlift.KernelOptions{Domain: [2]int{64, 64}}}
		res, err := shaderlift.Explain(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if want == 0 {
			if len(res.Advice) > 0 {
				t.Errorf("%s: %v", file, res.Advice)
			}
			continue
		}
		if len(res.Advice) == 0 {
			t.Errorf("%s: no advice", file)
			continue
		}
		a := res.Advice[len(res.Advice)-1]
		o.Pipeline, o.Keep = a.Pipeline, true
		made, err := shaderlift.Optimize(t.Context(), in, o)
		partly := func(m shaderlift.Remark) bool { return m.Code == "unverified" }
		if err != nil || made.Verdict() != a.Verdict || !a.Verdict.OK() || slices.ContainsFunc(made.Remarks, partly) ||
			made.Kernel.CurrentCost().Cycles != a.Cycles || a.Host != want {
			t.Errorf("%s: %+v, but the result takes %.0f cycles: %v, %v", file, a, made.Kernel.CurrentCost().Cycles,
				made.Verdict(), err)
		}
	}
}

// TestSpilled checks that the line of a kernel reports registers in memory.
func TestSpilled(t *testing.T) {
	var s strings.Builder
	s.WriteString("il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\n" +
		"dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\ndcl_cb cb0[140]\n")
	for i := range 140 {
		fmt.Fprintf(&s, "add r200.xy__, vWinCoord0.xy, cb0[%d].xy\nsample_resource(0)_sampler(0) r%d, r200.xy\n", i, i)
	}
	s.WriteString("mov r201, r0\n")
	for i := range 139 {
		fmt.Fprintf(&s, "mad r201, r201, r%d, r%d\n", i+1, 139-i)
	}
	s.WriteString("mov o0, r201\nend\n")
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "many.il", Data: []byte(s.String())}}}
	res, err := shaderlift.Stats(t.Context(), in, shaderlift.Options{})
	if err != nil || res.Kernel.Before.Spilled != res.Kernel.Before.GPRs-124 || res.Kernel.Before.Spilled < 10 {
		t.Errorf("%+v, %v", res.Kernel, err)
	}
}
