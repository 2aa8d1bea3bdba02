package sim

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// fetchClause makes the step of the next fetch of a clause.
func (w *waveTrace) fetchClause(cf *r600.CF, s *Step) {
	i := w.fetch
	f, known := &cf.Fetches[i], &w.tr.clauses[w.pc].fetch[i]
	s.Kind = StepFetch
	s.Wait = known.waits
	s.Last = i+1 == len(cf.Fetches)
	if touches(f.Op) && !known.count {
		w.lines(f, known, s)
	} else {
		s.Lines.line = lanes{}
	}
	if known.count {
		s.Lines.Mask = w.active()
	}
	w.result(f, known, &s.Lines)
	w.fetch++
	if s.Last {
		w.fetch = 0
		w.pc++
	}
}

// lines computes the lines that the active lanes of a fetch read.
func (w *waveTrace) lines(f *r600.Fetch, known *fetchTrace, s *Step) {
	tr := w.tr
	s.Lines.Mask = w.active()
	s.Direct = direct(f.Op)
	if f.Op == r600.FetchReadScratch {
		for lane := range tr.t.Wave {
			s.Lines.line[lane] = tr.globalLine(tr.scratchAt(w.id, lane))
		}
		return
	}
	places := &w.places[known.place]
	if known.first {
		w.locate(f, known, places)
	}
	start := &tr.consts[known.start]
	waveEvals()[r600.OpAddInt](&s.Lines.line, places, start, start)
}

// direct reports whether a fetch bypasses the texture caches.
func direct(op r600.FetchOp) bool { return op == r600.FetchReadGlobal || op == r600.FetchReadScratch }

// reads returns the surface that a fetch reads. Memory that the program also writes is a separate
// surface.
func (tr *Tracer) reads(f *r600.Fetch) *Surface {
	if inMemory(f) {
		return &tr.global
	}
	return &tr.surfaces[tr.surface[f.Resource]]
}

// inMemory reports whether a fetch reads memory that the program can also write.
func inMemory(f *r600.Fetch) bool {
	switch f.Op {
	case r600.FetchReadGlobal, r600.FetchReadScratch, r600.FetchReadLocal:
		return true
	}
	return f.Scale > 0
}

// locate computes the places of a fetch, in lines from the start of its surface. A coordinate that
// depends on data is pseudo-random in [0, 1). If coordinates count texels, it is scaled to the
// side, so that such fetches spread evenly.
func (w *waveTrace) locate(f *r600.Fetch, known *fetchTrace, places *lanes) {
	tr, s := w.tr, known.from
	s.tiles()
	x, tx := w.coordinate(known, 0)
	y, ty := x, false
	if known.dims > 1 {
		y, ty = w.coordinate(known, 1)
	}
	// Data in [0, 1) is not a valid texel count, so spread it evenly.
	whole := f.Op.Vertex() || f.Op == r600.FetchLD
	counts := f.Unnormal || s.unnormal
	if whole || counts {
		x, y = tr.scatter(x, tx, s.Width, 0), tr.scatter(y, ty, s.Height, 1)
	}
	tr.dataAddress = tr.dataAddress || tx || ty
	line := tr.line
	if s == &tr.global {
		for lane := range tr.t.Wave {
			places[lane] = uint32(line.lineIndex(uint64(x[lane]) * uint64(f.Scale) % globalSize))
		}
		return
	}
	px, py := &tr.texels[0], &tr.consts[s.sides[1].zero]
	n := tr.t.Wave
	tr.along(px, x, whole || tx && counts, counts, &s.sides[0], f.Offset[0])
	if known.dims > 1 {
		py = &tr.texels[1]
		tr.along(py, y, whole || ty && counts, counts, &s.sides[1], f.Offset[1])
	}
	if s.Linear || line.shift == 0 {
		for lane := range n {
			places[lane] = uint32(line.lineIndex(s.texelOffset(px[lane], py[lane])))
		}
		return
	}
	column, row, shift := s.column, s.row, line.shift&63
	for lane := range n {
		places[lane] = uint32((column[px[lane]] + row[py[lane]]) >> shift)
	}
}

// globalLine returns the line of a byte of writable memory.
func (tr *Tracer) globalLine(at uint64) uint32 {
	return uint32(tr.line.lineIndex(tr.global.base + at%globalSize))
}

// scatter replaces a data-dependent coordinate by a place along a side that depends only on the
// coordinate.
func (tr *Tracer) scatter(from *lanes, tainted bool, side, buffer int) *lanes {
	if !tainted {
		return from
	}
	to := &tr.scratch[operandCell+buffer]
	for lane, w := range from {
		if lane > 0 && w == from[lane-1] {
			to[lane] = to[lane-1]
			continue
		}
		to[lane] = uint32(float(standIn(tr.l.Seed, uint64(w))) * float32(side))
	}
	return to
}

// coordinate returns a coordinate of a fetch, and reports whether it depends on data.
func (w *waveTrace) coordinate(known *fetchTrace, k int) (*lanes, bool) {
	r := known.coords[k]
	return w.lanes(r), w.depends(r, known.data[k]) == tainted
}

