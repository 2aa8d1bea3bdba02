package merge

import (
	"container/heap"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// eachBlock calls visit for each maximal run of movable instructions in r and in its nested
// regions. Constructs and effects separate the runs; code does not move across them.
func eachBlock(r *ir.Region, visit func(code []*ir.Instr)) {
	from := 0
	for i, in := range r.Code {
		if !divides(in) {
			continue
		}
		visit(r.Code[from:i])
		for _, sub := range in.Sub {
			eachBlock(sub, visit)
		}
		from = i + 1
	}
	visit(r.Code[from:])
}

// divides reports whether nothing moves across in: constructs, stores, fences, texkill.
func divides(in *ir.Instr) bool { return in.Op.Has(ir.Structured) || in.Op.Has(ir.Effect) }

// keepsOrder reports whether in keeps its order among the others of its kind. It holds for
// instructions that set or read the one address register. It also holds for predicated writes,
// whose old value has the register of the new one.
func keepsOrder(in *ir.Instr) bool {
	if in.IsPredicated() || in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special) || in.Op == ir.OpLoad {
		return true
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && l.V.IsLoaded() {
				return true
			}
		}
	}
	return false
}

// reorder reorders all straight-line code of f, asking step before each block that changes. It
// returns false if step refuses. Any order of a block that keeps definitions before uses is valid.
// Pure instructions have no other dependences. This includes reads of memory: their state is an
// operand, and the block contains no store.
func reorder(f *ir.Func, step passes.Grant) bool {
	block := make([]int32, f.NumValues()) // the block that defines a value
	beyond := make([]bool, f.NumValues()) // by value: read outside its block
	n := int32(0)
	eachBlock(f.Body, func(code []*ir.Instr) {
		n++
		for _, in := range code {
			in.EachDef(func(v *ir.Value) { block[v.ID] = n })
		}
	})
	n = 0
	see := func(at int32, in *ir.Instr) {
		reads(in, func(v *ir.Value) { beyond[v.ID] = beyond[v.ID] || block[v.ID] != at })
	}
	eachBlock(f.Body, func(code []*ir.Instr) {
		n++
		for _, in := range code {
			see(n, in)
		}
	})
	f.Walk(func(in *ir.Instr) {
		if divides(in) {
			see(-1, in)
		}
	})
	for _, o := range f.Outs {
		beyond[o.V.ID] = true
	}
	goOn := true
	eachBlock(f.Body, func(code []*ir.Instr) {
		if !goOn {
			return
		}
		better := order(code, beyond)
		if !slices.Equal(better, code) {
			if goOn = step(code[0], "reordered", "leads a block that is put in another order"); goOn {
				copy(code, better)
			}
		}
	})
	return goOn
}

// lister orders a block so that fewer values are live at a time. It works upwards. Among the
// instructions whose readers are all placed, it places the one that adds least to the values live
// before it. The addition is the number of its operands that are not live yet, minus its results.
// Ties go to the last one in the original order, so that nothing moves without reason.
type lister struct {
	// code is the block.
	code []*ir.Instr
	// index is the position of an instruction in code.
	index map[*ir.Instr]int32
	waits []int32   // by instruction: readers in the block that are not placed yet
	feeds [][]int32 // by instruction: the instructions of the block that it reads, each once
	// readers lists the instructions of the block that read a value, in order.
	readers map[*ir.Value][]int32
	// live is the set of values live before the instructions placed so far, from the end of the
	// block.
	live map[*ir.Value]bool
	// placed marks the placed instructions.
	placed []bool
	// queue holds the candidates; entries may be stale, see candidate.
	queue candidates
	seen  []*ir.Value // scratch
}

// candidate is an instruction that can be placed, with the number of values that this adds to the
// live set. The number may be stale: a candidate that adds fewer values is entered again.
type candidate struct {
	at, grows int32
}

// candidates is a heap with the next instruction to place on top.
type candidates []candidate

func (q candidates) Len() int { return len(q) }
func (q candidates) Less(i, j int) bool {
	if q[i].grows != q[j].grows {
		return q[i].grows < q[j].grows
	}
	return q[i].at > q[j].at
}
func (q candidates) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *candidates) Push(x any)   { *q = append(*q, x.(candidate)) }
func (q *candidates) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// reads calls f for the values, other than leaves, that in reads or passes on.
func reads(in *ir.Instr, f func(v *ir.Value)) {
	in.EachUse(func(l *ir.Lane) {
		if !l.V.IsLeaf() {
			f(l.V)
		}
	})
}

// order returns code in the new order. after marks, by ID, the values live after the block. Its
// cost is O(n log n), plus one queue entry for each waiting reader of a value that becomes live.
func order(code []*ir.Instr, after []bool) []*ir.Instr {
	n := len(code)
	l := &lister{code: code, index: make(map[*ir.Instr]int32, n), waits: make([]int32, n), feeds: make([][]int32, n),
		readers: map[*ir.Value][]int32{}, live: map[*ir.Value]bool{}, placed: make([]bool, n)}
	chain := int32(-1)
	for i, in := range code {
		at := int32(i)
		l.index[in] = at
		// feed records that instruction at depends on instruction d.
		feed := func(d int32) {
			if !slices.Contains(l.feeds[at], d) {
				l.feeds[at] = append(l.feeds[at], d)
				l.waits[d]++
			}
		}
		reads(in, func(v *ir.Value) {
			if list := l.readers[v]; len(list) == 0 || list[len(list)-1] != at {
				l.readers[v] = append(list, at)
			}
			if d, here := l.index[v.Def]; here && v.Def != nil {
				feed(d)
			}
		})
		in.EachDef(func(v *ir.Value) {
			if after[v.ID] {
				l.live[v] = true
			}
		})
		// These instructions keep their order.
		if keepsOrder(in) {
			if chain >= 0 {
				feed(chain)
			}
			chain = at
		}
	}
	// A value that is read both in the block and after it is live from the start.
	for v := range l.readers {
		if after[v.ID] {
			l.live[v] = true
		}
	}
	for i := range code {
		if l.waits[i] == 0 {
			heap.Push(&l.queue, candidate{int32(i), l.grows(int32(i))})
		}
	}
	out := make([]*ir.Instr, n)
	// Place from the last position to the first.
	for k := n - 1; k >= 0; {
		c := heap.Pop(&l.queue).(candidate)
		if l.placed[c.at] {
			continue
		}
		l.placed[c.at] = true
		out[k] = code[c.at]
		k--
		in := code[c.at]
		in.EachDef(func(v *ir.Value) { delete(l.live, v) })
		reads(in, func(v *ir.Value) {
			if l.live[v] {
				return
			}
			l.live[v] = true
			for _, r := range l.readers[v] { // they add fewer values now
				if !l.placed[r] && l.waits[r] == 0 {
					heap.Push(&l.queue, candidate{r, l.grows(r)})
				}
			}
		})
		// Its operands have one waiting reader less.
		for _, d := range l.feeds[c.at] {
			if l.waits[d]--; l.waits[d] == 0 {
				heap.Push(&l.queue, candidate{d, l.grows(d)})
			}
		}
	}
	return out
}

// grows returns the number of values that placing an instruction adds to the live set.
func (l *lister) grows(at int32) (n int32) {
	in := l.code[at]
	in.EachDef(func(*ir.Value) { n-- })
	l.seen = l.seen[:0]
	reads(in, func(v *ir.Value) {
		if !l.live[v] && !slices.Contains(l.seen, v) {
			l.seen = append(l.seen, v)
			n++
		}
	})
	return n
}
