package unroll

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// maxCells bounds the values that are computed to follow a loop.
const maxCells = 1 << 22

// trips returns the number of complete trips of the loop in, if it follows from literals: the test
// is computed trip by trip. The test may be any computation (a shift, a table of comparisons), as
// only its value counts. It is computed with the rules of constant folding, so that no trip depends
// on a choice of the hardware.
func (e *exit) trips(in *ir.Instr, most int) (int, error) {
	if e.test.V == nil {
		return 0, nil
	}
	t, known := newTrial(in, e.test.V)
	if !known {
		return 0, fmt.Errorf("its trip count is not known")
	}
	most = min(most, maxCells/max(1, len(t.code)))
	next := make([]uint32, len(t.carried))
	for n := 0; n <= most; n++ {
		t.run(t.code[:t.head])
		if t.words[t.slot[e.test.V]] != 0 == (e.test.Mod&ir.Not == 0) && t.exact.Fold {
			return n, nil
		}
		if t.run(t.code[t.head:]); !t.exact.Fold {
			return 0, fmt.Errorf("its trip count cannot be computed")
		}
		for i, k := range t.carried {
			next[i] = t.words[t.slot[t.body.Results[k]]]
		}
		for i, k := range t.carried {
			t.words[t.slot[t.body.Params[k]]] = next[i]
		}
	}
	return 0, fmt.Errorf("it makes more than %d trips", most)
}

// trial computes a loop's test with literals. words has a slot for each value that the test depends
// on, in this trip or a later one. Carried values are updated after every trip.
type trial struct {
	body    *ir.Region
	carried []int             // indices of the carried values that the test depends on
	slot    map[*ir.Value]int // index of a value in words
	words   []uint32
	code    []cell // in order of computation
	head    int    // the number of cells that compute the test
	exact   ir.Words
}

// cell computes a value.
type cell struct {
	v    *ir.Value
	slot int
	from [][4]int // the slots that it reads, by source and lane
}

// newTrial collects the values that test depends on, in this trip or a later trip of the loop in.
// It fails unless all are computed from literals. A visit to a carried value may add others, so the
// list grows during the walk.
func newTrial(in *ir.Instr, test *ir.Value) (t *trial, known bool) {
	t = &trial{body: in.Sub[0], slot: map[*ir.Value]int{}, exact: ir.Words{Fold: true}}
	index := map[*ir.Value]int{}
	for k, p := range t.body.Params {
		index[p] = k
	}
	known = true
	place := func(v *ir.Value, bits uint32) {
		t.slot[v] = len(t.words)
		t.words = append(t.words, bits)
	}
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		if _, seen := t.slot[v]; seen || !known {
			return
		}
		if affine.IsLiteral(v) {
			place(v, v.Bits)
			return
		}
		if k, ok := index[v]; ok {
			start := affine.Origin(in.Args[k])
			known = affine.IsLiteral(start)
			place(v, start.Bits)
			t.carried = append(t.carried, k)
			return
		}
		x := v.Def
		if known = x != nil && x.Op.HasFormula() && x.Mods&^ir.Half == 0 && !x.IsPredicated() &&
			!x.Op.Has(ir.Convergent); !known {
			return
		}
		c := cell{v: v, from: make([][4]int, len(x.Src))}
		for s := range x.Src {
			reads := x.ReadsFor(s, 1<<v.Lane)
			x.Src[s].EachLane(func(i int, l *ir.Lane) {
				if reads>>i&1 != 0 {
					known = known && l.Mod&ir.Not == 0
					visit(l.V)
					c.from[s][i] = t.slot[l.V]
				}
			})
		}
		c.slot = len(t.words)
		place(v, 0)
		t.code = append(t.code, c)
	}
	visit(test)
	t.head = len(t.code)
	for i := 0; i < len(t.carried); i++ {
		visit(t.body.Results[t.carried[i]])
	}
	return t, known
}

// run computes code in the current trip.
func (t *trial) run(code []cell) {
	for i := range code {
		c := &code[i]
		in := c.v.Def
		t.words[c.slot] = ir.Eval(&t.exact, in.Op, int(c.v.Lane), func(s, lane int) uint32 {
			x := t.words[c.from[s][lane]]
			mod := in.Src[s][lane].Mod
			if mod&ir.Abs != 0 {
				x &^= 1 << 31
			}
			if mod&ir.Neg != 0 {
				x ^= 1 << 31
			}
			return x
		})
	}
}
