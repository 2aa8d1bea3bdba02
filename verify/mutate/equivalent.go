package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Equivalent reports whether two versions of a subject are the same program by a proof of
// its own: with the same statements of flow around them, each block of the one computes,
// from equal values of all that is live at its beginning, the terms that the block of the
// other does, in all that is live at its end. Terms know that moves copy, signs cancel and
// sums and products commute; memories, what is discarded and outputs are live for ever.
//
// It shares the syntax with the judge and nothing else: neither the lift, nor the table of
// operations, nor the walk. It is far weaker.
func Equivalent(before, after *Subject) bool {
	return equivalent(before, after, false)
}

func equivalent(before, after *Subject, reals bool) bool {
	a := flatten(after, reals)
	return same(flatten(before, reals), a, reals) || same(flatten(lessPrecise(before, after), reals), a, reals)
}

func same(b, a []*flat, reals bool) bool {
	if len(b) == 0 || len(b) != len(a) {
		return false
	}
	for i := range b {
		if !simulates(b[i], a[i], reals) && !samePaths(b[i], a[i], reals) {
			return false
		}
	}
	return true
}

// lessPrecise is before without the partial precision that after does not have: a version
// may drop it anywhere.
func lessPrecise(before, after *Subject) *Subject {
	s := *before
	for _, side := range [][2]**d3d9.Program{{&s.Pair.Vertex, &after.Pair.Vertex}, {&s.Pair.Pixel, &after.Pair.Pixel}} {
		b, a := *side[0], *side[1]
		if b == nil || a == nil || len(b.Insts) != len(a.Insts) {
			continue
		}
		p := cloneProgram(b)
		for i := range p.Insts {
			if a.Insts[i].Dst.Mods&d3d9.PartialPrecision == 0 {
				p.Insts[i].Dst.Mods &^= d3d9.PartialPrecision
			}
		}
		*side[0] = p
	}
	return &s
}

// flatten takes a subject apart, of a pair the pixel program first: what it reads decides
// which varyings matter. Nothing depends on what is left. It is nil where that fails. Over
// the reals a varying that every vertex gives the same number arrives as that number.
func flatten(s *Subject, reals bool) (list []*flat) {
	if s.Kernel != nil {
		if f := ilProgram(s.Kernel); f != nil && f.tidy() {
			return []*flat{f}
		}
		return nil
	}
	var read map[string]bool
	if s.Pair.Pixel != nil {
		f := d3d9Program(s.Pair.Pixel)
		if s.Pair.Vertex != nil {
			f.rename(equalVaryings(d3d9Program(s.Pair.Vertex)))
		}
		if reals && s.Pair.Vertex != nil {
			f.give(constantVaryings(d3d9Program(s.Pair.Vertex)))
		}
		if !f.tidy() {
			return nil
		}
		list, read = append(list, f), f.entry()
		if seen, ok := inputsOf(f); ok {
			read = seen
		}
	}
	if s.Pair.Vertex != nil {
		f := d3d9Program(s.Pair.Vertex)
		if s.Pair.Pixel != nil {
			f.exits = slices.DeleteFunc(f.exits, func(p string) bool { return f.varying[p] != "" && !read[f.varying[p]] })
		}
		if !f.tidy() {
			return nil
		}
		list = append(list, f)
	}
	return list
}

// flat is a program as a list of statements on named places.
type flat struct {
	frame string // what surrounds the program; has to be the same text
	units []unit
	exits []string // places that are read after the program
	// ends says that every loop does, so that one without effects is none.
	ends bool
	// varying are the places of a vertex program that a pixel program reads under
	// another name.
	varying map[string]string
}

// unit is a statement: assignments that take effect together, or one of flow.
type unit struct {
	inst int // the statement
	sets []set
	// role is what a statement of flow does to the blocks around it, and sure says that
	// it does so whatever its condition.
	role  il.Role
	sure  bool
	label string // of a function and its calls, and the word of a case
	trips int    // of a loop, where a literal says so, and one more
	// rel is the comparison that a condition makes of what it reads: nz alone is whether
	// a bit is set. not says that the statement takes effect where it does not hold.
	rel   string
	not   bool
	taken int // of a branch on a literal: 1 is taken, 2 is not
	// flow spells a statement of flow, less what it reads; it is empty for others.
	flow  string
	reads []arg
	// next are the statements that may follow one of flow; nil is the next one alone.
	next []int
}

// set gives a place the value of an operation, and then of modifiers, or lets it be
// unless a predicate holds.
type set struct {
	to   string
	op   string
	args []arg
	mods []string
	when *arg
	not  bool
}

