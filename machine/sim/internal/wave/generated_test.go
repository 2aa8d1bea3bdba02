package wave

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/gentest"
)

// TestGenerated checks that the generator reproduces the checked-in kernels.
func TestGenerated(t *testing.T) { gentest.Check(t) }
