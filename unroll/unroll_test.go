package unroll_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/passtest"
	"github.com/shaderlift/shaderlift/unroll"
)

func TestFixtures(t *testing.T) {
	for _, p := range []*passes.Pass{unroll.Unroll, unroll.BreakDeps} {
		t.Run(p.Name, func(t *testing.T) { passtest.Run(t, []*passes.Pass{p}, "../testdata/passes/"+p.Name) })
	}
}
