package dce_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass}, "../../testdata/passes/dce")
}
