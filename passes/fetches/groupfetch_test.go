package fetches_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

func TestGroupFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fetches.Group}, "../../testdata/passes/group-fetches")
}
