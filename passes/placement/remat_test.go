package placement_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/gvn"
	"github.com/shaderlift/shaderlift/passes/placement"
)

func TestRematFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{gvn.Pass, placement.Remat}, "../../testdata/passes/remat")
}
