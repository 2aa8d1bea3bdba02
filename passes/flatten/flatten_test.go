package flatten_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/flatten"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass, flatten.Pass}, "../../testdata/passes/flatten")
}
