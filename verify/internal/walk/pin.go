package walk

import (
	"cmp"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Some decisions must keep their bits, although rounding may change the numbers around them:
//
//   - the condition under which an invocation meets a barrier, an atomic operation, or a store to shared
//     memory, and the address there. Another decision is a deadlock, a race, or a store to another place;
//   - the condition under which an invocation runs an instruction that reads its neighbours (a derivative, an
//     implicit level of detail): if neighbours decide differently, the result is undefined;
//   - the exits of the loops around these.
//
// These values are pinned. The field proof first executes both versions as terms, which hold bit by bit, and records
// the term of every pinned value. The field then uses the number of that term instead of the value: equal
// numbers are equal bits. Pinned values are arguments of the fetches and states that depend on them, so that
// two decisions cannot be exchanged. sameEndings compares the exits of the other loops.

// pinPart identifies the pinned value of an instruction.
type pinPart int

const (
	pinAccess    pinPart = iota // condition of the instruction, and the address of its store
	pinPredicate                // condition to write a lane: one part for each of four
	pinWords     = 4            // pinAccess of words 1 to 3 of a store: 5 to 7
	pinExit      = 8            // condition to stay in a loop: one part for each break, or one for all
)

// pinPlace is a pinned value in the walk of a version.
type pinPlace struct {
	at   Place
	side int
	part pinPart
}

// Pins are the terms of the pinned values of both versions, by number. A walk in the domain of terms records
// them while recording is set. Walks in the field read them.
type Pins struct {
	recording bool
	terms     map[pinPlace]uint64
	shape     func(id uint64) uint64 // removes partial precision from a term: addsPartialPrecision compares that
}

// unknownPin is the first number for values that the walk of terms did not meet. All of these numbers differ.
const unknownPin = 1 << 48

// NewPins returns an empty set of pinned values.
func NewPins() *Pins { return &Pins{terms: map[pinPlace]uint64{}} }

// Record makes walks record pinned values, as terms of t, until the result is called.
func (p *Pins) Record(t *symbolic.Terms) (end func()) {
	p.recording, p.shape = true, func(id uint64) uint64 { return uint64(t.Shape(symbolic.Term(id))) }
	return func() { p.recording = false }
}

// pinned returns x, or in the field its pinned number: part of the instruction in has to keep its bits.
func (w *walker[T]) pinned(in *ir.Instr, part pinPart, x T) T {
	p := w.beliefs.Pins
	if p == nil {
		return x
	}
	at := pinPlace{Place{in, w.context}, w.beliefs.side, part}
	if p.recording {
		p.terms[at] = p.shape(w.dom.ID(x))
		return x
	}
	if w.words != nil { // the domain of kernels knows the bits
		return w.dom.Opaque(symbolic.TagPinned, w.dom.ID(x), nil)
	}
	term, ok := p.terms[at]
	if !ok {
		term = unknownPin + uint64(len(p.terms))
		p.terms[at] = term
	}
	return w.dom.Opaque(symbolic.TagPinned, term, nil)
}

// pinAccess adds to w.args the condition and the address of an access of in to memory that other invocations
// see. In the domain of terms, the resulting state depends on both anyway.
func (w *walker[T]) pinAccess(in *ir.Instr) {
	if w.beliefs.Pins != nil {
		w.args = append(w.args, w.pinned(in, pinAccess, w.access(in)))
	}
}

// pinWord does the same for word i of a store.
func (w *walker[T]) pinWord(in *ir.Instr, i int) {
	if w.beliefs.Pins != nil {
		w.args = append(w.args, w.pinned(in, wordPart(i), w.wordAccess(in, i)))
	}
}

// wordPart returns the part of word i of a store.
func wordPart(i int) pinPart {
	if i == 0 {
		return pinAccess
	}
	return pinWords + pinPart(i)
}

// wordAccess returns the pinned parts of word i of a store: its condition and its address.
func (w *walker[T]) wordAccess(in *ir.Instr, i int) T {
	word, lane := w.wordOf(in, w.laneValue(in.Src[0][0]), i)
	return w.dom.Opaque(symbolic.TagPinned, uint64(lane), []T{w.gate, word})
}

// access returns the pinned parts of an instruction besides its predicates: its condition and the address of
// its store.
func (w *walker[T]) access(in *ir.Instr) T {
	parts := []T{w.gate}
	switch in.Op {
	case ir.OpDiscard:
		parts = append(parts, w.condition(in.Src[0][0]))
	case ir.OpMemStore, ir.OpMemAtomic:
		in.Src[0].EachLane(func(_ int, l *ir.Lane) { parts = append(parts, w.laneValue(*l)) })
		if _, _, isArray := w.prog.Array(in); isArray {
			parts[1] = w.words.AddLiteral(parts[1], in.Imm)
		}
	}
	return w.dom.Opaque(symbolic.TagPinned, 0, parts)
}

// record records the pinned values of the instruction in, before it is executed.
func (w *walker[T]) record(in *ir.Instr) {
	switch {
	case in.Op == ir.OpFence:
		w.depends(in)
	case in.Op != ir.OpDiscard && in.Op != ir.OpMemStore && in.Op != ir.OpMemAtomic:
		w.depends(in)
		for i, p := range in.Pred {
			if p.V != nil {
				w.pinned(in, pinPredicate+pinPart(i), w.condition(p))
			}
		}
	}
	if in.Op == ir.OpMemStore && w.byWords(in) {
		in.Src[1].EachLane(func(i int, _ *ir.Lane) { w.pinned(in, wordPart(i), w.wordAccess(in, i)) })
		return
	}
	w.pinned(in, pinAccess, w.access(in))
}

// pinExits pins conds, the conditions on which the loop in is left or goes on, if the loop contains pinned
// instructions.
func (w *walker[T]) pinExits(in *ir.Instr, conds []T) {
	if !w.live.pinned[in] {
		return
	}
	for i, c := range conds {
		conds[i] = w.pinned(in, pinExit+pinPart(i), c)
	}
}

// findPins records the live instructions with pinned values, and the constructs around them.
func (l *live) findPins() {
	l.unit.Function().Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic || in.Op == ir.OpDiscard:
			if _, private, _ := l.unit.Array(in); private || !l.lives(in) {
				return
			}
		case in.Op == ir.OpFence:
			if !l.unit.Waits(in) && !l.lives(in) {
				return
			}
		case !l.unit.Gated(in) || !l.lives(in) || l.owner[in] == nil && !in.IsPredicated():
			return
		}
		if l.pins == nil {
			l.pins = map[*ir.Instr]bool{}
		}
		l.pins[in] = true
		for c := l.owner[in]; c != nil; c = l.owner[c] {
			l.pinned[c] = true
		}
	})
}

