package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// ideal executes a program for one invocation in float64, as an approximation of real arithmetic.
type ideal struct {
	p      *Program
	leaf   func(kind ir.Kind, r ir.Reg) float64
	sample func(sampler int, c [3]float64) [4]float64
	vals   map[*ir.Value]float64
	left   []*ir.Value // arguments of the break that was taken
	wild   bool        // a value was not a number; bounds exclude such runs
}

func (m *ideal) value(v *ir.Value) float64 {
	switch v.Kind {
	case ir.Literal:
		switch d3d9.File(v.Home.File) {
		case d3d9.ConstInt, d3d9.ConstBool:
			return float64(int32(v.Bits))
		}
		return float64(math.Float32frombits(v.Bits))
	case ir.Input, ir.Uniform:
		return m.leaf(v.Kind, v.Home)
	case ir.Undef: // anything, which is no number here
		return math.NaN()
	}
	return m.vals[v]
}

func (m *ideal) lane(l ir.Lane) float64 {
	x := m.value(l.V)
	if l.Mod&ir.Abs != 0 {
		x = math.Abs(x)
	}
	if l.Mod&ir.Neg != 0 {
		x = -x
	}
	if l.Mod&ir.Not != 0 {
		x = holds(x == 0)
	}
	return x
}

func holds(c bool) float64 {
	if c {
		return 1
	}
	return 0
}

func compared(c ir.Cond, a, b float64) bool {
	return [...]bool{ir.CondGT: a > b, ir.CondEQ: a == b, ir.CondGE: a >= b, ir.CondLT: a < b, ir.CondNE: a != b,
		ir.CondLE: a <= b}[c]
}

func (m *ideal) decides(in *ir.Instr) bool {
	switch {
	case len(in.Src) == 0:
		return true
	case in.Cond == ir.CondNone:
		return m.lane(in.Src[0][0]) != 0
	}
	return compared(in.Cond, m.lane(in.Src[0][0]), m.lane(in.Src[1][0]))
}

func (m *ideal) code(r *ir.Region) (left bool) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpIf:
			side := 0
			if !m.decides(in) {
				side = 1
			}
			if m.code(in.Sub[side]) {
				return true
			}
			m.results(in.Results, in.Sub[side].Results)
		case ir.OpLoop:
			m.loop(in)
		case ir.OpBreak:
			if m.decides(in) {
				m.left = in.Args
				return true
			}
		case ir.OpKill:
		default:
			m.instr(in)
		}
	}
	return false
}

func (m *ideal) results(to, from []*ir.Value) {
	vals := make([]float64, len(from))
	for k, v := range from {
		vals[k] = m.value(v)
	}
	for k, v := range to {
		m.vals[v] = vals[k]
	}
}

func (m *ideal) loop(in *ir.Instr) {
	body := in.Sub[0]
	m.results(body.Params, in.Args)
	n := int(min(max(m.lane(in.Src[0][0]), 0), 255))
	for i := range n {
		if body.Index != nil {
			m.vals[body.Index] = m.lane(in.Src[0][1]) + float64(i)*m.lane(in.Src[0][2])
		}
		if m.code(body) {
			m.results(in.Results, m.left)
			return
		}
		m.results(body.Params, body.Results)
	}
	m.results(in.Results, body.Params)
}

func (m *ideal) instr(in *ir.Instr) {
	var src [4][4]float64
	for s := range in.Src {
		for i, l := range in.Src[s] {
			if l.V != nil {
				src[s][i] = m.lane(l)
			}
		}
	}
	var texel [4]float64
	if in.Op.Has(ir.IsFetch) {
		c := [3]float64{}
		for i := range in.Res.Dim.Coords() {
			c[i] = src[0][i]
			if in.Op == ir.OpFetchProj {
				c[i] /= src[0][3]
			}
		}
		texel = m.sample(int(in.Res.Unit), c)
	}
	var out [4]float64
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		var x float64
		switch {
		case in.Op.HasFormula():
			x = ir.Eval(reals{}, in.Op, i, func(s, l int) float64 { return src[s][l] })
		case in.Op == ir.OpSetp:
			x = holds(compared(in.Cond, src[0][i], src[1][i]))
		case in.Op == ir.OpLoad:
			index := float64(in.Base.Index) + src[0][0]
			if index < 0 || index > math.MaxUint16 { // also for infinity
				index = math.MaxUint16
			}
			at := ir.Reg{File: in.Base.File, Index: uint16(index), Comp: uint8(i)}
			kind := ir.Uniform
			if at.File == ir.File(d3d9.Input) {
				kind = ir.Input
			}
			x = m.leaf(kind, at)
		default:
			x = texel[i]
		}
		if in.Mods&ir.Sat != 0 {
			x = min(max(x, 0), 1)
		}
		if p := in.Pred[i]; p.V != nil && m.lane(p) == 0 {
			x = m.value(in.Keep[i])
		}
		out[i] = x
	}
	for i, v := range in.Out {
		if v != nil {
			m.vals[v] = out[i]
			m.wild = m.wild || math.IsNaN(out[i])
		}
	}
}

// reals implements the algebra of real numbers in float64.
type reals struct{}

func (reals) Const(x float32) float64  { return float64(x) }
func (reals) Add(a, b float64) float64 { return a + b }
func (reals) Mul(a, b float64) float64 { return float64(a * b) }
func (reals) Neg(a float64) float64    { return -a }

func (reals) Call(p ir.Prim, a []float64) float64 {
	switch p {
	case ir.PrimAbs:
		return math.Abs(a[0])
	case ir.PrimSat:
		return min(max(a[0], 0), 1)
	case ir.PrimRcp:
		return 1 / a[0]
	case ir.PrimRsq:
		return 1 / math.Sqrt(math.Abs(a[0]))
	case ir.PrimExp2, ir.PrimExp2P:
		return math.Exp2(a[0])
	case ir.PrimLog2, ir.PrimLog2P:
		return math.Log2(math.Abs(a[0]))
	case ir.PrimPow:
		return math.Pow(math.Abs(a[0]), a[1])
	case ir.PrimSin:
		return math.Sin(a[0])
	case ir.PrimCos:
		return math.Cos(a[0])
	case ir.PrimFrc:
		return a[0] - math.Floor(a[0])
	case ir.PrimFloor:
		return math.Floor(a[0])
	case ir.PrimRound:
		return math.Round(a[0])
	case ir.PrimMin:
		return min(a[0], a[1])
	case ir.PrimMax:
		return max(a[0], a[1])
	case ir.PrimSlt:
		return holds(a[0] < a[1])
	case ir.PrimSge:
		return holds(a[0] >= a[1])
	case ir.PrimSelGE:
		if a[0] >= 0 {
			return a[1]
		}
		return a[2]
	case ir.PrimSgn:
		return holds(a[0] > 0) - holds(a[0] < 0)
	case ir.PrimLitSpec:
		if a[0] > 0 && a[1] > 0 {
			return math.Pow(a[1], min(max(a[2], -(127+255.0/256)), 127+255.0/256))
		}
		return 0
	case ir.PrimDsx, ir.PrimDsy: // all fragments of a quad are equal
		return 0
	}
	return math.NaN()
}
