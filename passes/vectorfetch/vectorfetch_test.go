package vectorfetch_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/vectorfetch"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{vectorfetch.Pass}, "../../testdata/passes/vectorize-fetches")
}
