package sched

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// bundle is a finished instruction group.
type bundle struct {
	Slots    [r600.NumSlots]placed
	Literals []uint32
}

// placed is an operation in a slot; Unit is nil for an empty slot.
type placed struct {
	Unit *mir.ALU
	Lane int     // index in Unit.Slots of the operands
	Dst  mir.Val // result, 0 if none
	// Swizzle is the order in which operands are read, see groupPorts.
	Swizzle r600.Swizzle
	Forward [3]forward

	segment int32 // of its result, or -1
}

// forward marks an operand that is a result of the previous group. It is read through PV (vector
// slots) or PS (t), not from a register.
type forward struct {
	Kind r600.SrcKind
	Chan uint8
}

// maxLiterals is the maximum number of different literals in a group: they follow it as up to two
// 64-bit words.
const maxLiterals = 4

// packer builds the groups of a program one after the other. It enforces the rules of a group; the
// runner selects the operations that it is offered.
type packer struct {
	code  *mir.Code
	t     *chip.Target
	obeys bool // the packer obeys the rules of the read ports

	chans  []int8   // by Val: its channel, or AnyChan while unbound
	hints  []int8   // by Val: its preferred channel
	load   [4]int32 // live values by channel
	result []result // by Val: its last definition

	// serial is the number of the current group. A result of group n can be forwarded to n+1;
	// clauses leave a gap.
	serial  int32
	clause  clauseState
	g       group
	ports   groupPorts // of the slots of g
	known   *portMemo
	lanes   [4]lane // of the operation to add
	unread  bool    // the operation cannot be read in vector slots, which have equal ports
	bundles container.Slab[bundle]
	groups  []*bundle // of the program so far
}

// lane holds the reads of one lane of an operation, for any slot.
type lane struct {
	reads   portOp
	forward [3]forward
}

// result is the slot and the group that computed a value last.
type result struct {
	serial int32
	from   forward
}

// group is the current group.
type group struct {
	slots [r600.NumSlots]placed
	used  int
	busy  uint8 // slots with register reads in an order that matters
	shared
}

// shared is the state that the operations of a group share. It is saved before an operation is
// added, so that a failed attempt leaves no trace.
type shared struct {
	lits   [maxLiterals]uint32
	nlits  int
	banks  bankRegs
	consts constPorts
	once   bool
	// A group cannot load the address register and use it.
	loads mir.Val // value moved into the address register
	rel   mir.Val // value that relative operands use
	locks locks
}

func (g *group) words() int { return g.used + (g.nlits+1)/2 }

// addUnit puts a unit into the open group if all rules allow it, and reports whether it did. On
// success, its operands and results have their channels.
func (p *packer) addUnit(u *mir.ALU) bool {
	class := u.Slots[0].Op.Slots(p.t.Family)
	if p.g.used+class.Width() > r600.NumSlots || p.g.once && u.Slots[0].Op.OncePerGroup() {
		return false
	}
	p.settleOperands(u)
	if class.Width() == 1 && !p.mayHold(u.Slots[0].Dst, class) {
		return false // the common failure, found without the operands
	}
	before := p.g.shared
	if p.operands(u) && p.findSlots(u, class) {
		return true
	}
	p.g.shared = before
	return false
}

// mayHold reports whether a slot is free for a single-slot unit, by its class and its result.
func (p *packer) mayHold(v mir.Val, class r600.SlotClass) bool {
	if class != r600.Vector && p.g.slots[r600.T].Unit == nil {
		return true
	}
	for ch := range int8(4) {
		if class != r600.Trans && p.g.slots[ch].Unit == nil && (v == 0 || p.mayTake(v, ch)) {
			return true
		}
	}
	return false
}

// findSlots finds slots for a unit.
func (p *packer) findSlots(u *mir.ALU, class r600.SlotClass) bool {
	switch class {
	case r600.Quad:
		return p.addQuad(u)
	case r600.Pair:
		return p.addPair(u, 0) || p.addPair(u, 2)
	}
	return p.addSingle(u, class)
}

