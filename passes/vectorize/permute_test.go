package vectorize_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

func TestPermuteFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.Copyprop, cleanup.DCE, cleanup.Leaves, vectorize.Permute},
		"../../testdata/passes/permute-lanes")
}
