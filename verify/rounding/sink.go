package rounding

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// A sink is an operand where errors are amplified: the coordinates of a fetch, the operand of a function
// with a pole or a step, an operand of a comparison. The type growth compares similar versions of a program sink by
// sink.

// sinkKey identifies a sink by the first value that the instruction defines. The key is negative for
// instructions without values, and then holds their ordinal.
type sinkKey struct {
	op ir.Op
	id ir.ID
}

// sharp marks the ops whose operands are sinks: ops with a pole or a step, and powers.
var sharp = [256]bool{
	ir.OpRcp: true, ir.OpRsq: true, ir.OpLog: true, ir.OpLogp: true, ir.OpLogpVec: true, ir.OpPow: true, ir.OpNrm: true,
	ir.OpExp: true, ir.OpExpp: true, ir.OpFrc: true, ir.OpCmp: true, ir.OpSlt: true, ir.OpSge: true, ir.OpSgn: true,
	ir.OpSetp: true, ir.OpKill: true, ir.OpIf: true, ir.OpBreak: true,
}

// sink is an operand met in a walk, or the coordinates of a fetch.
type sink struct {
	sinkKey
	at    [3]ref
	dim   ir.Dim
	fetch bool
	pos   asm.Pos
}

// sunk is the error that arrives at a sink, the smallest error that counts there, and the position.
type sunk struct {
	err, floor float64
	pos        asm.Pos
}

func (s *sink) value(g *graph) sunk {
	if s.fetch {
		return sunk{g.displacement(s.dim, s.at[:s.dim.Coords()]), leastTexels, s.pos}
	}
	return sunk{g.valueOf(s.at[0]).err, 0, s.pos}
}

// leastTexels is the smallest displacement in texels that hardware distinguishes: weights of filters have
// eight bits.
const leastTexels = 1.0 / 256

// fetched records the displacement of the coordinates of a fetch.
func (e *execution) fetched(g *graph, in *ir.Instr, coords []ref) {
	if !e.collect {
		return
	}
	e.out.texels = max(e.out.texels, g.displacement(in.Res.Dim, coords))
	if k, ok := keyOf(in); ok && e.Analyzer.sinks {
		s := sink{sinkKey: k, dim: in.Res.Dim, fetch: true, pos: in.Pos}
		copy(s.at[:], coords)
		e.out.met = append(e.out.met, s)
	}
}

func keyOf(in *ir.Instr) (sinkKey, bool) {
	for _, v := range in.Out {
		if v != nil {
			return sinkKey{in.Op, v.ID}, true
		}
	}
	return sinkKey{}, false
}

// sinks records the operands of an amplifying instruction.
func (e *execution) sinks(w *walker, in *ir.Instr) {
	if !e.Analyzer.sinks || !e.collect || !sharp[in.Op] {
		return
	}
	k, ok := keyOf(in)
	if !ok {
		k = sinkKey{in.Op, ir.ID(-1 - w.prog.ordinal[in])}
	}
	for s := range in.Src {
		if s > 0 && in.Op == ir.OpCmp { // operands that it chooses between
			break
		}
		for _, l := range in.Src[s] {
			if l.V != nil {
				e.out.met = append(e.out.met, sink{sinkKey: k, at: [3]ref{w.value(l.V)}, pos: in.Pos})
			}
		}
	}
}
