package shaderlift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/enum"
	"github.com/shaderlift/shaderlift/passes"
)

// RemarkKind says what a remark is about, in the terms of LLVM's optimization remarks.
type RemarkKind uint8

const (
	// Passed is a rewrite that was made.
	Passed RemarkKind = iota + 1
	// Missed is something that was not done, and why.
	Missed
	// Analysis is anything else to know about an input.
	Analysis
)

var remarkKindNames = []string{"", "passed", "missed", "analysis"}

// String is the name that reports have for k.
func (k RemarkKind) String() string { return enum.String(remarkKindNames, k) }

// MarshalText is the name of k.
func (k RemarkKind) MarshalText() ([]byte, error) { return enum.Marshal(remarkKindNames, k) }

// UnmarshalText reads the name of a kind.
func (k *RemarkKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(remarkKindNames, k, text, "kind of remark")
}

// Remark is something to know about an input: what was done or not, and why.
type Remark struct {
	Kind RemarkKind `json:"kind,omitzero"`
	Pass string     `json:"pass,omitempty"`
	// Stage is the program that Line, or Offset of bytecode, is a place in, if that is known.
	Stage   string   `json:"stage,omitempty"`
	Line    int      `json:"line,omitempty"`
	Offset  int      `json:"offset,omitempty"`
	Code    asm.Code `json:"code"`
	Message string   `json:"message"`
	// Text is the instruction there, Unlock an option that would do away with the reason, and
	// Gain what a rewrite saves behind those before it: of remarks that Options.Remarks asks for.
	Text   string `json:"text,omitempty"`
	Unlock string `json:"unlock,omitempty"`
	Gain   *Gain  `json:"gain,omitempty"`
}

// Gain is what a rewrite saves, negative where it takes more. Some save by what they make
// possible: the gain is that of a later one then.
type Gain struct {
	PixelSlots  int `json:"pixel_slots,omitempty"`
	VertexSlots int `json:"vertex_slots,omitempty"`
	Temps       int `json:"temps,omitempty"`
	Cycles      int `json:"cycles,omitempty"`
	GPRs        int `json:"gprs,omitempty"`
	// Times are those of a pixel, on the GPUs on which they change.
	Times []TimeGain `json:"times,omitempty"`
}

// TimeGain is how much less a pixel takes on a GPU.
type TimeGain struct {
	Target string  `json:"target"`
	Time   float64 `json:"time"`
}

// The most rewrites of an input that are told, and of which the gain is found out: programs have
// tens to hundreds, and loops that were unrolled thousands.
const (
	maxPassed = 2000
	maxGains  = 400
)

func (o *Options) remarks(k RemarkKind) bool { return slices.Contains(o.Remarks, k) }

// traces tells that rewrites are noted.
func (o *Options) traces() bool { return o.remarks(Passed) || o.History }

// At reports whether m is about an instruction of program i of so many, as Explain lists them.
func (m *Remark) At(i, programs int, in *Instruction) bool {
	return in.From == "" && m.Line == in.Line && m.Offset == in.Offset && (m.Stage == "" || programs == 1 || m.Stage == d3d9.Stage(i).String())
}

// kindOf is the kind of a remark that a pass, or this package, makes by itself.
func kindOf(pass string) RemarkKind {
	if pass == "" {
		return Analysis
	}
	return Missed
}

// stageOf is the program of in that the file of a place is, empty where that is not plain.
func (in *Input) stageOf(file string) string {
	if len(in.Files) != 2 || in.Files[0].Name == in.Files[1].Name {
		return ""
	}
	for stage, f := range in.Files {
		if f.Name == file {
			return d3d9.Stage(stage).String()
		}
	}
	return ""
}

// execute runs stages p over u. If remarks or a history are asked for, it notes in z.made the
// rewrites that are left in the end: those of stages that were taken back are not.
func (z *optimizer) execute(u *passes.Unit, p passes.Pipeline, cfg passes.Config) (passes.Report, error) {
	var steps []passes.Step
	if z.o.traces() {
		cfg.Trace = func(s passes.Step) { steps = append(steps, s) }
	}
	report, err := passes.Run(u, p, cfg)
	for _, s := range steps {
		if i := s.Stage - cfg.First; i < len(report.Stats) && report.Stats[i].Outcome == passes.Changed {
			z.made = append(z.made, s)
		}
	}
	return report, err
}

// passed are remarks on the rewrites that were made.
func (z *optimizer) passed() (list []Remark) {
	for _, s := range z.made[:min(len(z.made), maxPassed)] {
		what := s.What
		if s.Op != "" {
			what = s.Op + " " + what
		}
		list = append(list, Remark{Kind: Passed, Pass: s.Pass, Stage: z.in.stageOf(s.Pos.File), Line: s.Pos.Line, Offset: s.Pos.Offset, Code: s.Code, Message: what})
	}
	if more := len(z.made) - maxPassed; more > 0 {
		list = append(list, Remark{Kind: Analysis, Code: "more-rewrites", Message: fmt.Sprintf("%d more rewrites are not listed", more)})
	}
	return list
}

