package opt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/fit"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/vsps"
)

// fitProfile returns the profile that o requires of programs, or nil.
func (o *Options) fitProfile() (*d3d9.Profile, error) {
	if o.Fit == "" {
		return nil, nil
	}
	p, err := d3d9.ParseProfile(o.Fit)
	if err != nil {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-profile", "%v", err)
	}
	return &p, nil
}

// retarget rewrites the programs for the profiles that they must fit, and sets p.fit and p.programs.
// later names the features left to passes (see restate), which are not errors here.
func (p *pairSubject) retarget(later vsps.Later) error {
	to, err := p.z.o.fitProfile()
	if to == nil || err != nil {
		return err
	}
	if p.fit, err = fit.Profiles(to, p.input); err != nil {
		return err
	}
	var before vsps.Pair
	for i, q := range p.meant {
		switch {
		case q.Model.Stage == d3d9.Pixel:
			before.Pixel = q
		case p.fit[d3d9.Vertex].Model.Major < 3: // these clamp colours anyway
			before.Vertex = p.input[i]
		default:
			before.Vertex = q
		}
	}
	behind := p.behind()
	if behind != nil {
		before.Vertex, p.fit[d3d9.Vertex] = behind, d3d9.Profile{Model: behind.Model, Limits: behind.Model.Limits()}
	}
	after, wrong := vsps.Retarget(before, p.fit[d3d9.Vertex], p.fit[d3d9.Pixel], later)
	if len(wrong) > 0 {
		for _, d := range wrong {
			switch {
			case d.Code == "fit-level" && !slices.Contains(p.z.o.Host.Assume, input.OneLevel):
				d.Msg += ", which textures of one level do not need: --assume one-level"
			case d.Code == "fit-partner" && p.input[0].Model.Stage == d3d9.Pixel:
				d.Msg += ", or the host of a lone pixel program: --partner " + strings.Join(Partners(), ", ") +
					" or a vertex program"
			}
		}
		wrong = fit.Grouped(wrong)
		return fmt.Errorf("%w: %w", pair.ErrFit, wrong[:min(len(wrong), maxDiags)])
	}
	if behind != nil {
		after.Vertex = nil
	}
	p.programs = nil
	for _, q := range []*d3d9.Program{after.Vertex, after.Pixel} {
		if q != nil {
			p.programs = append(p.programs, q)
		}
	}
	return p.sharedFits()
}

// sharedFits rejects a shared program that would have to change to fit: its other pairs may need
// another version.
func (p *pairSubject) sharedFits() error {
	for i, q := range p.programs {
		if p.isShared(q) && q.Model != p.input[i].Model {
			return fmt.Errorf("%w: %w", pair.ErrFit, asm.Errorf(asm.Pos{File: p.z.in.Files[i].Name}, "fit-shared",
				"it would have to become %s, and other inputs have it as well: give its pairs in runs of their own", q.Model))
		}
	}
	return nil
}

// behind returns the partner of a pixel program of 3.0 if the partner is below 3.0, as in most
// frameworks. Its registers determine those of the pixel program.
func (p *pairSubject) behind() *d3d9.Program {
	_, drawn := p.z.o.withPartner(p.input)
	if len(p.input) != 1 || len(drawn) != 2 || drawn[0].Model.Major >= 3 {
		return nil
	}
	return drawn[0]
}

// later returns the features missing from the profile that passes can remove.
func (p *pairSubject) later() (later vsps.Later) {
	if p.z.class >= passes.Real {
		later |= vsps.LaterBranches
	}
	if p.z.o.Host.PixelConstants == input.Mirrored && len(p.input) == 2 {
		later |= vsps.LaterConstants
	}
	return later
}

// restate applies the work that retarget left to passes. It flattens branches, and passes constants
// beyond the registers of the profile through the vertex program. If that fails, it retargets the
// programs with nothing left to passes, so that the diagnostics name the obstacles.
func (p *pairSubject) restate() error {
	if p.fit == nil {
		return nil
	}
	if err := p.withoutBranches(); err == nil && p.carry() == nil {
		return nil
	}
	if err := p.retarget(0); err != nil {
		return err
	}
	p.flattened = false
	p.lift()
	p.specialize()
	return nil
}

// withoutBranches flattens the branches of programs whose profile has no if. It does not flatten
// precise values (those a position depends on), which must keep their terms.
func (p *pairSubject) withoutBranches() error {
	for i, f := range p.lifted {
		to := p.fit[p.programs[i].Model.Stage]
		if f == nil || to.Supports(d3d9.OpIfc) || p.later()&vsps.LaterBranches == 0 {
			continue
		}
		grant := func(in *ir.Instr, _ asm.Code, _ string) bool {
			p.flattened = p.flattened || !in.Precise
			return !in.Precise
		}
		if err := ifconvert.FlattenFunc(f, grant); err != nil {
			return err
		}
		cleanup.Sweep(f)
	}
	return nil
}

