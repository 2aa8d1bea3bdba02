package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// scalars describes a machine that issues one operation at a time, of one component or of up to four. The unit is the
// time of a multiply-add, or on machines that are wide of an addition.
type scalars struct {
	// wide: the components of an instruction take one operation, and those of an input register one interpolation.
	// Functions have one component. A product and its sum are two operations.
	wide bool
	// preamble: operations on constants alone are computed once for a draw.
	preamble bool
	// choose is the cost of a conditional move, and compare that of its comparison. Components
	// chosen by the same comparison share it.
	choose, compare float64
	frc             float64
	deriv           float64 // dsx and dsy
	special         float64 // rcp, rsq, exp2, log2, sin, cos: issue cycles
	beside          float64 // cycles of a special unit that works in parallel
	log             float64 // additional, to keep the logarithm of zero finite
	trig            float64 // sine and cosine, if they cost more than special
	// interp is the cost of an interpolated component, flat that of a component constant over a
	// primitive. interpBeside is the share of the special unit in interp.
	interp, flat, interpBeside float64
	// apart is the time of the unit that only interpolates, for a component that is not a literal.
	apart float64
	// preloads is the number of messages that cost nothing, see [stage.preloaded].
	preloads int
	// prefetches is the number of fetches before the start, see [stage.prefetched].
	prefetches int
	// uniforms is the additional cost of an operation that reads two different constants.
	uniforms float64
	// zeros is the cost of making a product in a dot product 0 if a factor is 0. It applies to each
	// factor, and to one comparison of the other factor.
	zeros                  float64
	cube, projected, grads float64 // such fetches in addition to their coordinates
	// gather is the cost of coordinates that are interpolated only for a fetch, if they must be in
	// consecutive registers.
	gather float64
	// masks: a product with a choice between 1 and 0 that has no other reader is that choice.
	masks bool
}

// counts holds the counts common to all machines that issue scalar operations. They are of sums
// that are only compared, moves, choices against zero, coordinates to be moved together, and second
// constant operands.
type counts struct {
	compared               []bool // sums that only comparisons read
	moves, gathered        float64
	zeros, literals, ports []float64 // by rate
}

func (s *stage) counts() *counts {
	if s.counted == nil {
		zeros, literals := s.zeros()
		s.counted = &counts{s.compared(), float64(s.moves()), s.gathered(), zeros, literals, s.ports()}
	}
	return s.counted
}

// stageWork prices a stage by adding the costs of its nodes, of moves, and of operands.
func (t *scalars) stageWork(s *stage) (w work) {
	c := s.counts()
	arithmetic, functions, textures, inputs := s.tally(), s.tally(), s.tally(), s.tally()
	var paid map[source]int32
	if t.wide {
		paid = s.numbers()
	}
	before := t.beforeStart(s)
	for i := range s.nodes {
		s.budget.Poll()
		n := &s.nodes[i]
		if !s.live[i] || before[int32(i)] || c.compared[i] || t.masks && s.masked(n) || t.preamble && s.uniform[i] ||
			t.wide && s.isPaid(n, paid) {
			continue
		}
		alu, special := t.price(s, n, s.fused[i] && !t.wide)
		arithmetic[n.rate] += alu
		functions[n.rate] += special
		switch {
		case n.kind == fetch:
			textures[n.rate]++
		case n.kind == input && s.interpolated(n):
			inputs[n.rate] += t.apart
		}
	}
	for rate := range arithmetic {
		arithmetic[rate] += t.zeros*(c.zeros[rate]+t.uniforms*c.literals[rate]) + t.uniforms*c.ports[rate]
	}
	arithmetic[0] += c.moves + t.gather*c.gathered
	w.pipes = [numPipes][]float64{Arithmetic: arithmetic, Special: functions, Interpolation: inputs, Texture: textures}
	return w
}

// isPaid reports whether another component of the instruction or input register of n was paid before, and records n as
// paid.
func (s *stage) isPaid(n *node, paid map[source]int32) bool {
	var of source
	switch {
	case n.kind == input && s.interpolated(n):
		of = leafOf(input, n.reg)
	case n.kind == add, n.kind == mul, n.kind == choose, n.kind == call && !isSpecial(n.prim):
		of = lanesOf(n)
	default:
		return false
	}
	_, again := paid[of]
	paid[of] = 0
	return again
}

// masked reports whether a node is a product with a choice between 1 and 0 that has no other
// reader.
func (s *stage) masked(n *node) bool {
	return n.kind == mul && slices.ContainsFunc(n.args, func(a arg) bool {
		m := &s.nodes[a.n]
		return m.kind == choose && s.isNumber(m) && a.mod == 0 && s.uses[a.n] == 1
	})
}

