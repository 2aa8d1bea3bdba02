package ifconvert_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
)

func TestFlattenFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.DCE, ifconvert.Flatten}, "../../testdata/passes/flatten")
}
