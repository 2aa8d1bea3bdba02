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
	for i, input := range p.programs {
		if err := p.z.o.spend.price.Work(len(input.Insts)); err != nil {
			return passes.Cost{}, err
		}
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
		print[i] = key.fingerprint
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
	if safe := q.Model.Limits().Slots; p.tooLarge == nil && slots > safe && slots > slotsBefore {
		return stagePrice{err: fmt.Errorf("%d slots are more than every device of %s has (%d)", slots, q.Model, safe)}
	}
	return stagePrice{cost: cost}
}

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
