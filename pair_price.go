package shaderlift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// errUnchecked asks for another attempt in which every version that is priced is validated.
// Validation takes longer than counting slots, and emission keeps to the rules of 3.0 by itself, so
// in the first attempt only what is written is validated. It is that attempt which fails with
// errUnchecked. So it is for kernels, which are written only after they have been priced.
var errUnchecked = errors.New("what is written breaks a rule that prices did not ask for")

// stagePrice is what a version of one of the programs costs, or why it has no price.
type stagePrice struct {
	cost passes.Cost
	err  error
}

// stageVersion names a version of one program: its index and the fingerprint of the function.
type stageVersion struct {
	program     int
	fingerprint [2]uint64
}

// measure prices the programs that a unit has: sums of slots, or times on GPUs if those are the
// target. A version that breaks a rule of its model has no price. Limits that the input exceeds may
// still be exceeded on the way.
//
// Prices are remembered: passes try the same thing in several ways, most motions leave one of the
// programs as it is, and what a pass priced last is what the next one starts from.
func (p *pair) measure(u *passes.Unit) (sum passes.Cost, err error) {
	prints := u.Fingerprints()
	if err := p.charge(); err != nil {
		return passes.Cost{}, err
	}
	for i, input := range p.programs {
		f := u.Pixel
		if input.Model.Stage == d3d9.Vertex {
			f = u.Vertex
		}
		if f == nil && p.lifted[i] != nil {
			continue // it is not asked for
		}
		key := stageVersion{program: i}
		if f != nil {
			key.fingerprint = prints[slices.Index(u.Funcs(), f)]
		}
		found, known := p.prices[key]
		if !known {
			found = p.price(i, f, key.fingerprint, u.Varyings)
			p.prices[key] = found
		}
		if found.err != nil {
			return passes.Cost{}, found.err
		}
		for k, c := range found.cost {
			sum[k] += c
		}
	}
	if !p.timed() {
		return sum, nil
	}
	times, err := p.onGPUs(u, prints)
	return passes.Cost{times[0], times[1], sum[0], sum[1]}, err
}

// charge takes a price from the budget: by instructions of the input, which keeps the work of a run
// in proportion to its size, whatever the passes do.
func (p *pair) charge() (err error) {
	for i := 0; i < len(p.programs) && err == nil; i++ {
		err = p.z.o.spend.price.Work(len(p.programs[i].Insts))
	}
	return err
}

// timed tells that prices are of GPUs first.
func (p *pair) timed() bool { return p.gpus != nil && p.tooLarge == nil }

// onGPUs is the price there of a unit with these fingerprints. It is that of the pair and not a sum
// over its programs, since components that are interpolated cost either.
func (p *pair) onGPUs(u *passes.Unit, prints [3][2]uint64) (times [2]int, err error) {
	times, known := p.drawn[prints]
	if !known {
		if times, err = p.gpus.price(u, prints); err == nil {
			p.drawn[prints] = times
		}
	}
	return times, err
}

// compare compares a unit, which is written as programs, with the input on all GPUs. What is written
// depends on the fingerprints alone, and who looks for what is to blame, and who begins anew
// without that, meet versions that were compared before.
func (p *pair) compare(u *passes.Unit, programs []*d3d9.Program) (x gain, err error) {
	prints := u.Fingerprints()
	x, known := p.compared[prints]
	if !known {
		if x, err = p.gpus.compare(programs, p.z.o.Keep); err == nil {
			p.compared[prints] = x
		}
	}
	return x, err
}

// dearer tells by the price on GPUs, which takes no emission and goes first, that a unit costs more
// than that.
func (p *pair) dearer(u *passes.Unit, than passes.Cost) bool {
	if !p.timed() {
		return false
	}
	times, err := p.onGPUs(u, u.Fingerprints())
	more := err == nil && (passes.Cost{than[0], than[1]}).Less(passes.Cost{times[0], times[1]})
	return more && p.charge() == nil
}

// maxRuns is more than a program has runs of texture reads: as many statements are read.
const maxRuns = 1 << 16

// price emits f with the given fingerprint in place of program i (nil: the program as it is), and
// prices the result.
func (p *pair) price(i int, f *ir.Func, fingerprint [2]uint64, varyings []ir.Varying) stagePrice {
	q := p.programs[i]
	if f != nil {
		var err error
		if q, err = p.version(i, f, fingerprint, varyings); err != nil {
			return stagePrice{err: err}
		}
	}
	cost := costOf([]*d3d9.Program{q})
	slotsBefore, slots := p.z.res.Stages[i].Before.Slots, cost[0]+cost[1]
	if p.strict || p.tooLarge != nil || len(p.fit) > 0 || q.Model.Major < 3 || slots > slotsBefore {
		wrong, large := p.validate(q)
		if len(wrong) > 0 {
			return stagePrice{err: wrong}
		}
		if p.tooLarge == nil && len(large) > 0 {
			return stagePrice{err: large}
		}
	}
	// Every device has 512 slots of vs_3_0 and ps_3_0; some have more. A result must not need those
	// if the input did not.
	if safe := q.Model.Limits().Slots; p.tooLarge == nil && slots > safe && slots > slotsBefore {
		return stagePrice{err: fmt.Errorf("%d slots are more than every device of %s has (%d)", slots, q.Model, safe)}
	}
	if p.tooLarge != nil {
		limits := q.Model.Limits()
		if to, ok := p.fit[q.Model.Stage]; ok {
			limits = to.Limits
		}
		// Temporaries beyond the limit come before runs of reads: with these it cannot be written.
		cost[2] += max(0, cost[3]-limits.Regs[d3d9.Temp]) * maxRuns
	}
	return stagePrice{cost: cost}
}

// unit returns a fresh copy of the lifted programs, nil if none is understood.
func (p *pair) unit() *passes.Unit {
	if p.carried != nil {
		return p.carried.Clone()
	}
	u := p.stages()
	if u.Vertex == nil && u.Pixel == nil {
		return nil
	}
	return u.Clone()
}

// stages are the lifted programs, and what they were lifted from.
func (p *pair) stages() *passes.Unit {
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
	if u.Vertex != nil && u.Pixel != nil {
		u.Stages = rounding.Stages{Pair: source}
	}
	return u
}

// emit writes the programs of u. Programs that were not understood stay as they are.
func (p *pair) emit(u *passes.Unit) ([]*d3d9.Program, error) {
	out := slices.Clone(p.programs)
	for i, old := range p.programs {
		f := u.Pixel
		if old.Model.Stage == d3d9.Vertex {
			f = u.Vertex
		}
		if f == nil {
			continue
		}
		q, err := p.version(i, f, f.Fingerprint(u.Varyings...), u.Varyings)
		if err != nil {
			return nil, err
		}
		// Emitters reuse their buffers for later versions.
		kept := *q
		kept.Insts = slices.Clone(q.Insts)
		out[i] = &kept
	}
	return out, nil
}

// times prices a unit on all GPUs, whatever the target, for the search of plans and for reports.
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

// written is a ring of the versions that an emitter wrote last, by fingerprint. An emitter keeps as
// many versions valid, so a lookup returns the program without emitting again: the version that is
// taken in the end has mostly just been priced.
type written struct {
	prints   [vsps.Recent][2]uint64
	programs [vsps.Recent]*d3d9.Program
	next     int
}

// version is program i as emitted from f. It is valid until vsps.Recent other versions of this
// program have been emitted; who keeps it longer has to copy it.
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
	if p.gpus != nil {
		p.gpus.memo.Close()
	}
	for _, e := range p.emitters {
		if e != nil {
			e.Close()
		}
	}
	p.emitters = nil
}
