package algebra

import (
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// product is an instruction that multiplies three factors: in = (rest * pair[i]) * pair[j], plus a term if in
// is a mad. Other products may multiply by the same pair.
type product struct {
	in, inner *ir.Instr
	src       int // source of in that reads inner
	rest      ir.Operand
	pair      pair
	flip      [4]ir.LaneMod // the sign that pair omits, by lane
}

// pair is two factors without their signs, in canonical order, so that u*k and k*u are one key.
type pair [2]ir.Operand

// common lists instructions that could share a product.
func (x *factorer) common() (found []*ir.Instr) {
	x.f.EachRegion(func(r *ir.Region) {
		for _, g := range x.groups(r) {
			found = append(found, g[0].in)
		}
	})
	return found
}

// share makes one product for each group.
func (x *factorer) share() {
	x.f.EachRegion(func(r *ir.Region) {
		before, gone := map[*ir.Instr]*ir.Instr{}, map[*ir.Instr]bool{}
		for _, g := range x.groups(r) {
			before[g[0].in] = x.group(g)
			for _, p := range g {
				gone[p.inner] = true
			}
		}
		if len(before) == 0 {
			return
		}
		code := make([]*ir.Instr, 0, len(r.Code))
		for _, in := range r.Code {
			if mul := before[in]; mul != nil {
				code = append(code, mul)
			}
			if !gone[in] {
				code = append(code, in)
			}
		}
		r.Code = code
	})
}

// groups lists the products of r that share two factors, largest groups first. No product is in two groups.
func (x *factorer) groups(r *ir.Region) [][]product {
	var order []pair
	byPair := map[pair][]product{}
	for _, in := range r.Code {
		for _, p := range x.products(in) {
			if byPair[p.pair] == nil {
				order = append(order, p.pair)
			}
			byPair[p.pair] = append(byPair[p.pair], p)
		}
	}
	slices.SortStableFunc(order, func(a, b pair) int { return len(byPair[b]) - len(byPair[a]) })
	var groups [][]product
	taken := map[*ir.Instr]bool{}
	for _, k := range order {
		if len(groups) == x.most {
			break
		}
		own := map[*ir.Instr]bool{} // one product may be the inner product of another one of the group
		g := slices.DeleteFunc(byPair[k], func(p product) bool {
			if taken[p.in] || taken[p.inner] || own[p.in] || own[p.inner] {
				return true
			}
			own[p.in], own[p.inner] = true, true
			return false
		})
		if len(g) < 2 {
			continue
		}
		maps.Copy(taken, own)
		groups = append(groups, g)
	}
	return groups
}

// products lists the ways to read in as a product of three: either source may be the inner product, and
// either of its factors the remaining one.
func (x *factorer) products(in *ir.Instr) (list []product) {
	if op := in.Op.Legacy(); op != ir.OpMul && op != ir.OpMad || in.IsPredicated() || !x.c.Allows(passes.Real, in) {
		return nil
	}
	for s := range 2 {
		inner, mod := x.maker(&in.Src[s], ir.OpMul)
		if inner == nil {
			continue
		}
		for k := range 2 {
			p := product{in: in, inner: inner, src: s, rest: apply(through(&in.Src[s], inner, k), mod)}
			p.pair = pair{through(&in.Src[s], inner, 1-k), in.Src[1-s]}
			for j := range p.pair {
				p.pair[j].EachLane(func(i int, l *ir.Lane) {
					p.flip[i] ^= l.Mod & ir.Neg
					l.Mod &^= ir.Neg
				})
			}
			if scalar(&p.pair[0]) && scalar(&p.pair[1]) { // independent of the components that read it
				p.pair = pair{{*first(&p.pair[0])}, {*first(&p.pair[1])}}
			}
			// The order of values by number makes the pair canonical.
			if first(&p.pair[0]).V.ID > first(&p.pair[1]).V.ID {
				p.pair[0], p.pair[1] = p.pair[1], p.pair[0]
			}
			list = append(list, p)
		}
	}
	return list
}

// scalar reports whether all lanes of o read the same value.
func scalar(o *ir.Operand) bool {
	for _, l := range o {
		if l.V != nil && l != *first(o) {
			return false
		}
	}
	return true
}

func first(o *ir.Operand) *ir.Lane {
	for i := range o {
		if o[i].V != nil {
			return &o[i]
		}
	}
	return &ir.Lane{V: &nothing}
}

// nothing is the value of an empty operand.
var nothing ir.Value

// group makes all of g read the shared product. It returns the instruction that computes the product, for the
// caller to put before the first of g. It has full precision, because no instruction computed that product
// before. The old inner products become dead.
func (x *factorer) group(g []product) *ir.Instr {
	mul := &ir.Instr{Op: x.op(ir.OpMul), Orig: -1, Pos: g[0].in.Pos, Src: g[0].pair[:]}
	mul.Src[0].EachLane(func(i int, _ *ir.Lane) { x.f.Define(mul, i, ir.Reg{}) })
	for _, p := range g {
		mul.TakeIn(p.inner, shared)
		other := &p.in.Src[1-p.src]
		for i := range p.rest {
			if p.rest[i].V == nil {
				continue
			}
			p.rest[i].Mod = p.rest[i].Mod.ComposeWith(p.flip[i])
			other[i] = ir.Lane{V: mul.Out[i]}
			if mul.Mask() == 1 {
				other[i].V = mul.Out[0]
			}
		}
		p.in.Src[p.src] = p.rest
	}
	return mul
}
