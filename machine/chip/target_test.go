package chip_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// TestBudgetsAgainstPublishedCounts compares with published wavefront counts: Jang et al. 2009;
// AMD's tutorial of 2008 (registers of matrix multiplication, versions 1 to final, in 192); AMD's
// OpenCL guide for Evergreen.
func TestBudgetsAgainstPublishedCounts(t *testing.T) {
	for _, c := range []struct {
		budget chip.Budget
		target string
		want   map[int]int // by registers of a thread
	}{
		{chip.Jang128, "rv670", map[int]int{10: 12, 64: 2, 65: 1}},
		{chip.Slides192, "rv670", map[int]int{26: 7, 27: 7, 28: 6, 32: 6, 38: 5}},
		{chip.Evergreen248, "cypress", map[int]int{5: 49, 10: 24, 20: 12, 25: 9, 26: 9, 27: 9, 31: 8, 62: 4, 124: 2}},
		{chip.Mesa, "r600", map[int]int{26: 7}},
		{chip.Mesa, "rv670", map[int]int{26: 5, 36: 4, 37: 3}},
		{chip.Mesa, "cypress", map[int]int{31: 3}},
	} {
		target := machinetest.Target(t, c.target)
		for gprs, want := range c.want {
			if got := c.budget.Waves(target, gprs); got != want {
				t.Errorf("%v on %s: %d registers leave room for %d wavefronts, want %d", c.budget, c.target, gprs, got, want)
			}
		}
	}
}

func TestResidentWavefrontsRespectTheChip(t *testing.T) {
	for _, c := range []struct {
		target string
		budget chip.Budget
		gprs   int
		want   int
	}{
		{"cypress", chip.Evergreen248, 5, 24}, // 496 on the chip, not 49 on each SIMD
		{"cypress", chip.Evergreen248, 31, 8},
		{"rv670", chip.Slides192, 38, 5},
		{"rv670", chip.Slides192, 1, 48},
		{"rv670", chip.Mesa, 1, 34},
		{"rv670", chip.Jang128, 128, 1},
		{"cypress", chip.Mesa, 100, 1}, // more than the share, which is enlarged
	} {
		target := machinetest.Target(t, c.target)
		target.Budget = c.budget
		if got := target.Resident(c.gprs); got != c.want {
			t.Errorf("%s, %v: %d registers: %d resident, want %d", c.target, c.budget, c.gprs, got, c.want)
		}
	}
}

func TestNamesOfBudgets(t *testing.T) {
	for _, name := range chip.Budgets() {
		b, err := chip.BudgetByName(name)
		if err != nil || b.String() != name {
			t.Errorf("BudgetByName(%q) = %v, %v", name, b, err)
		}
	}
	if _, err := chip.BudgetByName("guess"); err == nil || !strings.Contains(err.Error(), "jang128") {
		t.Errorf("an unknown budget gives %v, want the known names", err)
	}
}

func TestEveryConstantHasASourceAndCanBeSet(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range chip.Parameters() {
		if seen[p.Name] || p.Name == "" || p.Doc == "" || p.Source == "" {
			t.Errorf("row %+v", p)
		}
		seen[p.Name] = true
		for i, name := range chip.Names() {
			target := machinetest.Target(t, name)
			if got, err := target.Get(p.Name); err != nil || got != p.Values[i] {
				t.Errorf("%s of %s = %v, %v; the table says %v", p.Name, name, got, err, p.Values[i])
			}
			other := p.Values[i] + 1
			if p.Name == "wave" || p.Name == "tile" {
				other = 4
			}
			if err := target.Set(p.Name, other); err != nil {
				t.Errorf("setting %s: %v", p.Name, err)
			}
			if got, _ := target.Get(p.Name); got != other {
				t.Errorf("%s = %v after setting it to %v", p.Name, got, other)
			}
		}
	}
}

func TestSetRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		name  string
		value float64
	}{{"simds", 0}, {"simds", 2.5}, {"clock", -1}, {"wave", 1e12}, {"wave", 128}, {"wave", 30}, {"tile", 6},
		{"simds", 1e6}, {"bandwidth", 0}, {"colour", 1}} {
		target := machinetest.Target(t, "rv670")
		before := *target
		if err := target.Set(c.name, c.value); err == nil || *target != before {
			t.Errorf("Set(%q, %v) = %v and changed the target: %v", c.name, c.value, err, *target != before)
		}
	}
	if err := machinetest.Target(t, "rv670").Set("memory-latency", 0); err != nil {
		t.Errorf("a latency of 0 is rejected: %v", err)
	}
	if _, err := chip.ByName("rv999"); err == nil || !strings.Contains(err.Error(), "cypress") {
		t.Errorf("an unknown target gives %v, want the known names", err)
	}
}

// TestPeaksAreThoseOfTheDataSheets compares with AMD's data sheets: GFLOPS of multiply-add, and
// texels per second.
func TestPeaksAreThoseOfTheDataSheets(t *testing.T) {
	for _, c := range []struct {
		target        string
		gflops, units float64
	}{{"r600", 475, 16}, {"rv670", 496, 16}, {"rv770", 1200, 40}, {"cypress", 2720, 80}} {
		m := machinetest.Target(t, c.target)
		lanes := float64(m.SIMDs*m.Slots*m.Wave) / float64(m.GroupCycle)
		if got := 2 * lanes * m.Clock / 1000; got < c.gflops-1 || got > c.gflops+1 {
			t.Errorf("%s: %.0f GFLOPS, want %.0f", c.target, got, c.gflops)
		}
		if got := float64(m.SIMDs) * m.FetchRate; got != c.units {
			t.Errorf("%s: %.0f texture units, want %.0f", c.target, got, c.units)
		}
	}
}
