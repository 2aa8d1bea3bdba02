package sim

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
)

// simplify simplifies the operations of a simulation. It removes operations on constants, operations
// that a clause repeats, and copies. Kernels have many constant operations, since constant buffers
// hold the sizes of data. It also settles the taints: if all paths to a decision agree on whether
// it depends on data, wavefronts need not track that.
//
// The method is constant propagation with value numbering within clauses. It covers the control
// flow that a wavefront can take, which includes the control flow of its threads. Results are the
// same in active lanes; inactive lanes do not matter.
func (tr *Tracer) simplify() {
	t := &tidier{tr: tr, in: make([][]fact, len(tr.p.CF)), settled: true}
	t.solve()
	for i := range tr.p.CF {
		if t.in[i] != nil { // otherwise it is unreachable
			t.clause(i, true)
		}
	}
	tr.settled = t.settled
	t.sweep()
}

// fact is the knowledge about a cell before an instruction.
type fact struct {
	value  int32 // the constant it holds, or varies
	origin origin
}

// varies marks a cell that may hold different values.
const varies int32 = -1

// origin is the set of possible taints of a value.
type origin uint8

const (
	mayNotDepend origin = 1 << iota
	mayDepend
	unsettled = mayNotDepend | mayDepend
)

// combine returns the origin of a value computed from two values.
func (o origin) combine(other origin) origin { return o&other&mayNotDepend | (o|other)&mayDepend }

// originOf returns the origin of a value whose taint is known.
func originOf(data bool) origin {
	if data {
		return mayDepend
	}
	return mayNotDepend
}

// tidier analyzes a program.
type tidier struct {
	tr      *Tracer
	in      [][]fact // by instruction, by cell; nil if not reached yet
	settled bool     // each decision has the same taint on all paths
	number  numbering
}

// solve computes the facts before all instructions.
func (t *tidier) solve() {
	tr := t.tr
	start := make([]fact, tr.cells)
	for c := range start {
		start[c] = fact{varies, originOf(tr.unknown(int32(c)))}
	}
	if len(t.in) == 0 {
		return
	}
	t.in[0] = start
	for again := true; again; {
		again = false
		for i := range t.in {
			if t.in[i] == nil {
				continue
			}
			out := t.clause(i, false)
			for _, s := range successors(tr.p, tr.loopEnd, i) {
				again = t.mergeFacts(s, out) && s <= i || again
			}
			// A break that leaves no lane continues at the end of the loop.
			if op := tr.p.CF[i].Op; op == r600.CFALUBreak || op == r600.CFBreak {
				t.mergeFacts(tr.loopEnd[i], out)
			}
		}
	}
}

// mergeFacts merges the facts of a predecessor into those of an instruction, and reports whether they
// changed.
func (t *tidier) mergeFacts(at int, from []fact) (changed bool) {
	if at >= len(t.in) {
		return false
	}
	if t.in[at] == nil {
		t.in[at] = append([]fact(nil), from...)
		return true
	}
	for c := range from {
		to := &t.in[at][c]
		both := fact{to.value, to.origin | from[c].origin}
		if to.value != from[c].value {
			both.value = varies
		}
		changed = changed || both != *to
		*to = both
	}
	return changed
}

// clause applies an instruction to its facts, and rewrites its operations if the facts are final.
// It returns the facts after it.
func (t *tidier) clause(at int, final bool) []fact {
	tr, n := t.tr, &t.number
	cf, c := &tr.p.CF[at], &tr.clauses[at]
	n.begin(tr, t.in[at], final)
	kept := c.ops[:0]
	for i := range c.ops {
		op := c.ops[i]
		keep := n.follow(&op)
		if !final {
			continue
		}
		if op.kind == opDecide || op.kind == opBanks {
			op.data = t.settle(n.at(op.from[0]).origin)
		}
		if keep {
			kept = append(kept, op)
		}
	}
	if final {
		c.ops = kept
	}
	for i := range cf.Fetches {
		f, known := &cf.Fetches[i], &c.fetch[i]
		for k := range known.coords[:known.dims] {
			coord := &known.coords[k]
			if final {
				known.data[k] = t.settle(n.at(*coord).origin)
				if v := n.at(*coord).number; v < opaque {
					*coord = ref{inConsts, v}
				}
			}
		}
		for ch, sel := range f.DstSel {
			if to := known.dst[ch]; to >= 0 {
				n.set(ref{inWave, to}, valued{n.fresh(), originOf(sel <= r600.SelW)})
			}
		}
	}
	if m := cf.Memory; final && m != nil && m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW {
		c.data = t.settle(n.at(ref{inWave, tr.cellFor(gpr(m.IndexReg, uint8(m.IndexSel[0])))}).origin)
	}
	return n.facts()
}

// settle returns the taint of a decision.
func (t *tidier) settle(o origin) taint {
	t.settled = t.settled && o != unsettled
	return taintOf(o == mayDepend)
}

// sweep removes operations whose results have no reader.
func (t *tidier) sweep() {
	tr := t.tr
	sets := tr.memory.newSets(len(tr.p.CF)+2, tr.cells)
	live := sets[len(tr.p.CF)+1]
	scratch := container.NewBits(scratchCells)
	for again, last := true, false; again || !last; {
		last = !again
		again = false
		for i := len(tr.p.CF) - 1; i >= 0; i-- {
			clear(live)
			for _, s := range successors(tr.p, tr.loopEnd, i) {
				live.Union(sets[s])
			}
			t.backward(i, live, scratch, last)
			again = sets[i].Union(live) || again
		}
	}
}

// backward propagates the live cells over an instruction, and removes dead operations if the sets
// are final.
func (t *tidier) backward(at int, live, scratch container.Bits, final bool) {
	tr := t.tr
	cf, c := &tr.p.CF[at], &tr.clauses[at]
	for i := range c.fetch {
		for _, to := range c.fetch[i].dst {
			if to >= 0 {
				live.Remove(to)
			}
		}
	}
	for i := range c.fetch {
		for _, from := range c.fetch[i].coords[:c.fetch[i].dims] {
			if from.bank == inWave {
				live.Insert(from.cell)
			}
		}
	}
	if m := cf.Memory; m != nil && m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW {
		live.Insert(tr.cellFor(gpr(m.IndexReg, uint8(m.IndexSel[0]))))
	}
	clear(scratch)
	banks := [4]container.Bits{inWave: live, inScratch: scratch}
	kept := len(c.ops)
	for i := len(c.ops) - 1; i >= 0; i-- {
		op := &c.ops[i]
		if to := banks[op.to.bank]; op.kind != opDecide && op.kind != opBanks && to != nil {
			if !to.Has(op.to.cell) {
				continue
			}
			if op.kind != opModify {
				to.Remove(op.to.cell)
			}
		}
		for _, from := range op.reads() {
			if bank := banks[from.bank]; bank != nil {
				bank.Insert(from.cell)
			}
		}
		if kept--; final {
			c.ops[kept] = *op
		}
	}
	if final {
		c.ops = c.ops[kept:]
	}
}

// reads returns the cells that an operation reads, possibly with repeats.
func (op *opTrace) reads() []ref {
	switch op.kind {
	case opCompute:
		return op.from[:]
	case opRelative, opDecide, opBanks:
		return op.from[:1]
	}
	return nil
}
