package ifconvert_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass, ifconvert.Pass}, "../../testdata/passes/if-convert")
}
