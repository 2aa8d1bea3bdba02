package kernel_test

import (
	"math"
	"math/bits"
	"strings"
)

func plainTruth(b bool) uint32 {
	if b {
		return math.MaxUint32
	}
	return 0
}

func plainToInt(f float32, low, high float64) uint32 {
	switch x := math.Trunc(float64(f)); {
	case x != x:
		return 0
	case x < low:
		return uint32(int64(low))
	case x > high:
		return uint32(int64(high))
	default:
		return uint32(int64(x))
	}
}

// plainMul returns a product; without _ieee, anything times zero is zero.
func plainMul(a, b float32, ieee bool) float32 {
	a, b = plainFlush(a), plainFlush(b)
	if p := float32(a * b); p == p || ieee || a != 0 && b != 0 {
		return plainFlush(p)
	}
	return 0 // zero times a value that is not finite
}

func plainMad(ieee bool) func(a, b, c float32) float32 {
	return func(a, b, c float32) float32 { return float32(plainMul(a, b, ieee) + c) }
}

func plainFromDouble(f func(float64) float64) func(a, b, c float32) float32 {
	return func(a, _, _ float32) float32 { return float32(f(float64(a))) }
}

var plainFloats = map[string]func(a, b, c float32) float32{
	"add":           func(a, b, _ float32) float32 { return a + b },
	"sub":           func(a, b, _ float32) float32 { return a - b },
	"mul":           func(a, b, _ float32) float32 { return plainMul(a, b, false) },
	"mul_ieee":      func(a, b, _ float32) float32 { return plainMul(a, b, true) },
	"mad":           plainMad(false),
	"mad_ieee":      plainMad(true),
	"min_ieee":      func(a, b, _ float32) float32 { return plainPick(a, b, a < b) },
	"max_ieee":      func(a, b, _ float32) float32 { return plainPick(a, b, a >= b) },
	"frc":           plainFromDouble(func(x float64) float64 { return x - math.Floor(x) }),
	"flr":           plainFromDouble(math.Floor),
	"round_neginf":  plainFromDouble(math.Floor),
	"round_plusinf": plainFromDouble(math.Ceil),
	"round_near":    plainFromDouble(math.RoundToEven),
	"round_z":       plainFromDouble(math.Trunc),
	"mod":           func(a, b, _ float32) float32 { return plainMod(a, b) },
	"sqrt_vec":      plainFromDouble(math.Sqrt),
	"rsq_vec":       plainFromDouble(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"exp_vec":       plainFromDouble(math.Exp2),
	"log_vec":       plainFromDouble(math.Log2),
	"sin_vec":       plainFromDouble(math.Sin),
	"cos_vec":       plainFromDouble(math.Cos),
}

func plainPick(a, b float32, first bool) float32 {
	if a != a {
		return b
	}
	if first || b != b {
		return a
	}
	return b
}

func plainMod(a, b float32) float32 {
	q := float32(math.Trunc(float64(plainFlush(plainFlush(float32(1/float64(b))) * a))))
	return float32(a - float32(b*q))
}

// plainScalars maps instructions that read one component and write it everywhere.
var plainScalars = map[string]func(float32) float32{
	"rcp":  func(x float32) float32 { return float32(1 / float64(x)) },
	"rsq":  func(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) },
	"sqrt": func(x float32) float32 { return float32(math.Sqrt(float64(x))) },
	"exp":  func(x float32) float32 { return float32(math.Exp2(float64(x))) },
	"log":  func(x float32) float32 { return float32(math.Log2(float64(x))) },
	"sin":  func(x float32) float32 { return float32(math.Sin(float64(x))) },
	"cos":  func(x float32) float32 { return float32(math.Cos(float64(x))) },
}

var plainTests = map[string]func(a, b float32) bool{
	"eq": func(a, b float32) bool { return a == b },
	"ne": func(a, b float32) bool { return a != b },
	"lt": func(a, b float32) bool { return a < b },
	"ge": func(a, b float32) bool { return a >= b },
}

var plainInts = map[string]func(a, b, c uint32) uint32{
	"iadd":    func(a, b, _ uint32) uint32 { return a + b },
	"imul":    func(a, b, _ uint32) uint32 { return a * b },
	"umul":    func(a, b, _ uint32) uint32 { return a * b },
	"imad":    func(a, b, c uint32) uint32 { return a*b + c },
	"umad":    func(a, b, c uint32) uint32 { return a*b + c },
	"inegate": func(a, _, _ uint32) uint32 { return -a },
	"inot":    func(a, _, _ uint32) uint32 { return ^a },
	"iand":    func(a, b, _ uint32) uint32 { return a & b },
	"and":     func(a, b, _ uint32) uint32 { return a & b },
	"ior":     func(a, b, _ uint32) uint32 { return a | b },
	"ixor":    func(a, b, _ uint32) uint32 { return a ^ b },
	"ishl":    func(a, b, _ uint32) uint32 { return a << (b & 31) },
	"ishr":    func(a, b, _ uint32) uint32 { return uint32(int32(a) >> (b & 31)) },
	"ushr":    func(a, b, _ uint32) uint32 { return a >> (b & 31) },
	"imin":    func(a, b, _ uint32) uint32 { return uint32(min(int32(a), int32(b))) },
	"imax":    func(a, b, _ uint32) uint32 { return uint32(max(int32(a), int32(b))) },
	"umin":    func(a, b, _ uint32) uint32 { return min(a, b) },
	"umax":    func(a, b, _ uint32) uint32 { return max(a, b) },
	"ieq":     func(a, b, _ uint32) uint32 { return plainTruth(a == b) },
	"ine":     func(a, b, _ uint32) uint32 { return plainTruth(a != b) },
	"ilt":     func(a, b, _ uint32) uint32 { return plainTruth(int32(a) < int32(b)) },
	"ige":     func(a, b, _ uint32) uint32 { return plainTruth(int32(a) >= int32(b)) },
	"ult":     func(a, b, _ uint32) uint32 { return plainTruth(a < b) },
	"uge":     func(a, b, _ uint32) uint32 { return plainTruth(a >= b) },
	"udiv": func(a, b, _ uint32) uint32 {
		if b == 0 {
			return math.MaxUint32
		}
		return a / b
	},
	"umod": func(a, b, _ uint32) uint32 {
		if b == 0 {
			return math.MaxUint32
		}
		return a % b
	},
	"umul_high": func(a, b, _ uint32) uint32 { hi, _ := bits.Mul32(a, b); return hi },
}

