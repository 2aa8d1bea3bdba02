package local

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// table holds the words of a value, one for each invocation of a group. As a mask, it holds 1 for each invocation that
// executes some code, else 0.
type table []uint32

// tables computes the values of a kernel that depend only on the number of an invocation in its group.
type tables struct {
	f    *ir.Func
	size int
	of   map[*ir.Value]table
}

// newTables returns the tables of f.
func newTables(f *ir.Func) *tables {
	t := &tables{f: f, size: int(f.Threads[0]), of: map[*ir.Value]table{}}
	f.Walk(func(in *ir.Instr) {
		for i, v := range in.Out {
			if v != nil && in.Op.HasFormula() && in.Op.Has(ir.OnWords) && in.Mods == 0 && in.Imm == 0 && !in.IsPredicated() {
				if words := t.lane(in, i); words != nil {
					t.of[v] = words
				}
			}
		}
	})
	return t
}

// value returns the table of v, or nil.
func (t *tables) value(v *ir.Value) table {
	switch v.Kind {
	case ir.Literal:
		return slices.Repeat(table{v.Bits}, t.size)
	case ir.Input:
		if _, added, ok := t.f.Dialect.Launch().Member(v.Home); ok && !added {
			words := make(table, t.size)
			for i := range words {
				words[i] = uint32(i)
			}
			return words
		}
	}
	return t.of[v]
}

// lane computes the table of a lane of in, or nil.
func (t *tables) lane(in *ir.Instr, lane int) table {
	var from [4][4]table
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i, l := range in.Src[s] {
			if reads>>i&1 == 0 {
				continue
			}
			if l.V == nil || l.Mod != 0 {
				return nil
			}
			if from[s][i] = t.value(l.V); from[s][i] == nil {
				return nil
			}
		}
	}
	words := make(table, t.size)
	for k := range words {
		algebra := ir.Words{Fold: true}
		words[k] = ir.Eval(&algebra, in.Op, lane, func(s, i int) uint32 { return from[s][i][k] })
		if !algebra.Fold {
			return nil
		}
	}
	return words
}

// condition returns the mask of a branch, or nil if its condition depends on something else.
func (t *tables) condition(in *ir.Instr) table {
	l := in.Src[0][0]
	if in.Cond != ir.CondNone || l.Mod&^ir.Not != 0 {
		return nil
	}
	words := t.value(l.V)
	if words == nil {
		return nil
	}
	mask := make(table, t.size)
	for k, x := range words {
		if (x != 0) == (l.Mod == 0) {
			mask[k] = 1
		}
	}
	return mask
}

// everyone returns the mask of all invocations.
func (t *tables) everyone() table { return slices.Repeat(table{1}, t.size) }

// and returns the invocations in both masks, without those in b if not is set. A nil mask b holds for an unknown part.
func (m table) and(b table, not bool) table {
	if b == nil {
		return m
	}
	both := make(table, len(m))
	for k := range both {
		if m[k] != 0 && (b[k] != 0) != not {
			both[k] = 1
		}
	}
	return both
}

// isEmpty reports whether a mask has no invocation.
func (m table) isEmpty() bool { return !slices.Contains(m, 1) }

// access returns the memory of in and the addresses of its lane, if in accesses local memory. The table is nil if they
// depend on something else.
func (t *tables) access(in *ir.Instr, lane int) (memory ir.Reg, at table) {
	l := in.Src[0][0]
	base := table(nil)
	unit, more, ok := t.f.Dialect.Launch().Words(in)
	if ok && l.Mod == 0 {
		base = t.value(l.V)
	}
	if base == nil {
		return in.Args[0].Home, nil
	}
	at = slices.Clone(base)
	for k := range at {
		at[k] = unit*(at[k]+more) + 4*uint32(lane)
	}
	return in.Args[0].Home, at
}

// isLocal reports whether in loads from or stores to local memory.
func (t *tables) isLocal(in *ir.Instr) bool {
	return (in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore) && t.f.Dialect.Launch().Grouped(in.Args[0].Home)
}
