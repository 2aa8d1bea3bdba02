package opt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// candidate writes and verifies the programs of a unit if they are good enough for the purpose;
// otherwise it returns nil without an error. An error of emission is an internal fault.
func (p *pairSubject) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	if to == toWrite && p.z.mirrors != nil && len(u.Uploads) == 0 {
		return nil, nil // the run without these constants finds it too
	}
	programs, err := p.emit(u)
	if err != nil {
		p.z.fault(err)
		return nil, nil
	}
	// Judging and blaming need no price, except that a version slower on a GPU can also be blamed.
	if to == toJudge || to == toBlame && p.gpus == nil {
		return p.write(class, programs, uploadsOf(u.Uploads), p.z.effortFor(class, to))
	}
	if p.gpus != nil && p.tooLarge == nil {
		return p.portable(u, class, programs, to)
	}
	// An input that exceeds its model gains by fitting, at any cost.
	if p.tooLarge == nil && !pair.SlotCost(programs).Less(p.cost) {
		if !p.z.o.Keep {
			return nil, nil
		}
		c, err := p.write(class, programs, uploadsOf(u.Uploads), fullEffort)
		if c != nil {
			c.dearer = true
		}
		return c, err
	}
	return p.choose(class, programs, uploadsOf(u.Uploads))
}

// portable writes and verifies the programs of a unit if they are worse on no GPU of the target, and
// better on one or in slots. With Options.Keep it writes any. The reason for a rejection is in
// candidate.worse, for the search for culprits.
func (p *pairSubject) portable(u *passes.Unit, class passes.Class, programs []*d3d9.Program, to purpose) (*candidate, error) {
	p.makeRoom()
	x, err := p.compare(u, programs)
	switch {
	case budget.IsExhausted(err):
		return nil, err
	case err != nil:
		return nil, p.z.fault(err)
	}
	slots := pair.SlotCost(programs)
	// There are three more ways of being worse: more slots, if slots are a target; a gain too small to
	// survive a compiler (see worthwhile); and changes of interpolated components while no GPU gains.
	switch {
	case x.Worse != "":
	case p.gpus.Slots && (passes.Cost{p.cost[0], p.cost[1]}).Less(passes.Cost{slots[0], slots[1]}):
		x.Worse = "it takes more slots"
	case p.gpus.Slots && !p.gpus.All:
	case p.gpus.Packs() && x.Slight() != "":
		x.Worse = x.Slight()
	case !x.Better && !pair.InterpolatesNoMore(p.programs, programs):
		x.Worse = "other components are interpolated, and no GPU gains by it"
	}
	better := x.Worse == "" && (x.Better || slots.Less(p.cost))
	switch {
	case !p.z.o.Keep && x.Worse != "":
		return &candidate{worse: x.Worse}, nil
	case to == toCompare:
		return nil, nil
	case to == toWrite && !p.z.o.Keep && !better:
		return nil, nil
	}
	for i, q := range programs {
		if old := p.programs[i]; to == toWrite && !old.Binary && p.frozen[i] == nil {
			transferComments(old, q)
		}
	}
	c, err := p.write(class, programs, uploadsOf(u.Uploads), p.z.effortFor(class, to))
	if c != nil {
		c.dearer, c.prices = !better, x.Prices
	}
	return c, err
}

// choose writes and verifies programs under --target d3d9. A program of a pair that got no cheaper
// stays unchanged, byte for byte, if the other one works with it. A quick proof decides this; if it
// fails, both are written.
func (p *pairSubject) choose(class passes.Class, programs []*d3d9.Program, uploads []input.Upload) (*candidate, error) {
	mixed := slices.Clone(programs)
	some := false
	for i, q := range programs {
		old := p.input[i]
		if !old.Binary && p.frozen[i] == nil {
			transferComments(old, q)
		}
		same := slices.EqualFunc(q.Insts, old.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) })
		if !same && !pair.SlotCost(programs[i:i+1]).Less(pair.SlotCost(p.input[i:i+1])) {
			mixed[i], some = old, true
		}
	}
	if some && len(uploads) == 0 && p.fit == nil {
		// If code moved between the programs, the mix is wrong, and the proofs fail fast.
		c, err := p.write(class, mixed, nil, quickEffort)
		if errors.Is(err, errUnchecked) || err == nil && c.report.Verdict >= verify.ProvedReal {
			return c, err
		}
	}
	return p.write(class, programs, uploads, fullEffort)
}

