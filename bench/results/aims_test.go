package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/verify"
)

// TestTutorialCounts checks that the model agrees with the counts of AMD's tutorial: bundles within
// 3 %, operations within 1 %, registers within 2, fetches exactly.
func TestTutorialCounts(t *testing.T) {
	t.Chdir("../..")
	for _, p := range tutorial {
		c, err := compile(p.kernel, "rv670")
		if err != nil {
			t.Fatal(err)
		}
		st := &c.Stats
		if !within(0.03, off(st.Groups, p.alu)) || !within(0.01, off(st.Ops, p.ops)) || distance(st.GPRs, p.gprs) > 2 ||
			st.Fetches != p.fetches {
			t.Errorf("%s: %d bundles, %d operations, %d registers, %d fetches; published %d, %d, %d, %d",
				p.label, st.Groups, st.Ops, st.GPRs, st.Fetches, p.alu, p.ops, p.gprs, p.fetches)
		}
		if c.unported.Groups >= st.Groups {
			t.Errorf("%s: the port rules cost nothing: %d and %d bundles", p.label, st.Groups, c.unported.Groups)
		}
	}
}

// TestPublishedFigures checks that published operations are a whole number of slots: five times the
// bundles times the share filled.
func TestPublishedFigures(t *testing.T) {
	for _, p := range append(tutorial, jang...) {
		if ops := float64(p.alu) * 5 * p.util / 100; ops < float64(p.ops)-0.6 || ops > float64(p.ops)+0.6 {
			t.Errorf("%s: %v operations, not %d", p.label, ops, p.ops)
		}
		if _, ok := products[p.kernel]; !ok {
			t.Errorf("no launch is known for %s", p.kernel)
		}
	}
}

// TestResidency checks that the budget rules reproduce the published examples exactly.
func TestResidency(t *testing.T) {
	for _, r := range residency {
		target, err := chip.ByName(r.target)
		if err != nil {
			t.Fatal(err)
		}
		b, err := chip.BudgetByName(r.budget)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Waves(target, r.gprs); got != r.waves {
			t.Errorf("%s: %d registers leave room for %d wavefronts, not %d", r.source, r.gprs, got, r.waves)
		}
	}
}

// TestCodeMotion checks that every kernel of the paper on code motion has the published length and
// is reduced at least as much as by hand. It also checks that the steps reach those of table 4.
func TestCodeMotion(t *testing.T) {
	t.Chdir("../..")
	aims := map[string]float64{"gaussian1d": 45, "gaussian2d": 40, "sorting": 20} // the aims exceed the published figures
	for i := range motions {
		m := &motions[i]
		r, err := motion(m.kernel, shaderlift.Options{Target: shaderlift.SlotTarget})
		if err != nil {
			t.Fatal(err)
		}
		v, f := slotsOf(r)
		if v[0] != m.before[0] || f[0] != m.before[1] {
			t.Errorf("%s: %d and %d slots, not %d and %d as printed", m.kernel, v[0], f[0], m.before[0], m.before[1])
		}
		if by := less(float64(f[1]), float64(f[0])); f[1] > m.after[1] || by < aims[m.kernel] || !r.Verdict().OK() {
			t.Errorf("%s: %d slots come to %d, printed is %d; %v", m.kernel, f[0], f[1], m.after[1], r.Verdict())
		}
	}
	for n, want := range stepwise {
		r, err := motion("gaussian1d", shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "codemotion", Keep: true,
			Limits: shaderlift.Limits{Fuel: &n}})
		if err != nil {
			t.Fatal(err)
		}
		if _, f := slotsOf(r); f[1] > want[1] {
			t.Errorf("%d motions leave %d slots, printed are %d", n, f[1], want[1])
		}
	}
}

// TestCoarsening checks that a tile by passes fetches as much as a manual one, and needs at most one
// more instruction group and no more registers. It must reach nine tenths of the manual rate, with
// known and unknown row length.
func TestCoarsening(t *testing.T) {
	t.Chdir("../..")
	for _, tile := range testcorpus.EveryNth(tiles, 5) {
		hand, err := byHand(tile.x, tile.y)
		if err != nil {
			t.Fatal(err)
		}
		for _, known := range []bool{true, false} {
			res, err := correlated(tile.x, tile.y, known)
			if err != nil {
				t.Fatal(err)
			}
			now := res.Kernel.CurrentCost()
			if now.Fetches > hand.Fetches || now.GPRs > hand.GPRs || now.ALU > hand.ALU+1 || now.GFLOPS < 0.9*hand.GFLOPS ||
				!res.Verdict().OK() {
				t.Errorf("%dx%d, length known: %v: %v, %+v, by hand %+v", tile.x, tile.y, known, res.Verdict(), now, hand)
			}
		}
	}
}

