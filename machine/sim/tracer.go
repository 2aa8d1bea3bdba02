package sim

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// traceMemory is memory that successive tracers reuse.
type traceMemory struct {
	ops   []opTrace
	slots []slotTrace
	parts []partTrace
	fetch container.Slab[fetchTrace]
	wants []uint8 // by group and by fetch of a program
	lists [][]uint8
	sets  []container.Bits
	bits  container.Bits
}

// tracers is a pool of released tracers.
var tracers = sync.Pool{New: func() any { return &Tracer{surface: map[int]int{}} }}

// Release returns the memory of tr for the next tracer. tr and its traces must not be used
// afterwards.
func (tr *Tracer) Release() {
	tr.p, tr.l = nil, nil
	tr.free = append(tr.free[:0], tr.made...)
	tracers.Put(tr)
}

// begin resets the tracer for a program and keeps only its memory.
func (tr *Tracer) begin(p *r600.Program, l *Launch, t *chip.Target) {
	clear(tr.surface)
	*tr = Tracer{
		l: l, t: t, p: p, line: newLineSize(t.L1Line), surface: tr.surface, surfaces: tr.surfaces[:0],
		clauses: tr.clauses, loopEnd: tr.loopEnd, cellOf: container.Zeros(tr.cellOf, int(gpr(registers(p), 0))),
		preload: tr.preload, isInput: tr.isInput, consts: tr.consts[:0], words: tr.words[:0],
		untainted: tr.untainted[:0], allTainted: tr.allTainted[:0], free: tr.free, made: tr.made, run: tr.run +
			1, memory: tr.memory,
	}
}
