package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// swizzler adds the moves that instructions of R300 to R520 need to read their operands.
// Instructions read components of a register only in certain orders, and all colour components of
// an operand from one register.
type swizzler struct {
	*vectorizer
	moved map[[maxArgs]arg]bool
}

// addMove adds a move of one unit; of lists its operands, if they are known.
func (x *vectorizer) addMove(to unit, output bool, of ...arg) {
	o := vectorOp{kind: literal, unit: to, times: 1, output: output, block: x.block}
	if len(of) > 0 {
		o.reads, o.values, o.sources = x.s.ints.Alloc(4)[:0], x.s.components.Alloc(4)[:0], x.s.registers.Alloc(4)[:0]
	}
	for _, a := range of {
		x.operand(&o, a)
	}
	x.ops = append(x.ops, o)
}

// moves adds the moves for operands. Constants and inputs are collected with components of other
// registers, and components are reordered for reading. A combination is moved only once.
func (x *vectorizer) moves() {
	s := &swizzler{x, map[[maxArgs]arg]bool{}}
	for k, list := range x.nodes() {
		x.s.budget.Poll()
		x.block = x.ops[k].block
		switch x.ops[k].kind {
		case fetch:
			s.ordered(x.coordinates(&x.s.nodes[list[0]]))
			continue
		case kill, branch, repeat, load:
			continue
		case dot:
			args := x.s.nodes[list[0]].args
			for _, v := range [][]arg{args[:len(args)/2], args[len(args)/2:]} {
				lanes := x.s.lists.Alloc(len(v))
				for j := range v {
					lanes[j] = v[j : j+1]
				}
				s.operands(lanes, nil, false)
			}
			continue
		}
		var few [4]uint8
		lanes, at := x.s.lists.Alloc(len(list)), few[:0]
		for j, i := range list {
			lanes[j], at = x.expand(x.s.args.Alloc(manyReads)[:0], &x.s.nodes[i]), append(at, x.componentOf(i))
		}
		s.operands(lanes, at, !x.ops[k].output)
	}
}

// nodes lists the nodes of each operation.
func (x *vectorizer) nodes() [][]int32 {
	count := zeroed(&x.s.ints, len(x.ops))
	for _, k := range x.of {
		if k >= 0 {
			count[k]++
		}
	}
	nodes := make([][]int32, len(x.ops))
	for k, n := range count {
		nodes[k] = x.s.ints.Alloc(int(n))[:0]
	}
	for i, k := range x.of {
		if k >= 0 {
			nodes[k] = append(nodes[k], int32(i))
		}
	}
	return nodes
}

// expand appends to args the operands of a node's operation, including those of fused products and
// folded comparisons.
func (x *vectorizer) expand(args []arg, n *node) []arg {
	for _, a := range n.inputs() {
		if m := &x.s.nodes[a.n]; x.s.fused[a.n] || x.folded[a.n] {
			args = x.expand(args, m)
		} else {
			args = append(args, a)
		}
	}
	return args
}

// ordered adds the moves of coordinates that are in one register, but not in order. R300 reads
// coordinates only in order, and moves them again for each fetch.
func (s *swizzler) ordered(args []arg) {
	if s.t.complements {
		return
	}
	lanes, inOrder := s.s.lists.Alloc(len(args)), true
	for j, a := range args {
		if s.s.source(a.n) != s.s.source(args[0].n) {
			return
		}
		lanes[j], inOrder = args[j:j+1], inOrder && int(s.componentOf(a.n)) == j
	}
	if inOrder {
		return
	}
	for range s.order(lanes, nil, 0).phases() {
		s.addMove(colour, false)
	}
}