// carry turns pixel constants beyond the registers of the profile into outputs of the vertex program.
// It needs a pair, mirrored constants and free interpolators.
func (p *pairSubject) carry() error {
	u := p.freshUnit()
	if p.later()&vsps.LaterConstants == 0 || u == nil || u.Stages == nil {
		return nil
	}
	last := p.fit[d3d9.Pixel].Limits.MaxConst
	err := codemotion.Carry(u, p.z.mirrors,
		func(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Const && int(r.Index) >= last })
	if err == nil && len(u.Uploads) > 0 {
		p.carried = u
	}
	return err
}

// noteExceeded lists in tooLarge the limits of the profile that the programs exceed before any pass. A
// program for another model counts as too large even if it exceeds no limit, since the input cannot be
// the result.
func (p *pairSubject) noteExceeded() {
	if p.fit == nil {
		return
	}
	p.tooLarge = nil
	var varyings []ir.Varying
	if p.carried != nil {
		varyings = p.carried.Varyings
	}
	for i, f := range p.lifted {
		if p.carried != nil {
			f = p.carried.Funcs()[i]
		}
		q, err := p.programs[i], error(nil)
		if f != nil && q != p.input[i] {
			q, err = p.version(i, f, f.Fingerprint(varyings...), varyings)
		}
		if err != nil {
			p.tooLarge = append(p.tooLarge, asm.Errorf(asm.Pos{File: p.z.in.Files[i].Name}, "fit-registers", "%s: %v",
				p.fit[p.input[i].Model.Stage].Name, err))
			continue
		}
		wrong, large := p.validate(q)
		p.recordNearest(q)
		all := append(wrong, large...).In(p.z.in.Files[i].Name)
		slices.SortStableFunc(all, func(a, b *asm.Diag) int {
			return cmp.Or(a.Pos.Line-b.Pos.Line,
				a.Pos.Offset-b.Pos.Offset)
		})
		p.tooLarge = append(p.tooLarge, all...)
	}
	if p.tooLarge == nil && !slices.Equal(p.programs, p.meant) {
		p.tooLarge = asm.Diags{asm.Errorf(asm.Pos{File: p.z.in.Path()}, "fit-model",
			"the program is for another model than %s; a result for that profile could not be verified", p.z.o.Fit)}
	}
}

// dialect returns the dialect in which q is written.
func (p *pairSubject) dialect(q *d3d9.Program) *vsps.Dialect {
	if to, ok := p.fit[q.Model.Stage]; ok {
		return vsps.DialectFor(q, to)
	}
	return vsps.NewDialect(q)
}

// validate sorts the errors of q like [validate], within the profile to fit.
func (p *pairSubject) validate(q *d3d9.Program) (wrong, large asm.Diags) {
	var all asm.Diags
	if to, ok := p.fit[q.Model.Stage]; ok {
		all = to.Validate(q)
	} else {
		all = d3d9.Validate(q)
	}
	wrong, large = pair.Classify(all)
	for _, d := range pair.Tolerated(all) {
		if !p.tolerated[d.Code] {
			wrong = append(wrong, d)
		}
	}
	if len(p.idle) > 0 {
		wrong, _ = pair.SplitUndefined(wrong)
	}
	return wrong, large
}

func (p *pairSubject) checkFit(q *d3d9.Program) error { return pair.FitError(p.validate(q)) }

// misfits returns the reasons why the programs do not fit. If some plan fits except for clamped colours, that is
// the only reason.
func (m *fitPair) misfits() asm.Diags {
	for i, q := range m.input {
		if !m.z.clamped || q.Model.Stage != d3d9.Pixel || !pair.ReadsColours(q) {
			continue
		}
		for k := range q.Insts {
			if in := &q.Insts[k]; in.Op == d3d9.OpDcl && in.Decl.Usage == d3d9.UsageColor {
				pos := in.Pos
				pos.File = m.z.in.Files[i].Name
				return asm.Diags{asm.Errorf(pos, "fit-colour", "%s clamps the colour %s to 0..1, and %s does not",
					m.fit[d3d9.Pixel].Name, in.Dst.Reg, q.Model)}
			}
		}
	}
	return fit.Grouped(m.tooLarge)
}

// fitPair is a pair that has to fit another profile. It differs from a pair in its plans.
type fitPair struct{ pairSubject }

