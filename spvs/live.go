package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/container"
)

// liveness finds the slots that conditionals and loops pass to later code: those that their code writes, and that later
// code may read. It is the usual backward analysis, with two changes for large programs. The live set exists once, and
// a journal restores it between the sides of a conditional, so that the work grows with the writes and not with the
// size of the set. The set at the head of a loop is the union of the reads of its body and of the set behind it
// without the writes; a first walk finds the reads, so a second walk needs no iteration.
type liveness struct {
	*places
	// accesses are slots, doubled, plus 1 for a write.
	accesses []int32
	live     container.Bits
	journal  []int32 // slots whose liveness was flipped
	// heads are the slots that are live at the head of each loop, from the first walk.
	heads   map[*node][]int32
	final   bool
	carried int
	// killed are the slots that the code of the innermost construct stopped being live, with those of constructs
	// inside.
	killed []int32
	loops  []openLoop // innermost last
	work   int
	err    *asm.Diag
}

// openLoop is a loop around the code: the slots that are live behind it, and its start in liveness.killed.
type openLoop struct {
	after  container.Bits
	killed int
}

// maxCarried bounds the slots that constructs pass on, and the steps of the analysis.
const (
	maxCarried = 1 << 18
	maxWork    = 1 << 24
)

// maxAccesses bounds the lanes that all instructions access.
const maxAccesses = 1 << 22

// analyse computes the carried slots of all constructs in list.
func analyse(p *places, list []node) (*liveness, *asm.Diag) {
	l := &liveness{places: p, heads: map[*node][]int32{}}
	for _, id := range p.entry.Interface { // an initializer is an output without any store
		if _, in := p.x.definition(id); in != nil && in.Op == spirv.OpVariable && len(in.Args) > 1 &&
			spirv.StorageClass(in.Args[0]) == spirv.StorageClassOutput {
			p.variable(id)
		}
	}
	for _, v := range p.used {
		if v.class == spirv.StorageClassOutput {
			p.place(v)
		}
	}
	l.collect(list)
	if p.tooMany() || len(l.accesses) > maxAccesses {
		return nil, p.x.errorAt(0, "too-large", "the program has more than %d values between blocks", maxSlots)
	}
	for range 2 {
		l.journal, l.killed, l.live = l.journal[:0], l.killed[:0], container.NewBits(len(p.homes))
		for _, v := range p.used {
			if v.class == spirv.StorageClassOutput {
				l.setAll(p.place(v), true)
			}
		}
		for _, slot := range p.shared {
			l.set(slot, true)
		}
		l.before(list)
		l.final = true
	}
	return l, l.err
}

// place returns the slots of a variable.
func (p *places) place(v *variable) place {
	if v.memory {
		return place{p.state(p.home(v)), 1}
	}
	if v.shape.lanes > maxLanes {
		return place{}
	}
	if v.first < 0 {
		v.first = int(p.lanes(v.shape))
	}
	return place{int32(v.first), int32(v.shape.lanes)}
}

func (l *liveness) setAll(p place, live bool) {
	for i := range p.count {
		l.set(p.first+i, live)
	}
}

// set changes the liveness of a slot.
func (l *liveness) set(slot int32, live bool) {
	if l.live.Has(slot) != live {
		l.flip(slot)
		l.journal = append(l.journal, slot)
	}
}

func (l *liveness) flip(slot int32) { l.live[slot>>6] ^= 1 << (slot & 63) }

// collect finds the accesses of all nodes, in order.
func (l *liveness) collect(list []node) {
	for i := range list {
		if len(l.accesses) > maxAccesses || l.tooMany() {
			return
		}
		n := &list[i]
		n.accesses[0] = int32(len(l.accesses))
		switch n.kind {
		case nodeFlag:
			l.write(place{l.flag(n.to), 1})
		case nodeIf, nodeBreak:
			l.condition(n.cond)
		default:
			l.collectRun(n)
		}
		n.accesses[1] = int32(len(l.accesses))
		l.collect(n.a)
		l.collect(n.b)
	}
}

func (l *liveness) read(p place) {
	for i := range p.count {
		l.accesses = append(l.accesses, 2*(p.first+i))
	}
}

func (l *liveness) write(p place) {
	for i := range p.count {
		l.accesses = append(l.accesses, 2*(p.first+i)+1)
	}
}

// readID reads the slots of an id, if it has any.
func (l *liveness) readID(id spirv.ID) {
	if p, ok := l.id(id); ok {
		l.read(p)
	}
}

func (l *liveness) writeID(id spirv.ID) {
	if p, ok := l.id(id); ok {
		l.write(p)
	}
}

