package mutate

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/shaderlift/shaderlift/verify"
)

// Outcome is what became of a mutant; see the package's documentation.
type Outcome string

// The outcomes.
const (
	RefutedMutant Outcome = "refuted"    // a counterexample
	UnknownMutant Outcome = "unknown"    // no proof and no counterexample
	Equivalence   Outcome = "equivalent" // let through, and Equivalent
	Wrong         Outcome = "wrong"      // let through by a proof or a bound, or accepted by a proof that an execution contradicts, and differs
	Missed        Outcome = "missed"     // let through by tests alone, and differs
	Undecided     Outcome = "undecided"  // let through, neither Equivalent nor known to differ
	// NoMutant says that no place was found for the kind.
	NoMutant Outcome = "none"
	// Crashed says that the judge panicked, or gave no verdict in time.
	Crashed Outcome = "crashed"
)

// Caught reports whether the judge did not let the mutant through.
func (o Outcome) Caught() bool { return o == RefutedMutant || o == UnknownMutant }

// Result is one mutant and its outcome. Encoded, a list of results is what a run resumes from; see
// Config.Done.
type Result struct {
	// the number in the run: with the seed it determines the mutant
	Number  int     `json:"number"`
	Kind    string  `json:"kind"`
	Subject string  `json:"subject,omitempty"`
	What    string  `json:"what,omitempty"` // the statement that was changed
	Outcome Outcome `json:"outcome"`
	Verdict string  `json:"verdict,omitempty"`
	Rungs   string  `json:"rungs,omitempty"` // that found the sides equal
	Why     string  `json:"why,omitempty"`
	// Difference is how a wrong one differs.
	Difference string `json:"difference,omitempty"`
	// Before and After are the texts of what was let through without being equivalent.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Config says what to run.
type Config struct {
	N        int // valid mutants wanted
	Seed     uint64
	Kinds    []*Kind // all if empty
	Jobs     int     // mutants that are judged at the same time; at least one
	Subjects *Subjects
	// Only, if not empty, are the numbers of the mutants to make, whatever N says.
	Only []int
	// Effort is that of the judge.
	Effort verify.Effort
	// Done are results of an earlier run of the same seed, kinds and subjects.
	Done []Result
	// Limit is what a verdict may take, 0 for any time: one that takes longer counts as
	// a failure of the judge.
	Limit time.Duration
	// Report, if not nil, gets every new result, in any order.
	Report func(Result)
}

// Run makes and judges mutants, numbered from 0 on, until N are valid. The results are in the order of
// their numbers, and a function of seed, kinds and subjects: each mutant has a generator of its own,
// seeded by its number, so that neither Jobs nor a resumed run changes anything. (Limit may: what is
// late depends on the machine.)
func Run(c Config) []Result {
	if len(c.Kinds) == 0 {
		for i := range Kinds {
			c.Kinds = append(c.Kinds, &Kinds[i])
		}
	}
	results := map[int]Result{}
	for _, r := range c.Done {
		results[r.Number] = r
	}
	// Numbers are handed out in windows, because how many are needed shows only in the results: no
	// fewer than valid ones are wanted.
	const window = 64
	var list []Result
	if len(c.Only) > 0 {
		c.make(results, c.Only)
		for _, j := range c.Only {
			list = append(list, results[j])
		}
		return list
	}
	valid, dry := 0, 0 // numbers in a row that made nothing
	for first := 0; valid < c.N; {
		last := first + min(window, max(c.N-valid, c.Jobs))
		c.make(results, numbered(first, last))
		for ; first < last && valid < c.N; first++ {
			r := results[first]
			list = append(list, r)
			if dry++; r.Outcome != NoMutant {
				dry = 0
				valid++
			}
		}
		if dry > window && first > 20*len(c.Kinds) {
			break // the subjects have no place for any of the kinds
		}
	}
	return list
}

// numbered are the integers from from to to, the latter excluded.
func numbered(from, to int) (list []int) {
	for j := from; j < to; j++ {
		list = append(list, j)
	}
	return list
}

// make makes the results of those numbers that are not there yet.
func (c *Config) make(results map[int]Result, numbers []int) {
	var todo []int
	for _, j := range numbers {
		if _, ok := results[j]; !ok {
			todo = append(todo, j)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, c.Jobs) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range next {
				r := c.one(j)
				mu.Lock()
				results[j] = r
				if c.Report != nil {
					c.Report(r)
				}
				mu.Unlock()
			}
		}()
	}
	for _, j := range todo {
		next <- j
	}
	close(next)
	wg.Wait()
}

