package shaderlift

import (
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/numerics"
	"github.com/shaderlift/shaderlift/verify"
)

// Version is the version of this package and of the command.
const Version = "0.1.0"

// Schema numbers the JSON form of Report, which docs/report.schema.json describes.
const Schema = 1

// Report is what a run over any number of inputs says, in the order of the inputs.
// Its JSON form is for scripts: fields that do not apply are left out.
type Report struct {
	Schema   int    `json:"schema"`
	Version  string `json:"version"`
	Pipeline string `json:"pipeline,omitempty"`
	// Numerics is the class of what had to stay the same, nil where nothing was compared.
	Numerics *numerics.Class `json:"numerics,omitempty"`
	Results  []*Result       `json:"results"`
	Totals   Totals          `json:"totals"`
}

// Result is what is known of one input.
type Result struct {
	Input  string `json:"input"`
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Status Status `json:"status,omitzero"`
	Error  string `json:"error,omitempty"`
	// Pipeline is what ran where that is not the report's: kernels have levels of their own.
	Pipeline string `json:"pipeline,omitempty"`
	// Judgement is nil where nothing was compared. Its fields are among those of Result.
	*Judgement
	Stages  []StageCosts `json:"stages,omitempty"` // the vertex program first
	Draws   []DrawCosts  `json:"draws,omitempty"`  // on the GPUs that the target names
	Kernel  *KernelCosts `json:"kernel,omitempty"`
	Tuning  *Tuning      `json:"tuning,omitempty"` // of Tune alone
	Uploads []Upload     `json:"uploads,omitempty"`
	// Placement is nil where nothing could be placed, or where it is not slots that decide.
	Placement *Placement `json:"placement,omitempty"`
	// Coarsened is what the host has to do for a kernel that does the work of several.
	Coarsened *Coarsened `json:"coarsened,omitempty"`
	// Programs are the programs instruction by instruction, of Instructions and Explain alone,
	// Rewritten those that Explain found to replace them.
	Programs  []Program `json:"programs,omitempty"`
	Rewritten []Program `json:"rewritten,omitempty"`
	// History is how a program, pair or kernel that got better became what it is, where
	// Options.History asks for it.
	History *History `json:"history,omitempty"`
	// Parts are the pairs and programs of an effect, pass by pass. They have the costs, and
	// verdicts of their own; Verdict is the least of these.
	Parts []*Result `json:"parts,omitempty"`
	// Groups are parts of an effect that have several partners.
	Groups []Group `json:"groups,omitempty"`
	// Growth is what an effect has more of, if it has grown.
	Growth *Growth `json:"growth,omitempty"`
	// Misfits are the techniques of an effect with passes that do not fit the profile that was
	// asked for, and stay as they are.
	Misfits []string `json:"misfits,omitempty"`
	// Nearest is what came nearest to the profile that was asked for, where nothing fits it and
	// something could be written within it but for its limits.
	Nearest *Nearest `json:"nearest,omitempty"`
	// Concessions are what would have to be given up so that the profile fits, each enough by
	// itself, the least first.
	Concessions []Concession `json:"concessions,omitempty"`
	// Assumes are the promises of the application that everything else rests on: what it
	// sets constants to.
	Assumes []Constant `json:"assumes,omitempty"`
	// Promises are those of Options.Assume that everything else rests on.
	Promises []Assumption `json:"promises,omitempty"`
	// Partner is the vertex program of Options.Partner that the pixel programs are drawn with,
	// spritebatch or given.
	Partner string   `json:"partner,omitempty"`
	Remarks []Remark `json:"remarks,omitempty"`

	// Files are the programs to use from now on, named as the input's; those of an
	// unchanged input are its own bytes. A failed input has none.
	Files []File `json:"-"`
	// others are further versions of a part of an effect, verified as this one is.
	others []*Result
	// Case is a counterexample as a case file, that of the last version that was refuted.
	Case []byte `json:"-"`
	// Faults are errors of this program that were met, and survived, on the way.
	Faults []*Fault `json:"-"`
}

// Judgement is how sure it is that a version may take the place of another.
type Judgement struct {
	Verdict verify.Verdict `json:"verdict"`
	// Rungs are those that found the versions equal, none if they were not found so.
	Rungs   []verify.Rung `json:"rungs"`
	Epsilon float64       `json:"epsilon"`         // probability that a proof is wrong
	MaxULP  uint32        `json:"max_ulp"`         // largest difference seen, in units of the last place
	Bound   *Bound        `json:"bound,omitempty"` // what roundings can do, of Direct3D 9 programs
}

// Placement is how good the choice is of what the vertex program of a pair computes: the slots
// of the pixel program that it saves where it is made, and a bound for those that any choice
// among the candidates could. Where both are equal, the choice is optimal. What the choices
// are, and what counts, is documented in package codemotion.
type Placement struct {
	Saved int `json:"saved"`
	Bound int `json:"bound"`
}

// Verdict is that of the judgement, Unknown if there is none.
func (r *Result) Verdict() verify.Verdict {
	if r.Judgement == nil {
		return verify.Unknown
	}
	return r.Judgement.Verdict
}