// moves counts the literals and uniforms that must be moved to registers for outputs and
// coordinates, each once. Coordinates of 0 need no move: some fetches imply them.
func (s *stage) moves() (n int) {
	moved := zeroed(&s.flags, len(s.nodes))
	move := func(a arg) {
		k := s.nodes[a.n].kind
		if k != literal && k != uniform || moved[a.n] {
			return
		}
		moved[a.n] = true
		n++
	}
	for i := range s.nodes {
		if f := &s.nodes[i]; f.kind == fetch && s.live[i] {
			for _, a := range f.args {
				if x, ok := s.number(a); !ok || x != 0 {
					move(a)
				}
			}
		}
	}
	for _, o := range s.outs {
		move(o.arg)
	}
	return n
}

// fuseProducts returns which products are fused into the sums that read them. A product is fused if all its
// readers are sums and each selects it. A multiply-add selects one product: the one with fewer
// readers, and the later of equals. Products and sums must run equally often.
func (s *stage) fuseProducts() []bool {
	taken := zeroed(&s.ints, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.live[i] || n.kind != add {
			continue
		}
		best := int32(-1)
		for _, a := range n.args {
			m := &s.nodes[a.n]
			if m.kind == mul && a.mod&ir.Abs == 0 && s.rates[m.rate][s.by] == s.rates[n.rate][s.by] &&
				(best < 0 || s.uses[a.n] <= s.uses[best]) {
				best = a.n
			}
		}
		if best >= 0 {
			taken[best]++
		}
	}
	out := zeroed(&s.flags, len(s.nodes))
	for i, n := range taken {
		out[i] = n > 0 && n == s.uses[i]
	}
	if s.graph.vectors {
		s.fuseWhole(out)
	}
	return out
}

// fuseWhole unfuses products if another component of their instruction is not fused, for machines
// that share whole instructions.
func (s *stage) fuseWhole(fused []bool) {
	type instruction struct {
		vector int32
		step   uint8
	}
	apart := map[instruction]bool{}
	for i := range fused {
		if n := &s.nodes[i]; !fused[i] && s.live[i] && n.kind == mul {
			apart[instruction{n.vector, n.step}] = true
		}
	}
	for i := range fused {
		n := &s.nodes[i]
		fused[i] = fused[i] && !apart[instruction{n.vector, n.step}]
	}
}

// compared returns the sums that are only compared with zero: compilers compare the addends instead
// (a-b<0 is a<b).
func (s *stage) compared() []bool {
	out := zeroed(&s.flags, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.live[i] {
			continue
		}
		var of arg
		switch {
		case n.kind == kill && len(n.args) == 1:
			of = n.args[0]
		case n.kind == call && isComparison(n.prim):
			if x, ok := s.number(n.args[1]); !ok || x != 0 {
				continue
			}
			of = n.args[0]
		default:
			continue
		}
		if s.justCompared(of) {
			out[of.n] = true
		}
	}
	return out
}

// justCompared reports whether the operand of a comparison with zero is a sum without other
// readers.
func (s *stage) justCompared(of arg) bool {
	sum := &s.nodes[of.n]
	return sum.kind == add && s.uses[of.n] == 1 && of.mod&ir.Abs == 0 && !s.fused[sum.args[0].n] && !s.fused[sum.args[1].n]
}

// price returns the costs of node n in the arithmetic units and in the special unit.
func (t *scalars) price(s *stage, n *node, fused bool) (alu, special float64) {
	switch n.kind {
	case input:
		if s.interpolated(n) {
			return t.input(n)
		}
	case add, mul:
		if n.kind == mul && fused {
			return 0, 0
		}
		return 1, 0
	case dot:
		if t.wide {
			return 1, 0
		}
		return float64(len(n.args) / 2), 0
	case choose:
		return t.choose, 0
	case call:
		return t.callCost(s, n)
	case load:
		return 1, 0
	case joined:
		return 1, 0
	case kill:
		return t.compare + float64(len(n.args)-1), 0
	case fetch:
		return t.fetch(n), 0
	}
	return 0, 0
}

// interpolated reports whether an input is interpolated: attributes and the pixel position are not.
func (s *stage) interpolated(n *node) bool {
	file := d3d9.File(n.reg.File)
	return s.pixel && (file == d3d9.Input || file == d3d9.Texture)
}

