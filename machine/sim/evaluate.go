package sim

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// evaluate runs the operations of an ALU clause. A result is tainted if an operand is, that is, if
// it depends on pseudo-random data. The values of inactive lanes only matter to later reads of
// registers by those lanes.
func (w *waveTrace) evaluate(cf *r600.CF, c *clauseTrace) {
	tr := w.tr
	tr.done += c.slots
	cells := [4][]lanes{inWave: w.cells, inScratch: tr.scratch[:], inConsts: tr.consts, inStandIns: w.standIns}
	all := w.active() == ^uint64(0)
	for i := range c.ops {
		op := &c.ops[i]
		if op.kind != opCompute {
			w.special(cf, op)
			all = w.active() == ^uint64(0)
			continue
		}
		a, b, c, to := op.from[0], op.from[1], op.from[2], op.to
		if !w.clean {
			w.spoil(to, a, b, c)
		}
		if all || to.bank != inWave {
			op.eval(&cells[to.bank&3][to.cell], &cells[a.bank&3][a.cell], &cells[b.bank&3][b.cell], &cells[c.bank&3][c.cell])
			continue
		}
		masked := &tr.scratch[maskedCell]
		op.eval(masked, &cells[a.bank&3][a.cell], &cells[b.bank&3][b.cell], &cells[c.bank&3][c.cell])
		wave.Blend(&w.cells[to.cell], masked, w.active())
	}
}

// spoil taints a result if an operand is tainted.
func (w *waveTrace) spoil(to, a, b, c ref) {
	tr := w.tr
	taint := [4][]taint{inWave: w.taint, inScratch: tr.tainted[:], inConsts: tr.untainted, inStandIns: tr.allTainted}
	taint[to.bank&3][to.cell] = taint[a.bank&3][a.cell] | taint[b.bank&3][b.cell] | taint[c.bank&3][c.cell]
}

// special executes operations other than computations.
func (w *waveTrace) special(cf *r600.CF, op *opTrace) {
	tr := w.tr
	from, to := op.from[0].cell, op.to.cell
	switch op.kind {
	case opRelative:
		tr.tainted[to] = w.taint[from]
		for lane, a := range w.cells[from] {
			tr.scratch[to][lane] = tr.l.constant(int(op.constant.Bank), int(op.constant.Index)+int(int32(a)), op.constant.Chan)
		}
	case opUnresolved:
		tr.unresolved = true
		if !w.stood[to] {
			w.stood[to] = true
			tr.standIn(&w.standIns[to], uint64(w.id)<<32|uint64(w.pc)<<8|uint64(op.slot))
		}
	case opModify:
		modify(&tr.scratch[to], op.inst)
	case opBanks:
		if w.depends(op.from[0], op.data) != tainted { // unknown addresses count as free of conflicts
			w.waits += bankWait(w.lanes(op.from[0]), w.active(), tr.t)
		}
	case opDecide:
		w.decide(cf.Op, op.op, w.lanes(op.from[0]), w.depends(op.from[0], op.data))
	}
}

// lanes returns the value of a cell.
func (w *waveTrace) lanes(r ref) *lanes {
	switch r.bank {
	case inWave:
		return &w.cells[r.cell]
	case inScratch:
		return &w.tr.scratch[r.cell]
	case inStandIns:
		return &w.standIns[r.cell]
	}
	return &w.tr.consts[r.cell]
}

// decide applies the outcome of a predicate or a kill. It records an outcome that depends on data:
// the trace is then one of many possible.
func (w *waveTrace) decide(cf r600.CFOp, op r600.Op, outcome *lanes, on taint) {
	if on == tainted {
		w.tr.dataControl = true
	}
	holds := wave.Nonzero(outcome)
	if op.Kills() {
		w.killed |= holds & w.active()
		w.account()
		return
	}
	w.applyPredicate(cf, holds)
}
