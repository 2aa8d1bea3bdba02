package algebra_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{algebra.Fold, cleanup.Copyprop, cleanup.DCE, cleanup.Leaves}, "../../testdata/passes/fold")
}

func TestFactorFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{algebra.Factor}, "../../testdata/passes/factor")
}

func TestReassociateFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{algebra.Reassociate}, "../../testdata/passes/reassociate")
}
