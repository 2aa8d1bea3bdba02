package unroll_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/unroll"
)

func TestPreloadFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.DCE, unroll.Preload}, "../testdata/passes/preload")
}
