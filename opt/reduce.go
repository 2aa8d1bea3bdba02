package opt

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/internal/reduce"
	"github.com/shaderlift/shaderlift/passes"
)

// DefaultTrials is the default number of smaller versions that Reduce tries.
const DefaultTrials = 3000

// Reduction is the progress of Reduce.
type Reduction struct {
	Trials        int // tried versions
	Before, After int // statements, without comments and blank lines
	Done          bool
}

// Reduce makes fault f smaller: the programs, the pipeline, the options. The returned fault still
// happens. If Reduction.Done is set, no reduction known to Reduce makes it smaller. For a fault without
// an Err, the symptom is a verdict below Options.Require. The result is minimal in the sense of Zeller
// and Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002): no single statement can be
// removed. The error is ErrNotShown or describes the fault in the input or the options.
func Reduce(ctx context.Context, f *Fault, trials int) (*Fault, *Reduction, error) {
	if f.taskOrDefault() != TaskOptimize {
		return nil, nil, fmt.Errorf("a fault of %s cannot be reduced", f.taskOrDefault())
	}
	for _, t := range trialsOf(ctx, f) {
		s, err := t.runWithFuel(-1)
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

// reducer holds in trial the smallest version so far that shows the symptom.
type reducer struct {
	trial
	why  string
	left int // trials left
	memo map[string]bool
	err  error // of the fault
	// replayed is set if Replay sees the fault; then it must also see the reduced fault. A trial spends
	// as much on verification as Replay does, and may refute rewrites that Optimize leaves out as
	// unknown.
	replayed bool
}

// replays reports whether Replay sees the symptom in another version. It sets Keep if the trials keep
// stages that cost more.
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

// reduce repeats all reductions until none succeeds. It removes passes first: later steps are faster
// with fewer passes.
func (r *reducer) reduce(f *Fault, p passes.Pipeline) (*Fault, *Reduction, error) {
	most := r.left
	note := &Reduction{Before: statements(r.in)}
	r.o.TimeLimit = 0
	r.convertToText()
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
		out.Options.Keep = true // it costs no less any more, which is irrelevant
	}
	if b, err := Bisect(r.ctx, out); err == nil {
		out.Step = b.Step
	}
	return out, note, nil
}

// shows reports whether a version shows the symptom, and if so makes it the current one. Results are
// cached by content; each new version costs a trial.
func (r *reducer) shows(in Input, o Options) bool {
	t := r.trial
	t.in, t.o = in, o
	key := t.key()
	if bad, known := r.memo[key]; known || r.left <= 0 || r.ctx.Err() != nil {
		return known && bad && r.acceptInput(in, o)
	}
	r.left--
	s, err := t.runWithFuel(-1)
	// A version in which no pass changes anything is useless, even if its verdict is low.
	bad := err == nil && s.why != "" && !s.idle && (!r.replayed || r.replays(in, t.o))
	r.memo[key] = bad
	if bad {
		r.why = s.why
	}
	return bad && r.acceptInput(in, o)
}

func (r *reducer) acceptInput(in Input, o Options) bool {
	r.in, r.o = in, o
	return true
}

// key returns a string that is equal for equal versions.
func (t *trial) key() string {
	return string((&Fault{Input: t.in, Options: t.o}).Reproducer())
}

// convertToText converts programs to text if they still show the symptom then.
func (r *reducer) convertToText() {
	for i, f := range r.in.Files {
		if Recognize(f.Data) != Bytecode {
			continue
		}
		if text, err := Disassemble(f); err == nil {
			r.shows(r.replaceFile(i, text), r.o)
		}
	}
}

// replaceFile returns the input with another text for a file.
func (r *reducer) replaceFile(i int, text []byte) Input {
	in := r.in
	in.Files = slices.Clone(in.Files)
	in.Files[i].Data = text
	return in
}

// stages removes stages of the pipeline by delta debugging, and then their settings.
func (r *reducer) stages(p passes.Pipeline) (smaller bool) {
	try := func(q passes.Pipeline) bool {
		o := r.o
		if o.Pipeline = q.String(); o.Pipeline == "" {
			o.Pipeline = "O0"
		}
		return o.Pipeline != r.o.Pipeline && r.shows(r.in, o)
	}
	try(p) // the explicit form of a level
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

// options resets options to their defaults, one by one. Each row resets one option and reports whether
// it was set.
func (r *reducer) options() (smaller bool) {
	for _, reset := range []func(o *Options) bool{
		func(o *Options) bool { old := o.Case; o.Case = nil; return old != nil },
		func(o *Options) bool { old := o.KernelCase; o.KernelCase = nil; return old != nil },
		func(o *Options) bool { old := o.Launches; o.Launches = nil; return old != nil },
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

// programs makes the programs smaller: it tries one program of a pair, and smaller texts.
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
		reduced := reduce.Text(string(f.Data), func(text string) bool { return r.shows(r.replaceFile(i, []byte(text)), r.o) })
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
