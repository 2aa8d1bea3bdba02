package sim

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/bitset"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// traceMemory is memory that successive tracers reuse.
type traceMemory struct {
	ops   []opTrace
	slots []slotTrace
	parts []partTrace
	fetch slab.Slab[fetchTrace]
	wants []uint8 // by group and by fetch of a program
	lists [][]uint8
	sets  []bitset.Set
	bits  bitset.Set
}

// tracers is a pool of released tracers.
var tracers = sync.Pool{New: func() any { return &Tracer{surface: map[int]int{}} }}

// Release returns the memory of tr for the next tracer. tr and its traces must not be used
// afterwards.
func (tr *Tracer) Release() {
	tr.p, tr.l = nil, nil
	if len(tr.free) > 1 { // a simulation has hundreds
		clear(tr.free[1:])
		tr.free = tr.free[:1]
	}
	tracers.Put(tr)
}

// begin resets the tracer for a program and keeps only its memory.
func (tr *Tracer) begin(p *r600.Program, l *Launch, t *chip.Target) {
	clear(tr.surface)
	*tr = Tracer{
		l: l, t: t, p: p, line: newLineSize(t.L1Line), surface: tr.surface, surfaces: tr.surfaces[:0],
		clauses: tr.clauses, loopEnd: tr.loopEnd, cellOf: slab.Zeros(tr.cellOf, int(gpr(registers(p), 0))),
		preload: tr.preload, isInput: tr.isInput, consts: tr.consts[:0], words: tr.words[:0],
		untainted: tr.untainted[:0], allTainted: tr.allTainted[:0], free: tr.free, memory: tr.memory,
	}
}

// refresh resizes the memory of earlier wavefronts to the needs of this program.
func (tr *Tracer) refresh() {
	for _, w := range tr.free {
		w.cells, w.taint, w.places = slab.Zeros(w.cells, tr.cells), slab.Zeros(w.taint, tr.cells), slab.Zeros(w.places, tr.places)
		w.standIns, w.stood = slab.Zeros(w.standIns, len(tr.allTainted)), slab.Zeros(w.stood, len(tr.allTainted))
	}
}
