package copyprop_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
)

func TestLeafFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{copyprop.Leaves}, "../../testdata/passes/leafprop")
}