// TestDocument checks that the document has every section that this command writes, except slow
// ones.
func TestDocument(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var quick []string
	long := []string{"jang-passes", "jang-projection", "volkov", "saturation", "daga"} // other tests cover parts of these
	if !testcorpus.Whole {
		long = append(long, "tutorial-cache", "tutorial-passes") // most of the remaining time
	}
	for _, s := range sections {
		if !s.corpus && !slices.Contains(long, s.name) {
			quick = append(quick, s.name)
		}
	}
	if err := write(&b, 1000, "", filepath.Join(t.TempDir(), "results"), strings.Join(quick, ",")); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "#") && !strings.Contains(string(data), line) {
			t.Errorf("docs/results.md lacks %q: go run -C bench ./results > docs/results.md", strings.TrimSpace(line))
		}
	}
}

// TestOnly checks that selected sections equal those in the document, and that unknown ones are
// refused.
func TestOnly(t *testing.T) {
	t.Chdir("../..")
	var b strings.Builder
	if err := write(&b, 1000, "", t.TempDir(), "wavefronts,constants"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n## "); n != 1 || !strings.HasPrefix(b.String(), "## Constants: an example") {
		t.Errorf("%s", b.String())
	}
	for _, part := range strings.SplitAfter(b.String(), "|\n\n") {
		if !strings.Contains(string(data), part) {
			t.Errorf("docs/results.md has not:\n%s", part)
		}
	}
	for _, only := range []string{"jang", "corpus-pairs"} {
		if err := write(&b, 1000, "", t.TempDir(), only); err == nil {
			t.Errorf("%s is written", only)
		}
	}
}

// TestJangVectors checks that passes derive vectors and eight outputs from the naive product, with
// the published fetches, no more bundles, and at most one more register.
func TestJangVectors(t *testing.T) {
	t.Chdir("../..")
	for _, s := range jangVectors {
		c, res, err := rewritten("jang_naive", s.pipeline, 32)
		if err != nil {
			t.Fatal(err)
		}
		if st := &c.Stats; st.Fetches != s.fetches || st.Groups > s.alu || st.GPRs > s.gprs+1 ||
			st.FetchUtilization() != 1 || !res.Verdict().OK() {
			t.Errorf("%s: %v, %+v", s.label, res.Verdict(), st)
		}
	}
}

// TestAddresses checks that Brook+'s address computation accounts for the difference between
// published operations and those of the products.
func TestAddresses(t *testing.T) {
	t.Chdir("../..")
	for _, p := range jang[1:6] {
		st, err := addressedStats(p.kernel)
		if err != nil {
			t.Fatal(err)
		}
		if distance(st.Ops, p.ops) > 2 || st.Fetches != p.fetches {
			t.Errorf("%s: %d operations and %d fetches, not %d and %d", p.label, st.Ops, st.Fetches, p.ops, p.fetches)
		}
	}
}

// TestDaga checks that all of Daga's optimizations together exceed the product of their speed-ups,
// and that the results are verified.
func TestDaga(t *testing.T) {
	if !testcorpus.Whole {
		t.Skip("large launches, whose cycles docs/results.md has too; set SHADERLIFT_LONG=1 for them")
	}
	t.Chdir("../..")
	cycles := func(set int) float64 {
		res, err := gem.version(set)
		if err != nil {
			t.Fatal(err)
		}
		if set != 0 && !res.Verdict().OK() {
			t.Errorf("%b: %v", set, res.Verdict())
		}
		return res.Kernel.CurrentCost().Cycles
	}
	none, product := cycles(0), 1.0
	for i, d := range dagas {
		alone := none / cycles(1<<i)
		if product *= alone; alone < 1 {
			t.Errorf("%s makes it slower, %.2f times", d.name, alone)
		}
	}
	if all := none / cycles(1<<len(dagas)-1); all < 1.5*product {
		t.Errorf("all together are %.2f times as fast, and the product is %.2f", all, product)
	}
}

