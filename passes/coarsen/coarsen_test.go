package coarsen_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{coarsen.Pass}, "../../testdata/passes/coarsen")
}
