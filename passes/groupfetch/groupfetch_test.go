package groupfetch_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/groupfetch"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{groupfetch.Pass}, "../../testdata/passes/group-fetches")
}
