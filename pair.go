package shaderlift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// pair is the subject for Direct3D 9 programs: a vertex and a pixel program that are drawn
// together, or one program. Slices are parallel to the files of the input.
//
// There are up to three versions of each program before any pass: input, as it was read; meant,
// under what the user promises (colours within 0..1, textures of one level); and programs, which say the
// same within the profiles of --fit. Rewrites start from programs; verification compares with
// meant.
type pair struct {
	z        *optimizer
	input    []*d3d9.Program             // as read
	meant    []*d3d9.Program             // input, as it is meant under what is assumed
	programs []*d3d9.Program             // meant, within the profiles of fit
	fit      map[d3d9.Stage]d3d9.Profile // those to fit, nil for what the programs are of
	lifted   []*ir.Func                  // parallel; nil for a program that is not understood
	// carried, if set, is the unit to start from: with constants that the profile of the pixel
	// program has no registers for handed over by the vertex program.
	carried *passes.Unit
	// flattened is set if branches of lifted are, for a profile without them.
	flattened bool
	tooLarge  asm.Diags // limits that the input exceeds
	idle      asm.Diags // reads of what nothing wrote, on which nothing depends
	// tolerated has what the input has of what is tolerable, which a result may have as well.
	tolerated map[asm.Code]bool
	cost      passes.Cost // of programs
	// prices are remembered by fingerprint of the function: passes try the same version in several
	// ways.
	prices   map[stageVersion]stagePrice
	emitters []*vsps.Emitter // parallel; nil until needed
	written  []written       // parallel: what they wrote last
	strict   bool            // versions that are priced are validated, see errUnchecked
	gpus     *gpus           // that the target names; nil where slots decide
	// drawn are prices on GPUs, and compared what comparisons with the input came to there, by the
	// fingerprints of both programs.
	drawn    map[[3][2]uint64][2]int
	compared map[[3][2]uint64]gain
}

// read reads the programs, sorts out what is wrong with them and lifts them. Errors of the input
// that do not keep it from having a meaning (limits, unused reads of unwritten components) are
// tolerated, anything else is refused.
func (p *pair) read() (err error) {
	if _, err := p.z.o.gpus(); err != nil {
		return err
	}
	if p.input, err = read(p.z.in); err != nil {
		if p.z.o.Fit != "" {
			err = alsoBroken(p.z.in, err)
		}
		return err
	}
	res := p.z.res
	p.meant = p.z.o.meant(res, p.input)
	p.programs = p.meant
	if p.z.o.Case != nil && len(p.programs) != 2 {
		return needsPair(p.z.in)
	}
	if err := p.z.o.promise(res, p.programs...); err != nil {
		return err
	}
	p.z.o.notePartner(res, p.input)
	res.before(p.input)
	p.cost = costOf(p.input)
	var wrong asm.Diags
	for i, q := range p.programs {
		// Rules that are broken make the input wrong; limits that are exceeded make it too large,
		// which optimization may mend.
		all := d3d9.Validate(q)
		for _, d := range tolerated(all) {
			if p.tolerated == nil {
				p.tolerated = map[asm.Code]bool{}
			}
			p.tolerated[d.Code] = true
			res.remark(d.Pos, d.Code, d.Msg)
		}
		w, large := sorted(all)
		if p.z.o.Fit != "" {
			w, large = mendable(w, large)
		}
		if q != p.input[i] {
			if _, own := sorted(d3d9.Validate(p.input[i])); len(own) == 0 {
				large = nil // it fits as it came, and what is made of it under a promise has to be cheaper
			}
		}
		w, unwritten := splitUnwritten(w)
		p.idle = append(p.idle, unwritten...)
		wrong, p.tooLarge = append(wrong, w...), append(p.tooLarge, large...)
	}
	if len(wrong) > 0 {
		return p.refuse(append(p.idle, wrong...))
	}
	// --fit: say the programs in the terms of the profile, as far as that can be done before
	// lifting.
	if err := p.retarget(p.later()); err != nil {
		return err
	}
	p.lift()
	if p.gpus, err = p.z.o.newGPUs(p.z.o.spend.whole, p.draw); err != nil {
		return err
	}
	p.specialize()
	if len(p.idle) > 0 && slices.ContainsFunc(p.lifted, dependsOnUnwritten) {
		return p.refuse(p.idle)
	}
	// What retarget left to passes is done on the lifted form.
	if err := p.restate(); err != nil {
		return err
	}
	p.noteExceeded()
	remarkLinks(res, p.input)
	p.drawn, p.compared = map[[3][2]uint64][2]int{}, map[[3][2]uint64]gain{}
	if p.gpus == nil { // which has its reason
		return res.draws(&p.z.o.Options, p.z.o.spend.whole, p.input)
	}
	for i, t := range p.gpus.targets {
		res.Draws = append(res.Draws, DrawCosts{Target: t.Name, Before: costOfDraw(&p.gpus.before[0][i], p.z.o.scene())})
	}
	return nil
}

// refuse is what is wrong with the input, and of one to fit what could be mended besides.
func (p *pair) refuse(wrong asm.Diags) error {
	if p.z.o.Fit != "" {
		wrong = append(wrong, withRepairs(p.tooLarge)...)
	}
	return sortedByPlace(wrong)
}

