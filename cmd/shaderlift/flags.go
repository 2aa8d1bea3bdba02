package main

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags are the options that commands share, as spelt by the user. A command registers its groups
// of flags with the add methods; the others keep zero values, which options ignores.
type flags struct {
	pipeline, level string
	numerics, host  string
	effort, target  string
	require         string
	seed            uint64
	keep            bool
	fuel            int
	limit           time.Duration
	jobs            int
	constants, box  []string
	arithmetic      string
	assume          []string
	fit, partner    string
	coarsen         string
	grow            bool
	pixels          float64
	pass            string
}

func (f *flags) addPipeline(set *pflag.FlagSet) {
	set.StringVarP(&f.pipeline, "passes", "p", "",
		"run this `PIPELINE`, such as fold,codemotion,dce (see shaderlift passes)")
	set.StringVarP(&f.level, "level", "O", "",
		"run the standard pipeline of this `LEVEL`, 0 (nothing) to 3; 2 if neither -O nor -p is given")
	set.BoolVar(&f.keep, "keep", false, "write the result of the passes even if it costs more")
	set.StringVar(&f.host, "host-constants", "separate",
		"assume that the application sets constants in this `MODE`: separate (each stage has its own) or mirrored (pixel constants are also set in the vertex stage)")
	set.StringVar(&f.fit, "fit", "", "make Direct3D 9 programs fit this `PROFILE` with the fewest changes: ps_2_0, ps_2_a, ps_2_b, vs_2_0 or another one; append ,max-temps=N to limit the temporaries")
	set.IntVar(&f.fuel, "fuel", -1, "stop after `N` rewrites, to find a faulty one; a negative number means no limit")
	set.DurationVar(&f.limit, "time-limit", 0,
		"spend at most this `TIME` on an input, such as 500ms, and half of it on rewriting; the result then depends on the machine")
}

func (f *flags) addVerify(set *pflag.FlagSet) {
	set.StringVar(&f.numerics, "numerics", "real",
		"allow only rewrites of this `CLASS`: terms (the same computation), bits (the same results), real (equal except for rounding) or approx (nearly equal)")
	set.StringVar(&f.effort, "verify", "quick", "spend this `EFFORT` on verification: quick or full")
	set.StringVar(&f.require, "require", "bounded",
		"accept no lower `VERDICT` than this: proved, proved-real, bounded or tested")
	set.StringArrayVar(&f.box, "box", nil, "compute rounding bounds for inputs in this `RANGE`, NAME=LO..HI, such as texcoord=0..4 or ps:c3.x=0..1; NAME is a semantic, a constant register, texel or all; may be repeated (default: the range from the constant table or the vertex format, or else -1..1)")
	set.StringVar(&f.arithmetic, "arithmetic", "fp32",
		"compute rounding bounds for `HARDWARE` with this precision in pixel programs: fp32 or fp24")
	f.addSeed(set)
}

func (f *flags) addSeed(set *pflag.FlagSet) {
	set.Uint64Var(&f.seed, "seed", 0, "seed random choices with `N`; the same seed gives the same bytes on every machine")
}

func (f *flags) addConstants(set *pflag.FlagSet) {
	set.StringArrayVar(&f.constants, "constant", nil,
		"assume that the application always sets this constant register, `NAME=VALUES`, such as cb0[0].x=256, ps:c5=1,0,0,1, vs:i0=4 or spec3=16; may be repeated")
	set.StringVar(&f.coarsen, "coarsen", "",
		"make one invocation of a kernel do the work of a `TILE`, such as x=2,y=2; the host then launches fewer invocations; add x-table=R,y-table=S if one-dimensional resources R and S hold the coordinates; group=4 makes work groups smaller, and stored=1 stores the outputs (see shaderlift passes coarsen); verify also takes held, restrict, packed and image, as opt reports them")
	set.StringArrayVar(&f.assume, "assume", nil,
		"assume that the application keeps this `PROMISE`: one-level (textures have one level and one filter, so texldl reads the same value as texld) or unit-colours (vertex programs write colours between 0 and 1)")
}

