package proof

import (
	"math"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// The rule: how many times the bound of before, and how many units in the last place besides.
const (
	factor = 4
	places = 4
)

// maxArms bounds the arms of choices that are forced one by one. Others are reached at random.
const maxArms = 6 * lanes

// instability is a value that after computes with a much larger error than before.
type instability struct {
	at ref
	// In is the instruction of after that computes it; nil if none is known.
	In *ir.Instr
	// Before and After bound the errors at a point, and Value is the value there.
	Value, Before, After float64
	// Overflows tells that after has no finite value there.
	Overflows bool
}

// idle holds points whose memory is unused.
var idle = sync.Pool{New: func() any { return new(points) }}

// candidate is a value of after that before computes in other ways.
type candidate struct {
	after  ref
	before []ref
}

// Unstable finds a value that after computes with a much larger error than before does, where both were executed since Begin.
// Outputs of both, in pairs, are compared whether or not they have one image. It returns nil if there is no such value.
func (d *domain) Unstable(outputs [][2]stabilityValue) *instability {
	list := d.candidates(outputs)
	if len(list) == 0 {
		return nil
	}
	p := idle.Get().(*points)
	defer idle.Put(p)
	*p = points{domain: d, wanted: container.Zeros(p.wanted, len(d.nodes)),
		vals:     slices.Grow(p.vals[:0], len(d.nodes))[:len(d.nodes)],
		outcomes: container.Zeros(p.outcomes, len(d.differences)+1)}
	p.vals[0] = [lanes]number{} // no operand; a wanted node is computed before it is read
	defer func() { p.domain = nil }()
	for _, c := range list {
		p.wanted[c.after] = true
		for _, b := range c.before {
			p.wanted[b] = true
		}
	}
	d.needs(p.wanted, false)
	try := func(m mode) *instability {
		p.mode = m
		p.evaluate()
		p.first += lanes
		return p.judge(list)
	}
	for _, m := range []mode{natural, forced, cut} {
		if u := try(m); u != nil {
			return u
		}
	}
	arms := d.armSigns(list)
	for len(arms) > 0 {
		n := min(len(arms), len(p.forced))
		for i := range p.forced {
			p.forced[i] = arms[i%n]
		}
		arms = arms[n:]
		for _, m := range []mode{forced, cut} {
			if u := try(m); u != nil {
				return u
			}
		}
	}
	return nil
}

// candidates lists the values that are compared, in the order in which after computes them. A value that is only compared with
// another one is none.
func (d *domain) candidates(outputs [][2]stabilityValue) (list []candidate) {
	passed := make([]bool, len(d.nodes)) // what outputs and opaque functions are computed from
	for _, r := range d.operands {
		passed[r] = true
	}
	for _, o := range outputs {
		passed[o[1].at] = true
	}
	for r := len(d.nodes) - 1; r > 0; r-- {
		if passed[r] {
			for _, a := range d.nodes[r].values() {
				passed[a] = true
			}
		}
	}
	of := map[uint64][]ref{} // values of before, by image
	for r := range d.nodes {
		n := &d.nodes[r]
		if n.seen[1] == d.round && n.seen[0] != d.round && n.isNumber() {
			of[n.image] = nil
		}
	}
	for r := range d.nodes {
		n := &d.nodes[r]
		if refs, ok := of[n.image]; ok && n.seen[0] == d.round {
			of[n.image] = append(refs, ref(r))
		}
	}
	for r := range d.nodes {
		n := &d.nodes[r]
		if n.seen[1] == d.round && n.seen[0] != d.round && n.isNumber() && passed[r] && len(of[n.image]) > 0 {
			list = append(list, candidate{ref(r), of[n.image]})
		}
	}
	for _, o := range outputs {
		if o[0].at != o[1].at && d.nodes[o[1].at].isNumber() && d.nodes[o[0].at].kind <= kindChoose {
			list = append(list, candidate{o[1].at, []ref{o[0].at}})
		}
	}
	return list
}

// judge applies the rule to all points.
func (p *points) judge(list []candidate) *instability {
	for _, c := range list {
		for lane := range lanes {
			a := p.vals[c.after][lane]
			b, any := number{}, false
			for _, r := range c.before {
				if v := p.vals[r][lane]; v.x == v.x && (!any || v.err+v.in > b.err+b.in) {
					b, any = v, true
				}
			}
			if any && p.exceeds(a, b) {
				return &instability{at: c.after, In: p.nodes[c.after].in, Value: b.x, Before: b.err + b.in, After: a.err,
					Overflows: math.IsInf(a.x, 0)}
			}
		}
	}
	return nil
}

// exceeds applies the rule to a value of after and the same one of before. Nothing is said of 0, of a value that is not defined,
// and of one that before knows to 10 bits at most, which is the tolerance of executions too.
func (p *points) exceeds(a, b number) bool {
	const lost = 1.0 / 1024
	size, err := math.Abs(b.x), b.err+b.in
	switch {
	case size == 0 || math.IsInf(b.x, 0) || !(err <= lost*size):
		return false
	case math.IsInf(a.x, 0):
		return p.mode == natural
	}
	return a.err > factor*err+places*ulp*size+p.Slack && alike(a, b)
}

// alike reports whether two numbers are one over the reals, as far as float64 shows it. If they are not, an assumption about
// a comparison contradicts the values.
func alike(a, b number) bool {
	const slack = 1.0 / (1 << 26) // of an error in float32: 2^-29 of it, and some more
	return math.Abs(a.x-b.x) <= slack*(math.Abs(b.x)+a.err)
}

// Within reports whether an output of after depends on a value.
func (d *domain) Within(u *instability, output stabilityValue) bool {
	set := make([]bool, len(d.nodes))
	set[output.at] = true
	d.needs(set, true)
	return set[u.at]
}
