package shaderlift

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/internal/reduce"
	"github.com/shaderlift/shaderlift/passes"
)

// DefaultTrials is how many smaller versions Reduce tries where that is not said.
const DefaultTrials = 3000

// Reduction says how far Reduce came.
type Reduction struct {
	Trials        int // versions that were tried
	Before, After int // statements, comments and blank lines left out
	Done          bool
}

// Reduce makes fault f smaller: the programs, the pipeline, the options. What it returns
// still happens, and if Reduction.Done is set nothing that it knows to try makes it smaller.
// Of a fault without an Err, what happens is a verdict below Options.Require. It is minimal
// in the sense of Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input
// (2002): no single statement can go. The error is ErrNotShown, or what is wrong with the
// input or the options.
func Reduce(ctx context.Context, f *Fault, trials int) (*Fault, *Reduction, error) {
	if f.task() != TaskOptimize {
		return nil, nil, fmt.Errorf("a fault of %s is not reduced", f.task())
	}
	for _, t := range trialsOf(ctx, f) {
		s, err := t.run(-1)
		if err != nil {
			return nil, nil, err
		}
		if s.why == "" {
			continue
		}
		r := &reducer{trial: *t, left: trials, memo: map[string]bool{}, err: f.Err}
		r.why = s.why
		r.replayed = r.replays(f.Input, f.Options)
		return r.reduce(f, s.z.pipeline)
	}
	return nil, nil, ErrNotShown
}

// reducer holds the smallest version so far that shows the symptom, in trial.
type reducer struct {
	trial
	why  string
	left int // trials
	memo map[string]bool
	err  error // of the fault
	// replayed says that Replay sees the fault, and so has to see what becomes of it: a trial spends as
	// much on verification as that takes, and may refute what Optimize leaves out as unknown.
	replayed bool
}

// replays reports whether Replay sees the symptom in another version, with what costs more kept where
// the trials keep it.
func (r *reducer) replays(in Input, o Options) bool {
	f := &Fault{Task: TaskOptimize, Input: in, Options: o, Err: r.err}
	if Replay(r.ctx, f).Again != nil {
		return true
	}
	if !r.kept || o.Keep {
		return false
	}
	f.Options.Keep = true
	return Replay(r.ctx, f).Again != nil
}

// reduce repeats all ways of making the fault smaller until none does. Passes are left out first:
// everything after that is faster with fewer.
func (r *reducer) reduce(f *Fault, p passes.Pipeline) (*Fault, *Reduction, error) {
	most := r.left
	note := &Reduction{Before: statements(r.in)}
	r.o.TimeLimit = 0
	r.text()
	r.stages(p)
	for smaller := true; smaller && r.left > 0 && r.ctx.Err() == nil; {
		smaller = r.options()
		smaller = r.programs() || smaller
		if q, err := r.o.pipeline(isKernel(r.in)); err == nil {
			smaller = r.stages(q) || smaller
		}
	}
	if err := context.Cause(r.ctx); err != nil {
		return nil, nil, err
	}
	note.After, note.Trials, note.Done = statements(r.in), most-r.left, r.left > 0
	out := &Fault{Task: TaskOptimize, Input: r.in, Options: r.o, Err: f.Err}
	if f.Err != nil {
		out.Err = &recorded{r.why, f.symptom()}
	}
	if r.kept && !r.o.Keep && Replay(r.ctx, out).Again == nil {
		out.Options.Keep = true // it costs no less any more, which is beside the point
	}
	if b, err := Bisect(r.ctx, out); err == nil {
		out.Step = b.Step
	}
	return out, note, nil
}

// shows reports whether a version shows the symptom, and if so makes it the current one. Versions
// are remembered by content; each new one costs a trial.
func (r *reducer) shows(in Input, o Options) bool {
	t := r.trial
	t.in, t.o = in, o
	key := t.key()
	if bad, known := r.memo[key]; known || r.left <= 0 || r.ctx.Err() != nil {
		return known && bad && r.take(in, o)
	}
	r.left--
	s, err := t.run(-1)
	// A version in which no pass changes anything is of no use, even if its verdict is low.
	bad := err == nil && s.why != "" && !s.idle && (!r.replayed || r.replays(in, t.o))
	r.memo[key] = bad
	if bad {
		r.why = s.why
	}
	return bad && r.take(in, o)
}

