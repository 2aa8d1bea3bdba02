package sched

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// web is a set of values that share one register: a tie, or one value. It occupies channels of the
// register over segments of time. Webs that need consecutive registers, such as those of an export
// burst, are placed as one piece.
type web struct {
	segs  []channelSegment // by channel, then by start
	first int32            // first start
	fixed int              // register of an input, or -1
	reg   int
	seq   int32 // index of its sequence, or -1
	// counts holds data about segments by channel until they are joined: their number, then the
	// index of the next one.
	counts [4]int32
	// near and nearLast are the ends of a list in allocation.near: the webs that this web is
	// connected to by operations; -1 if it is empty.
	near, nearLast int32
}

// neighbour is a list node: a web that another one is connected to, and the next node, or -1.
type neighbour struct{ web, next int32 }

// webs is memory that successive allocations reuse.
type webs struct {
	of, byFirst, each []int32
	list              []web
	segs              container.Slab[channelSegment]
	near              []neighbour
	pieces, unsorted  []piece
	starts            []uint64
}

// channelSegment is a segment in its channel.
type channelSegment struct {
	start, end int32
	ch         int8
}

// piece is a unit of placement: a web, or a sequence of webs in consecutive registers.
type piece struct {
	webs  []int32
	first int32
	size  int // channels and length, to place the larger first
}

// allocation assigns registers to the webs of a schedule. It never spills: a program that needs
// more registers than there are gets them, and Stats.Excess counts the excess.
type allocation struct {
	out   *schedule
	s     *scheduler
	segs  []segment
	webOf []int32 // by Val: its web, or -1
	webs  []web
	// near lists the webs that a web is connected to by moves. Placing both in one register saves
	// no instruction here, but a register.
	near   []neighbour
	pieces []piece
	bursts bool // some piece has several webs
	gprs   int
}

// allocate assigns a register to every web: first fit over pieces in a given order. Intervals in
// one channel alone could be coloured optimally in order of their starts. Ties and bursts make it
// bin packing, so several orders are tried and the best result is kept. It stops early at a lower
// bound.
func allocate(out *schedule, s *scheduler) (*allocation, error) {
	m := &s.room.webs
	a := &allocation{out: out, s: s, segs: findSegments(s), webs: m.list[:0], near: m.near[:0], pieces: m.pieces[:0]}
	defer func() { m.list, m.near, m.pieces = a.webs, a.near, a.pieces }()
	a.makeWebs()
	a.makeSequences()
	a.copies()
	best, least := -1, a.least()
	var regs []int
	a.byStart()
	for i, order := range orders {
		if best == least {
			break // no order can use fewer
		}
		if i == longestFirst && !a.bursts {
			continue // none is longer than another
		}
		if order != nil {
			slices.SortStableFunc(a.pieces, order)
		}
		n, err := a.color()
		if err != nil {
			return nil, err
		}
		if best < 0 || n < best {
			best = n
			regs = regs[:0]
			for i := range a.webs {
				regs = append(regs, a.webs[i].reg)
			}
		}
	}
	for i, r := range regs {
		a.webs[i].reg = r
	}
	a.gprs = best
	return a, nil
}

// orders are the orders that are tried: by start, as pieces are sorted initially; longest sequences
// first, then by start; sequences first, then by size. Ties keep the previous order.
var orders = [...]func(a, b piece) int{
	nil,
	longestFirst: func(a, b piece) int { return cmp.Compare(len(b.webs), len(a.webs)) },
	func(a, b piece) int {
		return cmp.Or(cmp.Compare(len(b.webs), len(a.webs)), cmp.Compare(b.size, a.size))
	},
}

const longestFirst = 1

// byStart sorts the pieces by their starts. The sort is stable.
func (a *allocation) byStart() {
	m := &a.s.room.webs
	m.starts = m.starts[:0]
	for i := range a.pieces {
		m.starts = append(m.starts, uint64(a.pieces[i].first)<<32|uint64(i))
	}
	slices.Sort(m.starts)
	m.unsorted, a.pieces = a.pieces, m.unsorted[:0]
	for _, at := range m.starts {
		a.pieces = append(a.pieces, m.unsorted[uint32(at)])
	}
}

