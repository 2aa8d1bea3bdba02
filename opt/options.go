package opt

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Options control optimization and verification. The zero value is the command's default.
type Options struct {
	// Target determines how costs are counted. With GPUs, no pixel may take longer on any of them, for any
	// textures and render target. On one GPU it must take less time, or slots must decrease. Portable
	// allows small rises, see docs/targets.md. If the list has d3d9 and GPUs, slots may not increase
	// either. For kernels the target is a GPU that package machine models. Empty is DefaultTarget, or
	// SlotTarget with Fit, and kernel.DefaultTarget for kernels. Functions that only report costs count
	// slots by default.
	Target pair.Target
	// Pipeline is a list of passes in the syntax of package passes, or one of the levels O0 to O3.
	// Empty is the default level, O2.
	Pipeline string
	// Keep writes the output of the passes even if it costs more than the input. The result is verified
	// as usual.
	Keep bool
	// Numerics is the class of equality to preserve. The zero value is Real.
	Numerics ir.Numerics
	// Require is the lowest verdict that Optimize writes and Verify accepts, from Tested on. The zero
	// value is Bounded.
	Require verify.Verdict
	// Strict makes a wrong rewrite an error of code "wrong-rewrite", which wraps the [Fault]: a pass panics or makes
	// invalid code, or a result is refuted. Otherwise such a rewrite is left out.
	Strict bool `json:",omitempty"`
	// Fit is a profile that Direct3D 9 programs must fit, in the syntax of d3d9.ParseProfile, such as
	// ps_2_0. Optimize applies the smallest set of rewrites of the level that makes them fit. A change
	// of version 3 programs changes both programs of the pair. Empty is the programs' own profile.
	Fit string
	// Pass limits the functions that do not change programs to one pass of a compiled effect, see
	// EffectDraws. Run needs it if an effect has several draws.
	Pass string `json:",omitempty"`
	// Seed is the seed for the inputs that Verify, Optimize and Run generate, and for the keys of
	// proofs. Reports depend on no other random source.
	Seed uint64

	// The groups are flat in reproducers, see settings.
	Limits Limits        `json:"-"`
	Host   HostOptions   `json:"-"`
	Draw   DrawOptions   `json:"-"`
	Kernel KernelOptions `json:"-"`
	Report ReportOptions `json:"-"`
	Hooks  Hooks         `json:"-"`
}

// Limits bound the work on an input. The zero value is normal verification without other limits.
type Limits struct {
	// Effort is the effort of verification.
	Effort verify.Effort
	// Fuel is the largest number of rewrites; nil means no limit.
	Fuel *int
	// Time is the time for an input, 0 for no limit. Rewriting stops half way, so that the result can be
	// priced and verified. If that takes too long, the input comes back unchanged. The effect of a time
	// limit depends on the machine; the effect of Fuel does not.
	Time time.Duration `json:"TimeLimit"`
}

// HostOptions are facts about the application that sets the constants of programs and draws with them.
// The zero value assumes only that it sets the constants of each stage by name or number.
type HostOptions struct {
	// PixelConstants states whether the application also sets the pixel constants in the vertex stage.
	// The result lists the constants that it must set.
	PixelConstants input.HostConstants `json:"HostConstants"`
	// Uploads are the constants that the application sets to those of the other stage for the second
	// version, for Verify.
	Uploads []input.Upload
	// IgnoreNames makes Verify ignore constant tables: the names, registers and default values by which
	// an application binds parameters. The versions then compute the same from the same registers. The
	// second version may replace the first only if the application sets registers by number.
	IgnoreNames bool
	// Constants are the values of constant registers that the application promises. Optimize uses them,
	// and its result may replace the input only while the promise is kept. Verify compares under the
	// promise. Draws and launches run with these values, whatever a case contains.
	Constants []input.Constant
	// Assume lists properties of draws that the application promises. The result of Optimize may
	// replace the input only where they hold, and Verify compares under them.
	Assume []input.Assumption
	// Partner is the vertex program with which the application draws a lone pixel program, or an effect
	// without a vertex program. It is a name of Partners, or a file converted by ParsePartner. It does
	// not change. The result of Optimize may replace the input with this partner, and Verify compares
	// with it. Empty is any vertex program.
	Partner string
	// Shared are the stages whose program other inputs also have. Optimize optimizes such a program
	// alone, whatever else the input has, and then the other program of a pair against the result. All
	// inputs under the same options get the same version. The version keeps all outputs and the same
	// terms. With Fit or Limits.Time the shared program stays unchanged. Effects ignore Shared.
	Shared []d3d9.Stage
}

// DrawOptions describe draws with Direct3D 9 programs.
type DrawOptions struct {
	// Case is an additional draw on which Verify and Optimize compare the versions of a pair.
	Case *interp.Case
	// PixelsPerVertex weights vertex against pixel programs on GPUs; 0 is 256.
	PixelsPerVertex float64
}

