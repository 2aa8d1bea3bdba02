package opt

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// TuneOptions control the search for a pipeline.
type TuneOptions struct {
	// Options are the options of the result; Pipeline, Keep and Fuel are ignored. A part of Limits.Time
	// is reserved for verification. The result of -O2 is always made and verified, even beyond the
	// limit, so that the search finds nothing slower.
	Options
	// Budget is the work of the search, in steps of package budget; 0 is DefaultTuneBudget. Its effect
	// is the same on every machine.
	Budget int64
	// MayChange are the facts about a launch that the application can change; Tuned.Coarsened has the changes for
	// each version. The zero value keeps the launch as it is.
	MayChange kernel.Change
	// Jobs is the number of versions made in parallel, 0 for the number of processors. It does not
	// change results.
	Jobs int
	// State is the state from an earlier search of the same input and options, or nil. The search
	// reuses its results.
	State []byte
	// StateName is the name of State in diagnostics.
	StateName string
	// Save, if set, receives the state of the search periodically and at its end.
	Save func(state []byte) error
	// Progress, if set, receives the progress of the search periodically.
	Progress func(tune.Progress)
}

// DefaultTuneBudget takes about a minute on two processors, and at most two.
const DefaultTuneBudget = 1 << 26

// Tuning is the result of a search.
type Tuning struct {
	// Complete is set if the search was exhaustive: a larger budget finds nothing else.
	Complete bool `json:"complete"`
	tune.Progress
	// Front is the Pareto front of cycles, registers and words, the fastest version first; each was
	// verified.
	Front []Tuned `json:"front"`
}

// Tuned is one version of a kernel.
type Tuned struct {
	// Pipeline makes it from the input, with Options.Keep if it costs more.
	Pipeline string         `json:"pipeline"`
	Verdict  verify.Verdict `json:"verdict"`
	Cycles   float64        `json:"cycles"`
	GPRs     int            `json:"gprs"`
	Words    int            `json:"words"` // size of the machine program, in words of 64 bits
	// Bound is a lower bound on Cycles, 0 if unknown: the work of the busiest units, without misses and waiting.
	Bound float64 `json:"bound,omitempty"`
	// Targets are the costs on every GPU, with the input as before: a gain on one GPU need not be a
	// gain on another.
	Targets []kernel.Costs `json:"targets"`
	// Coarsened lists the changes to the host program for this version.
	Coarsened *kernel.Coarsened `json:"coarsened,omitempty"`
	// Slower names the launch on which this version takes longer than the input, and says how much longer.
	Slower string `json:"slower_launch,omitempty"`
	Files  []File `json:"-"`
}

// maxFront limits the versions that are reported. maxRounds limits the rounds that replace unverifiable
// versions. searchShare is the part of a time limit after which the search stops, in percent: the rest
// is for verification.
const (
	maxFront    = 8
	maxRounds   = 8
	searchShare = 60
)

// saveEvery is the interval at which Save receives the state of a search.
const saveEvery = 2 * time.Second

// Tune searches for the pipeline that makes a kernel cheapest; package shaderlift documents it.
func Tune(ctx context.Context, in Input, o TuneOptions) (res *Result, err error) {
	o.Pipeline, o.Keep, o.Limits.Fuel = "O3", false, nil
	j := job{Options: o.Options, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskOptimize, Input: in, Options: o.Options}, &res, &err)
	res = newResult(in)
	switch {
	case in.Kind() != input.KindKernel:
		return res.failWith(asm.Errorf(asm.Pos{File: in.Path()}, "needs-kernel", "tune needs an AMD IL kernel; opt optimizes other inputs"))
	case o.Budget < 0 || o.Jobs < 0:
		return res.failWith(asm.Errorf(asm.Pos{File: "<options>"}, "option-range",
			"a budget of %d with %d jobs is out of range", o.Budget, o.Jobs))
	}
	if err := j.Check(input.KindKernel); err != nil {
		return res.failWith(err)
	}
	if o.Budget == 0 {
		o.Budget = DefaultTuneBudget
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	limit, search := ctx, ctx
	if o.Limits.Time > 0 {
		var whole, part context.CancelFunc
		limit, whole = context.WithTimeout(ctx, o.Limits.Time)
		defer whole()
		search, part = context.WithTimeout(ctx, o.Limits.Time*searchShare/100)
		defer part()
		j.Limits.Time = 0
	}
	z := &optimizer{in: in, o: j, res: res}
	defer z.o.begin()()
	t := &tuner{o: o, z: z, limit: limit}
	switch err := t.searchAll(search); {
	case budget.IsExhausted(err):
		res.noteExhausted(err, "the input stays unchanged")
		z.keepInput()
	case err != nil:
		return res.failWith(err)
	}
	return o.strict(res, nil)
}

