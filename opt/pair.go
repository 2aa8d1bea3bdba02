package opt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/opt/fit"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// pairSubject is the subject for Direct3D 9 programs: a vertex and a pixel program that are drawn together, or
// one program. Slices are parallel to the files of the input.
//
// There are up to three versions of each program before any pass. input is the program as read. meant
// is normalized under the promises of the user (colours within 0..1, textures of one level). programs
// is ported to the profiles of --fit. Rewrites start from programs; verification compares with meant.
type pairSubject struct {
	z         *optimizer
	original  []*d3d9.Program             // as read
	input     []*d3d9.Program             // original, with the versions of shared programs
	meant     []*d3d9.Program             // input, normalized under the assumptions
	reference []*d3d9.Program             // original, normalized likewise; results are compared with it
	versions  []*sharedVersion            // parallel; nil for an unchanged program
	programs  []*d3d9.Program             // meant, ported to the profiles of fit
	fit       map[d3d9.Stage]d3d9.Profile // profiles to fit, nil for the programs' own
	lifted    []*ir.Func                  // parallel; nil for a program that cannot be lifted, or is frozen
	// frozen are the lifted programs that stay unchanged: those that other inputs also have
	// (Options.Host.Shared), and those of models that emission does not write.
	frozen []*ir.Func
	// carried, if set, is the unit to start from. Its vertex program passes on the constants for which
	// the profile of the pixel program has no registers.
	carried *passes.Unit
	// flattened is set if branches of lifted were flattened for a profile without them.
	flattened bool
	tooLarge  asm.Diags // limits that the input exceeds
	idle      asm.Diags // unused reads of components that an instruction left undefined
	// tolerated has the tolerable rule violations of the input, which a result may have too.
	tolerated map[asm.Code]bool
	cost      passes.Cost // of programs
	// prices caches prices by fingerprint of the function: passes try the same version in several ways.
	prices   map[stageVersion]stagePrice
	emitters []*vsps.Emitter // parallel; nil until needed
	written  []written       // parallel: the last versions from the emitters
	strict   bool            // versions that are priced are validated, see errUnchecked
	gpus     *pair.GPUs      // GPUs of the target; nil if slots decide
	// drawn caches prices on GPUs, and compared caches comparisons with the input on them, by the
	// fingerprints of both programs.
	drawn    map[[3][2]uint64][2]int
	compared map[[3][2]uint64]pair.Comparison
}