// clamped reports whether c is rejected only because the profile clamps colours and 3.0 does not.
func (m *fitPair) clamped(c *candidate, class passes.Class) bool {
	if slices.Contains(m.z.o.Host.Assume, input.UnitColours) ||
		!slices.ContainsFunc(m.input, pair.ReadsColours) || slices.ContainsFunc(c.programs, pair.ReadsColours) {
		return false
	}
	o := m.z.o
	o.Host.Assume, o.Host.Uploads = append(slices.Clone(o.Host.Assume), input.UnitColours), c.uploads
	return judge(o.meant(&Result{}, m.input), c.programs, o, o.verification(class, fullEffort)).Verdict >= m.z.least
}

// plans returns the levels up to the requested one, from the one that changes least. The first result
// that fits is used. The last plan moves code even if that costs slots (gather), since registers may be
// the scarce resource.
func (m *fitPair) plans(level passes.Pipeline) (list []passes.Plan) {
	if m.tooLarge == nil { // it fits
		return []passes.Plan{{Pipeline: level}}
	}
	for n := range suite.MaxLevel + 1 {
		p, _ := suite.Level(n)
		list = append(list, passes.Plan{Pipeline: p})
		if m.z.o.Pipeline != "" && p.String() == level.String() {
			break
		}
	}
	if list = append(list, passes.Plan{Pipeline: gathering(list[len(list)-1].Pipeline)}); m.z.trial {
		list = list[len(list)-2:]
	}
	return list
}

// ends reports whether the plans after number i of n are left out, because their programs would be too large. The
// plans before -O2 say less about them.
func (m *fitPair) ends(i, n int) bool {
	times := max(1, 3-i)
	if m.z.trial {
		times = 1
	}
	return i < n-1 && m.z.res.Nearest.Hopeless(m.fit[d3d9.Pixel], times)
}

// otherPlans implements planner.
func (m *fitPair) otherPlans() []passes.Plan { return nil }

// planLimit implements planner. Every plan does more than the one before it, so none is skipped.
func (m *fitPair) planLimit() int { return math.MaxInt }

// gathering returns p with code motion in the mode for many registers and few slots.
func gathering(p passes.Pipeline) passes.Pipeline {
	text := strings.ReplaceAll(p.String(), codemotion.Pass.Name+",", codemotion.Pass.Name+"{gather=true},")
	q, err := passes.Parse(text, suite.Passes)
	if err != nil {
		return p // a pipeline with passes that suite does not know
	}
	return q
}

// alsoBroken returns the error of an unparsable input in, together with the rules that other statements
// of the text break and the repairs for them.
func alsoBroken(in Input, err error) error {
	all := input.DiagsOf(err)
	for _, f := range in.Files {
		if !d3d9.IsText(f.Data) {
			continue
		}
		p, wrong := d3d9.ParsePart(f.Name, f.Data, in.Include)
		if p == nil || len(wrong) == 0 {
			continue
		}
		all = append(all, fit.WithRepairs(d3d9.Validate(p))...)
	}
	return fit.SortedByPlace(all)
}

// recordNearest notes q, written but too large, if it exceeds its limits by less than the version noted before.
// Users see it as a start for manual changes. Programs that break other rules do not help.
func (p *pairSubject) recordNearest(q *d3d9.Program) {
	if to, some := p.fit[q.Model.Stage]; some {
		if wrong, _ := p.validate(q); len(wrong) == 0 {
			p.z.res.Nearest = fit.Nearer(p.z.res.Nearest, to, q)
		}
	}
}

// nearOf notes programs that fit the profile without the restrictions after its name.
func (p *pairSubject) nearOf(files []File) {
	for _, f := range files {
		if q, err := input.ReadProgram(f); err == nil {
			p.recordNearest(q)
		}
	}
}

// fewest reduces the temporaries of the nearest version one at a time, as long as a run succeeds.
// Without a limit, the optimizer weighs temporaries last.
func (p *pairSubject) fewest(try func(temps int) (*Result, bool)) {
	for n := p.z.res.Nearest; n != nil && n.Exceeds[0].What == pair.Temporaries && n.Excess() > 1; n = p.z.res.Nearest {
		res, ok := try(n.Exceeds[0].Used - 1)
		if !ok {
			return
		}
		if p.nearOf(res.Files); p.z.res.Nearest == n { // it exceeds another limit
			return
		}
	}
}

// placed gives the diagnostics of q, an emitted program, positions in input i. Instructions made by
// passes have none.
func (p *pairSubject) placed(err error, q *d3d9.Program, i int) error {
	wrong, large := p.validate(q)
	for _, d := range append(wrong, large...) {
		if d.Pos.File == "" || !d.Pos.IsValid() {
			d.Pos = asm.Pos{File: p.z.in.Files[i].Name}
		}
	}
	return cmp.Or(pair.FitError(wrong, fit.Grouped(large)), err)
}
