package chip

import (
	"fmt"
	"strings"
)

// Budget is a rule that maps the registers of a thread to the number of wavefronts that a SIMD
// holds. The published rules disagree, so each has a name and none is mixed with another.
type Budget uint8

const (
	// Slides192 is the rule of AMD's tutorial on the HD 3870: about 192 registers for each SIMD.
	Slides192 Budget = iota
	// Jang128 is the simplification of Jang et al.: 128 registers.
	Jang128
	// Mesa is the share of registers that the open driver gives pixel shaders.
	Mesa
	// Evergreen248 is the rule for compute on Evergreen: the register file minus the clause
	// temporaries of the odd and the even wavefront.
	Evergreen248
	numBudgets
)

// budgets holds, for each rule, the registers of a SIMD that it divides among wavefronts, and the
// matching wavefront limit of the chip.
var budgets = [numBudgets]struct {
	name      string
	registers func(*Target) int
	waves     func(*Target) int // of the chip
}{
	Slides192: {"slides192", func(*Target) int { return 192 }, func(t *Target) int { return t.waveLimit }},
	Jang128:   {"jang128", func(*Target) int { return 128 }, func(t *Target) int { return t.waveLimit }},
	Mesa:      {"mesa", func(t *Target) int { return t.pixelGPRs }, func(t *Target) int { return t.pixelWaves }},
	Evergreen248: {"evergreen248", func(t *Target) int { return t.registerFile - 2*t.ClauseTemps },
		func(t *Target) int { return t.waveLimit }},
}

// String returns the name of b.
func (b Budget) String() string { return budgets[b].name }

// budgetNames returns the names that [BudgetByName] accepts.
func budgetNames() []string {
	var names []string
	for _, b := range budgets {
		names = append(names, b.name)
	}
	return names
}

// BudgetByName returns the rule with the given name.
func BudgetByName(name string) (Budget, error) {
	for b := range numBudgets {
		if budgets[b].name == name {
			return b, nil
		}
	}
	return 0, fmt.Errorf("unknown wavefront budget %q (want %s)", name, strings.Join(budgetNames(), ", "))
}

// Waves returns the number of wavefronts that fit in the registers of one SIMD of t, when each
// thread uses gprs of them. Papers print this figure; it is 0 if not even one wavefront fits. The
// rule divides registers, not threads. The register file of a SIMD has 256 registers for each of
// the 64 threads of a wavefront. A wavefront with n registers takes n of the 256.
func (b Budget) Waves(t *Target, gprs int) int {
	return budgets[b].registers(t) / max(gprs, 1)
}

// Resident returns the number of wavefronts of a kernel that a SIMD of t holds. Registers bound it,
// and so does an even share of the chip's limit. The even share is assumed. At least one wavefront
// is resident, since the driver enlarges the share of a large pixel shader.
func (t *Target) Resident(gprs int) int {
	limit := budgets[t.Budget].waves(t) / t.SIMDs
	return max(1, min(t.Budget.Waves(t, gprs), limit))
}
