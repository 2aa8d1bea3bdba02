package shaderlift

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/flatten"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// fit is the profile that o asks programs to fit, nil if it asks for none.
func (o *Options) fit() (*d3d9.Profile, error) {
	if o.Fit == "" {
		return nil, nil
	}
	p, err := d3d9.ParseProfile(o.Fit)
	if err != nil {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-profile", "%v", err)
	}
	return &p, nil
}

// partner are the profiles of the other stage, by stage and by whether 3.0 is meant: programs of
// 3.0 are only drawn with programs of 3.0, and those of 2.0 and below among each other.
var partner = map[d3d9.Stage]map[bool]string{
	d3d9.Vertex: {false: "vs_2_0", true: "vs_3_0"},
	d3d9.Pixel:  {false: "ps_2_0", true: "ps_3_0"},
}

// retarget says the programs in the terms of the profiles that they are to fit, and sets p.fit and
// p.programs. later names what is left for passes (see restate), so that it is no error here.
func (p *pair) retarget(later vsps.Later) error {
	to, err := p.z.o.fit()
	if to == nil || err != nil {
		return err
	}
	p.fit = map[d3d9.Stage]d3d9.Profile{}
	modern := to.Model.Major >= 3
	// The program of the other stage keeps its own model. One that is of an older model than asked
	// for has no reason to become newer, but for the temporaries, which devices may have fewer of.
	for _, q := range p.input {
		own := d3d9.Profile{Name: q.Model.String(), Model: q.Model, Limits: q.Model.Limits()}
		p.fit[q.Model.Stage] = own
		if q.Model.Stage != to.Model.Stage {
			continue
		}
		if q.Model != to.Model && to.Model.AtLeast(q.Model.Major, q.Model.Minor) { // it fits, but for what else is asked
			own.Limits.Regs[d3d9.Temp] = min(own.Limits.Regs[d3d9.Temp], to.Limits.Regs[d3d9.Temp])
			p.fit[q.Model.Stage], modern = own, q.Model.Major >= 3
			continue
		}
		p.fit[q.Model.Stage] = *to
	}
	for _, q := range p.input { // both change sides, or none
		if stage := q.Model.Stage; stage != to.Model.Stage && (q.Model.Major >= 3) != modern {
			if p.fit[stage], err = d3d9.ParseProfile(partner[stage][modern]); err != nil {
				return err
			}
		}
	}
	var before vsps.Pair
	for i, q := range p.meant {
		switch {
		case q.Model.Stage == d3d9.Pixel:
			before.Pixel = q
		case p.fit[d3d9.Vertex].Model.Major < 3: // of which it need not be said that colours are clamped
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
		if !slices.Contains(p.z.o.Assume, OneLevel) {
			for _, d := range wrong {
				if d.Code == "fit-level" {
					d.Msg += ", which textures of one level do not need: --assume one-level"
				}
			}
		}
		return fmt.Errorf("%w: %w", ErrFit, wrong[:min(len(wrong), maxDiags)])
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
	return nil
}

// behind is the partner of a pixel program of version 3 if that is of a version below, as of
// most frameworks: its registers say what those of the pixel program have to be.
func (p *pair) behind() *d3d9.Program {
	_, drawn := p.z.o.withPartner(p.input)
	if len(p.input) != 1 || len(drawn) != 2 || drawn[0].Model.Major >= 3 {
		return nil
	}
	return drawn[0]
}

// repairs say what --fit does about the rules of a model that a program breaks, by the codes of
// diagnostics. All are limits but the last: a write to an output that the model does not allow, of
// which nobody would mean anything else.
var repairs = map[asm.Code]string{
	"arithmetic-limit":   "it is optimized until it does",
	"slot-limit":         "it is optimized until it does",
	"texture-limit":      "textures are read once for all that needs them",
	"temporary-limit":    "values share registers",
	"texture-dependency": "reads that depend on none are done before",
	"read-ports":         "all but one are copied first",
	"constant-reads":     "all but one are copied first",
	"source-swizzle":     "a temporary has the components in that order",
	"output-write":       "a temporary has it first",
}

// repaired is that as the end of a sentence.
func repaired(code asm.Code) string {
	if how := repairs[code]; how != "" {
		return "; " + how
	}
	return ""
}

// alsoBroken is err, which says what of in makes no sense, with the rules that other statements
// of a text break by themselves, and what would be done about them.
func alsoBroken(in Input, err error) error {
	all := diagsOf(err)
	for _, f := range in.Files {
		if !d3d9.IsText(f.Data) {
			continue
		}
		p, wrong := d3d9.ParsePart(f.Name, f.Data, in.Include)
		if p == nil || len(wrong) == 0 {
			continue
		}
		all = append(all, withRepairs(d3d9.Validate(p))...)
	}
	return sortedByPlace(all)
}

// withRepairs are those of diagnostics that have a repair, with it.
func withRepairs(all asm.Diags) (list asm.Diags) {
	for _, d := range all {
		if how := repaired(d.Code); how != "" {
			list = append(list, asm.Errorf(d.Pos, d.Code, "%s%s", d.Msg, how))
		}
	}
	return list
}

func sortedByPlace(all asm.Diags) asm.Diags {
	slices.SortStableFunc(all, func(a, b *asm.Diag) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Offset-b.Pos.Offset, a.Pos.Col-b.Pos.Col)
	})
	return all
}

