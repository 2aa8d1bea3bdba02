package main

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// task is an input with the options for it.
type task struct {
	input   shaderlift.Input
	options shaderlift.Options
}

// stream separates these random choices from those of other users of a seed. partlyStream is for choices
// about partly written programs, kernelStream for those about kernels.
const (
	stream       = 0x50a
	partlyStream = 0x50b
	kernelStream = 0x70a3
)

// makeTask returns task number j.
func makeTask(seed, j uint64) task {
	src := gen.Seeded(seed^j*0x9e3779b97f4a7c15, stream)
	size := 3 + src.IntN(9)
	program := uint64(src.Uint32())<<32 | uint64(src.Uint32())
	var t task
	kernel := false
	switch j % 10 {
	case 0, 5:
		p := gen.NewPair(program, size)
		t.input.Files = []shaderlift.File{{Name: "random.vs", Data: p.Vertex.Bytes()},
			{Name: "random.ps", Data: p.Pixel.Bytes()}}
	case 8:
		t.input.Files = []shaderlift.File{{Name: "random.fxb", Data: randomEffect(src, program, size)}}
	case 1, 3, 6:
		kernel = true
		k := ilgen.KernelFrom(gen.Seeded(program, kernelStream), ilgen.Options{Stage: il.Stage(src.IntN(2)), Size: size, NoDouble: src.Chance(50),
			NoCalls: src.Chance(50), Straight: src.Chance(20)})
		t.input.Files = []shaderlift.File{{Name: "random.il", Data: il.Print(k)}}
	default:
		p := gen.NewProgram(program, size)
		if j%5 == 4 { // a program that reads partly written registers, if possible
			if q := gen.Partly(gen.Seeded(program, partlyStream), p.Program); q != nil {
				p.Program = q
			}
		}
		t.input.Files = []shaderlift.File{{Name: "random.psh", Data: p.Bytes()}}
	}
	t.options = randomOptions(src, kernel)
	return t
}

func randomOptions(src gen.Source, kernel bool) shaderlift.Options {
	o := shaderlift.Options{
		Pipeline: randomPipeline(src),
		Numerics: pick(src, shaderlift.Real, shaderlift.Real, shaderlift.Terms, shaderlift.Bits, shaderlift.Approx),
		Require:  pick(src, 0, 0, verify.Proved, verify.ProvedReal, verify.Tested),
		Host:     shaderlift.HostOptions{PixelConstants: hostConstants(src.Chance(30))},
		Keep:     src.Chance(30),
		Seed:     uint64(src.IntN(1000)),
	}
	if kernel {
		o.Target = pick[shaderlift.Target](src, "", "r600", "rv770", "cypress")
		o.Kernel.Domain = [2]int{16, 16}
	} else {
		randomDraw(src, &o)
	}
	if src.Chance(10) {
		fuel := src.IntN(20)
		o.Limits.Fuel = &fuel
	}
	return o
}

// randomDraw sets options that only Direct3D 9 programs have. For a profile it uses a level that
// supports fitting.
func randomDraw(src gen.Source, o *shaderlift.Options) {
	o.Target = pick(src, "", "", shaderlift.SlotTarget, shaderlift.SlotTarget, "nvidia", "gcn,r420")
	if src.Chance(20) {
		o.Fit = pick(src, d3d9.Profiles()...)
		if src.Chance(30) {
			o.Fit += ",max-temps=" + strconv.Itoa(1+src.IntN(6))
		}
		o.Pipeline = pick(src, "", "O0", "O1", "O3")
	}
	for _, a := range []shaderlift.Assumption{shaderlift.OneLevel, shaderlift.UnitColours} {
		if src.Chance(20) {
			o.Host.Assume = append(o.Host.Assume, a)
		}
	}
	if src.Chance(10) {
		o.Host.Partner = "spritebatch"
	}
	if src.Chance(10) {
		r, err := rounding.ParseRange(pick(src, "all=0..1", "all=-8..8", "texel=0..1", "ps:c0=0.5"))
		if err != nil {
			panic(err)
		}
		o.Report.Box = rounding.Box{r}
	}
}

func pick[T any](src gen.Source, of ...T) T { return of[src.IntN(len(of))] }

// hostConstants returns the setting of host constants.
func hostConstants(mirrored bool) shaderlift.HostConstants {
	if mirrored {
		return shaderlift.Mirrored
	}
	return shaderlift.Separate
}

// maxStages bounds a pipeline that is not a level.
const maxStages = 6

func randomPipeline(src gen.Source) string {
	if src.Chance(30) {
		return pick(src, "O1", "O2", "O3")
	}
	var p passes.Pipeline
	for range 1 + src.IntN(maxStages) {
		s := passes.Stage{Pass: suite.Passes[src.IntN(len(suite.Passes))]}
		for i := range s.Pass.Options {
			if o := &s.Pass.Options[i]; src.Chance(40) && !unsound[s.Pass.Name+"."+o.Name] {
				s.Settings = append(s.Settings, passes.Setting{Name: o.Name, Value: randomSetting(src, o)})
			}
		}
		p = append(p, s)
	}
	return p.String()
}

// unsound lists options that change results because of the user's knowledge of the hardware: the
// verifier may rightly refute them.
var unsound = map[string]bool{"fold.zero-products": true}

func randomSetting(src gen.Source, o *passes.Option) string {
	var values []string
	if _, err := strconv.Atoi(o.Default); err == nil || o.Number {
		values = append(values, "1", "2", "3", "4", "8")
	}
	if o.Default == "true" || o.Default == "false" {
		values = append(values, "true", "false")
	}
	values = append(values, o.Words...)
	if len(values) == 0 {
		return o.Default
	}
	return values[src.IntN(len(values))]
}

// describe returns a one-line description of the task.
func (t *task) describe() string {
	var names []string
	for _, f := range t.input.Files {
		names = append(names, f.Name)
	}
	text := strings.Join(names, ",") + " by " + t.options.Pipeline
	if t.options.Fit != "" {
		text += " to fit " + t.options.Fit
	}
	return text
}
