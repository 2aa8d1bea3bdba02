package codemotion_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

func TestFixtures(t *testing.T) {
	table := []*passes.Pass{codemotion.Pass, codemotion.Recompute, codemotion.Varyings, cleanup.Copyprop}
	passtest.Run(t, table, "../testdata/passes/codemotion")
	passtest.Run(t, table, "../testdata/passes/recompute")
	passtest.Run(t, table, "../testdata/passes/varyings")
}
