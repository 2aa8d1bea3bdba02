package lower

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// tupleAllocator makes the operands of items that require it share registers (see request). If
// values cannot share a register, it plans copies.
type tupleAllocator struct {
	*classes
	// private: a copy serves only one item. This is the last resort, which always succeeds.
	private bool
	source  map[mir.Val]mir.Val   // the original of each planned copy
	hoisted map[mir.Val][]mir.Val // copies to insert at the definition of a value
	before  map[mir.Item][]move   // copies to insert before an item
	behind  map[mir.Item][]move   // and after it
	members []mir.Val             // memory of together
	chans   []int8
}

type move struct{ to, from mir.Val }

// planCopy plans a copy of v for an operand of q: before the item, or after it for a result. If
// possible, the copy follows the definition of v, where it can serve several items.
func (t *tupleAllocator) planCopy(q *request, v mir.Val) mir.Val {
	n := t.l.newVal()
	d := &t.l.vals[n]
	d.hint = t.l.vals[v].hint
	t.parent = append(t.parent, n)
	t.spans = append(t.spans, nil)
	t.groups = append(t.groups, nil)
	t.source[n] = v
	switch {
	case q.write:
		t.behind[q.item] = append(t.behind[q.item], move{v, n})
	case t.private || q.bound:
		t.before[q.item] = append(t.before[q.item], move{n, v})
	default:
		t.hoisted[v] = append(t.hoisted[v], n)
	}
	return n
}

// planned reports whether copies have been planned.
func (t *tupleAllocator) planned() bool { return len(t.source) > 0 }

// insert inserts the planned copies into r.
func (t *tupleAllocator) insert(r mir.Region) mir.Region {
	out := make(mir.Region, 0, len(r)+4)
	mov := func(m move) {
		out = append(out, t.l.single(mir.Slot{Op: r600.OpMov, Dst: m.to, Args: [3]mir.Arg{mir.V(m.from)}}, 0))
	}
	hoist := func(v mir.Val) {
		for _, n := range t.hoisted[v] {
			mov(move{n, v})
		}
	}
	for _, it := range r {
		for _, m := range t.before[it] {
			mov(m)
		}
		var m *merged
		switch it := it.(type) {
		case *mir.If:
			m = t.l.defined[it]
			it.Then, it.Else = t.insert(it.Then), t.insert(it.Else)
		case *mir.Loop:
			m = t.l.defined[it]
			body := t.insert(it.Body)
			outer := out
			out = nil
			for _, p := range m.params {
				hoist(p)
			}
			it.Body = append(out, body...)
			out = outer
		}
		out = append(out, it)
		for _, m := range t.behind[it] {
			mov(m)
			hoist(m.to)
		}
		if m != nil {
			for _, v := range m.results {
				hoist(v)
			}
		}
		mir.EachDef(it, hoist)
	}
	return out
}

// settle computes classes and tuples, adding moves until every request is met. A round computes
// live ranges, coalesces copies, and meets requests, those in the deepest loops first. If it had to
// plan copies, it inserts them, and the next round begins with new live ranges. Copies are inserted
// at the definitions of values, to serve all items that need them. After the last round each item
// gets its own.
func (l *lowerer) settle(body mir.Region) (mir.Region, *classes) {
	const rounds = 6
	for round := 0; ; round++ {
		var spans [][]regalloc.Span
		body, spans = l.findSpans(body)
		for v := range l.vals {
			l.vals[v].settled = l.vals[v].channel
		}
		t := &tupleAllocator{classes: l.newClasses(spans), private: round >= rounds, source: map[mir.Val]mir.Val{},
			hoisted: map[mir.Val][]mir.Val{}, before: map[mir.Item][]move{}, behind: map[mir.Item][]move{}}
		t.coalesce(body)
		requests := l.room.requests[:0]
		eachRequest(body, 0, func(q request) { requests = append(requests, q) })
		l.room.requests = requests
		slices.SortStableFunc(requests, func(a, b request) int { return b.depth - a.depth })
		for i := range requests {
			t.satisfy(&requests[i])
		}
		if !t.planned() {
			return body, t.classes
		}
		for v := range l.vals { // the next round assigns channels again
			l.vals[v].channel = l.vals[v].settled
		}
		body = t.insert(body)
		var head mir.Region
		for v := 1; v < len(l.vals) && l.vals[v].reg != 0; v++ {
			for _, n := range t.hoisted[mir.Val(v)] {
				head = append(head, l.single(mir.Slot{Op: r600.OpMov, Dst: n, Args: [3]mir.Arg{mir.V(mir.Val(v))}}, 0))
			}
		}
		body = append(head, body...)
	}
}
