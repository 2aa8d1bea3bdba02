package copyprop_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
	"github.com/shaderlift/shaderlift/passes/dce"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{copyprop.Pass, dce.Pass}, "../../testdata/passes/copyprop")
}
