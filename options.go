package shaderlift

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/numerics"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Options say how to optimize and verify. The zero value is the command's default.
type Options struct {
	// Pipeline is what to run: passes in the syntax of package passes, or one of the
	// levels O0 to O3. Empty is the default level, O2.
	Pipeline string
	// Keep writes what the passes make also where it costs more than the input. It is
	// verified like any other result.
	Keep bool
	// Numerics is what has to stay the same: terms, bits, real or approx. Empty is real.
	Numerics string
	// HostConstants says whether the application also sets the pixel constants in the
	// vertex stage; the result lists those that it must set.
	HostConstants HostConstants
	// Effort is what verification may spend.
	Effort verify.Effort
	// Require is the least verdict that Optimize writes and Verify accepts, from Tested on.
	// The zero value is Bounded.
	Require verify.Verdict
	// Seed varies what is drawn at random: the inputs that Verify, Optimize and Run make
	// up, and the keys of proofs. Reports depend on it and on nothing else that is random.
	Seed uint64
	// Fuel is how many rewrites may happen, nil for any number.
	Fuel *int
	// TimeLimit is how long an input may take, 0 for any time. Rewriting stops half way, so
	// that what there is then can be priced and verified; what cannot be in time is given
	// up, and the input comes back. Where a limit cuts off depends on the machine, as Fuel
	// does not.
	TimeLimit time.Duration
	// Uploads tells Verify which constants the application sets to those of the other stage
	// for the second version.
	Uploads []Upload
	// Constants are what the application promises to set constant registers to. Optimize
	// uses that, and what it returns may replace the input only while the promise is kept;
	// Verify compares under it. Draws and launches are executed with these values, whatever
	// a case says.
	Constants []Constant
	// Case is a draw on which Verify and Optimize compare the versions of a pair too.
	Case *interp.Case
	// KernelCase is a launch on which Verify and Optimize compare the versions of a kernel
	// too, and whose time they and Stats predict; they make up one if it is nil. What it
	// sets constants to is no promise.
	KernelCase *interpreter.Case
	// Domain is how many elements across and down the launch has whose time is
	// predicted, where that is not what the case says.
	Domain [2]int
	// Target is what to count costs for. For Direct3D 9 it is a list, with commas, of d3d9,
	// which counts slots, and GPUs that package machine/draw has prices of, or portable, which
	// stands for all of those: then no pixel may take longer on any, whatever its textures
	// and its target are, and on one it takes less, or slots do. For kernels it is a GPU that
	// package machine models. Empty is DefaultTarget, with Fit SlotTarget, and for kernels
	// DefaultKernelTarget; what only counts costs then counts slots.
	Target string
	// Fit is a profile that the programs of Direct3D 9 have to fit, as d3d9.ParseProfile reads
	// it, such as ps_2_0. They get what that takes of the rewrites of the level, the fewest
	// first; a program of version 3 takes the other one of its pair along. Empty is that which
	// they are of.
	Fit string
	// Coarsen has one invocation of a kernel do the work of several, as package tile reads it,
	// such as x=2,y=2: what the level does begins with that. For Verify it is what an invocation
	// of the second version is to do. See [Result.Coarsened].
	Coarsen string
	// Assume is what the application promises of the state of draws. What Optimize returns may
	// replace the input only where that holds, and Verify compares under it.
	Assume []Assumption
	// Partner is the vertex program that the application draws with where an input is a pixel
	// program alone, or an effect that has no vertex program: its name, spritebatch, or what
	// ParsePartner makes of a file. It is not changed: what Optimize returns may replace the
	// input behind it, and Verify compares it there.
	Partner string
	// Grow lets effects have more programs, where some pair that is drawn is cheaper with its
	// own: in arrays, if tables say which of them an index chooses, and in passes that draw with
	// that of a parameter. Arrays get longer, and tables other values; Verify takes that for no
	// difference, and compares what every index and pass draws with.
	Grow bool
	// Remarks are kinds of remarks to give all there are of: every rewrite that was made, every
	// instruction that stays where it is, and what limits the programs. Else there are those
	// that passes make by themselves. Gains has what each rewrite saves in them too, which is
	// found by running the pipeline as often as there are rewrites.
	Remarks []RemarkKind
	Gains   bool
	// History has what each rewrite made of the programs in Result.History, found in the same way.
	History bool
	// PixelsPerVertex weighs vertex against pixel programs on GPUs; 0 is 256.
	PixelsPerVertex float64

	// Passes are passes that Pipeline may name besides those of package suite. They are priced
	// and verified as all are, and named where they miscompile.
	Passes []*passes.Pass
	// Observe, if set, is told what each stage of a pipeline did, in order, each time that
	// Optimize has run one over an input: it does so again without what cannot be verified.
	// It is called by the goroutine that Optimize was called in.
	Observe func(in Input, stage passes.Stat) `json:"-"`
	// AfterStage, if set, sees the programs after every stage, each time that a pipeline is run to
	// be written, under the name of the stage in it; changed tells whether it changed them. The
	// unit is not to be kept.
	AfterStage func(in Input, stage string, changed bool, u *passes.Unit) `json:"-"`

	// Times, if set, keeps what simulations of launches of kernels came to: what runs under several
	// options have in common, the input to begin with, is simulated once. It changes no result. If nil,
	// each run keeps its own.
	Times *sim.Memo `json:"-"`

	// Box says where inputs and constants lie, for the bound of what rounding can do: ranges as
	// rounding.ParseRange reads them. What it leaves open is taken from constant tables and
	// usual vertex formats, or else is -1..1.
	Box rounding.Box
	// Arithmetic is the kind of hardware that the bound is for, fp32 or fp24; fp32 if empty.
	Arithmetic string
}

