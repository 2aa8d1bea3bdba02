package unroll

import (
	"fmt"

	"github.com/shaderlift/shaderlift/ir"
)

// exit is the one break by which a loop ends.
type exit struct {
	at   int // index of the break in the body
	br   *ir.Instr
	test ir.Lane // what it breaks on; without a value it breaks always
}

// onlyExit finds the break of a loop that no register counts, if it has one alone, at
// the top level of its body.
func onlyExit(in *ir.Instr) (*exit, error) {
	e := &exit{at: -1}
	for i, x := range in.Sub[0].Code {
		switch {
		case x.Op == ir.OpBreak && e.at >= 0:
			return nil, fmt.Errorf("it has several exits")
		case x.Op == ir.OpBreak && x.Cond != ir.CondNone, leaves(x):
			return nil, fmt.Errorf("it is left from within a branch")
		case x.Op == ir.OpBreak:
			e.at, e.br = i, x
		}
	}
	if e.at < 0 {
		return nil, fmt.Errorf("it never ends")
	}
	if len(e.br.Src) > 0 {
		e.test = e.br.Src[0][0]
	}
	return e, nil
}

// leaves reports whether a branch holds a break of the loop around it.
func leaves(in *ir.Instr) bool {
	if in.Op != ir.OpIf {
		return false
	}
	for _, sub := range in.Sub {
		if breaks(sub) {
			return true
		}
	}
	return false
}

func breaks(r *ir.Region) bool {
	for _, in := range r.Code {
		if in.Op == ir.OpBreak || leaves(in) {
			return true
		}
	}
	return false
}

// trips is how often the body of the loop in runs to its end, where that follows from
// literals: the loop's test is computed trip by trip.
func (e *exit) trips(in *ir.Instr, most int) (int, error) {
	if e.test.V == nil {
		return 0, nil
	}
	t := &trial{body: in.Sub[0], now: map[*ir.Value]uint32{}, exact: ir.Words{Fold: true}}
	need, known := t.needs(e.test.V, in.Args)
	if !known {
		return 0, fmt.Errorf("its trip count is not known")
	}
	for n := 0; n <= most; n++ {
		clear(t.memo)
		if t.eval(e.test.V) != 0 == (e.test.Mod&ir.Not == 0) && t.exact.Fold {
			return n, nil
		}
		next := make([]uint32, len(need))
		for i, k := range need {
			next[i] = t.eval(t.body.Results[k])
		}
		if !t.exact.Fold {
			return 0, fmt.Errorf("its trip count cannot be computed")
		}
		for i, k := range need {
			t.now[t.body.Params[k]] = next[i]
		}
	}
	return 0, fmt.Errorf("it makes more than %d trips", most)
}

// trial computes a loop's test with literals.
type trial struct {
	body  *ir.Region
	now   map[*ir.Value]uint32 // what is carried into this trip
	memo  map[*ir.Value]uint32 // what was computed in it
	exact ir.Words
}

// needs lists the carried values that v depends on, now or on later trips, and sets
// them to what they are at first; it fails unless all that is literals.
func (t *trial) needs(v *ir.Value, first []*ir.Value) (need []int, known bool) {
	t.memo = map[*ir.Value]uint32{}
	index := map[*ir.Value]int{}
	for k, p := range t.body.Params {
		index[p] = k
	}
	seen := map[*ir.Value]bool{}
	known = true
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		if seen[v] || v.Kind == ir.Literal || !known {
			return
		}
		seen[v] = true
		if k, carried := index[v]; carried {
			start := origin(first[k])
			if known = isLiteral(start); known {
				t.now[v] = start.Bits
				need = append(need, k)
				visit(t.body.Results[k])
			}
			return
		}
		in := v.Def
		if known = in != nil && in.Op.HasFormula() && in.Mods&^ir.Half == 0 && !in.IsPredicated() && !in.Op.Has(ir.Convergent); !known {
			return
		}
		for s := range in.Src {
			reads := in.ReadsFor(s, 1<<v.Lane)
			in.Src[s].Each(func(i int, l *ir.Lane) {
				if reads>>i&1 != 0 {
					known = known && l.Mod&ir.Not == 0
					visit(l.V)
				}
			})
		}
	}
	visit(v)
	return need, known
}

// eval computes v in this trip.
func (t *trial) eval(v *ir.Value) uint32 {
	if v.Kind == ir.Literal {
		return v.Bits
	}
	if bits, ok := t.now[v]; ok {
		return bits
	}
	if bits, ok := t.memo[v]; ok {
		return bits
	}
	bits := ir.Eval(&t.exact, v.Def.Op, int(v.Lane), func(s, lane int) uint32 {
		l := v.Def.Src[s][lane]
		x := t.eval(l.V)
		if l.Mod&ir.Abs != 0 {
			x &^= 1 << 31
		}
		if l.Mod&ir.Neg != 0 {
			x ^= 1 << 31
		}
		return x
	})
	t.memo[v] = bits
	return bits
}
