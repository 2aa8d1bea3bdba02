package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Pair is the vertex and pixel program of a draw; a lone program leaves the other nil. A check
// takes two pairs with the same stages, and reads them without changing them.
type Pair struct{ Vertex, Pixel *d3d9.Program }

// Upload says that the application sets a constant to the value it gives one of the other
// stage.
type Upload = draws.Upload

// Options are the terms of a check. The zero value asks for the same terms, takes quick effort
// and assumes nothing about the application.
type Options struct {
	// Numerics is the weakest sameness that is accepted: it decides which rungs may vouch for
	// after, and whether executions are compared bit for bit (see exactly).
	Numerics Class
	// Effort scales the budgets of all rungs (see allowances), the number of keys of rung 3 and
	// the number and size of draws.
	Effort Effort
	// Uploads are what the application sets in addition for after; Mirrored holds
	// for before already, as for the parameters that an effect sets in both stages.
	Uploads, Mirrored []Upload
	// Parameters tells that the framework of an effect sets constants, by the names in
	// tables, and runs preshaders: these may then differ.
	Parameters bool
	// Constants are what the host is known to set for both sides. The sides are compared only
	// under that assumption; draws and launches, those of Cases too, are executed with it.
	Constants []Constant
	// Cases are draws to execute, besides those made up, where there is a pair, and
	// KernelCases launches of kernels.
	Cases       []*interp.Case
	KernelCases []*kernel.Case
	// Tile says that an invocation of after, a kernel, does what those of before in a tile do. The
	// zero Tile is a launch like that of before.
	Tile tile.Tile
	// Box says where values from outside lie, and Arithmetic names the kind of hardware (see
	// package rounding), for what [Bound] says.
	Box        rounding.Box
	Arithmetic string
	// Brief tells that it does not matter much whether a version that is not proved is refuted:
	// differences that proofs have found are not searched for at length.
	Brief bool
	// Seed varies what is drawn at random, which follows from the programs and the
	// options besides. The report is a function of these.
	Seed uint64
	// Cheap asks for no more than the first proofs where these do not hold, of kernels for no
	// more than proofs: nothing is executed then, and the verdict is Unknown.
	Cheap bool
	// Unconfirmed asks, with Cheap, for no execution of kernels where proofs hold either: for what is
	// compared to find out which rewrite is not proved, and is not used.
	Unconfirmed bool
	// Budget is what the check may take at most, and when it has to end. Without one, and
	// within it, Effort says how much each rung may take.
	Budget *budget.Budget
}

// Report is the outcome of a check.
type Report struct {
	// Verdict is the strongest claim that the rungs support; Unknown if the check itself failed.
	Verdict Verdict
	// Rungs are the rungs of the ladder that found the sides equal.
	Rungs []Rung
	// Epsilon bounds the probability that ProvedReal is wrong, over the random points and keys
	// of rung 3 and not over programs. It is 0 where R3 did not find the sides equal.
	Epsilon float64
	// Draws counts the executions of both sides that were compared, Points the
	// pixels or invocations in them, and of kernels the elements of memory.
	Draws, Points int
	// MaxULP, ULP50 and ULP99 measure how far the outputs were apart, the last two
	// as the bound below which half and 99 % of the values are; Outliers counts the
	// points left out, where a rounding flipped a comparison.
	MaxULP, ULP50, ULP99 uint32
	Outliers             int
	Counterexample       *Counterexample
	// Contradicted says that a proof accepts what Counterexample refutes: a fault of the lift, of the
	// proof or of the interpreter.
	Contradicted bool
	// Why says what kept the verdict from being better.
	Why string
	// Unrun says that it is that before cannot be executed, so that no other after would do better.
	Unrun bool

	// The two sides, if they are of Direct3D 9, as they were lifted, nil where a side cannot be;
	// [Report.Bound] analyses them.
	sides [2]*observation
}

// Counterexample is an input on which the sides differ. It has been executed twice,
// from freshly compiled programs, with the same outcome.
type Counterexample struct {
	Where, Output string
	Before, After float32
	// Whole says, instead of Output and its values, what differs wherever one looks.
	Whole string
	// Bits are the same values as words: what kernels compute need not be floats.
	Bits [2]uint32
	// First are the first statements of the two sides that compute what the other one never
	// has, for this point. They are not valid where there is none, or that is not known.
	First [2]asm.Pos
	// Input is the draw or launch, in the form of a case file, or the inputs and
	// constants of the invocation.
	Input string
	// Case is the input as a case file: a draw, a launch, or of a lone program a quad of
	// invocations; nil where there is none, as for the vertex program of a pair by itself.
	Case []byte
}

