package htmlreport_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
)

// TestKernel checks that the page shows a compiled program slot by slot, and that occupancy steps
// fall from one register to the next.
func TestKernel(t *testing.T) {
	page := reported(t, []string{"../../testdata/il/pldi_v1.il"})
	for want, n := range map[string]int{`<th scope="col">t</th>`: 2, `<td colspan="5">SAMPLE`: 24,
		"wavefronts by registers on rv670": 1, `<td class="free">`: 1} {
		if got := strings.Count(page, want); got < n {
			t.Errorf("%s stands there %d times, not %d", want, got, n)
		}
	}
	if passes := regexp.MustCompile(` and pipeline</summary>\n<p><code>([^<]*)`).FindStringSubmatch(page); passes == nil ||
		strings.Contains(passes[1], "codemotion") {
		t.Errorf("of a kernel the passes are %q", passes)
	}
	steps := regexp.MustCompile(`<path d="M34 \d+(V[^"]*)"`).FindStringSubmatch(page)
	if steps == nil || !strings.HasPrefix(steps[1], "V34H42V34H50") {
		t.Errorf("the steps are %q", steps)
	}
}

// TestCourse checks that shares of intervals are steps from left to right, that the cache has no
// share without requests, and that an incomplete launch is marked as such.
func TestCourse(t *testing.T) {
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	page.Add(&shaderlift.Result{Name: "k", Kind: shaderlift.KindKernel,
		Kernel: &shaderlift.KernelCosts{Target: "rv770", Before: shaderlift.KernelCost{Cycles: 800, Domain: "8x8",
			Course: []kernel.Interval{{Cycles: 100, ALU: 1, Requests: 4, CacheHit: 0.5}, {Cycles: 100, Stalled: 0.25},
				{Cycles: 200, Fetch: 0.5, Requests: 4, CacheHit: 1}}}}}, nil)
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	balanced(t, b.String())
	for _, want := range []string{
		`class="part0" d="M34.0 26.0H154.0V110.0H274.0V110.0H514.0"`, `class="part2" d="M34.0 110.0H154.0V110.0H274.0V68.0H514.0"`,
		`class="part3" d="M34.0 110.0H154.0V89.0H274.0V110.0H514.0"`, `class="part4" d="M34.0 68.0H154.0M274.0 26.0H514.0"`,
		"before: 800 cycles, the first 400 of them", "during a launch over 8x8 on rv770"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(b.String(), "after: 0 cycles") {
		t.Error("a version is shown that there is not")
	}
}

// TestFront checks that versions with more cycles are further right, and those with more registers
// are higher. Close versions share a label.
func TestFront(t *testing.T) {
	page := tuned(t)
	for _, want := range []string{`<circle cx="34" cy="34" r="4"/>`, `<circle cx="210" cy="110" r="4"/>`,
		`<circle cx="386" cy="186" r="4"/>`, "<code>(the input)</code>", `<td class="n">-75.0 %</td>`,
		`>2, 3</text>`, `>4</text>`} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// tuned returns the page of a search that found four versions.
func tuned(t *testing.T) string {
	page := htmlreport.NewPage(shaderlift.NewReport(shaderlift.Options{}))
	page.Add(&shaderlift.Result{Name: "k", Kind: shaderlift.KindKernel,
		Kernel: &shaderlift.KernelCosts{Target: "rv770", Before: shaderlift.KernelCost{Cycles: 400}},
		Tuning: &shaderlift.Tuning{Progress: tune.Progress{Versions: 4},
			Front: []shaderlift.Tuned{{Pipeline: "dce", Cycles: 100, GPRs: 9}, {Pipeline: "gvn", Cycles: 200, GPRs: 5},
				{Pipeline: "dce,copyprop{mixed=true},sink,leafprop,sink,merge-registers,unroll{factor=4},group-fetches", Cycles: 201, GPRs: 5},
				{Cycles: 300, GPRs: 1}}}}, nil)
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	balanced(t, b.String())
	return b.String()
}
