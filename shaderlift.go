package shaderlift

import (
	"context"
	"io"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/compile"
	"github.com/shaderlift/shaderlift/opt/input"
	kernels "github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/lint"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// ReadFiles reads the files of an input: a program, kernel or effect, or a vertex and a pixel program. All functions
// also take inputs that come from elsewhere.
func ReadFiles(names ...string) (Input, error) {
	return input.ReadFiles(names...)
}

// Optimize makes the programs of an input cheaper. Options.Target chooses the measure. For Direct3D 9
// programs it is the time that GPUs take for a pixel, or pixel slots, then vertex slots and
// temporaries. For a kernel it is cycles on a GPU, then registers, operations and statements. An effect
// is measured pass by pass.
//
// The result is never nil. Its Files are the files to use from now on: the input's own bytes if nothing
// got better. An explicit pipeline must pay as a whole. In a level, every stage must pay.
//
// Optimize leaves out only the rewrites that would lower the verdict below Options.Require, as
// identified by bisection.
//
// The error explains the absence of files. It has diagnostics of a bad input or option, is ErrFit if
// the input and the result exceed the shader model, or is a *Fault. Contained faults, such as an undone
// pass or a refuted rewrite that is left out, are in the result without an error, unless Options.Strict is set.
func Optimize(ctx context.Context, in Input, o Options) (*Result, error) {
	return opt.Optimize(ctx, in, o)
}

// OptimizeStable optimizes until another run changes nothing, in at most six runs, and verifies the last result
// against the input. OptimizeStable of its result thus returns the same bytes. This suits files that replace their
// inputs. It keeps an input whose results do not settle, with a remark of code "unstable". Each run has Limits.Time.
func OptimizeStable(ctx context.Context, in Input, o Options) (*Result, error) {
	return opt.OptimizeStable(ctx, in, o)
}

// Verify judges whether after may replace before: two versions of one program, pair, effect or kernel.
// The result has the verdict. Its remarks have the reason for a lower verdict, and a counterexample.
// The error is diagnostics of inputs that cannot be compared, ErrRefused if the verdict is below
// Options.Require, or a *Fault.
func Verify(ctx context.Context, before, after Input, o Options) (*Result, error) {
	return opt.Verify(ctx, before, after, o)
}

// Stats prices an input without changes. The error is diagnostics of unreadable input.
func Stats(ctx context.Context, in Input, o Options) (*Result, error) {
	return opt.Stats(ctx, in, o)
}

// Explain optimizes like [Optimize] and explains the programs instruction by instruction.
// Result.Programs has the input programs, with the fate of every instruction and the reason for its
// rate. The reason names the condition of package codemotion that keeps the instruction out of the
// vertex program, or its cost there, found by moving it. Result.Rewritten has the resulting programs.
// An explicit o.Pipeline runs first, and its result is explained. Draws are priced on all GPUs of desktops
// and those of o, instructions on those of o.
//
// Parts of effects have reasons and resulting programs, but no fates. Each kernel has a second program, the
// possible output of a compiler for the first.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	return opt.Explain(ctx, in, o)
}

// Instructions prices like Stats and also lists the price of every instruction in Result.Programs; for
// an effect, in those of its parts. It omits declarations, labels and comments.
func Instructions(ctx context.Context, in Input, o Options) (*Result, error) {
	return opt.Instructions(ctx, in, o)
}

// Listing returns the programs of an input as text. Columns follow each instruction: its slots, their
// running sum, the live components of temporaries after it, its time on each GPU of o.Target, and the rate
// at which its result may change (see [explain.Rate]). Numbers are in comments, so an assembler accepts the text of a program. The
// last line has the format of fxc.
//
// The listing of an effect begins with the contents of the effect, and shows preshaders in comments.
//
// The listing of a kernel is a possible machine program for the target of o, in the style of AMD's
// shader analyzer: clauses, and the groups of operations in them.
func Listing(ctx context.Context, in Input, o Options) ([]byte, error) {
	return opt.Listing(ctx, in, o)
}

// Run interprets one draw of a pair: the vertex program over its vertices, rasterization, and the pixel
// program over the fragments. The draw is Options.Draw.Case. Without one, Run generates a draw from the
// programs alone (interp.DefaultCase) or, with Options.Seed, at random (draws.Random). It returns the
// image and the draw.
func Run(ctx context.Context, in Input, o Options) (img *interp.Image, used *interp.Case, err error) {
	return opt.Run(ctx, in, o)
}

// RunKernel interprets one launch of an AMD IL kernel. It returns the result and the case that it ran:
// Options.Kernel.Case, or else the one that kernel.DefaultCase generates from Options.Seed.
func RunKernel(ctx context.Context, in Input, o Options) (result *kernel.Result, used *kernel.Case, err error) {
	return opt.RunKernel(ctx, in, o)
}

// RunProgram interprets a lone vertex or pixel program over the attributes of Options.Draw.Case, one
// invocation per element. Verify gives counterexamples of lone programs in this form. Pixel programs
// get these inputs without rasterization.
func RunProgram(ctx context.Context, in Input, o Options) (out *Invocations, err error) {
	return opt.RunProgram(ctx, in, o)
}

// Assemble translates a program, usually text, into bytecode. The error is a list of diagnostics, or
// ErrFit if the program is only too large for its shader model.
func Assemble(f File) ([]byte, error) {
	return input.Assemble(f)
}

// Disassemble translates a program, usually bytecode, into text. Assemble turns this text into the same
// bytes again. The text of a compiled effect lists its contents and its programs.
func Disassemble(f File) ([]byte, error) {
	return opt.Disassemble(f, "", nil)
}