// Check says what is wrong with o, in diagnostics: all that Optimize, Verify and Stats refuse
// for the sake of options alone, where the input is of one of these kinds, or of some kind if
// none is named. What depends on the programs, such as which constants they have, it cannot
// tell.
func (o Options) Check(kinds ...Kind) error {
	if err := o.checkRanges(); err != nil {
		return err
	}
	if _, err := o.class(); err != nil {
		return err
	}
	if _, err := o.least(); err != nil {
		return err
	}
	for _, kernel := range []bool{false, true} {
		if _, err := o.pipeline(kernel); err != nil {
			return err
		}
	}
	if w, h := o.Domain[0], o.Domain[1]; w < 0 || h < 0 || w > maxDomain || h > maxDomain {
		return asm.Errorf(asm.Pos{File: "<options>"}, "domain-size", "a domain of %d by %d is out of range", w, h)
	}
	if err := o.checkArithmetic(); err != nil {
		return err
	}
	if _, err := o.fit(); err != nil {
		return err
	}
	if _, err := o.tile(); err != nil {
		return err
	}
	if err := o.checkTarget(); err != nil {
		return err
	}
	if _, _, err := o.partner(); err != nil {
		return err
	}
	if len(kinds) == 0 {
		err := o.checkKind(KindPair)
		if err != nil && o.checkKind(KindKernel) == nil {
			err = nil
		}
		return err
	}
	for _, k := range kinds {
		if err := built(k); err != nil {
			return err
		}
		if err := o.checkKind(k); err != nil {
			return err
		}
	}
	return nil
}

// built refuses inputs of a language that the build leaves out (package lang).
func built(k Kind) error {
	if k == KindKernel && !lang.Kernels || k != KindKernel && !lang.D3D9 {
		return asm.Errorf(asm.Pos{}, "not-built", "this build knows nothing of the language of a %s", k)
	}
	return nil
}

// checkKind refuses targets for which inputs of a kind have no costs.
func (o *Options) checkKind(k Kind) error {
	if k == KindKernel {
		_, err := o.machine()
		return err
	}
	_, err := o.gpus()
	return err
}

