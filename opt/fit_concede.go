package opt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// Concession is a relaxation that makes a program fit. Each was tried alone and its result verified.
type Concession struct {
	// Option is the option of the command.
	Option string `json:"option"`
	// Parameter is the name of the constants that Option sets, if the program has them.
	Parameter string `json:"parameter,omitempty"`
}

// String returns the option and the parameter that it sets.
func (c Concession) String() string {
	if c.Parameter == "" {
		return c.Option
	}
	return fmt.Sprintf("%s (%s)", c.Option, c.Parameter)
}

const (
	// maxTrials limits the constants that are tried.
	maxTrials = 8
	// maxConcessions limits the constants that are reported.
	maxConcessions = 3
	// maxTogether limits the constants that are combined if one is not enough.
	maxTogether = 4
)

// concede searches for relaxations with which the input fits. It tries promises about the application
// first, then numerics, the level and values of constants, and last a larger profile. Each trial is a
// whole run of Optimize with verification. So it tries nothing under a time limit, with fuel or with an
// explicit pipeline.
func (p *fitPair) concede() (list []Concession) {
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
	promise := func(a input.Assumption) promiseOption {
		return promiseOption{"--assume " + a.String(),
			func(j *Options) { j.Host.Assume = append(slices.Clone(j.Host.Assume), a) }}
	}
	// Promises about the application.
	var ways []promiseOption
	if len(in.Files) == 2 && o.Host.PixelConstants == input.Separate && !p.z.compact { // effects try this on their own
		ways = append(ways,
			promiseOption{"--host-constants mirrored", func(j *Options) { j.Host.PixelConstants = input.Mirrored }})
	}
	if !slices.Contains(o.Host.Assume, input.OneLevel) {
		ways = append(ways, promise(input.OneLevel))
	}
	if programs, err := input.ReadPrograms(in); err == nil && slices.ContainsFunc(programs, pair.ReadsColours) &&
		!slices.Contains(o.Host.Assume, input.UnitColours) {
		ways = append(ways, promise(input.UnitColours))
	}
	if c := conceded(ways, fits); c.Option != "" {
		list = append(list, c)
	}
	// The least permissive numerics that suffices.
	if class, err := o.class(); err == nil {
		for class++; class <= ir.Approx; class++ {
			if fits(func(j *Options) { j.Numerics = class.String() }) {
				list = append(list, Concession{Option: "--numerics " + class.String()})
				break
			}
		}
	}
	if n := o.number(); o.Pipeline != "" && n < suite.MaxLevel && fits(func(j *Options) { j.Pipeline = "" }) {
		list = append(list, Concession{Option: fmt.Sprintf("-O%d", suite.MaxLevel)})
	}
	// Values of constants.
	for _, set := range enough(constants, func(set []constantCandidate) bool {
		return fits(func(j *Options) {
			j.Numerics = ir.Approx.String()
			j.Host.Constants = slices.Clone(j.Host.Constants)
			for _, c := range set {
				j.Host.Constants = append(j.Host.Constants, c.Constant)
			}
		})
	}) {
		list = append(list, concession(set))
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
			list = append(list, Concession{Option: "--fit " + profile})
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

// promiseOption is an option that promises a property, and its change to the options.
type promiseOption struct {
	option string
	give   func(*Options)
}

// conceded returns the first option that suffices alone. If there is none, it returns a minimal set of
// options that suffices together.
func conceded(ways []promiseOption, fits func(func(*Options)) bool) (c Concession) {
	all := func(ways []promiseOption) func(*Options) {
		return func(j *Options) {
			for _, w := range ways {
				w.give(j)
			}
		}
	}
	for _, w := range ways {
		if fits(w.give) {
			return Concession{Option: w.option}
		}
	}
	if len(ways) < 2 || !fits(all(ways)) {
		return c
	}
	// Options are dropped from the end, since the first are easier to promise.
	for i := len(ways) - 1; i >= 0 && len(ways) > 2; i-- {
		if without := slices.Delete(slices.Clone(ways), i, i+1); fits(all(without)) {
			ways = without
		}
	}
	for _, w := range ways {
		c.Option = strings.TrimSpace(c.Option + " " + w.option)
	}
	return c
}

// enough returns sets of constants, each of which suffices: up to maxConcessions single constants. If
// there is none, it returns one minimal set of up to maxTogether constants.
func enough(constants []constantCandidate, fits func([]constantCandidate) bool) (list [][]constantCandidate) {
	for _, c := range constants[:min(len(constants), maxTrials)] {
		known := slices.ContainsFunc(list, func(set []constantCandidate) bool { return set[0].Reg == c.Reg })
		if !known && len(list) < maxConcessions && fits([]constantCandidate{c}) {
			list = append(list, []constantCandidate{c})
		}
	}
	if len(list) > 0 {
		return list
	}
	// Add one after the other, most useful first, until they suffice.
	var set []constantCandidate
	for _, c := range constants {
		if slices.ContainsFunc(set, func(d constantCandidate) bool {
			return d.Reg == c.Reg &&
				slices.Equal(d.Comps, c.Comps)
		}) {
			continue
		}
		if set = append(set, c); len(set) > maxTogether {
			return nil
		}
		if len(set) > 1 && fits(set) {
			break
		}
	}
	if len(set) < 2 || !fits(set) {
		return nil
	}
	for i := len(set) - 2; i >= 0; i-- { // the last constant made it fit
		if without := slices.Delete(slices.Clone(set), i, i+1); fits(without) {
			set = without
		}
	}
	return [][]constantCandidate{set}
}

// concession builds the concession for all constants of a set.
func concession(set []constantCandidate) (c Concession) {
	options, names := []string{"--numerics approx"}, []string(nil) // products with 0 are 0
	for _, one := range set {
		options = append(options, "--constant "+one.Constant.String())
		if one.name != "" && !slices.Contains(names, one.name) {
			names = append(names, one.name)
		}
	}
	return Concession{Option: strings.Join(options, " "), Parameter: strings.Join(names, ", ")}
}

// constantCandidate is a constant of the application whose value, if known, would make a program
// smaller.
type constantCandidate struct {
	input.Constant
	name  string // of the parameter
	saved int    // estimated slots, from folding
}

// candidateConstants lists values of pixel constants that would make the program smaller. Those that
// save about the excess over the limits come first, smallest saving first. The others follow by
// decreasing saving. Savings are estimates from folding alone, without verification.
func (p *pairSubject) candidateConstants() (list []constantCandidate) {
	for i, q := range p.input {
		if q.Model.Stage != d3d9.Pixel {
			continue
		}
		table, _ := q.ConstantTable() // used for names only
		least := p.folded(i, nil)
		for _, c := range promisable(q) {
			promise := constantCandidate{Constant: c, saved: least - p.folded(i, &c)}
			// A bool decides a branch; folding it may remove most of the program.
			if c.Reg.File == ir.File(d3d9.ConstBool) {
				promise.saved = q.Model.Limits().MaxSlots
			}
			if table != nil {
				if e := table.Lookup(d3d9.Reg{File: d3d9.File(c.Reg.File), Index: c.Reg.Index}); e != nil {
					promise.name = e.Name
				}
			}
			if promise.saved > 0 {
				list = append(list, promise)
			}
		}
	}
	excess := 0
	if n := p.z.res.Nearest; n != nil {
		excess = n.Excess()
	}
	slices.SortStableFunc(list, func(a, b constantCandidate) int {
		// A constant suffices, presumably, if it saves three quarters of the excess: folding enables
		// further savings.
		near := func(c constantCandidate) int { return 4*c.saved - 3*excess }
		switch x, y := near(a), near(b); {
		case x >= 0 && y >= 0:
			return cmp.Compare(x, y)
		default:
			return cmp.Compare(y, x)
		}
	})
	return list
}

// promisable lists possible promises about each constant register that q reads and does not define: all
// components are 0, one component is 0 or 1, or the value of a bool. It omits registers read by
// relative addressing.
func promisable(q *d3d9.Program) (list []input.Constant) {
	done := map[d3d9.Reg]bool{}
	for i := range q.Insts {
		if in := &q.Insts[i]; in.HasDst && (in.Op == d3d9.OpDef || in.Op == d3d9.OpDefB) {
			done[in.Dst.Reg] = true
		}
	}
	for i := range q.Insts {
		for _, s := range q.Insts[i].Sources() {
			var texts []string
			switch {
			case done[s.Reg] || s.Rel != (d3d9.Rel{}):
			case s.File == d3d9.Const:
				for _, comp := range "xyzw" {
					texts = append(texts, fmt.Sprintf("c%d.%c=0", s.Index, comp), fmt.Sprintf("c%d.%c=1", s.Index, comp))
				}
				texts = append(texts, fmt.Sprintf("c%d=0,0,0,0", s.Index))
			case s.File == d3d9.ConstBool:
				texts = append(texts, fmt.Sprintf("b%d=false", s.Index), fmt.Sprintf("b%d=true", s.Index))
			}
			for _, text := range texts {
				if c, err := input.ParseConstant("ps:" + text); err == nil { // fails for invalid registers
					list = append(list, c)
				}
			}
			done[s.Reg] = true
		}
	}
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