// gains finds out what each of the rewrites in list, made under class, saves: the difference
// between the prices of the program with and without it, all earlier ones made. Every prefix of the
// rewrites is a whole program, so this is a price like any other.
func (z *optimizer) gains(list []Remark, class passes.Class) {
	p, err := z.prefixes(class)
	if err != nil {
		return
	}
	known := map[int]*prefix{}
	for i := range list[:min(len(list), len(z.made), maxGains)] {
		s := z.made[i]
		for less := range 2 {
			if _, done := known[s.Number-less]; !done {
				known[s.Number-less] = z.prefix(p.behind(s, less))
			}
		}
		if a, b := known[s.Number-1], known[s.Number]; a != nil && b != nil {
			list[i].Gain = z.gain(a, b)
		}
	}
}

// prefix is what programs cost after the first so many rewrites.
type prefix struct {
	cost  passes.Cost
	times []targetCost
}

// prefix is what u costs, nil where that cannot be told.
func (z *optimizer) prefix(u *passes.Unit, err error) *prefix {
	if err != nil {
		return nil
	}
	measure := z.measureWritten()
	if measure == nil {
		measure = z.subject.measure
	}
	cost, err := measure(u)
	if err != nil {
		return nil
	}
	return &prefix{cost, z.subject.times(u)}
}

// gain is what b costs less than a.
func (z *optimizer) gain(a, b *prefix) *Gain {
	less := func(k int) int { return a.cost[k] - b.cost[k] }
	if isKernel(z.in) {
		return &Gain{Cycles: less(0), GPRs: less(1)}
	}
	g := &Gain{PixelSlots: less(0), VertexSlots: less(1), Temps: less(2)}
	for i := range min(len(a.times), len(b.times)) {
		if d := a.times[i].Time - b.times[i].Time; d != 0 {
			g.Times = append(g.Times, TimeGain{a.times[i].target, d})
		}
	}
	return g
}

// everywhere is o, with all GPUs if it names none.
func (o *Options) everywhere() *Options {
	if !o.countsSlots() {
		return o
	}
	return &Options{Target: PortableTarget, PixelsPerVertex: o.PixelsPerVertex}
}

// unlisted removes from r what Explain adds to the result of Optimize.
func (r *Result) unlisted(draws bool) {
	if r.Programs, r.Rewritten = nil, nil; draws {
		r.Draws = nil
	}
	for _, p := range r.Parts {
		p.unlisted(draws)
	}
}

// told turns what Explain has found into remarks of the kinds that o asks for.
func (o *Options) told(res *Result) {
	for _, p := range res.Parts {
		o.told(p)
	}
	if len(o.Remarks) == 0 {
		return
	}
	if res.Kind == KindKernel {
		o.toldKernel(res)
		return
	}
	// The text of an instruction is shown with every remark at its place.
	texts := map[spotOf]string{}
	for i, p := range res.Programs {
		stage := ""
		if len(res.Programs) == 2 {
			stage = d3d9.Stage(i).String()
		}
		for _, in := range p.Instructions {
			if in.From == "" {
				texts[spotOf{stage, in.Line, in.Offset}] = in.Text
			}
			if !o.remarks(Missed) || in.Why == nil || in.Why.Plain() || in.Fate != Kept && in.Fate != "" || in.From != "" {
				continue
			}
			m := Remark{Kind: Missed, Pass: "codemotion", Stage: stage, Line: in.Line, Offset: in.Offset, Code: in.Why.Code, Text: in.Text, Unlock: in.Why.Unlock}
			m.Message = in.Why.String()
			res.Remarks = append(res.Remarks, m)
		}
	}
	for i := range res.Remarks {
		if m := &res.Remarks[i]; m.Text == "" && (m.Line > 0 || m.Offset > 0) {
			m.Text = texts[spotOf{m.Stage, m.Line, m.Offset}]
		}
	}
	if o.remarks(Analysis) {
		for i := range res.Stages {
			s := &res.Stages[i]
			res.Remarks = append(res.Remarks, Remark{Kind: Analysis, Stage: s.Stage.String(), Code: "nearest-limit", Message: fmt.Sprintf("of %s it is nearest to a limit with %s", s.Model, s.Binding())})
		}
		for _, d := range res.Draws {
			res.Remarks = append(res.Remarks, Remark{Kind: Analysis, Code: "bound", Message: fmt.Sprintf("a draw is bound by %s on %s", d.Now().Bound, d.Target)})
		}
	}
}

// spotOf is a line or an offset of a program.
type spotOf struct {
	stage        string
	line, offset int
}

// String is the reason with where it lies.
func (r *Reason) String() string {
	what := "this"
	switch {
	case r.Line > 0:
		what = fmt.Sprintf("this needs line %d, which", r.Line)
	case r.Offset > 0:
		what = fmt.Sprintf("this needs the instruction at +%#x, which", r.Offset)
	}
	return what + " " + r.Message
}

// ParseRemarks reads a list of kinds of remarks, with commas: passed, missed, analysis, or all;
// and gains, for what each rewrite saves.
func (o *Options) ParseRemarks(list string) error {
	for word := range strings.SplitSeq(list, ",") {
		var k RemarkKind
		switch word {
		case "all":
			o.Remarks = []RemarkKind{Passed, Missed, Analysis}
			continue
		case "gains":
			o.Remarks, o.Gains = append(o.Remarks, Passed), true
			continue
		}
		if err := k.UnmarshalText([]byte(word)); err != nil {
			return fmt.Errorf("unknown kind of remarks %q (want passed, missed, analysis, gains or all)", word)
		}
		o.Remarks = append(o.Remarks, k)
	}
	return nil
}