// mendable moves diagnostics that --fit can repair from those that are wrong to the limits.
func mendable(wrong, large asm.Diags) (left, more asm.Diags) {
	for _, d := range wrong {
		if repairs[d.Code] != "" {
			large = append(large, d)
		} else {
			left = append(left, d)
		}
	}
	return left, large
}

// later is what passes can do about statements that the profile to fit has no words for.
func (p *pair) later() (later vsps.Later) {
	if p.z.class >= passes.Real {
		later |= vsps.LaterBranches
	}
	if p.z.o.HostConstants == Mirrored && len(p.input) == 2 {
		later |= vsps.LaterConstants
	}
	return later
}

// restate applies what retarget has left to passes: branches are flattened, and constants beyond
// the registers of the profile are handed over by the vertex program. If that fails, the programs
// are retargeted with nothing left for later, so that the diagnostics say what cannot be done.
func (p *pair) restate() error {
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

// withoutBranches flattens the branches of programs whose profile has no if. Precise values (those
// a position depends on) must keep their terms, and are not flattened.
func (p *pair) withoutBranches() error {
	for i, f := range p.lifted {
		to := p.fit[p.programs[i].Model.Stage]
		if f == nil || to.Has(d3d9.OpIfc) || p.later()&vsps.LaterBranches == 0 {
			continue
		}
		grant := func(in *ir.Instr, _ asm.Code, _ string) bool {
			p.flattened = p.flattened || !in.Precise
			return !in.Precise
		}
		if err := flatten.Func(f, grant); err != nil {
			return err
		}
		dce.Sweep(f)
	}
	return nil
}

// carry makes outputs of the vertex program of constants that the pixel profile has no registers
// for. It takes mirrored constants, a pair, and free interpolators.
func (p *pair) carry() error {
	u := p.unit()
	if p.later()&vsps.LaterConstants == 0 || u == nil || u.Stages == nil {
		return nil
	}
	last := p.fit[d3d9.Pixel].Limits.MaxConst
	err := codemotion.Carry(u, p.z.o.mirrors, func(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Const && int(r.Index) >= last })
	if err == nil && len(u.Uploads) > 0 {
		p.carried = u
	}
	return err
}

// noteExceeded lists in tooLarge the limits of the profile that the programs exceed before any pass. A
// program for another model counts as too large even if it exceeds nothing, since the input cannot
// be the result.
func (p *pair) noteExceeded() {
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
			p.tooLarge = append(p.tooLarge, asm.Errorf(asm.Pos{File: p.z.in.Files[i].Name}, "fit-registers", "%s: %v", p.fit[p.input[i].Model.Stage].Name, err))
			continue
		}
		wrong, large := p.validate(q)
		p.near(q)
		all := append(wrong, large...)
		slices.SortStableFunc(all, func(a, b *asm.Diag) int { return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Offset-b.Pos.Offset) })
		p.tooLarge = append(p.tooLarge, all...)
	}
	if p.tooLarge == nil && !slices.Equal(p.programs, p.meant) {
		p.tooLarge = asm.Diags{asm.Errorf(asm.Pos{File: p.z.in.Path()}, "fit-model", "it is for another model than %s, and what fits that is not verified", p.z.o.Fit)}
	}
}

