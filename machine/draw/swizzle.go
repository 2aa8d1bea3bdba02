package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// swizzler finds the moves that instructions of R300 to R520 need to read their operands:
// instructions read components of a register in certain orders only, all colour components of an
// operand from one register.
type swizzler struct {
	*vectorizer
	moved map[[maxArgs]arg]bool
}

// move adds a move of one unit, which reads of as far as that matters.
func (x *vectorizer) move(to unit, output bool, of ...arg) {
	o := vectorOp{kind: literal, unit: to, times: 1, output: output, block: x.block}
	if len(of) > 0 {
		o.reads, o.values, o.sources = x.s.ints.Take(4)[:0], x.s.components.Take(4)[:0], x.s.registers.Take(4)[:0]
	}
	for _, a := range of {
		x.operand(&o, a)
	}
	x.ops = append(x.ops, o)
}

// moves adds the moves for operands: constants and inputs are collected with components of other
// registers, and components are brought into an order that can be read. A combination that was
// moved before is not moved again.
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
				lanes := x.s.lists.Take(len(v))
				for j := range v {
					lanes[j] = v[j : j+1]
				}
				s.operands(lanes, nil, false)
			}
			continue
		}
		var few [4]uint8
		lanes, at := x.s.lists.Take(len(list)), few[:0]
		for j, i := range list {
			lanes[j], at = x.expand(x.s.args.Take(manyReads)[:0], &x.s.nodes[i]), append(at, x.lane(i))
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
		nodes[k] = x.s.ints.Take(int(n))[:0]
	}
	for i, k := range x.of {
		if k >= 0 {
			nodes[k] = append(nodes[k], int32(i))
		}
	}
	return nodes
}

// expand appends to args what a node's operation reads, with the operands of a product fused into
// it and of a comparison that it makes itself.
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
// coordinates in order only, and moves them for each fetch anew.
func (s *swizzler) ordered(args []arg) {
	if s.t.complements {
		return
	}
	lanes, inOrder := s.s.lists.Take(len(args)), true
	for j, a := range args {
		if s.s.source(a.n) != s.s.source(args[0].n) {
			return
		}
		lanes[j], inOrder = args[j:j+1], inOrder && int(s.lane(a.n)) == j
	}
	if inOrder {
		return
	}
	for range s.order(lanes, nil, 0).phases() {
		s.move(colour, false)
	}
}

// operands adds the moves for the operands of an instruction with the given lanes, which write
// components at; or the further instructions that it is split into, if it can be.
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
			orders = append(orders, s.order(lanes, at, p))
		}
		for range split(orders, splits) {
			s.move(colour, false)
		}
	}
}

// put is what has to be moved into one register, by the unit that moves it.
type put struct {
	colours, alphas []source
	ofColours       []arg
	ofAlphas        []arg
	sums            bool // a sum or a product writes others of its components
	count           int
}

func (p *put) add(x *vectorizer, a arg, to uint8) {
	if f, ok := x.s.number(a); ok && x.t.complements && (f == 0 || f*f == 1 || f*f == 0.25) {
		return
	}
	p.count++
	if from := x.s.source(a.n); to == 3 {
		p.alphas = with(p.alphas, from)
		p.ofAlphas = x.with(p.ofAlphas, a)
	} else {
		p.colours = with(p.colours, from)
		p.ofColours = x.with(p.ofColours, a)
	}
}

// moves adds those of what is put. On R520 the operands 0 and 1 of any component have three of them
// be one multiply-add, or one be done by a sum or a product (merge_channels of radeon_optimize.c).
func (p *put) moves(x *vectorizer, output bool) {
	n := len(p.colours)
	if x.t.complements {
		if p.sums && n > 0 {
			n--
		}
		n = (n + 2) / 3
	}
	if n > 1 { // which reads what, is not known
		p.ofColours = nil
	}
	for range n {
		x.move(colour, output, p.ofColours...)
	}
	if len(p.alphas) > 0 {
		x.move(alpha, output, p.ofAlphas...)
	}
}

// with appends to a list of what a move reads.
func (x *vectorizer) with(list []arg, a arg) []arg {
	if list == nil {
		list = x.s.args.Take(4)[:0]
	}
	return append(list, a)
}

// outputs adds the moves of outputs that no operation computes, or that fetches deliver.
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
			p.colours = []source{kindOf(literal)} // numbers alone
		}
		if !x.t.complements {
			x.ordering(outs[:n], p.colours)
		}
		p.moves(x, true)
		outs = outs[n:]
	}
}

// ordering adds the moves that bring components of registers into an order in which the move of an
// output can read them on R300, since what writes outputs is not split (radeon_dataflow_swizzles.c).
func (x *vectorizer) ordering(outs []output, from []source) {
	for _, reg := range from {
		o := order{anything, anything, anything}
		for _, y := range outs {
			if y.reg.Comp < 3 && x.s.source(y.n) == reg && !reg.isLiteral() {
				o[y.reg.Comp] = x.lane(y.n)
			}
		}
		if k := o.phases(); k > 1 {
			for range k {
				x.move(colour, false)
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

// strayed reports whether a value that is computed is moved to where it is read with others, since
// more reads it: what nothing else reads is computed there (nir_lower_vec_to_regs.c). R520's compiler
// has sums and products, which it joins these moves with, do most of them.
func (x *vectorizer) strayed(i int32) bool { return !x.t.complements && x.strays[i] }

// together reports whether an operand is computed and can be written where it is read, or
// comes from a register that every lane reads.
func (s *swizzler) together(a arg, lanes [][]arg) bool {
	if s.s.nodes[a.n].kind >= add && !s.strayed(a.n) {
		return true
	}
	return everywhere(s.s.sources(), s.s.source(a.n), lanes)
}

// order is the component that an instruction reads for each of its three colour components.
type order [3]uint8

// Components that are no register's.
const (
	anything = 0xff
	zero     = 4 + iota
	unity
	oneHalf
)

// native are the orders in which R300 reads the components of colours (r300_fragprog_swizzle.c).
var native = []order{{0, 1, 2}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 2, 0}, {2, 0, 1}, {3, 2, 1}, {unity, unity, unity}, {zero, zero, zero}, {oneHalf, oneHalf, oneHalf}}

// order is that of operand p.
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
			o[to] = s.lane(a.n)
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

// phases is how many moves it takes to bring components into order o, by repeatedly applying the
// native order that gets most components right; 1 if it is native.
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

// split is how many more instructions it takes to read operands in these orders. Either each
// operand that is not native is moved, phase by phase; or the instruction is split into one without
// the component that is the trouble, or into its components (radeon_dataflow_swizzles.c).
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