// operands adds the moves for the operands of an instruction with the given lanes, which write
// components at. Instead of moves it may add the instructions of a split, if splits allows that.
func (s *swizzler) operands(lanes [][]arg, at []uint8, splits bool) {
	if len(lanes) < 2 {
		return
	}
	var p put
	var key [maxArgs]arg
	for j, args := range lanes {
		for _, a := range args {
			k := s.of[a.n]
			p.sums = p.sums || k >= 0 && s.ops[k].collected && !s.strayed(a.n) && (s.ops[k].kind == add || s.ops[k].kind == mul)
			if s.together(a, lanes) {
				continue
			}
			if p.count < maxArgs {
				key[p.count] = a
			}
			p.add(s.vectorizer, a, s.position(j, at))
		}
	}
	if p.count > 0 && !s.moved[key] {
		s.moved[key] = true
		p.moves(s.vectorizer, false)
	}
	if !s.t.complements {
		var few [manyReads]order
		orders := few[:0]
		for p := range lanes[0] {
			if slices.ContainsFunc(lanes, func(args []arg) bool { return p < len(args) && s.zeroBeside(args[p], lanes) }) {
				continue // moved in order
			}
			orders = append(orders, s.order(lanes, at, p))
		}
		for range split(orders, splits) {
			s.addMove(colour, false)
		}
	}
}

// put is the set of values to be moved into one register, by unit.
type put struct {
	colours, alphas []source
	ofColours       []arg
	ofAlphas        []arg
	sums            bool // a sum or a product writes other components of it
	count           int
}

func (p *put) add(x *vectorizer, a arg, to uint8) {
	if f, ok := x.s.number(a); ok && x.t.complements && (f == 0 || f*f == 1 || f*f == 0.25) {
		return
	}
	p.count++
	if from := x.s.source(a.n); to == 3 {
		p.alphas = appendUnique(p.alphas, from)
		p.ofAlphas = x.appendOperand(p.ofAlphas, a)
	} else {
		p.colours = appendUnique(p.colours, from)
		p.ofColours = x.appendOperand(p.ofColours, a)
	}
}

// moves adds the moves of the set. On R520 one multiply-add moves three components, since the
// operands 0 and 1 are available in any component. A sum or a product can also do one move
// (merge_channels of radeon_optimize.c).
func (p *put) moves(x *vectorizer, output bool) {
	n := len(p.colours)
	if x.t.complements {
		if p.sums && n > 0 {
			n--
		}
		n = (n + 2) / 3
	}
	if n > 1 { // the operands of each are unknown
		p.ofColours = nil
	}
	for range n {
		x.addMove(colour, output, p.ofColours...)
	}
	if len(p.alphas) > 0 {
		x.addMove(alpha, output, p.ofAlphas...)
	}
}

// appendOperand appends to the operands of a move.
func (x *vectorizer) appendOperand(list []arg, a arg) []arg {
	if list == nil {
		list = x.s.args.Alloc(4)[:0]
	}
	return append(list, a)
}

// outputs adds the moves of outputs that no operation computes, or that fetches return.
func (x *vectorizer) outputs() {
	outs := x.s.outs
	x.block = x.s.block
	for len(outs) > 0 {
		n := 1
		for n < len(outs) && outs[n].reg.File == outs[0].reg.File && outs[n].reg.Index == outs[0].reg.Index {
			n++
		}
		var p put
		for _, o := range outs[:n] {
			if k := x.s.nodes[o.n].kind; k >= add && k != part && !x.strayed(o.n) {
				p.sums = p.sums || k == add || k == mul
			} else {
				p.add(x, o.arg, o.reg.Comp)
			}
		}
		if p.count == 0 && !slices.ContainsFunc(outs[:n], func(o output) bool { return x.of[o.n] >= 0 || x.folded[o.n] }) {
			p.colours = []source{kindOf(literal)} // only numbers
		}
		if !x.t.complements {
			x.ordering(outs[:n], p.colours)
		}
		p.moves(x, true)
		outs = outs[n:]
	}
}

// ordering adds the moves that bring components into an order that the move of an output can read
// on R300. Instructions that write outputs are not split (radeon_dataflow_swizzles.c).
func (x *vectorizer) ordering(outs []output, from []source) {
	for _, reg := range from {
		o := order{anything, anything, anything}
		for _, y := range outs {
			if y.reg.Comp < 3 && x.s.source(y.n) == reg && !reg.isLiteral() {
				o[y.reg.Comp] = x.componentOf(y.n)
			}
		}
		if k := o.phases(); k > 1 {
			for range k {
				x.addMove(colour, false)
			}
		}
	}
}

