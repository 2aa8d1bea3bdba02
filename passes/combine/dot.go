package combine

import "github.com/shaderlift/shaderlift/ir"

// term is a*b, or a alone if b is not set.
type term struct{ a, b ir.Lane }

// sum is the value of one lane as a sum of terms.
type sum struct {
	c        *combiner
	root     *ir.Instr
	products []term
	plain    []ir.Lane
	slots    int                 // slots saved if nothing else reads the partial sums
	muls     map[*ir.Instr]int32 // number of lanes of each mul among the terms
}

// maxTerms bounds the size of sums.
const maxTerms = 6

// dot turns a sum of products into a dot product, if the factors are lanes of two registers and it saves
// slots. The sum may be additions of lanes of one product, a chain of mads, or a shorter dot product and the
// rest. It may also be a sum of lanes of one register. Sums are reassociated, so it is of class Real:
//
//	mul r0.xyz, r1, r2
//	add r0.x, r0.x, r0.y            dp3 r0.x, r1, r2
//	add r0.x, r0.x, r0.z
func (c *combiner) dot(in *ir.Instr) bool {
	lane, n := 0, 0
	for i, v := range in.Out {
		if v != nil {
			lane, n = i, n+1
		}
	}
	if n != 1 {
		return false
	}
	s := &sum{c: c, root: in, slots: c.f.Dialect.Slots(in), muls: map[*ir.Instr]int32{}}
	if !s.expand(in, lane, 0) {
		return false
	}
	// Each mul dies if all its lanes are terms.
	for mul, lanes := range s.muls { // a total: order does not matter
		if c.readsOf(mul) == lanes {
			s.slots += c.f.Dialect.Slots(mul)
		}
	}
	if len(s.plain) > 1 {
		s.padWithOnes()
	}
	switch n, rest := len(s.products), len(s.plain); {
	case n == 2 && rest == 1:
		return s.write(ir.OpDp2Add, 2, ir.Splat(s.plain[0]))
	case rest > 1 || n < 3 || n > 4:
		return false
	case n == 3 && rest == 1 && s.withOne():
		return true
	default:
		return s.write(map[int]ir.Op{3: ir.OpDp3, 4: ir.OpDp4}[n], n)
	}
}

// expand adds the terms of lane i of in, under a sign. Partial sums with other readers are terms.
func (s *sum) expand(in *ir.Instr, i int, sign ir.LaneMod) bool {
	product := func(i int) {
		a := in.Src[0][i]
		a.Mod = a.Mod.ComposeWith(sign)
		s.products = append(s.products, term{a, in.Src[1][i]})
	}
	ok := true
	switch in.Op {
	case ir.OpAdd:
		ok = s.operand(in.Src[0][i], sign) && s.operand(in.Src[1][i], sign)
	case ir.OpMul:
		product(i)
	case ir.OpMad:
		product(i)
		ok = s.operand(in.Src[2][i], sign)
	case ir.OpDp2Add:
		product(0)
		product(1)
		ok = s.operand(in.Src[2][0], sign)
	case ir.OpDp3, ir.OpDp4:
		for i := range 3 {
			product(i)
		}
		if in.Op == ir.OpDp4 {
			product(3)
		}
	}
	return ok && len(s.products)+len(s.plain) <= maxTerms
}

// operand adds the summand l: its terms if it is a sum, otherwise l alone.
func (s *sum) operand(l ir.Lane, sign ir.LaneMod) bool {
	o := ir.Splat(l)
	l.Mod = l.Mod.ComposeWith(sign)
	in := s.c.unsaturatedSource(&o, s.root)
	if in == nil || o[0].Mod&ir.Abs != 0 || in.Mods != s.root.Mods&^ir.Sat || s.c.reads[l.V.ID] != 1 {
		s.plain = append(s.plain, l)
		return true
	}
	switch in.Op {
	case ir.OpMul:
		s.muls[in]++
	case ir.OpAdd, ir.OpMad, ir.OpDp2Add, ir.OpDp3, ir.OpDp4:
		if s.c.readsOf(in) != 1 {
			s.plain = append(s.plain, l)
			return true
		}
		s.slots += s.c.f.Dialect.Slots(in)
	default:
		s.plain = append(s.plain, l)
		return true
	}
	return s.expand(in, int(l.V.Lane), l.Mod&ir.Neg)
}

// padWithOnes multiplies summands without a product by one. It requires that they are in one register and that there
// are then three or four products: r0.x + r0.y + r0.z is dp3 with (1, 1, 1).
func (s *sum) padWithOnes() {
	for _, anchor := range s.plain {
		var with, without []ir.Lane
		for _, l := range s.plain {
			if alike(anchor, l) && len(s.products)+len(with) < 4 {
				with = append(with, l)
			} else {
				without = append(without, l)
			}
		}
		if len(with) > 1 && len(s.products)+len(with) > 2 && len(without) < 2 {
			s.plain = without
			for _, l := range with {
				s.products = append(s.products, term{l, s.c.constant(1)})
			}
			return
		}
	}
}

// withOne writes x*l + y*m + z*n + w as a dp4 with the literals l, m, n, 1.
func (s *sum) withOne() bool {
	products, plain := s.products, s.plain
	s.products, s.plain = append(products[:3:3], term{plain[0], s.c.constant(1)}), nil
	if s.write(ir.OpDp4, 4) {
		return true
	}
	s.products, s.plain = products, plain
	return false
}

