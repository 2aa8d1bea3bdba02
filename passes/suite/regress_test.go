package suite_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// Programs that were once miscompiled.
func TestRegressions(t *testing.T) {
	passtest.Run(t, suite.Passes, "../../testdata/regress")
}
