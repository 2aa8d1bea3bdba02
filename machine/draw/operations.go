package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// addNode adds the operations of node i, after those of its operands, and returns its value.
func (w *grouper) addNode(i int32, n *node) operand {
	switch n.kind {
	case literal:
		return operand{value: -1, pair: -1, literal: true, word: n.bits}
	case uniform:
		return operand{value: -1, pair: int32(n.reg.File)<<24 | int32(n.reg.Index)<<1 | int32(n.reg.Comp>>1)}
	case add, mul:
		return w.addSum(i, n)
	case dot:
		return w.addDot(n)
	case call:
		return w.addCall(i, n)
	case choose:
		return w.choose(n)
	case load, joined:
		return w.op(w.operandsOf(n.args, 0)...)
	case branch:
		return w.op(w.operandOf(n.args[0], 0))
	case kill:
		w.addKill(n)
	case fetch:
		return w.fetch(n)
	case part:
		op := w.at[n.args[0].n].value // an operation, in the case of fetches
		x := w.value(op, int8(n.bits), settled)
		w.values[x.value].register = -2 - op
		return x
	}
	return w.at[i]
}

// addDot adds a dot product. If it takes one slot for each product, the first has the sum.
func (w *grouper) addDot(n *node) operand {
	half := len(n.args) / 2
	args := w.s.operands.Alloc(len(n.args))
	for k := range half { // by slot
		args[2*k], args[2*k+1] = w.operandOf(n.args[k], 0), w.operandOf(n.args[half+k], 0)
	}
	if !w.t.shortDots {
		return w.addValueOp(manySlots, fourLanes, args...)
	}
	i := w.addOp(manySlots, 1<<half-1, args...)
	w.lanes[0]++
	return w.value(i, 0, inLane)
}

// addSum adds an addition, with a product if one is fused into it (MULADD).
func (w *grouper) addSum(i int32, n *node) operand {
	if w.s.fused[i] || w.compared[i] {
		return nowhere
	}
	if n.kind == add {
		for k, a := range n.args {
			if m := &w.s.nodes[a.n]; m.kind == mul && w.s.fused[a.n] && a.mod&ir.Abs == 0 {
				return w.op(append(w.operandsOf(m.args, ofSums), w.operandOf(n.args[1-k], ofSums))...)
			}
		}
	}
	return w.op(w.operandsOf(n.args, 0)...)
}

func (w *grouper) addCall(i int32, n *node) operand {
	if w.tested[i] {
		return nowhere
	}
	if isComparison(n.prim) {
		return w.op(w.comparison(n)...)
	}
	args := w.operandsOf(n.args, 0)
	switch n.prim {
	case ir.PrimSat: // the operation that computes it clamps
		a := n.args[0]
		if k := w.s.nodes[a.n].kind; a.mod == 0 && w.s.uses[a.n] == 1 && args[0].value >= 0 && k != input && k != part {
			return args[0]
		}
	case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P:
		return w.addValueOp(functions, 0, args...)
	case ir.PrimSin, ir.PrimCos:
		// Another operation prepares the argument of a sine.
		return w.addValueOp(functions, 0, w.op(args...))
	case ir.PrimDsx, ir.PrimDsy:
		return w.gradient(i, n)
	}
	return w.op(args...)
}

// comparison returns the operands of a comparison: those of a sum if it is folded into the
// comparison.
func (w *grouper) comparison(n *node) []operand {
	if a := n.args[0]; w.compared[a.n] {
		return w.operandsOf(w.s.nodes[a.n].args, 0)
	}
	return w.operandsOf(n.args, 0)
}

// gradient adds a difference between neighbouring pixels. The texture units compute it for a whole
// register: one fetch for all components of an instruction.
func (w *grouper) gradient(i int32, n *node) operand {
	key := [2]int32{n.vector, int32(n.prim)}
	op, ok := w.gradients[key]
	if !ok {
		var set []arg
		for k := int(i); k < len(w.s.nodes) && w.s.nodes[k].vector == n.vector; k++ {
			if m := &w.s.nodes[k]; w.s.live[k] && m.kind == call && m.prim == n.prim {
				set = append(set, m.args[0])
			}
		}
		op = w.fetching([][]operand{w.signed(set)})
		w.gradients[key] = op
	}
	x := w.value(op, int8(n.lane&3), settled)
	w.values[x.value].register = -2 - op
	return x
}

