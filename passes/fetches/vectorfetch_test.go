package fetches_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

func TestVectorFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fetches.Vectorize}, "../../testdata/passes/vectorize-fetches")
}
