package main

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/suggest"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags are the options that commands share, as the user wrote them. A command registers the groups
// that it takes with the add methods; those that it does not have keep zero values, which options
// leaves alone.
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
}

func (f *flags) addPipeline(set *pflag.FlagSet) {
	set.StringVarP(&f.pipeline, "passes", "p", "", "run this `PIPELINE`, such as fold,codemotion,dce (see shaderlift passes)")
	set.StringVarP(&f.level, "level", "O", "", "run the standard pipeline of this `LEVEL`, 0 (nothing) to 3; 2 if neither -O nor -p is given")
	set.BoolVar(&f.keep, "keep", false, "write what the passes make also where it costs more")
	set.StringVar(&f.host, "host-constants", "separate", "take it that the application sets constants in this `MODE`: separate for each stage, or mirrored, those of the pixel program in the vertex stage too")
	set.StringVar(&f.fit, "fit", "", "make programs of Direct3D 9 fit this `PROFILE` with the fewest changes that do: ps_2_0, ps_2_a, ps_2_b, vs_2_0 or another one, and ,max-temps=N behind it for no more temporaries")
	set.IntVar(&f.fuel, "fuel", -1, "stop after `N` rewrites, to find the one at fault; negative for any number")
	set.DurationVar(&f.limit, "time-limit", 0, "give an input no more than this `TIME`, such as 500ms, half of it for rewriting; what that cuts off depends on the machine")
}

func (f *flags) addVerify(set *pflag.FlagSet) {
	set.StringVar(&f.numerics, "numerics", "real", "keep results the same in this `CLASS`: terms, bits, real or approx")
	set.StringVar(&f.effort, "verify", "quick", "verify with this `EFFORT`: quick or full")
	set.StringVar(&f.require, "require", "bounded", "accept no `VERDICT` below this: proved, proved-real, bounded or tested")
	set.StringArrayVar(&f.box, "box", nil, "bound roundings for a `RANGE` of values from outside, NAME=LO..HI with the name of a semantic, a constant register, texel or all, such as texcoord=0..4 or ps:c3.x=0..1; may be repeated (default that of constant tables and vertex formats, else -1..1)")
	set.StringVar(&f.arithmetic, "arithmetic", "fp32", "bound roundings for `HARDWARE` whose pixel programs compute in fp32, or in fp24")
	f.addSeed(set)
}

func (f *flags) addSeed(set *pflag.FlagSet) {
	set.Uint64Var(&f.seed, "seed", 0, "draw what is random from `N`; the same seed gives the same bytes on every machine")
}

func (f *flags) addConstants(set *pflag.FlagSet) {
	set.StringArrayVar(&f.constants, "constant", nil, "take it that the application sets a constant register as `NAME=VALUES` says, such as cb0[0].x=256, ps:c5=1,0,0,1 or vs:i0=4; may be repeated")
	set.StringVar(&f.coarsen, "coarsen", "", "one invocation of a kernel does the work of a `TILE`, x=2,y=2 say, for the host to launch so many fewer; x-table=R,y-table=S where resources R and S of one dimension hold the coordinates (see shaderlift passes coarsen)")
	set.StringArrayVar(&f.assume, "assume", nil, "take it that the application keeps this `PROMISE`: one-level, that textures have one level and one filter, so that texldl reads what texld does, or unit-colours, that colours handed over are between 0 and 1")
}

func (f *flags) addPartner(set *pflag.FlagSet) {
	set.StringVar(&f.partner, "partner", "", "take it that pixel programs that come without a vertex program are drawn with this `PARTNER`, which stays as it is: spritebatch, the one of XNA and FNA, or a file")
}

func (f *flags) addGrow(set *pflag.FlagSet) {
	set.BoolVar(&f.grow, "grow", false, "let effects have more programs, where a pair that is drawn is cheaper with its own and the file can say which index, or which pass, takes it")
}

// addForm is --format of the commands that print text or JSON, and checkForm says what it may be.
func addForm(set *pflag.FlagSet, format *string) {
	set.StringVar(format, "format", "text", "print in this `FORM`: text or json")
}

func checkForm(format string) error { return oneOf("format", format, "text", "json") }

// oneOf refuses a value that is none of those that there are.
func oneOf(what, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return usagef("unknown %s %q (want %s or %s)", what, value, strings.Join(values[:last], ", "), values[last])
}

// options are those that the flags of cmd ask for, with the partner that they name.
func (a *app) options(cmd *cobra.Command, f *flags) (shaderlift.Options, error) {
	o, err := f.options(cmd)
	if err == nil {
		err = a.givePartner(f, &o)
	}
	return o, err
}

