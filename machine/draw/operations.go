package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// node makes the operations of node i, after those of what it reads, and is what holds its value.
func (w *grouper) node(i int32, n *node) operand {
	switch n.kind {
	case literal:
		return operand{value: -1, pair: -1, literal: true, word: n.bits}
	case uniform:
		return operand{value: -1, pair: int32(n.reg.File)<<24 | int32(n.reg.Index)<<1 | int32(n.reg.Comp>>1)}
	case add, mul:
		return w.sum(i, n)
	case dot:
		return w.dot(n)
	case call:
		return w.call(i, n)
	case choose:
		return w.choose(n)
	case load, joined:
		return w.op(w.args(n.args, 0)...)
	case branch:
		return w.op(w.arg(n.args[0], 0))
	case kill:
		w.kill(n)
	case fetch:
		return w.fetch(n)
	case part:
		op := w.at[n.args[0].n].value // an operation, of fetches
		x := w.value(op, int8(n.bits), settled)
		w.values[x.value].register = -2 - op
		return x
	}
	return w.at[i]
}

// dot is a dot product. Where it takes as many slots as it multiplies, the first has the sum.
func (w *grouper) dot(n *node) operand {
	half := len(n.args) / 2
	args := w.s.operands.Take(len(n.args))
	for k := range half { // by slot
		args[2*k], args[2*k+1] = w.arg(n.args[k], 0), w.arg(n.args[half+k], 0)
	}
	if !w.t.shortDots {
		return w.make(manySlots, fourLanes, args...)
	}
	i := w.add(manySlots, 1<<half-1, args...)
	w.lanes[0]++
	return w.value(i, 0, inLane)
}

// sum is an addition, with a product if one is fused into it (MULADD).
func (w *grouper) sum(i int32, n *node) operand {
	if w.s.fused[i] || w.compared[i] {
		return nowhere
	}
	if n.kind == add {
		for k, a := range n.args {
			if m := &w.s.nodes[a.n]; m.kind == mul && w.s.fused[a.n] && a.mod&ir.Abs == 0 {
				return w.op(append(w.args(m.args, ofSums), w.arg(n.args[1-k], ofSums))...)
			}
		}
	}
	return w.op(w.args(n.args, 0)...)
}

func (w *grouper) call(i int32, n *node) operand {
	if w.tested[i] {
		return nowhere
	}
	if isComparison(n.prim) {
		return w.op(w.comparison(n)...)
	}
	args := w.args(n.args, 0)
	switch n.prim {
	case ir.PrimSat: // by what computes it
		a := n.args[0]
		if k := w.s.nodes[a.n].kind; a.mod == 0 && w.s.uses[a.n] == 1 && args[0].value >= 0 && k != input && k != part {
			return args[0]
		}
	case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P:
		return w.make(functions, 0, args...)
	case ir.PrimSin, ir.PrimCos:
		// Sines take their argument through another operation first.
		return w.make(functions, 0, w.op(args...))
	case ir.PrimDsx, ir.PrimDsy:
		return w.gradient(i, n)
	}
	return w.op(args...)
}

// comparison is what a comparison reads: of a sum that it makes itself, what is added.
func (w *grouper) comparison(n *node) []operand {
	if a := n.args[0]; w.compared[a.n] {
		return w.args(w.s.nodes[a.n].args, 0)
	}
	return w.args(n.args, 0)
}

// gradient is a difference between neighbouring pixels, which the texture units compute for a whole
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

// choose is a conditional move. It compares with zero itself; other comparisons make a number
// first, and choices between 1 and 0 are just that number.
func (w *grouper) choose(n *node) operand {
	c := n.args[0]
	test, number := &w.s.nodes[c.n], w.s.isNumber(n)
	set := w.at[c.n]
	if w.tested[c.n] {
		if !number {
			of := test.args[0]
			if w.zero(of) {
				of = test.args[1]
			}
			if !w.compared[of.n] {
				return w.op(w.arg(of, ir.Abs), w.arg(n.args[1], ofChoices), w.arg(n.args[2], ofChoices))
			}
		}
		var ok bool
		if set, ok = w.sets[c.n]; !ok {
			set = w.op(w.comparison(test)...)
			w.sets[c.n] = set
		}
	}
	if !number {
		return w.op(set, w.arg(n.args[1], ofChoices), w.arg(n.args[2], ofChoices))
	}
	if yes, _ := w.s.number(n.args[1]); (yes == 1) == (c.mod&ir.Not != 0) {
		set = w.op(set)
	}
	return w.op(set)
}

// kill asks three components, each by itself, if any of them is to end the pixel.
func (w *grouper) kill(n *node) {
	var sets, asked [3]operand
	for k := range sets {
		if k < len(n.args) {
			if a := n.args[k]; w.compared[a.n] {
				sets[k] = w.op(w.args(w.s.nodes[a.n].args, 0)...)
			} else {
				sets[k] = w.op(w.arg(a, 0))
			}
		} else {
			sets[k] = sets[k-1]
		}
	}
	lane := w.lane()
	for k := range asked {
		asked[k] = w.op(sets[k])
	}
	x := w.op(asked[0], asked[1])
	w.add(anySlot, 0, w.value(w.add(anySlot, 0, x, asked[2]), lane, loose))
}

// fetch reads a texture. Coordinates have to be in one register, and so have explicit gradients.
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

// coordinates are those of the face of a cube map (CUBE, a reciprocal, two operations), or divided
// by the last one.
func (w *grouper) coordinates(n *node, c []operand) []operand {
	if n.op == ir.OpFetchBias || n.op == ir.OpFetchLod { // which is always the last component
		last := len(c) - 1
		c = append(w.coordinates(&node{kind: fetch, res: n.res}, c[:last]), c[last])
		for last = len(c) - 1; len(c) < 4; last++ {
			c = slices.Insert(c, last, operand{value: -1, pair: -1, literal: true})
		}
		return c
	}
	switch {
	case n.res.Dim == ir.DimCube && len(c) >= 3:
		cube := w.make(manySlots, fourLanes, c[:3]...)
		by := w.make(functions, 0, cube)
		return []operand{w.op(cube, by), w.op(cube, by), cube}
	case n.op == ir.OpFetchProj && len(c) == 4:
		by := w.make(functions, 0, c[3])
		return []operand{w.op(c[0], by), w.op(c[1], by), w.op(c[2], by)}
	}
	return c
}

// signed are operands with their signs applied.
func (w *grouper) signed(set []arg) []operand {
	out := w.args(set, 0)
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
	f.op = w.add(fetches, 0, direct...)
	w.fetched = append(w.fetched, f)
	return f.op
}

// exports puts what goes out into output registers.
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
