package factor_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/factor"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{factor.Pass}, "../../testdata/passes/factor")
}