// Doubles are pairs of components, the low word first.
var plainDoubles = map[string]func(a, b, c float64) float64{
	"dadd":  func(a, b, _ float64) float64 { return a + b },
	"dmul":  func(a, b, _ float64) float64 { return float64(a * b) },
	"dmad":  func(a, b, c float64) float64 { return float64(a*b) + c },
	"ddiv":  func(a, b, _ float64) float64 { return a / b },
	"dfrac": func(a, _, _ float64) float64 { return a - math.Floor(a) },
	"drcp":  func(a, _, _ float64) float64 { return 1 / a },
	"dsqrt": func(a, _, _ float64) float64 { return math.Sqrt(a) },
}

var plainDoubleTests = map[string]func(a, b float64) bool{
	"deq": func(a, b float64) bool { return a == b },
	"dne": func(a, b float64) bool { return a != b },
	"dlt": func(a, b float64) bool { return a < b },
	"dge": func(a, b float64) bool { return a >= b },
}

func (l *plainLaunch) doubles(s *plainStmt, v [][4]uint32, mask [4]byte) {
	var out [4]uint32
	// word returns a word of the k-th pair of an operand with two or four letters; the swizzle is packed
	// onto pairs.
	word := func(i, c, k int) uint32 { return plainSelect(v[i], s.src[i].lane(c, k)) }
	if s.op == "d2f" { // one double to one float
		k := 0
		for c, m := range mask {
			if m == '_' {
				continue
			}
			o := &s.src[0]
			out[c] = plainBits(plainFlush(float32(o.double(plainSelect(v[0], o.place(2*k)), plainSelect(v[0], o.place(2*k+1)),
				2*k))))
			k++
		}
		l.write(s, out)
		return
	}
	if test := plainDoubleTests[s.op]; test != nil && strings.Count(string(mask[:]), "_") == 3 {
		a := s.src[0].double(plainSelect(v[0], s.src[0].place(0)), plainSelect(v[0], s.src[0].place(1)), 0)
		b := s.src[1].double(plainSelect(v[1], s.src[1].place(0)), plainSelect(v[1], s.src[1].place(1)), 0)
		w := plainTruth(test(a, b))
		l.write(s, [4]uint32{w, w, w, w})
		return
	}
	k, pair := 0, 0
	for c := 0; c < 4; c++ {
		if mask[c] == '_' {
			continue
		}
		if c&1 != 0 && (c == 0 || mask[c-1] == '_') {
			panic("half a double: " + s.text)
		}
		if c&1 != 0 {
			k++
			continue
		}
		var a [3]float64
		for i := range s.src {
			if s.op == "f2d" {
				a[i] = float64(plainFlush(plainFloat(s.src[i].modified(plainSelect(v[i], s.src[i].place(pair)), pair))))
				continue
			}
			if s.op == "dldexp" && i == 1 {
				continue
			}
			a[i] = s.src[i].double(word(i, c, k), word(i, c+1, k+1), c)
		}
		pair++
		k++
		var r float64
		switch {
		case plainDoubles[s.op] != nil:
			r = plainDoubles[s.op](a[0], a[1], a[2])
		case s.op == "f2d":
			r = a[0]
		case s.op == "dldexp":
			r = math.Ldexp(a[0], int(int32(l.scalar(&s.src[1]))))
		default:
			out[c], out[c+1] = plainTruth(plainDoubleTests[s.op](a[0], a[1])), plainTruth(plainDoubleTests[s.op](a[0], a[1]))
			continue
		}
		b := math.Float64bits(r)
		out[c], out[c+1] = uint32(b), uint32(b>>32)
	}
	l.write(s, out)
}

// double applies modifiers to a double at position c: its sign is in the high word.
func (o *plainOperand) double(lo, hi uint32, c int) float64 {
	if o.abs {
		hi &^= 1 << 31
	}
	if strings.ContainsAny(o.neg, "xyzw"[c:c+2]) {
		hi ^= 1 << 31
	}
	return plainDouble(lo, hi)
}
