package cleanup_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

func TestFixtures(t *testing.T) {
	table := []*passes.Pass{cleanup.DCE, cleanup.Copyprop, cleanup.Leaves, cleanup.GVN}
	for _, p := range table {
		t.Run(p.Name, func(t *testing.T) { passtest.Run(t, table, "../../testdata/passes/"+p.Name) })
	}
}