// dialect is what q is to be written in.
func (p *pair) dialect(q *d3d9.Program) *vsps.Dialect {
	if to, ok := p.fit[q.Model.Stage]; ok {
		return vsps.DialectFor(q, to)
	}
	return vsps.NewDialect(q)
}

// validate sorts what is wrong with q as [validate] does, within the profile to fit.
func (p *pair) validate(q *d3d9.Program) (wrong, large asm.Diags) {
	var all asm.Diags
	if to, ok := p.fit[q.Model.Stage]; ok {
		all = to.Validate(q)
	} else {
		all = d3d9.Validate(q)
	}
	wrong, large = sorted(all)
	for _, d := range tolerated(all) {
		if !p.tolerated[d.Code] {
			wrong = append(wrong, d)
		}
	}
	if len(p.idle) > 0 {
		wrong, _ = splitUnwritten(wrong)
	}
	return wrong, large
}

func (p *pair) fits(q *d3d9.Program) error { return fitting(p.validate(q)) }

// fitPair is a pair that has to fit another profile. It differs from a pair in its plans.
type fitPair struct{ pair }

// clamped reports whether all that refutes c is that the profile clamps colours, which 3.0 does not.
func (m *fitPair) clamped(c *candidate, class passes.Class) bool {
	if c.report.Verdict != verify.Refuted || slices.Contains(m.z.o.Assume, UnitColours) ||
		!slices.ContainsFunc(m.input, readsColours) || slices.ContainsFunc(c.programs, readsColours) {
		return false
	}
	o := m.z.o
	o.Assume, o.Uploads = append(slices.Clone(o.Assume), UnitColours), c.uploads
	return judge(o.meant(&Result{}, m.input), c.programs, class, o, false).Verdict >= m.z.least
}

// plans are the levels up to the one asked for, beginning with the one that changes least; the
// first result that fits is taken. The last plan moves code even where that costs slots (gather),
// since registers may be what is short.
func (m *fitPair) plans(level passes.Pipeline) (list []plan) {
	if m.tooLarge == nil { // it fits
		return []plan{{pipeline: level}}
	}
	for n := range suite.MaxLevel + 1 {
		p, _ := suite.Level(n)
		list = append(list, plan{pipeline: p})
		if m.z.o.Pipeline != "" && p.String() == level.String() {
			break
		}
	}
	return append(list, plan{pipeline: gathering(list[len(list)-1].pipeline)})
}

// gathering is a pipeline that moves code as it does where registers are many and slots few.
func gathering(p passes.Pipeline) passes.Pipeline {
	text := strings.ReplaceAll(p.String(), codemotion.Pass.Name, codemotion.Pass.Name+"{gather=true}")
	q, err := passes.Parse(text, suite.Passes)
	if err != nil {
		return p // which somebody has made who has passes of his own
	}
	return q
}

// misfits are the techniques of an effect with passes whose programs, parts of it with errors,
// were to fit a profile and do not: a device that has no more cannot draw these techniques.
func (e *effect) misfits(errs []error) (names []string) {
	within := make([]bool, len(e.fx.Techniques))
	for i, err := range errs {
		if !errors.Is(err, ErrFit) {
			continue
		}
		for _, s := range e.parts[i].shaders {
			for t := range within {
				within[t] = within[t] || s.Technique == t || !s.InPass() && e.chooses(t, s.Stage)
			}
		}
	}
	for t, some := range within {
		if some {
			names = append(names, nameOr(e.fx.Techniques[t].Name.Text, t))
		}
	}
	return names
}

// chooses reports whether a technique has programs of a stage from parameters.
func (e *effect) chooses(technique int, stage d3d9.Stage) bool {
	return slices.ContainsFunc(e.fx.Sources()[technique], func(p [2]fx.Source) bool {
		return p[stage] == fx.Selected || p[stage] == fx.Referenced
	})
}
