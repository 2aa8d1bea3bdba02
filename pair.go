package shaderlift

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/comments"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// pair is what an optimizer knows of Direct3D 9 programs: those of a pair, or one.
type pair struct {
	z        *optimizer
	was      []*d3d9.Program             // as read
	meant    []*d3d9.Program             // was, as it is meant under what is assumed
	programs []*d3d9.Program             // meant, within the profiles of fit
	fit      map[d3d9.Stage]d3d9.Profile // those to fit, nil for what the programs are of
	lifted   []*ir.Func                  // parallel; nil for a program that is not understood
	carried  *passes.Unit                // what lifted is with constants handed over, nil for lifted
	tooLarge asm.Diags                   // limits that the input exceeds
	idle     asm.Diags                   // reads of what nothing wrote, on which nothing depends
	cost     passes.Cost                 // of programs
	prices   map[stageVersion]stagePrice
	emitters []*vsps.Emitter // parallel; nil until needed
	written  []written       // parallel: what they wrote last
	strict   bool            // versions that are priced are validated, see errUnchecked
	gpus     *gpus           // that the target names; nil where slots decide
	drawn    map[[2][2]uint64]passes.Cost
}

func (p *pair) read() (err error) {
	if _, err := p.z.o.gpus(); err != nil {
		return err
	}
	if p.was, err = read(p.z.in); err != nil {
		if p.z.o.Fit != "" {
			err = alsoBroken(p.z.in, err)
		}
		return err
	}
	res := p.z.res
	p.meant = p.z.o.meant(res, p.was)
	p.programs = p.meant
	if p.z.o.Case != nil && len(p.programs) != 2 {
		return needsPair(p.z.in)
	}
	if err := p.z.o.promise(res, p.programs...); err != nil {
		return err
	}
	p.z.o.meet(res, p.was)
	res.before(p.programs)
	p.cost = costOf(p.programs)
	var wrong asm.Diags
	for _, q := range p.programs {
		w, large := validate(q)
		if p.z.o.Fit != "" {
			w, large = mendable(w, large)
		}
		w, unwritten := apart(w)
		p.idle = append(p.idle, unwritten...)
		wrong, p.tooLarge = append(wrong, w...), append(p.tooLarge, large...)
	}
	if len(wrong) > 0 {
		return p.refuse(append(p.idle, wrong...))
	}
	if err := p.retarget(p.later()); err != nil {
		return err
	}
	p.lift()
	if len(p.idle) > 0 && slices.ContainsFunc(p.lifted, dependsOnUnwritten) {
		return p.refuse(p.idle)
	}
	if err := p.restate(); err != nil {
		return err
	}
	p.misfits()
	remarkLinks(res, p.was)
	p.drawn = map[[2][2]uint64]passes.Cost{}
	if p.gpus, err = p.z.o.newGPUs(p.z.o.spend.whole, p.was); err != nil {
		return err
	}
	if p.gpus == nil { // which has its reason
		return res.draws(&p.z.o.Options, p.z.o.spend.whole, p.was)
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

// lift lifts the programs.
func (p *pair) lift() {
	res := p.z.res
	p.lifted, p.prices = make([]*ir.Func, len(p.programs)), map[stageVersion]stagePrice{}
	p.emitters, p.written = make([]*vsps.Emitter, len(p.programs)), make([]written, len(p.programs))
	for i, q := range p.programs {
		f, err := p.dialect(q).Lift()
		if err != nil { // valid, so the lack is ours
			for _, d := range diagsOf(err) {
				res.remark("", d.Pos, d.Code, fmt.Sprintf("the %s program is left as it is: %s", q.Model.Stage, d.Msg))
			}
			continue
		}
		p.z.o.specialize(f, q.Model.Stage, res)
		if res.Partner != "" {
			p.z.o.receive(res, p.z.class, q, f)
		}
		f.Budget = p.z.o.spend.price
		p.lifted[i] = f
	}
}

func (p *pair) exceeded() asm.Diags { return p.tooLarge }

// retargeted reports whether the programs are no longer those that were read.
func (p *pair) retargeted() bool { return !slices.Equal(p.programs, p.was) }

// restated: emission alone may save slots, by issuing instructions of ps_1_x together.
func (p *pair) restated() bool {
	if p.retargeted() {
		return true
	}
	for i, q := range p.programs {
		if m := q.Model; m.Stage == d3d9.Pixel && m.Major == 1 && p.lifted[i] != nil && len(p.z.pipeline) > 0 {
			is := p.price(i, p.lifted[i], p.lifted[i].Fingerprint(), nil)
			return is.err == nil && is.cost.Less(costOf([]*d3d9.Program{q}))
		}
	}
	return false
}

func (p *pair) static() bool { return p.gpus == nil }

func (p *pair) unit() *passes.Unit {
	if p.carried != nil {
		return p.carried.Clone()
	}
	u := &passes.Unit{Name: p.z.res.Name}
	var source vsps.Pair
	for i, f := range p.lifted {
		switch {
		case f == nil:
		case p.programs[i].Model.Stage == d3d9.Vertex:
			u.Vertex, source.Vertex = f, p.programs[i]
		default:
			u.Pixel, source.Pixel = f, p.programs[i]
		}
	}
	switch {
	case u.Vertex == nil && u.Pixel == nil:
		return nil
	case u.Vertex != nil && u.Pixel != nil:
		u.Stages = rounding.Stages{Pair: source}
	}
	return u.Clone()
}

// emit writes u over the programs it came from.
func (p *pair) emit(u *passes.Unit) ([]*d3d9.Program, error) {
	out := slices.Clone(p.programs)
	for i, was := range p.programs {
		f := u.Pixel
		if was.Model.Stage == d3d9.Vertex {
			f = u.Vertex
		}
		if f == nil {
			continue
		}
		q, err := p.version(i, f, f.Fingerprint(u.Varyings...), u.Varyings)
		if err != nil {
			return nil, err
		}
		kept := *q // later versions are written where this one is
		kept.Insts = slices.Clone(q.Insts)
		out[i] = &kept
	}
	return out, nil
}

func (p *pair) times(u *passes.Unit) []targetCost {
	programs, err := p.emit(u)
	if err != nil {
		return nil
	}
	o := p.z.o.everywhere()
	times, _ := o.drawCosts(new(Result), p.z.o.spend.whole, programs)
	return times
}

// emitter writes versions of program i.
func (p *pair) emitter(i int) *vsps.Emitter {
	if p.emitters[i] == nil {
		p.emitters[i] = p.dialect(p.programs[i]).NewEmitter()
	}
	return p.emitters[i]
}

// written are the versions that an emitter wrote last, with their fingerprints: the one that
// is taken in the end has mostly just been priced.
type written struct {
	prints   [vsps.Recent][2]uint64
	programs [vsps.Recent]*d3d9.Program
	next     int
}

// version is program i as emitted from f. It is good until a few others have been.
func (p *pair) version(i int, f *ir.Func, fingerprint [2]uint64, varyings []ir.Varying) (*d3d9.Program, error) {
	w := &p.written[i]
	if k := slices.Index(w.prints[:], fingerprint); k >= 0 {
		return w.programs[k], nil
	}
	q, err := p.emitter(i).Emit(f, varyings...)
	if err == nil {
		w.prints[w.next], w.programs[w.next] = fingerprint, q
		w.next = (w.next + 1) % vsps.Recent
	}
	return q, err
}

func (p *pair) close() {
	for _, e := range p.emitters {
		if e != nil {
			e.Close()
		}
	}
	p.emitters = nil
}

// errUnchecked asks for another attempt, in which all that is priced is validated. Emission
// keeps to the rules of 3.0, of which there are few that a shorter program can break, so that
// only what is written is validated at first.
var errUnchecked = errors.New("what is written breaks a rule that prices did not ask for")

// stagePrice is what a version of one of the programs costs, or why it has no price.
type stagePrice struct {
	cost passes.Cost
	err  error
}

// stageVersion names a version of one of the programs, by its index.
type stageVersion struct {
	program     int
	fingerprint [2]uint64
}

// measure prices those programs that a unit has. What breaks the rules of its model has no price; limits that
// the input exceeds may still be exceeded on the way.
//
// Prices are remembered: passes try the same thing in several ways, most motions leave one
// of the programs as it is, and what a pass priced last is what the next one starts from.
func (p *pair) measure(u *passes.Unit) (sum passes.Cost, err error) {
	var print [2][2]uint64
	prints := u.Fingerprints()
	for i, was := range p.programs {
		if err := p.z.o.spend.price.Work(len(was.Insts)); err != nil {
			return passes.Cost{}, err
		}
		f := u.Pixel
		if was.Model.Stage == d3d9.Vertex {
			f = u.Vertex
		}
		if f == nil && p.lifted[i] != nil {
			continue // it is not asked for
		}
		key := stageVersion{program: i}
		if f != nil {
			key.fingerprint = prints[slices.Index(u.Funcs(), f)]
		}
		print[i] = key.fingerprint
		is, known := p.prices[key]
		if !known {
			is = p.price(i, f, key.fingerprint, u.Varyings)
			p.prices[key] = is
		}
		if is.err != nil {
			return passes.Cost{}, is.err
		}
		for k, c := range is.cost {
			sum[k] += c
		}
	}
	if p.gpus == nil || p.tooLarge != nil {
		return sum, nil
	}
	if known, ok := p.drawn[print]; ok {
		return known, nil
	}
	if sum, err = p.gpus.price(u, sum); err == nil {
		p.drawn[print] = sum
	}
	return sum, err
}

// price emits f, of which it is told the fingerprint, in place of program i, which stays as it
// is if f is nil, and prices that.
func (p *pair) price(i int, f *ir.Func, fingerprint [2]uint64, varyings []ir.Varying) stagePrice {
	q := p.programs[i]
	if f != nil {
		var err error
		if q, err = p.version(i, f, fingerprint, varyings); err != nil {
			return stagePrice{err: err}
		}
	}
	cost := costOf([]*d3d9.Program{q})
	was, slots := p.z.res.Stages[i].Before.Slots, cost[0]+cost[1]
	if p.strict || p.tooLarge != nil || len(p.fit) > 0 || q.Model.Major < 3 || slots > was {
		wrong, large := p.validate(q)
		if len(wrong) > 0 {
			return stagePrice{err: wrong}
		}
		if p.tooLarge == nil && len(large) > 0 {
			return stagePrice{err: large}
		}
	}
	if safe := q.Model.Limits().Slots; p.tooLarge == nil && slots > safe && slots > was {
		return stagePrice{err: fmt.Errorf("%d slots are more than every device of %s has (%d)", slots, q.Model, safe)}
	}
	return stagePrice{cost: cost}
}

func (p *pair) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	programs, err := p.emit(u)
	if err != nil {
		p.z.fault(err)
		return nil, nil
	}
	if to == toJudge || to == toBlame && p.gpus == nil {
		return p.write(class, programs, uploadsOf(u.Uploads), false)
	}
	if p.gpus != nil && p.tooLarge == nil {
		return p.portable(class, programs, uploadsOf(u.Uploads), to)
	}
	if p.tooLarge == nil && !costOf(programs).Less(p.cost) { // what does not fit gains by fitting
		if !p.z.o.Keep {
			return nil, nil
		}
		c, err := p.write(class, programs, uploadsOf(u.Uploads), false)
		if c != nil {
			c.dearer = true
		}
		return c, err
	}
	return p.choose(class, programs, uploadsOf(u.Uploads))
}

// portable writes and verifies programs that are worse on no GPU, and better on one or in
// slots.
func (p *pair) portable(class passes.Class, programs []*d3d9.Program, uploads []Upload, to purpose) (*candidate, error) {
	x, err := p.gpus.compare(programs, p.z.o.Keep)
	switch {
	case budget.Is(err):
		return nil, err
	case err != nil:
		return nil, p.z.fault(err)
	}
	slots := costOf(programs)
	switch {
	case x.worse != "":
	case p.gpus.slots && p.cost.Less(slots):
		x.worse = "it takes more slots"
	case p.gpus.all:
		if x.worse = x.slight(); x.worse == "" && !x.better && !interpolatesNoMore(p.programs, programs) {
			x.worse = "other components are interpolated, and no GPU gains by it"
		}
	}
	better := x.worse == "" && (x.better || slots.Less(p.cost))
	switch {
	case !p.z.o.Keep && x.worse != "":
		return &candidate{worse: x.worse}, nil
	case to == toCompare:
		return nil, nil
	case to == toWrite && !p.z.o.Keep && !better:
		return nil, nil
	}
	for i, q := range programs {
		if was := p.programs[i]; to == toWrite && !was.Binary {
			comments.Keep(was, q)
		}
	}
	c, err := p.write(class, programs, uploads, false)
	if c != nil {
		c.dearer, c.prices = !better, x.prices
	}
	return c, err
}

// choose writes and verifies programs. A program of a pair that got no cheaper, or
// dearer to no one's gain, stays as it was, if the other one does with it as well.
func (p *pair) choose(class passes.Class, programs []*d3d9.Program, uploads []Upload) (*candidate, error) {
	mixed := slices.Clone(programs)
	some := false
	for i, q := range programs {
		was := p.was[i]
		if !was.Binary {
			comments.Keep(was, q)
		}
		same := slices.EqualFunc(q.Insts, was.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) })
		if !same && !costOf(programs[i:i+1]).Less(costOf(p.was[i:i+1])) {
			mixed[i], some = was, true
		}
	}
	if some && len(uploads) == 0 && p.fit == nil {
		// Where something has moved between the programs that is wrong, which proofs tell at once.
		c, err := p.write(class, mixed, nil, true)
		if errors.Is(err, errUnchecked) || err == nil && c.report.Verdict >= verify.ProvedReal {
			return c, err
		}
	}
	return p.write(class, programs, uploads, false)
}