// lift lifts the programs. One that is valid but not understood stays as it is, with a remark; the
// other one of the pair is still optimized.
func (p *pair) lift() {
	res := p.z.res
	p.lifted, p.prices = make([]*ir.Func, len(p.programs)), map[stageVersion]stagePrice{}
	p.emitters, p.written = make([]*vsps.Emitter, len(p.programs)), make([]written, len(p.programs))
	for i, q := range p.programs {
		f, err := p.dialect(q).Lift()
		if err != nil { // valid, so the lack is ours
			for _, d := range diagsOf(err) {
				res.remark(d.Pos, d.Code, fmt.Sprintf("the %s program is left as it is: %s", q.Model.Stage, d.Msg))
			}
			continue
		}
		f.Budget = p.z.o.spend.whole
		p.lifted[i] = f
	}
}

// draw is the input as it is drawn: what was lifted, if that is the input.
func (p *pair) draw() (*draw.Draw, error) {
	if p.retargeted() || slices.Contains(p.lifted, nil) {
		return drawOf(p.z.o.spend.whole, p.input)
	}
	u := p.stages()
	var link *ir.Linkage
	var err error
	if u.Stages != nil {
		link, err = u.Stages.Link()
	}
	return draw.Of(u.Vertex, u.Pixel, link), err
}

// specialize has promises of the user, and of the partner, become literals and values, so that
// passes fold them.
func (p *pair) specialize() {
	res := p.z.res
	for i, f := range p.lifted {
		if f == nil {
			continue
		}
		q := p.programs[i]
		p.z.o.specialize(f, q.Model.Stage, res)
		if res.Partner != "" {
			p.z.o.specializeForPartner(res, p.z.class, q, f)
		}
		f.Budget = p.z.o.spend.price
	}
}

func (p *pair) exceeded() asm.Diags { return p.tooLarge }

// retargeted reports whether the programs are no longer those that were read.
func (p *pair) retargeted() bool { return !slices.Equal(p.programs, p.input) }

// restated reports whether the unit is no longer the input before any pass has run: it was
// retargeted or flattened, or emission alone saves slots, by pairing instructions of ps_1_x for the colour and
// the alpha pipe.
func (p *pair) restated() bool {
	if p.retargeted() || p.flattened {
		return true
	}
	for i, q := range p.programs {
		if m := q.Model; m.Stage == d3d9.Pixel && m.Major == 1 && p.lifted[i] != nil && len(p.z.pipeline) > 0 {
			found := p.price(i, p.lifted[i], p.lifted[i].Fingerprint(), nil)
			return found.err == nil && found.cost.Less(costOf([]*d3d9.Program{q}))
		}
	}
	return false
}

func (p *pair) static() bool { return p.gpus == nil }

// report notes the costs of a candidate, or those of the input if c is nil.
func (p *pair) report(c *candidate) {
	if c == nil {
		p.z.res.after(p.input)
		for i, q := range p.input {
			if len(q.Included) > 0 {
				p.z.res.remark(asm.Pos{}, "included", fmt.Sprintf("%s comes back as it was, and includes %s", asm.Shown(p.z.in.Files[i].Name), strings.Join(q.Included, ", ")))
			}
		}
		return
	}
	p.z.res.after(c.programs)
	if p.z.o.emitted != nil {
		*p.z.o.emitted, *p.z.o.rewrites = c.emitted, p.z.made
	}
	if c.prices == nil {
		p.z.res.drawsAfter(&p.z.o.Options, p.z.o.spend.whole, c.programs)
	}
	for i := range c.prices {
		cost := costOfDraw(&c.prices[i], p.z.o.scene())
		p.z.res.Draws[i].After = &cost
	}
	// Rounding is bounded only if both programs are understood.
	if slices.Index(p.lifted, nil) < 0 {
		o := p.z.o
		o.Uploads = c.uploads
		p.z.res.bound(p.meant, c.programs, &c.report, o)
	}
}

// remarkLinks warns of pixel inputs that the vertex program does not write, and of pairs that
// Direct3D 9 does not draw: a program of 3.0 goes with a program of 3.0 only.
func remarkLinks(res *Result, programs []*d3d9.Program) {
	if len(programs) != 2 {
		return
	}
	vs, ps := programs[0], programs[1]
	if vs.Model.Major >= 3 != (ps.Model.Major >= 3) {
		res.remark(asm.Pos{}, "mixed-models", fmt.Sprintf("Direct3D 9 does not draw %s with %s", vs.Model, ps.Model))
	}
	link, err := vsps.Link(vs, ps)
	if err != nil {
		return
		// A Link without an output is an input that nothing writes. Only declared ones are told.
	}
	for _, v := range link.Links {
		if v.Out.File != ir.File(d3d9.NoFile) {
			continue
		}
		in := d3d9.Reg{File: d3d9.File(v.In.File), Index: v.In.Index}
		at := slices.IndexFunc(ps.Insts, func(i d3d9.Inst) bool { return i.Op == d3d9.OpDcl && i.Dst.Reg == in })
		if at >= 0 {
			res.remark(ps.Insts[at].Pos, "unwritten-varying", fmt.Sprintf("the pixel program reads %s, which the vertex program does not write", in))
		}
	}
}