func addPass(set *pflag.FlagSet, pass *string) {
	set.StringVar(pass, "pass", "",
		"take only this pass of a compiled effect, `TECHNIQUE/PASS`, by names or by numbers from 0; [N] at its end selects a draw of a pass with several, and .vs or .ps a stage")
}

func (f *flags) addPartner(set *pflag.FlagSet) {
	set.StringVar(&f.partner, "partner", "",
		"assume that pixel programs without a vertex program are drawn with this `PARTNER`, which stays unchanged: spritebatch (XNA and FNA), wpf, fullscreen (position and TEXCOORD0 as they are), reshade or a file")
}

// addGrow adds a removed flag that reports an error. It will be deleted two releases after 0.1, the
// last one that had it.
func (f *flags) addGrow(set *pflag.FlagSet) {
	set.BoolVar(&f.grow, "grow", false, "")
	set.Lookup("grow").Hidden = true
}

// addForm adds the flag --format of the commands that print text or JSON; checkForm checks its
// value.
func addForm(set *pflag.FlagSet, format *string) {
	set.StringVar(format, "format", "text", "print in this `FORMAT`: text or json")
}

func checkForm(format string) error { return oneOf("format", format, "text", "json") }

// oneOf returns an error if value is not one of values.
func oneOf(what, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return usagef("unknown %s %q (want %s or %s)", what, value, strings.Join(values[:last], ", "), values[last])
}

// options returns the options in the flags of cmd, including the named partner.
func (a *app) options(cmd *cobra.Command, f *flags) (shaderlift.Options, error) {
	o, err := f.options(cmd)
	if err == nil {
		err = a.givePartner(f, &o)
	}
	return o, err
}

// givePartner reads the file that --partner names into o. A name that Options accepts is not a
// file.
func (a *app) givePartner(f *flags, o *shaderlift.Options) error {
	if o.Host.Partner = f.partner; f.partner == "" || o.Check() == nil {
		return nil
	}
	j := program(f.partner)
	a.paths.recordJob(&j)
	in, err := a.loadFiles(&j)
	if err != nil {
		if near := naming.NearestWord(f.partner, opt.Partners()); near != "" {
			return usagef("--partner %s: the file does not exist; did you mean %s?", f.partner, near)
		}
		return err
	}
	a.unused.kinds = nil // it is no input
	o.Host.Partner, err = opt.ParsePartner(in.Files[0], in.Include)
	return err
}

func (f *flags) addTarget(set *pflag.FlagSet) {
	set.StringVar(&f.target, "target", "", "reduce costs on this `MACHINE`, or on each of a list: d3d9 counts instruction slots; r420, rv515, rv670, rv770, cypress, gcn, rdna, rdna3, nvidia and intel are GPUs, on which no pixel takes longer than before; portable is all these GPUs, on which a pixel takes at most 0.5 % longer; desktop is all these GPUs, on which no pixel takes longer; phones is valhall, bifrost, midgard and adreno; vulkan is phones and the desktop GPUs with scalar instructions; for kernels r600, rv670, rv770 or cypress (default portable, with --fit d3d9, for SPIR-V vulkan, for kernels rv670)")
	set.Float64Var(&f.pixels, "pixels-per-vertex", pair.DefaultPixelsPerVertex, "assume that each vertex draws `N` pixels")
}

// maxJobs bounds the number of inputs that are processed concurrently, each of which takes memory.
const maxJobs = 1024

func (f *flags) addJobs(set *pflag.FlagSet) {
	set.IntVarP(&f.jobs, "jobs", "j", min(runtime.GOMAXPROCS(0), maxJobs),
		"work on `N` inputs at the same time; the output does not depend on it")
}

func addDomain(set *pflag.FlagSet, domain *string) {
	set.StringVar(domain, "domain", "", "predict the time of kernels for a domain of `WxH` elements (default: the domain of --case, or else 256x256)")
}

// parseDomain parses the launch domain for which time is predicted into o.
func parseDomain(domain string, o *shaderlift.Options) error {
	if domain == "" {
		return nil
	}
	w, h, ok := strings.Cut(domain, "x")
	width, err := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	if !ok || err != nil || err2 != nil || width < 1 || height < 1 {
		return usagef("--domain %s: want WxH, such as 512x512", domain)
	}
	o.Kernel.Domain = [2]int{width, height}
	return o.Check()
}