// readInput reads the programs, sorts their diagnostics and lifts them. It tolerates errors that leave the
// program a meaning (limits, reads of unwritten components) and rejects all others.
func (p *pairSubject) readInput() (err error) {
	if _, err := p.z.o.Target.GPUs(); err != nil {
		return err
	}
	if p.input, err = input.ReadPrograms(p.z.in); err != nil {
		if p.z.o.Fit != "" {
			err = alsoBroken(p.z.in, err)
		}
		return err
	}
	res := p.z.res
	p.takeVersions()
	p.meant, p.reference = p.z.o.meant(res, p.input), p.z.o.meant(&Result{}, p.original)
	for i, v := range p.versions {
		if v == nil && p.original[i] == p.input[i] {
			p.reference[i] = p.meant[i]
		}
	}
	p.programs = p.meant
	if p.z.o.Draw.Case != nil && len(p.programs) != 2 {
		return needsPair(p.z.in)
	}
	if p.z.o.known, err = p.z.o.promise(res, p.programs...); err != nil {
		return err
	}
	p.z.o.notePartner(res, p.input)
	res.before(p.original)
	p.cost = pair.SlotCost(p.input)
	var wrong asm.Diags
	for i, q := range p.programs {
		// Broken rules make the input invalid; exceeded limits make it too large, which optimization
		// may repair.
		all := d3d9.Validate(q).In(p.z.in.Files[i].Name)
		for _, d := range pair.Tolerated(all) {
			if p.tolerated == nil {
				p.tolerated = map[asm.Code]bool{}
			}
			p.tolerated[d.Code] = true
			res.remark(d.Pos, d.Code, d.Msg)
			if d.Code == d3d9.Uninitialized {
				last := &res.Remarks[len(res.Remarks)-1]
				last.Stage, last.File, last.Column = p.z.in.StageOf(d.Pos.File), d.Pos.File, d.Pos.Col
			}
		}
		w, large := pair.Classify(all)
		if p.z.o.Fit != "" {
			w, large = fit.Mendable(w, large)
		}
		if q != p.input[i] {
			if _, own := pair.Classify(d3d9.Validate(p.input[i])); len(own) == 0 {
				large = nil // the input fits, and its form under a promise must be cheaper
			}
		}
		w, undefined := pair.SplitUndefined(w)
		p.idle = append(p.idle, undefined...)
		wrong, p.tooLarge = append(wrong, w...), append(p.tooLarge, large...)
	}
	if len(wrong) > 0 {
		return p.refuse(append(p.idle, wrong...))
	}
	// --fit: rewrite the programs for the profile as far as possible before lifting.
	if err := p.retarget(p.later()); err != nil {
		return err
	}
	p.lift()
	if p.gpus, err = pair.NewGPUs(p.z.o.Target, p.z.o.Draw.PixelsPerVertex, p.z.o.spend.whole, p.inputDraw); err != nil {
		return err
	}
	p.specialize()
	for i, f := range p.lifted {
		if len(p.idle) > 0 && pair.DependsOnUndefined(cmp.Or(f, p.frozen[i])) {
			return p.refuse(p.idle)
		}
	}
	// Do the rest of the work of retarget on the lifted form.
	if err := p.restate(); err != nil {
		return err
	}
	p.noteFrozen()
	p.noteExceeded()
	remarkLinks(res, p.input)
	p.drawn, p.compared = map[[3][2]uint64][2]int{}, map[[3][2]uint64]pair.Comparison{}
	if p.gpus == nil || p.hasVersions() { // programs without prices, or with shared versions
		return res.draws(&p.z.o.Options, p.z.o.spend.whole, p.original)
	}
	for i, t := range p.gpus.Targets {
		res.Draws = append(res.Draws, pair.DrawCosts{Target: t.Name, Before: pair.CostOfDraw(&p.gpus.Before[0][i], pair.Scene(p.z.o.Draw.PixelsPerVertex))})
	}
	return nil
}

// refuse returns the errors of the input. With --fit, it adds the limits that could be repaired.
func (p *pairSubject) refuse(wrong asm.Diags) error {
	if p.z.o.Fit != "" {
		wrong = append(wrong, fit.WithRepairs(p.tooLarge)...)
	}
	return fit.SortedByPlace(wrong)
}

// lift lifts the programs. A valid program that cannot be lifted stays unchanged, with a remark; the
// other program of the pair is still optimized.
func (p *pairSubject) lift() {
	res := p.z.res
	p.lifted, p.frozen, p.prices = make([]*ir.Func, len(p.programs)), make([]*ir.Func,
		len(p.programs)), map[stageVersion]stagePrice{}
	p.emitters, p.written = make([]*vsps.Emitter, len(p.programs)), make([]written, len(p.programs))
	for i, q := range p.programs {
		f, err := p.dialect(q).Lift()
		if err != nil { // valid, but not supported
			for _, d := range input.DiagsOf(err) {
				res.remark(d.Pos, d.Code, fmt.Sprintf("the %s program stays unchanged: %s", q.Model.Stage, d.Msg))
			}
			continue
		}
		f.Budget = p.z.o.spend.whole
		if p.isShared(q) || !vsps.CanEmit(q.Model) {
			p.frozen[i] = f
			continue
		}
		p.lifted[i] = f
	}
}

func (p *pairSubject) isShared(q *d3d9.Program) bool {
	return slices.Contains(p.z.o.Host.Shared, q.Model.Stage)
}

// understood reports whether all programs of the input could be lifted.
func (p *pairSubject) understood() bool {
	for i, f := range p.lifted {
		if f == nil && p.frozen[i] == nil {
			return false
		}
	}
	return true
}

// inputDraw returns the draw of the input. It uses the lifted programs if they equal the input.
func (p *pairSubject) inputDraw() (*draw.Draw, error) {
	if p.retargeted() || slices.Contains(p.lifted, nil) {
		return pair.DrawOf(p.z.o.spend.whole, p.input)
	}
	u := p.stages()
	var link *ir.Linkage
	var err error
	if u.Stages != nil {
		link, err = u.Stages.Link()
	}
	return draw.FromFuncs(u.Vertex, u.Pixel, link), err
}

