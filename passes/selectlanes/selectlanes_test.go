package selectlanes_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/fold"
	"github.com/shaderlift/shaderlift/passes/leafprop"
	"github.com/shaderlift/shaderlift/passes/selectlanes"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{copyprop.Pass, dce.Pass, fold.Pass, leafprop.Pass, selectlanes.Pass},
		"../../testdata/passes/select-lanes")
}
