package sim

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
)

// loc is the address register, a channel of a clause temporary or a channel of a register.
type loc = int32

const (
	addressReg loc = 0
	firstTemp  loc = 1
	firstGPR   loc = firstTemp + 4*8
)

func gpr(index int, ch uint8) loc  { return firstGPR + loc(4*index) + loc(ch) }
func temp(index int, ch uint8) loc { return firstTemp + loc(4*(index&7)) + loc(ch) }

// registers returns the number of registers that p names, which may exceed the hardware's.
func registers(p *r600.Program) int {
	n := p.GPRs
	for i := range p.CF {
		cf := &p.CF[i]
		for k := range cf.Fetches {
			n = max(n, cf.Fetches[k].Dst+1, cf.Fetches[k].Src+1)
		}
		if m := cf.Memory; m != nil {
			n = max(n, m.Reg+1, m.IndexReg+1)
		}
		for k := range cf.Groups {
			for _, in := range cf.Groups[k].Slots {
				if in == nil {
					continue
				}
				n = max(n, int(in.Dst.Index)+1)
				for j := range in.Src {
					if in.Src[j].Kind == r600.SrcGPR {
						n = max(n, int(in.Src[j].Index)+1)
					}
				}
			}
		}
	}
	return n
}

// needed is the set of instructions that a trace must evaluate. The others take their time, but
// their results do not affect timing.
type needed struct {
	slots  [][]uint8 // by CF instruction, by group: a bit for each slot
	fetch  [][]uint8 // by CF instruction, by fetch: a bit for each needed channel of the result
	inputs container.Bits
}

// slice computes a backward program slice for addresses and conditions: strong liveness over the
// control flow of one thread, iterated to the fixed point. Each round visits all instructions. In
// structured programs the number of rounds is at most the loop nesting depth plus two.
func slice(p *r600.Program, tr *Tracer) *needed {
	m := &tr.memory
	m.lists = container.Zeros(m.lists, 2*len(p.CF))
	n := &needed{slots: m.lists[:len(p.CF)], fetch: m.lists[len(p.CF):]}
	count := 0
	for i := range p.CF {
		count += len(p.CF[i].Groups) + len(p.CF[i].Fetches)
	}
	m.wants = container.Zeros(m.wants, count)
	all := m.wants
	for i := range p.CF {
		groups, fetches := len(p.CF[i].Groups), len(p.CF[i].Fetches)
		n.slots[i], n.fetch[i], all = all[:groups], all[groups:groups+fetches], all[groups+fetches:]
	}
	// in holds the live set before each instruction, and after the set after it at its last visit.
	// If the latter is unchanged, the visit is skipped.
	sets := m.newSets(2*len(p.CF)+2, len(tr.cellOf))
	in, after, live := sets[:len(p.CF)+1], sets[len(p.CF)+1:2*len(p.CF)+1], sets[2*len(p.CF)+1]
	for first, again := true, true; again; first = false {
		again = false
		for i := len(p.CF) - 1; i >= 0; i-- {
			clear(live)
			for _, s := range successors(p, tr.loopEnd, i) {
				live.Union(in[s]) // the set at the end is empty
			}
			if !first && slices.Equal(after[i], live) {
				continue
			}
			copy(after[i], live)
			n.through(&p.CF[i], i, live, tr)
			if in[i].Union(live) {
				again = true
			}
		}
	}
	n.inputs = in[0]
	return n
}

// newSets returns count empty sets of numbers below numbers.
func (m *traceMemory) newSets(count, numbers int) []container.Bits {
	words := (numbers + 63) / 64
	m.sets, m.bits = container.Zeros(m.sets, count), container.Zeros(m.bits, count*words)
	for i := range m.sets {
		m.sets[i] = m.bits[i*words : (i+1)*words]
	}
	return m.sets
}

// successors returns the possible control-flow successors of instruction i: one or two, or the end
// of the program.
func successors(p *r600.Program, loopEnd []int, i int) [2]int {
	switch cf := &p.CF[i]; cf.Op {
	case r600.CFLoop, r600.CFEndLoop, r600.CFALUBreak, r600.CFBreak:
		return [2]int{i + 1, loopEnd[i] + 1}
	case r600.CFALUContinue, r600.CFContinue:
		return [2]int{i + 1, loopEnd[i]}
	case r600.CFJump, r600.CFElse:
		return [2]int{i + 1, min(cf.Target, len(p.CF))}
	case r600.CFEnd:
		return [2]int{len(p.CF), len(p.CF)}
	}
	return [2]int{i + 1, i + 1}
}

