package spvs

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// moded returns the row of an op whose last source is the mode for arguments outside of the domain.
func moded(op ir.Op) lanewiseRow {
	return lanewiseRow{op: op, operands: 1, negate: -1, mode: true, result: Float}
}

func threeArgs(op ir.Op) lanewiseRow {
	return lanewiseRow{op: op, operands: 3, negate: -1, result: Float}
}

// makeGlslLanewise returns the table glslLanewise, which is the table of instructions of GLSL.std.450 that are one ir.Instr on lanes.
func makeGlslLanewise() []lanewiseRow {
	one := func(op ir.Op) lanewiseRow { return oneArg(op).on(Float, NoScalar) }
	two := func(op ir.Op, k Scalar) lanewiseRow { return twoArgs(op).on(k, NoScalar) }
	return []lanewiseRow{
		spirv.GLSLRound:     one(ir.OpRound),
		spirv.GLSLRoundEven: one(ir.OpRndne),
		spirv.GLSLTrunc:     one(ir.OpTrunc),
		spirv.GLSLFAbs:      one(ir.OpAbs),
		spirv.GLSLFSign:     one(ir.OpSgn),
		spirv.GLSLFloor:     one(ir.OpFloor),
		spirv.GLSLCeil:      one(ir.OpCeil),
		spirv.GLSLFract:     one(ir.OpFrc),
		spirv.GLSLSin:       one(ir.OpSin),
		spirv.GLSLCos:       one(ir.OpCos),
		spirv.GLSLTan:       one(ir.OpTan),
		spirv.GLSLAsin:      one(ir.OpAsin),
		spirv.GLSLAcos:      one(ir.OpAcos),
		spirv.GLSLAtan:      one(ir.OpAtan),
		spirv.GLSLAtan2:     two(ir.OpAtan2, Float),
		spirv.GLSLLdexp:     twoArgs(ir.OpLdexp),
		spirv.GLSLExp2:      one(ir.OpExpVec),
		spirv.GLSLLog:       moded(ir.OpLnZ),
		spirv.GLSLLog2:      moded(ir.OpLogZ),
		// Its parts stay together: the power of 0 is defined, and the logarithm is not.
		spirv.GLSLPow:         {op: ir.OpPowZ, operands: 2, negate: -1, mode: true, result: Float},
		spirv.GLSLSqrt:        one(ir.OpSqrt),
		spirv.GLSLInverseSqrt: moded(ir.OpRsqZ),
		spirv.GLSLFMin:        two(ir.OpMinIEEE, Float),
		spirv.GLSLUMin:        two(ir.OpUMin, Uint),
		spirv.GLSLSMin:        two(ir.OpIMin, Int),
		spirv.GLSLFMax:        two(ir.OpMaxIEEE, Float),
		spirv.GLSLUMax:        two(ir.OpUMax, Uint),
		spirv.GLSLSMax:        two(ir.OpIMax, Int),
		spirv.GLSLFClamp:      threeArgs(ir.OpClamp),
		spirv.GLSLStep:        swapped(ir.OpSge).on(Float, NoScalar),
		spirv.GLSLFma:         threeArgs(ir.OpMadIEEE),
		spirv.GLSLCross:       two(ir.OpCrs, Float),
		spirv.GLSLFindILsb:    oneArg(ir.OpFfbLo),
		spirv.GLSLNMin:        two(ir.OpMin, Float), // the number if the other operand is NaN
		spirv.GLSLNMax:        two(ir.OpMax, Float),
	}
}

