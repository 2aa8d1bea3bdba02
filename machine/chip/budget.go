package chip

import (
	"fmt"
	"strings"
)

// Budget is a rule that tells how many wavefronts a SIMD holds from the registers a
// thread of them uses. The published ones disagree, so each has its name and none is
// mixed with another.
type Budget uint8

const (
	// Slides192 is AMD's tutorial on the HD 3870: about 192 registers of a SIMD.
	Slides192 Budget = iota
	// Jang128 is the simplification of Jang et al.: 128 registers.
	Jang128
	// Mesa is the share that the open driver gives pixel shaders.
	Mesa
	// Evergreen248 is compute on Evergreen: the file less the clause temporaries of
	// the odd and the even wavefront.
	Evergreen248
	numBudgets
)

// budgets says, for each rule, which registers of a SIMD it divides among wavefronts, and the limit
// of wavefronts of the chip that goes with it.
var budgets = [numBudgets]struct {
	name      string
	registers func(*Target) int
	waves     func(*Target) int // of the chip
}{
	Slides192:    {"slides192", func(*Target) int { return 192 }, func(t *Target) int { return t.WaveLimit }},
	Jang128:      {"jang128", func(*Target) int { return 128 }, func(t *Target) int { return t.WaveLimit }},
	Mesa:         {"mesa", func(t *Target) int { return t.PixelGPRs }, func(t *Target) int { return t.PixelWaves }},
	Evergreen248: {"evergreen248", func(t *Target) int { return t.RegisterFile - 2*t.ClauseTemps }, func(t *Target) int { return t.WaveLimit }},
}

// String is the name of b.
func (b Budget) String() string { return budgets[b].name }

// Budgets are the names [BudgetByName] knows.
func Budgets() []string {
	var names []string
	for _, b := range budgets {
		names = append(names, b.name)
	}
	return names
}

// BudgetByName finds a rule.
func BudgetByName(name string) (Budget, error) {
	for b := range numBudgets {
		if budgets[b].name == name {
			return b, nil
		}
	}
	return 0, fmt.Errorf("unknown wavefront budget %q; known are %s", name, strings.Join(Budgets(), ", "))
}

// Waves is how many wavefronts the registers of one SIMD of t have room for, when each
// thread uses gprs of them: the figure that the papers print, 0 where not even one fits.
// It divides registers, not threads: the register file of a SIMD has 256 registers for each of the
// 64 threads of a wavefront, so that one wavefront with n registers takes n of the 256.
func (b Budget) Waves(t *Target, gprs int) int {
	return budgets[b].registers(t) / max(gprs, 1)
}

// Resident is how many wavefronts of a kernel a SIMD of t really holds: what the
// registers have room for, within the chip's limit shared evenly among its SIMDs. One is
// always held, since a kernel that the share of pixel shaders cannot hold is given more.
// That the limit is shared evenly is assumed.
func (t *Target) Resident(gprs int) int {
	limit := budgets[t.Budget].waves(t) / t.SIMDs
	return max(1, min(t.Budget.Waves(t, gprs), limit))
}