// TestDagaViews checks that each of Daga's optimizations alone, and all combinations of them, are verified for the form
// that OpenCL compiles for Evergreen, with raw views. None is slower alone, and the fastest has all but unrolling or more.
func TestDagaViews(t *testing.T) {
	t.Chdir("../..")
	var cycles [1 << 5]float64
	fastest := 0
	for set := range cycles {
		res, err := gemViews.version(set)
		if err != nil {
			t.Fatal(err)
		}
		if v := res.Verdict(); set != 0 && (v != verify.Proved && v != verify.ProvedReal || res.Status == shaderlift.Failed) {
			t.Errorf("%05b: %v", set, v)
		}
		cycles[set] = res.Kernel.CurrentCost().Cycles
		name := ""
		for i, d := range dagas {
			if set>>i&1 != 0 {
				name += d.letter
			}
		}
		if cycles[set] < cycles[fastest] {
			fastest = set
		}
		t.Logf("%-5s %7.0f cycles, %.2f times as fast, %v", name, cycles[set], cycles[0]/cycles[set], res.Verdict())
	}
	for i, d := range dagas {
		if cycles[1<<i] > cycles[0] {
			t.Errorf("%s makes it slower, %.2f times", d.name, cycles[0]/cycles[1<<i])
		}
	}
	if cycles[0] < 5*cycles[fastest] || fastest&0b1110 != 0b1110 {
		t.Errorf("the fastest combination is %05b, %.2f times as fast", fastest, cycles[0]/cycles[fastest])
	}
}

// TestSeveralPoints checks that several points per invocation gain the published speed-up within a
// quarter, and fetch no more atoms.
func TestSeveralPoints(t *testing.T) {
	t.Chdir("../..")
	s := &summations[0]
	var first float64
	for k, across := range s.across {
		res, err := s.summed(across)
		if err != nil {
			t.Fatal(err)
		}
		rate, err := s.rate(res.Files[0], [2]int{128, 128}, across)
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = rate
		}
		if gain := rate / first; !within(0.25, gain/(s.published[k]/s.published[0])-1) ||
			res.Kernel.CurrentCost().Fetches != 1 || !res.Verdict().OK() {
			t.Errorf("%d points: %.2f times, %+v, %v", across, gain, res.Kernel.CurrentCost(), res.Verdict())
		}
	}
}

// TestProjection checks that the naive back projection fetches as much as the published one, that
// each of Jang's optimizations is verified, and that vector input halves the fetches.
func TestProjection(t *testing.T) {
	t.Chdir("../..")
	var fetches []int
	for _, p := range projections {
		res, c, err := projected(p.stage, [2]int{8, 8})
		if err != nil {
			t.Fatal(err)
		}
		fetches = append(fetches, c.Stats.Fetches)
		if res.Status != shaderlift.Unchanged && !res.Verdict().OK() {
			t.Errorf("%s: %v", p.label, res.Verdict())
		}
	}
	if fetches[0] != projections[0].fetches || fetches[1] != fetches[0] || 2*fetches[2] != fetches[0] ||
		fetches[3] >= 4*fetches[0] {
		t.Errorf("%v fetches", fetches)
	}
}

// TestDifferences checks that docs/results.md has a row with print, model, ratio and cause for each published figure
// about which the model says something.
func TestDifferences(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 6 {
			for id := range strings.SplitSeq(cells[0], ", ") {
				rows[id] = cells
			}
		}
	}
	for _, id := range strings.Fields("J01 J22 J23 J24 J25 J26 J27 P19 P20 P21 P27 P28 P29 P30 D06 D07 D08 D09 D10 D15 I23 I24 I25") {
		switch cells := rows[id]; {
		case cells == nil:
			t.Errorf("docs/results.md has no row %s", id)
		case slices.Contains(cells, "") || !strings.HasSuffix(cells[5], "."):
			t.Errorf("%s: a cell is empty, or the cause is not a sentence: %q", id, cells)
		case cells[3] == "-":
			t.Errorf("%s has no figure of the model", id)
		}
	}
}

// TestSlope checks the fitted line through the origin.
func TestSlope(t *testing.T) {
	if got := slope([]float64{0, 1, 2}, []float64{0, 2, 4}); got != 2 {
		t.Errorf("%v, want 2", got)
	}
}
