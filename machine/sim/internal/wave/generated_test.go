package wave

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// TestGenerated checks that the generator reproduces the checked-in kernels.
func TestGenerated(t *testing.T) { tools.CheckGenerated(t) }
