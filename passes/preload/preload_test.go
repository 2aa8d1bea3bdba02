package preload_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/preload"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass, preload.Pass}, "../../testdata/passes/preload")
}
