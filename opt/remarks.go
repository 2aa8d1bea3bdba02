package opt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
)

// RemarkKind is the kind of a remark, in the terms of LLVM's optimization remarks.
type RemarkKind uint8

const (
	// Passed is a rewrite.
	Passed RemarkKind = iota + 1
	// Missed is a rewrite that was not made, with the reason.
	Missed
	// Analysis is any other fact about an input.
	Analysis
)

var remarkKindNames = []string{"", "passed", "missed", "analysis"}

// String returns the name of k in reports.
func (k RemarkKind) String() string { return naming.String(remarkKindNames, k) }

// MarshalText writes the name of k.
func (k RemarkKind) MarshalText() ([]byte, error) { return naming.Marshal(remarkKindNames, k) }

// UnmarshalText reads the name of a kind.
func (k *RemarkKind) UnmarshalText(text []byte) error {
	return naming.Unmarshal(remarkKindNames, k, text, "kind of remark")
}

// Remark is a fact about an input: a rewrite that was made or not, with the reason.
type Remark struct {
	Kind RemarkKind `json:"kind,omitzero"`
	Pass string     `json:"pass,omitempty"`
	// Stage is the program of Line, or of Offset in bytecode, if it is known.
	Stage  string `json:"stage,omitempty"`
	Line   int    `json:"line,omitempty"`
	Offset int    `json:"offset,omitempty"`
	// File and Column complete the position, for remarks that the command prints as warnings and for
	// rounding boundaries.
	File    string   `json:"file,omitempty"`
	Column  int      `json:"column,omitempty"`
	Code    asm.Code `json:"code"`
	Message string   `json:"message"`
	// Text is the instruction at the position, Unlock an option that would remove the reason, and Gain
	// the saving of a rewrite after the earlier ones. Only remarks that Options.Report.Remarks requests have
	// them.
	Text   string `json:"text,omitempty"`
	Unlock string `json:"unlock,omitempty"`
	Gain   *Gain  `json:"gain,omitempty"`
}

// Warning returns a diagnostic if users should see the remark by default, and nil otherwise. A read of
// an unwritten component is such a remark.
func (m *Remark) Warning() *asm.Diag {
	if m.Code != d3d9.Uninitialized {
		return nil
	}
	return asm.Errorf(asm.Pos{File: m.File, Line: m.Line, Col: m.Column, Offset: m.Offset}, m.Code, "%s", m.Message)
}

// Gain is the saving of a rewrite, negative if the cost grows. If a rewrite only enables others, the
// gain belongs to a later one.
type Gain struct {
	PixelSlots  int `json:"pixel_slots,omitempty"`
	VertexSlots int `json:"vertex_slots,omitempty"`
	Temps       int `json:"temps,omitempty"`
	Cycles      int `json:"cycles,omitempty"`
	GPRs        int `json:"gprs,omitempty"`
	// Times are the savings per pixel, on the GPUs on which the time changes.
	Times []TimeGain `json:"times,omitempty"`
}

// TimeGain is the time saved per pixel on a GPU.
type TimeGain struct {
	Target string  `json:"target"`
	Time   float64 `json:"time"`
}

// maxPassed limits the rewrites of an input that are listed, and maxGains those with a gain. Programs
// have tens to hundreds, and unrolled loops have thousands.
const (
	maxPassed = 2000
	maxGains  = 400
)

func (o *Options) remarks(k RemarkKind) bool { return slices.Contains(o.Report.Remarks, k) }

// traces reports whether rewrites are recorded.
func (z *optimizer) traces() bool { return z.traced || z.o.remarks(Passed) || z.o.Report.History }

// IsAbout reports whether m is about an instruction of program i, in the listing of Explain; programs is
// their number.
func (m *Remark) IsAbout(i, programs int, in *explain.Instruction) bool {
	return in.From == "" && m.Line == in.Line && m.Offset == in.Offset &&
		(m.Stage == "" || programs == 1 || m.Stage == d3d9.Stage(i).String())
}

// kindOf returns the kind of a remark from a pass, or from this package if pass is empty.
func kindOf(pass string) RemarkKind {
	if pass == "" {
		return Analysis
	}
	return Missed
}

