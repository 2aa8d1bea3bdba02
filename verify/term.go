package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// term is a node of a hash-consed DAG: equal numbers are equal terms.
type term int32

// terms is the domain of uninterpreted terms. Beyond equality it knows what holds
// under every numerics: mov copies, signs cancel, sums and products commute,
// saturation follows the operation.
type terms struct {
	nodes []termNode
	args  []term
	table []term // open addressing; 0 is empty
	yes   term
	no    term
	buf   [12]term
}

type termNode struct {
	tag        tag
	aux        uint64
	first, num int32 // in args
	// shape is the term without partial precision anywhere in it.
	shape term
}

func newTerms() *terms {
	t := &terms{nodes: make([]termNode, 1, 1024), table: make([]term, 2048)}
	t.yes = t.make(tagOp, ^uint64(0))
	t.no = t.make(tagNot, 0, t.yes)
	return t
}

func (t *terms) make(tg tag, aux uint64, args ...term) term { return t.call(tg, aux, args) }

func (t *terms) operands(x term) []term {
	n := &t.nodes[x]
	return t.args[n.first : n.first+n.num : n.first+n.num]
}

// tag is the kind of the function that x applies.
func (t *terms) tag(x term) tag { return t.nodes[x].tag }

// aux is its name, among functions of that kind.
func (t *terms) aux(x term) uint64 { return t.nodes[x].aux }

// shape is x without partial precision anywhere in it.
func (t *terms) shape(x term) term { return t.nodes[x].shape }

// never is the condition that does not hold.
func (t *terms) never() term { return t.no }

// is reports whether x is an application of tg, and to what first.
func (t *terms) is(x term, tg tag) (term, bool) {
	n := &t.nodes[x]
	if n.tag != tg || n.num == 0 {
		return 0, false
	}
	return t.args[n.first], true
}

func (t *terms) call(tg tag, aux uint64, args []term) term {
	h := mix(aux ^ uint64(tg)<<56)
	for _, a := range args {
		h = mix(h + uint64(a))
	}
	mask := uint64(len(t.table) - 1)
	i := h & mask
	for ; t.table[i] != 0; i = (i + 1) & mask {
		n := &t.nodes[t.table[i]]
		if n.tag == tg && n.aux == aux && slices.Equal(t.args[n.first:n.first+n.num], args) {
			return t.table[i]
		}
	}
	x := term(len(t.nodes))
	t.nodes = append(t.nodes, termNode{tg, aux, int32(len(t.args)), int32(len(args)), x})
	t.args = append(t.args, args...)
	t.table[i] = x
	if 2*len(t.nodes) > len(t.table) {
		t.grow()
	}
	t.reshape(x)
	return x
}

// reshape finds the shape of a new term.
func (t *terms) reshape(x term) {
	n := t.nodes[x]
	if n.tag == tagHalf {
		y, _ := t.is(x, tagHalf)
		t.nodes[x].shape = t.nodes[y].shape
		return
	}
	aux := withoutHalf(n.tag, n.aux)
	plain := aux == n.aux
	for _, a := range t.operands(x) {
		plain = plain && t.nodes[a].shape == a
	}
	if plain {
		return
	}
	args := make([]term, n.num)
	for i, a := range t.operands(x) {
		args[i] = t.nodes[a].shape
	}
	t.nodes[x].shape = t.call(n.tag, aux, args)
}

// withoutHalf is the name of a function when computed in full precision.
func withoutHalf(tg tag, aux uint64) uint64 {
	switch tg {
	case tagOp:
		return aux &^ opHalf
	case tagFetch:
		return aux &^ fetchHalf
	case tagInterpolate:
		return aux &^ uint64(interpHalf)
	}
	return aux
}

func (t *terms) grow() {
	old := t.table
	t.table = make([]term, 2*len(old))
	mask := uint64(len(t.table) - 1)
	for _, x := range old {
		if x == 0 {
			continue
		}
		n := &t.nodes[x]
		h := mix(n.aux ^ uint64(n.tag)<<56)
		for _, a := range t.operands(x) {
			h = mix(h + uint64(a))
		}
		i := h & mask
		for t.table[i] != 0 {
			i = (i + 1) & mask
		}
		t.table[i] = x
	}
}

func (t *terms) literal(bits uint32) term { return t.call(tagBits, uint64(bits), nil) }

func (t *terms) bits(x term) (uint32, bool) {
	n := &t.nodes[x]
	return uint32(n.aux), n.tag == tagBits
}

func (t *terms) modify(x term, m ir.LaneMod) term {
	if m&ir.Abs != 0 {
		x = t.abs(x)
	}
	if m&ir.Neg != 0 {
		x = t.neg(x)
	}
	if m&ir.Not != 0 {
		x = t.not(x)
	}
	return x
}

func (t *terms) neg(x term) term {
	if bits, ok := t.bits(x); ok {
		return t.literal(bits ^ signBit)
	}
	if y, ok := t.is(x, tagNeg); ok {
		return y
	}
	return t.make(tagNeg, 0, x)
}