// givePartner reads the file that --partner names into o. A name that Options knows is no file.
func (a *app) givePartner(f *flags, o *shaderlift.Options) error {
	if o.Partner = f.partner; f.partner == "" || o.Check() == nil {
		return nil
	}
	j := program(f.partner)
	a.paths.job(&j)
	in, err := a.load(&j)
	if err != nil {
		if near := suggest.Word(f.partner, []string{"spritebatch"}); near != "" {
			return usagef("--partner %s: there is no such file; did you mean %s?", f.partner, near)
		}
		return err
	}
	o.Partner, err = shaderlift.ParsePartner(in.Files[0], in.Include)
	return err
}

func (f *flags) addTarget(set *pflag.FlagSet) {
	set.StringVar(&f.target, "target", "", "count costs for this `MACHINE`, or list of such: d3d9 counts instruction slots; r420, rv515, rv670, rv770, cypress, gcn, rdna, rdna3, nvidia and intel take no longer for a pixel than before, and portable stands for all of these; for kernels one of r600, rv670, rv770 and cypress (default portable, d3d9 with --fit, rv670 for kernels)")
	set.Float64Var(&f.pixels, "pixels-per-vertex", shaderlift.DefaultPixelsPerVertex, "take `N` pixels to be drawn for a vertex")
}

// maxJobs bounds the inputs that are worked on at a time, each of which takes memory.
const maxJobs = 1024

func (f *flags) addJobs(set *pflag.FlagSet) {
	set.IntVarP(&f.jobs, "jobs", "j", min(runtime.GOMAXPROCS(0), maxJobs), "work on `N` inputs at a time; what is written does not depend on it")
}

func addDomain(set *pflag.FlagSet, domain *string) {
	set.StringVar(domain, "domain", "", "predict the time of kernels for a domain of `WxH` elements (default that of the case, or 256x256)")
}

// parseDomain reads the domain of the launch that time is to be predicted for into o.
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
	o.Domain = [2]int{width, height}
	return o.Check()
}

// options checks the flags of cmd and turns them into options.
func (f *flags) options(cmd *cobra.Command) (o shaderlift.Options, err error) {
	switch {
	case cmd.Flags().Lookup("jobs") != nil && (f.jobs < 1 || f.jobs > maxJobs):
		return o, usagef("--jobs %d: want a number from 1 to %d", f.jobs, maxJobs)
	case f.limit < 0:
		return o, usagef("--time-limit %v: a time cannot be negative", f.limit)
	}
	o = shaderlift.Options{Pipeline: f.pipeline, Numerics: f.numerics, Target: f.target, PixelsPerVertex: f.pixels, TimeLimit: f.limit,
		Seed: f.seed, Passes: injected}
	// Only commands that take a pipeline have these flags.
	if set := cmd.Flags(); set.Lookup("passes") != nil {
		switch {
		case set.Changed("passes") && set.Changed("level"):
			return o, usagef("give -p or -O, not both")
		case set.Changed("level"):
			o.Pipeline = "O" + f.level
		case set.Changed("passes") && f.pipeline == "":
			// -p "" runs no passes, while an empty Options.Pipeline is the default level.
			o.Pipeline = "O0"
		}
		o.Keep = f.keep
		if f.fuel >= 0 {
			o.Fuel = &f.fuel
		}
		if err := o.HostConstants.UnmarshalText([]byte(f.host)); err != nil {
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
		o.Constants = append(o.Constants, c)
	}
	for _, text := range f.assume {
		var a shaderlift.Assumption
		if err := a.UnmarshalText([]byte(text)); err != nil {
			return o, usagef("--assume %s: want one-level or unit-colours", text)
		}
		o.Assume = append(o.Assume, a)
	}
	for _, text := range f.box {
		r, err := rounding.ParseRange(text)
		if err != nil {
			return o, err
		}
		o.Box = append(o.Box, r)
	}
	o.Arithmetic, o.Fit, o.Coarsen, o.Grow = f.arithmetic, f.fit, f.coarsen, f.grow
	if f.effort != "" {
		if o.Effort, err = verify.ParseEffort(f.effort); err != nil {
			return o, err
		}
	}
	return o, o.Check()
}

// flagError is an error of the flag parser, without the Go in it. An unknown flag may be one of
// set that is misspelt.
func flagError(set *pflag.FlagSet, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var names []string
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Word(missing.GetSpecifiedName(), names); near != "" {
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
