package verify

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/alike"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// CheckKernel decides whether after may replace before.
//
// Every output, the final contents of memories that outlive the kernel, and the set of dropped invocations
// have to be the same. The depth has to stay the same term.
//
// With [Options.Tile], CheckKernel compares an invocation of after with all invocations of a tile. It has
// their outputs one after the other, and leaves memory as they do in this order. It fetches vectors from
// packed resources.
func CheckKernel(before, after *il.Kernel, o Options) Report {
	if !o.Tile.Same() || alike.Owns(before, after) {
		return checkLaunched(before, after, o)
	}
	c := &kernelChecker{comparison: comparison{Options: o}, before: before, after: after}
	return c.within(c.check)
}

// checkLaunched checks kernels as [CheckKernel] does, for an after that the host launches differently. The
// comparison judges rewritten texts, which it launches alike. If it accepts them, executions compare each text with
// its original.
func checkLaunched(before, after *il.Kernel, o Options) Report {
	if before == nil || after == nil {
		return Report{Why: "the sides are different kinds of kernels"}
	}
	texts, err := alike.Rewrite(before, after, o.Tile, o.Constants.ForKernel())
	if err != nil {
		return Report{Why: "form: " + err.Error()}
	}
	c := &kernelChecker{comparison: comparison{Options: o, packed: o.Tile.Texels != 0, copies: o.Tile.Count()},
		before: texts.Before, after: texts.After, restrict: o.Tile.Restrict}
	if o.Tile.Group != 0 {
		if c.wave, err = ordersGroup(before, o.Tile, o.Constants.ForKernel()); err != nil {
			return Report{Why: "form: " + err.Error()}
		}
		c.across = 2 * alike.GroupSize(texts.Before)
	}
	c.Tile = ir.Tile{}
	c.KernelCases = nil
	for _, l := range o.KernelCases {
		c.KernelCases = append(c.KernelCases, texts.Launch(l))
	}
	r := c.within(c.check)
	if !r.Verdict.OK() {
		return r
	}
	runs := &alike.Runs{Cases: c.KernelCases, Launch: c.launch, Random: 2, Constants: c.Constants, Seed: c.Seed,
		Steps: launchSteps, Budget: c.runsBudget()}
	if c.Effort == Full {
		runs.Random = 8
	}
	if why := texts.Differs(runs); why != "" {
		return Report{Methods: r.Methods, Why: why}
	}
	return r
}

// kernelChecker checks kernels of AMD IL. The form check replaces after by the kernel that was read back.
type kernelChecker struct {
	comparison
	before, after *il.Kernel
	// restrict: no memory that a version writes is bound to a view that both only read.
	restrict bool
	staged   bool // only after has local memory, which must hold words of memory
	wave     int  // wavefront that orders the accesses of before to local memory, if before is a reference of groups
	groups   bool // the proofs execute all invocations of a group
	// unordered is the reason why they cannot.
	unordered error
	across    int // width of the launches, if not 0

	// made caches launches by number. Directed launches and samples start from executed ones.
	made map[uint64]*kernel.Case
	// loosely ignores differences that depend on registers which before does not write.
	loosely bool
	// seen records the statements of both versions that executions reached, by number.
	seen [2][]bool
	// shown are the compared launches.
	shown []*trial.ShownLaunch
}

