package fold_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/fold"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fold.Pass, cleanup.Copyprop, cleanup.DCE, cleanup.Leaves}, "../../testdata/passes/fold")
}
