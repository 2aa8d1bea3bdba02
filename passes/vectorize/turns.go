package vectorize

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// crowd bounds how many values of one web are checked for one value: beyond it the answer is no, which is
// safe.
const crowd = 64

// undisturbed reports whether the values whose live ranges the plan extends keep their components free. These
// are the results of b if it moves up, and the operands of a if it moves down.
func (p *packer) undisturbed(a, b int32) bool {
	na, nb := &p.nodes[a], &p.nodes[b]
	for _, v := range nb.in.Out {
		if v != nil && !p.componentFree(v, nb.region, p.plan.at, nb.at) {
			return false
		}
	}
	for s := range na.in.Src {
		for _, l := range na.in.Src[s] {
			if l.V == nil || !isTemp(l.V) {
				continue
			}
			from := int64(atStart)
			if d := p.def[l.V.ID]; d >= 0 && p.nodes[p.followJoins(d)].region == na.region {
				from = p.last[l.V.ID]
			}
			if !p.componentFree(l.V, na.region, from, p.plan.at) {
				return false
			}
		}
	}
	return true
}

// componentFree reports whether no other value of the web of v needs its component between two positions of a region:
// after from, up to to.
func (p *packer) componentFree(v *ir.Value, region int32, from, to int64) bool {
	if from >= to || p.solo[p.valueWeb(v)] {
		return true
	}
	n := 0
	for w := p.next[v.ID]; w != int32(v.ID); w = p.next[w] {
		if n++; n > crowd {
			return false
		}
		if p.value[w].ReadComponent() != v.ReadComponent() {
			continue
		}
		if p.def[w] < 0 {
			return false // a block argument
		}
		d := &p.nodes[p.followJoins(p.def[w])]
		if d.region != region || d.at < to && max(p.last[w], d.at+1) > from {
			return false
		}
	}
	return true
}

// span is the live range of a value in its component: after from, up to to. It is one interval without holes,
// so some values that could take turns seem to collide.
type span struct {
	region   int32
	from, to int64
	whole    bool // its definition takes all components
}

// spanOf returns the span of value v once a and b are joined as planned.
func (p *packer) spanOf(v int32) span {
	d := p.def[v]
	if d < 0 {
		return span{region: -1}
	}
	d = p.followJoins(d)
	n := &p.nodes[d]
	s := span{n.region, n.at, max(p.last[v], n.at+1), n.in.Op.Has(ir.IsFetch)}
	if d == p.plan.a || d == p.plan.b {
		s.from, s.to = min(s.from, p.plan.at), max(s.to, p.plan.at+1)
	}
	if slices.Contains(p.plan.reads, v) {
		s.to = max(s.to, p.plan.at)
	}
	return s
}

// collides reports whether values of these spans cannot share a register; same reports whether they have the
// same component.
func (s span) collides(t span, same bool) bool {
	if s.region != t.region || s.region < 0 {
		return same || s.whole || t.whole // unknown
	}
	return same && s.from < t.to && t.from < s.to ||
		s.whole && t.from <= s.from && s.from < t.to ||
		t.whole && s.from <= t.from && t.from < s.to
}

// takeTurns reports whether no two values of webs ra and rb need one component at one time.
func (p *packer) takeTurns(ra, rb int32) bool {
	n := 0
	for x := ra; ; {
		s := p.spanOf(x)
		for y := rb; ; {
			if n++; n > crowd*crowd/16 {
				return false
			}
			if p.spanOf(y).collides(s, p.plannedComp(p.value[x]) == p.plannedComp(p.value[y])) {
				return false
			}
			if y = p.next[y]; y == rb {
				break
			}
		}
		if x = p.next[x]; x == ra {
			return true
		}
	}
}
