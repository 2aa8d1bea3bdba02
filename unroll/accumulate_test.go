package unroll_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/unroll"
)

func TestAccumulateFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{unroll.Accumulate, coarsen.Pass}, "../testdata/passes/accumulate")
}