// condition reads what a condition depends on.
func (l *liveness) condition(c *cond) {
	if c == nil {
		return
	}
	if c.id != 0 {
		l.readID(c.id)
	}
	for _, to := range c.flags {
		l.read(place{l.flag(to), 1})
	}
}

// collectRun finds the accesses of a node without code inside.
func (l *liveness) collectRun(n *node) {
	x := l.x
	switch n.kind {
	case nodeRun:
		for i := n.first; i < n.last && len(l.accesses) <= maxAccesses; i++ {
			l.instruction(n.fr, i, &x.Insts[i])
		}
	case nodePhis:
		to := &n.fr.fn.blocks[n.block]
		for i := to.first; i < to.phis; i++ {
			if id, ok := l.incoming(n, i); ok {
				l.readID(id)
			}
		}
		for i := to.first; i < to.phis; i++ {
			l.writeID(x.Insts[i].Result)
		}
	case nodeBind:
		for i, id := range n.callee.fn.params {
			l.readID(spirv.ID(x.Insts[n.first].Args[1+i]))
			l.writeID(id)
		}
	case nodeReturn:
		l.readID(spirv.ID(x.Insts[n.first].Args[0]))
		l.writeID(x.Insts[n.fr.fn.at].Result)
	case nodeResult:
		l.readID(x.Insts[n.callee.fn.at].Result)
		l.writeID(x.Insts[n.first].Result)
	}
}

// incoming returns the operand of phi number at for the edge of n.
func (p *places) incoming(n *node, at int) (spirv.ID, bool) {
	args := p.x.Insts[at].Args
	for k := 0; k+1 < len(args); k += 2 {
		if spirv.ID(args[k+1]) == n.fr.fn.blocks[n.from].label {
			return spirv.ID(args[k]), true
		}
	}
	return 0, false
}

// instruction finds the accesses of an instruction: what it reads, then what it writes.
func (l *liveness) instruction(fr *frame, at int, in *spirv.Inst) {
	operands(in, func(_ int, id spirv.ID) { l.readID(id) })
	switch in.Op {
	case spirv.OpVariable:
		if v := l.variable(in.Result); !v.memory || len(in.Args) > 1 {
			l.writeVariable(pointerTo(v))
		}
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation:
		l.everything()
	case spirv.OpUnreachable:
		for _, v := range l.used {
			if v.class == spirv.StorageClassOutput && !v.memory {
				l.write(l.place(v))
			}
		}
	case spirv.OpLoad:
		if q := l.pointer(fr, spirv.ID(in.Args[0])); q != nil {
			l.readVariable(q)
		}
	case spirv.OpStore:
		if q := l.pointer(fr, spirv.ID(in.Args[0])); q != nil {
			l.writeVariable(q)
		}
	case spirv.OpCopyMemory:
		to, from := l.pointer(fr, spirv.ID(in.Args[0])), l.pointer(fr, spirv.ID(in.Args[1]))
		if to != nil && from != nil {
			l.readVariable(from)
			l.writeVariable(to)
		}
	default:
		l.image(fr, in)
	}
	if in.Result != 0 {
		l.writeID(in.Result)
	}
}

// readVariable reads the slots of a pointer and of its indices.
func (l *liveness) readVariable(q *pointer) {
	l.indices(q)
	if p, ok := l.accessed(q); ok {
		l.read(p)
	}
}

// writeVariable writes the slots of a pointer. A store to memory, or to one of several components, reads them too.
func (l *liveness) writeVariable(q *pointer) {
	l.indices(q)
	p, ok := l.accessed(q)
	if !ok {
		return
	}
	if q.v.memory || q.v.isBlock() || q.component != 0 {
		l.read(p)
	}
	l.write(p)
}

// indices reads the dynamic indices of a pointer.
func (l *liveness) indices(q *pointer) {
	for _, s := range q.steps {
		l.readID(s.index)
	}
	l.readID(q.component)
	l.readID(q.elementID)
	if q.texel > 0 {
		l.readID(spirv.ID(l.x.Insts[q.texel].Args[1]))
	}
}

// accessed returns the slots that a pointer names: lanes of a variable, or a state. Inputs and read-only blocks have
// none.
func (p *places) accessed(q *pointer) (place, bool) {
	v := q.v
	switch {
	case v.memory, v.isBlock() && !p.x.readOnly(v):
		return place{p.state(p.home(v)), 1}, true
	case q.texel != 0:
		return place{p.state(p.home(v)), 1}, true
	case v.isBlock(), v.class == spirv.StorageClassInput, v.class == spirv.StorageClassUniformConstant,
		q.shape.lanes > maxLanes:
		return place{}, false
	}
	whole, n := p.place(v), q.shape.lanes
	if q.component != 0 {
		n = q.vector
	}
	return place{whole.first + int32(q.lane), int32(n)}, q.lane+n <= int(whole.count)
}

