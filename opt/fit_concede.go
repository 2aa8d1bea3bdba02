package opt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/fit"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// concede searches for relaxations with which the input fits. It tries promises about the application
// first, then numerics, the level and conditions of the host, and last a larger profile. It tries no
// float constants: a value that saves enough turns the effect off. Each trial is a run of Optimize with
// verification. So it tries nothing under a time limit, with fuel or with an explicit pipeline.
func (p *fitPair) concede() (list []fit.Concession) {
	o, in := p.z.o, p.z.in
	if o.Limits.Time > 0 || o.Limits.Fuel != nil || o.spelled() {
		return nil
	}
	o.Report.Remarks, o.Hooks.Observe, o.Hooks.AfterStage = nil, nil, nil // trials do not report their steps
	try := func(brief bool, change func(*Options)) (*Result, bool) {
		changed := o
		change(&changed.Options)
		z, err := changed.run(in, mode{compact: p.z.compact, trial: brief})
		return z.res, err == nil
	}
	far := p.z.res.Nearest.Hopeless(p.fit[d3d9.Pixel], 1)
	fits := func(change func(*Options)) bool {
		if far {
			return false
		}
		_, ok := try(true, change)
		return ok
	}
	// Promises about the application.
	var ways []fit.Way[Options]
	promise := func(option string, give func(*Options)) {
		ways = append(ways, fit.Way[Options]{Option: option, Give: give})
	}
	assume := func(a input.Assumption) {
		promise("--assume "+a.String(), func(j *Options) { j.Host.Assume = append(slices.Clone(j.Host.Assume), a) })
	}
	if len(in.Files) == 2 && o.Host.PixelConstants == input.Separate && !p.z.compact { // effects try this on their own
		promise("--host-constants mirrored", func(j *Options) { j.Host.PixelConstants = input.Mirrored })
	}
	if !slices.Contains(o.Host.Assume, input.OneLevel) {
		assume(input.OneLevel)
	}
	if programs, err := input.ReadPrograms(in); err == nil && slices.ContainsFunc(programs, pair.ReadsColours) &&
		!slices.Contains(o.Host.Assume, input.UnitColours) {
		assume(input.UnitColours)
	}
	if c := fit.Conceded(ways, fits); c.Option != "" {
		list = append(list, c)
	}
	// The least permissive numerics that suffices.
	for class := o.Numerics + 1; class <= ir.Approx; class++ {
		if fits(func(j *Options) { j.Numerics = class }) {
			list = append(list, fit.Concession{Option: "--numerics " + class.String()})
			break
		}
	}
	if n := o.number(); o.Pipeline != "" && n < suite.MaxLevel && fits(func(j *Options) { j.Pipeline = "" }) {
		list = append(list, fit.Concession{Option: fmt.Sprintf("-O%d", suite.MaxLevel)})
	}
	for _, set := range fit.Enough(fit.Promisable(p.input), func(set []fit.Candidate) bool {
		return fits(func(j *Options) {
			j.Host.Constants = slices.Clone(j.Host.Constants)
			for _, c := range set {
				j.Host.Constants = append(j.Host.Constants, c.Constant)
			}
		})
	}) {
		list = append(list, fit.OfConstants(set))
	}
	// The profile: without the restrictions after its name, then its larger siblings.
	name, _, more := strings.Cut(o.Fit, ",")
	larger := []string{name}
	if name == "ps_2_0" {
		larger = append(larger, "ps_2_b", "ps_2_a")
	}
	for _, profile := range larger {
		if !more && profile == name || p.tooFar(profile) {
			continue
		}
		if res, ok := try(false, func(j *Options) { j.Fit = profile }); ok {
			list = append(list, fit.Concession{Option: "--fit " + profile})
			if profile == name {
				p.nearOf(res.Files)
				p.fewest(func(temps int) (*Result, bool) {
					return try(false, func(j *Options) { j.Fit = fmt.Sprintf("%s,max-temps=%d", name, temps) })
				})
			}
			break
		}
	}
	return list
}

// tooFar reports whether the nearest program exceeds the limits of a profile by far.
func (p *pairSubject) tooFar(profile string) bool {
	to, err := d3d9.ParseProfile(profile)
	return err == nil && p.z.res.Nearest.Hopeless(to, 1)
}
