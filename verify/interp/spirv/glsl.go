package spirv

import (
	"math"
	"math/bits"
)

func positive(x float64) bool { return x > 0 }

func insideOne(x float64) bool { return x >= -1 && x <= 1 }

// makeGlslOps returns the instructions of GLSL.std.450 that work on each lane alone, by number.
func makeGlslOps() map[uint32]laneOp {
	return map[uint32]laneOp{
		1:  double(math.RoundToEven), // Round, which may choose the direction of halves
		2:  double(math.RoundToEven),
		3:  double(math.Trunc),
		4:  oneWord(func(a uint32) uint32 { return a &^ (1 << 31) }), // FAbs
		5:  oneWord(func(a uint32) uint32 { return max(a, -a)*boolWord(int32(a) < 0) | a*boolWord(int32(a) >= 0) }),
		6:  oneWord(func(a uint32) uint32 { return word(sign(float(a))) }),
		7:  oneWord(func(a uint32) uint32 { return uint32(int32(a)>>31) | boolWord(int32(a) > 0) }), // SSign
		8:  double(math.Floor),
		9:  double(math.Ceil),
		10: double(func(x float64) float64 { return x - math.Floor(x) }),
		11: oneWord(func(a uint32) uint32 { return word(float(a) * float32(math.Pi/180)) }), // Radians
		12: oneWord(func(a uint32) uint32 { return word(float(a) * float32(180/math.Pi)) }),
		13: double(math.Sin),
		14: double(math.Cos),
		15: double(math.Tan),
		16: within(math.Asin, insideOne),
		17: within(math.Acos, insideOne),
		18: double(math.Atan),
		19: double(math.Sinh),
		20: double(math.Cosh),
		21: double(math.Tanh),
		22: double(math.Asinh),
		23: within(math.Acosh, func(x float64) bool { return x >= 1 }),
		24: within(math.Atanh, func(x float64) bool { return x > -1 && x < 1 }),
		25: partial(func(a, b uint32) (uint32, bool) { // Atan2
			y, x := float64(float(a)), float64(float(b))
			return word(float32(math.Atan2(y, x))), x != 0 || y != 0
		}),
		26: partial(func(a, b uint32) (uint32, bool) { // Pow
			x, y := float64(float(a)), float64(float(b))
			return word(float32(math.Pow(x, y))), x > 0 || x == 0 && y > 0
		}),
		27: double(math.Exp),
		28: within(math.Log, positive),
		29: double(math.Exp2),
		30: within(math.Log2, positive),
		31: within(math.Sqrt, func(x float64) bool { return x >= 0 }),
		32: within(func(x float64) float64 { return 1 / math.Sqrt(x) }, positive),
		37: partial(func(a, b uint32) (uint32, bool) { return pick(a, b, less(float(b), float(a))) }), // FMin
		38: twoWords(func(a, b uint32) uint32 { return min(a, b) }),
		39: twoWords(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
		40: partial(func(a, b uint32) (uint32, bool) { return pick(a, b, less(float(a), float(b))) }), // FMax
		41: twoWords(func(a, b uint32) uint32 { return max(a, b) }),
		42: twoWords(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
		43: {operands: 3, partial: func(x, low, high uint32) (uint32, bool) { // FClamp
			w, a := pick(x, low, less(float(x), float(low)))
			w, b := pick(w, high, less(float(high), float(w)))
			return w, a && b && float(low) <= float(high)
		}},
		44: {operands: 3, partial: func(x, low, high uint32) (uint32, bool) { return min(max(x, low), high), low <= high }},
		45: {operands: 3, partial: func(x, low, high uint32) (uint32, bool) {
			return uint32(min(max(int32(x), int32(low)), int32(high))), int32(low) <= int32(high)
		}},
		46: {operands: 3, total: func(x, y, a uint32) uint32 { // FMix
			return word(float32(float(x)*(1-float(a))) + float32(float(y)*float(a)))
		}},
		48: twoWords(func(edge, x uint32) uint32 { return word(1 - float32(boolWord(float(x) < float(edge)))) }), // Step
		49: {operands: 3, partial: smoothStep},
		50: {operands: 3, total: func(a, b, c uint32) uint32 { return word(float32(float(a)*float(b)) + float(c)) }}, // Fma
		53: twoWords(func(a, b uint32) uint32 { return word(float32(math.Ldexp(float64(float(a)), int(int32(b))))) }),
		73: oneWord(func(a uint32) uint32 { return uint32(bits.TrailingZeros32(a)) | -boolWord(a == 0) }),
		74: oneWord(func(a uint32) uint32 { return uint32(31 - bits.LeadingZeros32(a^uint32(int32(a)>>31))) }),
		75: oneWord(func(a uint32) uint32 { return uint32(31 - bits.LeadingZeros32(a)) }),
		79: twoWords(func(a, b uint32) uint32 { return preferNumber(a, b, less(float(b), float(a))) }), // NMin
		80: twoWords(func(a, b uint32) uint32 { return preferNumber(a, b, less(float(a), float(b))) }), // NMax
		81: {operands: 3, partial: func(x, low, high uint32) (uint32, bool) { // NClamp
			w := preferNumber(x, low, less(float(x), float(low)))
			return preferNumber(w, high, less(float(high), float(w))), float(low) <= float(high)
		}},
	}
}

// pick returns b if second is set, and otherwise a. The choice is open if one of them is NaN.
func pick(a, b uint32, second bool) (uint32, bool) {
	return selectWord(boolWord(second), b, a), float(a) == float(a) && float(b) == float(b)
}

// preferNumber returns b if second is set, and otherwise a, but never a NaN if the other one is a number.
func preferNumber(a, b uint32, second bool) uint32 {
	return selectWord(boolWord(second || float(a) != float(a)), b, a)
}

func sign(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func smoothStep(low, high, x uint32) (uint32, bool) {
	t := (float(x) - float(low)) / (float(high) - float(low))
	t = min(max(t, 0), 1)
	return word(float32(t*t) * (3 - float32(2*t))), float(low) < float(high)
}

// vectorOp is an instruction of GLSL.std.450 that reads whole vectors. It has n words of results, or as many as its
// first operand if n is 0; operands read in a row. compute reports whether the results are defined.
type vectorOp struct {
	operands int
	n        int
	compute  func(x, out []float32) bool
}

func makeVectorOps() map[uint32]vectorOp {
	return map[uint32]vectorOp{
		33: {1, 1, func(x, out []float32) bool { out[0] = determinant(x); return true }},
		34: {1, 0, inverse},
		54: {1, 1, packer(127, true, 8)},
		55: {1, 1, packer(255, false, 8)},
		56: {1, 1, packer(32767, true, 16)},
		57: {1, 1, packer(65535, false, 16)},
		58: {1, 1, func(x, out []float32) bool { // PackHalf2x16
			out[0] = float(floatToHalf(x[0]) | floatToHalf(x[1])<<16)
			return true
		}},
		60: {1, 2, unpacker(32767, true, 16)},
		61: {1, 2, unpacker(65535, false, 16)},
		62: {1, 2, func(x, out []float32) bool { // UnpackHalf2x16
			out[0], out[1] = halfToFloat(word(x[0])&0xffff), halfToFloat(word(x[0])>>16)
			return true
		}},
		63: {1, 4, unpacker(127, true, 8)},
		64: {1, 4, unpacker(255, false, 8)},
		66: {1, 1, func(x, out []float32) bool { out[0] = length(x); return true }},
		67: {2, 1, func(x, out []float32) bool { // Distance
			n := len(x) / 2
			d := make([]float32, n)
			for i := range d {
				d[i] = x[i] - x[n+i]
			}
			out[0] = length(d)
			return true
		}},
		68: {2, 0, func(x, out []float32) bool { // Cross
			for i := range out {
				j, k := (i+1)%3, (i+2)%3
				out[i] = float32(x[j]*x[3+k]) - float32(x[3+j]*x[k])
			}
			return true
		}},
		69: {1, 0, func(x, out []float32) bool { // Normalize
			d := length(x)
			for i := range out {
				out[i] = x[i] / d
			}
			return d != 0
		}},
		70: {3, 0, func(x, out []float32) bool { // FaceForward
			n := len(out)
			for i := range out {
				out[i] = -x[i]
				if dot(x[n:2*n], x[2*n:]) < 0 {
					out[i] = x[i]
				}
			}
			return true
		}},
		71: {2, 0, func(x, out []float32) bool { // Reflect
			n := len(out)
			d := 2 * dot(x[n:], x[:n])
			for i := range out {
				out[i] = x[i] - float32(d*x[n+i])
			}
			return true
		}},
	}
}

// glslVector translates the other instructions of GLSL.std.450.
func (c *compiler) glslVector(in *inst, op uint32) {
	slot, t := c.result(in)
	code := instr{run: (*machine).wholeVectors, dst: slot, n: int32(t.slots)}
	gather := func(operands int) {
		for i := range operands {
			from, e := c.value(in, 2+i)
			for k := range e.slots {
				code.args = append(code.args, from+int32(k))
			}
		}
		c.require(in, len(code.args) <= maxGathered && len(code.args) > 0 && t.slots <= maxGathered && t.slots > 0)
	}
	switch o, ok := vectorOps[op]; {
	case ok:
		gather(o.operands)
		n := o.n
		if n == 0 {
			n = len(code.args) / o.operands
		}
		c.require(in, t.slots == n && len(code.args)%o.operands == 0 && (op != 68 || n == 3) &&
			(op != 33 && op != 34 || c.square(in)) && (op != 58 && op != 56 && op != 57 || len(code.args) == 2) &&
			(op != 54 && op != 55 || len(code.args) == 4))
		code.vector = o.compute
	case op == 72: // Refract
		gather(3)
		c.require(in, len(code.args) == 2*t.slots+1)
		code.vector = refract
	case op == 35 || op == 36 || op == 51 || op == 52: // Modf, ModfStruct, Frexp, FrexpStruct
		gather(1)
		code.vector = modf
		if op >= 51 {
			code.vector = frexp
		}
		n := len(code.args)
		if op == 36 || op == 52 {
			c.require(in, t.slots == 2*n)
			break
		}
		p := c.pointer(in, 3)
		c.require(in, t.slots == n && p.t.slots == n)
		code.dst, code.n = c.alloc(in, 2*n), int32(2*n)
		c.emit(in, code)
		c.store(in, p, code.dst+int32(n))
		c.emit(in, instr{run: (*machine).copySlots, dst: slot, n: int32(n), a: code.dst})
		return
	case op >= 76 && op <= 78: // InterpolateAtCentroid, -Sample, -Offset: the value at the centre
		p := c.pointer(in, 2)
		c.require(in, p.t.slots == t.slots && p.class == classInput)
		if op == 78 {
			c.fail(in, "not-supported", "InterpolateAtOffset is not supported")
		}
		code.run, code.from = loadOf(p), p
	default:
		c.fail(in, "not-supported", "instruction %d of GLSL.std.450 is not supported", op)
	}
	c.emit(in, code)
}

// square reports whether the operand of an instruction is a square matrix.
func (c *compiler) square(in *inst) bool {
	_, t := c.value(in, 2)
	return t.kind == kindMatrix && t.count == t.elem.count
}

// maxGathered bounds the words that a vectorOp reads.
const maxGathered = 16

// wholeVectors executes an operation on whole vectors.
func (m *machine) wholeVectors(in *instr) {
	var x, out [maxGathered]float32
	m.each(in, func(l int) uint32 {
		for i, from := range in.args {
			x[i] = float(m.s[from][l])
		}
		defined := in.vector(x[:len(in.args)], out[:in.n])
		for k := range in.n {
			w := word(out[k])
			if !defined && m.env.Fill != 0 {
				w = m.undefined(in.dst+k, l)
			}
			m.s[in.dst+k][l] = w
		}
		return m.s[in.dst][l]
	})
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		if p := float32(a[i] * b[i]); i == 0 {
			sum = p
		} else {
			sum += p
		}
	}
	return sum
}

func length(x []float32) float32 { return float32(math.Sqrt(float64(dot(x, x)))) }

func refract(x, out []float32) bool {
	n := len(out)
	incident, normal, eta := x[:n], x[n:2*n], x[2*n]
	d := dot(normal, incident)
	k := 1 - float32(float32(eta*eta)*(1-float32(d*d)))
	for i := range out {
		out[i] = 0
		if k >= 0 {
			s := float32(eta*d) + float32(math.Sqrt(float64(k)))
			out[i] = float32(eta*incident[i]) - float32(s*normal[i])
		}
	}
	return true
}

func modf(x, out []float32) bool {
	for i, v := range x {
		whole := float32(math.Trunc(float64(v)))
		out[i], out[len(x)+i] = v-whole, whole
		if math.IsInf(float64(v), 0) {
			out[i] = 0
		}
	}
	return true
}

func frexp(x, out []float32) bool {
	defined := true
	for i, v := range x {
		fraction, exponent := math.Frexp(float64(v))
		out[i], out[len(x)+i] = float32(fraction), float(uint32(exponent))
		defined = defined && v-v == 0
	}
	return defined
}

// determinant computes the determinant of a square matrix by the first column, in float64.
func determinant(x []float32) float32 {
	m := make([]float64, len(x))
	for i, v := range x {
		m[i] = float64(v)
	}
	return float32(minorSum(m, int(math.Sqrt(float64(len(x))))))
}

func minorSum(m []float64, n int) (sum float64) {
	if n == 1 {
		return m[0]
	}
	for i := range n {
		s := m[i] * minorSum(without(m, n, 0, i), n-1)
		if i%2 == 1 {
			s = -s
		}
		sum += s
	}
	return sum
}

// without removes a column and a row of a matrix.
func without(m []float64, n, column, row int) (rest []float64) {
	for i, v := range m {
		if i/n != column && i%n != row {
			rest = append(rest, v)
		}
	}
	return rest
}

// inverse computes the inverse of a matrix by its adjugate, in float64.
func inverse(x, out []float32) bool {
	n := int(math.Sqrt(float64(len(x))))
	m := make([]float64, len(x))
	for i, v := range x {
		m[i] = float64(v)
	}
	d := minorSum(m, n)
	for i := range out {
		s := minorSum(without(m, n, i%n, i/n), n-1) / d
		if (i/n+i%n)%2 == 1 {
			s = -s
		}
		out[i] = float32(s)
	}
	return d != 0
}

// packer returns the function that packs numbers of -1 or 0 to 1 into bits of one word.
func packer(scale float64, signed bool, width int) func(x, out []float32) bool {
	return func(x, out []float32) bool {
		w := uint32(0)
		for i, v := range x {
			low := 0.0
			if signed {
				low = -1
			}
			r := math.RoundToEven(max(low, min(1, float64(v))) * scale)
			if v != v {
				r = 0
			}
			w |= uint32(int32(r)) & (1<<width - 1) << (width * i)
		}
		out[0] = float(w)
		return true
	}
}

// unpacker returns the inverse of packer.
func unpacker(scale float64, signed bool, width int) func(x, out []float32) bool {
	return func(x, out []float32) bool {
		for i := range out {
			w := word(x[0]) << (32 - width - width*i)
			v := float64(w >> (32 - width))
			if signed {
				v = float64(int32(w) >> (32 - width))
			}
			out[i] = float32(max(-1, min(1, v/scale)))
		}
		return true
	}
}
