package sim

import (
	"math"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// lanes is a value of every thread of a wavefront, as 32-bit words.
type lanes = wave.Lanes

// clauseTrace is a clause prepared for tracing. parts are the steps of an ALU clause: one, unless
// barriers divide it.
type clauseTrace struct {
	parts []partTrace // of an ALU clause: barriers separate them
	ops   []opTrace   // the operations to evaluate
	slots int         // the slots of the program that ops evaluate
	fetch []fetchTrace
	data  taint // taint of the index of a memory access, if tidy settled it
}

// partTrace is a step of an ALU clause.
type partTrace struct {
	Kind          StepKind
	Groups, Flops int
}

// fetchTrace is the static data of a fetch.
type fetchTrace struct {
	waits  bool     // its coordinates come from a fetch that may be outstanding
	place  int      // index of the clause's set of places that it reads
	first  bool     // it is the first to read them
	count  bool     // it is only counted, see Tracer.Count
	wants  uint8    // the channels of its result that something traced reads
	dst    [4]int32 // the cells of its results, -1 for none
	dims   int      // number of coordinates that determine the place
	coords [2]ref   // cells of the coordinates: of the wavefront, or constants
	data   [2]taint // their taint, if tidy settled it
	from   *Surface // the surface that it reads
	start  int32    // cell of the constant that is its first line
}

// compile translates the needed instructions into evaluations over cells, so that tracing needs
// neither register names nor tables.
func (tr *Tracer) compile(n *needed) {
	p, m := tr.p, &tr.memory
	tr.clauses = container.Zeros(tr.clauses, len(p.CF))
	ops, list := m.ops[:0], m.parts[:0]
	m.fetch.Again(64)
	for i := range p.CF {
		cf, c := &p.CF[i], &tr.clauses[i]
		cut := len(list)
		list = parts(list, cf, p.Family)
		c.parts = list[cut:]
		c.fetch = m.fetch.Alloc(len(cf.Fetches))[:0]
		g, from := groupCompiler{tr: tr, evals: waveEvals(), ops: ops, slots: m.slots}, len(ops)
		for k := range cf.Groups {
			if want := n.slots[i][k]; want != 0 || localAccess(&cf.Groups[k]) != nil {
				g.compile(&cf.Groups[k], want)
				c.slots += bits.OnesCount8(want)
			}
		}
		ops, m.slots = g.ops, g.slots
		c.ops = ops[from:]
		for f := range cf.Fetches {
			wants := n.fetch[i][f] | feeds(cf.Fetches[f:])
			c.fetch = append(c.fetch, fetchTrace{waits: f == 0 && dependent(p, i), wants: wants})
			for ch := range uint8(4) {
				if n.fetch[i][f]>>ch&1 != 0 {
					tr.cellFor(gpr(cf.Fetches[f].Dst, ch))
				}
			}
		}
	}
	m.ops, m.parts = ops, list
	for l := range n.inputs.All() {
		tr.cellFor(l)
	}
	for i := range p.CF {
		tr.places = max(tr.places, tr.placeSets(p.CF[i].Fetches, tr.clauses[i].fetch))
		tr.compileFetches(p.CF[i].Fetches, tr.clauses[i].fetch)
	}
	tr.preload = container.Zeros(tr.preload, tr.cells)
	tr.isInput = container.Zeros(tr.isInput, tr.cells)
	for l := range n.inputs.All() {
		tr.isInput[tr.cellFor(l)] = l >= firstGPR
	}
	for _, in := range tr.l.Inputs {
		if l := gpr(in.Reg, uint8(in.Chan)); int(l) < len(tr.cellOf) && n.inputs.Has(l) {
			tr.preload[tr.cellFor(l)] = in.Holds
		}
	}
}

// compileFetches resolves the operands and results of the fetches of a clause, after all cells are
// assigned.
func (tr *Tracer) compileFetches(list []r600.Fetch, traces []fetchTrace) {
	for i := range list {
		f, known := &list[i], &traces[i]
		known.from = tr.reads(f)
		for ch, sel := range f.DstSel {
			known.dst[ch] = -1
			if sel != r600.SelMask {
				known.dst[ch] = tr.cellOf[gpr(f.Dst, uint8(ch))] - 1
			}
		}
		known.start = tr.constant(uint32(known.from.base / uint64(tr.t.L1Line)))
		known.dims = tr.coords(f)
		if s := known.from; s.sides[0].length == 0 {
			s.sides = [2]sideTrace{tr.traceSide(s.Width), tr.traceSide(s.Height)}
		}
		for k, sel := range f.SrcSel[:known.dims] {
			switch {
			case sel == r600.SelOne:
				known.coords[k] = ref{inConsts, tr.constant(math.Float32bits(1))}
			case sel > r600.SelW:
				known.coords[k] = ref{inConsts, tr.constant(0)}
			default:
				known.coords[k] = ref{inWave, tr.cellFor(gpr(f.Src, uint8(sel)))}
			}
		}
	}
}

// feeds returns the channels of the first fetch of a list that a later one takes a coordinate from.
func feeds(list []r600.Fetch) (channels uint8) {
	for i := range list[1:] {
		if f := &list[1+i]; f.Src == list[0].Dst {
			for _, sel := range f.SrcSel {
				if sel <= r600.SelW {
					channels |= 1 << sel
				}
			}
		}
	}
	return channels
}

// placeSets numbers the sets of places that the fetches of a clause read, and returns their number.
// Fetches of equally large surfaces at the same coordinates, as in a sum of several matrices, read
// the same places, which are computed once.
func (tr *Tracer) placeSets(list []r600.Fetch, traces []fetchTrace) int {
	sets := 0
	for i := range list {
		f, known := &list[i], &traces[i]
		known.place, known.first = sets, true
		for k := range i {
			if traces[k].first && tr.alike(f, &list[k]) {
				known.place, known.first = traces[k].place, false
				break
			}
		}
		if known.first {
			sets++
		}
	}
	return sets
}

// alike reports whether two fetches read the same places.
func (tr *Tracer) alike(a, b *r600.Fetch) bool {
	s, t := tr.reads(a), tr.reads(b)
	return a.Op == b.Op && a.Src == b.Src && a.SrcSel == b.SrcSel && a.Offset == b.Offset && a.Scale == b.Scale &&
		(a.Unnormal || s.unnormal) == (b.Unnormal || t.unnormal) &&
		s.Linear == t.Linear && s.Width == t.Width && s.Height == t.Height && s.Bytes == t.Bytes
}

// Count skips the computation of the lines that cached fetches read, except if something traced
// depends on the result. It is for callers that only need the number of fetches.
func (tr *Tracer) Count() {
	for i := range tr.clauses {
		list, traces := tr.p.CF[i].Fetches, tr.clauses[i].fetch
		for k := range list {
			f := &traces[k]
			f.count = touches(list[k].Op) && !direct(list[k].Op) && f.wants == 0
			f.first = !f.count && !slices.ContainsFunc(traces[:k],
				func(e fetchTrace) bool { return e.first && e.place == f.place })
		}
	}
}

// cellFor returns the cell of a location, a new one if it has none.
func (tr *Tracer) cellFor(l loc) int32 {
	if tr.cellOf[l] == 0 {
		tr.cells++
		tr.cellOf[l] = int32(tr.cells)
	}
	return tr.cellOf[l] - 1
}

// constant returns a cell of the tracer that holds one word for all threads.
func (tr *Tracer) constant(word uint32) int32 {
	for i, have := range tr.words {
		if have == word {
			return int32(i)
		}
	}
	var l lanes
	for i := range l {
		l[i] = word
	}
	tr.consts, tr.words, tr.untainted = append(tr.consts, l), append(tr.words, word), append(tr.untainted, 0)
	return int32(len(tr.consts) - 1)
}

// parts appends the steps of an ALU clause, cut at its barriers: arithmetic, barrier, and so on.
func parts(out []partTrace, cf *r600.CF, family r600.Family) []partTrace {
	cut := true
	for i := range cf.Groups {
		if cut {
			out = append(out, partTrace{Kind: StepALU})
			cut = false
		}
		s := &out[len(out)-1]
		s.Groups++
		for slot, inst := range cf.Groups[i].Slots {
			if inst == nil {
				continue
			}
			cut = cut || inst.Op == r600.OpGroupBarrier
			if slot%max(1, inst.Op.Slots(family).Width()) == 0 {
				s.Flops += flops(inst.Op)
			}
		}
		if cut {
			out = append(out, partTrace{Kind: stepBarrier})
		}
	}
	return out
}

// dependent reports whether a fetch clause takes coordinates from the fetch clauses directly before
// it, without an intervening ALU clause that would wait for them.
func dependent(p *r600.Program, at int) bool {
	for i := at - 1; i >= 0 && len(p.CF[i].Fetches) > 0; i-- {
		for j := range p.CF[i].Fetches {
			for k := range p.CF[at].Fetches {
				if p.CF[i].Fetches[j].Dst == p.CF[at].Fetches[k].Src {
					return true
				}
			}
		}
	}
	return false
}
