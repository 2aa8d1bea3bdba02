package sim

import "fmt"

// spilled is how many registers of a thread are kept in memory: those beyond what an
// instruction can name. They are written through the export path and read past the texture
// caches, as all memory that is not a texture.
func (tr *Tracer) spilled() int { return max(0, tr.p.GPRs-tr.t.Usable()) }

// access writes the next spilled register or, when all are written, reads the next. Each is
// written once and read once, at the start: how often a compiler does that, and where, the
// program does not tell (assumed; in loops it is more).
func (w *waveTrace) access(s *Step) {
	tr, n := w.tr, w.tr.spilled()
	s.Kind = StepWrite
	if w.spill >= n {
		s.Kind, s.Direct, s.Last = StepFetch, true, true
	}
	s.Lines.Mask = w.active()
	for lane := range tr.t.Wave {
		// 16 bytes for each thread, registers after each other.
		at := ((w.id*n+w.spill%n)*tr.t.Wave + lane) * 16
		s.Lines.Line[lane] = uint32(at / tr.t.L1Line)
	}
	w.spill++
}

// spillNote says what the time of spilled registers rests on.
func (tr *Tracer) spillNote() string {
	return fmt.Sprintf("%d registers beyond the %d of a thread are kept in memory, each written once and read once", tr.spilled(), tr.t.Usable())
}
