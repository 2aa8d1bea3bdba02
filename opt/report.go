package opt

import (
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/fit"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
)

// Version is the version of this package and of the command.
const Version = "0.1.0"

// Schema is the version of the JSON form of Report, which docs/report.schema.json describes.
const Schema = 2

// Report is the output of a run over any number of inputs, in their order. Its JSON form is for scripts
// and omits fields that do not apply.
type Report struct {
	Schema   int    `json:"schema"`
	Version  string `json:"version"`
	Pipeline string `json:"pipeline,omitempty"`
	// Numerics is the class of equality, nil if nothing was compared.
	Numerics *ir.Numerics `json:"numerics,omitempty"`
	Results  []*Result    `json:"results"`
	Totals   Totals       `json:"totals"`
}

// Result is the result for one input. [Result.Units], [Result.Costs], Status, Judgement, Files and Remarks mean the
// same for all kinds of inputs. Other fields depend on the kind:
//
//	program, pair  Stages, Draws, Phones, Varyings, Uploads, Nearest, Concessions, Promises, Partner
//	effect         Parts (each a program or pair), Passes, Bytes, Groups, Misfits, Uploads, Promises, Partner
//	kernel         Kernel, Launches, Coarsened, Tuning, Advice
//	module         Modules, Draws, Varyings
type Result struct {
	Input  string     `json:"input"`
	Name   string     `json:"name"`
	Kind   input.Kind `json:"kind"`
	Status Status     `json:"status,omitzero"`
	Error  string     `json:"error,omitempty"`
	// Pipeline is the pipeline that ran if it differs from the report's: kernels have their own levels.
	Pipeline string `json:"pipeline,omitempty"`
	// Judgement is nil if nothing was compared. Its fields are fields of Result.
	*Judgement
	Stages []StageCosts `json:"stages,omitempty"` // the vertex program first
	// Modules are the costs of SPIR-V modules, in the order of the files.
	Modules []ModuleCosts    `json:"modules,omitempty"`
	Draws   []pair.DrawCosts `json:"draws,omitempty"` // on the GPUs of the target
	// Phones has the costs on the GPUs of phones that the target does not name, from Explain alone.
	Phones []pair.DrawCosts `json:"-"`
	Kernel *kernel.Costs    `json:"kernel,omitempty"`
	// Varyings are the interpolated components that a pair could omit, from Stats alone.
	Varyings []codemotion.Component `json:"varyings,omitempty"`
	// Launches are the launches on which a kernel was priced. The costs in Kernel are for the first
	// one. An improved kernel is at most 0.5 % slower on each of them.
	Launches []kernel.Launch `json:"launches,omitempty"`
	Tuning   *Tuning         `json:"tuning,omitempty"` // from Tune alone
	// Advice has the changes of the launch that would make a kernel faster, from Explain alone.
	Advice  []Advice       `json:"advice,omitempty"`
	Uploads []input.Upload `json:"uploads,omitempty"`
	// Coarsened lists the changes to the host program for a coarsened kernel.
	Coarsened *kernel.Coarsened `json:"coarsened,omitempty"`
	// Programs has the instructions of the programs, from Instructions and Explain. Rewritten has the
	// replacements that Explain found.
	Programs  []explain.Program `json:"programs,omitempty"`
	Rewritten []explain.Program `json:"rewritten,omitempty"`
	// History has the versions of an improved program, pair or kernel, if Options.Report.History is set.
	History *History `json:"history,omitempty"`
	// Parts are the pairs and programs of an effect, pass by pass, with their costs and verdicts.
	// Verdict is the lowest of these verdicts.
	Parts []*Result `json:"parts,omitempty"`
	// Passes counts the passes of an effect, and Bytes is its size without compression.
	Passes *PassTotals `json:"passes,omitempty"`
	Bytes  *Change     `json:"bytes,omitempty"`
	// Groups are the parts of an effect with several partners.
	Groups []Group `json:"groups,omitempty"`
	// Misfits are the techniques of an effect whose programs do not fit the required profile, and stay
	// unchanged.
	Misfits []string `json:"misfits,omitempty"`
	// Nearest is the version nearest to the required profile, if none fits it and one could be written
	// except for its limits.
	Nearest *fit.Nearest `json:"nearest,omitempty"`
	// Concessions are relaxations with which the profile would fit. Each suffices alone; the smallest
	// come first.
	Concessions []fit.Concession `json:"concessions,omitempty"`
	// NamesIgnored is set if constant tables were not compared, because of Options.Host.IgnoreNames.
	NamesIgnored bool `json:"names_ignored,omitempty"`
	// Assumes are the promised values of constants that the result depends on.
	Assumes []input.Constant `json:"assumes,omitempty"`
	// Promises are the assumptions of Options.Host.Assume that the result depends on.
	Promises []input.Assumption `json:"promises,omitempty"`
	// Partner is the vertex program of Options.Host.Partner with which the pixel programs are drawn,
	// one of Partners, or given.
	Partner string   `json:"partner,omitempty"`
	Remarks []Remark `json:"remarks,omitempty"`

	// Files are the programs to use from now on, with the names of the input's. An unchanged input has
	// its own bytes, a failed one no files.
	Files []File `json:"-"`
	// others are further verified versions of a part of an effect.
	others []*Result
	// Case is a counterexample as a case file, for the last refuted version.
	Case []byte `json:"-"`
	// Faults are the contained errors of this program.
	Faults []*Fault `json:"-"`
}

