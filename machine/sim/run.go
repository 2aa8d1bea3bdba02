package sim

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// waveTrace is a wavefront in execution, between steps. It executes all its lanes together under
// lane masks, as the hardware does. A stack holds the execution masks of branches. Each loop has
// the masks of the lanes that have left it or wait for its next trip.
type waveTrace struct {
	tr    *Tracer
	run   int // the run of tr that its memory is for
	id    int
	cells []lanes
	taint []taint // by cell
	clean bool    // nothing was tainted so far, or taints are settled
	// places holds the places that the fetches of a clause read, in lines from the start of a
	// surface.
	places []lanes
	// standIns holds the pseudo-random results of operations that are not evaluated; stood marks
	// those that are defined.
	standIns []lanes
	stood    []bool

	pc    int
	part  int // of the current ALU clause
	fetch int // of the current fetch clause
	spill int // accesses to spilled registers so far

	exec    uint64 // lanes that the enclosing branches leave on
	killed  uint64
	off     uint64 // lanes out of a loop, or waiting for its next trip, or killed
	waits   int    // groups that the current clause waits for banks of local memory
	entered uint64 // lanes active at the start of the current clause
	masks   []uint64
	loops   []loopFrame
}

// taint reports whether a value depends on data.
type taint uint8

const tainted taint = 1

// taintOf converts a bool to a taint.
func taintOf(data bool) taint {
	if data {
		return tainted
	}
	return 0
}

// loopFrame is an active loop. It holds the lanes that entered it, left it, or wait for its next
// trip, and the height of the mask stack to restore.
type loopFrame struct {
	exec, left, waiting uint64
	masks, trips        int
}

// Start begins the trace of a wavefront of the launch.
func (tr *Tracer) Start(id int) Trace {
	var w *waveTrace
	if n := len(tr.free); n > 0 {
		w, tr.free = tr.free[n-1], tr.free[:n-1]
	} else {
		w = new(waveTrace)
		tr.made = append(tr.made, w)
	}
	if w.run != tr.run { // its memory has the sizes for another program
		w.cells, w.taint, w.places = container.Zeros(w.cells, tr.cells), container.Zeros(w.taint, tr.cells), container.Zeros(w.places,
			tr.places)
		w.standIns, w.stood = container.Zeros(w.standIns, len(tr.allTainted)), container.Zeros(w.stood, len(tr.allTainted))
	}
	*w = waveTrace{run: tr.run, cells: w.cells, taint: w.taint, places: w.places,
		standIns: w.standIns, stood: w.stood, masks: w.masks[:0], loops: w.loops[:0]}
	clear(w.stood)
	w.tr, w.id, w.clean = tr, id, tr.settled || len(tr.allTainted) == 0
	w.exec = tr.threadsOf(id)
	for c := range w.cells {
		unknown := tr.unknown(int32(c))
		w.taint[c] = taintOf(unknown)
		w.clean = w.clean && (tr.settled || !unknown)
		switch {
		case unknown:
			tr.standIn(&w.cells[c], uint64(id)<<32|uint64(c))
		case tr.isInput[c]:
			tr.builtins(tr.preload[c], id, &w.cells[c])
		}
	}
	return w
}

// unknown reports whether a cell is an input with an unknown value.
func (tr *Tracer) unknown(cell int32) bool {
	return tr.isInput[cell] && tr.preload[cell] == chip.Unknown
}

// depends returns the taint of a value: settled, if it is the same for all executions.
func (w *waveTrace) depends(r ref, settled taint) taint {
	switch {
	case w.tr.settled:
		return settled
	case w.clean:
		return 0
	}
	switch r.bank {
	case inWave:
		return w.taint[r.cell]
	case inScratch:
		return w.tr.tainted[r.cell]
	case inStandIns:
		return tainted
	}
	return 0
}

// active returns the mask of the lanes that execute.
func (w *waveTrace) active() uint64 { return w.exec &^ w.off }

// Next runs the wavefront up to the next step that takes time.
func (w *waveTrace) Next(s *Step) bool {
	tr := w.tr
	if w.pc >= len(tr.p.CF) || tr.p.CF[w.pc].Op == r600.CFEnd {
		tr.free = append(tr.free, w)
		return false
	}
	cf := &tr.p.CF[w.pc]
	s.begin(stepControl)
	s.Count = 1
	switch {
	case w.spill < 2*tr.spilled():
		w.access(s)
	case len(cf.Groups) > 0:
		w.aluClause(cf, s)
	case len(cf.Fetches) > 0:
		w.fetchClause(cf, s)
	case cf.Export != nil:
		s.Kind, s.Count, s.Lines.Mask = StepExport, cf.Export.Count, w.active()
		w.pc++
	case cf.Memory != nil:
		s.Kind = StepWrite
		w.write(cf.Op, cf.Memory, &s.Lines)
		w.pc++
	default:
		w.control(cf)
	}
	return true
}