func (r *reducer) take(in Input, o Options) bool {
	r.in, r.o = in, o
	return true
}

// key is the same for versions that are the same.
func (t *trial) key() string {
	return string((&Fault{Input: t.in, Options: t.o}).Reproducer())
}

// text makes programs text, if they still show the symptom then.
func (r *reducer) text() {
	for i, f := range r.in.Files {
		if Recognize(f.Data) != Bytecode {
			continue
		}
		if text, err := Disassemble(f); err == nil {
			r.shows(r.with(i, text), r.o)
		}
	}
}

// with is the input with another text for a file.
func (r *reducer) with(i int, text []byte) Input {
	in := r.in
	in.Files = slices.Clone(in.Files)
	in.Files[i].Data = text
	return in
}

// stages leaves out stages of the pipeline, by delta debugging, and then their settings.
func (r *reducer) stages(p passes.Pipeline) (smaller bool) {
	try := func(q passes.Pipeline) bool {
		o := r.o
		if o.Pipeline = q.String(); o.Pipeline == "" {
			o.Pipeline = "O0"
		}
		return o.Pipeline != r.o.Pipeline && r.shows(r.in, o)
	}
	try(p) // a level spelled out
	rest := reduce.List(p, func(q []passes.Stage) bool { return try(q) })
	smaller = len(rest) < len(p)
	for i := range rest {
		if len(rest[i].Settings) == 0 {
			continue
		}
		plain := slices.Clone(rest)
		if plain[i].Settings = nil; try(plain) {
			rest, smaller = plain, true
		}
	}
	return smaller
}

// options sets options to their defaults, one by one.
// Each row resets one option, and reports whether it was set at all.
func (r *reducer) options() (smaller bool) {
	for _, reset := range []func(o *Options) bool{
		func(o *Options) bool { old := o.Case; o.Case = nil; return old != nil },
		func(o *Options) bool { old := o.KernelCase; o.KernelCase = nil; return old != nil },
		func(o *Options) bool { old := o.Uploads; o.Uploads = nil; return old != nil },
		func(o *Options) bool { old := o.HostConstants; o.HostConstants = 0; return old != 0 },
		func(o *Options) bool { old := o.Fuel; o.Fuel = nil; return old != nil },
		func(o *Options) bool { old := o.Effort; o.Effort = 0; return old != 0 },
		func(o *Options) bool { old := o.Seed; o.Seed = 0; return old != 0 },
		func(o *Options) bool { old := o.Domain; o.Domain = [2]int{}; return old != [2]int{} },
		func(o *Options) bool { old := o.Coarsen; o.Coarsen = ""; return old != "" },
		func(o *Options) bool { old := o.Target; o.Target = ""; return old != "" },
		func(o *Options) bool { old := o.Box; o.Box = nil; return old != nil },
		func(o *Options) bool { old := o.Arithmetic; o.Arithmetic = ""; return old != "" },
		func(o *Options) bool { old := o.Numerics; o.Numerics = ""; return old != "" },
	} {
		o := r.o
		smaller = reset(&o) && r.shows(r.in, o) || smaller
	}
	with := func(list []Constant) bool {
		o := r.o
		o.Constants = list
		return r.shows(r.in, o)
	}
	constants := len(r.o.Constants)
	reduce.List(r.o.Constants, with)
	return smaller || len(r.o.Constants) < constants
}

// programs makes the programs smaller: one of a pair, and texts.
func (r *reducer) programs() (smaller bool) {
	if len(r.in.Files) == 2 {
		for i := range 2 {
			in := r.in
			in.Files = in.Files[i : i+1]
			if r.shows(in, r.o) {
				smaller = true
				break
			}
		}
	}
	for i, f := range r.in.Files {
		if Recognize(f.Data) == Bytecode {
			continue
		}
		reduced := reduce.Text(string(f.Data), func(text string) bool { return r.shows(r.with(i, []byte(text)), r.o) })
		smaller = smaller || reduced != string(f.Data)
	}
	return smaller
}

// statements counts the lines of programs that are neither blank nor comments.
func statements(in Input) (n int) {
	for _, f := range in.Files {
		text := f.Data
		if Recognize(text) == Bytecode {
			if t, err := Disassemble(f); err == nil {
				text = t
			}
		}
		n += reduce.Statements(string(text))
	}
	return n
}
