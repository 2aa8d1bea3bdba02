package gvn_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/gvn"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{gvn.Pass, dce.Pass}, "../../testdata/passes/gvn")
}