// execute runs stages p over u. If remarks or a history are requested, it records in z.made the
// rewrites of all stages that were not undone.
func (z *optimizer) execute(u *passes.Unit, p passes.Pipeline, cfg passes.Config) (passes.Report, error) {
	var steps []passes.Step
	if z.traces() {
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

// passed returns remarks on the rewrites that were made.
func (z *optimizer) passed() (list []Remark) {
	for _, s := range z.made[:min(len(z.made), maxPassed)] {
		what := s.What
		if s.Op != "" {
			what = s.Op + " " + what
		}
		list = append(list, Remark{Kind: Passed, Pass: s.Pass, Stage: z.in.StageOf(s.Pos.File), Line: s.Pos.Line,
			Offset: s.Pos.Offset, Code: s.Code, Message: what})
	}
	if more := len(z.made) - maxPassed; more > 0 {
		list = append(list, Remark{Kind: Analysis, Code: "more-rewrites",
			Message: fmt.Sprintf("%d more rewrites are not listed", more)})
	}
	return list
}

// gains computes the saving of each rewrite in list, made under class: the difference between the
// prices of the program with and without it, after all earlier ones. Every prefix of the rewrites is a
// whole program and has a price.
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
			list[i].Gain = z.gainBetween(a, b)
		}
	}
}

// prefix is the cost of the programs after a prefix of the rewrites: that of [pair.SlotCost], or the price of a kernel.
type prefix struct {
	cost  passes.Cost
	times []targetCost
}

// prefix returns the cost of u, or nil after an error.
func (z *optimizer) prefix(u *passes.Unit, err error) *prefix {
	if err != nil {
		return nil
	}
	x, err := z.subject.prefix(u)
	if err != nil {
		return nil
	}
	return x
}

// gainBetween returns the saving of b over a.
func (z *optimizer) gainBetween(a, b *prefix) *Gain {
	less := func(k int) int { return a.cost[k] - b.cost[k] }
	if z.in.Kind() == input.KindKernel {
		return &Gain{Cycles: less(0), GPRs: less(1)}
	}
	g := &Gain{PixelSlots: less(0), VertexSlots: less(1), Temps: less(3)}
	for i := range min(len(a.times), len(b.times)) {
		if d := a.times[i].Time - b.times[i].Time; d != 0 {
			g.Times = append(g.Times, TimeGain{a.times[i].target, d})
		}
	}
	return g
}

// everywhere returns o, with all GPUs if it names none.
func (o *Options) everywhere() *Options {
	if !o.Target.CountsSlots() {
		return o
	}
	return &Options{Target: pair.PortableTarget, Draw: DrawOptions{PixelsPerVertex: o.Draw.PixelsPerVertex}}
}

// unlisted removes from r the additions of Explain to the result of Optimize for the GPUs of the target.
func (r *Result) unlisted(gpus []*draw.Target) {
	r.Programs, r.Rewritten, r.Phones = nil, nil, nil
	r.Draws = slices.DeleteFunc(r.Draws, func(d pair.DrawCosts) bool {
		return !slices.ContainsFunc(gpus, func(t *draw.Target) bool { return t.Name == d.Target })
	})
	for _, p := range r.Parts {
		p.unlisted(gpus)
	}
}

// addExplainRemarks converts the findings of Explain into remarks of the kinds that o requests.
func (o *Options) addExplainRemarks(res *Result) {
	for _, p := range res.Parts {
		o.addExplainRemarks(p)
	}
	if len(o.Report.Remarks) == 0 {
		return
	}
	if res.Kind == input.KindKernel {
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
			if !o.remarks(Missed) || in.Why == nil || in.Why.Plain() || in.Fate != explain.Kept && in.Fate != "" || in.From != "" {
				continue
			}
			m := Remark{Kind: Missed, Pass: "codemotion", Stage: stage, Line: in.Line, Offset: in.Offset, Code: in.Why.Code,
				Text: in.Text, Unlock: in.Why.Unlock}
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
			res.Remarks = append(res.Remarks, Remark{Kind: Analysis, Stage: s.Stage.String(), Code: "nearest-limit",
				Message: fmt.Sprintf("the nearest limit of %s is %s", s.Model, s.Binding())})
		}
		for _, d := range res.Draws {
			res.Remarks = append(res.Remarks, Remark{Kind: Analysis, Code: "bound",
				Message: explain.Bound("a draw", d.CurrentCost().Bound, d.Target)})
		}
	}
}

// spotOf is a line or an offset of a program.
type spotOf struct {
	stage        string
	line, offset int
}

// ParseRemarks reads a list of kinds of remarks, with commas: passed, missed, analysis or all, and
// gains for the savings of each rewrite.
func (o *Options) ParseRemarks(list string) error {
	for word := range strings.SplitSeq(list, ",") {
		var k RemarkKind
		switch word {
		case "all":
			o.Report.Remarks = []RemarkKind{Passed, Missed, Analysis}
			continue
		case "gains":
			o.Report.Remarks, o.Report.Gains = append(o.Report.Remarks, Passed), true
			continue
		}
		if err := k.UnmarshalText([]byte(word)); err != nil {
			return fmt.Errorf("unknown kind of remarks %q (want passed, missed, analysis, gains or all)", word)
		}
		o.Report.Remarks = append(o.Report.Remarks, k)
	}
	return nil
}