// sideTrace is a side of a surface: its length, and constants that clamp coordinates.
type sideTrace struct {
	length     int
	zero, last int32
	lastCount  int32 // last as a float, -1 if it is not exact
}

func (tr *Tracer) traceSide(length int) sideTrace {
	last := min(length-1, 1<<30)
	s := sideTrace{length: length, zero: tr.constant(0), last: tr.constant(uint32(last)), lastCount: -1}
	if last < 1<<24 {
		s.lastCount = tr.constant(floatWord(float32(last)))
	}
	return s
}

// along computes the texels along a side of a surface from coordinates: integers, texel counts or
// shares of the side. Offsets are in half texels. Coordinates beyond an edge read the edge: fetches
// are assumed to clamp, since samplers are not part of a kernel. Without an offset, lane operations
// compute the texels.
func (tr *Tracer) along(to, words *lanes, whole, counts bool, side *sideTrace, offset int8) {
	evals, zero := waveEvals(), &tr.consts[side.zero]
	last := min(side.length-1, 1<<30)
	switch {
	case whole && offset == 0:
		evals[r600.OpMaxInt](to, words, zero, zero)
		evals[r600.OpMinInt](to, to, &tr.consts[side.last], zero)
	case whole:
		for lane, word := range words {
			to[lane] = uint32(min(max(int(int32(word))+int(offset)/2, 0), last))
		}
	case counts && offset == 0 && side.lastCount >= 0:
		evals[r600.OpMax](to, words, zero, zero) // 0 for NaN
		evals[r600.OpMin](to, to, &tr.consts[side.lastCount], zero)
		evals[r600.OpFltToInt](to, to, zero, zero)
	default:
		scale := float64(side.length)
		if counts {
			scale = 1
		}
		for lane, word := range words {
			v := float64(float64(math.Float32frombits(word))*scale) + float64(offset)/2
			switch {
			case v >= float64(last):
				to[lane] = uint32(last)
			case v > 0:
				to[lane] = uint32(int32(v))
			default: // or NaN
				to[lane] = 0
			}
		}
	}
}

// result defines the results of a fetch that the trace needs. Constant channels have their values.
// Data is pseudo-random and depends on the place that was read, so that equal places give equal
// data. For channels without a traced reader only the taint is recorded.
func (w *waveTrace) result(f *r600.Fetch, known *fetchTrace, at *Lines) {
	tr := w.tr
	for ch, sel := range f.DstSel {
		c := known.dst[ch]
		if c < 0 {
			continue
		}
		if !tr.settled {
			w.taint[c] = taintOf(sel <= r600.SelW)
			w.clean = w.clean && sel > r600.SelW
		}
		if known.wants>>ch&1 == 0 {
			continue
		}
		var v lanes
		switch {
		case sel == r600.SelOne:
			v = tr.consts[tr.constant(math.Float32bits(1))]
		case sel <= r600.SelW:
			from := uint64(f.Resource)<<8 | uint64(sel)
			for lane, line := range at.line {
				if lane > 0 && line == at.line[lane-1] {
					v[lane] = v[lane-1]
					continue
				}
				v[lane] = standIn(tr.l.Seed, uint64(line)<<16|from)
			}
		}
		wave.Blend(&w.cells[c], &v, w.active())
	}
}

// write computes the lines that a write touches.
func (w *waveTrace) write(op r600.CFOp, m *r600.Memory, at *Lines) {
	tr := w.tr
	at.Mask = w.active()
	indexed := m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW
	var index *lanes
	if indexed {
		c := tr.cellFor(gpr(m.IndexReg, uint8(m.IndexSel[0])))
		index = &w.cells[c]
		tr.dataAddress = tr.dataAddress || w.depends(ref{inWave, c}, tr.clauses[w.pc].data) == tainted
	}
	for lane := range tr.t.Wave {
		place := uint64(m.Base)
		if indexed {
			place += uint64(index[lane])
		}
		place *= uint64(m.Scale)
		if op == r600.CFMemScratch {
			place = tr.scratchAt(w.id, lane)
		}
		at.line[lane] = tr.globalLine(place)
	}
}

// scratchAt returns the scratch address of a thread: the same element of all threads of a wavefront
// is contiguous.
func (tr *Tracer) scratchAt(wave, lane int) uint64 {
	return 16 * uint64(wave*tr.t.Wave+lane)
}

// standIn fills a value with pseudo-random numbers, by lane.
func (tr *Tracer) standIn(to *lanes, key uint64) {
	for lane := range to {
		to[lane] = standIn(tr.l.Seed, key<<6|uint64(lane))
	}
}

// standIn returns a float in [0, 1) that depends only on seed and key, by SplitMix64 (Steele, Lea
// and Flood, OOPSLA 2014). Launches are therefore the same on every machine.
func standIn(seed, key uint64) uint32 {
	z := seed + key*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return math.Float32bits(float32(z>>40) / (1 << 24))
}