func (t *terms) abs(x term) term {
	if bits, ok := t.bits(x); ok {
		return t.literal(bits &^ signBit)
	}
	if y, ok := t.is(x, tagNeg); ok {
		x = y
	}
	if _, ok := t.is(x, tagAbs); ok {
		return x
	}
	return t.make(tagAbs, 0, x)
}

func (t *terms) saturate(x term) term {
	if _, ok := t.is(x, tagSat); ok {
		return x
	}
	return t.make(tagSat, 0, x)
}

// apply names a lane of an op by what it reads. A lane of a lanewise op, and a
// replicated result, is the same function in whichever lane it is computed.
func (t *terms) apply(in *ir.Instr, lane int, src *sources[term]) term {
	half := in.Mods&ir.Half != 0
	var x term
	switch {
	case in.Op == ir.OpMov && half:
		x = t.make(tagHalf, 0, src[0][lane])
	case in.Op == ir.OpMov:
		x = src[0][lane]
	case in.Op == ir.OpAbs && !half:
		x = t.abs(src[0][lane])
	default:
		aux := uint64(in.Op)
		if half {
			aux |= opHalf
		}
		if in.Op.Info().Shape == ir.Positional {
			aux |= uint64(lane) << 8
		}
		var reads [4]uint8
		for s := range in.Src {
			reads[s] = in.ReadsFor(s, 1<<lane)
		}
		args := t.buf[:0]
		for i := range 4 {
			for s := range in.Src {
				if reads[s]>>i&1 != 0 {
					args = append(args, src[s][i])
				}
				if s == 1 && in.Op.Has(ir.Commutes) && reads[0]&reads[1]>>i&1 != 0 {
					t.order(args[len(args)-2:])
				}
			}
		}
		x = t.call(tagOp, aux, args)
	}
	if in.Mods&ir.Sat != 0 {
		x = t.saturate(x)
	}
	return x
}

// opHalf marks an op computed in partial precision.
const opHalf = 1 << 16

// order puts two factors, or summands, into an order that does not depend on
// which comes first.
func (t *terms) order(x []term) {
	a, b := t.nodes[x[0]].shape, t.nodes[x[1]].shape
	if a > b || a == b && x[0] > x[1] {
		x[0], x[1] = x[1], x[0]
	}
}

func (t *terms) boolean(x term) term {
	if bits, ok := t.bits(x); ok {
		if bits != 0 {
			return t.yes
		}
		return t.no
	}
	return x
}

func (t *terms) truth(c term) (value, known bool) { return c == t.yes, c == t.yes || c == t.no }

func (t *terms) compare(c ir.Cond, a, b term) term { return t.make(tagCompare, uint64(c), a, b) }

func (t *terms) not(c term) term {
	if y, ok := t.is(c, tagNot); ok {
		return y
	}
	return t.make(tagNot, 0, c)
}

func (t *terms) always() term { return t.yes }

func (t *terms) and(a, b term) term {
	switch {
	case a == t.yes || b == t.no || a == b:
		return b
	case b == t.yes || a == t.no:
		return a
	}
	return t.make(tagAnd, 0, min(a, b), max(a, b))
}

func (t *terms) choose(c, a, b term) term {
	if d, ok := t.is(c, tagNot); ok && c != t.no {
		c, a, b = d, b, a
	}
	switch {
	case a == b || c == t.yes:
		return a
	case c == t.no:
		return b
	}
	return t.make(tagChoose, 0, c, a, b)
}

func (t *terms) vertices() int { return 1 }

func (t *terms) interpolate(k interpolation, v []term) term {
	return t.call(tagInterpolate, uint64(k), v)
}

func (t *terms) same(a, b term) bool { return a == b }

func (t *terms) id(x term) uint64 { return uint64(x) }

func (t *terms) trips(term) int { return 0 }

// computed marks comparisons in partial precision; all else carries it in its name.
func (t *terms) computed(x term, in *ir.Instr) term {
	if in.Op == ir.OpSetp && in.Mods&ir.Half != 0 {
		return t.make(tagHalf, 0, x)
	}
	return x
}

// refines reports whether a program may compute after where it computed before:
// the same term, but for partial precision, which may be dropped and never added.
func (t *terms) refines(before, after term, seen map[[2]term]bool) bool {
	if before == after {
		return true
	}
	key := [2]term{before, after}
	if r, ok := seen[key]; ok {
		return r
	}
	b, a := t.nodes[before], t.nodes[after]
	if b.shape != a.shape {
		return false
	}
	r := b.tag == a.tag && b.num == a.num && (b.aux == a.aux || withoutHalf(b.tag, b.aux) == a.aux)
	if r {
		x, y := t.operands(before), t.operands(after)
		for i := range x {
			r = r && t.refines(x[i], y[i], seen)
		}
	}
	if x, ok := t.is(before, tagHalf); ok && !r {
		r = t.refines(x, after, seen)
	}
	seen[key] = r
	return r
}

// weight implements weigher.
func (t *terms) weight() int { return 48*len(t.nodes) + 4*len(t.args) + 4*len(t.table) }