// addSingle tries the slots that a single-slot unit may take. A vector slot writes only its own
// channel; t writes any. The order is: the slot of the preferred channel; t, if the value needs
// that channel; other vector slots; t, which transcendental operations need.
func (p *packer) addSingle(u *mir.ALU, class r600.SlotClass) bool {
	v := u.Slots[0].Dst
	vector, trans := class != r600.Trans, class != r600.Vector && p.g.slots[r600.T].Unit == nil
	if v == 0 {
		for ch := 0; ch < 4 && vector; ch++ {
			if p.place(u, placement{slots: [4]int8{int8(ch)}, n: 1}) {
				return true
			}
		}
		return trans && p.place(u, placement{slots: [4]int8{r600.T}, n: 1})
	}
	order, n := p.channels(v)
	at := func(slot int, ch int8) bool {
		return p.place(u, placement{slots: [4]int8{int8(slot)}, chans: [4]int8{ch}, n: 1})
	}
	if vector && at(int(order[0]), order[0]) {
		return true
	}
	hinted := p.hints[v] != mir.AnyChan || n == 1
	if hinted && trans && at(r600.T, order[0]) {
		return true
	}
	for _, ch := range order[1:n] {
		if vector && at(int(ch), ch) {
			return true
		}
	}
	return !hinted && trans && at(r600.T, order[0])
}

// addQuad places a unit that takes all four vector slots.
func (p *packer) addQuad(u *mir.ALU) bool {
	pl := placement{n: 4, slots: [4]int8{0, 1, 2, 3}, chans: [4]int8{0, 1, 2, 3}}
	if u.Slots[0].Op.Reduces() {
		pl.results = &[4]mir.Val{}
		if !p.spread(u.Slots, pl.results) {
			return false
		}
	}
	return p.place(u, pl)
}

// spread gives each result of a reduction its own channel, by backtracking over at most four
// values. The reduction's result is in every slot, so any slot will do.
func (p *packer) spread(slots []mir.Slot, to *[4]mir.Val) bool {
	if len(slots) == 0 {
		return true
	}
	v := slots[0].Dst
	if v == 0 {
		return p.spread(slots[1:], to)
	}
	order, n := p.channels(v)
	for _, ch := range order[:n] {
		if to[ch] == 0 {
			to[ch] = v
			if p.spread(slots[1:], to) {
				return true
			}
			to[ch] = 0
		}
	}
	return false
}

// addPair places a double in x and y or in z and w.
func (p *packer) addPair(u *mir.ALU, base int8) bool {
	return p.place(u, placement{n: 2, slots: [4]int8{base, base + 1}, chans: [4]int8{base, base + 1}})
}

// placement assigns the lanes of a unit to slots.
type placement struct {
	n       int
	slots   [4]int8
	chans   [4]int8     // of the results
	results *[4]mir.Val // by slot, if they do not follow the lanes
}

// place puts u into the slots of pl, if the slots are free, the channels allowed, and the read
// ports sufficient.
func (p *packer) place(u *mir.ALU, pl placement) bool {
	for i := range pl.n {
		if p.g.slots[pl.slots[i]].Unit != nil {
			return false
		}
		if v := u.Slots[i].Dst; v != 0 && pl.results == nil && !p.mayTake(v, pl.chans[i]) {
			return false
		}
	}
	if vector := pl.slots[0] != r600.T; p.obeys && (vector && p.unread || !p.findReadOrders(&pl)) {
		p.unread = p.unread || vector
		return false
	}
	for i := range pl.n {
		slot := pl.slots[i]
		pd := &p.g.slots[slot]
		pd.Unit, pd.Lane, pd.Dst, pd.Forward = u, i, u.Slots[i].Dst, p.lanes[i].forward
		if pl.results != nil {
			pd.Dst = pl.results[slot]
		}
		if pd.Dst != 0 {
			p.settle(pd.Dst, pl.chans[i])
		}
	}
	p.g.used += pl.n
	return true
}

// findReadOrders finds read orders for all slots, with the current lanes in the slots of pl. It reports
// whether such orders exist.
func (p *packer) findReadOrders(pl *placement) bool {
	busy := p.g.busy
	for i := range pl.n {
		slot := pl.slots[i]
		matters, ok := p.ports[slot].computeOrders(&p.lanes[i].reads, int(slot))
		if !ok {
			return false
		}
		if matters {
			busy |= 1 << slot
		}
	}
	orders, ok := p.known.assign(&p.ports, busy)
	if !ok {
		return false
	}
	p.g.busy = busy
	for s := range orders {
		p.g.slots[s].Swizzle = orders[s]
	}
	return true
}

