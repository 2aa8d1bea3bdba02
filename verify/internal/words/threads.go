package words

import (
	"encoding/binary"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Threads holds the functions of the number of an invocation in its work group, as tables: one word for each
// invocation. A group has at most 1024 invocations, so that all of them are enumerated. Equal functions have
// equal tables. This decides each equality and each condition that depends on nothing else. All domains and
// both versions of a comparison share it, so that a function has the same number in all of them.
type Threads struct {
	n      int
	tables [][]uint32
	index  map[string]int
}

// NewThreads returns the functions of a group of n invocations.
func NewThreads(n int) *Threads { return &Threads{n: n, index: map[string]int{}} }

// Size returns the number of invocations.
func (t *Threads) Size() int { return t.n }

// Table returns the words of function k, one for each invocation.
func (t *Threads) Table(k int) []uint32 { return t.tables[k] }

// number returns the number of a function, which it adds if it is new.
func (t *Threads) number(table []uint32) int {
	key := make([]byte, 0, 4*len(table))
	for _, x := range table {
		key = binary.LittleEndian.AppendUint32(key, x)
	}
	k, known := t.index[string(key)]
	if !known {
		k = len(t.tables)
		t.index[string(key)], t.tables = k, append(t.tables, table)
	}
	return k
}

// conditionAux marks conditions among the names of functions.
const conditionAux = 1 << 40

// Thread returns the number of the invocation in its group.
func (w *Words[T]) Thread() T {
	table := make([]uint32, w.Threads.n)
	for t := range table {
		table[t] = uint32(t)
	}
	return w.function(table)
}

// function returns the value of a table.
func (w *Words[T]) function(table []uint32) T {
	if k := table[0]; !slices.ContainsFunc(table, func(x uint32) bool { return x != k }) {
		return w.Literal(k)
	}
	k := w.Threads.number(table)
	x := w.Opaque(symbolic.TagThread, uint64(k), nil)
	w.functions[w.ID(x)] = k
	return x
}

// holdsFor returns the condition that holds for the invocations whose word is not 0.
func (w *Words[T]) holdsFor(table []uint32) T {
	if k := table[0]; !slices.ContainsFunc(table, func(x uint32) bool { return (x != 0) != (k != 0) }) {
		return w.constant(k != 0)
	}
	k := w.Threads.number(table)
	c := w.Opaque(symbolic.TagThread, conditionAux|uint64(k), nil)
	w.conditions[w.ID(c)] = k
	return c
}

// functionOf returns the number of a word that is a function and no literal.
func (w *Words[T]) functionOf(x T) (k int, ok bool) {
	if w.Threads != nil {
		k, ok = w.functions[w.ID(x)]
	}
	return k, ok
}

// conditionOf returns the number of a condition that is a function and depends on the invocation.
func (w *Words[T]) conditionOf(c T) (k int, ok bool) {
	if w.Threads != nil {
		k, ok = w.conditions[w.ID(c)]
	}
	return k, ok
}

// Function returns the table of a word that is a function of the number of the invocation. A literal is one.
func (w *Words[T]) Function(x T) (table []uint32, ok bool) {
	if w.Threads == nil {
		return nil, false
	}
	if k, ok := w.functions[w.ID(x)]; ok {
		return w.Threads.tables[k], true
	}
	if bits, ok := w.Bits(x); ok {
		return slices.Repeat([]uint32{bits}, w.Threads.n), true
	}
	return nil, false
}

// Condition returns the table of a condition that is a function of the number of the invocation.
func (w *Words[T]) Condition(c T) (table []uint32, ok bool) {
	if w.Threads == nil {
		return nil, false
	}
	if k, ok := w.conditions[w.ID(c)]; ok {
		return w.Threads.tables[k], true
	}
	if holds, known := w.Truth(c); known {
		x := uint32(0)
		if holds {
			x = 1
		}
		return slices.Repeat([]uint32{x}, w.Threads.n), true
	}
	return nil, false
}

// May returns the invocations for which a conjunction may hold: its parts that are functions of their number
// hold.
func (w *Words[T]) May(c T) []uint32 {
	may := slices.Repeat([]uint32{1}, w.Threads.n)
	for _, p := range append([]Summand[T](nil), w.Split(symbolic.TagAnd, c, 0)...) {
		if table, ok := w.Condition(p.X); ok {
			may = both(may, table)
		}
	}
	return may
}

// both returns where two tables of conditions hold.
func both(a, b []uint32) []uint32 {
	c := make([]uint32, len(a))
	for t := range c {
		if a[t] != 0 && b[t] != 0 {
			c[t] = 1
		}
	}
	return c
}

// inverted returns where a condition does not hold.
func inverted(a []uint32) []uint32 {
	c := make([]uint32, len(a))
	for t := range c {
		if a[t] == 0 {
			c[t] = 1
		}
	}
	return c
}

// tabulated computes a lane of an op on words from functions of the number of the invocation.
func (w *Words[T]) tabulated(in *ir.Instr, lane int, src *symbolic.Sources[T]) (x T, ok bool) {
	if w.Threads == nil || !in.Op.Has(ir.OnWords) || in.Mods != 0 {
		return x, false
	}
	var tables [4][4][]uint32
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				if tables[s][i], ok = w.Function(src[s][i]); !ok {
					return x, false
				}
			}
		}
	}
	table := make([]uint32, w.Threads.n)
	for t := range table {
		all := ir.Words{Fold: true}
		table[t] = ir.Eval(&all, in.Op, lane, func(s, l int) uint32 { return tables[s][l][t] })
		if !all.Fold {
			return x, false
		}
	}
	return w.function(table), true
}