// reads are the values that what is set depends on.
func (s *set) reads() []arg {
	if s.when == nil {
		return s.args
	}
	return append(s.args[:len(s.args):len(s.args)], *s.when, arg{place: s.to})
}

// arg is a value read: that of a place, of a literal, or of an element that others
// choose, or that of an operation; mods are signs and the like, the innermost first.
type arg struct {
	place    string
	word     string
	by       []arg // word names the element then, as far as it is known
	computed bool  // word is an operation on by
	mods     []string
}

// places calls f for all that is read.
func (a *arg) places(f func(string)) {
	f(a.place)
	for i := range a.by {
		a.by[i].places(f)
	}
}

// simulates reports whether the blocks of two programs with the same flow compute the same.
func simulates(b, a *flat, reals bool) bool {
	if b == nil || a == nil {
		return b == a
	}
	if b.frame != a.frame {
		return false
	}
	bb, ba := blocks(b), blocks(a)
	if len(bb) != len(ba) {
		return false
	}
	exits := map[string]bool{}
	for _, p := range slices.Concat(b.exits, a.exits) {
		exits[p] = true
	}
	_, live := liveness(b, bb, exits)
	for i := range bb {
		x, y := bb[i], ba[i]
		if (x.flow < 0) != (y.flow < 0) {
			return false
		}
		t := &terms{reals: reals}
		ex, ey := t.run(b.units[x.from:x.to]), t.run(a.units[y.from:y.to])
		if x.flow >= 0 {
			fx, fy := &b.units[x.flow], &a.units[y.flow]
			if fx.flow != fy.flow || len(fx.reads) != len(fy.reads) {
				return false
			}
			for k := range fx.reads {
				if t.arg(ex, fx.reads[k]) != t.arg(ey, fy.reads[k]) {
					return false
				}
			}
		}
		for p := range live[i] {
			if t.place(ex, p) != t.place(ey, p) {
				return false
			}
		}
	}
	return true
}

// block is a run of statements up to one of flow, -1 at the end of the program.
type block struct{ from, to, flow int }

func blocks(f *flat) (list []block) {
	from := 0
	for i := range f.units {
		if f.units[i].flow != "" {
			list = append(list, block{from, i, i})
			from = i + 1
		}
	}
	return append(list, block{from, len(f.units), -1})
}

// liveness finds what is live at the end of each block, before its statement of flow
// reads: the places that some path reads before it sets them.
func liveness(f *flat, list []block, exits map[string]bool) (in, out []map[string]bool) {
	first := map[int]int{} // block by its first statement
	for i, b := range list {
		first[b.from] = i
	}
	in = make([]map[string]bool, len(list))
	out = make([]map[string]bool, len(list))
	for i := range list {
		in[i], out[i] = map[string]bool{}, map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(list) - 1; i >= 0; i-- {
			b := list[i]
			l := map[string]bool{}
			follow := func(at int) {
				k, ok := first[at]
				if !ok {
					for p := range exits {
						l[p] = true
					}
					return
				}
				for p := range in[k] {
					l[p] = true
				}
			}
			switch {
			case b.flow < 0:
				for p := range exits {
					l[p] = true
				}
			case f.units[b.flow].next == nil:
				follow(b.flow + 1)
			default:
				for _, at := range f.units[b.flow].next {
					follow(at)
				}
			}
			if len(l) > len(out[i]) {
				out[i], changed = l, true
			}
			n := f.before(b, out[i], nil)
			if len(n) > len(in[i]) {
				in[i], changed = n, true
			}
		}
	}
	return in, out
}

// before walks a block backwards from what is live at its end to what is at its
// beginning; visit, if not nil, is told what is live behind each statement.
func (f *flat) before(b block, out map[string]bool, visit func(u int, live map[string]bool)) map[string]bool {
	n := map[string]bool{}
	for p := range out {
		n[p] = true
	}
	if b.flow >= 0 {
		for _, r := range f.units[b.flow].reads {
			r.places(func(p string) { n[p] = true })
		}
	}
	for u := b.to - 1; u >= b.from; u-- {
		if visit != nil {
			visit(u, n)
		}
		var reads []arg // of what is live: a value that feeds itself alone is not
		for _, s := range f.units[u].sets {
			if n[s.to] {
				reads = append(reads, s.reads()...)
			}
		}
		for _, s := range f.units[u].sets {
			delete(n, s.to)
		}
		for _, r := range reads {
			r.places(func(p string) { n[p] = true })
		}
	}
	delete(n, "")
	return n
}

