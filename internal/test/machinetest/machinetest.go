package machinetest

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// Must ends a test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Near compares numbers, with a relative tolerance.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s: %.5g, want %.5g within %g", what, got, want, tolerance)
	}
}

// Target returns the target with the given name.
func Target(t testing.TB, name string) *chip.Target {
	t.Helper()
	m, err := chip.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
