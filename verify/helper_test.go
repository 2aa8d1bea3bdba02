package verify

import (
	"context"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus" // the name sample is taken here
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

// long selects tests without omissions.
var long = much.Whole

// Most fuzzed inputs find nothing, so tests have a few launches, and an eighth of the draws, by default.
func init() {
	for e := range allowances {
		if a := &allowances[e]; !long {
			a.bred, a.breeds = 20, 1<<19
			a.steps[searchMethod] /= 8
		}
	}
}

// efforts returns the efforts for case i of a table. Some cases use Quick alone, because neighbouring cases
// test the same rule.
func efforts(i int) []Effort {
	if !long && i%8 > 0 {
		return []Effort{Quick}
	}
	return []Effort{Quick, Full}
}

// allotted returns the budget of a check in tests: an eighth of Full, which only searches without a result
// would exceed.
func allotted(e Effort) *budget.Budget {
	if e == Quick || long {
		return nil
	}
	return budget.New(context.Background(), Allowance(e)/8, budget.Unlimited)
}

// pick returns one of the n numbers from 0 on.
func pick(r *symbolic.Stream, n int) int { return int(r.Next() % uint64(n)) }
