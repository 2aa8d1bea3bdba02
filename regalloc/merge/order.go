package merge

import (
	"container/heap"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// eachBlock calls visit for the runs of instructions in r, and in the regions within,
// that nothing divides: constructs and effects keep their places, and code does not
// move across them.
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

// keepsOrder reports whether in stays in order with the others of its kind: what sets or
// reads the one address register, and writes that depend on a condition, whose old value
// lives where the new one goes.
func keepsOrder(in *ir.Instr) bool {
	if in.IsPredicated() || in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special) || in.Op == ir.OpLoad {
		return true
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && l.V.Def != nil && l.V.Def.Op == ir.OpLoad {
				return true
			}
		}
	}
	return false
}

// reorder puts all straight-line code of f in order, asking step before each block that
// changes. It reports false where that says no. A block may be put in any order that
// keeps definitions before uses: pure instructions have no other dependences, reads of
// memory included, as their state is an operand and no store is in the block.
func reorder(f *ir.Func, step passes.Grant) bool {
	block := make([]int32, f.NumValues()) // that defines a value
	beyond := make([]bool, f.NumValues()) // by value: read outside that block
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

// lister puts a block in an order in which fewer values are live at a time. It works
// upwards: of what only placed instructions wait for, it places the one that adds least
// to what is live before it (its operands that are not live yet, less what it defines);
// of equals the one that stood last, so that nothing moves without reason.
type lister struct {
	// code is the block.
	code []*ir.Instr
	// index is the place of an instruction in it.
	index map[*ir.Instr]int32
	waits []int32   // by instruction: readers in the block that are not placed yet
	feeds [][]int32 // by instruction: those of the block that it reads, each once
	// readers are the instructions of the block that read a value, in order.
	readers map[*ir.Value][]int32
	// live is what is live before the instructions placed so far, from the end of the block.
	live map[*ir.Value]bool
	// placed tells which are.
	placed []bool
	// queue are the candidates; entries may be stale, see candidate.
	queue candidates
	seen  []*ir.Value // scratch
}

// candidate is an instruction that can be placed, and what that adds to what is live, or
// once did: when it adds less, it is entered again.
type candidate struct {
	at, grows int32
}

// candidates are a heap, the one to place next on top.
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

// reads calls f for what in reads, or hands over, other than leaves.
func reads(in *ir.Instr, f func(v *ir.Value)) {
	in.EachUse(func(l *ir.Lane) {
		if !l.V.IsLeaf() {
			f(l.V)
		}
	})
}

// order returns code in the order found. after tells, by ID, what is live behind it. It
// takes O(n log n) but for values that many instructions read: each enters its waiting
// readers anew once, when it becomes live.
func order(code []*ir.Instr, after []bool) []*ir.Instr {
	n := len(code)
	l := &lister{code: code, index: make(map[*ir.Instr]int32, n), waits: make([]int32, n), feeds: make([][]int32, n),
		readers: map[*ir.Value][]int32{}, live: map[*ir.Value]bool{}, placed: make([]bool, n)}
	chain := int32(-1)
	for i, in := range code {
		at := int32(i)
		l.index[in] = at
		// feed notes that instruction at reads, or has to follow, instruction d.
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
		// These keep their order among each other.
		if keepsOrder(in) {
			if chain >= 0 {
				feed(chain)
			}
			chain = at
		}
	}
	// What the block reads and something behind it, too, is live from the start.
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
	// From the last place to the first.
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
			for _, r := range l.readers[v] { // they add less now
				if !l.placed[r] && l.waits[r] == 0 {
					heap.Push(&l.queue, candidate{r, l.grows(r)})
				}
			}
		})
		// Its operands have one reader less to wait for.
		for _, d := range l.feeds[c.at] {
			if l.waits[d]--; l.waits[d] == 0 {
				heap.Push(&l.queue, candidate{d, l.grows(d)})
			}
		}
	}
	return out
}

// grows is what placing an instruction adds to what is live.
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
