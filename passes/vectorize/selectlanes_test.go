package vectorize_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

func TestSelectFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.Copyprop, cleanup.DCE, algebra.Fold, cleanup.Leaves, vectorize.SelectLanes},
		"../../testdata/passes/select-lanes")
}
