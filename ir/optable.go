package ir

import "strings"

// row is the handwritten part of an op's [Info].
type row struct {
	name     string
	nsrc     int
	flags    Flags
	formulas []string // one for all lanes, or one a lane ("" if the lane cannot be written)
}

func opRow(name string, nsrc int, flags Flags, formulas ...string) row {
	return row{name, nsrc, flags, formulas}
}

// onWords returns the row of an op on words, and ints the row of an op whose words are integers.
func onWords(name string, nsrc int, flags Flags, formulas ...string) row {
	return opRow(name, nsrc, flags|OnWords, formulas...)
}

func integerRow(name string, nsrc int, flags Flags, formulas ...string) row {
	return onWords(name, nsrc, flags|Integers, formulas...)
}

// rows is the op table. Sources are named a, b, c, d; see the type formula for the language. Each op follows
// the instruction it is named for. The first block is from the Direct3D 9 vertex and pixel shader instruction
// reference, the last one is from the specification of GLSL.std.450, and the others are from the AMD IL Specification.
//
// Formulas state values over the reals, and the operations that compose them. The order of additions is the
// order in which an instruction is assumed to sum (dp4 from x to w), and float32 evaluation follows it.
// Precision and special values are those of the concrete op. Verification knows only plus, minus and times;
// any other function is known by name and by the laws in verify/law_table_test.go.
//
// Some rows differ from the obvious on purpose. lrp is a*(b - c) + c, not a*b + (1-a)*c: the reference
// defines it so, and the two round differently. expp and logp have their own primitives (exp2p, log2p), since
// their few bits are hardware-specific and folding would invent others. log, rsq and pow take the absolute
// value; the primitives do that.
var rows = [numOps]row{
	OpMov:       opRow("mov", 1, 0, "a"),
	OpRange:     opRow("range", 1, 0, "range(a)"), // as in a fixed-point register
	OpAdd:       opRow("add", 2, Commutes, "a + b"),
	OpMul:       opRow("mul", 2, Commutes, "a*b"), // 0*inf as in the hardware
	OpMad:       opRow("mad", 3, Commutes, "a*b + c"),
	OpDp2Add:    opRow("dp2add", 3, Commutes, "a.x*b.x + a.y*b.y + c.x"),
	OpDp3:       opRow("dp3", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z"),
	OpDp4:       opRow("dp4", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w"),
	OpMin:       opRow("min", 2, 0, "min(a, b)"), // not commutative: NaN and the sign of zero
	OpMax:       opRow("max", 2, 0, "max(a, b)"),
	OpSlt:       opRow("slt", 2, 0, "slt(a, b)"),
	OpSge:       opRow("sge", 2, 0, "sge(a, b)"),
	OpCmp:       opRow("cmp", 3, 0, "selge(a, b, c)"),
	OpLrp:       opRow("lrp", 3, 0, "a*(b - c) + c"),
	OpFrc:       opRow("frc", 1, 0, "frc(a)"),
	OpAbs:       opRow("abs", 1, 0, "abs(a)"),
	OpRcp:       opRow("rcp", 1, 0, "rcp(a.x)"),
	OpRsq:       opRow("rsq", 1, 0, "rsq(a.x)"),
	OpExp:       opRow("exp", 1, 0, "exp2(a.x)"),
	OpExpp:      opRow("expp", 1, 0, "exp2p(a.x)"),
	OpExppVec:   opRow("exppvec", 1, 0, "exp2(floor(a.x))", "frc(a.x)", "exp2p(a.x)", "1"),
	OpLog:       opRow("log", 1, 0, "log2(a.x)"),
	OpLogp:      opRow("logp", 1, 0, "log2p(a.x)"),
	OpLogpVec:   opRow("logpvec", 1, 0, "exponent(a.x)", "mantissa(a.x)", "log2p(a.x)", "logpw(a.x)"),
	OpPow:       opRow("pow", 2, 0, "pow(a.x, b.x)"),
	OpNrm:       opRow("nrm", 1, 0, "a * rsq(a.x*a.x + a.y*a.y + a.z*a.z)"),
	OpCrs:       opRow("crs", 2, 0, "a.y*b.z - a.z*b.y", "a.z*b.x - a.x*b.z", "a.x*b.y - a.y*b.x", ""),
	OpLit:       opRow("lit", 1, 0, "1", "max(a.x, 0)", "litspec(a.x, a.y, a.w)", "1"),
	OpDst:       opRow("dst", 2, 0, "1", "a.y*b.y", "a.z", "b.w"),
	OpSgn:       opRow("sgn", 1, 0, "sgn(a)"),
	OpSinCos:    opRow("sincos", 1, 0, "cos(a.x)", "sin(a.x)", "", ""),
	OpDsx:       opRow("dsx", 1, Convergent, "dsx(a)"),
	OpDsy:       opRow("dsy", 1, Convergent, "dsy(a)"),
	OpMova:      opRow("mova", 1, Special, "round(a)"),
	OpMovaFloor: opRow("movafloor", 1, Special, "floor(a)"),
	OpSetp:      opRow("setp", 2, Special),  // the comparison is the instruction's Cond
	OpLoad:      opRow("load", 1, Integers), // a register indexed by lane 0 of the source
	OpFetch:     opRow("fetch", 1, IsFetch|Convergent),
	OpFetchProj: opRow("fetchproj", 1, IsFetch|Convergent),
	OpFetchBias: opRow("fetchbias", 1, IsFetch|Convergent),
	OpFetchLod:  opRow("fetchlod", 1, IsFetch),
	OpFetchGrad: opRow("fetchgrad", 3, IsFetch),
	OpKill:      opRow("kill", 1, Effect|AsSet), // kills where any lane that is set is negative
	OpIf:        opRow("if", 2, Structured),
	OpLoop:      opRow("loop", 1, Structured), // lanes of the source: count, start, step; without a source only breaks end it
	OpBreak:     opRow("break", 2, Structured|Effect),

	OpMulIEEE:    opRow("mulieee", 2, Commutes|IEEE, "a*b"),
	OpMadIEEE:    opRow("madieee", 3, Commutes|IEEE, "a*b + c"),
	OpFma:        opRow("fma", 3, Commutes|IEEE, "fma(a, b, c)"), // one rounding
	OpDp2:        opRow("dp2", 2, Commutes, "a.x*b.x + a.y*b.y"),
	OpDp2IEEE:    opRow("dp2ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y"),
	OpDp3IEEE:    opRow("dp3ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y + a.z*b.z"),
	OpDp4IEEE:    opRow("dp4ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w"),
	OpDp2AddIEEE: opRow("dp2addieee", 3, Commutes|IEEE, "a.x*b.x + a.y*b.y + c.x"),
	OpMinIEEE:    opRow("minieee", 2, 0, "minieee(a, b)"),
	OpMaxIEEE:    opRow("maxieee", 2, 0, "maxieee(a, b)"),
	OpFloor:      opRow("floor", 1, 0, "floor(a)"),
	OpCeil:       opRow("ceil", 1, 0, "ceil(a)"),
	OpTrunc:      opRow("trunc", 1, 0, "trunc(a)"),
	OpRndne:      opRow("rndne", 1, 0, "rndne(a)"),
	OpMod:        opRow("mod", 2, 0, "mod(a, b)"),
	OpClamp:      opRow("clamp", 3, 0, "clamp(a, b, c)"),
	// The last source of these is a literal: the value for the reciprocal of zero, in the numbering of the
	// dialect.
	OpDiv:     opRow("div", 3, 0, "a*rcpz(b, c)"),
	OpRcpZ:    opRow("rcpz", 2, 0, "rcpz(a, b)"),
	OpRsqZ:    opRow("rsqz", 2, 0, "rsqz(a, b)"),
	OpLogZ:    opRow("logz", 2, 0, "log2z(a, b)"),
	OpPowZ:    opRow("powz", 3, 0, "exp2(b*log2z(a, c))"),
	OpLnZ:     opRow("lnz", 2, 0, "lnz(a, b)"),
	OpNrmZ:    opRow("nrmz", 2, 0, "a*rsqz(a.x*a.x + a.y*a.y + a.z*a.z, b.x)"),
	OpSqrt:    opRow("sqrt", 1, 0, "sqrt(a)"),
	OpExpVec:  opRow("expvec", 1, 0, "exp2(a)"),
	OpSin:     opRow("sin", 1, 0, "sin(a)"),
	OpCos:     opRow("cos", 1, 0, "cos(a)"),
	OpTan:     opRow("tan", 1, 0, "tan(a)"),
	OpAsin:    opRow("asin", 1, 0, "asin(a)"),
	OpAcos:    opRow("acos", 1, 0, "acos(a)"),
	OpAtan:    opRow("atan", 1, 0, "atan(a)"),
	OpLen:     opRow("len", 1, 0, "sqrt(a.x*a.x + a.y*a.y + a.z*a.z)"),
	OpDist:    opRow("dist", 2, 0, "sqrt((a.x - b.x)*(a.x - b.x) + (a.y - b.y)*(a.y - b.y) + (a.z - b.z)*(a.z - b.z))"),
	OpReflect: opRow("reflect", 2, 0, "a - 2*(a.x*b.x + a.y*b.y + a.z*b.z)*b"),
	// Comparisons give all ones or zero.
	OpFEq:  onWords("feq", 2, Commutes, "feq(a, b)"),
	OpFNe:  onWords("fne", 2, Commutes, "fne(a, b)"),
	OpFLt:  onWords("flt", 2, 0, "flt(a, b)"),
	OpFGe:  onWords("fge", 2, 0, "fge(a, b)"),
	OpSel:  onWords("sel", 3, 0, "sel(a, b, c)"),   // b where any bit of a is set
	OpSelF: onWords("self", 3, 0, "self(a, b, c)"), // b where a is not 0.0

	OpFToI:  onWords("ftoi", 1, 0, "ftoi(a)"),
	OpFToU:  onWords("ftou", 1, 0, "ftou(a)"),
	OpIToF:  integerRow("itof", 1, 0, "itof(a)"),
	OpUToF:  integerRow("utof", 1, 0, "utof(a)"),
	OpF2F16: onWords("f2f16", 1, 0, "f2f16(a)"),
	OpF162F: onWords("f162f", 1, 0, "f162f(a)"),
	OpF2D:   onWords("f2d", 1, 0, "f2dlo(a.x)", "f2dhi(a.x)", "f2dlo(a.y)", "f2dhi(a.y)"),
	OpD2F:   onWords("d2f", 1, 0, "d2f(a.x, a.y)"),
	OpDToI:  onWords("dtoi", 1, 0, "dtoi(a.x, a.y)"),
	OpDToU:  onWords("dtou", 1, 0, "dtou(a.x, a.y)"),
	OpIToD:  integerRow("itod", 1, 0, "itodlo(a.x)", "itodhi(a.x)", "itodlo(a.y)", "itodhi(a.y)"),
	OpUToD:  integerRow("utod", 1, 0, "utodlo(a.x)", "utodhi(a.x)", "utodlo(a.y)", "utodhi(a.y)"),

	OpIAdd:        integerRow("iadd", 2, Commutes, "iadd(a, b)"),
	OpISub:        integerRow("isub", 2, 0, "isub(a, b)"),
	OpINeg:        integerRow("ineg", 1, 0, "ineg(a)"),
	OpIMul:        integerRow("imul", 2, Commutes, "imul(a, b)"), // the low half, signed or not
	OpIMulHigh:    integerRow("imulhigh", 2, Commutes, "imulhigh(a, b)"),
	OpUMulHigh:    integerRow("umulhigh", 2, Commutes, "umulhigh(a, b)"),
	OpIMad:        integerRow("imad", 3, Commutes, "imad(a, b, c)"),
	OpIMul24:      integerRow("imul24", 2, Commutes, "imul24(a, b)"),
	OpUMul24:      integerRow("umul24", 2, Commutes, "umul24(a, b)"),
	OpIMad24:      integerRow("imad24", 3, Commutes, "imad24(a, b, c)"),
	OpUMad24:      integerRow("umad24", 3, Commutes, "umad24(a, b, c)"),
	OpIMin:        integerRow("imin", 2, Commutes, "imin(a, b)"),
	OpIMax:        integerRow("imax", 2, Commutes, "imax(a, b)"),
	OpUMin:        integerRow("umin", 2, Commutes, "umin(a, b)"),
	OpUMax:        integerRow("umax", 2, Commutes, "umax(a, b)"),
	OpUDiv:        integerRow("udiv", 2, 0, "udiv(a, b)"), // by zero: all ones
	OpUMod:        integerRow("umod", 2, 0, "umod(a, b)"), // by zero: all ones
	OpICarry:      integerRow("icarry", 2, Commutes, "icarry(a, b)"),
	OpIBorrow:     integerRow("iborrow", 2, 0, "iborrow(a, b)"),
	OpIEq:         integerRow("ieq", 2, Commutes, "ieq(a, b)"),
	OpINe:         integerRow("ine", 2, Commutes, "ine(a, b)"),
	OpILt:         integerRow("ilt", 2, 0, "ilt(a, b)"),
	OpIGe:         integerRow("ige", 2, 0, "ige(a, b)"),
	OpULt:         integerRow("ult", 2, 0, "ult(a, b)"),
	OpUGe:         integerRow("uge", 2, 0, "uge(a, b)"),
	OpINot:        integerRow("inot", 1, 0, "inot(a)"),
	OpIAnd:        integerRow("iand", 2, Commutes, "iand(a, b)"),
	OpIOr:         integerRow("ior", 2, Commutes, "ior(a, b)"),
	OpIXor:        integerRow("ixor", 2, Commutes, "ixor(a, b)"),
	OpIShl:        integerRow("ishl", 2, 0, "ishl(a, b)"), // counts are taken modulo 32
	OpIShr:        integerRow("ishr", 2, 0, "ishr(a, b)"),
	OpUShr:        integerRow("ushr", 2, 0, "ushr(a, b)"),
	OpUBitExtract: integerRow("ubitextract", 3, 0, "ubitextract(a, b, c)"), // width, offset, word
	OpIBitExtract: integerRow("ibitextract", 3, 0, "ibitextract(a, b, c)"),
	OpBfi:         integerRow("bfi", 3, 0, "bfi(a, b, c)"),                  // b where a has ones, else c
	OpUBitInsert:  integerRow("ubitinsert", 4, 0, "ubitinsert(a, b, c, d)"), // width, offset, field, word
	OpUBitReverse: integerRow("ubitreverse", 1, 0, "ubitreverse(a)"),
	OpICbits:      integerRow("icbits", 1, 0, "icbits(a)"),
	OpFfbLo:       integerRow("ffblo", 1, 0, "ffblo(a)"),
	OpFfbHi:       integerRow("ffbhi", 1, 0, "ffbhi(a)"),
	OpFfbShi:      integerRow("ffbshi", 1, 0, "ffbshi(a)"),
	OpBitAlign:    integerRow("bitalign", 3, 0, "bitalign(a, b, c)"),
	OpByteAlign:   integerRow("bytealign", 3, 0, "bytealign(a, b, c)"),
	OpSad:         integerRow("sad", 3, 0, "sad(a, b, c)"),
	OpU4Lerp:      integerRow("u4lerp", 3, 0, "u4lerp(a, b, c)"),
	OpUnpack0:     integerRow("unpack0", 1, 0, "unpack0(a)"),
	OpUnpack1:     integerRow("unpack1", 1, 0, "unpack1(a)"),
	OpUnpack2:     integerRow("unpack2", 1, 0, "unpack2(a)"),
	OpUnpack3:     integerRow("unpack3", 1, 0, "unpack3(a)"),

	OpDAdd:   double("dadd", 2, 2, Commutes),
	OpDMul:   double("dmul", 2, 2, Commutes),
	OpDMad:   double("dmad", 3, 3, Commutes),
	OpDDiv:   double("ddiv", 3, 2, 0), // the last source as for div
	OpDMin:   double("dmin", 2, 2, 0),
	OpDMax:   double("dmax", 2, 2, 0),
	OpDFrac:  double("dfrac", 1, 1, 0),
	OpDFrexp: onWords("dfrexp", 1, 0, "0", "dfrexp(a.x, a.y)", "dfrexplo(a.x, a.y)", "dfrexphi(a.x, a.y)"), // exponent and fraction
	OpDLdexp: onWords("dldexp", 2, 0, "dldexplo(a.x, a.y, b.x)", "dldexphi(a.x, a.y, b.x)", "dldexplo(a.z, a.w, b.z)",
		"dldexphi(a.z, a.w, b.z)"),
	OpDRcp:  double("drcp", 2, 1, 0),
	OpDRsq:  double("drsq", 2, 1, 0),
	OpDSqrt: double("dsqrt", 1, 1, 0),
	OpDEq:   onWords("deq", 2, Commutes, "deq(a.x, a.y, b.x, b.y)"),
	OpDNe:   onWords("dne", 2, Commutes, "dne(a.x, a.y, b.x, b.y)"),
	OpDLt:   onWords("dlt", 2, 0, "dlt(a.x, a.y, b.x, b.y)"),
	OpDGe:   onWords("dge", 2, 0, "dge(a.x, a.y, b.x, b.y)"),

	OpTexelLoad: opRow("texelload", 1, IsFetch|AsSet|Integers),
	OpFetchX:    opRow("fetchx", 4, IsFetch|Convergent|AsSet), // Imm selects one of the dialect's other fetches
	// Memory: Base is the space, Imm the offset or the dialect's kind of access.
	OpMemLoad:   opRow("memload", 1, Integers|Memory|AsSet),          // address
	OpMemStore:  opRow("memstore", 2, Integers|Memory|Effect|AsSet),  // address, data
	OpMemAtomic: opRow("mematomic", 3, Integers|Memory|Effect|AsSet), // address, operands
	OpFence:     opRow("fence", 0, Memory|Effect|Convergent|AsSet),   // Imm is the kind of fence
	OpDiscard:   opRow("discard", 1, Memory|Effect|AsSet),            // where the lane is true; later stores do not happen

	OpAtan2: opRow("atan2", 2, 0, "atan2(a, b)"),
	OpRound: opRow("round", 1, 0, "roundhalf(a)"),
	OpLdexp: onWords("ldexp", 2, 0, "ldexp(a, b)"), // b is an integer
}

// legacy maps the ops with the rules of IEEE 754 to the same ops without them.
var legacy = map[Op]Op{
	OpMulIEEE: OpMul, OpMadIEEE: OpMad, OpDp2IEEE: OpDp2, OpDp3IEEE: OpDp3, OpDp4IEEE: OpDp4, OpDp2AddIEEE: OpDp2Add,
	OpMinIEEE: OpMin, OpMaxIEEE: OpMax,
}

// double returns the row of an op on float64. Its first nd sources are pairs of lanes, the low word first. A
// further source is a literal, read in the first lane of each pair. A pair of results comes from the same
// pair of each source, so one instruction computes up to two doubles:
//
//	dadd r0.xy, r1.xy, r2.xy     daddlo(a.x, a.y, b.x, b.y), daddhi(a.x, a.y, b.x, b.y)
//	dadd r0.zw, r1.zw, r2.zw     the same of z and w
func double(name string, nsrc, nd int, flags Flags) row {
	formulas := make([]string, 4)
	for lane := range formulas {
		var args []string
		for s := range nsrc {
			for _, c := range "xyzw"[lane&2 : lane&2+2] {
				if arg := string(rune('a'+s)) + "." + string(c); s < nd || c == rune("xyzw"[lane&2]) {
					args = append(args, arg)
				}
			}
		}
		formulas[lane] = name + [2]string{"lo", "hi"}[lane&1] + "(" + strings.Join(args, ", ") + ")"
	}
	return onWords(name, nsrc, flags, formulas...)
}
