package groupfetch_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/groupfetch"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{groupfetch.Pass}, "../../testdata/passes/group-fetches")
}