// Check decides whether after may take the place of before. It climbs the ladder in the order of
// cost: R0, R1, R3 with opaque functions, R2, and only where these leave the question open R3 with
// the laws of real numbers and R2 on directed inputs. The result is a function of the arguments,
// unless [Options.Budget] has a deadline.
func Check(before, after Pair, o Options) Report {
	c := &checker{ladder: ladder{Options: o}, before: before, after: after}
	return c.within(c.check)
}

// within runs a check and returns its report. A check that runs out of its budget unwinds by a
// panic that [budget.Catch] turns into an error: the verdict is Unknown then, whatever rungs have
// been passed before.
func (c *ladder) within(check func()) Report {
	err := func() (err error) {
		defer budget.Catch(&err)
		check()
		return nil
	}()
	if err != nil {
		return Report{Rungs: c.report.Rungs, Why: err.Error()}
	}
	return c.report
}

// checker is the check of programs of Direct3D 9. Rung 0 replaces after by what was read back,
// so that no other rung sees the program in memory.
type checker struct {
	ladder
	before, after Pair
	// base is the first trial that was made up; directed trials change its inputs.
	base trial

	// Set if [Options.Parameters] is: constants are then compared as the expressions of parameters
	// that preshaders compute for them.
	framework *framework
	hosts     [2]hosts // of both sides, if so

	// formed are the programs of after, vertex first, as rung 0 lifts them to see that it can be
	// done; lift takes them over, since specializing them to known constants changes them.
	formed [2]*ir.Func
	// compiled holds both sides for the interpreter, of which each run takes a copy (see once).
	compiled [2]*shaders
}

// ladder is what checks of all kinds of programs have in common: the state that the rungs leave
// for those above them and for the verdict.
type ladder struct {
	Options
	report Report

	// sides are before and after, lifted.
	sides [2]*observation          // nil where a program cannot be lifted
	parts [numRungs]*budget.Budget // that rungs pay from
	terms proof                    // rung 1
	field fieldReport              // rung 3
	// keys is the number of keys that rung 3 may evaluate both sides under. Each multiplies the error
	// probability by that of one evaluation.
	keys int
	// total sums up the comparisons of all executions that were compared.
	total contrast
	doubt string        // a difference that rung 2 measured and nothing explains
	blind func() string // what executions did not show, if anything; may be nil
}

// proof is the outcome of rung 1: a difference, a reason why it could not judge, or neither, which
// means that both sides are the same terms.
type proof struct {
	diff *difference
	why  string
}

// check is the ladder for programs. Executions come before the expensive half of rung 3 (deepen):
// most wrong programs differ in the first draw, which costs less than any normal form.
func (c *checker) check() {
	switch {
	case c.before == Pair{} || (c.before.Vertex == nil) != (c.after.Vertex == nil) || (c.before.Pixel == nil) != (c.after.Pixel == nil):
		c.report.Why = "the sides have different stages"
		return
	case len(c.Uploads) == 0 && identical(c.before.Vertex, c.after.Vertex) && identical(c.before.Pixel, c.after.Pixel):
		c.pass(R1)
		c.report.Verdict = Proved
		return
	}
	if err := c.form(); err != nil {
		c.report.Why = "R0: " + err.Error()
		return
	}
	if err := c.frame(); err != nil {
		c.report.Why = "R0: " + err.Error()
		return
	}
	c.pass(R0)
	c.Options = c.seeded(append(c.before.spelt(), c.after.spelt()...)...)
	c.prove(c.lift())
	c.report.sides = c.sides
	if c.Cheap && !c.accepted() {
		c.report.Why = "not proved at once"
		return
	}
	run := c.execute()
	if c.open(run) {
		if c.deepen(); run.different {
			run = c.execute()
		}
	}
	if !run.different && c.unproved() {
		run = c.pursue()
	}
	c.blind = c.indexed
	c.conclude(run)
}

func (c *ladder) pass(rung Rung) { c.report.Rungs = append(c.report.Rungs, rung) }

