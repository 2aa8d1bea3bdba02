package shaderlift

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/compile"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/lint"
	"github.com/shaderlift/shaderlift/opt/pair"
)

type (
	// Options control optimization and verification. The zero value is the command's default.
	Options = opt.Options

	// Limits bound the work on an input. The zero value is normal verification without other limits.
	Limits = opt.Limits

	// HostOptions are facts about the application that sets the constants of programs and draws with them.
	HostOptions = opt.HostOptions

	// DrawOptions describe draws with Direct3D 9 programs.
	DrawOptions = opt.DrawOptions

	// KernelOptions describe launches of kernels.
	KernelOptions = opt.KernelOptions

	// ReportOptions add facts to results. They do not change programs.
	ReportOptions = opt.ReportOptions

	// Hooks are the caller's own passes, functions and caches.
	Hooks = opt.Hooks

	// Target states how costs are counted. It is a list, with commas, of SlotTarget, PortableTarget, DesktopTarget,
	// PhonesTarget, VulkanTarget and names of GPUs. ParseTarget checks the names, and Targets returns them.
	Target = pair.Target

	// Numerics is a class of equality. The zero value is Real.
	Numerics = ir.Numerics

	// Tile is a tile of threads of a kernel, for KernelOptions.Coarsen. ParseTile makes it.
	Tile = ir.Tile

	// CompileOptions select a shader of a source file, and its compiler.
	CompileOptions = compile.Options

	// Finding is a place where an input breaks a rule of a client, with the repair and the source of the rule.
	Finding = lint.Finding

	// TuneOptions control the search for a pipeline.
	TuneOptions = opt.TuneOptions

	// Input is the unit of one optimization: a program, kernel or effect, or the vertex and the pixel
	// program of a pair, in this order.
	Input = input.Input

	// File is a program as bytes. Its name is for diagnostics; its format is recognised by content.
	File = input.File

	// Kind is the kind of an input.
	Kind = input.Kind

	// Format is a kind of file.
	Format = input.Format

	// Result is the result for one input.
	Result = opt.Result

	// Status is the outcome of an input. The zero value is for inputs that were only read.
	Status = opt.Status

	// Remark is a fact about an input: a rewrite that was made or not, with the reason.
	Remark = opt.Remark

	// RemarkKind is the kind of a remark, in the terms of LLVM's optimization remarks.
	RemarkKind = opt.RemarkKind

	// Fault is an error of this program: a panic, a pass that produced invalid code, or a refuted result.
	Fault = opt.Fault

	// Versions caches the versions of shared programs, for the inputs that have them. It is safe for
	// concurrent use.
	Versions = opt.Versions
)

type (
	// Constant is a promise of the application about the value of a constant register, or of some of its
	// components, in every run of the program. ParseConstant makes it.
	Constant = input.Constant

	// Upload is a constant that the application must set a second time: register To of a stage gets the
	// value of register From of the other stage.
	Upload = input.Upload

	// HostConstants states the stages for which the application sets the constants of the pixel program.
	HostConstants = input.HostConstants

	// HostRegister is a float constant register of a stage, which the application sets.
	HostRegister = input.HostRegister

	// Assumption is a property of the state of a draw that programs do not show and the application
	// promises.
	Assumption = input.Assumption
)

type (
	// Change is a number before and after.
	Change = opt.Change

	// Cost is a cost of an input before and after optimization, see [Result.Costs].
	Cost = opt.Cost

	// PassTotals counts the passes of an effect.
	PassTotals = opt.PassTotals

	// ModuleCosts is the cost of one SPIR-V module, before and after optimization.
	ModuleCosts = opt.ModuleCosts
	// ModuleCost is the cost of a version of a SPIR-V module.
	ModuleCost = opt.ModuleCost
	// StageCosts is the cost of one program, before and after optimization.
	StageCosts = opt.StageCosts

	// DrawCosts is the cost of a draw on a GPU, with a pair or with one Direct3D 9 program.
	DrawCosts = pair.DrawCosts

	// DrawCost is the cost of a draw per pixel. The unit is a multiply-add of one component, or an
	// instruction on GPUs whose instructions do more.
	DrawCost = pair.DrawCost

	// KernelCosts is the cost of a kernel on a GPU, before and after optimization.
	KernelCosts = kernel.Costs

	// KernelCost is the cost of a kernel, in the terms of AMD's shader analyzer.
	KernelCost = kernel.Cost

	// Program is a list of instructions, as Listing shows it.
	Program = explain.Program

	// Instruction is a priced instruction of a Direct3D 9 program. In a listing of a kernel it is a group
	// of operations or a fetch, as a compiler might generate it.
	Instruction = explain.Instruction

	// Launch is a launch on which the versions of a kernel are priced. Its cases are text in the format of
	// docs/cases.md, which [kernel.ParseCase] reads.
	//
	// [kernel.ParseCase]: https://pkg.go.dev/github.com/shaderlift/shaderlift/verify/interp/kernel#ParseCase
	Launch = kernel.Launch
)

