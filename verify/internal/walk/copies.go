package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// A loop may be unrolled with all its exits kept:
//
//	before: loop { if (i >= n) break; s += a[i]; i += 1 }
//	after:  loop { if (i >= n) break; s += a[i]; i += 1; if (i >= n) break; s += a[i]; i += 1 }
//
// Two trips of before are one trip of after. So induct executes the body of the shorter loop k times for each
// trip of the longer one. Repeating the body of a loop with all its exits gives the same loop, for any program
// and any k. A Direct3D loop that a register counts stays the same if the count is a literal that k divides,
// and the register then counts n/k trips. A wrong k therefore cannot make a proof wrong; it only lets the proof
// fail. copiesOf guesses k from the numbers of exits.

// maxCopies bounds the number of executions of a body for one trip of its loop, and for one trip of the
// outermost loop that is executed in copies. This bounds the cost of nested loops. TestCopiesBeyond has loops
// at the bound and beyond it.
const maxCopies = 16

// copiesOf guesses how often to execute the body of each loop of two sides for one trip of the other side's
// loop. Loops without an entry are executed once.
func copiesOf(before, after *Observation) map[*ir.Instr]int {
	found := map[*ir.Instr]int{}
	for _, l := range [][2]*live{{before.vertexLive, after.vertexLive}, {before.pixelLive, after.pixelLive},
		{before.kernelLive, after.kernelLive}} {
		if l[0] != nil && l[1] != nil {
			matchCopies(found, l, [2]*ir.Region{l[0].unit.Function().Body, l[1].unit.Function().Body},
				[2]int{maxCopies, maxCopies})
		}
	}
	return found
}

// matchCopies matches the loops in the regions of both sides in program order. If one side has more, by an
// integer factor, then its region holds copies of the other one, and so of the loops in it. An inner loop of
// the shorter side keeps its first match. For each side, most bounds the copies.
func matchCopies(found map[*ir.Instr]int, of [2]*live, in [2]*ir.Region, most [2]int) {
	loops := [2][]*ir.Instr{of[0].loops(in[0]), of[1].loops(in[1])}
	more := max(len(loops[0]), len(loops[1]))
	if len(loops[0]) == 0 || len(loops[1]) == 0 || more%len(loops[0]) != 0 || more%len(loops[1]) != 0 {
		return
	}
	for i := range more {
		var loop [2]*ir.Instr
		var exits [2]int
		for side, list := range loops {
			loop[side] = list[i%len(list)]
			of[side].breaks(loop[side], loop[side].Sub[0], func(*ir.Instr) { exits[side]++ })
		}
		within := most
		for side, e := range exits {
			other := exits[1-side]
			if k := other / max(e, 1); k >= 2 && k <= most[side] && e*k == other && found[loop[side]] == 0 {
				found[loop[side]] = k
			}
			within[side] /= max(found[loop[side]], 1)
		}
		matchCopies(found, of, [2]*ir.Region{loop[0].Sub[0], loop[1].Sub[0]}, within)
	}
}

// loops lists the loops in r that matter, without those in other loops.
func (l *live) loops(r *ir.Region) (list []*ir.Instr) {
	for _, in := range r.Code {
		switch {
		case !l.ctrl[in]:
		case in.Op == ir.OpLoop:
			list = append(list, in)
		default:
			for _, sub := range in.Sub {
				list = append(list, l.loops(sub)...)
			}
		}
	}
	return list
}

// copies returns the number of executions of the body of the loop in for one trip, and trip with the count
// divided by that number. A loop whose counter aL is read is executed once.
func (w *walker[T]) copies(in *ir.Instr, trip []T) (int, []T) {
	k := w.beliefs.copies[in]
	if k < 2 {
		return 1, trip
	}
	if len(trip) == 0 {
		return k, trip
	}
	bits, ok := w.dom.Bits(trip[0])
	n := ir.LoopCount(bits)
	if !ok || n%k != 0 || in.Sub[0].Index != nil && w.live.value[in.Sub[0].Index.ID] {
		return 1, trip
	}
	trip = slices.Clone(trip)
	trip[0] = w.dom.Literal(uint32(n / k))
	return k, trip
}

// copied executes the body of the loop in k times, with all its exits, starting with vals. It returns the
// initial values of the next trip, or nil if there is no next trip. Each copy has a separate context, which no
// other execution of the loop has.
func (w *walker[T]) copied(in *ir.Instr, vals []T, k int) []T {
	context := w.context
	defer func() { w.context = context }()
	body := in.Sub[0]
	for i := range k {
		if k > 1 {
			w.context = symbolic.Mix(context + uint64(i) + 1)
		}
		w.bindParams(body, vals)
		if w.executeRegion(body) {
			return nil
		}
		vals = w.liveValues(body.Results)
	}
	return vals
}