// glslRule lifts an instruction of GLSL.std.450 with these operands.
type glslRule func(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value

// glslEntry is a rule and the number of its operands.
type glslEntry struct {
	operands int
	rule     glslRule
}

// makeGlslOthers returns the rules of the instructions of GLSL.std.450 that are not one op on lanes.
func makeGlslOthers() map[spirv.GLSL]glslEntry {
	return map[spirv.GLSL]glslEntry{
		spirv.GLSLRadians: {1, times(math.Pi / 180)}, spirv.GLSLDegrees: {1, times(180 / math.Pi)},
		spirv.GLSLExp: {1, exponential}, spirv.GLSLFMix: {3, mix},
		spirv.GLSLSmoothStep: {3, smoothStep}, spirv.GLSLLength: {1, length}, spirv.GLSLDistance: {2, distance},
		spirv.GLSLNormalize: {1, normalize}, spirv.GLSLReflect: {2, reflect}, spirv.GLSLRefract: {3, refract},
		spirv.GLSLFaceForward: {3, faceForward}, spirv.GLSLSAbs: {1, absolute}, spirv.GLSLSSign: {1, sign},
		spirv.GLSLNClamp: {3, clampNumber}, spirv.GLSLUClamp: {3, clampUint}, spirv.GLSLSClamp: {3, clampInt},
		spirv.GLSLFindSMsb: {1, findMSB}, spirv.GLSLFindUMsb: {1, findMSB}, spirv.GLSLPackHalf2x16: {1, packHalf},
		spirv.GLSLUnpackHalf2x16: {1, unpackHalf}, spirv.GLSLModfStruct: {1, modf}, spirv.GLSLSinh: {1, hyperbolic},
		spirv.GLSLCosh: {1, hyperbolic}, spirv.GLSLTanh: {1, hyperbolic}, spirv.GLSLAsinh: {1, areaHyperbolic}, spirv.GLSLAcosh: {1, areaHyperbolic},
		spirv.GLSLAtanh: {1, areaTangent}, spirv.GLSLPackUnorm4x8: {1, pack},
		spirv.GLSLPackSnorm4x8: {1, pack}, spirv.GLSLPackUnorm2x16: {1, pack}, spirv.GLSLPackSnorm2x16: {1, pack},
		spirv.GLSLUnpackUnorm4x8: {1, unpack}, spirv.GLSLUnpackUnorm2x16: {1, unpack},
		spirv.GLSLDeterminant: {1, determinant}, spirv.GLSLMatrixInverse: {1, inverse},
	}
}

// extended lifts an instruction of GLSL.std.450.
func (l *lifter) extended(in *spirv.Inst, s *shape) []*ir.Value {
	number := spirv.GLSL(in.Args[1])
	inner := spirv.Inst{Op: in.Op, Type: in.Type, Result: in.Result, Args: in.Args[2:]}
	if number == spirv.GLSLFClamp && s.lanes <= 4 && len(inner.Args) == 3 && l.allEqual(inner.Args[1], 0) &&
		l.allEqual(inner.Args[2], wordOf(1)) {
		x := l.begin(ir.OpMov, l.vector(spirv.ID(inner.Args[0])))
		l.arithmetic(x, in.Result)
		x.Mods |= ir.Sat
		return l.finish(x, Float, s.lanes)
	}
	if int(number) < len(glslLanewise) && glslLanewise[number].op != ir.OpInvalid {
		return l.lanewise(&inner, s, &glslLanewise[number])
	}
	entry := glslOthers[number]
	if entry.rule == nil || len(inner.Args) < entry.operands || s.lanes > 4 && s.kind == vectorType {
		l.unsupported("the lift has no rule for " + number.String())
		return nil
	}
	a := make([]ir.Operand, len(inner.Args))
	for k := range a {
		a[k] = l.vector(spirv.ID(inner.Args[k]))
	}
	inner.Args = append([]uint32{uint32(number)}, inner.Args...)
	return entry.rule(l, &inner, s, a)
}

// allEqual reports whether all lanes of a constant have these bits.
func (l *lifter) allEqual(id, bits uint32) bool {
	for _, v := range l.lanes(spirv.ID(id)) {
		if v.Kind != ir.Literal || v.Bits != bits {
			return false
		}
	}
	return true
}

// The following rules are the formulas of the Vulkan specification (spirvenv-op-prec) for instructions whose precision
// is inherited from a formula.

func times(factor float32) glslRule {
	return func(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
		return l.op(in, ir.OpMulIEEE, s.lanes, a[0], l.number(factor))
	}
}

// exponential computes exp2(x*log2 e).
func exponential(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	x := l.op(in, ir.OpMulIEEE, s.lanes, a[0], l.number(math.Log2E))
	return l.op(in, ir.OpExpVec, s.lanes, operand(x))
}

// mix computes x + a*(y - x).
func mix(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.op(in, ir.OpLrp, s.lanes, a[2], a[1], a[0])
}

// smoothStep computes t*t*(3 - 2*t) of t = clamp((x - e0)/(e1 - e0), 0, 1).
func smoothStep(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n := s.lanes
	above := l.op(in, ir.OpAdd, n, a[2], negated(a[0]))
	width := l.op(in, ir.OpAdd, n, a[1], negated(a[0]))
	x := l.begin(ir.OpDiv, operand(above), operand(width), splat(l.f.Const(domainMode)))
	l.arithmetic(x, in.Result)
	x.Mods |= ir.Sat
	t := operand(l.finish(x, Float, n))
	slope := l.op(in, ir.OpMadIEEE, n, t, l.number(-2), l.number(3))
	square := l.op(in, ir.OpMulIEEE, n, t, t)
	return l.op(in, ir.OpMulIEEE, n, operand(square), operand(slope))
}

// size returns the number of lanes of an operand.
func size(o ir.Operand) (n int) {
	o.EachLane(func(int, *ir.Lane) { n++ })
	return n
}

// square computes the dot product of x with itself.
func (l *lifter) square(in *spirv.Inst, x ir.Operand) *ir.Value {
	list := lanesOf(x, size(x))
	return l.product(in, 0, list, list)
}

func length(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	switch size(a[0]) {
	case 1:
		return l.op(in, ir.OpAbs, 1, a[0])
	case 3:
		return l.op(in, ir.OpLen, 1, a[0])
	}
	return l.op(in, ir.OpSqrt, 1, splat(l.square(in, a[0])))
}

func distance(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n := size(a[0])
	if n == 3 {
		return l.op(in, ir.OpDist, 1, a[0], a[1])
	}
	difference := l.op(in, ir.OpAdd, n, a[0], negated(a[1]))
	return length(l, in, s, []ir.Operand{operand(difference)})
}

func normalize(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	mode := splat(l.f.Const(domainMode))
	switch s.lanes {
	case 1:
		return l.op(in, ir.OpSgn, 1, a[0])
	case 3:
		return l.op(in, ir.OpNrmZ, 3, a[0], mode)
	}
	root := l.op(in, ir.OpRsqZ, 1, splat(l.square(in, a[0])), mode)
	return l.op(in, ir.OpMulIEEE, s.lanes, a[0], splat(root[0]))
}

// dotOf computes the dot product of two operands of n lanes. n may be 1.
func (l *lifter) dotOf(in *spirv.Inst, a, b ir.Operand, n int) *ir.Value {
	if n == 1 {
		return l.op(in, ir.OpMulIEEE, 1, a, b)[0]
	}
	return l.product(in, 0, lanesOf(a, n), lanesOf(b, n))
}

// reflect computes I - 2*dot(N, I)*N.
func reflect(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	if s.lanes == 3 {
		return l.op(in, ir.OpReflect, 3, a[0], a[1])
	}
	twice := l.op(in, ir.OpMulIEEE, 1, splat(l.dotOf(in, a[1], a[0], s.lanes)), l.number(-2))
	return l.op(in, ir.OpMadIEEE, s.lanes, splat(twice[0]), a[1], a[0])
}

// refract computes k = 1 - eta*eta*(1 - d*d) of d = dot(N, I), and eta*I - (eta*d + sqrt(k))*N, or 0 for k < 0.
func refract(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n, eta := s.lanes, splat(a[2][0].V)
	d := splat(l.dotOf(in, a[1], a[0], n))
	k := splat(l.op(in, ir.OpMadIEEE, 1, negated(d), d, l.number(1))[0])
	square := splat(l.op(in, ir.OpMulIEEE, 1, eta, eta)[0])
	k = splat(l.op(in, ir.OpMadIEEE, 1, negated(square), k, l.number(1))[0])
	root := splat(l.op(in, ir.OpSqrt, 1, k)[0])
	factor := splat(l.op(in, ir.OpMadIEEE, 1, eta, d, root)[0])
	scaled := operand(l.op(in, ir.OpMulIEEE, n, eta, a[0]))
	r := operand(l.op(in, ir.OpMadIEEE, n, negated(factor), a[1], scaled))
	none := splat(l.compose(Bool, ir.OpFLt, 1, k, l.number(0))[0])
	return l.compose(Float, ir.OpSel, n, none, l.number(0), r)
}

func faceForward(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	d := splat(l.dotOf(in, a[2], a[1], s.lanes))
	front := splat(l.compose(Bool, ir.OpFLt, 1, d, l.number(0))[0])
	back := l.op(in, ir.OpMov, s.lanes, negated(a[0]))
	return l.compose(Float, ir.OpSel, s.lanes, front, a[0], operand(back))
}

func absolute(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	negative := l.compose(Int, ir.OpINeg, s.lanes, a[0])
	return l.compose(Int, ir.OpIMax, s.lanes, a[0], operand(negative))
}

func sign(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.between(s, ir.OpIMin, ir.OpIMax, a[0], splat(l.f.Const(math.MaxUint32)), splat(l.f.Const(1)))
}

// between computes least(most(x, low), high).
func (l *lifter) between(s *shape, least, most ir.Op, x, low, high ir.Operand) []*ir.Value {
	x = operand(l.compose(s.scalar, most, s.lanes, x, low))
	return l.compose(s.scalar, least, s.lanes, x, high)
}

func clampNumber(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.between(s, ir.OpMin, ir.OpMax, a[0], a[1], a[2])
}

func clampUint(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.between(s, ir.OpUMin, ir.OpUMax, a[0], a[1], a[2])
}

func clampInt(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.between(s, ir.OpIMin, ir.OpIMax, a[0], a[1], a[2])
}

// findMSB computes 31 - n, where n counts from the highest bit, or -1 if there is none.
func findMSB(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	op := ir.OpFfbHi
	if spirv.GLSL(in.Args[0]) == spirv.GLSLFindSMsb {
		op = ir.OpFfbShi
	}
	none := splat(l.f.Const(math.MaxUint32))
	n := operand(l.compose(Int, op, s.lanes, a[0]))
	missing := operand(l.compose(Bool, ir.OpIEq, s.lanes, n, none))
	fromLow := operand(l.compose(Int, ir.OpISub, s.lanes, splat(l.f.Const(31)), n))
	return l.compose(Int, ir.OpSel, s.lanes, missing, none, fromLow)
}

func packHalf(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	half := l.compose(Uint, ir.OpF2F16, 2, a[0])
	return []*ir.Value{l.joinFields(half, 16)}
}

func unpackHalf(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	return l.op(in, ir.OpF162F, 2, operand(l.splitFields(a[0][0].V, 2)))
}

// joinFields joins words of width bits, the first in the lowest bits. Their other bits must be 0.
func (l *lifter) joinFields(fields []*ir.Value, width int) *ir.Value {
	v := fields[0]
	for k, f := range fields[1:] {
		f = l.scalar(Uint, ir.OpIShl, f, l.f.Const(uint32(width*(k+1))))
		v = l.scalar(Uint, ir.OpIOr, v, f)
	}
	return v
}

// splitFields returns the n fields of a word as words.
func (l *lifter) splitFields(v *ir.Value, n int) (list []*ir.Value) {
	width := uint32(32 / n)
	for k := range n {
		f := v
		if k > 0 {
			f = l.scalar(Uint, ir.OpUShr, v, l.f.Const(width*uint32(k)))
		}
		if k < n-1 {
			f = l.scalar(Uint, ir.OpIAnd, f, l.f.Const(1<<width-1))
		}
		list = append(list, f)
	}
	return list
}

// pack computes round(clamp(x)*scale) as integers of 8 or 16 bits.
func pack(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n, low, high, op := size(a[0]), float32(0), float32(255), ir.OpFToU
	switch spirv.GLSL(in.Args[0]) {
	case spirv.GLSLPackUnorm2x16:
		high = 65535
	case spirv.GLSLPackSnorm4x8:
		low, high, op = -1, 127, ir.OpFToI
	case spirv.GLSLPackSnorm2x16:
		low, high, op = -1, 32767, ir.OpFToI
	}
	if n != 2 && n != 4 {
		return nil
	}
	x := l.op(in, ir.OpClamp, n, a[0], l.number(low), l.number(1))
	x = l.op(in, ir.OpMulIEEE, n, operand(x), l.number(high))
	x = l.op(in, ir.OpRndne, n, operand(x))
	fields := l.compose(Int, op, n, operand(x))
	if low < 0 {
		fields = l.compose(Uint, ir.OpIAnd, n, operand(fields), splat(l.f.Const(1<<(32/n)-1)))
	}
	return []*ir.Value{l.joinFields(fields, 32/n)}
}

// unpack computes x/scale of unsigned fields.
func unpack(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	fields := l.compose(Float, ir.OpUToF, s.lanes, operand(l.splitFields(a[0][0].V, s.lanes)))
	scale := float32(uint32(1)<<(32/s.lanes) - 1)
	return l.op(in, ir.OpDiv, s.lanes, operand(fields), l.number(scale), splat(l.f.Const(domainMode)))
}

// modf computes the fraction and the whole part, both with the sign of x.
func modf(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n := size(a[0])
	whole := l.op(in, ir.OpTrunc, n, a[0])
	fraction := l.op(in, ir.OpAdd, n, a[0], negated(operand(whole)))
	return append(fraction, whole...)
}

// hyperbolic computes e = exp(x) and 1/e, and their sum, difference, or the quotient of both.
func hyperbolic(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n := s.lanes
	x := operand(l.op(in, ir.OpMulIEEE, n, a[0], l.number(math.Log2E)))
	e := operand(l.op(in, ir.OpExpVec, n, x))
	inverse := operand(l.op(in, ir.OpExpVec, n, negated(x)))
	sum := func() []*ir.Value { return l.op(in, ir.OpAdd, n, e, inverse) }
	difference := func() []*ir.Value { return l.op(in, ir.OpAdd, n, e, negated(inverse)) }
	switch spirv.GLSL(in.Args[0]) {
	case spirv.GLSLSinh:
		return l.op(in, ir.OpMulIEEE, n, operand(difference()), l.number(0.5))
	case spirv.GLSLCosh:
		return l.op(in, ir.OpMulIEEE, n, operand(sum()), l.number(0.5))
	}
	return l.op(in, ir.OpDiv, n, operand(difference()), operand(sum()), splat(l.f.Const(domainMode)))
}

// areaHyperbolic computes log(x + sqrt(x*x + 1)), or with -1 for Acosh.
func areaHyperbolic(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n, one := s.lanes, float32(1)
	if spirv.GLSL(in.Args[0]) == spirv.GLSLAcosh {
		one = -1
	}
	square := l.op(in, ir.OpMadIEEE, n, a[0], a[0], l.number(one))
	root := l.op(in, ir.OpSqrt, n, operand(square))
	sum := l.op(in, ir.OpAdd, n, a[0], operand(root))
	return l.op(in, ir.OpLnZ, n, operand(sum), splat(l.f.Const(domainMode)))
}

// areaTangent computes log((1 + x)/(1 - x))/2.
func areaTangent(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	n, mode := s.lanes, splat(l.f.Const(domainMode))
	sum := l.op(in, ir.OpAdd, n, l.number(1), a[0])
	difference := l.op(in, ir.OpAdd, n, l.number(1), negated(a[0]))
	quotient := l.op(in, ir.OpDiv, n, operand(sum), operand(difference), mode)
	return l.op(in, ir.OpMulIEEE, n, operand(l.op(in, ir.OpLnZ, n, operand(quotient), mode)), l.number(0.5))
}
