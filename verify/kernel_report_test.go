package verify

import (
	"fmt"
	"strings"
	"testing"

	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// TestKernelDeterministic checks that a report is a function of the kernels and the options.
func TestKernelDeterministic(t *testing.T) {
	for _, c := range much.EveryNth(kernelCases, 5) {
		show := func() string {
			r := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Numerics: Real, Seed: 5})
			x := r.Counterexample
			r.Counterexample = nil
			return fmt.Sprintf("%+v %+v", r, x)
		}
		if a, b := show(), show(); a != b {
			t.Errorf("%s:\n%s\n%s", c.name, a, b)
		}
	}
}

// TestKernelCounterexample checks that executing the counterexample, a launch, shows the difference.
func TestKernelCounterexample(t *testing.T) {
	for _, c := range kernelCases {
		if c.want != Refuted || c.numerics != "" {
			continue
		}
		before, after := parseKernel(t, c.before), parseKernel(t, c.after)
		x := CheckKernel(before, after, Options{Numerics: Real, Seed: 1}).Counterexample
		launch, err := kernel.ParseCase("counterexample", []byte(x.Input))
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, x.Input)
			continue
		}
		k := &kernelChecker{before: before, after: after}
		programs, err := k.compile()
		if err != nil {
			t.Fatal(err)
		}
		run := k.runner(programs, shot{launch, launchSteps}, 0).execute
		b, err := run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		a, err := run(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if y := trial.Compare(b, a, trial.SameBits); y.Differing == 0 && y.Shape == "" {
			t.Errorf("%s: %s %s: no difference on\n%s", c.name, x.Where, x.Output, x.Input)
		}
	}
}

// TestKernelCases checks that launches of the user are executed too. Here only one of them has the constant
// whose hash matters.
func TestKernelCases(t *testing.T) {
	body := func(hash string) string {
		return csKernel("dcl_literal l9, " + hash +
			", 0x5a5a5a5a, 0x9e3779b1, 0; ftoi r2.x, cb0[0].x; ixor r2.x, r2.x, l9.y; imul r2.x, r2.x, l9.z; ieq r3.x, l9.x, r2.x; cmov_logical r4, r3.x, l0.y, r0; mov g[r10.x], r4")
	}
	before, after := parseKernel(t, body("0x3ba6c5e3")), parseKernel(t, body("0x610058d0"))
	o := Options{Numerics: Real}
	if r := CheckKernel(before, after, o); r.Verdict != Unknown {
		t.Errorf("without: %v %s", r.Verdict, r.Why)
	}
	launch, err := kernel.ParseCase("case", []byte("domain 8 8\nglobal 64 zero\ncb 0 0 5001.0 0 0 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.KernelCases = []*kernel.Case{launch}
	if r := CheckKernel(before, after, o); r.Verdict != Refuted || !strings.Contains(r.Counterexample.Input, "5001") {
		t.Errorf("with: %v %s", r.Verdict, r.Why)
	}
}

// TestKernelConfirmed checks the number of launches. Under Quick, equal terms are confirmed by one random
// launch and one of special numbers. Versions that are equal only over the reals, or not proved, get two
// random launches.
func TestKernelConfirmed(t *testing.T) {
	before := parseKernel(t, psKernel("mul r0, v0, v1; add o0, r0, v0"))
	for _, c := range []struct {
		after string
		o     Options
		least int
		most  int
	}{
		{"mul r1, v0, v1; add o0, r1, v0", Options{Numerics: Real}, 2, 2},
		{"mad o0, v0, v1, v0", Options{Numerics: Real}, 2, 2},
		{"mul r0, v1, v0; add o0, v0, r0", Options{Numerics: Real, Effort: Full}, 16, 99},
		{"mad o0, v0, v1, v0", Options{Numerics: Terms}, 3, 99},
	} {
		r := CheckKernel(before, parseKernel(t, psKernel(c.after)), c.o)
		if r.draws < c.least || r.draws > c.most {
			t.Errorf("%s: %v after %d launches, want %d to %d", c.after, r.Verdict, r.draws, c.least, c.most)
		}
	}
}
