package verify

import (
	"context"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	much "github.com/shaderlift/shaderlift/internal/sample" // its name is taken here
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// parse reads a program; statements may be separated by semicolons.
func parse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	if src == "" {
		return nil
	}
	lines := strings.FieldsFunc(src, func(r rune) bool { return r == ';' || r == '\n' })
	p, err := d3d9.Parse("test", []byte(strings.Join(lines, "\n")+"\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return p
}

func pairOf(t testing.TB, vs, ps string) Pair {
	t.Helper()
	return Pair{Vertex: parse(t, vs), Pixel: parse(t, ps)}
}

// long asks for tests that leave nothing out.
var long = much.Whole

// Most of what is bred finds nothing, so that tests have a few launches, and an eighth of the draws, by default.
func init() {
	for e := range allowances {
		if a := &allowances[e]; !long {
			a.bred, a.breeds = 20, 1<<19
			a.steps[searchRung] /= 8
		}
	}
}

// efforts are those that case i of a table is checked with: some by Quick alone, since those of a
// rule stand together.
func efforts(i int) []Effort {
	if !long && i%8 > 0 {
		return []Effort{Quick}
	}
	return []Effort{Quick, Full}
}

// allotted is what a check of some effort may take in tests: of all that Full has an eighth,
// which only searches that find nothing would go beyond.
func allotted(e Effort) *budget.Budget {
	if e == Quick || long {
		return nil
	}
	return budget.New(context.Background(), Allowance(e)/8, budget.Unlimited)
}

// pick is one of the n numbers from 0 on.
func pick(r *symbolic.Stream, n int) int { return int(r.Next() % uint64(n)) }
