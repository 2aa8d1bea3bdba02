package shaderlift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/numerics"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/copyprop"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/fold"
	"github.com/shaderlift/shaderlift/passes/gvn"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// Concession is something that, given up, makes a program fit: each was tried by itself, and what
// came of it verified.
type Concession struct {
	// Option is what to ask for, as the command has it.
	Option string `json:"option"`
	// Parameter is the name of the constants that Option sets, if the program has them.
	Parameter string `json:"parameter,omitempty"`
}

// String is the option, with what it sets.
func (c Concession) String() string {
	if c.Parameter == "" {
		return c.Option
	}
	return fmt.Sprintf("%s (%s)", c.Option, c.Parameter)
}

const (
	// maxTrials bounds the constants that are tried.
	maxTrials = 8
	// maxConcessions bounds how many of them are told.
	maxConcessions = 3
	// maxTogether bounds how many of them are given up together where one is not enough.
	maxTogether = 4
)

// concede finds what the user could give up so that the input, which does not fit, does: promises about
// the application first, then numerics, the level, values of constants, and at last a larger
// profile. Each is a whole run of Optimize with verification, so nothing is tried under a limit of
// time or fuel, or with a pipeline that is spelled out.
func (p *pair) concede() (list []Concession) {
	o, in, constants := p.z.o, p.z.in, p.candidateConstants()
	if o.TimeLimit > 0 || o.Fuel != nil || o.spelled() {
		return nil
	}
	// Trials neither look for concessions themselves nor tell anybody of what they do.
	o.conceding, o.emitted, o.rewrites, o.Remarks, o.Observe, o.AfterStage = true, nil, nil, nil, nil, nil
	try := func(change func(*job)) (*Result, bool) {
		changed := o
		change(&changed)
		res, err := changed.optimize(in)
		return res, err == nil
	}
	fits := func(change func(*job)) bool { _, ok := try(change); return ok }
	promise := func(a Assumption) promiseOption {
		return promiseOption{"--assume " + a.String(), func(j *job) { j.Assume = append(slices.Clone(j.Assume), a) }}
	}
	// Promises about the application.
	var ways []promiseOption
	if len(in.Files) == 2 && o.HostConstants == Separate && !o.compact { // effects try that by themselves
		ways = append(ways, promiseOption{"--host-constants mirrored", func(j *job) { j.HostConstants = Mirrored }})
	}
	if !slices.Contains(o.Assume, OneLevel) {
		ways = append(ways, promise(OneLevel))
	}
	if programs, err := read(in); err == nil && slices.ContainsFunc(programs, readsColours) && !slices.Contains(o.Assume, UnitColours) {
		ways = append(ways, promise(UnitColours))
	}
	if c := conceded(ways, fits); c.Option != "" {
		list = append(list, c)
	}
	// The least numerics that suffices.
	if class, err := o.class(); err == nil {
		for class++; class <= numerics.Approx; class++ {
			if fits(func(j *job) { j.Numerics = class.String() }) {
				list = append(list, Concession{Option: "--numerics " + class.String()})
				break
			}
		}
	}
	if n := o.number(); o.Pipeline != "" && n < suite.MaxLevel && fits(func(j *job) { j.Pipeline = "" }) {
		list = append(list, Concession{Option: fmt.Sprintf("-O%d", suite.MaxLevel)})
	}
	// Values of constants.
	for _, set := range enough(constants, func(set []constantCandidate) bool {
		return fits(func(j *job) {
			j.Numerics = numerics.Approx.String()
			j.Constants = slices.Clone(j.Constants)
			for _, c := range set {
				j.Constants = append(j.Constants, c.Constant)
			}
		})
	}) {
		list = append(list, concession(set))
	}
	// The profile: without the restrictions behind its name, then its larger siblings.
	name, _, more := strings.Cut(o.Fit, ",")
	larger := []string{name}
	if name == "ps_2_0" {
		larger = append(larger, "ps_2_b", "ps_2_a")
	}
	for _, profile := range larger {
		if !more && profile == name {
			continue
		}
		if res, ok := try(func(j *job) { j.Fit = profile }); ok {
			list = append(list, Concession{Option: "--fit " + profile})
			if profile == name {
				p.nearOf(res.Files)
				p.fewest(func(temps int) (*Result, bool) {
					return try(func(j *job) { j.Fit = fmt.Sprintf("%s,max-temps=%d", name, temps) })
				})
			}
			break
		}
	}
	return list
}