// KernelOptions describe launches of kernels.
type KernelOptions struct {
	// Case is an additional launch on which Verify and Optimize compare the versions of a kernel. They
	// and Stats predict its time. If it is nil, they generate a launch. Its constants are not promises.
	Case *interpreter.Case `json:"KernelCase"`
	// Launches are the launches on which Optimize, Tune and Stats price a kernel, instead of a
	// generated one and Case. They come from [Launches] or from another report. The first one is the
	// typical one. Only their cases of the input are used.
	Launches []kernel.Launch
	// Domain is the number of elements across and down the launch whose time is predicted; it overrides
	// the case. A zero keeps the number of the case.
	Domain [2]int
	// Coarsen makes one thread of a kernel do the work of several. Coarsening runs before the level. For
	// Verify, it is the tile of a thread of the second version. The zero value is one element a thread.
	// See [Result.Coarsened].
	Coarsen ir.Tile
}

// ReportOptions add facts to results. They do not change programs.
type ReportOptions struct {
	// Remarks are the kinds of remarks to report completely: every rewrite, every instruction that
	// stays in place, and the limits of the programs. Otherwise only the remarks of passes are
	// reported. Gains adds the savings of each rewrite, by running the pipeline once per rewrite.
	Remarks []RemarkKind
	Gains   bool
	// History records the programs after each rewrite in Result.History, also by running the pipeline
	// once per rewrite.
	History bool
	// Box gives the ranges of inputs and constants for the rounding bound, in the syntax of
	// rounding.ParseRange. Other ranges come from constant tables and usual vertex formats, or are
	// -1..1.
	Box rounding.Box
	// Arithmetic is the kind of hardware for the rounding bound, fp32 or fp24; fp32 if empty.
	Arithmetic string
	// SkipRounding leaves out Result.Bound and the remarks on rounding (codes fragile and rounding-boundary).
	// They do not affect the programs, and take a tenth of the time for pairs.
	SkipRounding bool
}

// Hooks are the caller's own passes, functions and caches.
type Hooks struct {
	// Passes are passes that Pipeline may name besides those of package suite. They are priced and
	// verified like others, and named if they miscompile.
	Passes []*passes.Pass
	// Observe, if set, receives the statistics of each stage of a pipeline, in order, each time that
	// Optimize runs one over an input. Optimize may run a pipeline again without rewrites that cannot
	// be verified. It calls Observe in its own goroutine.
	Observe func(in Input, stage passes.Stat) `json:"-"`
	// AfterStage, if set, receives the programs after every stage, each time that a pipeline runs for
	// output. stage is the name of the stage; changed reports whether it changed the programs. Do not
	// keep the unit.
	AfterStage func(in Input, stage string, changed bool, u *passes.Unit) `json:"-"`
	// Versions, if set, caches the versions of programs in Host.Shared, so that a program of several
	// inputs is optimized once. It does not change results.
	Versions *Versions `json:"-"`
}