// specialize binds promised constants and the outputs of an unchanged vertex program to literals and
// values, so that passes fold them.
func (p *pairSubject) specialize() {
	res := p.z.res
	for i, q := range p.programs {
		f := p.lifted[i]
		if f == nil && !vsps.CanEmit(q.Model) {
			f = p.frozen[i] // for the remarks on promises
		}
		if f == nil {
			continue
		}
		p.z.o.specialize(f, q.Model.Stage, res)
		switch {
		case res.Partner != "":
			if _, drawn := p.z.o.withPartner([]*d3d9.Program{q}); len(drawn) == 2 {
				p.specializeFor(drawn, f)
			}
		case q.Model.Stage == d3d9.Pixel && i == 1 && p.frozen[0] != nil:
			p.specializeFor(p.meant, f)
		}
		f.Budget = p.z.o.spend.price
	}
}

// specializeFor rewrites f for the outputs of a vertex program that does not change.
func (p *pairSubject) specializeFor(drawn []*d3d9.Program, f *ir.Func) {
	for _, why := range pair.SpecializeForVertex(p.z.class, drawn, f) {
		p.z.res.remark(asm.Pos{}, "unwritten-varying", why)
	}
}

func (p *pairSubject) exceeded() asm.Diags { return p.tooLarge }

// retargeted reports whether the programs differ from those that were read.
func (p *pairSubject) retargeted() bool { return !slices.Equal(p.programs, p.input) }

// restated reports whether the unit differs from the input before any pass runs. It was retargeted or
// flattened.
func (p *pairSubject) restated() bool { return p.retargeted() || p.flattened }

func (p *pairSubject) static() bool { return p.gpus == nil }

// report records the costs of a candidate, or of the input if c is nil.
func (p *pairSubject) report(c *candidate) {
	if c == nil {
		p.z.res.after(p.input)
		for i, q := range p.input {
			if len(q.Included) > 0 {
				p.z.res.remark(asm.Pos{}, "included",
					fmt.Sprintf("%s stays unchanged, because it includes %s", asm.Shown(p.z.in.Files[i].Name),
						strings.Join(q.Included, ", ")))
			}
		}
		return
	}
	p.z.res.after(c.programs)
	if p.z.traced {
		p.z.emission = emission{programs: c.emitted, rewrites: p.stepsOf(p.z.made)}
	}
	if c.prices == nil {
		p.z.res.drawsAfter(&p.z.o.Options, p.z.o.spend.whole, c.programs)
	}
	for i := range c.prices {
		cost := pair.CostOfDraw(&c.prices[i], pair.Scene(p.z.o.Draw.PixelsPerVertex))
		p.z.res.Draws[i].After = &cost
	}
	// A rounding bound needs both programs lifted.
	if p.understood() {
		o := p.z.o
		o.Host.Uploads = c.uploads
		options := o.verification(p.z.class, reportEffort)
		p.z.res.bound(p.reference, c.programs, &c.report, o, options)
	}
}

// remarkLinks warns of pixel inputs that the vertex program does not write. It also warns of pairs that
// Direct3D 9 does not draw: it draws a program of 3.0 only with a program of 3.0.
func remarkLinks(res *Result, programs []*d3d9.Program) {
	if len(programs) != 2 {
		return
	}
	vs, ps := programs[0], programs[1]
	if vs.Model.Major >= 3 != (ps.Model.Major >= 3) {
		res.remark(asm.Pos{}, "mixed-models", fmt.Sprintf("Direct3D 9 cannot draw with %s and %s together", vs.Model,
			ps.Model))
	}
	link, err := vsps.Link(vs, ps)
	if err != nil {
		return
	}
	// A Link without an output is an input that nothing writes. Only declared inputs are reported.
	for _, v := range link.Links {
		if v.Out.File != ir.File(d3d9.NoFile) {
			continue
		}
		in := d3d9.Reg{File: d3d9.File(v.In.File), Index: v.In.Index}
		at := slices.IndexFunc(ps.Insts, func(i d3d9.Inst) bool { return i.Op == d3d9.OpDcl && i.Dst.Reg == in })
		if at >= 0 {
			res.remark(ps.Insts[at].Pos, "unwritten-varying",
				fmt.Sprintf("the pixel program reads %s, which the vertex program does not write", in))
		}
	}
}
