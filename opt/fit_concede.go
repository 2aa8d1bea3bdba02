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
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// concede searches for relaxations with which the input fits. It tries promises about the application
// first, then numerics, the level and values of constants, and last a larger profile. Each trial is a
// whole run of Optimize with verification. So it tries nothing under a time limit, with fuel or with an
// explicit pipeline.
func (p *fitPair) concede() (list []fit.Concession) {
	o, in := p.z.o, p.z.in
	if o.Limits.Time > 0 || o.Limits.Fuel != nil || o.spelled() {
		return nil
	}
	constants := p.candidateConstants()
	o.Report.Remarks, o.Hooks.Observe, o.Hooks.AfterStage = nil, nil, nil // trials do not report their steps
	try := func(change func(*Options)) (*Result, bool) {
		changed := o
		change(&changed.Options)
		z, err := changed.run(in, mode{compact: p.z.compact})
		return z.res, err == nil
	}
	fits := func(change func(*Options)) bool { _, ok := try(change); return ok }
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
	if class, err := o.class(); err == nil {
		for class++; class <= ir.Approx; class++ {
			if fits(func(j *Options) { j.Numerics = class.String() }) {
				list = append(list, fit.Concession{Option: "--numerics " + class.String()})
				break
			}
		}
	}
	if n := o.number(); o.Pipeline != "" && n < suite.MaxLevel && fits(func(j *Options) { j.Pipeline = "" }) {
		list = append(list, fit.Concession{Option: fmt.Sprintf("-O%d", suite.MaxLevel)})
	}
	// Values of constants.
	for _, set := range fit.Enough(constants, func(set []fit.Candidate) bool {
		return fits(func(j *Options) {
			j.Numerics = ir.Approx.String()
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
		if !more && profile == name {
			continue
		}
		if res, ok := try(func(j *Options) { j.Fit = profile }); ok {
			list = append(list, fit.Concession{Option: "--fit " + profile})
			if profile == name {
				p.nearOf(res.Files)
				p.fewest(func(temps int) (*Result, bool) {
					return try(func(j *Options) { j.Fit = fmt.Sprintf("%s,max-temps=%d", name, temps) })
				})
			}
			break
		}
	}
	return list
}

// candidateConstants lists values of pixel constants that would make the program smaller, in the order
// of fit.Sort. Savings are estimates from folding alone, without verification.
func (p *pairSubject) candidateConstants() (list []fit.Candidate) {
	for i, q := range p.input {
		if q.Model.Stage != d3d9.Pixel {
			continue
		}
		table, _ := q.ConstantTable() // used for names only
		least := p.folded(i, nil)
		for _, c := range fit.Promisable(q) {
			promise := fit.Candidate{Constant: c, Saved: least - p.folded(i, &c)}
			// A bool decides a branch; folding it may remove most of the program.
			if c.Reg.File == ir.File(d3d9.ConstBool) {
				promise.Saved = q.Model.Limits().MaxSlots
			}
			if table != nil {
				if e := table.Lookup(d3d9.Reg{File: d3d9.File(c.Reg.File), Index: c.Reg.Index}); e != nil {
					promise.Name = e.Name
				}
			}
			if promise.Saved > 0 {
				list = append(list, promise)
			}
		}
	}
	excess := 0
	if n := p.z.res.Nearest; n != nil {
		excess = n.Excess()
	}
	fit.Sort(list, excess)
	return list
}

// folded returns the slots of program i once constant c is known (nil: unchanged), after folding, value
// numbering, copy propagation and dead code elimination. It returns 0 if the program cannot be
// processed.
func (p *pairSubject) folded(i int, c *input.Constant) int {
	if i >= len(p.lifted) || p.lifted[i] == nil {
		return 0
	}
	u := &passes.Unit{Pixel: p.lifted[i].Clone()}
	if c != nil {
		known := map[ir.Reg]uint32{}
		for k, comp := range c.Comps {
			r := c.Reg
			r.Comp = comp
			known[r] = c.Words[k]
		}
		u.Pixel.Specialize(known)
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: algebra.Fold}, {Pass: cleanup.GVN}, {Pass: cleanup.Copyprop},
		{Pass: cleanup.DCE}}, passes.Config{Numerics: passes.Approx}); err != nil {
		return 0
	}
	e := p.dialect(p.programs[i]).NewEmitter()
	defer e.Close()
	q, err := e.Emit(u.Pixel)
	if err != nil {
		return 0
	}
	return d3d9.Measure(q).Slots
}
