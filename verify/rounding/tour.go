package rounding

import "slices"

// tour takes versions of a pair to points of the box, one after the other. Terms that were met over the
// box, or at the point before, are evaluated again there, which costs less than a walk, unless the
// programs might take another way: then they are walked through.
type tour struct {
	*Analyzer
	hw     *Arithmetic
	steady bool
	pairs  []*Pair
	graph  *graph
	found  []*outcome // of pairs, at the last point
	fixed  bool       // the programs may only take another way where a decision is another
	walks  int
}

// tour begins with what was found of pairs over the box. Steady has textures be the same all
// over.
func (a *Analyzer) tour(hw *Arithmetic, steady bool, pairs []*Pair, box []*outcome) *tour {
	t := &tour{Analyzer: a, hw: hw, steady: steady, pairs: pairs, found: slices.Clone(box)}
	if t.plan(); !t.fixed {
		return t
	}
	var refs []*ref
	for i, o := range box {
		t.found[i] = &outcome{outs: slices.Clone(o.outs), met: slices.Clone(o.met), turns: slices.Clone(o.turns)}
		refs = t.found[i].reads(refs)
	}
	t.graph = a.blank(hw, steady, 0)
	a.whole.extract(t.graph, refs)
	return t
}

// plan sees whether what was found will do elsewhere.
func (t *tour) plan() {
	t.fixed = !slices.ContainsFunc(t.found, func(o *outcome) bool { return o.steered || o.long })
}

// visit goes on to a point, or the box for 0.
func (t *tour) visit(point int) (err error) {
	if t.fixed && t.again(point) {
		return nil
	}
	t.walks++
	t.end()
	t.graph = t.blank(t.hw, t.steady, point)
	for i, p := range t.pairs {
		if t.found[i], err = t.walk(p, t.graph); err != nil {
			return err
		}
	}
	t.plan()
	return nil
}

// again does at another point what was done at the last one, and reports whether the same is done there:
// every decision falls the same way, and squares are squares.
func (t *tour) again(point int) bool {
	t.graph.point = uint64(point)
	if !t.graph.reevaluate() {
		return false
	}
	for _, o := range t.found {
		for _, x := range o.turns {
			if t.graph.at(x.at).way() != x.way {
				return false
			}
		}
		o.settle(t.graph)
	}
	return true
}

// end gives back the memory of t.
func (t *tour) end() { t.graph.release() }

// turn is a term that decides which way a walk goes, and how it decided.
type turn struct {
	at ref
	way
}

// way is what a decision depends on: a count by its number, a condition by being sure or not.
type way struct {
	sure, never, exact bool
	number             float64
}

func (v *value) way() way { return way{v.sure(), v.never(), v.err == 0, v.lo} }

// reads adds the terms whose values a walk asks for.
func (o *outcome) reads(list []*ref) []*ref {
	for i := range o.outs {
		list = append(list, &o.outs[i].at)
	}
	for i := range o.turns {
		list = append(list, &o.turns[i].at)
	}
	for i := range o.met {
		for k := range o.met[i].at {
			list = append(list, &o.met[i].at[k])
		}
	}
	return list
}

// settle notes the values of what a walk met.
func (o *outcome) settle(g *graph) {
	for i := range o.outs {
		x := &o.outs[i]
		if x.value = *g.at(x.at); o.long {
			x.value = unlimited()
		}
	}
	if o.sunk == nil {
		o.sunk = make(map[sinkKey]sunk, len(o.met))
	}
	clear(o.sunk)
	for i := range o.met {
		m := &o.met[i]
		if s := m.value(g); o.sunk[m.sinkKey].err <= s.err {
			o.sunk[m.sinkKey] = s
		}
	}
}
