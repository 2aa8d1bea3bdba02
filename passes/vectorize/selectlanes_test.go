package vectorize_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/fold"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

func TestSelectFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{copyprop.Pass, dce.Pass, fold.Pass, copyprop.Leaves, vectorize.SelectLanes},
		"../../testdata/passes/select-lanes")
}