// subjectTries bounds the subjects that are tried for a mutant: a kind may not apply to most.
const subjectTries = 30

// aimless is one in how many mutants that say little is judged all the same. Some have to be: what the
// judge makes of equivalent mutants, that it does not refute them, is a result too.
const aimless = 16

// aimless reports whether m is known to be the same program, or seems to be.
func (k *Kind) aimless(s, m *Subject, seed uint64) bool {
	return !k.Declared && !k.Subtle && !witnessed(s, m, seed) || Equivalent(s, m)
}

// one makes mutant number j and judges it. Kinds take turns by number, so that each gets its share.
func (c *Config) one(j int) Result {
	r := rand.New(rand.NewPCG(c.Seed, uint64(j)))
	k := c.Kinds[j%len(c.Kinds)]
	res := Result{Number: j, Kind: k.String(), Outcome: NoMutant}
	for range subjectTries {
		s := c.Subjects.pick(r, k)
		if s == nil {
			continue
		}
		m, what := k.Apply(r, s)
		if m == nil || r.IntN(aimless) > 0 && k.aimless(s, m, r.Uint64()) {
			continue
		}
		res.Subject, res.What = s.Name, what
		return c.timed(res, s, m, c.Seed+uint64(j))
	}
	return res
}

// timed judges within the limit. A judge that does not come back goes on in its goroutine, and its
// result is dropped: there is no way to stop it.
func (c *Config) timed(res Result, s, m *Subject, seed uint64) Result {
	done := make(chan Result, 1)
	go func(res Result) {
		c.judge(&res, s, m, seed)
		done <- res
	}(res)
	// nil, and never ready, without a limit
	var late <-chan time.Time
	if c.Limit > 0 {
		late = time.After(c.Limit)
	}
	select {
	case res = <-done:
	case <-late:
		res.Outcome, res.Why = Crashed, "no verdict in "+c.Limit.String()
		res.Before, res.After = s.Text(), m.Text()
	}
	return res
}

// overReals reports whether mutants of a kind that are equal over the reals may pass: not where
// what was changed has to stay as it is, such as a rounding of the position.
func overReals(kind string) bool {
	k := lookup(kind)
	return k != nil && !k.Declared
}

// judge asks for the verdict and classifies the outcome; see the package's documentation. A panic counts
// as a crash of the judge, also that of a mutant which it refutes and [Equivalent] proves: one of
// the two is wrong then.
func (c *Config) judge(res *Result, s, m *Subject, seed uint64) {
	defer func() {
		if p := recover(); p != nil {
			res.Outcome, res.Why = Crashed, fmt.Sprint(p)
			res.Before, res.After = s.Text(), m.Text()
		}
	}()
	rep := s.Check(m, verify.Options{Numerics: verify.Real, Effort: c.Effort, Seed: seed})
	res.Verdict, res.Why = rep.Verdict.String(), rep.Why
	res.Rungs = fmt.Sprint(rep.Rungs)
	switch {
	case rep.Contradicted: // what an execution masks of a wrong proof others may not
		res.Outcome, res.Difference, res.Before, res.After = Wrong, rep.Why, s.Text(), m.Text()
		return
	case rep.Verdict == verify.Refuted && rep.Counterexample != nil:
		if res.Outcome = RefutedMutant; Equivalent(s, m) {
			panic("refuted, but equivalent: " + rep.Counterexample.Output)
		}
		return
	case !rep.Verdict.OK():
		res.Outcome = UnknownMutant
		return
	case Equivalent(s, m):
		res.Outcome = Equivalence
		return
	}
	// Let through and not shown to be the same: look for a difference, by other inputs.
	res.Outcome, res.Before, res.After = Undecided, s.Text(), m.Text()
	switch res.Difference = differs(s, m, seed); {
	case res.Difference == "":
		// A proof over the reals promises no more than equality over the reals.
		if rep.Verdict >= verify.ProvedReal && overReals(res.Kind) && EquivalentOverReals(s, m) {
			res.Outcome, res.Before, res.After = Equivalence, "", ""
		}
	case rep.Verdict == verify.Tested:
		res.Outcome = Missed
	default:
		res.Outcome = Wrong
	}
}