// decisions returns the slice on which loops without a count, barriers, drops, and the pinned values of l
// depend. It omits values that rounding may change, so that loops are matched whatever else they compute.
func (l *live) decisions() *live {
	if l == nil {
		return nil
	}
	d := liveness(l.unit, nil)
	d.pins, d.pinned, d.splits, d.around = l.pins, l.pinned, l.splits, l.around
	for loop, list := range l.splits { // a set
		for _, s := range list {
			d.construct(loop)
			d.work = append(d.work, s.cond.V)
		}
	}
	l.unit.Function().Walk(func(in *ir.Instr) {
		if !l.pins[in] {
			return
		}
		if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic || in.Op == ir.OpDiscard {
			in.Src[0].EachLane(func(_ int, ln *ir.Lane) { d.work = append(d.work, ln.V) })
		}
		for _, p := range in.Pred {
			if p.V != nil {
				d.work = append(d.work, p.V)
			}
		}
		d.construct(d.owner[in])
	})
	d.close()
	return d
}

// Deciding returns o with only its decisions live. Its view shows endings and pinned values.
func (o *Observation) Deciding() *Observation {
	d := *o
	d.decides = true
	d.kernelLive, d.pixelLive, d.vertexOuts = o.kernelLive.decisions(), o.pixelLive.decisions(), nil
	if o.Vertex == nil {
		return &d
	}
	if d.pixelLive != nil {
		d.readByPixel()
	}
	d.vertexLive = liveness(d.Vertex, outValues(d.vertexOuts))
	return &d
}

// HasPins reports whether a version has pinned values.
func (o *Observation) HasPins() bool {
	for _, l := range o.lives() {
		if l != nil && len(l.pins) > 0 {
			return true
		}
	}
	return false
}

// pinPredicate adds to w.args the predicate under which lane i of in, which reads neighbours, is written. In
// the domain of terms, the register depends on it anyway.
func (w *walker[T]) pinPredicate(in *ir.Instr, i int) {
	if p := w.beliefs.Pins; p == nil || p.recording || in.Pred[i].V == nil || !w.prog.Gated(in) {
		return
	}
	w.args = append(w.args, w.pinned(in, pinPredicate+pinPart(i), w.condition(in.Pred[i])))
}

// String names the pinned part of a statement.
func (p pinPart) String() string {
	switch {
	case p >= pinExit:
		return "the exit of the loop"
	case p >= pinPredicate && p <= pinWords:
		return "the predicate of the statement"
	}
	return "the condition, or the address, of the statement"
}

// Differs finds the first pinned value of after, in program order, whose term no pinned value of before has.
// The returned statement of before is the first one whose term after lacks; it may be nil.
func (p *Pins) Differs() (before, after *ir.Instr, what pinPart) {
	if p == nil {
		return nil, nil, 0
	}
	var terms [2]map[uint64]bool
	for side := range terms {
		terms[side] = map[uint64]bool{}
	}
	for at, term := range p.terms { // a set
		terms[at.side][term] = true
	}
	var first [2]*pinPlace
	for at, term := range p.terms { // the least of those that differ
		if terms[1-at.side][term] {
			continue
		}
		if old := first[at.side]; old == nil || at.less(old) {
			first[at.side] = &at
		}
	}
	if first[1] == nil {
		return nil, nil, 0
	}
	if first[0] != nil {
		before = first[0].at.loop
	}
	return before, first[1].at.loop, first[1].part
}

// less orders pinned values by their statements.
func (p *pinPlace) less(q *pinPlace) bool {
	return cmp.Or(comparePos(p.at.loop.Pos, q.at.loop.Pos), cmp.Compare(p.part, q.part)) < 0
}

// comparePos orders positions.
func comparePos(a, b asm.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Offset-b.Offset, a.Col-b.Col)
}