// makeWebs collects the segments that need registers into webs. Segments in clause temporaries, or
// that are only forwarded, need none.
func (a *allocation) makeWebs() {
	c, m := a.s.code, &a.s.room.webs
	m.of, m.byFirst = container.Zeros(m.of, c.Vals()), container.Zeros(m.byFirst, c.Vals())
	a.webOf = m.of
	byFirst := m.byFirst // by Val: the web of its tie, if it is the first of the tie
	for i := range a.webOf {
		a.webOf[i], byFirst[i] = -1, -1
	}
	for i := range a.segs {
		seg := &a.segs[i]
		if seg.place != inRegister {
			continue
		}
		first := seg.val
		if tied := c.TiedValues(first); tied != nil {
			first = tied[0]
		}
		w := byFirst[first]
		if w < 0 {
			w = int32(len(a.webs))
			a.webs = append(a.webs, web{fixed: -1, seq: -1, near: -1})
			byFirst[first] = w
		}
		a.webOf[seg.val] = w
		a.webs[w].counts[a.s.pack.chans[seg.val]]++
		if reg, ok := c.Register(seg.val); ok {
			a.webs[w].fixed = reg
		}
	}
	m.segs.Again(len(a.segs))
	for i := range a.webs {
		n := int32(0)
		for ch, count := range a.webs[i].counts {
			a.webs[i].counts[ch] = n
			n += count
		}
		a.webs[i].segs = m.segs.Alloc(int(n))
	}
	// The segments of each run are in reverse order.
	from := 0
	for _, to := range a.s.room.segments.runs {
		for i := to - 1; i >= from; i-- {
			if seg := &a.segs[i]; seg.place == inRegister {
				w, ch := &a.webs[a.webOf[seg.val]], a.s.pack.chans[seg.val]
				w.segs[w.counts[ch]] = channelSegment{seg.start, seg.end, ch}
				w.counts[ch]++
			}
		}
		from = to
	}
	for i := range a.webs {
		a.webs[i].mergeSegments()
	}
}

// mergeSegments merges the segments of a web in one channel that continue from run to run, so that there are
// fewer to compare. They are sorted by channel, then by start.
func (w *web) mergeSegments() {
	w.first = w.segs[0].start
	out := w.segs[:1]
	for _, s := range w.segs[1:] {
		w.first = min(w.first, s.start)
		if last := &out[len(out)-1]; last.ch == s.ch && s.start <= last.end+runGap {
			last.end = s.end
			continue
		}
		out = append(out, s)
	}
	w.segs = out
}

// makeSequences makes the pieces: the webs of each burst, then the remaining webs. A burst is split
// into several exports if one of its registers is fixed or in another burst.
func (a *allocation) makeSequences() {
	for _, r := range a.s.done {
		for _, n := range r.nodes {
			if o, ok := n.(*output); ok && len(o.Item.Regs) > 1 {
				a.sequence(o.Item)
			}
		}
	}
	m := &a.s.room.webs
	m.each = container.Zeros(m.each, len(a.webs))
	for i := range a.webs {
		if w := &a.webs[i]; w.seq < 0 {
			m.each[i] = int32(i)
			a.pieces = append(a.pieces, piece{webs: m.each[i : i+1], first: w.first, size: w.totalLength()})
		}
	}
}

func (a *allocation) sequence(e *mir.Export) {
	var p piece
	for _, reg := range e.Regs {
		w := a.exported(reg)
		if w < 0 || a.webs[w].seq >= 0 || a.webs[w].fixed >= 0 || slices.Contains(p.webs, w) {
			return
		}
		p.webs = append(p.webs, w)
	}
	p.first = a.webs[p.webs[0]].first
	for _, w := range p.webs {
		a.webs[w].seq = int32(len(a.pieces))
		p.first = min(p.first, a.webs[w].first)
		p.size += a.webs[w].totalLength()
	}
	a.pieces = append(a.pieces, p)
	a.bursts = a.bursts || len(p.webs) > 1
}

// exported returns the web of an exported register, or -1 if it has none.
func (a *allocation) exported(reg [4]mir.Val) int32 {
	for _, v := range reg {
		if v != 0 {
			return a.webOf[v]
		}
	}
	return -1
}

