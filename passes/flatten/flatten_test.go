package flatten_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/flatten"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass, flatten.Pass}, "../../testdata/passes/flatten")
}
