package ir

import "strings"

// row is what is written by hand of an op; [Info] is made of it.
type row struct {
	name     string
	nsrc     int
	flags    Flags
	formulas []string // one for all lanes, or one a lane ("" if the lane cannot be written)
}

func r(name string, nsrc int, flags Flags, formulas ...string) row {
	return row{name, nsrc, flags, formulas}
}

// onWords is the row of an op on words; ints that of one whose words are integers.
func onWords(name string, nsrc int, flags Flags, formulas ...string) row {
	return r(name, nsrc, flags|OnWords, formulas...)
}

func ints(name string, nsrc int, flags Flags, formulas ...string) row {
	return onWords(name, nsrc, flags|Integers, formulas...)
}

// The op table. Sources are named a, b, c, d; see the type formula for the language.
// The rules of each op are those of the instruction it is named for: the first block is
// from the Direct3D 9 vertex and pixel shader instruction reference, the others from
// the AMD IL Specification.
//
// Formulas state values over the reals, and which operations they are composed of; the
// order of additions is that in which an instruction is assumed to sum (dp4 from x to
// w), which float32 evaluation follows. Precision and special values are those of the
// concrete op. Verification treats whatever is not plus, minus or times as a function
// known only by name and by the laws in package verify/laws.
//
// Some rows differ from the obvious on purpose. lrp is a*(b - c) + c, not a*b +
// (1-a)*c: the reference defines it so, and the two round differently. expp and logp
// have primitives of their own (exp2p, log2p), since their few bits are the hardware's
// and folding would invent others. log and rsq take the absolute value; the primitives
// do that. pow does, too.
var rows = [numOps]row{
	OpMov:       r("mov", 1, 0, "a"),
	OpRange:     r("range", 1, 0, "range(a)"), // what a register of fixed point keeps
	OpAdd:       r("add", 2, Commutes, "a + b"),
	OpMul:       r("mul", 2, Commutes, "a*b"), // 0*inf as the hardware has it
	OpMad:       r("mad", 3, Commutes, "a*b + c"),
	OpDp2Add:    r("dp2add", 3, Commutes, "a.x*b.x + a.y*b.y + c.x"),
	OpDp3:       r("dp3", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z"),
	OpDp4:       r("dp4", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w"),
	OpMin:       r("min", 2, 0, "min(a, b)"), // not commutative: NaN and the sign of zero
	OpMax:       r("max", 2, 0, "max(a, b)"),
	OpSlt:       r("slt", 2, 0, "slt(a, b)"),
	OpSge:       r("sge", 2, 0, "sge(a, b)"),
	OpCmp:       r("cmp", 3, 0, "selge(a, b, c)"),
	OpLrp:       r("lrp", 3, 0, "a*(b - c) + c"),
	OpFrc:       r("frc", 1, 0, "frc(a)"),
	OpAbs:       r("abs", 1, 0, "abs(a)"),
	OpRcp:       r("rcp", 1, 0, "rcp(a.x)"),
	OpRsq:       r("rsq", 1, 0, "rsq(a.x)"),
	OpExp:       r("exp", 1, 0, "exp2(a.x)"),
	OpExpp:      r("expp", 1, 0, "exp2p(a.x)"),
	OpExppVec:   r("exppvec", 1, 0, "exp2(floor(a.x))", "frc(a.x)", "exp2p(a.x)", "1"),
	OpLog:       r("log", 1, 0, "log2(a.x)"),
	OpLogp:      r("logp", 1, 0, "log2p(a.x)"),
	OpLogpVec:   r("logpvec", 1, 0, "exponent(a.x)", "mantissa(a.x)", "log2p(a.x)", "logpw(a.x)"),
	OpPow:       r("pow", 2, 0, "pow(a.x, b.x)"),
	OpNrm:       r("nrm", 1, 0, "a * rsq(a.x*a.x + a.y*a.y + a.z*a.z)"),
	OpCrs:       r("crs", 2, 0, "a.y*b.z - a.z*b.y", "a.z*b.x - a.x*b.z", "a.x*b.y - a.y*b.x", ""),
	OpLit:       r("lit", 1, 0, "1", "max(a.x, 0)", "litspec(a.x, a.y, a.w)", "1"),
	OpDst:       r("dst", 2, 0, "1", "a.y*b.y", "a.z", "b.w"),
	OpSgn:       r("sgn", 1, 0, "sgn(a)"),
	OpSinCos:    r("sincos", 1, 0, "cos(a.x)", "sin(a.x)", "", ""),
	OpDsx:       r("dsx", 1, Convergent, "dsx(a)"),
	OpDsy:       r("dsy", 1, Convergent, "dsy(a)"),
	OpMova:      r("mova", 1, Special, "round(a)"),
	OpMovaFloor: r("movafloor", 1, Special, "floor(a)"),
	OpSetp:      r("setp", 2, Special),  // the comparison is the instruction's Cond
	OpLoad:      r("load", 1, Integers), // a register indexed by lane 0 of the source
	OpFetch:     r("fetch", 1, IsFetch|Convergent),
	OpFetchProj: r("fetchproj", 1, IsFetch|Convergent),
	OpFetchBias: r("fetchbias", 1, IsFetch|Convergent),
	OpFetchLod:  r("fetchlod", 1, IsFetch),
	OpFetchGrad: r("fetchgrad", 3, IsFetch),
	OpKill:      r("kill", 1, Effect|AsSet), // kills where any lane that is set is negative
	OpIf:        r("if", 2, Structured),
	OpLoop:      r("loop", 1, Structured), // lanes of the source: count, start, step; without a source it ends by breaks alone
	OpBreak:     r("break", 2, Structured|Effect),

	OpMulIEEE:    r("mulieee", 2, Commutes|IEEE, "a*b"),
	OpMadIEEE:    r("madieee", 3, Commutes|IEEE, "a*b + c"),
	OpFma:        r("fma", 3, Commutes|IEEE, "fma(a, b, c)"), // one rounding
	OpDp2:        r("dp2", 2, Commutes, "a.x*b.x + a.y*b.y"),
	OpDp2IEEE:    r("dp2ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y"),
	OpDp3IEEE:    r("dp3ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y + a.z*b.z"),
	OpDp4IEEE:    r("dp4ieee", 2, Commutes|IEEE, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w"),
	OpDp2AddIEEE: r("dp2addieee", 3, Commutes|IEEE, "a.x*b.x + a.y*b.y + c.x"),
	OpMinIEEE:    r("minieee", 2, 0, "minieee(a, b)"),
	OpMaxIEEE:    r("maxieee", 2, 0, "maxieee(a, b)"),
	OpFloor:      r("floor", 1, 0, "floor(a)"),
	OpCeil:       r("ceil", 1, 0, "ceil(a)"),
	OpTrunc:      r("trunc", 1, 0, "trunc(a)"),
	OpRndne:      r("rndne", 1, 0, "rndne(a)"),
	OpMod:        r("mod", 2, 0, "mod(a, b)"),
	OpClamp:      r("clamp", 3, 0, "clamp(a, b, c)"),
	// The last source of these is a literal: which value stands for the reciprocal of
	// zero, in the numbering of the dialect.
	OpDiv:     r("div", 3, 0, "a*rcpz(b, c)"),
	OpRcpZ:    r("rcpz", 2, 0, "rcpz(a, b)"),
	OpRsqZ:    r("rsqz", 2, 0, "rsqz(a, b)"),
	OpLogZ:    r("logz", 2, 0, "log2z(a, b)"),
	OpLnZ:     r("lnz", 2, 0, "lnz(a, b)"),
	OpNrmZ:    r("nrmz", 2, 0, "a*rsqz(a.x*a.x + a.y*a.y + a.z*a.z, b.x)"),
	OpSqrt:    r("sqrt", 1, 0, "sqrt(a)"),
	OpExpVec:  r("expvec", 1, 0, "exp2(a)"),
	OpSin:     r("sin", 1, 0, "sin(a)"),
	OpCos:     r("cos", 1, 0, "cos(a)"),
	OpTan:     r("tan", 1, 0, "tan(a)"),
	OpAsin:    r("asin", 1, 0, "asin(a)"),
	OpAcos:    r("acos", 1, 0, "acos(a)"),
	OpAtan:    r("atan", 1, 0, "atan(a)"),
	OpLen:     r("len", 1, 0, "sqrt(a.x*a.x + a.y*a.y + a.z*a.z)"),
	OpDist:    r("dist", 2, 0, "sqrt((a.x - b.x)*(a.x - b.x) + (a.y - b.y)*(a.y - b.y) + (a.z - b.z)*(a.z - b.z))"),
	OpReflect: r("reflect", 2, 0, "a - 2*(a.x*b.x + a.y*b.y + a.z*b.z)*b"),
	// Comparisons give all ones or zero.
	OpFEq:  onWords("feq", 2, Commutes, "feq(a, b)"),
	OpFNe:  onWords("fne", 2, Commutes, "fne(a, b)"),
	OpFLt:  onWords("flt", 2, 0, "flt(a, b)"),
	OpFGe:  onWords("fge", 2, 0, "fge(a, b)"),
	OpSel:  onWords("sel", 3, 0, "sel(a, b, c)"),   // b where any bit of a is set
	OpSelF: onWords("self", 3, 0, "self(a, b, c)"), // b where a is not 0.0

	OpFToI:  onWords("ftoi", 1, 0, "ftoi(a)"),
	OpFToU:  onWords("ftou", 1, 0, "ftou(a)"),
	OpIToF:  ints("itof", 1, 0, "itof(a)"),
	OpUToF:  ints("utof", 1, 0, "utof(a)"),
	OpF2F16: onWords("f2f16", 1, 0, "f2f16(a)"),
	OpF162F: onWords("f162f", 1, 0, "f162f(a)"),
	OpF2D:   onWords("f2d", 1, 0, "f2dlo(a.x)", "f2dhi(a.x)", "f2dlo(a.y)", "f2dhi(a.y)"),
	OpD2F:   onWords("d2f", 1, 0, "d2f(a.x, a.y)"),
	OpDToI:  onWords("dtoi", 1, 0, "dtoi(a.x, a.y)"),
	OpDToU:  onWords("dtou", 1, 0, "dtou(a.x, a.y)"),
	OpIToD:  ints("itod", 1, 0, "itodlo(a.x)", "itodhi(a.x)", "itodlo(a.y)", "itodhi(a.y)"),
	OpUToD:  ints("utod", 1, 0, "utodlo(a.x)", "utodhi(a.x)", "utodlo(a.y)", "utodhi(a.y)"),

	OpIAdd:        ints("iadd", 2, Commutes, "iadd(a, b)"),
	OpISub:        ints("isub", 2, 0, "isub(a, b)"),
	OpINeg:        ints("ineg", 1, 0, "ineg(a)"),
	OpIMul:        ints("imul", 2, Commutes, "imul(a, b)"), // the low half, signed or not
	OpIMulHigh:    ints("imulhigh", 2, Commutes, "imulhigh(a, b)"),
	OpUMulHigh:    ints("umulhigh", 2, Commutes, "umulhigh(a, b)"),
	OpIMad:        ints("imad", 3, Commutes, "imad(a, b, c)"),
	OpIMul24:      ints("imul24", 2, Commutes, "imul24(a, b)"),
	OpUMul24:      ints("umul24", 2, Commutes, "umul24(a, b)"),
	OpIMad24:      ints("imad24", 3, Commutes, "imad24(a, b, c)"),
	OpUMad24:      ints("umad24", 3, Commutes, "umad24(a, b, c)"),
	OpIMin:        ints("imin", 2, Commutes, "imin(a, b)"),
	OpIMax:        ints("imax", 2, Commutes, "imax(a, b)"),
	OpUMin:        ints("umin", 2, Commutes, "umin(a, b)"),
	OpUMax:        ints("umax", 2, Commutes, "umax(a, b)"),
	OpUDiv:        ints("udiv", 2, 0, "udiv(a, b)"), // by zero: all ones
	OpUMod:        ints("umod", 2, 0, "umod(a, b)"), // by zero: all ones
	OpICarry:      ints("icarry", 2, Commutes, "icarry(a, b)"),
	OpIBorrow:     ints("iborrow", 2, 0, "iborrow(a, b)"),
	OpIEq:         ints("ieq", 2, Commutes, "ieq(a, b)"),
	OpINe:         ints("ine", 2, Commutes, "ine(a, b)"),
	OpILt:         ints("ilt", 2, 0, "ilt(a, b)"),
	OpIGe:         ints("ige", 2, 0, "ige(a, b)"),
	OpULt:         ints("ult", 2, 0, "ult(a, b)"),
	OpUGe:         ints("uge", 2, 0, "uge(a, b)"),
	OpINot:        ints("inot", 1, 0, "inot(a)"),
	OpIAnd:        ints("iand", 2, Commutes, "iand(a, b)"),
	OpIOr:         ints("ior", 2, Commutes, "ior(a, b)"),
	OpIXor:        ints("ixor", 2, Commutes, "ixor(a, b)"),
	OpIShl:        ints("ishl", 2, 0, "ishl(a, b)"), // counts are taken modulo 32
	OpIShr:        ints("ishr", 2, 0, "ishr(a, b)"),
	OpUShr:        ints("ushr", 2, 0, "ushr(a, b)"),
	OpUBitExtract: ints("ubitextract", 3, 0, "ubitextract(a, b, c)"), // width, offset, word
	OpIBitExtract: ints("ibitextract", 3, 0, "ibitextract(a, b, c)"),
	OpBfi:         ints("bfi", 3, 0, "bfi(a, b, c)"),                  // b where a has ones, else c
	OpUBitInsert:  ints("ubitinsert", 4, 0, "ubitinsert(a, b, c, d)"), // width, offset, field, word
	OpUBitReverse: ints("ubitreverse", 1, 0, "ubitreverse(a)"),
	OpICbits:      ints("icbits", 1, 0, "icbits(a)"),
	OpFfbLo:       ints("ffblo", 1, 0, "ffblo(a)"),
	OpFfbHi:       ints("ffbhi", 1, 0, "ffbhi(a)"),
	OpFfbShi:      ints("ffbshi", 1, 0, "ffbshi(a)"),
	OpBitAlign:    ints("bitalign", 3, 0, "bitalign(a, b, c)"),
	OpByteAlign:   ints("bytealign", 3, 0, "bytealign(a, b, c)"),
	OpSad:         ints("sad", 3, 0, "sad(a, b, c)"),
	OpU4Lerp:      ints("u4lerp", 3, 0, "u4lerp(a, b, c)"),
	OpUnpack0:     ints("unpack0", 1, 0, "unpack0(a)"),
	OpUnpack1:     ints("unpack1", 1, 0, "unpack1(a)"),
	OpUnpack2:     ints("unpack2", 1, 0, "unpack2(a)"),
	OpUnpack3:     ints("unpack3", 1, 0, "unpack3(a)"),

	OpDAdd:   double("dadd", 2, 2, Commutes),
	OpDMul:   double("dmul", 2, 2, Commutes),
	OpDMad:   double("dmad", 3, 3, Commutes),
	OpDDiv:   double("ddiv", 3, 2, 0), // the last source as for div
	OpDMin:   double("dmin", 2, 2, 0),
	OpDMax:   double("dmax", 2, 2, 0),
	OpDFrac:  double("dfrac", 1, 1, 0),
	OpDFrexp: onWords("dfrexp", 1, 0, "0", "dfrexp(a.x, a.y)", "dfrexplo(a.x, a.y)", "dfrexphi(a.x, a.y)"), // exponent and fraction
	OpDLdexp: onWords("dldexp", 2, 0, "dldexplo(a.x, a.y, b.x)", "dldexphi(a.x, a.y, b.x)", "dldexplo(a.z, a.w, b.z)", "dldexphi(a.z, a.w, b.z)"),
	OpDRcp:   double("drcp", 2, 1, 0),
	OpDRsq:   double("drsq", 2, 1, 0),
	OpDSqrt:  double("dsqrt", 1, 1, 0),
	OpDEq:    onWords("deq", 2, Commutes, "deq(a.x, a.y, b.x, b.y)"),
	OpDNe:    onWords("dne", 2, Commutes, "dne(a.x, a.y, b.x, b.y)"),
	OpDLt:    onWords("dlt", 2, 0, "dlt(a.x, a.y, b.x, b.y)"),
	OpDGe:    onWords("dge", 2, 0, "dge(a.x, a.y, b.x, b.y)"),

	OpTexelLoad: r("texelload", 1, IsFetch|AsSet|Integers),
	OpFetchX:    r("fetchx", 4, IsFetch|Convergent|AsSet), // Imm tells which of the dialect's other fetches
	// Memory: Base is the space, Imm the offset or the dialect's kind of access.
	OpMemLoad:   r("memload", 1, Integers|Memory|AsSet),          // address
	OpMemStore:  r("memstore", 2, Integers|Memory|Effect|AsSet),  // address, data
	OpMemAtomic: r("mematomic", 3, Integers|Memory|Effect|AsSet), // address, operands
	OpFence:     r("fence", 0, Memory|Effect|Convergent|AsSet),   // Imm tells what for
	OpDiscard:   r("discard", 1, Memory|Effect|AsSet),            // where the lane is true; later stores do not happen
}

// legacy maps the ops with the rules of IEEE 754 to those that are the same without.
var legacy = map[Op]Op{
	OpMulIEEE: OpMul, OpMadIEEE: OpMad, OpDp2IEEE: OpDp2, OpDp3IEEE: OpDp3, OpDp4IEEE: OpDp4, OpDp2AddIEEE: OpDp2Add,
	OpMinIEEE: OpMin, OpMaxIEEE: OpMax,
}

// double is the row of an op on float64: its first nd sources are pairs of lanes, the
// low word first, a further one a literal that is read in the first lane of each pair.
// A pair of results comes from the same pair of each source, so one instruction does up
// to two doubles:
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