// Judgement is the evidence that a version may replace another.
type Judgement struct {
	Verdict verify.Verdict `json:"verdict"`
	// Methods are the methods that found the versions equal, or the one that found a difference.
	Methods []verify.Method `json:"methods"`
	Epsilon float64         `json:"epsilon"`         // probability that a proof is wrong
	MaxULP  uint32          `json:"max_ulp"`         // largest difference seen, in units of the last place
	Bound   *Bound          `json:"bound,omitempty"` // of rounding, for Direct3D 9 programs
}

// Verdict returns the verdict of the judgement, or Unknown without one.
func (r *Result) Verdict() verify.Verdict {
	if r.Judgement == nil {
		return verify.Unknown
	}
	return r.Judgement.Verdict
}

// StageCosts is the cost of one program, before and after optimization.
type StageCosts struct {
	Stage  d3d9.Stage `json:"stage"`
	Model  d3d9.Model `json:"model"`
	Before d3d9.Cost  `json:"before"`
	After  *d3d9.Cost `json:"after,omitempty"`
	// Fitted is the model of the resulting program if it differs.
	Fitted *d3d9.Model `json:"fitted,omitempty"`
	// Host is the number of instructions of its preshader, which the CPU runs when a pass of the effect
	// is applied; nil without one.
	Host *Change `json:"host_instructions,omitempty"`
}

// CurrentCost returns the cost after optimization; an unchanged program keeps its cost.
func (s *StageCosts) CurrentCost() d3d9.Cost {
	if s.After != nil {
		return *s.After
	}
	return s.Before
}

// NowModel returns the model of the program after optimization.
func (s *StageCosts) NowModel() d3d9.Model {
	if s.Fitted != nil {
		return *s.Fitted
	}
	return s.Model
}

// Binding returns the limit of its model that the program is nearest to now.
func (s *StageCosts) Binding() pair.Usage { return pair.Binding(s.NowModel(), s.CurrentCost()) }

// Change is a number before and after.
type Change struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

func (c *Change) add(before, after int) { c.Before, c.After = c.Before+before, c.After+after }

// Totals sums up a report.
type Totals struct {
	Inputs       int     `json:"inputs"`
	Improved     int     `json:"improved"`
	Changed      int     `json:"changed"`
	Failed       int     `json:"failed"`
	PixelSlots   *Change `json:"pixel_slots,omitempty"`
	VertexSlots  *Change `json:"vertex_slots,omitempty"`
	ALU          *Change `json:"alu,omitempty"`          // instruction groups of kernels
	Cycles       *Change `json:"cycles,omitempty"`       // predicted, of launches of kernels
	Components   *Change `json:"components,omitempty"`   // interpolated, of SPIR-V pairs
	Instructions *Change `json:"instructions,omitempty"` // of SPIR-V modules
	// Trends summarize single inputs, as of the last Settle.
	Trends  []Trend `json:"trends,omitempty"`
	Seconds float64 `json:"seconds"`

	series [3]series // of the rows of trendsOf
}

// Add counts a result. An input without a later cost keeps its cost.
func (t *Totals) Add(r *Result) {
	t.Inputs++
	switch r.Status {
	case Improved:
		t.Improved++
	case Changed:
		t.Changed++
	case Failed:
		t.Failed++
	}
	t.costs(r)
	t.follow(r)
}

