package eights

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/gentest"
)

// What is checked in is what the generator makes.
func TestGenerated(t *testing.T) { gentest.Check(t) }
