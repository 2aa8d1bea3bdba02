package accumulate_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/accumulate"
	"github.com/shaderlift/shaderlift/passes/coarsen"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{accumulate.Pass, coarsen.Pass}, "../../testdata/passes/accumulate")
}
