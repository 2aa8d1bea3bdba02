package shaderlift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/comments"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// candidate writes and verifies the programs of a unit if they are good enough for the purpose; nil
// without an error says that they are not. An error of emission is an internal fault.
func (p *pair) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	programs, err := p.emit(u)
	if err != nil {
		p.z.fault(err)
		return nil, nil
	}
	// Neither who judges nor who looks for blame asks for a price, but a version that is dearer on
	// a GPU is to blame for that, too.
	if to == toJudge || to == toBlame && p.gpus == nil {
		return p.write(class, programs, uploadsOf(u.Uploads), false)
	}
	if p.gpus != nil && p.tooLarge == nil {
		return p.portable(u, class, programs, to)
	}
	// An input that does not fit its model gains by fitting, whatever that costs.
	if p.tooLarge == nil && !costOf(programs).Less(p.cost) {
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

// portable writes and verifies the programs of a unit if they are worse on no GPU of the target, and
// better on one or in slots. With Options.Keep it writes any. Why a version is refused goes into
// candidate.worse, where culprits are looked for.
func (p *pair) portable(u *passes.Unit, class passes.Class, programs []*d3d9.Program, to purpose) (*candidate, error) {
	x, err := p.compare(u, programs)
	switch {
	case budget.Is(err):
		return nil, err
	case err != nil:
		return nil, p.z.fault(err)
	}
	slots := costOf(programs)
	// Three more ways of being worse: slots are a target too; the gain is too small to survive a
	// compiler (see worthwhile); or interpolated components change while no GPU gains.
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
		if old := p.programs[i]; to == toWrite && !old.Binary {
			comments.Keep(old, q)
		}
	}
	c, err := p.write(class, programs, uploadsOf(u.Uploads), false)
	if c != nil {
		c.dearer, c.prices = !better, x.prices
	}
	return c, err
}

// choose writes and verifies programs under --target d3d9. A program of a pair that got no cheaper
// stays as it was, byte for byte, if the other one works with it. Whether it does is found out by a
// proof that takes little time; if it fails, both are written.
func (p *pair) choose(class passes.Class, programs []*d3d9.Program, uploads []Upload) (*candidate, error) {
	mixed := slices.Clone(programs)
	some := false
	for i, q := range programs {
		old := p.input[i]
		if !old.Binary {
			comments.Keep(old, q)
		}
		same := slices.EqualFunc(q.Insts, old.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) })
		if !same && !costOf(programs[i:i+1]).Less(costOf(p.input[i:i+1])) {
			mixed[i], some = old, true
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

// compact removes from the constant table of a program of an effect what the program does not read,
// unless the program is unchanged. While uploads are to be entered into the table that has to wait.
func (p *pair) compact(q, old *d3d9.Program, uploads []Upload) error {
	if !p.z.o.compact || len(uploads) > 0 || slices.EqualFunc(q.Insts, old.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) }) {
		return nil
	}
	return hostconst.Compact(q)
}

// mayUpload refuses uploads that HostConstants does not allow for. Verification takes them for granted,
// so that nothing else would notice.
func (o *job) mayUpload(uploads []Upload) error {
	for _, u := range uploads {
		if o.HostConstants != Mirrored || o.mirrors != nil && (u.Lowered() || !o.mirrors(u.From.Index)) {
			return fmt.Errorf("the result is right only with an upload that may not be asked for, %s", u)
		}
	}
	return nil
}

// write writes programs, reads the bytes back, validates and verifies them. With cheap,
// verification stops where proofs end, before any draw is searched for. What cannot be encoded or
// read back is a fault; what breaks a rule of its model asks for another attempt, in which prices
// validate.
func (p *pair) write(class passes.Class, programs []*d3d9.Program, uploads []Upload, cheap bool) (*candidate, error) {
	if err := p.z.o.mayUpload(uploads); err != nil {
		return nil, p.z.fault(err)
	}
	c := &candidate{uploads: uploads}
	var written []*d3d9.Program
	for i, q := range programs {
		name := p.z.in.Files[i].Name
		// Comments that count instructions ("approximately 12 slots used") are brought up to date.
		if q != p.input[i] {
			comments.Recount(q)
		}
		if err := p.compact(q, p.input[i], uploads); err != nil {
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
	by := wholly
	if cheap {
		by = cheaply
	}
	c.report = p.z.judged(c.files, class, uploads, by, func() verify.Report { return judge(before, after, class, o, cheap) })
	return c, nil
}
