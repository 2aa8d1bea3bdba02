package gvn_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/gvn"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{gvn.Pass, dce.Pass}, "../../testdata/passes/gvn")
}
