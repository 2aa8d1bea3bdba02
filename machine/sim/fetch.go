package sim

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// fetchClause makes the step of the next fetch of a clause.
func (w *waveTrace) fetchClause(cf *r600.CF, s *Step) {
	i := w.fetch
	f, known := &cf.Fetches[i], &w.tr.clauses[w.pc].fetch[i]
	s.Kind = StepFetch
	s.Wait = known.waits
	s.Last = i+1 == len(cf.Fetches)
	switch {
	case known.count:
		s.Lines.Mask = w.active()
	case touches(f.Op):
		w.lines(f, known, s)
	}
	w.result(f, known, &s.Lines)
	w.fetch++
	if s.Last {
		w.fetch = 0
		w.pc++
	}
}

// lines finds the lines that the active lanes of a fetch read.
func (w *waveTrace) lines(f *r600.Fetch, known *fetchTrace, s *Step) {
	tr := w.tr
	s.Lines.Mask = w.active()
	s.Direct = direct(f.Op)
	if f.Op == r600.FetchReadScratch {
		for lane := range tr.t.Wave {
			s.Lines.Line[lane] = tr.globalLine(tr.scratchAt(w.id, lane))
		}
		return
	}
	surface := known.from
	places := &w.places[known.place]
	if known.first {
		w.locate(f, surface, places)
	}
	start := uint32(surface.base / uint64(tr.t.L1Line))
	for lane, p := range places {
		s.Lines.Line[lane] = start + p
	}
}

// direct reports whether a fetch goes past the texture caches.
func direct(op r600.FetchOp) bool { return op == r600.FetchReadGlobal || op == r600.FetchReadScratch }

// reads is the surface that a fetch reads: memory that is also written has one of its own.
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

// locate computes the places of a fetch in surface s, in lines from its start. A coordinate that
// depends on data is a stand-in in [0, 1); where texels are counted it is scaled to the side, so
// that such fetches spread evenly.
func (w *waveTrace) locate(f *r600.Fetch, s *Surface, places *lanes) {
	tr := w.tr
	s.tiles()
	n := tr.coords(f)
	x, tx := w.coordinate(f, 0)
	y, ty := x, false
	if n > 1 {
		y, ty = w.coordinate(f, 1)
	}
	// Of data in [0, 1) a place cannot be made where texels are counted: spread it evenly.
	whole := f.Op.Vertex() || f.Op == r600.FetchLD
	counts := f.Unnormal || s.Unnormal
	if whole || counts {
		x, y = tr.scatter(x, tx, s.Width, 0), tr.scatter(y, ty, s.Height, 1)
	}
	tr.dataAddress = tr.dataAddress || tx || ty
	mask := w.active()
	line := uint64(tr.t.L1Line)
	for lane := range tr.t.Wave {
		if mask>>lane&1 == 0 {
			continue
		}
		if s == &tr.global {
			places[lane] = uint32(uint64(x[lane]) * uint64(f.Scale) % globalSize / line)
			continue
		}
		px := texel(x[lane], whole || tx && counts, counts, s.Width, f.Offset[0])
		py := 0
		if n > 1 {
			py = texel(y[lane], whole || ty && counts, counts, s.Height, f.Offset[1])
		}
		places[lane] = uint32(s.offset(px, py) / line)
	}
}

// globalLine is the line of a byte of memory that is also written.
func (tr *Tracer) globalLine(at uint64) uint32 {
	return uint32((tr.global.base + at%globalSize) / uint64(tr.t.L1Line))
}

// scatter replaces a coordinate that depends on data by a place along a side that
// depends on nothing but the coordinate.
func (tr *Tracer) scatter(from *lanes, tainted bool, side, buffer int) *lanes {
	if !tainted {
		return from
	}
	to := &tr.scratch[operandCell+buffer]
	for lane, w := range from {
		to[lane] = uint32(float(standIn(tr.l.Seed, uint64(w))) * float32(side))
	}
	return to
}

// coordinate is a coordinate of a fetch.
func (w *waveTrace) coordinate(f *r600.Fetch, i int) (*lanes, bool) {
	tr := w.tr
	switch sel := f.SrcSel[i]; {
	case sel == r600.SelOne:
		return &tr.consts[tr.constant(math.Float32bits(1))], false
	case sel > r600.SelW:
		return &tr.consts[tr.constant(0)], false
	default:
		c := tr.cellOf[gpr(f.Src, uint8(sel))]
		return &w.cells[c], w.taint[c] == tainted
	}
}

// texel is the place a coordinate names: an integer, a count of texels, or a share of the
// side. Offsets are in half texels.
func texel(word uint32, whole, counts bool, side int, offset int8) int {
	if whole {
		return clampInt(int64(int32(word)) + int64(offset)/2)
	}
	v := float64(math.Float32frombits(word))
	if !counts {
		v *= float64(side)
	}
	v = math.Floor(v + float64(offset)/2)
	if !(v > 0) {
		return 0
	}
	return clampInt(int64(min(v, 1<<30)))
}

func clampInt(v int64) int { return int(min(max(v, 0), 1<<30)) }

