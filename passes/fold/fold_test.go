package fold_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/fold"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fold.Pass, copyprop.Pass, dce.Pass, copyprop.Leaves}, "../../testdata/passes/fold")
}
