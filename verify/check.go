package verify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Pair is the vertex and pixel program of a draw; a lone program leaves the other nil. A check takes two
// pairs with the same stages, and reads them without changing them.
type Pair = draws.Pair

// Upload states that the application sets a constant of one stage to the value of a constant of the other
// stage.
type Upload = draws.Upload

// Constant is a component of a constant register with the bits that the host is known to set.
type Constant = draws.KnownConstant

// Options are the parameters of a check. The zero value requires the same terms, takes quick effort and
// assumes nothing about the application.
type Options struct {
	// Numerics is the weakest equality that is accepted. It decides which methods may support the verdict, and
	// whether executions are compared bit for bit (see exactly).
	Numerics ir.Numerics
	// Least is the weakest verdict that the caller can use, or 0. Work that supports weaker verdicts only is
	// left out where it cannot affect stronger ones.
	Least Verdict
	// Effort scales the budgets of all methods (see allowances), the number of keys of the field proof, and the number
	// and size of draws.
	Effort Effort
	// Uploads are further constants that the application sets for after. Mirrored uploads hold for before
	// too, such as parameters that an effect sets in both stages.
	Uploads, Mirrored []Upload
	// Parameters reports that the framework of an effect sets constants, by the names in tables, and runs
	// preshaders. Preshaders may then differ.
	Parameters bool
	// Constants are constants that the host is known to set for both versions. The versions are compared only
	// under that assumption. Draws and launches, including those of Cases, use these constants.
	Constants draws.KnownConstants
	// Cases are draws of pairs, and KernelCases launches of kernels, to execute besides generated ones.
	Cases       []*interp.Case
	KernelCases []*kernel.Case
	// Tile makes an invocation of after, a kernel, do the work of a tile of invocations of before. With the
	// zero Tile, both are launched alike.
	Tile ir.Tile
	// Box has the ranges of inputs, and Arithmetic names the kind of hardware (see package rounding), for
	// [Bound].
	Box        rounding.Box
	Arithmetic string
	// Brief shortens the search for differences that proofs have found, if it matters little whether an
	// unproved version is refuted.
	Brief bool
	// Seed varies the random choices, which otherwise follow from the programs and the options. The report is
	// a function of these.
	Seed uint64
	// Cheap limits the check to the first proofs if these fail, and checks of kernels to proofs. Nothing is
	// executed then, and the verdict is Unknown.
	Cheap bool
	// Unconfirmed, with Cheap, runs all proofs and no execution. The search for a rewrite that is not proved
	// compares versions that are not used.
	Unconfirmed bool
	// Visible lets stages of SPIR-V modules use descriptors and push constants that only the other stage used before.
	// The application has to make these visible to the stage, see [Report.Further].
	Visible bool
	// Budget limits the check and may set a deadline. Within it, or without one, Effort limits each method.
	Budget *budget.Budget
	// Shared is the common state of checks of several versions of one input; nil if this is the only one.
	Shared *Shared
}

// Report is the outcome of a check.
type Report struct {
	// Verdict is the strongest claim that the methods support; Unknown if the check itself failed.
	Verdict Verdict
	// Methods are the methods that found the versions equal; for Refuted, the method that found a
	// difference.
	Methods []Method
	// Epsilon bounds the probability that ProvedReal is wrong, over the random points and keys of the field proof and
	// not over programs. It is 0 unless the field proof found the versions equal.
	Epsilon float64
	// Unstable reports that both versions are equal over the reals, but that roundings change after much more
	// than before. The verdict is Unknown then, and Why names the value.
	Unstable bool
	// UnstableAt is the statement of after that computes the value; not valid if unknown.
	UnstableAt asm.Pos
	// MaxULP is the largest distance of an output in the compared executions, in ULP.
	MaxULP         uint32
	Counterexample *Counterexample
	// Contradicted reports that a proof accepts the version that Counterexample refutes: a fault of the lift,
	// of the proof or of the interpreter.
	Contradicted bool
	// Why is the reason that prevented a better verdict.
	Why string
	// Wavefront is the number of invocations that execute each statement together, on which the order of
	// accesses to local memory relies in both versions. It is 0 or 1 if nothing relies on it.
	Wavefront int
	// Further lists the descriptors and push constants that a stage of after needs, and did not use before.
	Further []string
	// Unrun reports that before cannot be executed, so that no other after would do better.
	Unrun bool

	draws int // compared executions of both versions

	boundaries func() []Boundary // see [Report.Boundaries]; nil without a proof over the reals

	// sides are both lifted versions, if they are of Direct3D 9, or nil where a version cannot be lifted.
	// [Report.Bound] analyses them.
	sides [2]*walk.Observation
}