// totalLength returns the sum of the lengths of a web's segments, its area in the register file.
func (w *web) totalLength() int {
	n := 0
	for _, s := range w.segs {
		n += int(s.end-s.start) + 1
	}
	return n
}

// copies finds the webs that moves and other operations connect: the result can take the register
// of an operand that ends at the operation.
func (a *allocation) copies() {
	for _, r := range a.s.done {
		for _, n := range r.nodes {
			c, ok := n.(*aluClause)
			if !ok {
				continue
			}
			for _, g := range c.Groups {
				for s := range g.Slots {
					a.copied(&g.Slots[s])
				}
			}
		}
	}
}

func (a *allocation) copied(pd *placed) {
	if pd.Unit == nil || pd.Dst == 0 {
		return
	}
	dst := a.webOf[pd.Dst]
	slot := &pd.Unit.Slots[pd.Lane]
	for j := range slot.Op.Sources() {
		if arg := &slot.Args[j]; arg.Kind == mir.ValArg && dst >= 0 {
			if src := a.webOf[arg.Val]; src >= 0 && src != dst {
				a.exchange(dst, src)
				a.exchange(src, dst)
			}
		}
	}
}

// exchange records that an operation connects web w to another one.
func (a *allocation) exchange(w, with int32) {
	n := int32(len(a.near))
	a.near = append(a.near, neighbour{with, -1})
	if x := &a.webs[w]; x.near < 0 {
		x.near, x.nearLast = n, n
	} else {
		a.near[x.nearLast].next, x.nearLast = n, n
	}
}

// least returns a lower bound for the number of registers: those of inputs, and the maximum number
// of live segments in one channel.
func (a *allocation) least() (n int) {
	// moments holds, for each channel, the starts (doubled: even) and ends (odd) of segments.
	// Sorted, they are a sweep over time.
	moments := &a.s.room.moments
	for ch := range moments {
		moments[ch] = moments[ch][:0]
	}
	for i := range a.webs {
		n = max(n, a.webs[i].fixed+1)
		for _, s := range a.webs[i].segs {
			moments[s.ch] = append(moments[s.ch], 2*s.start, 2*s.end+1)
		}
	}
	for _, list := range moments {
		slices.Sort(list)
		now := 0
		for _, at := range list { // starts come before ends of the same tick, since the two interfere
			if now += 1 - 2*int(at&1); now > n {
				n = now
			}
		}
	}
	return n
}

// color places all pieces in their order and returns the number of registers used.
func (a *allocation) color() (int, error) {
	f := &a.s.room.file
	f.empty()
	for i := range a.webs {
		w := &a.webs[i]
		w.reg = -1
		if w.fixed >= 0 {
			w.reg = w.fixed
			f.assignRegister(w.reg, w)
		}
	}
	for i := range a.pieces {
		if i%glance == 0 {
			if err := a.s.o.Budget.Err(); err != nil {
				return 0, err
			}
		}
		p := &a.pieces[i]
		if a.webs[p.webs[0]].reg >= 0 {
			continue
		}
		base := a.findBase(f, p)
		for k, w := range p.webs {
			a.webs[w].reg = base + k
			f.assignRegister(base+k, &a.webs[w])
		}
	}
	return len(f.regs), nil
}

// glance is the number of pieces placed between polls of the budget.
const glance = 1 << 8

// maxTried bounds the registers that a piece is tried in before it gets a new one. Kernels that
// carry thousands of values would otherwise take quadratic time.
const maxTried = 1 << 8

// findBase returns the first register at which a piece fits. A single web first tries the registers of
// the webs it is connected to, then the lowest.
func (a *allocation) findBase(f *file, p *piece) int {
	if len(p.webs) == 1 {
		w := &a.webs[p.webs[0]]
		for n := w.near; n >= 0; n = a.near[n].next {
			if r := a.webs[a.near[n].web].reg; r >= 0 && f.fitsWeb(r, w) {
				return r
			}
		}
	}
	for base := 0; ; base++ {
		if base == maxTried { // no chip has as many, so the number no longer matters
			base = max(base, len(f.regs))
		}
		ok := true
		for k, w := range p.webs {
			if !f.fitsWeb(base+k, &a.webs[w]) {
				ok = false
				break
			}
		}
		if ok {
			return base
		}
	}
}