// terms names values: equal terms have equal numbers.
type terms struct {
	known  map[int]bool // conditions that were decided
	under  []int        // conditions that a statement is executed under
	number map[string]int
	key    []string // of each number
	args   [][]int
	// reals tells that sums and products are those of real numbers; forms are those.
	reals     bool
	forms     map[int]polynomial
	poles     map[int]bool // what was found to be singular, or not
	constants map[int]bool // and to be constant
	products  int          // that were computed
	counts    map[int]span // where counters of loops are known to lie
}

func (t *terms) cons(op string, args ...int) int {
	if commutes(op) && len(args) >= 2 && args[0] > args[1] {
		args = slices.Clone(args)
		args[0], args[1] = args[1], args[0]
	}
	var k strings.Builder
	k.WriteString(op)
	for _, a := range args {
		k.WriteByte(' ')
		k.WriteString(strconv.Itoa(a))
	}
	if n, ok := t.number[k.String()]; ok {
		return n
	}
	if t.number == nil {
		t.number = map[string]int{}
	}
	n := len(t.key)
	t.number[k.String()] = n
	t.key = append(t.key, op)
	t.args = append(t.args, args)
	return n
}

// commutes reports whether the first two operands of op may change places, of ops of
// both dialects. Minimum and maximum may not: they choose among zeros and NaNs.
func commutes(op string) bool {
	op, _, _ = strings.Cut(op, "|")
	switch op {
	case "add", "mul", "mad", "iadd", "imul", "imad", "iand", "ior", "ixor", "ieq", "ine", "eq", "ne",
		"imax", "imin", "umax", "umin", "umul", "imul_high", "umul_high", "umad", "umul24", "imul24", "umad24", "imad24", "fma":
		return true
	}
	return false
}

// inOrder puts the first two of so many operands, of several words each, in order.
func inOrder(args []int, operands int) []int {
	n := len(args) / operands
	if len(args)%operands != 0 || slices.Compare(args[:n], args[n:2*n]) <= 0 {
		return args
	}
	return slices.Concat(args[n:2*n], args[:n], args[2*n:])
}

// run executes statements from places that hold values of their own.
func (t *terms) run(units []unit) map[string]int {
	env := map[string]int{}
	var values []int
	for i := range units {
		values = values[:0]
		for k := range units[i].sets {
			values = append(values, t.set(env, &units[i].sets[k]))
		}
		for k, s := range units[i].sets {
			env[s.to] = values[k]
		}
	}
	return env
}

// set is the value that a place is given.
func (t *terms) set(env map[string]int, s *set) int {
	args := make([]int, 0, len(s.args)+1)
	for _, a := range s.args {
		args = append(args, t.arg(env, a))
	}
	n := t.apply(s.op, args)
	if len(t.under) > 0 && looksAround(s.op) {
		n = t.cons("under", append([]int{n}, t.under...)...)
	}
	for _, m := range s.mods {
		n = t.modify(m, n)
	}
	if s.when == nil {
		return n
	}
	cond, not := t.truth(t.arg(env, *s.when))
	return t.either(cond, not != s.not, n, t.place(env, s.to))
}

// either is one value or another by a condition.
func (t *terms) either(cond int, not bool, yes, no int) int {
	if not {
		yes, no = no, yes
	}
	if v, ok := t.value(cond); ok {
		return []int{no, yes}[b2i(v)]
	}
	if t.key[yes] == "ite" && t.args[yes][0] == cond {
		yes = t.args[yes][1]
	}
	if t.key[no] == "ite" && t.args[no][0] == cond {
		no = t.args[no][2]
	}
	if yes == no || t.isItself(cond, yes, no) {
		return no
	}
	return t.cons("ite", cond, yes, no)
}

func (t *terms) place(env map[string]int, p string) int {
	if n, ok := env[p]; ok {
		for t.key[n] == "ite" {
			yes, known := t.value(t.args[n][0])
			if !known {
				break
			}
			n = t.args[n][2-b2i(yes)]
		}
		return n
	}
	return t.cons("@" + p)
}

func (t *terms) arg(env map[string]int, a arg) (n int) {
	switch {
	case a.place != "":
		n = t.place(env, a.place)
	case a.by != nil:
		var by []int
		for _, b := range a.by {
			by = append(by, t.arg(env, b))
		}
		switch {
		case a.computed:
			n = t.apply(a.word, by)
		case strings.HasPrefix(a.word, element):
			n = t.load(a.word, by[0], by[1])
		default:
			n = t.cons("element "+a.word, by...)
		}
	default:
		n = t.cons("=" + a.word)
	}
	for _, m := range a.mods {
		n = t.modify(m, n)
	}
	return n
}