// Counterexample is an input on which the versions differ. It has been executed twice, from freshly compiled
// programs, with the same outcome.
type Counterexample struct {
	Where, Output string
	Before, After float32
	// Whole describes a difference at every point, or of integers, instead of Output and its values.
	Whole string
	// Bits are the same values as words, because results of kernels need not be floats.
	Bits [2]uint32
	// First are the first statements of the two versions that compute a value which the other version never
	// has, for this point. They are not valid without such a statement, or if it is unknown.
	First [2]asm.Pos
	// Input is the draw or launch, in the form of a case file, or the inputs and
	// constants of the invocation.
	Input string
	// Case is the input as a case file: a draw, a launch, or a quad of invocations of a lone program. It is
	// nil if no case file can express the input, as for the vertex program of a pair.
	Case []byte
}

// Check decides whether after may replace before. It runs the methods in the order of cost: the form check, the
// proof by terms, the field proof with opaque functions, execution. Only if these leave the question open, it
// runs the field proof with the laws of real numbers and executions on directed inputs. The result is a function
// of the arguments, unless [Options.Budget] has a deadline.
func Check(before, after Pair, o Options) Report {
	c := &checker{comparison: comparison{Options: o}, before: before, after: after}
	return c.within(c.check)
}

// within runs a check and returns its report. A check that exceeds its budget unwinds by a panic that
// [budget.Catch] turns into an error. The verdict is Unknown then, whichever methods have been passed.
func (c *comparison) within(check func()) Report {
	err := func() (err error) {
		defer budget.Catch(&err)
		check()
		return nil
	}()
	if err != nil {
		return Report{Methods: c.report.Methods, Why: err.Error()}
	}
	return c.report
}

// checker checks programs of Direct3D 9. The form check replaces after by the program that was read back, so that no
// other method sees the program in memory.
type checker struct {
	comparison
	before, after Pair
	// base is the first generated trial; directed trials change its inputs.
	base trial.Trial

	// framework is set if [Options.Parameters] is. Constants are then compared as the expressions of
	// parameters that preshaders compute for them.
	framework *iface.Layout
	hosts     [2]iface.Hosts // of both versions, with framework

	// formed are the programs of after, vertex first, as lifted by the form check. lift takes them over, because it
	// specializes them to known constants.
	formed [2]*ir.Func
	// compiled holds both versions for the interpreter. Each run takes a copy (see compileOnce).
	compiled [2]*trial.Version
}

// comparison is the common part of all checks: the state that the methods leave for later methods and for the
// verdict.
type comparison struct {
	Options
	report Report

	// sides are the lifted versions before and after.
	sides [2]*walk.Observation       // nil where a program cannot be lifted
	parts [numMethods]*budget.Budget // of the methods
	terms termsReport                // the proof by terms
	field proof.Report               // the field proof
	// keys is the maximum number of keys under which the field proof evaluates both versions. Each key multiplies the
	// error probability by the probability of one evaluation.
	keys int
	// total sums up the comparisons of all executions.
	total trial.Contrast
	doubt string        // a difference that execution measured and cannot explain
	blind func() string // describes a gap in the executions, or returns ""; may be nil
	// postponed compares the versions for a few trip counts of their loops (see proof.SampledEqual), or is nil.
	postponed func() proof.Report
	// packed: the kernel fetches from packed resources, and its text scales whole coordinates by powers of two
	// and back.
	packed bool
	// copies is the number of invocations in the tile, if before is a reference for a tile; else 0.
	copies int
}

// termsReport is the outcome of the proof by terms: a difference, a reason why it could not judge, or neither if
// both versions are the same terms.
type termsReport struct {
	diff *walk.Difference
	why  string
}

