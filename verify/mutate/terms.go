package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// terms numbers values by hash consing: a term is an operation on terms, in a normal form, and equal
// terms have equal numbers, so that comparing values is comparing integers (local value numbering;
// Cocke and Schwartz 1970). Equal numbers mean equal values in every execution; different numbers
// mean nothing. The forms of key[n] are
//
//	"@place"      the value that a place has at the beginning
//	"=3f800000"   a literal; "=kept" is a marker, see arrays.go
//	"ite"         args[0] is a condition: args[1] where it holds, else args[2]
//	"is lt"       a condition: a comparison of its arguments; "nz" is that a bit is set
//	"#3 place"    what a place holds in any trip of cut loop number 3; see paths.go
//	otherwise     an operation or a modifier, with its controls behind a |
//
// A term is made under the decisions of the path so far (known). It stays right when the path goes on,
// but may be less simple than the same value made later.
type terms struct {
	known  map[int]bool   // conditions that were decided on the path that is followed, and how
	under  []int          // conditions that the statement is executed under; see set
	number map[string]int // by key and arguments, as text
	key    []string       // by number
	args   [][]int        // by number; they are smaller numbers
	// reals admits the laws of real numbers for sums and products of floats; forms are the
	// polynomials that terms stand for then.
	reals     bool
	forms     map[int]polynomial
	poles     map[int]bool // what was found to be singular, or not
	constants map[int]bool // and to be constant
	products  int          // products of monomials that were computed, which maxProducts bounds
	counts    map[int]span // where counters of loops are known to lie
}

// cons is the number of an operation on arguments, which it takes as they are but for the order of
// commuting ones.
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

// commutes reports whether the first two operands of op may change places, of operations of both
// dialects. Sums and products of IEEE 754 commute but for the payloads of NaNs, which are left
// aside. Minimum and maximum of floats do not: of two zeros, or a number and a NaN, which one is
// given depends on the order.
func commutes(op string) bool {
	op, _, _ = strings.Cut(op, "|")
	switch op {
	case "add", "mul", "mad", "iadd", "imul", "imad", "iand", "ior", "ixor", "ieq", "ine", "eq", "ne",
		"imax", "imin", "umax", "umin", "umul", "imul_high", "umul_high", "umad", "umul24", "imul24", "umad24", "imad24", "fma":
		return true
	}
	return false
}

// inOrder sorts the first two of so many operands, each of several words: the words of the operands
// of a double precision sum or product.
func inOrder(args []int, operands int) []int {
	n := len(args) / operands
	if len(args)%operands != 0 || slices.Compare(args[:n], args[n:2*n]) <= 0 {
		return args
	}
	return slices.Concat(args[n:2*n], args[:n], args[2*n:])
}

// run executes straight-line statements from a state in which each place holds "@place". It gives the
// places that were set. The sets of a statement all read the state before it.
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
	// Derivatives depend on the values of neighbouring fragments, hence on which fragments take
	// part: the same operation under other conditions is another value.
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

// either is yes or no by a condition (negated if not is set), simplified: a decided condition chooses; a
// choice by the same condition inside a side is made, ite(c, ite(c, x, y), z) = ite(c, x, z); equal
// sides need no condition.
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

// place is the value of a place in an environment; a choice there that the path has decided since is
// made.
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

// arg is the value of an argument, its modifiers applied.
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

// modify applies a modifier of a source or of a result: it folds literals, cancels signs, and drops
// saturations of what is in range.
func (t *terms) modify(mod string, n int) int {
	// neg and abs change the sign bit alone, of NaNs too; complement is the negation of integers.
	if v, ok := t.literal(n); ok {
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

// reflexive are comparisons of integers and what they give for equal operands. Of floats nothing can be
// said: a NaN does not equal itself.
var reflexive = map[string]string{
	"ieq": "ffffffff", "ige": "ffffffff", "uge": "ffffffff", "ine": "00000000", "ilt": "00000000", "ult": "00000000",
}

// apply is an operation on arguments in normal form. op may carry controls behind a |; laws that know
// the operation alone apply only where there are none. The order matters: folding first, then the
// ring of reals, then laws, then the rewriting of operations by others (sub by add and neg, dot
// products by unordered pairs, conditional moves by ite).
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
	// cmp of Direct3D 9 takes the second operand where the first is >= 0.
	case op == "cmp" && len(args) == 3:
		cond, not := t.relation("ge", args[0], t.wordOf(0))
		return t.either(cond, not, args[1], args[2])
	// The last argument is the state of the effects so far; a discard that is decided not to
	// happen leaves it.
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
		// Each product commutes; the order of the sum is that of the operation.
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
	// all-or-none masks: x and (x > 0) is max(x, 0)
	case "iand":
		if t.maximum(args[0], args[1]) || t.maximum(args[1], args[0]) {
			x := args[0]
			if t.maximum(args[1], x) {
				x = args[1]
			}
			return t.cons("imax", x, t.wordOf(0))
		}
	// A double is two words, so that commuting operands are exchanged in groups; the digit is
	// the lane of the result.
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

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
