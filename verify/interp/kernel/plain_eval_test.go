package kernel_test

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// plainLaunch is what a launch of a plainKernel reads and writes.
type plainLaunch struct {
	k             *plainKernel
	width, height int
	consts        map[string]map[int][4]uint32 // cb0 and on
	inputs        map[string]func(x, y, n int) [4]uint32
	resources     map[string]*plainResource
	global        []uint32
	views         map[string][]uint32
	steps         int
	owners        map[string]int // of elements of memory: the invocation that has stored there, from 1 on

	// of the invocation
	regs    map[string]*[4]uint32
	x, y, n int
}

type plainResource struct {
	w, h, d int
	comps   int // of an element, 0 for words as they are
	words   []uint32
}

// How control leaves a block.
const (
	goesOn = iota
	breaks
	continues
	returns
)

const plainMaxSteps = 40e6

func plainBits(f float32) uint32        { return math.Float32bits(f) }
func plainFloat(w uint32) float32       { return math.Float32frombits(w) }
func plainDouble(lo, hi uint32) float64 { return math.Float64frombits(uint64(hi)<<32 | uint64(lo)) }

// flush makes a denormal a zero: these machines have none.
func plainFlush(f float32) float32 {
	if f != 0 && math.Abs(float64(f)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(f)))
	}
	return f
}

// invoke runs the kernel for element n at x, y.
func (l *plainLaunch) invoke(x, y, n int) map[string]*[4]uint32 {
	l.regs, l.x, l.y, l.n = map[string]*[4]uint32{}, x, y, n
	l.block(l.k.main)
	return l.regs
}

func (l *plainLaunch) reg(name string) *[4]uint32 {
	r := l.regs[name]
	if r == nil {
		r = new([4]uint32)
		l.regs[name] = r
	}
	return r
}

// vector is the contents of what o names, before components are chosen.
func (l *plainLaunch) vector(o *plainOperand) [4]uint32 {
	index := o.offset
	if o.index != nil {
		index += int(int32(l.scalar(o.index)))
	}
	switch {
	case o.immediate:
		n, _ := strconv.Atoi(o.reg)
		return [4]uint32{uint32(n), uint32(n), uint32(n), uint32(n)}
	case o.reg == "g":
		l.touch("g", index, false)
		return plainElement(l.global, index)
	case o.indexed && strings.HasPrefix(o.reg, "cb"):
		return l.consts[o.reg][index]
	case o.indexed:
		return *l.reg(fmt.Sprintf("%s[%d]", o.reg, index))
	}
	if v, ok := l.k.lits[o.reg]; ok {
		return v
	}
	if in, ok := l.inputs[o.reg]; ok {
		return in(l.x, l.y, l.n)
	}
	switch strings.TrimSuffix(o.reg, "0") {
	case "vWinCoord":
		return [4]uint32{plainBits(float32(l.x) + 0.5), plainBits(float32(l.y) + 0.5), 0, plainBits(1)}
	case "vaTid", "vAbsTid", "vObjIndex", "vaTidFlat", "vAbsTidFlat":
		return [4]uint32{uint32(l.n)}
	case "vTidInGrp", "vTid", "vTidInGrpFlat":
		return [4]uint32{uint32(l.n % l.k.group)}
	case "vThreadGrpID", "vThreadGrpIDFlat", "vTGroupid":
		return [4]uint32{uint32(l.n / l.k.group)}
	}
	return *l.reg(o.reg)
}

// touch is an access to element i of a memory. What one invocation sees of another, the
// order in which they happen to run decides, so that nothing can be compared.
func (l *plainLaunch) touch(memory string, i int, store bool) {
	key := fmt.Sprintf("%s[%d]", memory, i)
	owner, stored := l.owners[key]
	if stored && owner != l.n {
		panic("invocations meet in " + key)
	}
	if store {
		l.owners[key] = l.n
	}
}

func plainElement(words []uint32, i int) (v [4]uint32) {
	if i >= 0 && 4*i+4 <= len(words) {
		copy(v[:], words[4*i:])
	}
	return v
}