// check compares kernels. If the field proof cannot match the loops, it compares them for some trip counts
// (sampleTrips) before the verdict depends on executions.
func (c *kernelChecker) check() {
	defer c.explainOrder()
	switch {
	case c.before == nil || c.after == nil || !iface.SameHeader(c.before, c.after):
		c.report.Why = "the versions are different kinds of kernels"
		return
	case iface.SameStatements(c.before, c.after):
		c.recordMethod(ByTerms)
		c.report.Verdict = Proved
		return
	}
	again, err := iface.CompareKernels(c.before, c.after)
	if err != nil {
		c.report.Why = "form: " + err.Error()
		return
	}
	c.after = again
	c.recordMethod(ByForm)
	if c.staged = iface.StagesLocal(c.before, c.after); c.staged {
		if err := c.liftKernels(); err != nil {
			c.report.Why = "form: local memory of after: " + err.Error()
			return
		}
	}
	c.Options = c.seeded(speltKernels(c.before, c.after)...)
	c.proveKernels()
	if c.Cheap {
		if c.remainsOpen(execution{}) {
			c.deepen()
		}
		if !c.accepted() {
			c.report.Why = cmp.Or(c.field.Unstable, c.field.Why, c.terms.why, "no quick proof found")
			return
		}
		if c.Unconfirmed {
			c.conclude(execution{why: "nothing was executed"})
			return
		}
	}
	run := c.execute()
	if c.remainsOpen(run) {
		c.deepen()
		if c.field.Outcome == proof.Different && c.field.Inducted && !c.field.Hangs {
			if c.postponed = c.sampleTrips; c.usable() {
				c.sampledSame()
			}
		}
		if run.different {
			run = c.execute()
		}
	}
	if !run.different && c.unproved() {
		run = c.pursue()
	}
	c.blind = c.blindness
	c.conclude(run)
}

// liftKernels prepares both versions for symbolic execution.
func (c *kernelChecker) liftKernels() error {
	var lifted [2]*walk.Kernel
	for i, k := range []*il.Kernel{c.before, c.after} {
		p, err := walk.LiftKernel(k, c.Constants.ForKernel())
		if err != nil {
			return err
		}
		lifted[i] = p
	}
	if c.restrict {
		walk.Restrict(lifted[0], lifted[1])
	}
	if c.staged {
		if err := lifted[1].Unstage(); err != nil {
			return err
		}
	}
	if c.groups {
		if err := c.executeGroups(lifted); err != nil {
			return err
		}
	}
	for i, p := range lifted {
		p.Fn.Budget = c.Budget
		c.sides[i] = walk.Observe(walk.Side{Kernel: p})
		c.sides[i].First, c.sides[i].Copies = i == 0, c.copies
	}
	return nil
}

// If loops of the two versions cannot be matched, they are compared for some trip counts. For example, one
// loop may make several trips at a time. The constants and inputs that decide trip counts get values, so that
// all loops run trip by trip. Everything else stays symbolic. This covers all inputs but only some trip
// counts.

// Limits of sampling. At least minSamples have to be decided. Sampling stops after maxMissed samples whose
// loops still do not match, or after maxSampleSteps executed instructions.
const (
	minSamples     = 3
	maxMissed      = 2
	maxSampled     = 40
	maxSampleSteps = 1 << 18
)

// sampleTrips compares the versions for some trip counts. A difference is final if all loops of the sample
// are unrolled. Equality in enough samples is proof.SampledEqual, which supports Tested at best.
func (c *kernelChecker) sampleTrips() proof.Report {
	defer func() { c.sides[0].Fixed, c.sides[1].Fixed = nil, nil }()
	regs := walk.Deciders(c.sides[:])
	same, missed, steps := 0, 0, 0
	for s := 0; s < maxSampled && missed < maxMissed && steps < maxSampleSteps; s++ {
		fixed := c.decisions(regs, s)
		c.sides[0].Fixed, c.sides[1].Fixed = fixed, fixed
		r := proof.Sample(c.sides, c.Seed)
		steps += r.Steps
		switch {
		case r.Outcome == proof.Equal:
			same++
		case r.Outcome == proof.Different && !r.Inducted:
			return r
		default:
			missed++
		}
	}
	if same < minSamples {
		return proof.Report{Why: "the loops do not match"}
	}
	return proof.Report{Outcome: proof.SampledEqual, Why: "loops were run for a few trips only"}
}

