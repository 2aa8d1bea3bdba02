package rounding

import "slices"

// tour evaluates versions of a pair at points of the box, one after the other. It evaluates the terms of
// the box or of the previous point again, which costs less than a walk. If the programs might take another
// path, tour executes them again.
type tour struct {
	*Analyzer
	hw     *Arithmetic
	steady bool
	pairs  []*Pair
	graph  *graph
	found  []*outcome // of pairs, at the last point
	fixed  bool       // only a different decision can change the path
	walks  int
}

// startTour returns a tour that starts with the outcomes of pairs over the box. If steady is set, textures are
// taken to be constant.
func (a *Analyzer) startTour(hw *Arithmetic, steady bool, pairs []*Pair, box []*outcome) *tour {
	t := &tour{Analyzer: a, hw: hw, steady: steady, pairs: pairs, found: slices.Clone(box)}
	if t.determineFixed(); !t.fixed {
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

// determineFixed determines whether the outcomes can be reevaluated at other points.
func (t *tour) determineFixed() {
	t.fixed = !slices.ContainsFunc(t.found, func(o *outcome) bool { return o.steered || o.long })
}

// visit moves to a point, or to the box for 0.
func (t *tour) visit(point int) (err error) {
	if t.fixed && t.again(point) {
		return nil
	}
	t.walks++
	t.releaseGraph()
	t.graph = t.blank(t.hw, t.steady, point)
	for i, p := range t.pairs {
		if t.found[i], err = t.executePair(p, t.graph); err != nil {
			return err
		}
	}
	t.determineFixed()
	return nil
}

// again reevaluates the last walk at another point. It reports whether the walk is the same there: every
// decision has the same result, and squares stay squares.
func (t *tour) again(point int) bool {
	t.graph.point = uint64(point)
	if !t.graph.reevaluate() {
		return false
	}
	for _, o := range t.found {
		for _, x := range o.turns {
			if t.graph.valueOf(x.at).decisionValue() != x.way {
				return false
			}
		}
		o.settle(t.graph)
	}
	return true
}

// releaseGraph releases the memory of t.
func (t *tour) releaseGraph() { t.graph.release() }

// turn is a term that decides the path of a walk, and its decision.
type turn struct {
	at ref
	way
}

// way is the value on which a decision depends: the number for a count, the certainty for a condition.
type way struct {
	sure, never, exact bool
	number             float64
}

func (v *value) decisionValue() way { return way{v.isTrue(), v.never(), v.err == 0, v.lo} }

// reads appends the terms whose values a walk needs.
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

// settle records the values of the terms that a walk met.
func (o *outcome) settle(g *graph) {
	for i := range o.outs {
		x := &o.outs[i]
		if x.value = *g.valueOf(x.at); o.long {
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