// aluClause makes the step of an ALU clause. It evaluates the clause at its first part; further
// parts follow barriers.
func (w *waveTrace) aluClause(cf *r600.CF, s *Step) {
	c := &w.tr.clauses[w.pc]
	if w.part == 0 {
		if cf.Op == r600.CFALUPushBefore {
			w.masks = append(w.masks, w.exec)
		}
		w.entered, w.waits = w.active(), 0
		w.evaluate(cf, c)
	}
	part := &c.parts[w.part]
	s.Kind, s.Groups, s.flops, s.Count, s.Lines.Mask = part.Kind, part.Groups, part.Flops, 0, w.entered
	if w.part == 0 {
		s.Groups += w.waits
	}
	if w.part++; w.part < len(c.parts) {
		return
	}
	w.part = 0
	if cf.Op == r600.CFALUPopAfter {
		w.pop(1)
	}
	w.leaveEmpty()
}

// leaveEmpty continues with the next instruction, or after the loop if a break has left no lane in
// it.
func (w *waveTrace) leaveEmpty() {
	at := w.pc
	w.pc++
	switch w.tr.p.CF[at].Op {
	case r600.CFALUBreak, r600.CFBreak:
		f := &w.loops[len(w.loops)-1]
		if f.exec&^f.left&^w.killed == 0 {
			w.pc = w.tr.loopEnd[at]
		}
	}
}

// pop restores the execution mask of an outer level.
func (w *waveTrace) pop(levels int) {
	if levels > 0 && len(w.masks) >= levels {
		w.exec = w.masks[len(w.masks)-levels]
		w.masks = w.masks[:len(w.masks)-levels]
	}
}

// applyPredicate applies the outcome of a predicate to the lanes. A branch masks the lanes where it fails. A
// break or continue removes them from the loop or from this trip.
func (w *waveTrace) applyPredicate(op r600.CFOp, holds uint64) {
	fails := w.active() &^ holds
	switch op {
	case r600.CFALUBreak:
		w.loops[len(w.loops)-1].left |= fails
	case r600.CFALUContinue:
		w.loops[len(w.loops)-1].waiting |= fails
	default:
		w.exec &^= fails
		return
	}
	w.account()
}

// account recomputes the mask of lanes that are off, from kills and loops.
func (w *waveTrace) account() {
	w.off = w.killed
	for i := range w.loops {
		w.off |= w.loops[i].left | w.loops[i].waiting
	}
}

// control runs an instruction without a clause.
func (w *waveTrace) control(cf *r600.CF) {
	tr, at := w.tr, w.pc
	w.pc++
	switch cf.Op {
	case r600.CFPush:
		w.masks = append(w.masks, w.exec)
	case r600.CFPop:
		w.pop(max(1, cf.Pop))
	case r600.CFJump:
		w.skipInactive(cf)
	case r600.CFElse:
		if n := len(w.masks); n > 0 {
			w.exec = w.masks[n-1] &^ w.exec
		}
		w.skipInactive(cf)
	case r600.CFLoop:
		if w.active() == 0 {
			w.pc = tr.loopEnd[at] + 1
			break
		}
		w.loops = append(w.loops, loopFrame{exec: w.active(), masks: len(w.masks)})
	case r600.CFEndLoop:
		w.endLoop(at)
	case r600.CFBreak:
		w.loops[len(w.loops)-1].left |= w.active()
		w.account()
		w.pc = at
		w.leaveEmpty()
	case r600.CFContinue:
		w.loops[len(w.loops)-1].waiting |= w.active()
		w.account()
	}
}

// skipInactive takes a jump if no lane is active: a branch without active lanes costs nothing.
func (w *waveTrace) skipInactive(cf *r600.CF) {
	if w.active() != 0 {
		return
	}
	w.pc = cf.Target
	w.pop(cf.Pop)
}

// endLoop begins another trip with the lanes that have not left, up to the limit of trips.
func (w *waveTrace) endLoop(at int) {
	f := &w.loops[len(w.loops)-1]
	w.exec, w.masks = f.exec, w.masks[:f.masks]
	f.waiting = 0
	f.trips++
	w.account()
	if w.active() != 0 {
		if f.trips < w.tr.maxTrips() {
			w.pc = w.tr.loopEnd[at] + 1
			return
		}
		w.tr.tripsReached = true
	}
	w.loops = w.loops[:len(w.loops)-1]
	w.account()
}