func plainSelect(v [4]uint32, sel byte) uint32 {
	switch sel {
	case '0':
		return 0
	case '1':
		return plainBits(1)
	}
	return v[strings.IndexByte("xyzw", sel)]
}

// scalar is the first component that o names.
func (l *plainLaunch) scalar(o *plainOperand) uint32 { return plainSelect(l.vector(o), o.place(0)) }

// modified applies abs and neg at place c of a float.
func (o *plainOperand) modified(w uint32, c int) uint32 {
	if o.abs {
		w &^= 1 << 31
	}
	if strings.IndexByte(o.neg, "xyzw"[c]) >= 0 {
		w ^= 1 << 31
	}
	return w
}

func (l *plainLaunch) block(list []*plainStmt) int {
	for _, s := range list {
		if signal := l.exec(s); signal != goesOn {
			return signal
		}
	}
	return goesOn
}

func (l *plainLaunch) exec(s *plainStmt) int {
	if l.steps++; l.steps > plainMaxSteps {
		panic("too many steps")
	}
	switch s.op {
	case "if_logicalnz", "if_logicalz":
		if (l.scalar(&s.dst) != 0) == (s.op == "if_logicalnz") {
			return l.block(s.then)
		}
		return l.block(s.els)
	case "whileloop":
		for {
			if l.steps++; l.steps > plainMaxSteps {
				panic("too many steps")
			}
			switch l.block(s.then) {
			case breaks:
				return goesOn
			case returns:
				return returns
			}
		}
	case "switch":
		v, on := l.scalar(&s.dst), false
		for pass := range 2 { // the cases, then from default on
			for _, c := range s.cases {
				if c.op == "case" && !on && pass == 0 {
					n, _ := strconv.Atoi(c.src[0].reg)
					on = v == uint32(n)
				} else if c.op == "default" && pass == 1 {
					on = true
				}
				if !on {
					continue
				}
				switch signal := l.block(c.then); signal {
				case breaks:
					return goesOn
				case goesOn:
				default:
					return signal
				}
			}
			if on {
				break
			}
		}
		return goesOn
	case "break":
		return breaks
	case "continue":
		return continues
	case "break_logicalnz", "break_logicalz":
		if (l.scalar(&s.dst) != 0) == (s.op == "break_logicalnz") {
			return breaks
		}
		return goesOn
	case "continue_logicalz", "continue_logicalnz":
		if (l.scalar(&s.dst) != 0) == (s.op == "continue_logicalnz") {
			return continues
		}
		return goesOn
	case "call":
		body, ok := l.k.funcs[s.dst.reg]
		if !ok {
			panic("no function " + s.dst.reg)
		}
		l.block(body)
		return goesOn
	case "ret", "ret_dyn":
		return returns
	}
	l.compute(s)
	return goesOn
}

// write stores words, in the order of the lanes, where s wants them.
func (l *plainLaunch) write(s *plainStmt, words [4]uint32) {
	mask := s.dst.mask()
	var to *[4]uint32
	var stored [4]uint32
	index := s.dst.offset
	switch {
	case s.dst.reg == "g":
		if s.dst.index != nil {
			index += int(int32(l.scalar(s.dst.index)))
		}
		l.touch("g", index, true)
		stored = plainElement(l.global, index)
		to = &stored
	case s.dst.indexed:
		if s.dst.index != nil {
			index += int(int32(l.scalar(s.dst.index)))
		}
		to = l.reg(fmt.Sprintf("%s[%d]", s.dst.reg, index))
	default:
		to = l.reg(s.dst.reg)
	}
	for c, m := range mask {
		switch m {
		case '_':
		case '0':
			to[c] = 0
		case '1':
			to[c] = plainBits(1)
		default:
			w := words[c]
			if s.sat {
				w = plainSat(w)
			}
			to[c] = w
		}
	}
	if s.dst.reg == "g" && index >= 0 && 4*index+4 <= len(l.global) {
		copy(l.global[4*index:], stored[:])
	}
}

func plainSat(w uint32) uint32 {
	switch f := plainFloat(w); {
	case f != f || f <= 0:
		return 0
	case f > 1:
		return plainBits(1)
	}
	return w
}