// identical reports whether two programs consist of the same statements, comments
// aside that say nothing about the program's interface.
func identical(a, b *d3d9.Program) bool {
	if a == nil || b == nil || a.Model != b.Model {
		return a == b
	}
	// next skips comment blocks other than constant tables and preshaders, which the application
	// or the framework reads.
	next := func(p *d3d9.Program, i int) int {
		for i < len(p.Insts) && p.Insts[i].Op == d3d9.OpComment && !p.Insts[i].IsConstantTable() && !p.Insts[i].IsPreshader() {
			i++
		}
		return i
	}
	i, k := next(a, 0), next(b, 0)
	for i < len(a.Insts) && k < len(b.Insts) && a.Insts[i].Same(&b.Insts[k]) {
		i, k = next(a, i+1), next(b, k+1)
	}
	return i == len(a.Insts) && k == len(b.Insts)
}

// form is rung 0: it replaces programs of after that changed by what was read back, and
// compares the interfaces.
func (c *checker) form() (err error) {
	// Each stage of after is validated before anything is compared: interfaces are read from
	// declarations, and mean nothing where those are broken.
	stages := [][2]**d3d9.Program{{&c.before.Vertex, &c.after.Vertex}, {&c.before.Pixel, &c.after.Pixel}}
	var changed [2]bool
	for i, stage := range stages {
		if *stage[1] == nil || identical(*stage[0], *stage[1]) {
			continue
		}
		changed[i] = true
		if err := valid(*stage[0], *stage[1]); err != nil {
			return err
		}
	}
	// What reads back has the same statements, and so the same interface.
	if err := sameInterfaces(c.before, c.after, c.Uploads, c.Parameters); err != nil {
		return err
	}
	for i, stage := range stages {
		if changed[i] {
			if *stage[1], c.formed[i], err = readBack(*stage[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// prove runs rung 1 and, where terms differ, rung 3 with opaque functions, if the sides could be
// lifted. A lift that fails leaves the verdict to executions.
func (c *ladder) prove(lifted error) {
	if lifted != nil {
		c.terms.why, c.field.why = lifted.Error(), "lift: "+lifted.Error()
		return
	}
	c.spend(termsRung)
	d, err := sameTerms(c.sides[0], c.sides[1])
	switch {
	case err != nil:
		c.terms.why = err.Error()
	case d == nil:
		c.pass(R1)
		return
	}
	c.terms.diff = d
	// One key mostly suffices for maxEpsilon (see Field.Epsilon); more are for programs of a high degree
	// or with many functions.
	keys := 2
	if c.Effort == Full {
		keys = 8
	}
	c.keys = keys
	c.spend(fieldRung)
	c.vouch(sameFieldIn(c.sides[0], c.sides[1], false, c.Seed, keys))
}

// open reports whether rung 3 has more to say: opaque functions did not suffice, and no execution
// shows a difference for certain. A loose difference is one that a proof over the reals would
// explain as bad conditioning (see weigh).
func (c *ladder) open(run execution) bool {
	return c.terms.diff != nil && c.sides[0] != nil && c.sides[1] != nil && c.field.outcome != equal && (!run.different || run.loose)
}

// deepen is rung 3 with what is known of real numbers.
func (c *ladder) deepen() {
	c.spend(fieldRung)
	c.vouch(sameReals(c.sides[0], c.sides[1], c.field, c.Seed, c.keys))
}

// vouch takes in what rung 3 found. Where rung 1 could not judge, it does not know whether
// positions, fog and depth are the same terms, which no proof over the reals can replace.
func (c *ladder) vouch(found fieldReport) {
	c.field = found
	if c.field.outcome == equal && c.terms.why != "" { // nor may R3 vouch for positions
		c.field = fieldReport{why: "R1: " + c.terms.why}
	}
	if c.field.outcome == equal {
		c.pass(R3)
		c.report.Epsilon = c.field.eps
	}
}

// lift prepares both sides for symbolic execution. A vertex constant that an upload sets is
// named as the pixel constant whose value it repeats: Mirrored uploads on both sides, Uploads on
// after alone. Programs that both sides have are lifted once (see common).
func (c *checker) lift() error {
	for i, p := range []Pair{c.before, c.after} {
		uploads, formed := c.Mirrored, [2]*ir.Func{}
		if i == 1 {
			formed, c.formed = c.formed, formed // what is lifted is specialized
			uploads = slices.Concat(uploads, c.Uploads)
		}
		shared := [2]map[uint16]uint16{{}, {}} // by stage
		for _, u := range uploads {
			shared[u.Stage()][u.To] = u.From
		}
		var s side
		var err error
		first := c.sides[0]
		if i == 1 && len(c.Uploads) == 0 && c.framework == nil && common(first.vertex, p.Vertex) {
			s.vertex = first.vertex
		} else if p.Vertex != nil {
			if s.vertex, err = prepare(p.Vertex, formed[0], shared[d3d9.Vertex], promise(c.Constants).stage(d3d9.Vertex, shared[d3d9.Vertex])); err != nil {
				return err
			}
			s.vertex.fn.Budget = c.Budget
			s.vertex.host, s.vertex.after = c.hosts[i][d3d9.Vertex], i == 1
		}
		if i == 1 && len(shared[d3d9.Pixel]) == 0 && c.framework == nil && common(first.pixel, p.Pixel) {
			s.pixel = first.pixel
		} else if p.Pixel != nil {
			if s.pixel, err = prepare(p.Pixel, formed[1], shared[d3d9.Pixel], promise(c.Constants).stage(d3d9.Pixel, shared[d3d9.Pixel])); err != nil {
				return err
			}
			s.pixel.fn.Budget = c.Budget
			s.pixel.host, s.pixel.after = c.hosts[i][d3d9.Pixel], i == 1
		}
		c.sides[i] = observe(s)
	}
	return nil
}

// common reports whether old, as it is lifted, will do for p as well. Functions with loops are not
// shared: the walk keeps its assumptions about loops by instruction, those of either side by
// themselves.
func common(old *program, p *d3d9.Program) bool {
	loops := false
	if old != nil {
		old.fn.Walk(func(in *ir.Instr) { loops = loops || in.Op == ir.OpLoop })
	}
	return old != nil && !loops && identical(old.src, p)
}

// doubts notes that x has a difference that no perturbation of the inputs explains, at too few
// points for a verdict, or one that is of overflow: neither Refuted nor Tested is said then.
func (c *ladder) doubts(x *contrast) {
	if c.doubt != "" {
		return
	}
	why := "which roundings of the inputs do not explain"
	if x.overflows {
		why = "since numbers on the way are too large or too small"
	}
	p := &x.first
	c.doubt = fmt.Sprintf("R2: %s is %v where it was %v, %s", p.output, math.Float32frombits(p.after), math.Float32frombits(p.before), why)
}

// conclude decides the verdict from what the rungs found. An execution that differs outweighs
// every proof, because it rests on less: R1 and R3 share the lift and the op table, R2 only
// the reader. Where a proof accepts what an execution refutes, the report says that one of them is
// at fault.
func (c *ladder) conclude(run execution) {
	defer c.capped(run)
	r := &c.report
	proved := c.terms.diff == nil && c.terms.why == ""
	if run.different {
		r.Verdict, r.Counterexample, r.Why = Refuted, run.cex, run.why
		if d := c.terms.diff; proved || c.field.outcome == equal && !c.exactly() && !d.exact {
			r.Contradicted = true
			r.Why += " although the proof accepts them: a fault of the lift or of the interpreter"
		}
		return
	}
	if run.why == "" {
		c.pass(R2)
	}
	// tested is for versions that no proof covers: executions vouch for them if there were some and
	// if they are adequate, that is if blind has nothing to object.
	tested := func(why string) {
		r.Why = why
		blind := run.why
		if r.Draws > 0 && c.blind != nil {
			blind = c.blind()
		}
		if r.Draws > 0 && blind == "" {
			r.Verdict = Tested
		} else {
			r.Why += "; " + blind
		}
	}
	d := c.terms.diff
	switch {
	case proved:
		r.Verdict = Proved
	case c.doubt != "":
		r.Why = c.doubt
	case d != nil && c.Numerics == Terms:
		r.Why = fmt.Sprintf("R1: %s is not the same term", d)
	case d != nil && d.exact:
		r.Why = fmt.Sprintf("R1: %s has to stay the same term and does not", d)
	case c.field.outcome == different && c.field.values && c.Numerics == Approx && c.near():
		c.pass(R4)
		r.Verdict = Bounded
	case c.field.outcome == different && c.field.unsure != "":
		r.Why = fmt.Sprintf("R3: whether %s differs could not be told: %s", c.field.why, c.field.unsure)
	case c.field.outcome == different:
		r.Why = fmt.Sprintf("R3: %s differs, but no execution shows it", c.field.why)
	case c.field.outcome == equal && c.Numerics >= Real:
		r.Verdict = ProvedReal
	case c.field.outcome == equal:
		tested(fmt.Sprintf("R1: %s is not the same term", d))
	default:
		tested(c.field.why)
	}
}