// write makes the root op on the products, plus the rest if op leaves any.
func (s *sum) write(op ir.Op, n int, extra ...ir.Operand) bool {
	c, in := s.c, s.root
	dp := &ir.Instr{Op: op, Mods: in.Mods, Precise: in.Precise, Orig: -1, Pos: in.Pos}
	alone := op == ir.OpDp2Add || len(s.plain) == 0
	dp.Out = in.Out
	// One lane is left over: an addition after the dot product.
	if !alone {
		dp.Mods &^= ir.Sat | ir.Half // a new operation, which was not in partial precision before
		y := &ir.Value{Kind: ir.Result, Def: dp}
		dp.Out = [4]*ir.Value{y}
	}
	if !s.align(dp, extra) {
		return false
	}
	if alone {
		return c.f.Dialect.Slots(dp) < s.slots && c.become(in, withOp(in, op, dp.Mods, dp.Src...))
	}
	add := func(y ir.Lane) ir.Instr {
		return withOp(in, ir.OpAdd, in.Mods, spread(in, y), spread(in, s.plain[0]))
	}
	to := add(ir.Lane{V: dp.Out[0]})
	if c.f.Dialect.Slots(dp)+c.f.Dialect.Slots(&to) >= s.slots || !c.legal(&to) || !c.shouldRewrite(in) {
		return false
	}
	to = add(ir.Lane{V: c.f.Define(dp, 0, ir.Reg{})})
	c.insert(dp, in)
	old := in.Src
	c.replace(in, to)
	c.takeDead(dp, old)
	return true
}

// align finds an order of the products, and of the factors of each, such that all first factors are lanes of
// one register and all second ones of another. It then sets the sources of dp. It is greedy from the first
// product, with either sign: a*b = b*a = (-a)*(-b), so each product has four forms.
func (s *sum) align(dp *ir.Instr, extra []ir.Operand) bool {
	n := len(s.products)
	for _, neg := range [2]ir.LaneMod{0, ir.Neg} {
		a, b := make([]ir.Lane, n), make([]ir.Lane, n)
		p := s.products[0]
		a[0], b[0] = negated(p.a, neg), negated(p.b, neg)
		found := 1
		for _, p := range s.products[1:] {
			for way := range 4 {
				x, y := p.a, p.b
				if way&1 != 0 {
					x, y = y, x
				}
				if way&2 != 0 {
					x, y = negated(x, ir.Neg), negated(y, ir.Neg)
				}
				if alike(a[0], x) && alike(b[0], y) {
					a[found], b[found] = x, y
					found++
					break
				}
			}
		}
		if found == n && s.order(dp, s.plainLiterals(a), s.plainLiterals(b), extra) {
			return true
		}
	}
	return false
}

func negated(l ir.Lane, m ir.LaneMod) ir.Lane {
	l.Mod = l.Mod.ComposeWith(m)
	return l
}

// alike reports whether x and y may be lanes of one operand.
func alike(x, y ir.Lane) bool {
	if x.V.Kind == ir.Literal || y.V.Kind == ir.Literal {
		return x.V.Kind == y.V.Kind // their modifiers can be evaluated
	}
	switch {
	case x.Mod != y.Mod || isLeaf(x.V) != isLeaf(y.V):
		return false
	case !isLeaf(x.V):
		o := ir.Operand{x, y}
		return o.Together()
	case x.V.Def != nil || y.V.Def != nil:
		return x.V.Def == y.V.Def
	}
	return x.V.Kind == y.V.Kind && x.V.Home.File == y.V.Home.File && x.V.Home.Index == y.V.Home.Index
}

// plainLiterals evaluates the modifiers of literals.
func (s *sum) plainLiterals(lanes []ir.Lane) []ir.Lane {
	for i, l := range lanes {
		if f, ok := literal(l); ok && l.Mod != 0 {
			lanes[i] = s.c.constant(f)
		}
	}
	return lanes
}

// order places the products in the lanes of dp such that both sources can be read. It prefers the present
// components of the first or the second factors.
func (s *sum) order(dp *ir.Instr, a, b []ir.Lane, extra []ir.Operand) bool {
	n := len(a)
	try := func(at []int) bool {
		dp.Src = append([]ir.Operand{{}, {}}, extra...)
		for i, lane := range at {
			dp.Src[0][lane], dp.Src[1][lane] = a[i], b[i]
		}
		return s.c.legal(dp)
	}
	for _, lanes := range [2][]ir.Lane{a, b} {
		var taken [4]bool
		at := make([]int, 0, n)
		for _, l := range lanes {
			if c := l.V.ReadComponent(); c < n && !taken[c] {
				taken[c] = true
				at = append(at, c)
			}
		}
		if len(at) == n && try(at) {
			return true
		}
	}
	return permute(make([]int, 0, n), n, try)
}

// permute calls try with the permutations of 0..n-1 that begin with at until one succeeds; n is four at most.
func permute(at []int, n int, try func([]int) bool) bool {
	if len(at) == n {
		return try(at)
	}
next:
	for k := range n {
		for _, x := range at {
			if x == k {
				continue next
			}
		}
		if permute(append(at, k), n, try) {
			return true
		}
	}
	return false
}

// zeroLane drops the fourth lane of a dot product where a literal is 0, if only it reads the other factor.
//
//	log r0.w, r1.w
//	dp4 r2.x, r0, c0   ; 0.3, 0.6, 0.1, 0   ->   dp3 r2.x, r0, c0
func (c *combiner) zeroLane(in *ir.Instr) bool {
	for s := range 2 {
		x, ok := literal(in.Src[s][3])
		other := in.Src[1-s][3].V
		if !ok || x != 0 || isLeaf(other) || c.reads[other.ID] != 1 {
			continue
		}
		a, b := in.Src[0], in.Src[1]
		a[3], b[3] = ir.Lane{}, ir.Lane{}
		return c.become(in, withOp(in, ir.OpDp3, in.Mods, a, b))
	}
	return false
}
