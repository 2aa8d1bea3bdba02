package placement_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/placement"
)

func TestRematFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.GVN, placement.Remat}, "../../testdata/passes/remat")
}