// operands adds the operands of u to the shared state of the group: registers, constant ports and
// locks, the address, or literals. It reports whether there is room.
func (p *packer) operands(u *mir.ALU) bool {
	p.unread = false
	for i := range u.Slots {
		p.lanes[i] = lane{}
		if !p.reads(&u.Slots[i], &p.lanes[i]) {
			return false
		}
	}
	g := &p.g.shared
	g.once = g.once || u.Slots[0].Op.OncePerGroup()
	return g.loads == 0 || g.rel == 0
}

// reads does the same for one lane.
func (p *packer) reads(s *mir.Slot, l *lane) bool {
	g := &p.g.shared
	for j := range s.Op.Sources() {
		a := &s.Args[j]
		read := &l.reads[j]
		switch a.Kind {
		case mir.ValArg:
			v := a.Val
			// A forwarded operand needs no port.
			if r := &p.result[v]; r.serial == p.serial-1 {
				l.forward[j] = r.from
				read.kind = portForward
			} else if p.obeys {
				ch := uint8(p.chans[v])
				reg, ok := g.banks.number(ch, v)
				if !ok {
					return false
				}
				*read = portRead{portRegister, ch, reg}
			}
			if s.Op.Address() {
				g.loads = v
			}
		case mir.ConstArg:
			read.kind = portConst
			if p.obeys && !g.consts.reserve(p.t, a) || !g.locks.lockLine(p.t, a) {
				return false
			}
			if a.Rel != 0 {
				// An earlier group must load the address register.
				if p.clause.address != a.Rel {
					return false
				}
				g.rel = a.Rel
			}
		case mir.LiteralArg:
			read.kind = portConst
			if !g.literal(s.Op, a) {
				return false
			}
		}
	}
	return true
}

// inlined returns the word of a literal that the hardware provides as an inline constant (0, 1, -1,
// 1.0, 0.5). It also reports whether the operand must negate it: float operations read -1.0 and
// -0.5 in this way. AMD's listings have -0 as a literal.
func inlined(op r600.Op, bits uint32) (word uint32, neg, ok bool) {
	if r600.Inline(bits) {
		return bits, false, true
	}
	if flip := bits ^ 1<<31; op.FloatSources() && r600.Inline(flip) && flip != 0 && flip != 1 && flip != 0xFFFFFFFF {
		return flip, true, true
	}
	return 0, false, false
}

// literal reserves space for a literal in the group.
func (g *shared) literal(op r600.Op, a *mir.Arg) bool {
	if _, _, ok := inlined(op, a.Bits); ok {
		return true
	}
	for _, have := range g.lits[:g.nlits] {
		if have == a.Bits {
			return true
		}
	}
	if g.nlits == maxLiterals {
		return false
	}
	g.lits[g.nlits] = a.Bits
	g.nlits++
	return true
}

// finish closes the group and makes its results available for forwarding.
func (p *packer) finish() *bundle {
	out := &p.bundles.Alloc(1)[0]
	*out = bundle{Slots: p.g.slots}
	if p.g.nlits > 0 {
		out.Literals = append([]uint32(nil), p.g.lits[:p.g.nlits]...)
	}
	for s := range out.Slots {
		pd := &out.Slots[s]
		if pd.Dst == 0 {
			continue
		}
		from := forward{r600.SrcPV, uint8(s)}
		switch {
		case s == r600.T:
			from = forward{r600.SrcPS, 0}
		case pd.Unit.Slots[0].Op.Reduces():
			from.Chan = 0
		}
		p.result[pd.Dst] = result{p.serial, from}
		if pd.Dst == p.clause.address {
			p.clause.address = 0 // the register holds the old value
		}
	}
	p.clause.locks = p.g.locks
	p.clause.words += p.g.words()
	if p.g.loads != 0 {
		p.clause.address = p.g.loads
	}
	p.serial++
	p.g = group{shared: shared{locks: p.clause.locks}}
	return out
}