// options checks the flags of cmd and turns them into options.
func (f *flags) options(cmd *cobra.Command) (o shaderlift.Options, err error) {
	switch {
	case cmd.Flags().Lookup("jobs") != nil && (f.jobs < 1 || f.jobs > maxJobs):
		return o, usagef("--jobs %d: want a number from 1 to %d", f.jobs, maxJobs)
	case f.limit < 0:
		return o, usagef("--time-limit %v: want a time of 0 or more", f.limit)
	}
	o = shaderlift.Options{Pipeline: f.pipeline, Draw: shaderlift.DrawOptions{PixelsPerVertex: f.pixels},
		Limits: shaderlift.Limits{Time: f.limit},
		Seed:   f.seed, Hooks: shaderlift.Hooks{Passes: injected}}
	if o.Numerics, err = shaderlift.ParseNumerics(f.numerics); err != nil {
		return o, err
	}
	if o.Target, err = shaderlift.ParseTarget(f.target); err != nil {
		return o, err
	}
	if o.Kernel.Coarsen, err = shaderlift.ParseTile(f.coarsen); err != nil {
		return o, err
	}
	// Only commands with a pipeline have these flags.
	if set := cmd.Flags(); set.Lookup("passes") != nil {
		switch {
		case set.Changed("passes") && set.Changed("level"):
			return o, usagef("give -p or -O, not both")
		case set.Changed("level"):
			o.Pipeline = "O" + f.level
		case set.Changed("passes") && strings.TrimSpace(f.pipeline) == "":
			return o, usagef("-p %q: the pipeline is empty; give -O0 to run no pass", f.pipeline)
		}
		o.Keep = f.keep
		if f.fuel >= 0 {
			o.Limits.Fuel = &f.fuel
		}
		if err := o.Host.PixelConstants.UnmarshalText([]byte(f.host)); err != nil {
			return o, err
		}
	}
	if f.require != "" {
		if err := o.Require.UnmarshalText([]byte(f.require)); err != nil || !o.Require.OK() {
			return o, usagef("--require %s: want proved, proved-real, bounded or tested", f.require)
		}
	}
	for _, text := range f.constants {
		c, err := shaderlift.ParseConstant(text)
		if err != nil {
			return o, err
		}
		o.Host.Constants = append(o.Host.Constants, c)
	}
	for _, text := range f.assume {
		var a shaderlift.Assumption
		if err := a.UnmarshalText([]byte(text)); err != nil {
			return o, usagef("--assume %s: want one-level or unit-colours", text)
		}
		o.Host.Assume = append(o.Host.Assume, a)
	}
	for _, text := range f.box {
		r, err := rounding.ParseRange(text)
		if err != nil {
			return o, err
		}
		o.Report.Box = append(o.Report.Box, r)
	}
	if f.grow {
		return o, usagef("--grow was removed; leave it out: an effect always keeps its programs and their arrays")
	}
	o.Pass = f.pass
	o.Report.Arithmetic, o.Fit = f.arithmetic, f.fit
	if f.effort != "" {
		if o.Limits.Effort, err = verify.ParseEffort(f.effort); err != nil {
			return o, err
		}
	}
	return o, o.Check()
}

// flagError returns an error of the flag parser in the command's wording. It suggests a flag of set
// for a misspelt one, and the flags of verify that replace one of opt.
func flagError(set *pflag.FlagSet, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		if missing.GetSpecifiedName() == "host-constants" && set.Lookup("upload") != nil {
			return usagef("%v; give --upload VERTEX=PIXEL for each constant, as opt reports them, or --promises REPORT", err)
		}
		var names []string
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := naming.NearestWord(missing.GetSpecifiedName(), names); near != "" {
			return usagef("%v; did you mean --%s?", err, near)
		}
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	want := bad.GetFlag().Value.Type()
	switch want {
	case "int", "int64", "uint64":
		want = "a whole number"
	case "duration":
		want = "a time such as 500ms or 2s"
	}
	return usagef("--%s %s: want %s", bad.GetFlag().Name, bad.GetValue(), want)
}