// costs adds the costs of a result; for an effect, the sum over its parts.
func (t *Totals) costs(r *Result) {
	for _, u := range r.Units() {
		t.unit(u)
	}
}

func (t *Totals) unit(r *Result) {
	for i := range r.Stages {
		s := &r.Stages[i]
		sum := &t.VertexSlots
		if s.Stage == d3d9.Pixel {
			sum = &t.PixelSlots
		}
		if *sum == nil {
			*sum = new(Change)
		}
		(*sum).add(s.Before.Slots, s.CurrentCost().Slots)
	}
	for i := range r.Modules {
		m := &r.Modules[i]
		if t.Instructions == nil {
			t.Instructions = new(Change)
		}
		a, b := m.Before, m.CurrentCost()
		t.Instructions.add(a.Instructions, b.Instructions)
		if m.Stage == "vertex" && len(r.Modules) > 1 {
			if t.Components == nil {
				t.Components = new(Change)
			}
			t.Components.add(a.Components, b.Components)
		}
	}
	if k := r.Kernel; k != nil {
		if t.ALU == nil {
			t.ALU, t.Cycles = new(Change), new(Change)
		}
		t.ALU.add(k.Before.ALU, k.CurrentCost().ALU)
		t.Cycles.add(int(k.Before.Cycles), int(k.CurrentCost().Cycles))
	}
}

// NewReport returns an empty report of a run under o.
func NewReport(o Options) *Report {
	r := &Report{Schema: Schema, Version: Version, Numerics: &o.Numerics, Results: []*Result{}}
	o = o.withDefaultTarget(input.KindPair)
	if p, err := o.pipeline(input.KindPair); err == nil {
		r.Pipeline = p.String()
	}
	return r
}

// Add appends a result.
func (r *Report) Add(res *Result) {
	r.Results = append(r.Results, res)
	r.Totals.Add(res)
}

// WriteJSON writes r as indented JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	s := NewReportWriter(w, r)
	for _, res := range r.Results {
		s.Add(res)
	}
	s.Totals = r.Totals
	err := s.Close()
	r.Totals = s.Totals // after Settle
	return err
}

func newResult(in Input) *Result {
	return &Result{Input: reported(in.Path()), Name: reported(in.DisplayName()), Kind: in.Kind()}
}

// reported returns a name in its report form. JSON is Unicode: all invalid bytes would become the same
// character, and two files the same input. They are escaped as on a terminal.
func reported(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strconv.Quote(name)
}

// Failure returns the result for an input that could not be read because of err.
func Failure(in Input, err error) *Result {
	res := newResult(in)
	res.Fail(err)
	return res
}

// Fail turns r into the result of a failed input, without programs, because of err.
func (r *Result) Fail(err error) {
	r.Status, r.Error, r.Files, r.Uploads, r.Coarsened, r.Tuning, r.Launches = Failed, err.Error(), nil, nil, nil, nil, nil
	for i := range r.Stages {
		r.Stages[i].After, r.Stages[i].Fitted = nil, nil
	}
	for i := range r.Modules {
		r.Modules[i].After = nil
	}
	for _, p := range r.Parts {
		p.Fail(err)
	}
	if r.Kernel != nil {
		r.Kernel.After = nil
	}
}

func (r *Result) failWith(err error) (*Result, error) {
	r.Fail(err)
	return r, err
}

// remark adds a remark of this package, not of a pass.
func (r *Result) remark(pos asm.Pos, code asm.Code, msg string) {
	r.Remarks = append(r.Remarks, Remark{Kind: Analysis, Line: pos.Line, Offset: pos.Offset, Code: code, Message: msg})
}

// before records the costs of the input programs.
func (r *Result) before(programs []*d3d9.Program) {
	for _, p := range programs {
		r.Stages = append(r.Stages, StageCosts{Stage: p.Model.Stage, Model: p.Model, Before: d3d9.Measure(p)})
	}
}

// after records the current costs.
func (r *Result) after(programs []*d3d9.Program) {
	for i, p := range programs {
		c := d3d9.Measure(p)
		r.Stages[i].After, r.Stages[i].Fitted = &c, nil
		if m := p.Model; m != r.Stages[i].Model {
			r.Stages[i].Fitted = &m
		}
	}
}
