package symbolic

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Term is a node of a hash-consed DAG: equal numbers are equal terms (Ershov, 1958; value numbering). It is
// an index into Terms.nodes, valid only there; 0 is not a term.
type Term int32

// Terms is the domain of uninterpreted terms. Beyond equality it applies the laws that hold bit by bit
// under every numerics: mov copies, signs cancel, sums and products of two commute, saturation follows the
// operation and is idempotent. It does not apply associativity or distributivity, which roundings break, or
// x+0 = x, which fails for -0.
//
// Nodes are never removed. Creating one costs a lookup in a hash table, so a walk is linear in the number
// of executed instructions.
type Terms struct {
	nodes []termNode
	// args holds the operands of all nodes one after the other.
	args  []Term
	table []slot // open addressing
	yes   Term
	no    Term
	// buf is scratch memory of Apply: four lanes of three operands.
	buf [12]Term
}

// slot is an entry of the hash table, empty if the term is 0. It stores half of the term's hash, which
// avoids reading the nodes of other terms.
type slot struct {
	x    Term
	hash uint32
}

type termNode struct {
	tag        Tag
	aux        uint64
	first, num int32 // in args
	// shape is the term without any partial precision.
	shape Term
}

// NewTerms returns a domain with only the terms of constant conditions.
func NewTerms() *Terms {
	t := &Terms{nodes: make([]termNode, 1, 1024), table: make([]slot, 2048)}
	t.yes = t.makeTerm(TagOp, ^uint64(0))
	t.no = t.makeTerm(TagNot, 0, t.yes)
	return t
}

func (t *Terms) makeTerm(tg Tag, aux uint64, args ...Term) Term { return t.Opaque(tg, aux, args) }

// Operands returns the operands of x. The slice belongs to the domain.
func (t *Terms) Operands(x Term) []Term {
	n := &t.nodes[x]
	return t.args[n.first : n.first+n.num : n.first+n.num]
}

// Tag returns the kind of the function of x.
func (t *Terms) Tag(x Term) Tag { return t.nodes[x].tag }

// Aux returns the name of the function of x within its kind.
func (t *Terms) Aux(x Term) uint64 { return t.nodes[x].aux }

// Shape returns x without any partial precision.
func (t *Terms) Shape(x Term) Term { return t.nodes[x].shape }

// Never returns the condition that does not hold.
func (t *Terms) Never() Term { return t.no }

// OperandOf reports whether x is an application of tg, and returns its first operand.
func (t *Terms) OperandOf(x Term, tg Tag) (Term, bool) {
	n := &t.nodes[x]
	if n.tag != tg || n.num == 0 {
		return 0, false
	}
	return t.args[n.first], true
}

// Opaque implements Domain: it finds the node or creates it.
func (t *Terms) Opaque(tg Tag, aux uint64, args []Term) Term {
	h := Mix(aux ^ uint64(tg)<<56)
	for _, a := range args {
		h = Mix(h + uint64(a))
	}
	mask, hash := uint64(len(t.table)-1), uint32(h)
	i := uint64(hash) & mask
	for ; t.table[i].x != 0; i = (i + 1) & mask {
		if t.table[i].hash != hash {
			continue
		}
		n := &t.nodes[t.table[i].x]
		if n.tag == tg && n.aux == aux && slices.Equal(t.args[n.first:n.first+n.num], args) {
			return t.table[i].x
		}
	}
	x := Term(len(t.nodes))
	t.nodes = append(t.nodes, termNode{tg, aux, int32(len(t.args)), int32(len(args)), x})
	t.args = append(t.args, args...)
	t.table[i] = slot{x, hash}
	if 2*len(t.nodes) > len(t.table) {
		t.grow()
	}
	t.reshape(x)
	return x
}