// promiseOption is an option that promises something, and the change to a job that stands for it.
type promiseOption struct {
	option string
	give   func(*job)
}

// conceded returns the first way that suffices alone; or else a set of ways that suffices together
// and from which none can be taken out.
func conceded(ways []promiseOption, fits func(func(*job)) bool) (c Concession) {
	all := func(ways []promiseOption) func(*job) {
		return func(j *job) {
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
	// The last ways are the ones to be spared first, since the first are easier to promise.
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

// enough returns sets of constants any of which suffices: up to maxConcessions single ones; if
// there is none, one set of up to maxTogether constants that is minimal, in that no constant can be
// left out.
func enough(constants []constantCandidate, fits func([]constantCandidate) bool) (list [][]constantCandidate) {
	for _, c := range constants[:min(len(constants), maxTrials)] {
		known := slices.ContainsFunc(list, func(set []constantCandidate) bool { return set[0].reg == c.reg })
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
		if slices.ContainsFunc(set, func(d constantCandidate) bool { return d.reg == c.reg && slices.Equal(d.comps, c.comps) }) {
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
	for i := len(set) - 2; i >= 0; i-- { // the last made it fit
		if without := slices.Delete(slices.Clone(set), i, i+1); fits(without) {
			set = without
		}
	}
	return [][]constantCandidate{set}
}

// concession is that of all constants of a set.
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

// constantCandidate is a constant of the application that would make a program smaller if it were known.
type constantCandidate struct {
	Constant
	name  string // of the parameter
	saved int    // slots, by what folds
}

// candidateConstants lists values of constants of the pixel program that would make it smaller: those first that
// save about as much as it exceeds its limits by (the least that might do), then the others by what
// they save. Savings are estimated by folding alone, without verification.
func (p *pair) candidateConstants() (list []constantCandidate) {
	for i, q := range p.input {
		if q.Model.Stage != d3d9.Pixel {
			continue
		}
		table, _ := q.ConstantTable() // names are all it is for
		least := p.folded(i, nil)
		for _, c := range promisable(q) {
			promise := constantCandidate{Constant: c, saved: least - p.folded(i, &c)}
			// A bool decides about a branch; folding it may remove most of the program.
			if c.file == "b" {
				promise.saved = q.Model.Limits().MaxSlots
			}
			if table != nil {
				if e := table.Lookup(d3d9.Reg{File: d3d9.File(c.reg.File), Index: c.reg.Index}); e != nil {
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
		excess = n.excess()
	}
	slices.SortStableFunc(list, func(a, b constantCandidate) int {
		// A constant is near enough if it saves three quarters of the excess: more follows from
		// folding.
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

// promisable lists what could be promised of a constant register that q reads and does not define
// itself: that all of it is 0, that a component is 0 or 1, or the value of a bool. Registers that
// are read by relative addressing are left out.
func promisable(q *d3d9.Program) (list []Constant) {
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
				if c, err := ParseConstant("ps:" + text); err == nil { // which it is but of registers that no model has
					list = append(list, c)
				}
			}
			done[s.Reg] = true
		}
	}
	return list
}

// folded is how many slots program i takes once constant c is known (nil: as it is), after folding,
// value numbering, copy propagation and dead code elimination. It is 0 if that cannot be told.
func (p *pair) folded(i int, c *Constant) int {
	if i >= len(p.lifted) || p.lifted[i] == nil {
		return 0
	}
	u := &passes.Unit{Pixel: p.lifted[i].Clone()}
	if c != nil {
		known := map[ir.Reg]uint32{}
		for k, comp := range c.comps {
			r := c.reg
			r.Comp = comp
			known[r] = c.words[k]
		}
		u.Pixel.Specialize(known)
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: fold.Pass}, {Pass: gvn.Pass}, {Pass: copyprop.Pass}, {Pass: dce.Pass}}, passes.Config{Numerics: passes.Approx}); err != nil {
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