// Check returns diagnostics of all options that Optimize, Verify and Stats would reject for inputs of
// the given kinds. Without kinds, some kind must accept the options. Check cannot compare options with
// programs, such as the constants that they have.
func (o Options) Check(kinds ...input.Kind) error {
	if err := o.checkRanges(); err != nil {
		return err
	}
	if _, err := o.least(); err != nil {
		return err
	}
	for _, kind := range []input.Kind{input.KindPair, input.KindKernel} {
		if _, err := o.pipeline(kind); err != nil {
			return err
		}
	}
	if w, h := o.Kernel.Domain[0], o.Kernel.Domain[1]; w < 0 || h < 0 || w > kernel.MaxDomain || h > kernel.MaxDomain {
		return asm.Errorf(asm.Pos{File: "<options>"}, "domain-size", "the domain %dx%d is out of range", w, h)
	}
	if err := o.checkArithmetic(); err != nil {
		return err
	}
	if _, err := o.fitProfile(); err != nil {
		return err
	}
	if err := kernel.CheckTile(o.Kernel.Coarsen); err != nil {
		return err
	}
	if err := o.Target.Check(); err != nil {
		return err
	}
	if err := pair.CheckPixels(o.Draw.PixelsPerVertex); err != nil {
		return err
	}
	if _, _, err := o.partner(); err != nil {
		return err
	}
	if asm.BuiltKernels {
		if _, err := kernel.ParseLaunches(o.Kernel.Launches); err != nil {
			return err
		}
	}
	if len(kinds) == 0 {
		err := o.checkKind(input.KindPair)
		if err != nil && o.checkKind(input.KindKernel) == nil {
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

// built rejects inputs in a language that the build omits (build tags of package asm).
func built(k input.Kind) error {
	if k == input.KindKernel && !asm.BuiltKernels || k != input.KindKernel && !asm.BuiltD3D9 {
		return asm.Errorf(asm.Pos{}, "not-built", "this build does not include the language of a %s", k)
	}
	return nil
}

// checkKind rejects targets that have no costs for inputs of a kind.
func (o *Options) checkKind(k input.Kind) error {
	if k == input.KindKernel {
		_, err := kernel.Machine(string(o.Target))
		return err
	}
	_, err := o.Target.GPUs()
	return err
}

// checkRanges rejects numbers out of range.
func (o *Options) checkRanges() error {
	bad := func(format string, args ...any) error {
		return asm.Errorf(asm.Pos{File: "<options>"}, "option-range", format, args...)
	}
	switch {
	case o.Limits.Time < 0:
		return bad("a time limit of %v is negative", o.Limits.Time)
	case o.Limits.Fuel != nil && *o.Limits.Fuel < 0:
		return bad("fuel for %d rewrites is less than none", *o.Limits.Fuel)
	case o.Limits.Effort > verify.Full:
		return bad("there is no effort %d", o.Limits.Effort)
	case !o.Numerics.Valid():
		return bad("there is no class %d of numerics", o.Numerics)
	case o.Host.PixelConstants > input.Mirrored:
		return bad("there is no way %d to set constants", o.Host.PixelConstants)
	}
	for _, a := range o.Host.Assume {
		if !a.Valid() {
			return bad("there is no assumption %d", a)
		}
	}
	return nil
}

// ParseNumerics reads a class of Options.Numerics: terms, bits, real or approx. The error is a diagnostic.
func ParseNumerics(text string) (ir.Numerics, error) {
	c, err := ir.ParseNumerics(text)
	if err != nil {
		return c, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-numerics", "%v", err)
	}
	return c, nil
}

// defaultRequire is the lowest verdict about all inputs of a program, not only about tested ones.
const defaultRequire = verify.Bounded

// least returns the verdict that o requires.
func (o *Options) least() (verify.Verdict, error) {
	switch {
	case o.Require == 0:
		return defaultRequire, nil
	case o.Require.OK() && o.Require <= verify.Proved:
		return o.Require, nil
	}
	return 0, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-verdict",
		"cannot require the verdict %s (want proved, proved-real, bounded or tested)", o.Require)
}

// level returns the standard pipeline that o names, if any.
func (o *Options) level() (string, bool) { return strings.CutPrefix(o.Pipeline, "O") }

// spelled reports whether o has an explicit pipeline.
func (o *Options) spelled() bool {
	_, level := o.level()
	return o.Pipeline != "" && !level
}

// pipeline returns the pipeline of o for inputs of a kind.
func (o *Options) pipeline(kind input.Kind) (passes.Pipeline, error) {
	p, err := o.stages(kind)
	if asm.BuiltKernels && kind == input.KindKernel && err == nil {
		p = kernel.Coarser(p, o.Kernel.Coarsen)
	}
	return p, err
}

// stages returns the pipeline of o without coarsening. There are levels for slots, GPUs, kernels and modules. If
// slots count next to GPUs, the passes that save slots run too.
func (o *Options) stages(kind input.Kind) (passes.Pipeline, error) {
	atLevel := suite.Level
	if asm.BuiltKernels && kind == input.KindKernel {
		atLevel = suite.KernelLevel
	} else if asm.BuiltSPIRV && kind == input.KindModule {
		atLevel = suite.ValueLevel
	} else if gpus, err := o.Target.GPUs(); err == nil && len(gpus) > 0 && !o.Target.Has(pair.SlotTarget) {
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
	return passes.Parse(o.Pipeline, append(slices.Clone(suite.Passes), o.Hooks.Passes...))
}

// DefaultTarget is the default target of Direct3D 9 inputs, unless they must fit a profile: a profile limits
// slots, so SlotTarget is the default then. The default of kernels is kernel.DefaultTarget.
const DefaultTarget = pair.PortableTarget

// DefaultModuleTarget is the default target of SPIR-V modules.
const DefaultModuleTarget = pair.VulkanTarget

// withDefaultTarget returns o with the default target for inputs of a kind if o has none. kernel.Machine
// handles the default of kernels.
func (o Options) withDefaultTarget(kind input.Kind) Options {
	switch {
	case o.Target != "" || kind == input.KindKernel:
	case kind == input.KindModule:
		o.Target = DefaultModuleTarget
	case o.Fit != "":
		o.Target = pair.SlotTarget
	default:
		o.Target = DefaultTarget
	}
	return o
}

// number returns the level of o, if it has no explicit pipeline.
func (o *Options) number() int {
	if level, ok := o.level(); ok {
		n, _ := strconv.Atoi(level) // other words are rejected
		return n
	}
	return suite.DefaultLevel
}
