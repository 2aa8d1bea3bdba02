package opt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// errUnchecked requests another attempt that validates every priced version. Validation takes longer
// than counting slots, and emission respects the rules of 3.0, so the first attempt validates only
// written versions. If one is invalid, the first attempt fails with errUnchecked. Kernels use it too:
// they are written only after pricing.
var errUnchecked = errors.New("the result breaks a rule that pricing does not check")

// stagePrice is the price of a version of one of the programs, or the reason for its absence.
type stagePrice struct {
	cost passes.Cost
	err  error
}

// stageVersion identifies a version of one program by its index and the fingerprint of the function.
type stageVersion struct {
	program     int
	fingerprint [2]uint64
}

// measure prices the programs of a unit: sums of slots, or times on GPUs if the target names any. A
// version that breaks a rule of its model has no price. Limits that the input exceeds may be exceeded
// in between.
//
// Prices are cached, for three reasons. Passes try the same version in several ways, most code motions
// leave one program unchanged, and each pass starts from the version that the last one priced.
func (p *pairSubject) measure(u *passes.Unit) (sum passes.Cost, err error) {
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
			continue // not part of the unit
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
	if p.gpus.Slots {
		return passes.Cost{times[0], sum[0], sum[1], times[1], sum[4]}, err
	}
	return passes.Cost{times[0], times[1] + p.gpus.SlotWork(sum[0], p.cost[0]), sum[0], sum[1], sum[4]}, err
}

// charge takes the cost of a price from the budget. The cost is the number of instructions of the
// input, so the work of a run stays proportional to its size.
func (p *pairSubject) charge() (err error) {
	for i := 0; i < len(p.programs) && err == nil; i++ {
		err = p.z.o.spend.price.SpendSteps(len(p.programs[i].Insts))
	}
	return err
}

// timed reports whether GPU times come first in prices.
func (p *pairSubject) timed() bool { return p.gpus != nil && p.tooLarge == nil }

// onGPUs returns the price on GPUs of a unit with these fingerprints. It is a price of the pair and not
// a sum over programs, since interpolated components also have a cost.
func (p *pairSubject) onGPUs(u *passes.Unit, prints [3][2]uint64) (times [2]int, err error) {
	times, known := p.drawn[prints]
	if !known {
		if times, err = p.gpus.Price(u, prints); err == nil {
			p.drawn[prints] = times
		}
	}
	return times, err
}

// compare compares a unit, written as programs, with the input on all GPUs. Written programs depend
// only on the fingerprints. The search for culprits and later attempts meet versions again, so
// comparisons are cached.
func (p *pairSubject) compare(u *passes.Unit, programs []*d3d9.Program) (x pair.Comparison, err error) {
	prints := u.Fingerprints()
	x, known := p.compared[prints]
	if !known {
		if x, err = p.gpus.Compare(programs, p.z.o.Keep); err == nil {
			p.compared[prints] = x
		}
	}
	return x, err
}

// dearer reports whether a unit costs more than the given price on GPUs. That part of the price comes
// first and needs no emission.
func (p *pairSubject) dearer(u *passes.Unit, than passes.Cost) bool {
	if !p.timed() {
		return false
	}
	times, err := p.onGPUs(u, u.Fingerprints())
	if p.gpus.Slots { // slots come next in the price
		than[1], times[1] = 0, 0
	}
	more := err == nil && (passes.Cost{than[0], than[1]}).Less(passes.Cost{times[0], times[1]})
	return more && p.charge() == nil
}

// maxRuns exceeds the number of dependent texture read phases of any program, because it exceeds the
// number of statements that can be read.
const maxRuns = 1 << 16

// price emits f with the given fingerprint in place of program i and prices the result. If f is nil, it
// prices the unchanged program.
func (p *pairSubject) price(i int, f *ir.Func, fingerprint [2]uint64, varyings []ir.Varying) stagePrice {
	q := p.programs[i]
	if f != nil {
		var err error
		if q, err = p.version(i, f, fingerprint, varyings); err != nil {
			return stagePrice{err: err}
		}
	}
	cost := pair.SlotCost([]*d3d9.Program{q})
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
	// Every device has 512 slots of vs_3_0 and ps_3_0; some have more. A result may need more than 512
	// only if the input did.
	if safe := q.Model.Limits().Slots; p.tooLarge == nil && slots > safe && slots > slotsBefore {
		return stagePrice{err: fmt.Errorf("%d slots exceed the number that every device of %s has (%d)", slots, q.Model,
			safe)}
	}
	if p.tooLarge != nil {
		limits := q.Model.Limits()
		if to, ok := p.fit[q.Model.Stage]; ok {
			limits = to.Limits
		}
		// Temporaries beyond the limit outweigh dependent texture read phases: such a version cannot be
		// written.
		cost[2] += max(0, cost[3]-limits.Regs[d3d9.Temp]) * maxRuns
	}
	return stagePrice{cost: cost}
}

// freshUnit returns a fresh copy of the lifted programs, or nil if no program was lifted.
func (p *pairSubject) freshUnit() *passes.Unit {
	if p.carried != nil {
		return p.carried.Clone()
	}
	u := p.stages()
	if u.Vertex == nil && u.Pixel == nil {
		return nil
	}
	return u.Clone()
}

// stages returns the lifted programs and their sources.
func (p *pairSubject) stages() *passes.Unit {
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

// emit writes the programs of u. Frozen programs, and programs that were not lifted, stay unchanged.
func (p *pairSubject) emit(u *passes.Unit) ([]*d3d9.Program, error) {
	out := slices.Clone(p.programs)
	for i, old := range p.programs {
		if p.frozen[i] != nil {
			out[i] = p.input[i]
			continue
		}
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

// prefix prices a unit in slots, and on all GPUs regardless of the target.
func (p *pairSubject) prefix(u *passes.Unit) (*prefix, error) {
	programs, err := p.emit(u)
	if err != nil {
		return nil, err
	}
	times, _ := p.z.o.everywhere().drawCosts(new(Result), p.z.o.spend.whole, programs)
	return &prefix{pair.SlotCost(programs), times}, nil
}

// emitter returns the emitter of program i.
func (p *pairSubject) emitter(i int) *vsps.Emitter {
	if p.emitters[i] == nil {
		p.emitters[i] = p.dialect(p.programs[i]).NewEmitter()
	}
	return p.emitters[i]
}

// written is a ring of the last versions of an emitter, by fingerprint. An emitter keeps as many
// versions valid, so a lookup avoids another emission. The accepted version has usually just been
// priced.
type written struct {
	prints   [vsps.Recent][2]uint64
	programs [vsps.Recent]*d3d9.Program
	next     int
}

// version returns program i as emitted from f. It is valid until vsps.Recent other versions of this
// program have been emitted; callers copy it to keep it longer.
func (p *pairSubject) version(i int, f *ir.Func, fingerprint [2]uint64, varyings []ir.Varying) (*d3d9.Program, error) {
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

func (p *pairSubject) close() {
	if p.gpus != nil {
		p.gpus.Memo.Close()
	}
	for _, e := range p.emitters {
		if e != nil {
			e.Close()
		}
	}
	p.emitters = nil
}
