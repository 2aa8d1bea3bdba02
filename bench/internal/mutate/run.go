package mutate

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/shaderlift/shaderlift/verify"
)

// Outcome is the classification of a mutant; see the package documentation.
type Outcome string

// The outcomes.
const (
	RefutedMutant Outcome = "refuted"   // a counterexample
	UnknownMutant Outcome = "unknown"   // no proof and no counterexample
	Accepted      Outcome = "accepted"  // accepted by a proof or a bound, and other executions agree
	Wrong         Outcome = "wrong"     // accepted by a proof or a bound, and an execution differs
	Missed        Outcome = "missed"    // accepted by tests alone, and another execution differs
	Undecided     Outcome = "undecided" // accepted by tests alone, and other executions agree
	// NoMutant means that the kind found no place.
	NoMutant Outcome = "none"
	// Crashed means that the judge panicked, or gave no verdict in time.
	Crashed Outcome = "crashed"
)

// Caught reports whether the judge rejected the mutant.
func (o Outcome) Caught() bool { return o == RefutedMutant || o == UnknownMutant }

// Result is one mutant and its outcome. A run can resume from an encoded list of results; see Config.Done.
type Result struct {
	// the number in the run, which determines the mutant together with the seed
	Number  int     `json:"number"`
	Kind    string  `json:"kind"`
	Subject string  `json:"subject,omitempty"`
	What    string  `json:"what,omitempty"` // the changed statement
	Outcome Outcome `json:"outcome"`
	Verdict string  `json:"verdict,omitempty"`
	Methods string  `json:"methods,omitempty"` // methods that found the versions equal
	Why     string  `json:"why,omitempty"`
	// Difference describes the difference of a wrong mutant.
	Difference string `json:"difference,omitempty"`
	// Before and After are the texts of an accepted mutant, or of one on which the judge failed.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Config configures a run.
type Config struct {
	N        int // requested valid mutants
	Seed     uint64
	Kinds    []*Kind // all if empty
	Jobs     int     // mutants that are judged concurrently; at least one
	Subjects *Subjects
	// Only, if not empty, lists the numbers of the mutants to create, and overrides N.
	Only []int
	// Effort is the effort of the judge.
	Effort verify.Effort
	// Done holds results of an earlier run of the same seed, kinds and subjects.
	Done []Result
	// Limit bounds the time of a verdict, 0 for any time. Exceeding it counts as a failure of the judge.
	Limit time.Duration
	// Report, if not nil, receives every new result, in any order.
	Report func(Result)
}

// Run creates and judges mutants, numbered from 0 on, until N are valid. The results are in the order of
// their numbers, and depend on seed, kinds and subjects alone. Each mutant has its own generator, seeded by
// its number, so neither Jobs nor resuming a run changes anything. Only Limit makes results depend on the
// machine.
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
	// Numbers are assigned in windows, since only the results show how many are needed: at least as many as
	// valid mutants are missing.
	const window = 64
	var list []Result
	if len(c.Only) > 0 {
		c.computeMissing(results, c.Only)
		for _, j := range c.Only {
			list = append(list, results[j])
		}
		return list
	}
	valid, dry := 0, 0 // consecutive numbers without a mutant
	for first := 0; valid < c.N; {
		last := first + min(window, max(c.N-valid, c.Jobs))
		c.computeMissing(results, numbered(first, last))
		for ; first < last && valid < c.N; first++ {
			r := results[first]
			list = append(list, r)
			if dry++; r.Outcome != NoMutant {
				dry = 0
				valid++
			}
		}
		if dry > window && first > 20*len(c.Kinds) {
			break // no kind applies to the subjects
		}
	}
	return list
}

// numbered returns the integers from from up to but excluding to.
func numbered(from, to int) (list []int) {
	for j := from; j < to; j++ {
		list = append(list, j)
	}
	return list
}

// computeMissing computes the missing results among numbers.
func (c *Config) computeMissing(results map[int]Result, numbers []int) {
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
				r := c.judgeMutant(j)
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

// aimless is the reciprocal of the share of mutants without a witness that are judged. The judge must not
// refute equivalent mutants, which some of these are.
const aimless = 16

// judgeMutant creates mutant number j and judges it. Kinds alternate by number, so that each has the same share.
func (c *Config) judgeMutant(j int) Result {
	r := rand.New(rand.NewPCG(c.Seed, uint64(j)))
	k := c.Kinds[j%len(c.Kinds)]
	res := Result{Number: j, Kind: k.String(), Outcome: NoMutant}
	for range subjectTries {
		s := c.Subjects.pickSubject(r, k)
		if s == nil {
			continue
		}
		m, what := k.Apply(r, s)
		if m == nil || r.IntN(aimless) > 0 && !k.Declared && !k.Subtle && !witnessed(s, m, r.Uint64()) {
			continue
		}
		res.Subject, res.What = s.Name, what
		return c.timed(res, s, m, c.Seed+uint64(j))
	}
	return res
}

// timed judges within the limit. A judge that does not return continues in its goroutine, and its result is
// dropped, since it cannot be stopped.
func (c *Config) timed(res Result, s, m *Subject, seed uint64) Result {
	done := make(chan Result, 1)
	go func(res Result) {
		c.judge(&res, s, m, seed)
		done <- res
	}(res)
	// late is nil, and never ready, without a limit
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

// judge asks for the verdict and classifies the outcome; see the package documentation. A panic counts as a
// crash of the judge.
func (c *Config) judge(res *Result, s, m *Subject, seed uint64) {
	defer func() {
		if p := recover(); p != nil {
			res.Outcome, res.Why = Crashed, fmt.Sprint(p)
			res.Before, res.After = s.Text(), m.Text()
		}
	}()
	rep := s.Check(m, verify.Options{Numerics: verify.Real, Effort: c.Effort, Seed: seed})
	res.Verdict, res.Why = rep.Verdict.String(), rep.Why
	res.Methods = fmt.Sprint(rep.Methods)
	switch {
	case rep.Contradicted: // an execution contradicts a proof
		res.Outcome, res.Difference = Wrong, rep.Why
	case rep.Verdict == verify.Refuted && rep.Counterexample != nil:
		res.Outcome = RefutedMutant
		return
	case !rep.Verdict.OK():
		res.Outcome = UnknownMutant
		return
	default:
		res.Difference = differs(s, m, seed)
		res.Outcome = accepted(rep.Verdict, res.Difference != "")
	}
	res.Before, res.After = s.Text(), m.Text()
}

// accepted returns the outcome of a mutant that the judge accepts with a verdict. different reports whether
// another execution kills it.
func accepted(v verify.Verdict, different bool) Outcome {
	switch tested := v == verify.Tested; {
	case tested && different:
		return Missed
	case tested:
		return Undecided
	case different:
		return Wrong
	}
	return Accepted
}
