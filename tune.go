package shaderlift

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
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/tune"
	"github.com/shaderlift/shaderlift/verify"
)

// TuneOptions say how to search for a pipeline.
type TuneOptions struct {
	// Options are those of what is looked for. Pipeline, Keep and Fuel say nothing here. Of
	// TimeLimit a part is left for verification; what -O2 comes to is made and verified however
	// long that takes, so that nothing slower is found.
	Options
	// Budget is the work that the search may take, in steps as package budget counts them; 0 is
	// DefaultTuneBudget. What it cuts off is the same on every machine.
	Budget int64
	// Jobs is how many versions are made at a time, 0 for as many as there are processors. No
	// result depends on it.
	Jobs int
	// State is what an earlier search of the same input and options left, nil if there was
	// none: what it has found out is not found out again.
	State []byte
	// StateName is what diagnostics call it.
	StateName string
	// Save, if set, is handed the state of the search now and then, and at its end.
	Save func(state []byte) error
	// Progress, if set, is told now and then how far the search has come.
	Progress func(tune.Progress)
}

// DefaultTuneBudget is about a minute of two processors.
const DefaultTuneBudget = 1 << 25

// Tuning is what a search has found.
type Tuning struct {
	// Complete tells that the search came to an end by itself: a larger budget finds nothing
	// else.
	Complete bool `json:"complete"`
	tune.Progress
	// Front are the versions that no other one is at least as good as in cycles, registers and
	// words, the fastest first; each was verified.
	Front []Tuned `json:"front"`
}

// Tuned is one version of a kernel.
type Tuned struct {
	// Pipeline makes it of the input, with Options.Keep where it costs more.
	Pipeline string         `json:"pipeline"`
	Verdict  verify.Verdict `json:"verdict"`
	Cycles   float64        `json:"cycles"`
	GPRs     int            `json:"gprs"`
	Words    int            `json:"words"` // of the machine's program, 64 bits each
	// Targets is what it costs on every GPU, the input before: what pays on one need not on
	// another.
	Targets []KernelCosts `json:"targets"`
	Files   []File        `json:"-"`
}

// maxFront is how many versions are reported at most, maxRounds how often those that cannot be
// verified are replaced, and searchShare the part of a time limit after which the search stops,
// in percent: what it found has to be verified.
const (
	maxFront    = 8
	maxRounds   = 8
	searchShare = 60
)

// saveEvery is how often the state of a search is handed out.
const saveEvery = 2 * time.Second

// Tune searches for the pipeline that makes a kernel cost least. It tries what the levels come
// to, and pipelines that package tune makes of passes, their settings and their orders.
//
// The result is that of Optimize with the fastest version that could be verified: the same
// bytes that Optimize makes with Result.Pipeline for Options.Pipeline. Result.Tuning has that
// and the versions that are larger in time but smaller in registers or size. If nothing is
// better than the input, that comes back.
//
// If ctx ends, so does the search: the state that was saved is what another one can go on from,
// and comes to the same result.
func Tune(ctx context.Context, in Input, o TuneOptions) (res *Result, err error) {
	o.Pipeline, o.Keep, o.Fuel = "O3", false, nil
	j := job{Options: o.Options, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskOptimize, Input: in, Options: o.Options}, &res, &err)
	res = newResult(in)
	switch {
	case in.Kind() != KindKernel:
		return res.fail(asm.Errorf(asm.Pos{File: in.Path()}, "needs-kernel", "a search is for an AMD IL kernel"))
	case o.Budget < 0 || o.Jobs < 0:
		return res.fail(asm.Errorf(asm.Pos{File: "<options>"}, "option-range", "neither a budget of %d nor %d jobs can be had", o.Budget, o.Jobs))
	}
	if err := j.Check(KindKernel); err != nil {
		return res.fail(err)
	}
	if o.Budget == 0 {
		o.Budget = DefaultTuneBudget
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	limit, search := ctx, ctx
	if o.TimeLimit > 0 {
		var whole, part context.CancelFunc
		limit, whole = context.WithTimeout(ctx, o.TimeLimit)
		defer whole()
		search, part = context.WithTimeout(ctx, o.TimeLimit*searchShare/100)
		defer part()
		j.TimeLimit = 0
	}
	z := &optimizer{in: in, o: j, res: res}
	defer z.o.begin()()
	t := &tuner{o: o, z: z, limit: limit}
	switch err := t.all(search); {
	case budget.Is(err):
		res.noteExhausted(err, "the input is left as it is")
		z.keepInput()
	case err != nil:
		return res.fail(err)
	}
	return res, nil
}

// tuner is the state of one Tune, and the tune.Bench on which the search runs. Workers share z and
// k for reading only; each version is made on a fork.
type tuner struct {
	o    TuneOptions
	z    *optimizer // of the input, which others share
	k    *kernel
	memo *tune.Memo
	// limit ends with the time limit, which the context of z does not.
	limit context.Context
	least *frontCandidate // what -O2 comes to, verified; nil if that is the input

	mu sync.Mutex // of the faults of z
}

// tunedVersion is one that the search has found.
type tunedVersion = tune.Version[*bench]

func (t *tuner) all(search context.Context) (err error) {
	defer budget.Catch(&err)
	if err := t.z.prepare(); err != nil {
		return err
	}
	t.k = t.z.subject.(*kernel)
	if t.k.lifted == nil {
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
	t.settle(found)
	return nil
}

// remember makes the memo of the search, filled with what an earlier search has left. The key of a
// memo covers the input, the options, the program's version and the moves: a state is of no use for
// anything else. The time limit is no part of it, since a search may go on for longer.
func (t *tuner) remember() error {
	h := sha256.New()
	problem := Fault{Task: TaskOptimize, Input: t.z.in, Options: t.o.Options} // the input and every option
	problem.Options.TimeLimit = 0
	fmt.Fprintln(h, Version, suite.KernelMoves())
	h.Write(problem.Reproducer())
	t.memo = tune.NewMemo(tune.Key(h.Sum(nil)[:len(tune.Key{})]))
	if t.o.State == nil {
		return nil
	}
	if err := json.Unmarshal(t.o.State, t.memo); err != nil {
		return asm.Errorf(asm.Pos{File: cmp.Or(t.o.StateName, "<state>")}, "bad-state", "this is no state to go on from: %v", err)
	}
	return nil
}

// search runs the beam search of package tune. Its seeds are what the levels come to.
func (t *tuner) search(ctx context.Context) ([]*tunedVersion, error) {
	k := t.k.fork(ctx, "")
	root := k.put(k.unit(), "")
	made := root.made()
	t.memo.KnowTime(made.Key, tune.Timed{Cycles: t.z.res.Kernel.Before.Cycles})
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
	// The first error of Save ends saving, and is returned in the end.
	save := func() {
		if t.o.Save != nil && observed == nil {
			state, err := json.Marshal(t.memo)
			observed = cmp.Or(err, t.o.Save(state))
		}
		last = time.Now()
	}
	s := tune.Search[*bench]{Bench: t, Turns: turns, Seeds: t.levels(root), Jobs: t.o.Jobs, Budget: t.o.Budget, Memo: t.memo, Observe: func(p tune.Progress) {
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