func (s *swizzler) position(lane int, at []uint8) uint8 {
	if at == nil {
		return uint8(lane)
	}
	return at[lane]
}

// strayed reports whether a computed value must be moved to be read with others, because it has
// more readers. A value without other readers is computed in place (nir_lower_vec_to_regs.c). In
// R520's compiler sums and products, with which it merges these moves, do most of them.
func (x *vectorizer) strayed(i int32) bool { return !x.t.complements && x.strays[i] }

// together reports whether an operand is computed and can be written where it is read, or comes
// from a register that every lane reads.
func (s *swizzler) together(a arg, lanes [][]arg) bool {
	if s.s.nodes[a.n].kind >= add && !s.strayed(a.n) {
		return true
	}
	return everywhere(s.s.sources(), s.s.source(a.n), lanes)
}

// zeroBeside reports whether a is 0, and is moved into a register with other operands.
func (s *swizzler) zeroBeside(a arg, lanes [][]arg) bool {
	x, ok := s.s.number(a)
	return ok && x == 0 && !s.together(a, lanes)
}

// order is the component that an instruction reads for each of its three colour components.
type order [3]uint8

// Selections that are not components of a register.
const (
	anything = 0xff
	zero     = 4 + iota
	unity
	oneHalf
)

// native lists the orders in which R300 reads the components of colours (r300_fragprog_swizzle.c).
var native = []order{{0, 1, 2}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 2, 0}, {2, 0, 1}, {3, 2, 1},
	{unity, unity, unity}, {zero, zero, zero}, {oneHalf, oneHalf, oneHalf}}

// order returns the order of operand p.
func (s *swizzler) order(lanes [][]arg, at []uint8, p int) order {
	o := order{anything, anything, anything}
	for j := range lanes {
		to := s.position(j, at)
		if to > 2 || p >= len(lanes[j]) {
			continue
		}
		a := lanes[j][p]
		if first := s.s.source(lanes[0][p].n); s.s.source(a.n) != first {
			if k := slices.IndexFunc(lanes[j], func(b arg) bool { return s.s.source(b.n) == first }); k >= 0 {
				a = lanes[j][k]
			}
		}
		switch f, ok := s.s.number(arg{n: a.n, mod: a.mod | ir.Abs}); {
		case !ok:
			o[to] = s.componentOf(a.n)
		case f == 0:
			o[to] = zero
		case f == 1:
			o[to] = unity
		case f == 0.5:
			o[to] = oneHalf
		}
	}
	return o
}

// phases returns the number of moves that bring components into order o; 1 if o is native. Each
// move applies the native order that places most components.
func (o order) phases() (count int) {
	for o != (order{anything, anything, anything}) {
		best, most := o, 0
		for _, n := range native {
			rest, matched := o, 0
			for c := range o {
				if o[c] != anything && o[c] == n[c] {
					rest[c] = anything
					matched++
				}
			}
			if matched > most {
				best, most = rest, matched
			}
		}
		if most == 0 {
			break
		}
		o = best
		count++
	}
	return max(1, count)
}

// split returns the number of additional instructions to read operands in these orders. Either each
// operand that is not native is moved, phase by phase, or the instruction is split. A split
// separates the problematic component, or all components (radeon_dataflow_swizzles.c).
func split(orders []order, splits bool) (more int) {
	isNative := func(o order) bool { return o.phases() == 1 }
	var colours [3]bool
	for _, o := range orders {
		if !isNative(o) {
			more += o.phases()
		}
		for c := range o {
			colours[c] = colours[c] || o[c] != anything
		}
	}
	if more == 0 || !splits {
		return more
	}
	if colours == [3]bool{true, true, true} {
		for c := range 3 {
			if !slices.ContainsFunc(orders, func(o order) bool {
				o[c] = anything
				return !isNative(o)
			}) {
				return 1
			}
		}
		return 2
	}
	return 1
}