// choose adds a conditional move. It includes a comparison with zero. Other comparisons compute a
// number first, and a choice between 1 and 0 is that number.
func (w *grouper) choose(n *node) operand {
	c := n.args[0]
	test, number := &w.s.nodes[c.n], w.s.isNumber(n)
	set := w.at[c.n]
	if w.tested[c.n] {
		if !number {
			of := test.args[0]
			if w.isZero(of) {
				of = test.args[1]
			}
			if !w.compared[of.n] {
				return w.op(w.operandOf(of, ir.Abs), w.operandOf(n.args[1], ofChoices), w.operandOf(n.args[2], ofChoices))
			}
		}
		var ok bool
		if set, ok = w.sets[c.n]; !ok {
			set = w.op(w.comparison(test)...)
			w.sets[c.n] = set
		}
	}
	if !number {
		return w.op(set, w.operandOf(n.args[1], ofChoices), w.operandOf(n.args[2], ofChoices))
	}
	if yes, _ := w.s.number(n.args[1]); (yes == 1) == (c.mod&ir.Not != 0) {
		set = w.op(set)
	}
	return w.op(set)
}

// addKill tests three components separately, if any of them ends the pixel.
func (w *grouper) addKill(n *node) {
	var sets, asked [3]operand
	for k := range sets {
		if k < len(n.args) {
			if a := n.args[k]; w.compared[a.n] {
				sets[k] = w.op(w.operandsOf(w.s.nodes[a.n].args, 0)...)
			} else {
				sets[k] = w.op(w.operandOf(a, 0))
			}
		} else {
			sets[k] = sets[k-1]
		}
	}
	lane := w.pickLane()
	for k := range asked {
		asked[k] = w.op(sets[k])
	}
	x := w.op(asked[0], asked[1])
	w.addOp(anySlot, 0, w.value(w.addOp(anySlot, 0, x, asked[2]), lane, loose))
}

// fetch adds a texture read. Coordinates must be in one register, and so must explicit gradients.
func (w *grouper) fetch(n *node) operand {
	sets := [][]arg{n.args}
	if n.op == ir.OpFetchGrad {
		k := len(n.args) / 3
		sets = [][]arg{n.args[:k], n.args[k : 2*k], n.args[2*k:]}
	}
	reads := make([][]operand, len(sets))
	for k, set := range sets {
		reads[k] = w.coordinates(n, w.signed(set))
	}
	op := w.fetching(reads)
	return operand{value: op, pair: -1} // for its components
}

// coordinates returns the coordinates on the face of a cube map (CUBE, a reciprocal, two
// operations), or those divided by the last one.
func (w *grouper) coordinates(n *node, c []operand) []operand {
	if n.op == ir.OpFetchBias || n.op == ir.OpFetchLod { // always the last component
		last := len(c) - 1
		c = append(w.coordinates(&node{kind: fetch, res: n.res}, c[:last]), c[last])
		for last = len(c) - 1; len(c) < 4; last++ {
			c = slices.Insert(c, last, operand{value: -1, pair: -1, literal: true})
		}
		return c
	}
	switch {
	case n.res.Dim == ir.DimCube && len(c) >= 3:
		cube := w.addValueOp(manySlots, fourLanes, c[:3]...)
		by := w.addValueOp(functions, 0, cube)
		return []operand{w.op(cube, by), w.op(cube, by), cube}
	case n.op == ir.OpFetchProj && len(c) == 4:
		by := w.addValueOp(functions, 0, c[3])
		return []operand{w.op(c[0], by), w.op(c[1], by), w.op(c[2], by)}
	}
	return c
}

// signed returns operands with their modifiers applied.
func (w *grouper) signed(set []arg) []operand {
	out := w.operandsOf(set, 0)
	for k, a := range set {
		if a.mod != 0 {
			out[k] = w.op(out[k])
		}
	}
	return out
}

// fetching adds a fetch that reads these registers.
func (w *grouper) fetching(sets [][]operand) int32 {
	f := fetched{n: len(sets)}
	var direct []operand
	for k, set := range sets {
		if f.gathers[k] = -1; w.whole(set) {
			direct = append(direct, set...)
			continue
		}
		var key [5]operand
		copy(key[:], set)
		key[4].word = uint32(len(set))
		g, ok := w.coords[key]
		if !ok {
			g = w.gather(set)
			w.coords[key] = g
		}
		w.gathers[g].uses++
		f.gathers[k] = g
	}
	f.op = w.addOp(fetches, 0, direct...)
	w.fetched = append(w.fetched, f)
	return f.op
}

// exports moves the outputs into output registers.
func (w *grouper) exports() {
	outs := w.s.outs
	for len(outs) > 0 {
		n := 1
		for n < len(outs) && outs[n].reg.File == outs[0].reg.File && outs[n].reg.Index == outs[0].reg.Index {
			n++
		}
		set := make([]operand, n)
		for k, o := range outs[:n] {
			if set[k] = w.at[o.n]; o.mod != 0 {
				set[k] = w.op(set[k])
			}
		}
		if !w.whole(set) {
			g := w.gather(set)
			w.gathers[g].uses++
		}
		outs = outs[n:]
	}
}
