package main

import (
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// The model agrees with the counts that AMD's tutorial prints: bundles within 3 %,
// operations within 1 %, registers within 2, fetches exactly.
func TestTutorialCounts(t *testing.T) {
	t.Chdir("../..")
	for _, p := range tutorial {
		c, err := compile(p.kernel, "rv670")
		if err != nil {
			t.Fatal(err)
		}
		st := &c.Stats
		if !within(0.03, off(st.Groups, p.alu)) || !within(0.01, off(st.Ops, p.ops)) || distance(st.GPRs, p.gprs) > 2 || st.Fetches != p.fetches {
			t.Errorf("%s: %d bundles, %d operations, %d registers, %d fetches; published %d, %d, %d, %d",
				p.label, st.Groups, st.Ops, st.GPRs, st.Fetches, p.alu, p.ops, p.gprs, p.fetches)
		}
		if c.unported.Groups >= st.Groups {
			t.Errorf("%s: the port rules cost nothing: %d and %d bundles", p.label, st.Groups, c.unported.Groups)
		}
	}
}

// Published operations are a whole number of slots: bundles times five times the share filled.
func TestPublishedFigures(t *testing.T) {
	for _, p := range append(tutorial, jang...) {
		if ops := float64(p.alu) * 5 * p.util / 100; ops < float64(p.ops)-0.6 || ops > float64(p.ops)+0.6 {
			t.Errorf("%s: %v operations, not %d", p.label, ops, p.ops)
		}
		if _, ok := products[p.kernel]; !ok {
			t.Errorf("%s is not said how to launch", p.kernel)
		}
	}
}

// The budget rules give the published examples exactly.
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

// The document is there and has every section that this command writes.
func TestDocument(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := write(&b, 1000, ""); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "#") && !strings.Contains(string(data), line) {
			t.Errorf("docs/results.md lacks %q: go run ./cmd/results > docs/results.md", strings.TrimSpace(line))
		}
	}
}