// gathered replaces the functions of the number of the invocation in a polynomial by one function that is 0 for
// the first invocation. It returns the whole value if nothing else is left.
func (w *Words[T]) gathered(k uint32, parts []Summand[T]) (uint32, []Summand[T], *T) {
	var sum []uint32
	rest := make([]Summand[T], 0, len(parts))
	for _, p := range parts {
		f, ok := w.functions[p.id]
		if !ok {
			rest = append(rest, p)
			continue
		}
		if sum == nil {
			sum = make([]uint32, w.Threads.n)
		}
		for t, x := range w.Threads.tables[f] {
			sum[t] += p.By * x
		}
	}
	if sum == nil {
		return k, parts, nil
	}
	first := sum[0]
	if len(rest) == 0 {
		first = -k
	}
	for t := range sum {
		sum[t] -= first
	}
	x := w.function(sum)
	if len(rest) == 0 {
		return 0, nil, &x
	}
	if _, zero := w.Bits(x); !zero {
		rest = merged(rest, []Summand[T]{{x, w.ID(x), 1}}, 0)
	}
	return k + first, rest, nil
}

// oneCondition replaces the conditions of a conjunction that are functions of the number of the invocation by
// one. It returns nothing if that never holds.
func (w *Words[T]) oneCondition(parts []Summand[T]) []Summand[T] {
	var all []uint32
	rest := make([]Summand[T], 0, len(parts))
	for _, p := range parts {
		k, ok := w.conditions[p.id]
		switch {
		case !ok:
			rest = append(rest, p)
		case all == nil:
			all = w.Threads.tables[k]
		default:
			all = both(all, w.Threads.tables[k])
		}
	}
	if all == nil {
		return parts
	}
	c := w.holdsFor(all)
	if _, known := w.Truth(c); known { // conditions that always hold are not parts
		return nil
	}
	return merged(rest, []Summand[T]{{c, w.ID(c), 1}}, 0)
}

// chosen computes a choice between functions of the number of the invocation. For other choices by such a
// function, it exchanges the sides so that the condition holds for the first invocation.
func (w *Words[T]) chosen(c, a, b *T) (x T, ok bool) {
	k, ok := w.conditionOf(*c)
	if !ok {
		return x, false
	}
	holds := w.Threads.tables[k]
	p, okP := w.Function(*a)
	q, okQ := w.Function(*b)
	if okP && okQ {
		table := slices.Clone(q)
		for t := range table {
			if holds[t] != 0 {
				table[t] = p[t]
			}
		}
		return w.function(table), true
	}
	if holds[0] == 0 {
		*c, *a, *b = w.holdsFor(inverted(holds)), *b, *a
	}
	return x, false
}