func (t *scalars) input(n *node) (alu, special float64) {
	if n.bits != varies {
		return t.flat, 0
	}
	return t.interp, t.interpBeside
}

// zeros counts the operations that make products in dot products 0 if a factor is 0, on GPUs with
// IEEE multiplication. Direct3D 9 requires this (0*inf is 0). There is a comparison for each
// multiplied component, and a choice for each factor. A literal factor, which is not 0, needs one
// comparison, one choice and a move.
func (s *stage) zeros() (all, some []float64) {
	compared := zeroed(&s.flags, len(s.nodes))
	all, some = s.tally(), s.tally()
	compare := func(x arg) {
		if !compared[x.n] {
			compared[x.n] = true
			all[s.nodes[x.n].rate]++
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.kind != dot || !s.live[i] {
			continue
		}
		half := len(n.args) / 2
		for k, a := range n.args[:half] {
			b := n.args[half+k]
			if s.nodes[a.n].kind == literal {
				a, b = b, a
			}
			switch {
			case a.n == b.n:
			case s.nodes[b.n].kind == literal:
				compare(a)
				all[n.rate]++
				some[n.rate]++
			default:
				compare(a)
				compare(b)
				all[n.rate] += 2
			}
		}
	}
	return all, some
}

// gathered counts pairs of coordinates that are interpolated for a fetch.
func (s *stage) gathered() (count float64) {
	seen := map[[2]int32]bool{}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.kind != fetch || !s.live[i] || len(n.args) < 2 {
			continue
		}
		x, y := n.args[0].n, n.args[1].n
		if s.nodes[x].kind == input && s.nodes[y].kind == input && !seen[[2]int32{x, y}] {
			seen[[2]int32{x, y}] = true
			count++
		}
	}
	return count
}

// ports counts the constants that must be moved to a register because an operation reads several
// and can read only one.
func (s *stage) ports() []float64 {
	var few [maxArgs]int32
	moves := s.tally()
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.live[i] || s.fused[i] || n.kind != add && n.kind != mul && n.kind != call {
			continue
		}
		moves[n.rate] += max(0, float64(len(s.constants(few[:0], n))-1))
	}
	return moves
}

// constants appends the different constants that operation n reads, including those of a fused
// product.
func (s *stage) constants(list []int32, n *node) []int32 {
	for _, a := range n.args {
		switch {
		case n.kind == add && s.fused[a.n]:
			list = s.constants(list, &s.nodes[a.n])
		case s.nodes[a.n].kind < input && !s.inlined(a) && !slices.Contains(list, a.n):
			list = append(list, a.n)
		}
	}
	return list
}

// inlined reports whether a is a literal that instructions can hold (the inline constants of GCN
// and RDNA).
func (s *stage) inlined(a arg) bool {
	x, ok := s.number(arg{n: a.n})
	if !ok {
		return false
	}
	switch x {
	case 0, 0.5, -0.5, 1, -1, 2, -2, 4, -4:
		return true
	}
	return false
}

func (t *scalars) callCost(s *stage, n *node) (alu, special float64) {
	switch p := n.prim; {
	case isComparison(p):
		return t.compare, 0
	case p == ir.PrimSat: // the operation that computes it can clamp
		a := n.args[0]
		switch k := s.nodes[a.n].kind; {
		case s.uses[a.n] == 1 && (k == add || k == mul || k == dot || k == call):
			return 0, 0
		}
		return 1, 0
	case p == ir.PrimFrc:
		return t.frc, 0
	case p == ir.PrimDsx, p == ir.PrimDsy:
		return t.deriv, 0
	case p == ir.PrimLog2, p == ir.PrimLog2Z, p == ir.PrimLnZ:
		return t.special + t.log, t.beside
	case t.trig > 0 && (p == ir.PrimSin || p == ir.PrimCos):
		return t.trig, t.beside
	case isSpecial(p):
		return t.special, t.beside
	}
	return 1, 0
}

// isSpecial reports whether units for special functions compute p.
func isSpecial(p ir.Prim) bool {
	switch p {
	case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P, ir.PrimLog2Z, ir.PrimLnZ, ir.PrimSin, ir.PrimCos,
		ir.PrimRcpZ, ir.PrimRsqZ, ir.PrimSqrt:
		return true
	}
	return false
}

func (t *scalars) fetch(n *node) (alu float64) {
	if n.res.Dim == ir.DimCube {
		alu += t.cube
	}
	switch n.op {
	case ir.OpFetchProj:
		alu += t.projected
	case ir.OpFetchGrad:
		alu += t.grads
	}
	return alu
}