// checkRanges refuses numbers that mean nothing.
func (o *Options) checkRanges() error {
	bad := func(format string, args ...any) error {
		return asm.Errorf(asm.Pos{File: "<options>"}, "option-range", format, args...)
	}
	switch {
	case o.TimeLimit < 0:
		return bad("a time limit of %v is negative", o.TimeLimit)
	case o.Fuel != nil && *o.Fuel < 0:
		return bad("fuel for %d rewrites is less than none", *o.Fuel)
	case o.Effort > verify.Full:
		return bad("there is no effort %d", o.Effort)
	case o.HostConstants > Mirrored:
		return bad("there is no way %d to set constants", o.HostConstants)
	}
	for _, a := range o.Assume {
		if a == 0 || int(a) >= len(assumptionNames) {
			return bad("there is no assumption %d", a)
		}
	}
	return nil
}

// maxDomain bounds either side of a domain that time is predicted for.
const maxDomain = 1 << 14

// class is the numerics that o asks to keep.
func (o *Options) class() (numerics.Class, error) {
	if o.Numerics == "" {
		return numerics.Default, nil
	}
	c, err := numerics.Parse(o.Numerics)
	if err != nil {
		return c, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-numerics", "%v", err)
	}
	return c, nil
}

// defaultRequire is the least verdict that speaks of all inputs of a program rather than of those
// that were tried.
const defaultRequire = verify.Bounded

// least is the verdict that o requires.
func (o *Options) least() (verify.Verdict, error) {
	switch {
	case o.Require == 0:
		return defaultRequire, nil
	case o.Require.OK() && o.Require <= verify.Proved:
		return o.Require, nil
	}
	return 0, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-verdict", "a verdict to require is proved, proved-real, bounded or tested, not %s", o.Require)
}

// level is the standard pipeline that o names, if it names one.
func (o *Options) level() (string, bool) { return strings.CutPrefix(o.Pipeline, "O") }

// spelled reports whether o spells out which passes to run.
func (o *Options) spelled() bool {
	_, level := o.level()
	return o.Pipeline != "" && !level
}

// pipeline is what o asks to run, on a kernel or on anything else.
func (o *Options) pipeline(kernel bool) (passes.Pipeline, error) {
	p, err := o.stages(kernel)
	if lang.Kernels && kernel && err == nil {
		p = o.coarser(p)
	}
	return p, err
}

// stages is the pipeline that o names, without tiles. Levels differ by what counts: slots, GPUs, or
// kernels.
func (o *Options) stages(kernel bool) (passes.Pipeline, error) {
	atLevel := suite.Level
	if kernel {
		atLevel = suite.KernelLevel
	} else if gpus, err := o.gpus(); err == nil && len(gpus) > 0 {
		atLevel = suite.GPULevel
	}
	if o.Pipeline == "" {
		return atLevel(suite.DefaultLevel)
	}
	if level, ok := o.level(); ok {
		n, err := strconv.Atoi(level)
		if err != nil {
			n = -1
		}
		p, err := atLevel(n)
		if err != nil {
			return nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-level", "%v", err)
		}
		return p, nil
	}
	return passes.Parse(o.Pipeline, append(slices.Clone(suite.Passes), o.Passes...))
}

// What inputs are optimized for where nothing is asked for: those of Direct3D 9 for
// DefaultTarget, or if they have to fit a profile, which limits slots, for SlotTarget; kernels
// for the chip of the published figures.
const (
	DefaultTarget       = PortableTarget
	DefaultKernelTarget = "rv670"
)

// on is o with the target that inputs of a kind are optimized for where it names none. The
// one of kernels is machine's.
func (o Options) on(kind Kind) Options {
	switch {
	case o.Target != "" || kind == KindKernel:
	case o.Fit != "":
		o.Target = SlotTarget
	default:
		o.Target = DefaultTarget
	}
	return o
}

// machine is the GPU that kernels are priced for.
func (o *Options) machine() (*chip.Target, error) {
	name := o.Target
	if name == "" {
		name = DefaultKernelTarget
	}
	t, err := chip.ByName(name)
	if err != nil {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "wrong-target", "kernels are priced for a GPU: %s", strings.Join(chip.Names(), ", "))
	}
	return t, nil
}

// number is the level that o asks for, if it spells out no pipeline.
func (o *Options) number() int {
	if level, ok := o.level(); ok {
		n, _ := strconv.Atoi(level) // another word is refused
		return n
	}
	return suite.DefaultLevel
}