// compact makes the table of a program of an effect smaller, unless it is was. Uploads have to
// find their places in it first.
func (p *pair) compact(q, was *d3d9.Program, uploads []Upload) error {
	if !p.z.o.compact || len(uploads) > 0 || slices.EqualFunc(q.Insts, was.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) }) {
		return nil
	}
	return hostconst.Compact(q)
}

// write writes programs, reads back what was written and verifies that, if asked to only as
// far as it is cheap.
func (p *pair) write(class passes.Class, programs []*d3d9.Program, uploads []Upload, cheap bool) (*candidate, error) {
	c := &candidate{uploads: uploads}
	var written []*d3d9.Program
	for i, q := range programs {
		name := p.z.in.Files[i].Name
		if q != p.was[i] {
			comments.Recount(q)
		}
		if err := p.compact(q, p.was[i], uploads); err != nil {
			return nil, p.z.fault(err)
		}
		data, err := d3d9.Write(q)
		if err != nil {
			return nil, p.z.fault(err)
		}
		back, err := d3d9.Read(name, data)
		if err != nil {
			return nil, p.z.fault(fmt.Errorf("what was written cannot be read: %w", err))
		}
		if err := p.fits(back); err != nil {
			err = p.placed(err, q, i)
			p.near(back)
			if !p.strict {
				p.strict = true
				clear(p.prices)
				return nil, errUnchecked
			}
			return nil, err
		}
		c.files, written = append(c.files, File{name, data}), append(written, back)
	}
	c.programs, c.emitted = written, programs
	// Programs that are not understood are the same on both sides.
	var before, after []*d3d9.Program
	for i, f := range p.lifted {
		if f != nil {
			before, after = append(before, p.meant[i]), append(after, written[i])
		}
	}
	o := p.z.o
	o.Uploads = uploads
	c.report = p.z.judged(c.files, class, uploads, cheap, func() verify.Report { return judge(before, after, class, o, cheap) })
	return c, nil
}