// compute executes what is no flow control.
func (l *plainLaunch) compute(s *plainStmt) {
	mask := s.dst.mask()
	var out [4]uint32
	v := make([][4]uint32, len(s.src))
	for i := range s.src {
		v[i] = l.vector(&s.src[i])
	}
	switch {
	case plainDoubles[s.op] != nil || plainDoubleTests[s.op] != nil || s.op == "d2f" || s.op == "f2d" || s.op == "dldexp":
		l.doubles(s, v, mask)
		return
	case strings.HasPrefix(s.op, "sample"):
		l.sample(s, v)
		return
	case s.op == "transpose":
		l.transpose(s)
		return
	case strings.HasPrefix(s.op, "uav_"):
		l.view(s, v, mask)
		return
	}
	if n, ok := map[string]int{"dp2": 2, "dp3": 3, "dp4": 4, "dp2_ieee": 2, "dp3_ieee": 3, "dp4_ieee": 4}[s.op]; ok {
		var sum float32
		for c := range n {
			a := plainFloat(s.src[0].modified(plainSelect(v[0], s.src[0].place(c)), c))
			b := plainFloat(s.src[1].modified(plainSelect(v[1], s.src[1].place(c)), c))
			p := plainMul(a, b, strings.HasSuffix(s.op, "_ieee"))
			if sum = plainFlush(sum + p); c == 0 {
				sum = p
			}
		}
		out = [4]uint32{plainBits(sum), plainBits(sum), plainBits(sum), plainBits(sum)}
		l.write(s, out)
		return
	}
	if f := plainScalars[s.op]; f != nil {
		w := plainBits(f(plainFlush(plainFloat(s.src[0].modified(l.scalar(&s.src[0]), 0)))))
		l.write(s, [4]uint32{w, w, w, w})
		return
	}
	k := 0
	for c, m := range mask {
		if m == '_' || m == '0' || m == '1' {
			continue
		}
		var raw, mod [3]uint32
		var a [3]float32
		for i := range s.src {
			raw[i] = plainSelect(v[i], s.src[i].lane(c, k))
			mod[i] = s.src[i].modified(raw[i], c)
			a[i] = plainFlush(plainFloat(mod[i]))
		}
		k++
		switch {
		case plainFloats[s.op] != nil:
			out[c] = plainBits(plainFlush(plainFloats[s.op](a[0], a[1], a[2])))
		case plainTests[s.op] != nil:
			out[c] = plainTruth(plainTests[s.op](a[0], a[1]))
		case plainInts[s.op] != nil:
			for i := range s.src { // integers are negated as such
				if strings.IndexByte(s.src[i].neg, "xyzw"[c]) >= 0 {
					raw[i] = -raw[i]
				}
			}
			out[c] = plainInts[s.op](raw[0], raw[1], raw[2])
		case s.op == "mov":
			out[c] = mod[0]
		case s.op == "cmov_logical":
			if out[c] = mod[2]; raw[0] != 0 {
				out[c] = mod[1]
			}
		case s.op == "ftoi":
			out[c] = plainToInt(a[0], math.MinInt32, math.MaxInt32)
		case s.op == "ftou":
			out[c] = plainToInt(a[0], 0, math.MaxUint32)
		case s.op == "itof":
			out[c] = plainBits(float32(int32(raw[0])))
		case s.op == "utof":
			out[c] = plainBits(float32(raw[0]))
		case s.op == "div":
			zero := s.ctl["zeroop"]
			if a[1] == 0 && zero != "infinity" && zero != "" {
				panic("div_zeroop(" + zero + ") by zero")
			}
			out[c] = plainBits(plainFlush(plainFlush(float32(1/float64(a[1]))) * a[0]))
		default:
			panic("not understood: " + s.text)
		}
	}
	l.write(s, out)
}

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

