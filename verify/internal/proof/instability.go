package proof

import (
	"math"
	"sync"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// The rule: the multiple of the bound of before, and the additional units in the last place.
const (
	factor = 4
	places = 4
)

// maxArms bounds the arms of choices that are forced one by one. Points reach others at random.
const maxArms = 6 * lanes

// instability is a value that after computes with a much larger error than before.
type instability struct {
	at ref
	// In is the instruction of after that computes the value, or nil if it is unknown.
	In *ir.Instr
	// Value is the value at a point, and Before and After bound its errors there.
	Value, Before, After float64
	// Overflows means that after has no finite value there.
	Overflows bool
}

// idle holds points whose memory is unused.
var idle = sync.Pool{New: func() any { return new(points) }}

// candidate is a value of after that before computes in another way.
type candidate struct {
	after  ref
	before []ref
}

// Unstable returns a value that after computes with a much larger error than before, or nil. Both versions were
// executed since Begin. It also compares each pair of outputs, even if their images differ.
func (d *domain) Unstable(outputs [][2]stabilityValue) *instability {
	list := d.candidates(outputs)
	if len(list) == 0 {
		return nil
	}
	p := idle.Get().(*points)
	defer idle.Put(p)
	*p = points{domain: d, wanted: p.wanted, order: p.order, place: p.place, vals: p.vals,
		outcomes: container.Zeros(p.outcomes, len(d.differences)+1)}
	defer func() { p.domain = nil }()
	p.want(list)
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

// candidates lists the compared values in the order of their computation in after. It omits values that are only
// compared with others.
func (d *domain) candidates(outputs [][2]stabilityValue) (list []candidate) {
	passed := make([]bool, len(d.nodes)) // values from which outputs and opaque functions are computed
	for _, r := range d.operands {
		passed[r] = true
	}
	for _, o := range outputs {
		passed[d.node(o[1])] = true
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
		if d.node(o[0]) != d.node(o[1]) && d.nodes[d.node(o[1])].isNumber() && d.nodes[d.node(o[0])].kind <= kindChoose {
			list = append(list, candidate{d.node(o[1]), []ref{d.node(o[0])}})
		}
	}
	return list
}

// judge applies the rule to all points.
func (p *points) judge(list []candidate) *instability {
	for _, c := range list {
		for lane := range lanes {
			a := p.valuesOf(c.after)[lane]
			b, any := number{}, false
			for _, r := range c.before {
				if v := p.valuesOf(r)[lane]; v.x == v.x && (!any || v.err+v.in > b.err+b.in) {
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

// exceeds applies the rule to a value of after and the same value of before. It returns false for 0, for an
// undefined value, and for a value that before knows to at most 10 bits, which is also the tolerance of executions.
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

// alike reports whether two numbers are equal over the reals, as far as float64 shows it. Otherwise, an assumed
// outcome of a comparison contradicts the values.
func alike(a, b number) bool {
	const slack = 1.0 / (1 << 26) // error of float64 relative to an error of float32, 2^-29, with a margin
	return math.Abs(a.x-b.x) <= slack*(math.Abs(b.x)+a.err)
}

// Within reports whether an output of after depends on a value.
func (d *domain) Within(u *instability, output stabilityValue) bool {
	set := make([]bool, len(d.nodes))
	set[d.node(output)] = true
	d.needs(set, true)
	return set[u.at]
}