// through propagates the live set backwards over a control-flow instruction.
func (n *needed) through(cf *r600.CF, at int, live container.Bits, tr *Tracer) {
	for i := len(cf.Fetches) - 1; i >= 0; i-- {
		f := &cf.Fetches[i]
		for ch, sel := range f.DstSel {
			if l := gpr(f.Dst, uint8(ch)); sel != r600.SelMask {
				if live.Has(l) {
					n.fetch[at][i] |= 1 << ch
				}
				live.Remove(l)
			}
		}
	}
	// All coordinates of a clause are live before it, except if one fetch feeds another.
	for i := range cf.Fetches {
		f := &cf.Fetches[i]
		for _, sel := range f.SrcSel[:tr.coords(f)] {
			if sel <= r600.SelW {
				live.Insert(gpr(f.Src, uint8(sel)))
			}
		}
	}
	if m := cf.Memory; m != nil && m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW {
		live.Insert(gpr(m.IndexReg, uint8(m.IndexSel[0])))
	}
	var previous uint8 // slots whose results the next group reads as PV or PS
	for i := len(cf.Groups) - 1; i >= 0; i-- {
		previous = n.group(&cf.Groups[i], &n.slots[at][i], live, previous)
	}
}

// group propagates the live set over a group and marks the needed slots: those with live results,
// predicates and kills. Reductions need all their slots.
func (n *needed) group(g *r600.Group, slots *uint8, live container.Bits, forwarded uint8) (previous uint8) {
	want := *slots | forwarded
	for i, inst := range g.Slots {
		if inst == nil {
			continue
		}
		if l, ok := written(inst); ok && live.Has(l) || inst.Op.Predicate() || inst.Op.Kills() {
			want |= 1 << i
		}
	}
	for i, inst := range g.Slots {
		if inst == nil || want>>i&1 == 0 || !inst.Op.Reduces() {
			continue
		}
		for j, other := range g.Slots {
			if other != nil && other.Op == inst.Op {
				want |= 1 << j
			}
		}
	}
	*slots = want
	if inst := localAccess(g); inst != nil { // its address decides the time of the access
		defer func() { previous |= n.operand(&inst.Src[0], live) }()
	}
	for _, inst := range g.Slots {
		if inst != nil {
			if l, ok := written(inst); ok {
				live.Remove(l)
			}
		}
	}
	for i, inst := range g.Slots {
		if inst == nil || want>>i&1 == 0 {
			continue
		}
		for j := range inst.Op.Sources() {
			previous |= n.operand(&inst.Src[j], live)
		}
	}
	return previous
}

// operand makes an operand live. It returns the slot of the previous group if the operand is its result.
func (n *needed) operand(s *r600.Src, live container.Bits) (previous uint8) {
	switch s.Kind {
	case r600.SrcGPR:
		live.Insert(gpr(int(s.Index), s.Chan))
	case r600.SrcTemp:
		live.Insert(temp(int(s.Index), s.Chan))
	case r600.SrcPV:
		return 1 << s.Chan
	case r600.SrcPS:
		return 1 << r600.T
	case r600.SrcConst:
		if s.Rel {
			live.Insert(addressReg)
		}
	}
	return 0
}

// written returns the location that an instruction writes, other than PV and PS.
func written(inst *r600.Inst) (loc, bool) {
	switch {
	case inst.Op.Address():
		return addressReg, true
	case inst.Dst.Kind == r600.DstGPR:
		return gpr(int(inst.Dst.Index), inst.Dst.Chan), true
	case inst.Dst.Kind == r600.DstTemp:
		return temp(int(inst.Dst.Index), inst.Dst.Chan), true
	}
	return 0, false
}

// coords returns the number of coordinates that determine the place a fetch reads.
func (tr *Tracer) coords(f *r600.Fetch) int {
	s := tr.reads(f)
	switch {
	case !touches(f.Op):
		return 0
	case f.Op.Vertex() || s.Linear || s.Height == 1:
		return 1
	}
	return 2
}

// touches reports whether a fetch reads memory.
func touches(op r600.FetchOp) bool {
	switch op {
	case r600.FetchTextureResInfo, r600.FetchNumSamples, r600.FetchSamplePos, r600.FetchLOD,
		r600.FetchGradientsH, r600.FetchGradientsV, r600.FetchSetGradientsH, r600.FetchSetGradientsV,
		r600.FetchReadLocal, r600.FetchShare:
		return false
	}
	return true
}
