package passtest

import (
	"hash/fnv"
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Execute computes the outputs of f on inputs derived from seed. The register of an input determines its value,
// so that it is the same in every version of a program. Killed pixels are outputs too, in register file 0xff.
// Execute interprets the IR by the formulas of the op table, so it does not detect errors in these; verification
// has a separate interpreter.
func Execute(f *ir.Func, seed uint32) map[ir.Reg]float32 {
	m := simulator{seed: seed, vals: make([]float32, f.NumValues()), out: map[ir.Reg]float32{}}
	m.region(f.Body)
	for _, o := range f.Outs {
		m.out[o.Reg] = m.value(o.V)
	}
	return m.out
}

// simulator is the state of one run: values by ID, as float32 even where they are words.
type simulator struct {
	seed uint32
	vals []float32
	out  map[ir.Reg]float32
	left []float32 // results of the loop that a break just left
}

// region runs r and reports whether it ended in a break, which ends the enclosing regions up to the loop.
func (m *simulator) region(r *ir.Region) (broke bool) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpIf:
			side := in.Sub[1]
			if m.decide(in) {
				side = in.Sub[0]
			}
			if m.region(side) {
				return true
			}
			// The results of an if are the results of the side taken.
			m.assign(in.Results, m.values(side.Results))
		case ir.OpLoop:
			m.runLoop(in)
		case ir.OpBreak:
			if len(in.Src) == 0 || m.decide(in) {
				m.left = m.values(in.Args)
				return true
			}
		case ir.OpKill:
			// Record statement and component: order and place of kills may change.
			for i, l := range in.Src[0] {
				if l.V != nil && m.laneValue(l) < 0 {
					m.out[ir.Reg{File: 0xff, Index: uint16(in.Orig), Comp: uint8(i)}] = 1
				}
			}
		default:
			for i, v := range in.Out {
				if v != nil {
					m.vals[v.ID] = m.result(in, i)
				}
			}
		}
	}
	return false
}

// runLoop runs a loop with a trip count. The carried values are first the arguments, then the results of the
// body or the arguments of a break.
func (m *simulator) runLoop(in *ir.Instr) {
	body, trip := in.Sub[0], in.Src[0]
	count, start, step := integer(trip[0], ir.LoopCount), integer(trip[1], ir.LoopStart), integer(trip[2], ir.LoopStep)
	carried := m.values(in.Args)
	for k := range count {
		m.assign(body.Params, carried)
		if body.Index != nil {
			m.vals[body.Index.ID] = float32(start + k*step)
		}
		if m.region(body) {
			carried = m.left
			break
		}
		carried = m.values(body.Results)
	}
	m.assign(in.Results, carried)
}

// integer returns a trip count, start or step: the literal, or 3, so that loops run.
func integer(l ir.Lane, read func(bits uint32) int) int {
	if l.V != nil && l.V.Kind == ir.Literal {
		return read(l.V.Bits)
	}
	return 3
}

// decide returns the condition of a branch or a break.
func (m *simulator) decide(in *ir.Instr) bool {
	a := in.Src[0][0]
	if in.Cond != ir.CondNone {
		return compare(in.Cond, m.laneValue(a), m.laneValue(in.Src[1][0]))
	}
	return m.truth(a)
}

// truth returns a boolean. It is true if the value is above 0, so that random booleans of the host are true
// about half the time.
func (m *simulator) truth(l ir.Lane) bool { return m.value(l.V) > 0 != (l.Mod&ir.Not != 0) }

func compare(c ir.Cond, a, b float32) bool {
	return [...]bool{ir.CondGT: a > b, ir.CondEQ: a == b, ir.CondGE: a >= b, ir.CondLT: a < b, ir.CondNE: a != b,
		ir.CondLE: a <= b}[c]
}

// values returns the values of a list.
func (m *simulator) values(vs []*ir.Value) []float32 {
	out := make([]float32, len(vs))
	for i, v := range vs {
		out[i] = m.value(v)
	}
	return out
}

// assign sets several values at once.
func (m *simulator) assign(to []*ir.Value, xs []float32) {
	for i, v := range to {
		m.vals[v.ID] = xs[i]
	}
}

// value returns the value of v. Inputs, constants of the host and unwritten registers are random by their
// register, the same in all versions of a program.
func (m *simulator) value(v *ir.Value) float32 {
	switch v.Kind {
	case ir.Literal:
		return math.Float32frombits(v.Bits)
	case ir.Input, ir.Uniform, ir.Undef:
		return m.random(uint32(v.Kind), uint32(v.Home.File), uint32(v.Home.Index), uint32(v.Home.Comp))
	}
	return m.vals[v.ID]
}

// laneValue returns the value of l, with its modifiers applied.
func (m *simulator) laneValue(l ir.Lane) float32 {
	x := m.value(l.V)
	if l.Mod&ir.Abs != 0 {
		x = float32(math.Abs(float64(x)))
	}
	if l.Mod&ir.Neg != 0 {
		x = -x
	}
	return x
}

// random returns a number in -2..2 derived from the seed and words: a hash (FNV-1a), mixed so that its low
// bits are good.
func (m *simulator) random(words ...uint32) float32 {
	h := fnv.New64a()
	for _, w := range append(words, m.seed) {
		h.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
	}
	x := h.Sum64()
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return float32(int32(uint32(x))) / (1 << 30)
}

// result computes lane i of in. Fetches are random functions of all their operands, so that a changed operand
// shows.
func (m *simulator) result(in *ir.Instr, i int) float32 {
	if l := in.Pred[i]; l.V != nil && !m.truth(l) {
		return m.value(in.Keep[i])
	}
	var x float32
	switch {
	case in.Op == ir.OpSetp:
		if compare(in.Cond, m.laneValue(in.Src[0][i]), m.laneValue(in.Src[1][i])) {
			x = 1
		}
	case in.Op.HasFormula():
		x = ir.Eval(algebra{m}, in.Op, i, func(src, lane int) float32 { return m.laneValue(in.Src[src][lane]) })
	default: // a fetch or an indexed register: a random function of its operands
		words := []uint32{uint32(in.Op), uint32(in.Res.Unit), uint32(in.Base.File), uint32(in.Base.Index), uint32(i)}
		for _, o := range in.Src {
			for lane, l := range o {
				if l.V != nil {
					words = append(words, uint32(lane), math.Float32bits(m.laneValue(l)))
				}
			}
		}
		x = m.random(words...)
	}
	if in.Mods&ir.Sat != 0 {
		x = min(max(x, 0), 1)
	}
	return x
}

// algebra is float32 arithmetic, with random values for hardware-specific primitives.
type algebra struct{ m *simulator }

func (algebra) Const(x float32) float32  { return x }
func (algebra) Add(a, b float32) float32 { return a + b }
func (algebra) Mul(a, b float32) float32 { return float32(a * b) }
func (algebra) Neg(a float32) float32    { return -a }

func (a algebra) Call(p ir.Prim, args []float32) float32 {
	switch p {
	case ir.PrimExp2P, ir.PrimLog2P, ir.PrimLitSpec, ir.PrimRound, ir.PrimExponent, ir.PrimMantissa, ir.PrimLogpW,
		ir.PrimDsx, ir.PrimDsy:
		words := []uint32{uint32(p)}
		for _, x := range args {
			words = append(words, math.Float32bits(x))
		}
		return a.m.random(words...)
	}
	words := make([]uint32, len(args))
	for i, x := range args {
		words[i] = math.Float32bits(x)
	}
	return math.Float32frombits((&ir.Words{}).Call(p, words))
}