// tuner is the state of one Tune, and the tune.Bench of the search. Workers only read z and k; each
// version is made on a fork.
type tuner struct {
	o    TuneOptions
	z    *optimizer // for the input; workers share it
	k    *kernelSubject
	memo *tune.Memo
	// limit ends with the time limit, unlike the context of z.
	limit context.Context
	// brief refuses a version of which a part cannot be verified.
	brief bool
	least *frontCandidate // the verified result of -O2; nil if it is the input
	// outpaced is the reason for rejecting the fastest version, if it is slower on a launch.
	outpaced string

	mu sync.Mutex // guards the faults of z
}

// tunedVersion is a version that the search found.
type tunedVersion = tune.Version[*bench]

func (t *tuner) searchAll(search context.Context) (err error) {
	defer budget.Catch(&err)
	if err := t.z.prepare(); err != nil {
		return err
	}
	t.k = t.z.subject.(*kernelSubject)
	if t.k.bench == nil {
		t.z.keepInput()
		return nil
	}
	if err := t.remember(); err != nil {
		return err
	}
	found, err := t.search(search)
	if cause := context.Cause(t.z.o.ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	t.verifyFront(found)
	return nil
}

// remember creates the memo of the search, with the results of an earlier search. The key of a memo
// covers the input, the options, the program's version and the moves; a state is useless for anything
// else. It excludes the time limit, since a search may continue for longer.
func (t *tuner) remember() error {
	h := sha256.New()
	problem := Fault{Task: TaskOptimize, Input: t.z.in, Options: t.o.Options} // the input and every option
	problem.Options.Limits.Time = 0
	fmt.Fprintln(h, Version, suite.KernelMoves(), t.o.MayChange)
	h.Write(problem.Reproducer())
	t.memo = tune.NewMemo(tune.Key(h.Sum(nil)[:len(tune.Key{})]))
	if t.o.State == nil {
		return nil
	}
	if err := json.Unmarshal(t.o.State, t.memo); err != nil {
		return asm.Errorf(asm.Pos{File: cmp.Or(t.o.StateName, "<state>")}, "bad-state",
			"the search cannot continue from this state: %v", err)
	}
	return nil
}

// root returns the input as a version, with its facts.
func (t *tuner) root(ctx context.Context) (*bench, tune.Made) {
	k := t.k.fork(ctx, "")
	root := k.priceVersion(k.freshUnit(), "")
	made := root.versionFacts()
	t.memo.KnowTime(made.Key, tune.Timed{Cycles: t.z.res.Kernel.Before.Cycles})
	return root, made
}

// search runs the beam search of package tune. Its seeds are the results of the levels.
func (t *tuner) search(ctx context.Context) ([]*tunedVersion, error) {
	root, made := t.root(ctx)
	var turns []tune.Turn
	for _, turn := range suite.KernelMoves() {
		var list []tune.Move
		for _, stages := range turn.Stages {
			list = append(list, tune.Move{Stages: stages, Shape: turn.Shape})
		}
		turns = append(turns, tune.Turn{Moves: list, Time: turn.Time})
	}
	var observed error
	last := time.Now()
	// The first error of Save ends saving, and is returned at the end.
	save := func() {
		if t.o.Save != nil && observed == nil {
			state, err := json.Marshal(t.memo)
			observed = cmp.Or(err, t.o.Save(state))
		}
		last = time.Now()
	}
	s := tune.Search[*bench]{Bench: t, Turns: turns, Seeds: t.levels(root), Jobs: t.o.Jobs, Budget: t.o.Budget,
		Shapes: t.k.bench.Shapes(t.o.MayChange, false), Memo: t.memo, Observe: func(p tune.Progress) {
			if t.o.Progress != nil {
				t.o.Progress(p)
			}
			if time.Since(last) > saveEvery {
				save()
			}
		}}
	found, complete := s.Run(ctx, root, made)
	save()
	t.z.res.Tuning = &Tuning{Complete: complete, Progress: s.Progress()}
	return found, observed
}