type (
	// Report is the output of a run over any number of inputs, in their order. Its JSON form is for scripts
	// and omits fields that do not apply.
	Report = opt.Report

	// ReportWriter writes the output of [Report.WriteJSON] while the results arrive. It keeps only a few
	// numbers of each result for [Totals.Trends], so a report may have any number of inputs.
	ReportWriter = opt.ReportWriter

	// Judgement is the evidence that a version may replace another.
	Judgement = opt.Judgement

	// Totals sums up a report.
	Totals = opt.Totals

	// Tuning is the result of a search.
	Tuning = opt.Tuning

	// Tuned is one version of a kernel.
	Tuned = opt.Tuned

	// LaunchChange is a set of facts about a launch that the application can change, for TuneOptions.MayChange.
	LaunchChange = kernel.Change

	// Advice is a faster version of a kernel for a changed launch, from Explain.
	Advice = opt.Advice

	// Splitting is a kernel that was split by conditions on constants alone.
	Splitting = opt.Splitting

	// Invocations is the output of a lone program.
	Invocations = opt.Invocations
)

// Version is the version of this package and of the command.
const Version = opt.Version

// The classes of equality: the same terms, the same float32 bits, the same except for rounding, and nearly the same.
const (
	Terms  = ir.Terms
	Bits   = ir.Bits
	Real   = ir.Real
	Approx = ir.Approx
)

// Values of Options.Target besides the names of GPUs. SlotTarget counts instruction slots. PortableTarget and DesktopTarget
// stand for all GPUs of desktops: with PortableTarget times may rise slightly, with DesktopTarget never. PhonesTarget stands
// for the GPUs of phones. VulkanTarget, the default of SPIR-V, stands for the GPUs of phones and the scalar ones of desktops.
const (
	SlotTarget     = pair.SlotTarget
	PortableTarget = pair.PortableTarget
	DesktopTarget  = pair.DesktopTarget
	PhonesTarget   = pair.PhonesTarget
	VulkanTarget   = pair.VulkanTarget
)

// The kinds of inputs.
const (
	KindProgram = input.KindProgram
	KindPair    = input.KindPair
	KindKernel  = input.KindKernel
	KindEffect  = input.KindEffect
	KindModule  = input.KindModule
)

// The outcomes of an input.
const (
	Improved  = opt.Improved
	Changed   = opt.Changed
	Unchanged = opt.Unchanged
	Failed    = opt.Failed
)

// The kinds of remarks: a rewrite, a rewrite that was not made, and any other fact.
const (
	Passed   = opt.Passed
	Missed   = opt.Missed
	Analysis = opt.Analysis
)

// The stages for which the application sets the constants of the pixel program: the pixel stage alone, or
// the vertex stage too.
const (
	Separate = input.Separate
	Mirrored = input.Mirrored
)

// Properties that the application promises: one mip level a texture, and colours between 0 and 1.
const (
	OneLevel    = input.OneLevel
	UnitColours = input.UnitColours
)

// Facts about a launch that the application can change: the sides of the domain, the element sizes of resources, the
// outputs, and which memory others access.
const (
	ChangeDomain   = kernel.Domain
	ChangeBindings = kernel.Bindings
	ChangeOutputs  = kernel.Outputs
	ChangeMemory   = kernel.Memory
)

var (
	// ErrFit marks a well-formed program that exceeds the limits of its shader model.
	ErrFit = pair.ErrFit

	// ErrRefused marks a result that failed verification.
	ErrRefused = opt.ErrRefused
)
