package remat_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/gvn"
	"github.com/shaderlift/shaderlift/passes/remat"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{gvn.Pass, remat.Pass}, "../../testdata/passes/remat")
}