// EffectPasses returns the names of the passes of a compiled effect (fx_2_0, or XNB with one), TECHNIQUE/PASS. A number
// stands for an empty name.
func EffectPasses(f File) ([]string, error) {
	return opt.EffectPasses(f)
}

// EffectDraws returns the programs with which a pass of a compiled effect draws: pairs, or programs of a pass with one
// stage. All functions accept such inputs, except Optimize, OptimizeStable, Tune and Split. A pass has several draws
// if an index chooses its programs from arrays.
//
// The name of a pass is TECHNIQUE/PASS, by names or by numbers from 0. [N] after it selects one draw, from 0, and .vs
// or .ps one stage. The name of a program in an array, such as Programs[2], selects this program. If no pass has the
// name, the error lists the passes.
func EffectDraws(f File, pass string) ([]Input, error) {
	return opt.EffectDraws(f, pass)
}

// Compile translates a shader in HLSL into Direct3D 9 bytecode with vkd3d-compiler, a separate program (see
// [compile.Source]). Without it, the error names the command line for fxc.
func Compile(ctx context.Context, f File, o CompileOptions) (program File, warnings asm.Diags, err error) {
	return compile.Source(ctx, f, o)
}

// Lint lists the statements of a program, a pair or an effect that a client refuses or computes wrongly. Clients
// are the names of [LintClients], such as mojoshader, the library of FNA. The error is a diagnostic of an input
// that cannot be read.
func Lint(in Input, client string) ([]Finding, error) {
	return lint.Check(in, client)
}

// LintClients returns the clients of Lint.
func LintClients() []string {
	return lint.Clients()
}

// Tune searches for the pipeline that makes a kernel cheapest. It tries the results of the levels, and
// pipelines that package tune builds from passes, their settings and their orders.
//
// The result is that of Optimize with the fastest verified version: Optimize makes the same bytes with
// Result.Pipeline as Options.Pipeline. Result.Tuning has this version and slower versions with fewer
// registers or a smaller program. If nothing is better than the input, the input comes back.
//
// If ctx ends, so does the search. Another search can continue from the saved state and gets the same
// result.
func Tune(ctx context.Context, in Input, o TuneOptions) (res *Result, err error) {
	return opt.Tune(ctx, in, o)
}

// Split makes a kernel for each outcome of the conditions that depend on constants alone, up to most
// kernels (0 is [opt.MostKernels]). Each is optimized under o. The host evaluates the conditions, or calls
// [kernel.SplitTable.Choose], and launches the kernel for their outcome.
//
// A kernel is priced on the launches on which Optimize prices the whole one ([Launches]), with
// constants that give its outcome. Costs before are those of the whole kernel.
//
// A kernel is verified twice. The optimizer's result is verified against the text with decided
// conditions, as usual. That text is verified against the original kernel by executing both for
// constants with this outcome; every bit must be equal. If no such constants are found, or verification
// fails, the original kernel stays.
//
// Split returns the errors of Optimize. An error of code "no-condition" means that there is nothing to
// decide.
func Split(ctx context.Context, in Input, o Options, most int) (*Splitting, error) {
	return opt.Split(ctx, in, o, most)
}

// Launches generates the launches on which Optimize prices an AMD IL kernel, and prices the kernel on
// them. The first one is the typical one. Pass them to Stats as Options.Kernel.Launches to price other
// versions of the kernel on the same launches.
func Launches(ctx context.Context, in Input, o Options) ([]Launch, error) {
	return opt.Launches(ctx, in, o)
}

// ParseConstant reads NAME=VALUES. Names are register names of programs:
//
//	cb0[3]=1,2,3,4      an element of a constant buffer of a kernel
//	cb0[0].x=256        some components only
//	ps:c5=0.5,0,0,1     a register of a pixel program
//	vs:i0=4,0,1         of a vertex program: integers, such as a trip count
//	ps:b0=true
//	spec3=16            the specialization constant of a SPIR-V module with SpecId 3
//
// The stage may be left out if there is one program only. Values are for the named components, or else
// for the components from x on; other components are unknown. A value of cb# and c# is a float, or a
// word such as 0x3f800000. 256i is the word of an integer, for kernels only. A specialization constant
// has a value of its type. The error is a diagnostic.
func ParseConstant(text string) (Constant, error) {
	return input.ParseConstant(text)
}

// Recognize returns the format of data. It recognizes binary formats by their first bytes, and AMD IL
// or Direct3D 9 assembly by the first words.
func Recognize(data []byte) Format {
	return input.Recognize(data)
}

// ParseNumerics reads a class of Options.Numerics: terms, bits, real or approx. The error lists them.
func ParseNumerics(text string) (Numerics, error) {
	return opt.ParseNumerics(text)
}

// ParseTarget reads a list of targets, with commas, such as rv770 or d3d9,gcn. The error lists them.
func ParseTarget(text string) (Target, error) {
	return pair.ParseTarget(text)
}

// ParseTile reads a tile, such as x=2,y=2 or group=4, as the page of the pass coarsen lists them. An empty text is
// the zero tile.
func ParseTile(text string) (Tile, error) {
	return kernels.ParseTile(text)
}

// Targets returns the names that Options.Target may contain.
func Targets() []string {
	return pair.Targets()
}

// NewReport returns an empty report of a run under o.
func NewReport(o Options) *Report {
	return opt.NewReport(o)
}

// ReadReport reads the JSON form of a report, of the file name.
func ReadReport(name string, data []byte) (*Report, error) {
	return opt.ReadReport(name, data)
}

// NewReportWriter returns a writer of a report with the header of r. It ignores the results and totals
// of r.
func NewReportWriter(w io.Writer, r *Report) *ReportWriter {
	return opt.NewReportWriter(w, r)
}

// Failure returns the result for an input that could not be read because of err.
func Failure(in Input, err error) *Result {
	return opt.Failure(in, err)
}