// result defines what a fetch delivers, where a trace needs it: constants as they are, data by
// stand-ins that depend on the place that was read, so that equal places give equal data. Of
// channels that nothing wants before it is written again, where it is from is noted alone.
func (w *waveTrace) result(f *r600.Fetch, known *fetchTrace, at *Lines) {
	tr := w.tr
	for ch, sel := range f.DstSel {
		c := known.dst[ch]
		if c < 0 {
			continue
		}
		w.taint[c] = taintOf(sel <= r600.SelW)
		if known.wants>>ch&1 == 0 {
			continue
		}
		var v lanes
		switch {
		case sel == r600.SelOne:
			v = tr.consts[tr.constant(math.Float32bits(1))]
		case sel <= r600.SelW:
			for lane := range v {
				v[lane] = standIn(tr.l.Seed, uint64(at.Line[lane])<<16|uint64(f.Resource)<<8|uint64(sel))
			}
		}
		wave.Blend(&w.cells[c], &v, w.active())
	}
}

// write finds the lines that a write touches.
func (w *waveTrace) write(op r600.CFOp, m *r600.Memory, at *Lines) {
	tr := w.tr
	at.Mask = w.active()
	for lane := range tr.t.Wave {
		index := uint64(m.Base)
		if m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW {
			c := tr.cellOf[gpr(m.IndexReg, uint8(m.IndexSel[0]))]
			index += uint64(w.cells[c][lane])
			tr.dataAddress = tr.dataAddress || w.taint[c] == tainted
		}
		at.Line[lane] = tr.globalLine(index * uint64(m.Scale))
		if op == r600.CFMemScratch {
			at.Line[lane] = tr.globalLine(tr.scratchAt(w.id, lane))
		}
	}
}

// scratchAt is where a thread has its scratch memory: the same element of all threads of a
// wavefront lies side by side.
func (tr *Tracer) scratchAt(wave, lane int) uint64 {
	return 16 * uint64(wave*tr.t.Wave+lane)
}

// standIn fills a value with stand-ins, by lane.
func (tr *Tracer) standIn(to *lanes, key uint64) {
	for lane := range to {
		to[lane] = standIn(tr.l.Seed, key<<6|uint64(lane))
	}
}

// standIn is a float in [0, 1) that depends on nothing but seed and key: SplitMix64 (Steele, Lea
// and Flood, OOPSLA 2014). Launches are therefore the same on every machine.
func standIn(seed, key uint64) uint32 {
	z := seed + key*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return math.Float32bits(float32(z>>40) / (1 << 24))
}

// threadsOf is the mask of the lanes of a wavefront that have a thread: at the edges of a domain,
// and in the last wavefront of a group, there are fewer.
func (tr *Tracer) threadsOf(id int) uint64 {
	if x, y := tr.block(id); tr.perGroup == 0 && x+8 <= tr.l.Width && y+8 <= tr.l.Height && tr.t.Wave == 64 {
		return ^uint64(0)
	}
	var mask uint64
	for lane := range tr.t.Wave {
		on := false
		if tr.perGroup > 0 {
			on = id%tr.perGroup*tr.t.Wave+lane < tr.threads
		} else {
			x, y := tr.pixel(id, lane)
			on = x < tr.l.Width && y < tr.l.Height
		}
		if on {
			mask |= 1 << lane
		}
	}
	return mask
}

// pixel is the place of a thread in the domain: blocks row by row.
func (tr *Tracer) pixel(id, lane int) (x, y int) {
	x, y = quadLane(lane)
	left, top := tr.block(id)
	return left + x, top + y
}

// block is the corner of the block of pixels that a wavefront has.
func (tr *Tracer) block(id int) (x, y int) {
	row := max(blocks(tr.l.Width), 1)
	return 8 * (id % row), 8 * (id / row)
}

// builtins is what the hardware gives the threads of a wavefront.
func (tr *Tracer) builtins(b chip.Builtin, id int, to *lanes) {
	left, top := tr.block(id)
	for lane := range tr.t.Wave {
		switch b {
		case chip.PositionX:
			x, _ := quadLane(lane)
			to[lane] = math.Float32bits(float32(left+x) + 0.5)
		case chip.PositionY:
			_, y := quadLane(lane)
			to[lane] = math.Float32bits(float32(top+y) + 0.5)
		default:
			to[lane] = tr.builtin(b, id, lane)
		}
	}
}

// builtin is what it gives one of them, positions aside.
func (tr *Tracer) builtin(b chip.Builtin, id, lane int) uint32 {
	l := tr.l
	switch b {
	case chip.PositionW, chip.FrontFace:
		return math.Float32bits(1)
	case chip.ThreadFlat:
		if tr.perGroup == 0 {
			x, y := tr.pixel(id, lane)
			return uint32(y*l.Width + x)
		}
	}
	if tr.perGroup == 0 {
		return 0
	}
	flat := id%tr.perGroup*tr.t.Wave + lane
	group := id / tr.perGroup
	at := [3]int{flat % l.Group[0], flat / l.Group[0] % l.Group[1], flat / l.Group[0] / l.Group[1]}
	of := [3]int{group % l.Groups[0], group / l.Groups[0] % l.Groups[1], group / l.Groups[0] / l.Groups[1]}
	switch b {
	case chip.ThreadFlat:
		return uint32(group*tr.threads + flat)
	case chip.ThreadInGroupX, chip.ThreadInGroupY, chip.ThreadInGroupZ:
		return uint32(at[b-chip.ThreadInGroupX])
	case chip.ThreadInGroupFlat:
		return uint32(flat)
	case chip.GroupX, chip.GroupY, chip.GroupZ:
		return uint32(of[b-chip.GroupX])
	case chip.GroupFlat:
		return uint32(group)
	case chip.ThreadX, chip.ThreadY, chip.ThreadZ:
		i := b - chip.ThreadX
		return uint32(of[i]*l.Group[i] + at[i])
	}
	return 0
}
