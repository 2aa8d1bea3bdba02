package wine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/wine"
)

// TestWineFitDevice draws programs that were ported to ps_2_0 on a device without later models: a third of the
// programs in testdata, or all of them and those of the corpus if SHADERLIFT_WINE is "all". The pictures must
// equal the interpreter's, and those of the input on a device that supports it, except for explained rounding
// and within the bound if there is one.
func TestWineFitDevice(t *testing.T) {
	scope := asked(t)
	r := start(t, 3)
	least := start(t, 2)
	var batch []wine.Subject
	for i, s := range fitPrograms(t, scope == "all") {
		if scope != "all" && i%3 != 0 {
			continue
		}
		s = optimized(t, s,
			shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{
				PixelConstants: shaderlift.Mirrored, Assume: []shaderlift.Assumption{shaderlift.OneLevel}}})
		if s.After == nil {
			t.Logf("%s does not fit", s.Name)
			continue
		}
		if c := meaningfulCase(t, &s, 1); c != nil {
			s.Case = filtered(c)
			s.Bounds = bounds(t, &s, s.Case)
			batch = append(batch, s)
		}
	}
	refused := batch[0]
	refused.After = nil
	outcomes, err := least.Check([]wine.Subject{refused})
	if err != nil || outcomes[0].Err == nil {
		t.Fatalf("the device draws with %s: %v", refused.Before.Pixel.Model, err)
	}
	if outcomes, err = r.CheckOn(least, batch); err != nil {
		t.Fatal(err)
	}
	var sum tally
	for i := range outcomes {
		sum.take(t, &batch[i], &outcomes[i])
	}
	sum.print(t)
	if 4*sum.counted < 3*len(batch) {
		t.Errorf("of %d draws %d count", len(batch), sum.counted)
	}
}

// fitPrograms returns the pairs in testdata, and with all the pairs of the corpus that fit.
func fitPrograms(t *testing.T, all bool) (list []wine.Subject) {
	t.Helper()
	paths, err := filepath.Glob("testdata/fit/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var p [2]*d3d9.Program
		for i := range p {
			if p[i], err = d3d9.Read(path, a.Files[i].Data); err != nil {
				t.Fatal(err)
			}
		}
		// Wine cannot link a program that reads more varyings than its model has.
		if slices.ContainsFunc(d3d9.Validate(p[1]), func(d *asm.Diag) bool { return d.Code == "input-limit" }) {
			t.Logf("%s reads more varyings than %s has", path, p[1].Model)
			continue
		}
		list = append(list, wine.Subject{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"),
			Before: wine.Programs{Vertex: p[0], Pixel: p[1]}})
	}
	for _, s := range corpusPairs(t) {
		if cost := d3d9.Measure(s.Before.Pixel); all && s.Before.Pixel.Model == d3d9.PS30 && cost.Arithmetic > 64 &&
			cost.Arithmetic <= 110 {
			list = append(list, s)
		}
	}
	return list
}