func (p *pair) report(c *candidate) {
	if c == nil {
		p.z.res.after(p.was)
		for i, q := range p.was {
			if len(q.Included) > 0 {
				p.z.res.remark("", asm.Pos{}, "included", fmt.Sprintf("%s comes back as it was, and includes %s", asm.Shown(p.z.in.Files[i].Name), strings.Join(q.Included, ", ")))
			}
		}
		return
	}
	p.z.res.after(c.programs)
	if p.z.o.emitted != nil {
		*p.z.o.emitted = c.emitted
	}
	if c.prices == nil {
		p.z.res.drawsAfter(&p.z.o.Options, p.z.o.spend.whole, c.programs)
	}
	for i := range c.prices {
		cost := costOfDraw(&c.prices[i], p.z.o.scene())
		p.z.res.Draws[i].After = &cost
	}
	if slices.Index(p.lifted, nil) < 0 {
		o := p.z.o
		o.Uploads = c.uploads
		p.z.res.bound(p.meant, c.programs, &c.report, o)
	}
}

// remarkLinks tells of pixel inputs that the vertex program leaves open.
func remarkLinks(res *Result, programs []*d3d9.Program) {
	if len(programs) != 2 {
		return
	}
	vs, ps := programs[0], programs[1]
	if vs.Model.Major >= 3 != (ps.Model.Major >= 3) {
		res.remark("", asm.Pos{}, "mixed-models", fmt.Sprintf("Direct3D 9 does not draw %s with %s", vs.Model, ps.Model))
	}
	link, err := vsps.Link(vs, ps)
	if err != nil {
		return
	}
	for _, v := range link.Links {
		if v.Out.File != ir.File(d3d9.NoFile) {
			continue
		}
		in := d3d9.Reg{File: d3d9.File(v.In.File), Index: v.In.Index}
		at := slices.IndexFunc(ps.Insts, func(i d3d9.Inst) bool { return i.Op == d3d9.OpDcl && i.Dst.Reg == in })
		if at >= 0 {
			res.remark("", ps.Insts[at].Pos, "unwritten-varying", fmt.Sprintf("the pixel program reads %s, which the vertex program does not write", in))
		}
	}
}