// check compares programs. Executions come before the expensive half of the field proof (deepen): most
// wrong programs differ in the first draw, which costs less than any normal form.
func (c *checker) check() {
	switch {
	case c.before == Pair{} || (c.before.Vertex == nil) != (c.after.Vertex == nil) ||
		(c.before.Pixel == nil) != (c.after.Pixel == nil):
		c.report.Why = "the versions have different stages"
		return
	case len(c.Uploads) == 0 && iface.Identical(c.before.Vertex, c.after.Vertex) &&
		iface.Identical(c.before.Pixel, c.after.Pixel):
		c.recordMethod(ByTerms)
		c.report.Verdict = Proved
		return
	}
	if err := c.compareInterfaces(); err != nil {
		c.report.Why = "form: " + err.Error()
		return
	}
	if err := c.frame(); err != nil {
		c.report.Why = "form: " + err.Error()
		return
	}
	c.recordMethod(ByForm)
	c.Options = c.seeded(append(speltPrograms(c.before), speltPrograms(c.after)...)...)
	c.prove(c.liftPrograms())
	c.report.sides = c.sides
	if c.remainsOpen(execution{}) {
		c.postponed = func() (found proof.Report) {
			c.withForms(func() { found = proof.SampleLoops(c.sides[0], c.sides[1], c.field, c.fieldSettings()) })
			return found
		}
	}
	// The checks of one input bound the normal forms, and only a proof lets a version be used.
	proofsFirst := c.Unconfirmed || c.Shared != nil
	if proofsFirst && !(c.Cheap && !c.Unconfirmed) && c.remainsOpen(execution{}) {
		c.deepen()
	}
	if c.Unconfirmed {
		c.conclude(execution{why: "nothing was executed"})
		return
	}
	if c.Cheap && !c.accepted() {
		c.report.Why = cmp.Or(c.field.Unstable, "no quick proof found")
		return
	}
	run := c.execute()
	if !proofsFirst && c.remainsOpen(run) {
		if c.deepen(); run.different {
			run = c.execute()
		}
	}
	if !run.different && !c.accepted() && c.usable() {
		c.sampledSame()
	}
	if !run.different && c.unproved() {
		run = c.pursue()
	}
	c.blind = func() string { return trial.IndexedWrites(c.before.Vertex, c.after.Vertex) }
	c.conclude(run)
}

func (c *comparison) recordMethod(method Method) { c.report.Methods = append(c.report.Methods, method) }