// plainMul is a product; but for _ieee, anything times zero is zero.
func plainMul(a, b float32, ieee bool) float32 {
	a, b = plainFlush(a), plainFlush(b)
	if p := float32(a * b); p == p || ieee || a != 0 && b != 0 {
		return plainFlush(p)
	}
	return 0 // zero times what is not finite
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

// plainScalars read one component and write it everywhere.
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
	// The k-th pair of an operand of two letters or four; the swizzle is packed onto pairs.
	word := func(i, c, k int) uint32 { return plainSelect(v[i], s.src[i].lane(c, k)) }
	if s.op == "d2f" { // one double to one float
		k := 0
		for c, m := range mask {
			if m == '_' {
				continue
			}
			o := &s.src[0]
			out[c] = plainBits(plainFlush(float32(o.double(plainSelect(v[0], o.place(2*k)), plainSelect(v[0], o.place(2*k+1)), 2*k))))
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

// double applies modifiers to a double at place c: its sign is in the high word.
func (o *plainOperand) double(lo, hi uint32, c int) float64 {
	if o.abs {
		hi &^= 1 << 31
	}
	if strings.ContainsAny(o.neg, "xyzw"[c:c+2]) {
		hi ^= 1 << 31
	}
	return plainDouble(lo, hi)
}

func (l *plainLaunch) sample(s *plainStmt, v [][4]uint32) {
	r := l.resources[s.ctl["resource"]]
	if s.op != "sample" || r == nil {
		panic("not understood: " + s.text)
	}
	var at [3]int
	offsets := strings.Split(s.ctl["aoffimmi"], ",")
	for i, size := range []int{r.w, r.h, r.d} {
		x := plainFlush(plainFloat(s.src[0].modified(plainSelect(v[0], s.src[0].place(i)), i)))
		if !l.k.unnorm[s.ctl["resource"]] {
			x = plainFlush(x * float32(size))
		}
		n := math.Floor(float64(x))
		if i < len(offsets) && offsets[0] != "" {
			off, _ := strconv.ParseFloat(offsets[i], 64)
			n += off
		}
		if !(n > 0) {
			n = 0
		}
		at[i] = int(min(n, float64(size-1)))
	}
	if l.k.flat[s.ctl["resource"]] {
		at[1] = 0
	}
	if r.d == 1 {
		at[2] = 0
	}
	e := ((at[2]*r.h+at[1])*r.w + at[0])
	var texel [4]uint32
	switch r.comps {
	case 1:
		w := r.words[e]
		texel = [4]uint32{w, w, w, w}
	case 2:
		texel = [4]uint32{r.words[2*e], r.words[2*e+1], 0, plainBits(1)}
	default:
		copy(texel[:], r.words[4*e:])
	}
	l.write(s, texel)
}

// transpose makes rows of registers n..n+3 of the columns of m..m+3.
func (l *plainLaunch) transpose(s *plainStmt) {
	number := func(reg string) int { n, _ := strconv.Atoi(strings.TrimLeft(reg, "r")); return n }
	to, from := number(s.dst.reg), number(s.src[0].reg)
	var m [4][4]uint32
	for i := range 4 {
		m[i] = *l.reg(fmt.Sprintf("r%d", from+i))
	}
	for i := range 4 {
		for j := range 4 {
			l.reg(fmt.Sprintf("r%d", to+i))[j] = m[j][i]
		}
	}
}

// view loads from or stores to the bytes of a raw view.
func (l *plainLaunch) view(s *plainStmt, v [][4]uint32, mask [4]byte) {
	words := l.views[s.ctl["id"]]
	addr := int(int32(l.scalar(&s.src[0]))) / 4
	switch s.op {
	case "uav_raw_load":
		var out [4]uint32
		for c := range out {
			if addr+c < len(words) && addr >= 0 {
				l.touch("u"+s.ctl["id"], addr+c, false)
				out[c] = words[addr+c]
			}
		}
		l.write(s, out)
	case "uav_raw_store":
		for c, m := range mask {
			if m != '_' && addr+c < len(words) && addr >= 0 {
				l.touch("u"+s.ctl["id"], addr+c, true)
				words[addr+c] = plainSelect(v[1], s.src[1].place(c))
			}
		}
	default:
		panic("not understood: " + s.text)
	}
}