func (t *terms) modify(mod string, n int) int {
	if v, ok := t.literal(n); ok { // of a literal, its sign
		switch mod {
		case "neg":
			return t.wordOf(v ^ 1<<31)
		case "abs":
			return t.wordOf(v &^ (1 << 31))
		case "complement":
			return t.wordOf(-v)
		}
		if w, ok := fixedLiteral(mod, v); ok {
			return t.wordOf(w)
		}
		if w, ok := modified(mod, v); ok {
			return t.wordOf(w)
		}
	}
	if w, ok := strings.CutPrefix(mod, plus); ok {
		by, _ := strconv.ParseUint(w, 16, 32)
		if v, ok := t.literal(n); ok {
			return t.wordOf(v + uint32(by))
		}
		if by == 0 {
			return n
		}
	}
	switch inner := t.key[n]; {
	case mod == "neg" && inner == "neg", mod == "abs" && inner == "abs":
		if mod == "abs" {
			return n
		}
		return t.args[n][0]
	case mod == "abs" && inner == "neg":
		return t.modify("abs", t.args[n][0])
	case (mod == "sat" || mod == "range") && t.within(n, 8), mod == "range" && inner == mod:
		return n
	case mod == "sat" && inner == "neg" && t.positive(t.args[n][0], 8):
		return t.wordOf(0)
	case mod == "abs" && t.positive(n, 8):
		return n
	case mod == "abs" && inner == "rcp" && t.reals:
		return t.apply("rcp", []int{t.modify(mod, t.args[n][0])})
	}
	if t.reals {
		if n, ok := t.ring(mod, []int{n}); ok {
			return n
		}
	}
	return t.cons(mod, n)
}

// reflexive are comparisons of integers and what they give for equal operands.
var reflexive = map[string]string{
	"ieq": "ffffffff", "ige": "ffffffff", "uge": "ffffffff", "ine": "00000000", "ilt": "00000000", "ult": "00000000",
}

// apply is an operation with what its spelling says: op|sat and so on.
func (t *terms) apply(op string, args []int) int {
	name, rest, _ := strings.Cut(op, "|")
	if n, ok := t.fold(op, args); ok {
		return n
	}
	if t.reals {
		args = unsigned(t, op, args)
		if n, ok := t.ring(op, args); ok {
			return n
		}
		args = eitherOrder(op, args)
	}
	if n, ok := t.law(op, args); ok {
		return n
	}
	switch {
	case op == "mov":
		return args[0]
	case name == "sub" && rest == "":
		return t.apply("add", []int{args[0], t.modify("neg", args[1])})
	case len(args) == 2 && args[0] == args[1] && reflexive[op] != "":
		return t.cons("=" + reflexive[op])
	case op == "cmov_logical":
		cond, not := t.truth(args[0])
		return t.either(cond, not, args[1], args[2])
	case op == "cmp" && len(args) == 3:
		cond, not := t.relation("ge", args[0], t.wordOf(0))
		return t.either(cond, not, args[1], args[2])
	case (op == "discard_logicalnz" || op == "discard_logicalz") && len(args) == 2:
		cond, not := t.truth(args[0])
		if op == "discard_logicalz" {
			not = !not
		}
		switch yes, known := t.value(cond); {
		case !known:
			return t.cons(fmt.Sprint("discard|", not), cond, args[1])
		case yes == not:
			return args[1]
		}
	case name == "dp2add" && len(args) == 5:
		return t.cons(op, t.apply("dp2", args[:4]), args[4])
	case name == "dp2" || name == "dp3" || name == "dp4":
		n := len(args) / 2
		pairs := make([]int, n)
		for i := range pairs {
			pairs[i] = t.cons("pair", min(args[i], args[n+i]), max(args[i], args[n+i]))
		}
		return t.cons(op, pairs...)
	case name == "ishl" || name == "ishr" || name == "ushr":
		if v, ok := t.literal(args[1]); ok { // five bits of the count matter
			args[1] = t.wordOf(v & 31)
		}
	}
	switch op {
	case "iand":
		if t.maximum(args[0], args[1]) || t.maximum(args[1], args[0]) {
			x := args[0]
			if t.maximum(args[1], x) {
				x = args[1]
			}
			return t.cons("imax", x, t.wordOf(0))
		}
	case "dadd|0", "dadd|1", "dadd|2", "dadd|3", "dmul|0", "dmul|1", "dmul|2", "dmul|3":
		args = inOrder(args, 2)
	case "dmad|0", "dmad|1", "dmad|2", "dmad|3":
		args = inOrder(args, 3)
	}
	if op == "texkill" {
		return t.kill(args)
	}
	if strings.HasPrefix(op, storeOp) {
		return t.store(op, args)
	}
	return t.cons(op, args...)
}