// compact removes unread entries from the constant table of a program of an effect, unless the program
// is unchanged. It does nothing while uploads still have to enter the table.
func (p *pairSubject) compact(q, old *d3d9.Program, uploads []input.Upload) error {
	if !p.z.compact || len(uploads) > 0 ||
		slices.EqualFunc(q.Insts, old.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) }) {
		return nil
	}
	return effect.CompactTable(q)
}

// mayUpload rejects uploads that HostConstants does not permit. Verification assumes all uploads, so it
// would not detect these.
func (z *optimizer) mayUpload(uploads []input.Upload) error {
	for _, u := range uploads {
		if z.o.Host.PixelConstants != input.Mirrored || z.mirrors != nil && (u.Lowered() || !z.mirrors(u.From.Index)) {
			return fmt.Errorf("the result needs an upload that the application cannot make, %s", u)
		}
	}
	return nil
}

// write writes programs, reads the bytes back, validates them and verifies them with the given effort.
// An error of encoding or of reading back is a fault. A broken rule of the model requests another
// attempt, in which prices validate.
func (p *pairSubject) write(class passes.Class, programs []*d3d9.Program, uploads []input.Upload,
	by effort) (*candidate, error) {
	if err := p.z.mayUpload(uploads); err != nil {
		return nil, p.z.fault(err)
	}
	c := &candidate{uploads: uploads}
	var written []*d3d9.Program
	for i, q := range programs {
		name := p.z.in.Files[i].Name
		// Update comments that count instructions ("approximately 12 slots used").
		if q != p.input[i] {
			recountSlots(q)
		}
		if err := p.compact(q, p.input[i], uploads); err != nil {
			return nil, p.z.fault(err)
		}
		data, err := d3d9.Write(q)
		if v := p.versions[i]; v != nil {
			data, err = v.data, nil
		}
		if err != nil {
			return nil, p.z.fault(err)
		}
		back, err := d3d9.Read(name, data)
		if err != nil {
			return nil, p.z.fault(fmt.Errorf("the result cannot be read again: %w", err))
		}
		if err := p.checkFit(back); err != nil {
			err = p.placed(err, q, i)
			p.recordNearest(back)
			if !p.strict {
				p.strict = true
				clear(p.prices)
				return nil, errUnchecked
			}
			return nil, err
		}
		c.files, written = append(c.files, File{Name: name, Data: data}), append(written, back)
	}
	c.programs, c.emitted = written, programs
	before, after := p.sides(written)
	o := p.z.o
	o.Host.Uploads = uploads
	c.report = p.z.judged(c.files, class, uploads, by, func() verify.Report {
		p.makeRoom()
		return judge(before, after, o, o.verification(class, by))
	})
	return c, nil
}

// maxRoom is the program size, in instructions, above which memory is freed for verification. Smaller
// programs take a few MB, and allocating that again takes longer.
const maxRoom = 1 << 13

// makeRoom frees the memory of emission and of prices before large programs are verified or compared on
// all GPUs, which takes as much memory again. Later versions are emitted or priced again. The memory of
// emitters is not reused, because their programs may refer to it.
func (p *pairSubject) makeRoom() {
	for i, q := range p.programs {
		if len(q.Insts) <= maxRoom {
			continue
		}
		p.emitters[i], p.written[i] = nil, written{}
		if p.gpus != nil {
			p.gpus.Memo.Close()
		}
	}
}

// sides returns the programs of the input and of a version that are compared. Programs that were not
// lifted are the same on both sides, and are omitted.
func (p *pairSubject) sides(version []*d3d9.Program) (before, after []*d3d9.Program) {
	for i, f := range p.lifted {
		switch {
		case f != nil:
			before, after = append(before, p.reference[i]), append(after, version[i])
		case p.frozen[i] != nil: // assumed equal on both sides
			before, after = append(before, p.reference[i]), append(after, p.meant[i])
		}
	}
	return before, after
}
