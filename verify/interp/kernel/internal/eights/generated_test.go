package eights

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// TestGenerated checks that the generator reproduces the checked-in files.
func TestGenerated(t *testing.T) { tools.CheckGenerated(t) }