// before turns the set of slots that are live after list into the set before it.
func (l *liveness) before(list []node) {
	for i := len(list) - 1; i >= 0 && l.err == nil; i-- {
		n := &list[i]
		if l.work += 1 + int(n.accesses[1]-n.accesses[0]); l.work > maxWork {
			l.err = l.x.errorAt(n.first, "too-large", "too many values cross the control flow of the program")
		}
		switch n.kind {
		case nodeIf:
			l.branch(n)
		case nodeLoop:
			l.loop(n)
		case nodeBreak:
			// Slots that the body writes behind the break are live here if code behind the loop reads them.
			loop := l.loops[len(l.loops)-1]
			for _, slot := range l.killed[loop.killed:] {
				l.set(slot, l.live.Has(slot) || loop.after.Has(slot))
			}
			l.work += len(l.killed) - loop.killed
		}
		l.step(n)
	}
}

// step applies the accesses of a node itself, backwards.
func (l *liveness) step(n *node) {
	for k := n.accesses[1] - 1; k >= n.accesses[0]; k-- {
		slot, write := l.accesses[k]>>1, l.accesses[k]&1 != 0
		if write && l.live.Has(slot) {
			l.killed = append(l.killed, slot)
		}
		l.set(slot, !write)
	}
}

// branch handles a conditional: the slots that either side needs are live before it.
func (l *liveness) branch(n *node) {
	start, killed := len(l.journal), len(l.killed)
	l.before(n.a)
	a := l.undo(start)
	l.before(n.b)
	b := l.undo(start)
	l.carry(n, killed, func(slot int32) bool { return l.live.Has(slot) })
	// A slot that one side does not change is live on this side if it is live behind the branch.
	for len(a) > 0 || len(b) > 0 {
		var slot int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			slot, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			slot, b = b[0], b[1:]
		default: // both sides change it
			slot, a, b = a[0], a[1:], b[1:]
			l.set(slot, !l.live.Has(slot))
			continue
		}
		l.set(slot, true)
	}
}

// loop handles a loop.
func (l *liveness) loop(n *node) {
	start := len(l.journal)
	loop := openLoop{after: l.live.Clone(), killed: len(l.killed)}
	l.work += len(loop.after)
	for _, slot := range l.heads[n] {
		l.set(slot, true)
	}
	l.loops = append(l.loops, loop)
	l.before(n.a)
	l.loops = l.loops[:len(l.loops)-1]
	if !l.final {
		for _, slot := range l.flipped(start) {
			if l.live.Has(slot) {
				l.heads[n] = append(l.heads[n], slot)
			}
		}
		l.work += len(l.heads[n])
	}
	l.carry(n, loop.killed, func(slot int32) bool { return loop.after.Has(slot) || l.live.Has(slot) })
}

// carry stores the slots that a construct passes on: the killed ones from start on that are needed.
func (l *liveness) carry(n *node, start int, needed func(slot int32) bool) {
	list := slices.DeleteFunc(l.killed[start:], func(slot int32) bool { return !needed(slot) })
	slices.Sort(list)
	list = slices.Compact(list)
	l.killed = l.killed[:start+len(list)]
	if !l.final {
		return
	}
	n.carried = slices.Clone(list)
	if l.carried += len(list); l.carried > maxCarried && l.err == nil {
		l.err = l.x.errorAt(n.first, "too-large", "more than %d values cross the control flow", maxCarried)
	}
}

// flipped returns the slots that differ from their state when the journal had the length start, sorted. The journal
// keeps each of them once.
func (l *liveness) flipped(start int) []int32 {
	list := l.journal[start:]
	slices.Sort(list)
	kept := list[:0]
	for i := 0; i < len(list); {
		k := i
		for k < len(list) && list[k] == list[i] {
			k++
		}
		if (k-i)%2 != 0 {
			kept = append(kept, list[i])
		}
		i = k
	}
	l.journal = l.journal[:start+len(kept)]
	return kept
}

// undo restores the state of the time when the journal had the length start, and returns the slots that differed.
func (l *liveness) undo(start int) []int32 {
	list := slices.Clone(l.flipped(start))
	for _, slot := range list {
		l.flip(slot)
	}
	l.journal = l.journal[:start]
	return list
}