// StageCosts is what one program costs, before and after.
type StageCosts struct {
	Stage  d3d9.Stage `json:"stage"`
	Model  d3d9.Model `json:"model"`
	Before d3d9.Cost  `json:"before"`
	After  *d3d9.Cost `json:"after,omitempty"`
	// Fitted is the model of the program afterwards where that is another one.
	Fitted *d3d9.Model `json:"fitted,omitempty"`
	// Host is how many instructions its preshader has, which the CPU runs when a pass of the
	// effect is applied; nil if there is none.
	Host *Change `json:"host_instructions,omitempty"`
}

// Now is what the program costs afterwards; one that is not changed costs what it did.
func (s *StageCosts) Now() d3d9.Cost {
	if s.After != nil {
		return *s.After
	}
	return s.Before
}

// NowModel is the model of the program afterwards.
func (s *StageCosts) NowModel() d3d9.Model {
	if s.Fitted != nil {
		return *s.Fitted
	}
	return s.Model
}

// Binding is the limit of its model that the program is nearest to now.
func (s *StageCosts) Binding() Usage { return binding(s.NowModel(), s.Now()) }

// Change is a number before and after.
type Change struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Totals sums up a report.
type Totals struct {
	Inputs      int     `json:"inputs"`
	Improved    int     `json:"improved"`
	Changed     int     `json:"changed"`
	Failed      int     `json:"failed"`
	PixelSlots  *Change `json:"pixel_slots,omitempty"`
	VertexSlots *Change `json:"vertex_slots,omitempty"`
	ALU         *Change `json:"alu,omitempty"`    // instruction groups of kernels
	Cycles      *Change `json:"cycles,omitempty"` // that launches of kernels are predicted to take
	// Trends are how single inputs fared, as of the last Settle.
	Trends  []Trend `json:"trends,omitempty"`
	Seconds float64 `json:"seconds"`

	series [3]series // of the rows of trendsOf
}

// Add counts a result. An input without a cost afterwards goes on as it was.
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

// costs adds what a result costs; of an effect, the sum over its parts.
func (t *Totals) costs(r *Result) {
	for _, p := range r.Parts {
		t.costs(p)
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		sum := &t.VertexSlots
		if s.Stage == d3d9.Pixel {
			sum = &t.PixelSlots
		}
		if *sum == nil {
			*sum = new(Change)
		}
		(*sum).Before += s.Before.Slots
		(*sum).After += s.Now().Slots
	}
	if k := r.Kernel; k != nil {
		if t.ALU == nil {
			t.ALU, t.Cycles = new(Change), new(Change)
		}
		t.ALU.Before += k.Before.ALU
		t.ALU.After += k.Now().ALU
		t.Cycles.Before += int(k.Before.Cycles)
		t.Cycles.After += int(k.Now().Cycles)
	}
}

// NewReport is an empty report of a run under o.
func NewReport(o Options) *Report {
	r := &Report{Schema: Schema, Version: Version, Results: []*Result{}}
	if c, err := o.class(); err == nil {
		r.Numerics = &c
	}
	o = o.on(KindPair)
	if p, err := o.pipeline(false); err == nil {
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
	r.Totals = s.Totals // settled
	return err
}

func newResult(in Input) *Result {
	return &Result{Input: reported(in.Path()), Name: reported(in.name()), Kind: in.Kind()}
}

// reported is a name as reports have it. JSON is Unicode: bytes that are none would all become the
// same character, and two files the same input. They are spelt as on a terminal.
func reported(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strconv.Quote(name)
}

// Failure is the result for an input that could not even be read, because of err.
func Failure(in Input, err error) *Result {
	res := newResult(in)
	res.Fail(err)
	return res
}

// Fail makes r that of a failed input: there is nothing to use, because of err.
func (r *Result) Fail(err error) {
	r.Status, r.Error, r.Files, r.Uploads, r.Coarsened, r.Tuning = Failed, err.Error(), nil, nil, nil, nil
	for i := range r.Stages {
		r.Stages[i].After, r.Stages[i].Fitted = nil, nil
	}
	for _, p := range r.Parts {
		p.Fail(err)
	}
	if r.Kernel != nil {
		r.Kernel.After = nil
	}
}

func (r *Result) fail(err error) (*Result, error) {
	r.Fail(err)
	return r, err
}

// remark is one of the front door, of no pass.
func (r *Result) remark(pos asm.Pos, code asm.Code, msg string) {
	r.Remarks = append(r.Remarks, Remark{Kind: Analysis, Line: pos.Line, Offset: pos.Offset, Code: code, Message: msg})
}

// before notes what the programs cost as they are.
func (r *Result) before(programs []*d3d9.Program) {
	for _, p := range programs {
		r.Stages = append(r.Stages, StageCosts{Stage: p.Model.Stage, Model: p.Model, Before: d3d9.Measure(p)})
	}
}

// after notes what they cost now.
func (r *Result) after(programs []*d3d9.Program) {
	for i, p := range programs {
		c := d3d9.Measure(p)
		r.Stages[i].After, r.Stages[i].Fitted = &c, nil
		if m := p.Model; m != r.Stages[i].Model {
			r.Stages[i].Fitted = &m
		}
	}
}
