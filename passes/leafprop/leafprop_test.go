package leafprop_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/leafprop"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{leafprop.Pass}, "../../testdata/passes/leafprop")
}
