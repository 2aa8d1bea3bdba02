package wine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/shaderlift/shaderlift/bench/internal/mutate"
	"github.com/shaderlift/shaderlift/bench/wine"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// accepted is the number of accepted mutants that a sample draws.
const accepted = 12

// TestWineMutants draws mutants of package mutate that the verifier accepts as proved, proved-real or bounded,
// and their originals. A visible difference is an error of the verifier. Both pictures must also equal the
// interpreter's, because otherwise Wine draws something other than these programs. SHADERLIFT_WINE_MUTANTS sets
// the number of mutants, and SHADERLIFT_WINE_SEED the seed.
func TestWineMutants(t *testing.T) {
	asked(t)
	want, seed := number(t, "SHADERLIFT_WINE_MUTANTS", accepted), uint64(number(t, "SHADERLIFT_WINE_SEED", 1))
	pairs := spread(append(corpusPairs(t), testdataPairs(t)...))
	r := start(t, 3)

	verdicts := map[verify.Verdict]int{}
	drawn := 0
	for next := 0; drawn < want && next < 40*want; {
		var batch []wine.Subject
		var found []verify.Verdict
		for ; len(batch) < 12 && next < 40*want; next++ {
			s, v, ok := acceptedMutant(t, pairs, seed, next)
			if ok {
				batch, found = append(batch, s), append(found, v)
			}
		}
		outcomes, err := r.Check(batch)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range outcomes {
			switch {
			case o.Err != nil:
				t.Logf("%s: %v", batch[i].Name, o.Err)
			case o.Change.Wrong > 0:
				t.Errorf("%s: %s, and %d of %d components differ; %v", batch[i].Name, found[i], o.Change.Wrong, o.Change.Compared,
					o.Change.First)
			case o.Wrong() > 0:
				t.Errorf("%s: of %d components, %d before and %d after differ from the interpreter's; %v", batch[i].Name,
					o.Before.Compared, o.Before.Wrong, o.After.Wrong, cmp.Or(o.Before.First, o.After.First))
			default:
				drawn++
				verdicts[found[i]]++
			}
		}
	}
	t.Logf("%d mutants look like their originals: %v", drawn, verdicts)
	if drawn < want {
		t.Errorf("%d mutants were drawn, want %d", drawn, want)
	}
}

// number returns the value of an environment variable, or otherwise if it is not set.
func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// acceptedMutant returns mutant n, of a pair of the corpus or a generated one, if the verifier accepts it and
// Wine can draw it.
func acceptedMutant(t *testing.T, pairs []wine.Subject, seed uint64, n int) (s wine.Subject, v verify.Verdict,
	ok bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	kinds := slices.DeleteFunc(slices.Clone(mutate.Kinds), func(k mutate.Kind) bool { return k.Dialect != mutate.D3D9 })
	k := &kinds[n%len(kinds)]
	if len(pairs) > 0 && r.IntN(3) > 0 {
		s = pairs[r.IntN(len(pairs))]
	} else {
		p := gen.NewPair(r.Uint64(), 6+r.IntN(30))
		s = wine.Subject{Name: "a generated pair", Before: wine.Programs{Vertex: p.Vertex.Program, Pixel: p.Pixel.Program}}
	}
	if wine.Misread(s.Before) != "" {
		return s, v, false
	}
	original := &mutate.Subject{Name: s.Name, Pair: verify.Pair(s.Before)}
	m, what := k.Apply(r, original)
	if m == nil || wine.Misread(wine.Programs(m.Pair)) != "" {
		return s, v, false
	}
	v = original.Check(m, verify.Options{Numerics: verify.Real, Seed: seed + uint64(n)}).Verdict
	if v < verify.Bounded {
		return s, v, false
	}
	s.Name = fmt.Sprintf("mutant %d, %s of %s: %s", n, k, s.Name, what)
	s.After = (*wine.Programs)(&m.Pair)
	c, picture, err := draws.Random(s.Before.Vertex, s.Before.Pixel, 1)
	if err != nil || !picture.Meaningful() {
		return s, v, false
	}
	s.Case = c
	return s, v, true
}
