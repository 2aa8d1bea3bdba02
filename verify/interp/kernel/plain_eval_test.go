package kernel_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plainLaunch is the memory of a launch of a plainKernel.
type plainLaunch struct {
	k             *plainKernel
	width, height int
	consts        map[string]map[int][4]uint32 // cb0 and on
	inputs        map[string]func(x, y, n int) [4]uint32
	resources     map[string]*plainResource
	global        []uint32
	views         map[string][]uint32
	steps         int
	owners        map[string]int // last storing invocation of elements of memory, from 1 on

	// of the invocation
	regs    map[string]*[4]uint32
	x, y, n int
}

type plainResource struct {
	w, h, d int
	comps   int // of an element, 0 for plain words
	words   []uint32
}

// The ways in which control leaves a block.
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

// plainFlush replaces a denormal by a zero: this hardware has none.
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

// vector returns the contents of the register of o, before components are chosen.
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

// touch records an access to element i of a memory. If one invocation sees the stores of another, the
// result depends on their order and cannot be compared.
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

// scalar returns the first component that o selects.
func (l *plainLaunch) scalar(o *plainOperand) uint32 { return plainSelect(l.vector(o), o.place(0)) }

// modified applies abs and neg at position c of a float.
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

// write stores words in the lanes of s, in the order of the lanes.
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

// plainProducts maps operations that sum products to the number of products.
var plainProducts = map[string]int{"dp2": 2, "dp3": 3, "dp4": 4, "dp2_ieee": 2, "dp3_ieee": 3, "dp4_ieee": 4}

// compute executes statements without control flow.
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
	if n, ok := plainProducts[s.op]; ok {
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
			for i := range s.src { // integer negation
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

// transpose copies the columns of m..m+3 to rows of registers n..n+3.
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
