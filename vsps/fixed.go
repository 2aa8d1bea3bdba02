package vsps

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// Registers of ps_1_x hold numbers in -M..M. The hardware chooses M, which is at least 1
// (MaxPixelShaderValue of D3DCAPS8, PixelShader1xMaxValue of D3DCAPS9). Every result is
// clamped to this range by an OpRange in the IR. An OpRange is the identity for values in
// -1..1 and for values that are in the range already; nothing else about it is known. Two
// versions of a program are therefore equal only if both clamp a value, or if the clamp has
// no effect on any hardware:
//
//	add r0, r0, r1          r0 = range(r0 + r1)
//	mul r0, r0, c0          r0 = r0*c0: |c0| <= 1, so the product of a value in the range is in it
//
// Constants are clamped to -1..1 when they are set, and colours to 0..1 before they are
// interpolated. Texels are assumed to be in the range. Shifts of results and modifiers of
// sources become instructions too ("ps_1_1 Modifiers": _bias is x-0.5, _bx2 is 2(x-0.5),
// 1-x, _x2, and results by _x2, _x4, _d2).

// fixedPoint reports whether a model is ps_1_x.
func fixedPoint(m d3d9.Model) bool { return m.Stage == d3d9.Pixel && m.Major == 1 }

// clampedConstant returns the constant that a register holds after it was set to bits. The
// documentation does not mention NaN, which stays.
func clampedConstant(bits uint32) uint32 {
	x := math.Float32frombits(bits)
	if x != x {
		return bits
	}
	return math.Float32bits(min(max(x, -1), 1))
}

// span bounds a value. A held value is also in the range of registers, whatever that is: it
// was clamped to it, comes from a texture, or lies between -1 and 1.
type span struct {
	lo, hi float64
	held   bool
}

var anywhere = span{math.Inf(-1), math.Inf(1), false}

// settled returns s, held if its bounds lie within -1..1.
func (s span) settled() span {
	s.held = s.held || s.lo >= -1 && s.hi <= 1
	return s
}

// spans computes and stores the spans of the values of a function. Bounds are over the
// reals: rounding to eight bits cannot leave -1..1, because -1 and 1 are numbers of the
// format.
type spans map[*ir.Value]span

func (m spans) spanOf(v *ir.Value) span {
	if s, ok := m[v]; ok {
		return s
	}
	// A value that depends on itself has no bounds. Programs of ps_1_x have no loops, so this is only a guard.
	m[v] = anywhere
	s := m.computeSpan(v).settled()
	m[v] = s
	return s
}

// computeSpan computes the span of v from its definition: by a rule for the op, else by
// interval arithmetic.
func (m spans) computeSpan(v *ir.Value) span {
	switch v.Kind {
	case ir.Literal:
		x := float64(math.Float32frombits(v.Bits))
		return span{lo: x, hi: x}
	case ir.Uniform:
		if d3d9.File(v.Home.File) == d3d9.Const {
			return span{lo: -1, hi: 1}
		}
		return anywhere
	case ir.Input:
		if d3d9.File(v.Home.File) == d3d9.Input {
			return span{lo: 0, hi: 1}
		}
		return anywhere
	case ir.Undef: // the old content of a register
		return span{anywhere.lo, anywhere.hi, true}
	}
	in := v.Def
	if in == nil {
		return anywhere
	}
	if in.Mods&ir.Sat != 0 {
		return span{lo: 0, hi: 1}
	}
	at := int(v.Lane)
	switch {
	case in.Op.Has(ir.IsFetch):
		return span{anywhere.lo, anywhere.hi, true}
	// The clamp is to -M..M with M >= 1. Bounds outside -1..1 stay, because M may be large.
	case in.Op == ir.OpRange:
		s := m.laneSpan(in.Src[0][at])
		return span{min(s.lo, 1), max(s.hi, -1), true}
	case in.Op == ir.OpMov:
		return m.laneSpan(in.Src[0][at])
	case in.Op == ir.OpCmp:
		b, c := m.laneSpan(in.Src[1][at]), m.laneSpan(in.Src[2][at])
		return span{min(b.lo, c.lo), max(b.hi, c.hi), b.held && c.held}
	// With a factor between 0 and 1, lrp lies between its other operands. Interval
	// arithmetic does not find that.
	case in.Op == ir.OpLrp:
		a, b, c := m.laneSpan(in.Src[0][at]), m.laneSpan(in.Src[1][at]), m.laneSpan(in.Src[2][at])
		if a.lo >= 0 && a.hi <= 1 {
			return span{min(b.lo, c.lo), max(b.hi, c.hi), b.held && c.held}
		}
	// A product by a factor of at most 1 in absolute value does not leave the range.
	case in.Op == ir.OpMul:
		a, b := m.laneSpan(in.Src[0][at]), m.laneSpan(in.Src[1][at])
		s := a.times(b)
		s.held = a.held && b.inside() || b.held && a.inside()
		return s
	}
	if !in.Op.HasFormula() {
		return anywhere
	}
	return ir.Eval(intervals{}, in.Op, at, func(src, lane int) span { return m.laneSpan(in.Src[src][lane]) })
}

// laneSpan returns the span of a lane of an operand.
func (m spans) laneSpan(l ir.Lane) span {
	if l.V == nil {
		return anywhere
	}
	s := m.spanOf(l.V)
	if l.Mod&ir.Abs != 0 {
		s.lo, s.hi = 0, max(math.Abs(s.lo), math.Abs(s.hi))
	}
	if l.Mod&ir.Neg != 0 {
		s.lo, s.hi = -s.hi, -s.lo
	}
	return s
}

// inside reports whether all of s lies between -1 and 1.
func (s span) inside() bool { return s.lo >= -1 && s.hi <= 1 }

// times multiplies intervals. 0 times infinity is 0, because both are bounds.
func (s span) times(t span) span {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range [2]float64{s.lo, s.hi} {
		for _, y := range [2]float64{t.lo, t.hi} {
			p := x * y
			if x == 0 || y == 0 {
				p = 0
			}
			lo, hi = min(lo, p), max(hi, p)
		}
	}
	return span{lo: lo, hi: hi}
}

// intervals implements the formulas of ops on spans.
type intervals struct{}

func (intervals) Const(x float32) span { return span{lo: float64(x), hi: float64(x)} }
func (intervals) Add(a, b span) span   { return span{lo: a.lo + b.lo, hi: a.hi + b.hi} }
func (intervals) Mul(a, b span) span   { return a.times(b) }
func (intervals) Neg(a span) span      { return span{lo: -a.hi, hi: -a.lo} }

func (intervals) Call(ir.Prim, []span) span { return anywhere }