// decisions returns values for the s-th sample. The first sample has the constants of a launch, which fit the
// kernel. Later samples replace small numbers by others of the same type.
func (c *kernelChecker) decisions(regs []ir.Reg, s int) map[ir.Reg]uint32 {
	r := symbolic.Stream(symbolic.Mix(c.Seed + uint64(s)))
	launch := c.launch(0)
	if s < len(c.KernelCases) {
		launch = c.KernelCases[s]
	}
	fixed := map[ir.Reg]uint32{}
	for _, reg := range regs {
		small := uint32(s - 1) // one count after the other
		if s%2 == 0 && len(regs) > 1 {
			small = uint32(r.Next() % maxSampled)
		}
		fixed[reg] = small
		switch il.File(reg.File) {
		case il.ConstBuf:
			buffer, i := amdil.Constant(reg)
			if buffer >= kernel.Banks || i >= len(launch.Constants[buffer]) {
				continue
			}
			w := launch.Constants[buffer][i][reg.Comp]
			isFloat := w >= 1<<16
			switch {
			case s < max(1, len(c.KernelCases)), isFloat && !(math.Abs(symbolic.Double(w)) < 1<<16):
				fixed[reg] = w
			case isFloat:
				fixed[reg] = math.Float32bits(float32(small))
			}
		case il.WinCoord:
			fixed[reg] = math.Float32bits(float32(small) + 0.5)
		case il.Input:
			fixed[reg] = math.Float32bits(float32(small) / 4)
		}
	}
	return fixed
}

// Decided executes two kernels on launches and describes a difference between their results. The second
// kernel is the first with operands of some branches replaced by their values in these launches. Every bit
// has to be the same, since all other computations agree. Decided returns "" if nothing differs and some
// launch was executed. It skips launches that exceed their steps.
func Decided(before, after *il.Kernel, launches []*kernel.Case, o Options) string {
	var programs [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		p, err := kernel.Compile(k)
		if err != nil {
			return "execution: " + err.Error()
		}
		programs[i] = p
	}
	why := "execution: no launch could be executed"
	for _, l := range launches {
		l = o.Constants.InLaunch(l)
		var r [2]*kernel.Result
		var err error
		for i, p := range programs {
			if r[i], err = p.Run(l, kernel.Options{Steps: launchSteps, Budget: o.Budget}); err != nil {
				break
			}
		}
		if err != nil {
			continue
		}
		if what := trial.Differing(r[0], r[1]); what != "" {
			return fmt.Sprintf("execution: %s differs", what)
		}
		why = ""
	}
	return why
}

// Results that depend on unwritten registers are arbitrary in before. If the versions differ, before is
// therefore executed again with other words in these registers, and outputs that change are not compared. The
// other outputs must be the same in after, whatever its own unwritten registers hold.

// fillings is the number of repeated executions of before. A comparison that falls either way equally often
// looks fixed one time in 2^12.
const fillings = 12

// unwritten returns a seed for the words in registers that the version reads unwritten, or 0 if it reads
// none. The low bits choose the kind of words.
func (c *kernelChecker) unwritten(side int) uint64 {
	if o := c.sides[side]; o == nil || !o.HasUndefined() {
		return 0
	}
	return symbolic.Mix(c.Seed) | 3
}

// nearly returns the step limit of an execution that differs only in the initial contents of registers.
// Counters may be among them.
func nearly(steps int) int { return 4*steps + 1<<12 }

// filled executes a version. Registers that after reads unwritten hold other words than zero. If it then runs
// for long with every kind of words, they hold zeros: a counter may begin far below its end with one kind,
// but near it with others.
func (c *kernelChecker) filled(side int, p *kernel.Program, l *kernel.Case, o kernel.Options,
	near int) (*kernel.Result, error) {
	if seed := c.unwritten(1); side == 1 && seed != 0 {
		other := o
		other.Steps = min(o.Steps, near)
		for kind := seed & 3; kind > 0; kind-- {
			other.Unwritten = seed&^3 | kind
			if res, err := p.Run(l, other); err == nil || !stopped(err) {
				return res, err
			}
		}
	}
	return p.Run(l, o)
}

// loosen executes before with other words in registers, and marks the changes in its sample s.
func (c *kernelChecker) loosen(p *kernel.Program, l *kernel.Case, s *trial.Sample, o kernel.Options) error {
	for n := range uint64(fillings) {
		o.Unwritten = symbolic.Mix(c.unwritten(0)+n)&^3 | n%3 + 1
		res, err := p.Run(l, o)
		switch {
		case err == nil:
			s.Loosen(trial.OfLaunch(res, l))
		case stopped(err):
			s.Release()
			return nil
		default:
			return err
		}
	}
	return nil
}
