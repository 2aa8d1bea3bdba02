package mutate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// TestEveryKindApplies checks that every kind finds places in generated programs.
func TestEveryKindApplies(t *testing.T) {
	subjects := &Subjects{}
	for i := range Kinds {
		k := &Kinds[i]
		r := rand.New(rand.NewPCG(1, uint64(i)))
		found := 0
		for n := 0; n < 150 && found == 0; n++ {
			s := subjects.pickSubject(r, k)
			m, _ := k.Apply(r, s)
			if m == nil {
				continue
			}
			found++
			if m.Text() == s.Text() {
				t.Errorf("%s changes nothing", k)
			}
		}
		if found == 0 {
			t.Errorf("%s: no place in 150 programs", k)
		}
	}
}

// TestMutants checks that no execution kills an accepted mutant. It uses few mutants; CI creates more, and
// the command any number.
func TestMutants(t *testing.T) {
	n := testcorpus.Count(12, 60)
	s := ReadSubjects("../../../../shared/corpus/d3d9/pairs", "../../../../shared/corpus/il", "../../../testdata")
	results := Run(Config{N: n, Seed: 5, Jobs: 2, Limit: 5 * time.Minute, Subjects: s})
	table := Tabulate(results)
	for _, r := range results {
		switch r.Outcome {
		case Wrong, Crashed:
			t.Errorf("%s of %s, %s: %s %s %s\n%s", r.Kind, r.Subject, r.What, r.Outcome, r.Verdict, r.Why, r.Difference)
		case Undecided:
			t.Logf("%s of %s, %s: undecided, %s", r.Kind, r.Subject, r.What, r.Verdict)
		}
	}
	score := table.Total
	t.Logf("%+v, %.4f caught, %.4f refuted", score, score.Share(), score.ShareRefuted())
	if score.Valid() < n {
		t.Errorf("%d of %d mutants are valid", score.Valid(), n)
	}
	if score.Share() < leastCaught {
		t.Errorf("%.4f of the mutants that no proof accepts were caught, not %.4f", score.Share(), leastCaught)
	}
}

// leastCaught is the least share of mutants that must be caught; a few may be accepted.
const leastCaught = 0.94

// TestAccepted checks that a mutant that an execution kills is an error of the verdict that accepted it.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		verdict   verify.Verdict
		different bool
		want      Outcome
	}{{verify.Proved, false, Accepted}, {verify.ProvedReal, true, Wrong}, {verify.Bounded, true, Wrong},
		{verify.Tested, true, Missed}, {verify.Tested, false, Undecided}} {
		if got := accepted(c.verdict, c.different); got != c.want {
			t.Errorf("%v, different %t: %s, not %s", c.verdict, c.different, got, c.want)
		}
	}
}