// compareInterfaces runs the form check: it replaces changed programs of after by those read back, and compares
// the interfaces.
func (c *checker) compareInterfaces() (err error) {
	// Validate each stage of after before anything is compared. Interfaces come from declarations, and mean
	// nothing if those are broken.
	stages := [][2]**d3d9.Program{{&c.before.Vertex, &c.after.Vertex}, {&c.before.Pixel, &c.after.Pixel}}
	var changed [2]bool
	for i, stage := range stages {
		if *stage[1] == nil || iface.Identical(*stage[0], *stage[1]) {
			continue
		}
		changed[i] = true
		if err := iface.Valid(*stage[0], *stage[1]); err != nil {
			return err
		}
	}
	// The program read back has the same statements, and so the same interface.
	if err := iface.Compare(c.before, c.after, c.Uploads, c.Parameters); err != nil {
		return err
	}
	for i, stage := range stages {
		if changed[i] {
			if *stage[1], c.formed[i], err = iface.ReadBack(*stage[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// frame prepares the comparison of constants as expressions of parameters. It does so if the framework of an
// effect sets them and a preshader has changed.
func (c *checker) frame() (err error) {
	if !c.Parameters || !iface.PreshadersChanged(c.before, c.after) {
		return nil
	}
	if len(c.Constants) > 0 {
		return errors.New("promised constants are not supported in preshaders")
	}
	c.framework, c.hosts, err = iface.FindSources(c.before, c.after, c.Mirrored, c.Uploads)
	return err
}

// prove runs the proof by terms and, where terms differ, the field proof with opaque functions. If the lift
// failed, executions decide the verdict.
func (c *comparison) prove(lifted error) {
	if lifted != nil {
		c.terms.why, c.field.Why = lifted.Error(), "lift: "+lifted.Error()
		return
	}
	c.spend(termsMethod)
	d, err := proof.Terms(c.sides[0], c.sides[1])
	switch {
	case err != nil:
		c.terms.why = err.Error()
	case d == nil:
		c.recordMethod(ByTerms)
		return
	}
	c.terms.diff = d
	// One key is mostly enough for proof.MaxEpsilon (see Field.Epsilon). Programs of a high degree, or with many
	// functions, need more.
	keys := 2
	if c.Effort == Full {
		keys = 8
	}
	c.keys = keys
	c.spend(fieldMethod)
	c.vouch(proof.Field(c.sides[0], c.sides[1], c.fieldSettings()))
}

// remainsOpen reports whether the field proof may find more: opaque functions did not suffice, and no execution shows a
// difference for certain. A proof over the reals would explain a loose difference as bad conditioning (see
// weigh).
func (c *comparison) remainsOpen(run execution) bool {
	return c.terms.diff != nil && c.sides[0] != nil && c.sides[1] != nil && c.field.Outcome != proof.Equal &&
		!c.field.Hangs && (!run.different || run.loose)
}

// fieldSettings returns the settings of the field proof with opaque functions.
func (c *comparison) fieldSettings() proof.Search { return proof.Search{Seed: c.Seed, Keys: c.keys} }

// usable reports whether the verdict can still be as strong as the caller needs. Without a sufficient proof it
// is Tested at most, or Bounded where the class admits bounded differences.
func (c *comparison) usable() bool {
	return c.accepted() || c.Least <= Tested || c.Numerics == Approx
}

// sampledSame reports whether the versions are equal where loops run for a few trips. It runs the postponed
// comparison on its first call.
func (c *comparison) sampledSame() bool {
	if sample := c.postponed; sample != nil {
		c.postponed = nil
		if c.field.Outcome != proof.Equal && !c.field.Hangs {
			c.field = sample()
		}
	}
	return c.field.Outcome == proof.SampledEqual
}

// deepen runs the field proof with the laws of real numbers.
func (c *comparison) deepen() {
	var found proof.Report
	c.withForms(func() { found = proof.Reals(c.sides[0], c.sides[1], c.field, c.fieldSettings()) })
	c.vouch(found)
}

// vouch records the result of the field proof. If the proof by terms could not judge, it is unknown whether
// positions, fog and depth are the same terms. No proof over the reals can replace that.
func (c *comparison) vouch(found proof.Report) {
	c.field = found
	if c.field.Outcome == proof.Equal && c.terms.why != "" { // the field proof alone may not vouch for positions
		c.field = proof.Report{Why: "terms: " + c.terms.why}
	}
	if c.field.Outcome == proof.Equal {
		if d := proof.Endings(c.sides[0], c.sides[1]); d != nil {
			c.field = proof.Report{Outcome: proof.Different, Inducted: true, Hangs: true, Why: d.What}
		}
	}
	if c.field.Outcome != proof.Equal {
		return
	}
	if c.Numerics >= Real && !c.terms.diff.Exact {
		c.spend(stabilityMethod)
		c.field.Unstable, c.report.UnstableAt = proof.Unstable(c.sides, c.field.Way, c.Seed, c.packed)
	}
	if c.report.Unstable = c.field.Unstable != ""; !c.report.Unstable {
		c.recordMethod(ByField)
		c.report.Epsilon = c.field.Epsilon
		c.report.boundaries = c.movedBoundaries
	}
}

// liftPrograms prepares both versions for symbolic execution. A vertex constant that an upload sets gets the name of
// the pixel constant that it repeats: Mirrored uploads in both versions, Uploads in after alone. Common
// programs are lifted once (see common).
func (c *checker) liftPrograms() error {
	for i, p := range []Pair{c.before, c.after} {
		uploads, formed := c.Mirrored, [2]*ir.Func{}
		if i == 1 {
			formed, c.formed = c.formed, formed // lifted functions are specialized
			uploads = slices.Concat(uploads, c.Uploads)
		}
		shared := [2]map[uint16]uint16{{}, {}} // by stage
		for _, u := range uploads {
			shared[u.Stage()][u.To] = u.From
		}
		var s walk.Side
		for stage, source := range []*d3d9.Program{d3d9.Vertex: p.Vertex, d3d9.Pixel: p.Pixel} {
			if source == nil {
				continue
			}
			lifted, err := c.liftProgram(i, source, formed[stage], shared[stage])
			if err != nil {
				return err
			}
			*[]*walk.Stage{d3d9.Vertex: &s.Vertex, d3d9.Pixel: &s.Pixel}[stage] = lifted
		}
		c.sides[i] = walk.Observe(s)
	}
	return nil
}

// liftProgram prepares a program of side i, which shared constants of the other stage reach.
func (c *checker) liftProgram(i int, source *d3d9.Program, formed *ir.Func, shared map[uint16]uint16) (*walk.Program,
	error) {
	stage := source.Model.Stage
	same := len(shared) == 0
	if stage == d3d9.Vertex {
		same = len(c.Uploads) == 0
	}
	if i == 1 && same && c.framework == nil {
		if first := c.sides[0].Programs()[stage]; common(first, source) {
			return first, nil
		}
	}
	p, err := walk.Lift(source, formed, shared, c.Constants.ForStage(stage, shared))
	if err != nil {
		return nil, err
	}
	p.Fn.Budget = c.Budget
	p.Host, p.After = c.hosts[i][stage], i == 1
	return p, nil
}

// common reports whether the lifted program old can serve as p too. Functions with loops are not shared,
// because the walk keeps assumptions about loops by instruction, separately for each version.
func common(old *walk.Program, p *d3d9.Program) bool {
	loops := false
	if old != nil {
		old.Fn.Walk(func(in *ir.Instr) { loops = loops || in.Op == ir.OpLoop })
	}
	return old != nil && !loops && iface.Identical(old.Source, p)
}

// doubts records an unexplained difference in x that does not decide the verdict, because it has too few
// points or comes from overflow. The verdict is then neither Refuted nor Tested.
func (c *comparison) doubts(x *trial.Contrast) {
	if c.doubt != "" {
		return
	}
	why := "which roundings of the inputs do not explain"
	if x.Overflows {
		why = "since numbers on the way are too large or too small"
	}
	p := &x.First
	c.doubt = fmt.Sprintf("execution: %s is %v, not %v as before, %s", p.Output, math.Float32frombits(p.After),
		math.Float32frombits(p.Before), why)
}

// conclude decides the verdict from the results of the methods. An execution that differs outweighs every proof,
// because it depends on less: the proofs by terms and field share the lift and the op table, execution only the
// reader. If a proof accepts a version that an execution refutes, the report states that one of them is at
// fault.
func (c *comparison) conclude(run execution) {
	defer c.capped(run)
	r := &c.report
	proved := c.terms.diff == nil && c.terms.why == ""
	if run.different {
		r.Verdict, r.Counterexample, r.Why, r.Methods = Refuted, run.cex, run.why, []Method{ByExecution}
		if d := c.terms.diff; proved || c.field.Outcome == proof.Equal && c.field.Unstable == "" && !c.exactly() && !d.Exact {
			r.Contradicted = true
			r.Why += " although the proof accepts them; this is a fault of the lift or of the interpreter"
		}
		return
	}
	if run.why == "" {
		c.recordMethod(ByExecution)
	}
	// tested is for versions that no proof covers. Executions support them if there were some and if they are
	// adequate: blind reports no gap.
	tested := func(why string) {
		r.Why = why
		blind := run.why
		if r.draws > 0 && c.blind != nil {
			blind = c.blind()
		}
		if r.draws > 0 && blind == "" {
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
		r.Why = fmt.Sprintf("terms: the terms of %s differ", d)
	case d != nil && d.Exact:
		r.Why = fmt.Sprintf("terms: the terms of %s must be equal, but differ", d)
	case c.field.Outcome == proof.Different && c.field.Values && c.Numerics == Approx && c.boundsDifference():
		c.recordMethod(ByRounding)
		r.Verdict = Bounded
	case c.field.Hangs:
		r.Why = "field: " + c.field.Why + " must keep its bits"
	case c.field.Outcome == proof.Different && c.field.Unsure != "":
		r.Why = fmt.Sprintf("field: could not decide whether %s differs: %s", c.field.Why, c.field.Unsure)
	case c.field.Outcome == proof.Different && c.Unconfirmed:
		r.Why = fmt.Sprintf("field: could not prove %s equal", c.field.Why)
	case c.field.Outcome == proof.Different:
		r.Why = fmt.Sprintf("field: could not prove %s equal; no execution shows a difference", c.field.Why)
	case c.field.Unstable != "" && c.Numerics == Approx && c.boundsDifference():
		c.recordMethod(ByRounding)
		r.Verdict = Bounded
	case c.field.Unstable != "":
		r.Why = c.field.Unstable
	case c.field.Outcome == proof.Equal && c.Numerics >= Real:
		r.Verdict = ProvedReal
	case c.field.Outcome == proof.Equal:
		tested(fmt.Sprintf("terms: the terms of %s differ", d))
	default:
		tested(c.field.Why)
	}
	if !r.Verdict.OK() || r.Verdict == Tested {
		r.Why = cmp.Or(c.exactReason(), r.Why)
	}
}
