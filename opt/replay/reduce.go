package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
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
func Reduce(ctx context.Context, f *opt.Fault, trials int) (*opt.Fault, *Reduction, error) {
	if opt.TaskOf(f) != opt.TaskOptimize {
		return nil, nil, fmt.Errorf("a fault of %s cannot be reduced", opt.TaskOf(f))
	}
	for _, t := range opt.Trials(f) {
		s, err := t.Run(ctx, -1)
		if err != nil {
			return nil, nil, err
		}
		if s.Why == "" {
			continue
		}
		p, err := t.Pipeline()
		if err != nil {
			return nil, nil, err
		}
		r := &reducer{Trial: *t, ctx: ctx, left: trials, memo: map[string]bool{}, err: f.Err}
		r.why = s.Why
		r.replayed = r.replays(f.Input, f.Options)
		return r.reduce(f, p)
	}
	return nil, nil, ErrNotShown
}

// reducer holds in Trial the smallest version so far that shows the symptom.
type reducer struct {
	opt.Trial
	ctx  context.Context
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
func (r *reducer) replays(in opt.Input, o opt.Options) bool {
	f := &opt.Fault{Task: opt.TaskOptimize, Input: in, Options: o, Err: r.err}
	if Replay(r.ctx, f).Again != nil {
		return true
	}
	if !r.Kept || o.Keep {
		return false
	}
	f.Options.Keep = true
	return Replay(r.ctx, f).Again != nil
}

// reduce repeats all reductions until none succeeds. It removes passes first: later steps are faster
// with fewer passes.
func (r *reducer) reduce(f *opt.Fault, p passes.Pipeline) (*opt.Fault, *Reduction, error) {
	most := r.left
	note := &Reduction{Before: statements(r.Input)}
	r.Options.Limits.Time = 0
	r.convertToText()
	r.stages(p)
	for smaller := true; smaller && r.left > 0 && r.ctx.Err() == nil; {
		smaller = r.options()
		smaller = r.programs() || smaller
		if q, err := r.Pipeline(); err == nil {
			smaller = r.stages(q) || smaller
		}
	}
	if err := context.Cause(r.ctx); err != nil {
		return nil, nil, err
	}
	note.After, note.Trials, note.Done = statements(r.Input), most-r.left, r.left > 0
	out := &opt.Fault{Task: opt.TaskOptimize, Input: r.Input, Options: r.Options, Err: f.Err}
	if f.Err != nil {
		out.Err = opt.RecordedError(r.why, opt.SymptomOf(f))
	}
	if r.Kept && !r.Options.Keep && Replay(r.ctx, out).Again == nil {
		out.Options.Keep = true // it costs no less any more, which is irrelevant
	}
	if b, err := Bisect(r.ctx, out); err == nil {
		out.Step = b.Step
	}
	return out, note, nil
}

// shows reports whether a version shows the symptom, and if so makes it the current one. Results are
// cached by content; each new version costs a trial.
func (r *reducer) shows(in opt.Input, o opt.Options) bool {
	t := r.Trial
	t.Input, t.Options = in, o
	key := string((&opt.Fault{Input: in, Options: o}).Reproducer())
	if bad, known := r.memo[key]; known || r.left <= 0 || r.ctx.Err() != nil {
		return known && bad && r.acceptInput(in, o)
	}
	r.left--
	s, err := t.Run(r.ctx, -1)
	// A version in which no pass changes anything is useless, even if its verdict is low.
	bad := err == nil && s.Why != "" && !s.Idle && (!r.replayed || r.replays(in, o))
	r.memo[key] = bad
	if bad {
		r.why = s.Why
	}
	return bad && r.acceptInput(in, o)
}

func (r *reducer) acceptInput(in opt.Input, o opt.Options) bool {
	r.Input, r.Options = in, o
	return true
}

// convertToText converts programs to text if they still show the symptom then.
func (r *reducer) convertToText() {
	for i, f := range r.Input.Files {
		if input.Recognize(f.Data) != input.Bytecode {
			continue
		}
		if text, err := input.Disassemble(f); err == nil {
			r.shows(r.replaceFile(i, text), r.Options)
		}
	}
}

// replaceFile returns the input with another text for a file.
func (r *reducer) replaceFile(i int, text []byte) opt.Input {
	in := r.Input
	in.Files = slices.Clone(in.Files)
	in.Files[i].Data = text
	return in
}

// stages removes stages of the pipeline by delta debugging, and then their settings.
func (r *reducer) stages(p passes.Pipeline) (smaller bool) {
	try := func(q passes.Pipeline) bool {
		o := r.Options
		if o.Pipeline = q.String(); o.Pipeline == "" {
			o.Pipeline = "O0"
		}
		return o.Pipeline != r.Options.Pipeline && r.shows(r.Input, o)
	}
	try(p) // the explicit form of a level
	rest := reduceList(p, func(q []passes.Stage) bool { return try(q) })
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
	for _, reset := range []func(o *opt.Options) bool{
		func(o *opt.Options) bool { old := o.Draw.Case; o.Draw.Case = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Kernel.Case; o.Kernel.Case = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Kernel.Launches; o.Kernel.Launches = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Host.Uploads; o.Host.Uploads = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Host.PixelConstants; o.Host.PixelConstants = 0; return old != 0 },
		func(o *opt.Options) bool { old := o.Limits.Fuel; o.Limits.Fuel = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Limits.Effort; o.Limits.Effort = 0; return old != 0 },
		func(o *opt.Options) bool { old := o.Seed; o.Seed = 0; return old != 0 },
		func(o *opt.Options) bool { old := o.Kernel.Domain; o.Kernel.Domain = [2]int{}; return old != [2]int{} },
		func(o *opt.Options) bool {
			old := o.Kernel.Coarsen
			o.Kernel.Coarsen = ir.Tile{}
			return old != ir.Tile{}
		},
		func(o *opt.Options) bool { old := o.Target; o.Target = ""; return old != "" },
		func(o *opt.Options) bool { old := o.Report.Box; o.Report.Box = nil; return old != nil },
		func(o *opt.Options) bool { old := o.Report.Arithmetic; o.Report.Arithmetic = ""; return old != "" },
		func(o *opt.Options) bool { old := o.Numerics; o.Numerics = 0; return old != 0 },
	} {
		o := r.Options
		smaller = reset(&o) && r.shows(r.Input, o) || smaller
	}
	with := func(list []input.Constant) bool {
		o := r.Options
		o.Host.Constants = list
		return r.shows(r.Input, o)
	}
	constants := len(r.Options.Host.Constants)
	reduceList(r.Options.Host.Constants, with)
	return smaller || len(r.Options.Host.Constants) < constants
}

// programs makes the programs smaller: it tries one program of a pair, and smaller texts.
func (r *reducer) programs() (smaller bool) {
	if len(r.Input.Files) == 2 {
		for i := range 2 {
			in := r.Input
			in.Files = in.Files[i : i+1]
			if r.shows(in, r.Options) {
				smaller = true
				break
			}
		}
	}
	for i, f := range r.Input.Files {
		if input.Recognize(f.Data) == input.Bytecode {
			continue
		}
		reduced := reduceText(string(f.Data), func(text string) bool { return r.shows(r.replaceFile(i, []byte(text)), r.Options) })
		smaller = smaller || reduced != string(f.Data)
	}
	return smaller
}

// statements counts the lines of programs that are neither blank nor comments.
func statements(in opt.Input) (n int) {
	for _, f := range in.Files {
		text := f.Data
		if input.Recognize(text) == input.Bytecode {
			if t, err := input.Disassemble(f); err == nil {
				text = t
			}
		}
		n += countStatements(string(text))
	}
	return n
}