// reshape computes the shape of a new term from the shapes of its operands, and may create that term. Terms
// of one shape are the same function up to partial precision.
func (t *Terms) reshape(x Term) {
	n := t.nodes[x]
	if n.tag == TagHalf {
		y, _ := t.OperandOf(x, TagHalf)
		t.nodes[x].shape = t.nodes[y].shape
		return
	}
	aux := WithoutHalf(n.tag, n.aux)
	plain := aux == n.aux
	for _, a := range t.Operands(x) {
		plain = plain && t.nodes[a].shape == a
	}
	if plain {
		return
	}
	args := make([]Term, n.num)
	for i, a := range t.Operands(x) {
		args[i] = t.nodes[a].shape
	}
	t.nodes[x].shape = t.Opaque(n.tag, aux, args)
}

// WithoutHalf returns the name of a function in full precision.
func WithoutHalf(tg Tag, aux uint64) uint64 {
	switch tg {
	case TagOp:
		return aux &^ opHalf
	case TagFetch:
		return aux &^ FetchHalf
	case tagInterpolate:
		return aux &^ uint64(InterpHalf)
	}
	return aux
}

// grow doubles the hash table, and reserves space for as many nodes.
func (t *Terms) grow() {
	old := t.table
	t.table = make([]slot, 2*len(old))
	t.nodes = slices.Grow(t.nodes, len(old)+1-len(t.nodes))
	t.args = slices.Grow(t.args, len(t.args))
	mask := uint64(len(t.table) - 1)
	for _, s := range old {
		if s.x == 0 {
			continue
		}
		i := uint64(s.hash) & mask
		for t.table[i].x != 0 {
			i = (i + 1) & mask
		}
		t.table[i] = s
	}
}

// Literal implements Domain.
func (t *Terms) Literal(bits uint32) Term { return t.Opaque(TagBits, uint64(bits), nil) }

// Bits implements Domain.
func (t *Terms) Bits(x Term) (uint32, bool) {
	n := &t.nodes[x]
	return uint32(n.aux), n.tag == TagBits
}

// Modify implements Domain.
func (t *Terms) Modify(x Term, m ir.LaneMod) Term {
	if m&ir.Abs != 0 {
		x = t.abs(x)
	}
	if m&ir.Neg != 0 {
		x = t.neg(x)
	}
	if m&ir.Not != 0 {
		x = t.Not(x)
	}
	return x
}

func (t *Terms) neg(x Term) Term {
	if bits, ok := t.Bits(x); ok {
		return t.Literal(bits ^ SignBit)
	}
	if y, ok := t.OperandOf(x, TagNeg); ok {
		return y
	}
	return t.makeTerm(TagNeg, 0, x)
}

func (t *Terms) abs(x Term) Term {
	if bits, ok := t.Bits(x); ok {
		return t.Literal(bits &^ SignBit)
	}
	if y, ok := t.OperandOf(x, TagNeg); ok {
		x = y
	}
	if _, ok := t.OperandOf(x, TagAbs); ok {
		return x
	}
	return t.makeTerm(TagAbs, 0, x)
}

// Saturate implements Domain.
func (t *Terms) Saturate(x Term) Term {
	if _, ok := t.OperandOf(x, TagSat); ok {
		return x
	}
	return t.makeTerm(TagSat, 0, x)
}

// Apply names a lane of an op by its operands. A lane of a lanewise op, and a replicated result, are the
// same function in every lane, so a swizzled program has the same terms. The name of a positional op
// includes the lane. Lanes are read in order, x of all sources first.
func (t *Terms) Apply(in *ir.Instr, lane int, src *Sources[Term]) Term {
	half := in.Mods&ir.Half != 0
	var x Term
	switch {
	case in.Op == ir.OpMov && half:
		x = t.makeTerm(TagHalf, 0, src[0][lane])
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
		x = t.Opaque(TagOp, aux, args)
	}
	if in.Mods&ir.Sat != 0 {
		x = t.Saturate(x)
	}
	return x
}

