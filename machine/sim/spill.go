package sim

import "fmt"

// spilled returns the number of registers of a thread that are in memory: those beyond the number
// that an instruction can name. They are written through the export path and read past the texture
// caches, like all memory that is not a texture.
func (tr *Tracer) spilled() int { return max(0, tr.p.GPRs-tr.t.Usable()) }

// access writes the next spilled register or, after all are written, reads the next. Each is
// written once and read once, at the start. The real number and place of accesses does not follow
// from the program (assumed; in loops it is larger).
func (w *waveTrace) access(s *Step) {
	tr, n := w.tr, w.tr.spilled()
	s.Kind = StepWrite
	if w.spill >= n {
		s.Kind, s.Direct, s.Last = StepFetch, true, true
	}
	s.Lines.Mask = w.active()
	for lane := range tr.t.Wave {
		// 16 bytes for each thread, and consecutive registers.
		at := ((w.id*n+w.spill%n)*tr.t.Wave + lane) * 16
		s.Lines.line[lane] = uint32(at / tr.t.L1Line)
	}
	w.spill++
}

// spillNote returns the note about the cost of spilled registers.
func (tr *Tracer) spillNote() string {
	return fmt.Sprintf("%d registers beyond the %d of a thread are spilled to memory, each with one write and one read",
		tr.spilled(), tr.t.Usable())
}