// opHalf marks an op computed in partial precision.
const opHalf = 1 << 16

// order sorts two factors or summands into an order that does not depend on their positions.
func (t *Terms) order(x []Term) {
	a, b := t.nodes[x[0]].shape, t.nodes[x[1]].shape
	if a > b || a == b && x[0] > x[1] {
		x[0], x[1] = x[1], x[0]
	}
}

// Boolean implements Domain.
func (t *Terms) Boolean(x Term) Term {
	if bits, ok := t.Bits(x); ok {
		if bits != 0 {
			return t.yes
		}
		return t.no
	}
	return x
}

// Truth implements Domain.
func (t *Terms) Truth(c Term) (value, known bool) { return c == t.yes, c == t.yes || c == t.no }

// Compare implements Domain.
func (t *Terms) Compare(c ir.Cond, a, b Term) Term { return t.makeTerm(TagCompare, uint64(c), a, b) }

// Not implements Domain.
func (t *Terms) Not(c Term) Term {
	if y, ok := t.OperandOf(c, TagNot); ok {
		return y
	}
	return t.makeTerm(TagNot, 0, c)
}

// Always implements Domain.
func (t *Terms) Always() Term { return t.yes }

// And implements Domain: commutative and idempotent.
func (t *Terms) And(a, b Term) Term {
	switch {
	case a == t.yes || b == t.no || a == b:
		return b
	case b == t.yes || a == t.no:
		return a
	}
	return t.makeTerm(TagAnd, 0, min(a, b), max(a, b))
}

// Choose implements Domain. It replaces a negated condition by exchanging the alternatives, so that an
// if-else has one term in either form.
func (t *Terms) Choose(c, a, b Term) Term {
	if d, ok := t.OperandOf(c, TagNot); ok && c != t.no {
		c, a, b = d, b, a
	}
	switch {
	case a == b || c == t.yes:
		return a
	case c == t.no:
		return b
	}
	return t.makeTerm(TagChoose, 0, c, a, b)
}

// Vertices implements Domain.
func (t *Terms) Vertices() int { return 1 }

// Interpolate implements Domain.
func (t *Terms) Interpolate(k Interpolation, v []Term) Term {
	return t.Opaque(tagInterpolate, uint64(k), v)
}

// Same implements Domain.
func (t *Terms) Same(a, b Term) bool { return a == b }

// ID implements Domain.
func (t *Terms) ID(x Term) uint64 { return uint64(x) }

// Trips implements Domain.
func (t *Terms) Trips(Term) int { return 0 }

// Computed marks comparisons in partial precision; other terms have it in their names.
func (t *Terms) Computed(x Term, in *ir.Instr) Term {
	if in.Op == ir.OpSetp && in.Mods&ir.Half != 0 {
		return t.makeTerm(TagHalf, 0, x)
	}
	return x
}

// Refines reports whether after may replace before: the same term, except that partial precision may be
// dropped but not added. seen caches pairs, so each is compared once.
func (t *Terms) Refines(before, after Term, seen map[[2]Term]bool) bool {
	if before == after {
		return true
	}
	key := [2]Term{before, after}
	if r, ok := seen[key]; ok {
		return r
	}
	b, a := t.nodes[before], t.nodes[after]
	if b.shape != a.shape {
		return false
	}
	r := b.tag == a.tag && b.num == a.num && (b.aux == a.aux || WithoutHalf(b.tag, b.aux) == a.aux)
	if r {
		x, y := t.Operands(before), t.Operands(after)
		for i := range x {
			r = r && t.Refines(x[i], y[i], seen)
		}
	}
	if x, ok := t.OperandOf(before, TagHalf); ok && !r {
		r = t.Refines(x, after, seen)
	}
	seen[key] = r
	return r
}

// Weight implements Weigher.
func (t *Terms) Weight() int { return 48*len(t.nodes) + 4*len(t.args) + 4*len(t.table) }
